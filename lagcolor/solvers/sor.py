"""Multicolor SOR, or Gauss–Seidel for ω = 1: forward, backward, or both, which is SSOR."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import imported_from
from ..base.errors import OptionError
from ..base.options import number
from .cpu_matrix import take
from .operators import Multicolor, create
from .pivots import check_scale, inverse, out_of_range

TURNED = {"symmetric": "symmetric", "forward": "backward", "backward": "forward"}


def multicolor_sor(
    A: Any,
    omega: float = 1.0,
    sweep: str = "symmetric",
    *,
    coloring: Any = None,
    block_size: int | None = None,
    balance: bool = False,
    storage: Any = None,
    threads: int | None = None,
) -> MulticolorSOR:
    """Create a multicolor SOR preconditioner and smoother: Gauss–Seidel for ω = 1, SSOR for a symmetric sweep.

    Rows are visited color by color, and the rows of one color at the same time. The result is exactly a Gauss–Seidel
    sweep in this order, not a mixture with Jacobi.

    Parameters
    ----------
    A : sparse matrix of scipy.sparse or cupyx.scipy.sparse, shape (n, n)
        The matrix, in any format, of type float32, float64, complex64 or complex128. Integers and bools become float64.
        Stored entries count, also zeros. Vectors have the type of A.
    omega : float
        The relaxation parameter ω, over 0 and under 2.
    sweep : {"symmetric", "forward", "backward"}
        The order of the rows. "forward" visits them in ascending order of color, "backward" in descending order.
        "symmetric" does both; the preconditioner is then symmetric positive definite if A is, as CG requires.
    coloring : Coloring, array of integers, shape (n / b,), or mapping, optional
        A proper coloring of the graph of A ∪ Aᵀ, or of its blocks. It is checked. Default: two colors if two suffice,
        else a first-fit coloring, equal on each run.
    block_size : int, optional
        The number b of consecutive unknowns that form a block, such as the components of a displacement. Blocks are
        colored, and each is solved as a whole. Default: the block size of a BSR matrix with square blocks, else 1.
    balance : bool
        Balance the sizes of the classes first, as `lagcolor.balance` does.
    storage : {"float32", "float64"} or NumPy type, optional
        Store the factors with 32 bits per real number; vectors keep their type. This halves the bytes of the values,
        but not of the column indices. The preconditioner is about as good. The smoother solves with the rounded matrix.
    threads : int, optional
        The number of CPU threads for sweeps, and the largest number for the coloring and the checks. Default: one per
        core, fewer for small matrices.

    Returns
    -------
    MulticolorSOR
        A `LinearOperator` of SciPy or CuPy, as A is: the ``M`` of cg, gmres, bicgstab.

    Raises
    ------
    GraphError
        A is not a square sparse matrix; or a row has a zero diagonal entry or none (with blocks: a singular diagonal
        block), or an entry that is not finite. The message names the row.
    ColoringError
        The coloring is improper. The message names an edge.
    OptionError
        ω is out of range, the sweep or storage is unknown, the block size does not divide n, the entries have another
        type, or the number of threads is under 1.

    See Also
    --------
    multicolor_ilu0, multicolor_ic0, multicolor_dilu : Other preconditioners.

    References
    ----------
    Adams, Ortega 1982, "A multi-color SOR method for parallel computation"; Saad 2003, "Iterative methods for sparse
    linear systems", sections 4.1 and 12.4.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> from scipy.sparse.linalg import cg
    >>> A = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(100, 100), format="csr")
    >>> solution, failed = cg(A, np.ones(100), M=lagcolor.solvers.multicolor_sor(A))
    >>> failed
    0
    """
    how = {"coloring": coloring, "block_size": block_size, "balance": balance, "storage": storage, "threads": threads}
    return create(MulticolorSOR, A, omega=omega, sweep=sweep, **how)


@imported_from("lagcolor.solvers")
class MulticolorSOR(Multicolor):
    """The SOR preconditioner that `multicolor_sor` returns.

    Attributes
    ----------
    omega : float
        The relaxation parameter ω.
    """

    omega: float

    def __init__(self, A: Any, *, omega: float, sweep: str, **how: Any) -> None:
        self.omega = relaxation(omega)
        self._begin(A, sweep, **how)

    def _load(self, values: Any) -> None:
        if self._engine.load_sor(values, self.omega, self._stored):
            return
        S = self._symbolic  # separate steps, so that an error can name the row
        diagonal = take(values, S.diagonal)
        scale = inverse(S.xp, diagonal) * values.dtype.type(self.omega)
        check_scale(S, scale, diagonal, no_inverse)
        self._hand_over(take(values, S.lower.source), take(values, S.upper.source), scale, 2 - self.omega)

    def _options(self) -> dict[str, Any]:
        return super()._options() | {"omega": self.omega, "sweep": self._sweep}

    def _turned(self) -> dict[str, Any]:
        return self._options() | {"sweep": TURNED[self._sweep]}

    def _improve(self, x: Any, b: Any, iterations: int) -> None:
        self._engine.smooth(x, b, self.omega, self._sweep, iterations)


def no_inverse(block: np.ndarray) -> str:
    """Return the error about a singular diagonal block, with the remedy."""
    if len(block) > 1:
        return "a singular diagonal block: sweeps divide by it; permute rows, or take blocks of another size"
    if block.any():
        return out_of_range(block)
    return "a zero on the diagonal: sweeps divide by it; permute rows so that it has none"


def relaxation(omega: Any) -> float:
    """Return ω as a float; raise an error if SOR cannot converge with it."""
    omega = number("omega", omega, 0.0, over=True)
    if omega >= 2:
        raise OptionError(f"omega must be over 0 and under 2, not {omega:g}: SOR converges for no other (Kahan 1958)")
    return float(omega)
