"""Multicolor ILU(0): the incomplete factorization without fill, found color by color."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.options import number
from .cpu_values import take
from .operators import Multicolor, create
from .pivots import PIVOT, check_scale

LARGEST_SHIFT = 1e6  # A is nothing beside its diagonal then


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
    """The incomplete factorization L U of a matrix in the order of its colors, without fill.

    With the rows in that order, ``(L U)_ij = a_ij`` wherever A has an entry. Rows of one color have no entries in each
    other's columns, so that both factors and both triangular solves take as many steps as there are colors.

    Parameters
    ----------
    A, coloring, block_size, balance, storage, threads
        As for `multicolor_sor`. Diagonal entries must be stored, but may be zero where a pivot is not.
    shift : float
        Factor A with this part of its diagonal added to that, against small and zero pivots; at most a million.

    Returns
    -------
    MulticolorILU0
        A `LinearOperator`, of SciPy or CuPy like A, to be the ``M`` of gmres and bicgstab.

    Raises
    ------
    GraphError
        As for `multicolor_sor`; a pivot is zero (with blocks: singular). The message names the row.
    ColoringError, OptionError
        As for `multicolor_sor`.

    References
    ----------
    Meijerink, van der Vorst 1977, "An iterative solution method for linear systems of which the coefficient matrix is
    a symmetric M-matrix"; Poole, Ortega 1987, "Multicolor ICCG methods for vector computers"; Saad 2003, "Iterative
    methods for sparse linear systems", sections 10.3 and 12.4.
    """
    how = {"coloring": coloring, "block_size": block_size, "balance": balance, "storage": storage, "threads": threads}
    return create(MulticolorILU0, A, shift=shift, **how)


class MulticolorILU0(Multicolor):
    """What `multicolor_ilu0` returns.

    Attributes
    ----------
    shift : float
        The part of the diagonal that was added to it.
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
        """The diagonal, by place, with its part added; of blocks with that of their own diagonals."""
        S = self._symbolic
        diagonal = take(values, S.diagonal)
        if self.shift and S.block_size == 1:
            diagonal = diagonal * diagonal.dtype.type(1 + self.shift)
        elif self.shift:
            each = S.xp.arange(S.block_size)
            diagonal[:, each, each] *= diagonal.dtype.type(1 + self.shift)
        return diagonal

    def _no_pivot(self, block: np.ndarray) -> str:
        """What is wrong with the pivot made of a block of the diagonal, and the remedy."""
        better = "permute rows so that the diagonal is large"
        if block.diagonal().any():  # or no shift changes it
            better = f"{self._larger_shift()}, or {better}"
        return f"{PIVOT[len(block) > 1]}: {better}"

    def _larger_shift(self) -> str:
        return f"take a larger shift, as shift={min(max(0.01, 2 * self.shift), LARGEST_SHIFT):g}"
