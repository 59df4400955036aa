"""
A sparse Jacobian in PyTensor
=============================

For anyone who differentiates in PyTensor: ``pytensor.gradient.jacobian`` is dense. With a coloring, a Jacobian is a
symbolic sparse matrix, from one ``pushforward`` per color and one gather.

Install: ``pip install lagcolor pytensor``.
"""

# sphinx_gallery_thumbnail_path = "_static/thumbnails/pytensor_jacobian.svg"
import sys

import numpy as np
import scipy.sparse as sp

import lagcolor

try:
    import pytensor
    import pytensor.tensor as pt
except ImportError:
    print("nothing to show: PyTensor is not installed")
    sys.exit(0)

from pytensor.gradient import pushforward
from pytensor.sparse import CSR

n = 2_000
x = pt.dvector("x")
padded = pt.concatenate([pt.zeros(1), x, pt.zeros(1)])
y = (3 - 2 * x) * x - padded[:-2] - 2 * padded[2:] + 1  # each value depends on three neighbors

# %%
# Three seeds for 2,000 columns. The entries are read from the products in the order of the stored entries.

pattern = sp.diags_array([np.ones(n - 1), np.ones(n), np.ones(n - 1)], offsets=[-1, 0, 1], format="csr")
C = lagcolor.derivatives.jacobian(pattern)
B = pt.stack([pushforward(y, x, pt.constant(seed)) for seed in C.iter_seeds()], axis=1)
entries, P = B.ravel()[C.gather], C.pattern
J = pytensor.function([x], CSR(entries, P.indices, P.indptr.astype("int32"), np.array(P.shape)))

at = np.linspace(0, 1, n)
A = J(at)
expected = sp.diags_array([np.full(n - 1, -1.0), 3 - 4 * at, np.full(n - 1, -2.0)], offsets=[-1, 0, 1])
print(f"{C.n_colors} products, {A.nnz:,} entries, largest error {abs(A - expected).max():.0e}")
assert abs(A - expected).max() < 1e-12

# %%
# Result with PyTensor 3.0: 3 products, 5,998 entries, largest error 4e-16.
