"""Multicolor smoothers and preconditioners: sweeps over the colors of a sparse matrix, for SciPy and CuPy.

>>> M = lagcolor.solvers.multicolor_sor(A)            # doctest: +SKIP
>>> x, info = scipy.sparse.linalg.cg(A, b, M=M)       # doctest: +SKIP
"""

from .dilu import multicolor_dilu
from .ic0 import multicolor_ic0
from .ilu0 import multicolor_ilu0
from .sor import multicolor_sor

__all__ = ["multicolor_dilu", "multicolor_ic0", "multicolor_ilu0", "multicolor_sor"]
