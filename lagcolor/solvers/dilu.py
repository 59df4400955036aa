"""Multicolor DILU: the matrix's own triangles, and a diagonal found color by color."""

from __future__ import annotations

from typing import Any

from .operators import Multicolor, made
from .pivots import PIVOT, check_scale


def multicolor_dilu(
    A: Any,
    coloring: Any = None,
    block_size: int | None = None,
    *,
    balance: bool = False,
    storage: str | None = None,
    threads: int | None = None,
) -> MulticolorDILU:
    """The factorization (D + L) D⁻¹ (D + U) of a matrix with its own triangles L and U, in the order of its colors.

    D is such that the product has the diagonal of A. Like ILU(0) it has no ω, which it is where no two neighbors of a
    row are neighbors, as in grids. For M-matrices; of others pivots may have both signs, and iterations stall.

    Parameters
    ----------
    A, coloring, block_size, balance, storage, threads
        As for `multicolor_ilu0`.

    Returns
    -------
    MulticolorDILU
        A `LinearOperator`, of SciPy or CuPy like A, to be the ``M`` of gmres and bicgstab, and of cg where A is an
        M-matrix.

    Raises
    ------
    GraphError, ColoringError, OptionError
        As for `multicolor_ilu0`.

    References
    ----------
    Pommerell 1992, "Solution of large unsymmetric systems of linear equations"; Barrett et al. 1994, "Templates for the
    solution of linear systems", section 3.4.2.
    """
    how = {"coloring": coloring, "block_size": block_size, "balance": balance, "storage": storage, "threads": threads}
    return made(MulticolorDILU, A, **how)


class MulticolorDILU(Multicolor):
    """What `multicolor_dilu` returns."""

    def __init__(self, A: Any, **how: Any) -> None:
        self._begin(A, "symmetric", **how)

    def _load(self, values: Any) -> None:
        S = self._symbolic
        lower, upper = values[S.lower.source], values[S.upper.source]
        scale = self._engine.dilu(lower, upper, values[S.diagonal], S.mirror)
        check_scale(S, scale, f"{PIVOT[S.block_size > 1]}: take multicolor_sor, or multicolor_ilu0 with a shift")
        self._hand_over(lower, upper, scale, 1.0)
