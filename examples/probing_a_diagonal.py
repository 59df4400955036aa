"""
Probing: the diagonal of an inverse by distance k
=================================================

For anyone who needs the diagonal or the trace of f(A) for a sparse A, and can only multiply with f(A). Entries of an
inverse decay with the distance in the graph of A. If no two vertices of a color are within k edges, one product with
the sum of their unit vectors gives all their diagonal entries. The errors are entries at distances over k.

Install: ``pip install 'lagcolor[plot]'``.
"""

import sys

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

import lagcolor

try:
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit("needs matplotlib: pip install 'lagcolor[plot]', or '.[plot]' in a checkout")

w = 40
path = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(w, w))
A = sp.csc_array(sp.kron(path, sp.eye_array(w)) + sp.kron(sp.eye_array(w), path) + 2 * sp.eye_array(w * w))
inverse = splu(A)  # stands for any product with f(A)
exact = np.diag(inverse.solve(np.eye(w * w)))

# %%
# One product per color, with random signs, so that errors cancel. Doubling the distance about squares the error.

signs = np.random.default_rng(0).choice([-1.0, 1.0], w * w)
errors = []
for k in (1, 2, 4, 8):
    result = lagcolor.color(A, problem="distance", distance=k)
    probes = np.zeros((w * w, result.n_colors))
    probes[np.arange(w * w), result.colors] = signs
    products = inverse.solve(probes)
    diagonal = signs * products[np.arange(w * w), result.colors]
    errors.append(np.abs(diagonal - exact).max() / exact.max())
    print(f"k = {k}: {result.n_colors} products, largest error {errors[-1]:.1e}")

assert errors[1] < errors[0] / 4 and errors[2] < errors[1] / 10 and errors[3] < errors[2] / 50

# %%
# The last coloring, on the grid of the matrix.

plt.imshow(result.colors.reshape(w, w), cmap="turbo")
plt.title(f"{result.n_colors} colors: vertices of one color are over {k} edges apart")

# %%
# Result: 52 products instead of 1,600 give the diagonal to almost four digits.
