"""Multicolor DILU: the matrix's own triangles, and a diagonal that is computed color by color."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..base import imported_from
from ..base.errors import PivotWarning, level_of_caller
from .cpu_matrix import take
from .operators import Multicolor, create
from .pivots import PIVOT, check_scale, flipped


def multicolor_dilu(
    A: Any,
    *,
    coloring: Any = None,
    block_size: int | None = None,
    balance: bool = False,
    storage: Any = None,
    threads: int | None = None,
) -> MulticolorDILU:
    """Factor a matrix as (D + L) D⁻¹ (D + U) with its own triangles L and U, in the order of its colors.

    D is such that the product has the diagonal of A. The factorization has no parameter ω. It equals ILU(0) if no two
    neighbors of a row are neighbors, as in grids. It is for M-matrices. For other matrices, pivots may lose the sign
    of the diagonal: a `PivotWarning` reports this, and iterations may stall.

    Parameters
    ----------
    A : sparse matrix, shape (n, n)
        The matrix; see `multicolor_sor`.
    coloring, block_size, balance, storage, threads : optional
        See `multicolor_sor`.

    Returns
    -------
    MulticolorDILU
        A `LinearOperator` of SciPy or CuPy, as A is: the ``M`` of gmres and bicgstab, and of cg if A is an M-matrix.

    Raises
    ------
    GraphError, ColoringError, OptionError
        See `multicolor_ilu0`.

    See Also
    --------
    multicolor_sor, multicolor_ilu0, multicolor_ic0 : Other preconditioners.

    References
    ----------
    Pommerell 1992, "Solution of large unsymmetric systems of linear equations"; Barrett et al. 1994, "Templates for the
    solution of linear systems", section 3.4.2.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> A = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(100, 100), format="csr")
    >>> lagcolor.solvers.multicolor_dilu(A).shape
    (100, 100)
    """
    how = {"coloring": coloring, "block_size": block_size, "balance": balance, "storage": storage, "threads": threads}
    return create(MulticolorDILU, A, **how)


@imported_from("lagcolor.solvers")
class MulticolorDILU(Multicolor):
    """The DILU preconditioner that `multicolor_dilu` returns."""

    def __init__(self, A: Any, *, warned: bool = False, **how: Any) -> None:
        self._silent = warned
        self._begin(A, "symmetric", **how)
        self._silent = False

    def _load(self, values: Any) -> None:
        S = self._symbolic
        lower, upper, diagonal = (take(values, at) for at in (S.lower.source, S.upper.source, S.diagonal))
        scale = self._engine.factor(lower, upper, diagonal, S.mirror)
        check_scale(S, scale, diagonal, no_pivot)
        notes = self._warned(scale, diagonal)
        self._hand_over(lower, upper, scale, 1.0)
        self.notes.pop("pivots", None)
        self.notes.update(notes)

    def _options(self) -> dict[str, Any]:
        return super()._options() | {"warned": True}  # no second warning about the same matrix

    def _warned(self, scale: Any, diagonal: Any) -> dict[str, str]:
        """Return a note, and give it as a warning, if pivots have lost the sign of the diagonal."""
        S = self._symbolic
        places = S.xp.flatnonzero(flipped(S.xp, scale, diagonal))
        if not len(places):
            return {}
        what = "that is not definite as its block is" if S.block_size > 1 else "of another sign than its diagonal entry"
        message = (
            f"{S.where(int(places[0]))} has a pivot {what} ({len(places):,} of {S.n:,} pivots): DILU is for "
            "M-matrices, and iterations with it may stall here; take multicolor_ilu0 or multicolor_sor"
        )
        if not self._silent:
            warnings.warn(message, PivotWarning, stacklevel=level_of_caller())
        return {"pivots": message}


def no_pivot(block: np.ndarray) -> str:
    """Return the error about the pivot of a diagonal block, with the remedy."""
    remedy = "permute rows so that the diagonal is large"
    if len(block) == 1 and block.any():
        remedy = "take multicolor_sor, or multicolor_ilu0 with a shift"
    elif block.diagonal().any():
        remedy = f"take multicolor_ilu0 with a shift, or {remedy}"
    return f"{PIVOT[len(block) > 1]}: {remedy}"
