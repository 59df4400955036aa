"""Sparse Jacobians and Hessians from few products: `jacobian` and `hessian` say which, and turn these into the matrix.

>>> C = lagcolor.derivatives.jacobian(pattern)        # doctest: +SKIP
>>> B = J @ C.seeds()                                 # doctest: +SKIP
>>> C.decompress(B)                                   # doctest: +SKIP
"""

from .choose import hessian, jacobian
from .compression import Compression, load

__all__ = ["Compression", "hessian", "jacobian", "load"]
