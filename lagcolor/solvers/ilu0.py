"""Multicolor ILU(0): the incomplete factorization without fill, computed color by color."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import imported_from
from ..base.options import number
from .cpu_matrix import take
from .operators import Multicolor, create
from .pivots import PIVOT, check_scale

LARGEST_SHIFT = 1e6  # with a larger one, A would be negligible compared with its diagonal


def multicolor_ilu0(
    A: Any,
    *,
    coloring: Any = None,
    block_size: int | None = None,
    shift: float = 0.0,
    balance: bool = False,
    storage: Any = None,
    threads: int | None = None,
) -> MulticolorILU0:
    """Compute the incomplete factorization L U of a matrix in the order of its colors, without fill.

    With the rows in this order, ``(L U)_ij = a_ij`` wherever A has an entry. Rows of one color have no entries in each
    other's columns. Therefore the factorization and both triangular solves take as many steps as there are colors.

    Parameters
    ----------
    A : sparse matrix, shape (n, n)
        The matrix; see `multicolor_sor`. Diagonal entries must be stored. They may be zero if the pivot is not zero.
    coloring, block_size : optional
        See `multicolor_sor`.
    shift : float
        Add this multiple of its diagonal to A before the factorization, against small and zero pivots; at most a
        million.
    balance, storage, threads : optional
        See `multicolor_sor`.

    Returns
    -------
    MulticolorILU0
        A `LinearOperator` of SciPy or CuPy, as A is: the ``M`` of gmres and bicgstab.

    Raises
    ------
    GraphError
        See `multicolor_sor`. Also if a pivot is zero (with blocks: singular). The message names the row.
    ColoringError, OptionError
        See `multicolor_sor`.

    See Also
    --------
    multicolor_sor, multicolor_ic0, multicolor_dilu : Other preconditioners.

    References
    ----------
    Meijerink, van der Vorst 1977, "An iterative solution method for linear systems of which the coefficient matrix is
    a symmetric M-matrix"; Poole, Ortega 1987, "Multicolor ICCG methods for vector computers"; Saad 2003, "Iterative
    methods for sparse linear systems", sections 10.3 and 12.4.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> A = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(100, 100), format="csr")
    >>> lagcolor.solvers.multicolor_ilu0(A).shape
    (100, 100)
    """
    how = {"coloring": coloring, "block_size": block_size, "balance": balance, "storage": storage, "threads": threads}
    return create(MulticolorILU0, A, shift=shift, **how)


@imported_from("lagcolor.solvers")
class MulticolorILU0(Multicolor):
    """The ILU(0) preconditioner that `multicolor_ilu0` returns.

    Attributes
    ----------
    shift : float
        The multiple of the diagonal that was added to the matrix.
    """

    shift: float

    def __init__(self, A: Any, shift: float, **how: Any) -> None:
        self.shift = float(number("shift", shift, 0.0, LARGEST_SHIFT))
        self._begin(A, "symmetric", **how)

    def _load(self, values: Any) -> None:
        S = self._symbolic
        lower, upper = (take(values, T.source) for T in (S.lower, S.upper))
        diagonal = self._shifted(values)
        scale = self._engine.factor(lower, upper, diagonal)
        check_scale(S, scale, diagonal, self._no_pivot)
        self._hand_over(lower, upper, scale, 1.0)

    def _options(self) -> dict[str, Any]:
        return super()._options() | {"shift": self.shift}

    def _shifted(self, values: Any) -> Any:
        """Return the diagonal by place, with the shift; for blocks, the shift of the blocks' own diagonals."""
        S = self._symbolic
        diagonal = take(values, S.diagonal)
        if self.shift and S.block_size == 1:
            diagonal = diagonal * diagonal.dtype.type(1 + self.shift)
        elif self.shift:
            each = S.xp.arange(S.block_size)
            diagonal[:, each, each] *= diagonal.dtype.type(1 + self.shift)
        return diagonal

    def _no_pivot(self, block: np.ndarray) -> str:
        """Return the error about the pivot of a diagonal block, with the remedy."""
        better = "permute rows so that the diagonal is large"
        if block.diagonal().any():  # otherwise a shift changes nothing
            better = f"{self._larger_shift()}, or {better}"
        return f"{PIVOT[len(block) > 1]}: {better}"

    def _larger_shift(self) -> str:
        return f"take a larger shift, as shift={min(max(0.01, 2 * self.shift), LARGEST_SHIFT):g}"
