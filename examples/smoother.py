"""
A multicolor Gauss–Seidel smoother
==================================

For anyone who smooths, relaxes or preconditions with Gauss–Seidel: a sweep updates the unknowns one after the other,
each with the values just computed. Unknowns of one color are not coupled, so that a sweep over colors updates all of
one color at once: a sparse product per color instead of a step per unknown.
"""

import time
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve_triangular

import lagcolor

# %%
# The five-point Laplacian on a 200 × 200 grid. Two colors suffice, and `quality="balanced"` finds them, where the
# default takes five.

line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(200, 200))
A = sp.csr_array(sp.kron(line, sp.eye_array(200)) + sp.kron(sp.eye_array(200), line))
result = lagcolor.color(A, quality="balanced")
print(result)

# %%
# Rows are gathered by color once.

offsets, vertices = result.groups()
groups = [vertices[offsets[c] : offsets[c + 1]] for c in range(result.n_colors)]
blocks = [A[rows] for rows in groups]
diagonal = A.diagonal()
assert all(block[:, rows].nnz == len(rows) for rows, block in zip(groups, blocks, strict=True))  # only the diagonal


def by_color(x, b):
    for rows, block in zip(groups, blocks, strict=True):
        x[rows] += (b[rows] - block @ x) / diagonal[rows]
    return x


def one_by_one(x, b):
    return x + spsolve_triangular(lower, b - A @ x)


# %%
# Both ways from the same start. They visit the unknowns in different orders, so that the errors differ, but not by
# much.

lower = sp.csr_array(sp.tril(A))
b = np.random.default_rng(1).standard_normal(A.shape[0])
for sweep in (by_color, one_by_one):
    x, start = np.zeros_like(b), time.process_time()
    for _ in range(20):
        x = sweep(x, b)
    seconds = time.process_time() - start
    print(
        f"{sweep.__name__}: residual {np.linalg.norm(b - A @ x) / np.linalg.norm(b):.1%} of the first, {seconds:.3f} s"
    )

# %%
# Ordered by color, the matrix has a diagonal block for each color: what incomplete factorizations on many cores need.

order = np.concatenate(groups)
B = A[order][:, order]
within = [B[start:end, start:end].nnz for start, end in pairwise(offsets)]
print(f"entries of the diagonal blocks: {within}, which is one per unknown")

# %%
# Seen: after 20 sweeps 8.7% of the residual is left by colors, 6.2% one by one, in a tenth of the time.
