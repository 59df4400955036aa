"""Sparse Jacobians and Hessians from few products: `jacobian` and `hessian` choose the products and recover the matrix.

Start with `choose.py`, the public functions, then `compression.py`, the class that they return. `recovery.py` computes
the entries from products, and `jax.py`, `torch.py` and `differences.py` compute products of functions.

>>> import scipy.sparse as sp
>>> J = sp.diags_array([1.0, 2.0], offsets=[0, 1], shape=(99, 100), format="csr")
>>> C = lagcolor.derivatives.jacobian(J)
>>> B = J @ C.seeds()  # two products
>>> (C.decompress(B) != J).nnz
0
"""

from .choose import hessian, jacobian
from .compression import Compression, load
from .differences import fd_jacobian

__all__ = ["Compression", "fd_jacobian", "hessian", "jacobian", "load"]
