"""Multicolor smoothers and preconditioners: sweeps over the colors of a sparse matrix, for SciPy and CuPy.

Start with `sor.py`, then `operators.py`, the base class. `symbolic.py` orders a matrix by color, `cpu*.py` and `gpu/`
have the loops, and `ilu0.py`, `dilu.py` and `ic0.py` the other methods. The functions below are public.

>>> M = lagcolor.solvers.multicolor_sor(A)            # doctest: +SKIP
>>> x, info = scipy.sparse.linalg.cg(A, b, M=M)       # doctest: +SKIP
"""

from .dilu import MulticolorDILU, multicolor_dilu
from .ic0 import MulticolorIC0, multicolor_ic0
from .ilu0 import MulticolorILU0, multicolor_ilu0
from .operators import Multicolor
from .sor import MulticolorSOR, multicolor_sor

__all__ = [
    "Multicolor",
    "MulticolorDILU",
    "MulticolorIC0",
    "MulticolorILU0",
    "MulticolorSOR",
    "multicolor_dilu",
    "multicolor_ic0",
    "multicolor_ilu0",
    "multicolor_sor",
]
