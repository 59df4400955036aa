"""Multicolor IC(0): incomplete Cholesky factorization without fill, computed color by color."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import imported_from
from ..base.errors import GraphError
from . import cpu_matrix
from .cpu_matrix import take
from .ilu0 import MulticolorILU0
from .operators import create
from .pivots import adjoint, check_scale, hermitian_part, positive_definite
from .symbolic import Symbolic


def multicolor_ic0(
    A: Any,
    *,
    coloring: Any = None,
    block_size: int | None = None,
    shift: float = 0.0,
    balance: bool = False,
    storage: Any = None,
    threads: int | None = None,
) -> MulticolorIC0:
    """Compute the incomplete Cholesky factorization of a matrix in the order of its colors, without fill.

    The factorization has the form L D Lᴴ, which needs no square roots.

    Parameters
    ----------
    A : sparse matrix, shape (n, n)
        The matrix, Hermitian up to rounding. The triangle below the diagonal, in the order of colors, is used.
    coloring, block_size : optional
        See `multicolor_sor`.
    shift : float
        Add this multiple of its diagonal to A before the factorization, for pivots that are not positive (Manteuffel
        1980).
    balance, storage, threads : optional
        See `multicolor_sor`.

    Returns
    -------
    MulticolorIC0
        A `LinearOperator` of SciPy or CuPy, as A is. It is Hermitian and positive definite: the ``M`` of cg.

    Raises
    ------
    GraphError
        See `multicolor_sor`. Also if A is not Hermitian, or a pivot is not positive (with blocks: not positive
        definite), which can happen although A is positive definite. The message names the row.
    ColoringError, OptionError
        See `multicolor_sor`.

    See Also
    --------
    multicolor_sor, multicolor_ilu0, multicolor_dilu : Other preconditioners.

    References
    ----------
    Meijerink, van der Vorst 1977, see `multicolor_ilu0`; Manteuffel 1980, "An incomplete factorization technique
    for positive definite linear systems".

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> from scipy.sparse.linalg import cg
    >>> A = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(100, 100), format="csr")
    >>> solution, failed = cg(A, np.ones(100), M=lagcolor.solvers.multicolor_ic0(A))
    >>> failed
    0
    """
    how = {"coloring": coloring, "block_size": block_size, "balance": balance, "storage": storage, "threads": threads}
    return create(MulticolorIC0, A, shift=shift, **how)


@imported_from("lagcolor.solvers")
class MulticolorIC0(MulticolorILU0):
    """The IC(0) preconditioner that `multicolor_ic0` returns.

    Attributes
    ----------
    shift : float
        The multiple of the diagonal that was added to the matrix.
    """

    def _load(self, values: Any) -> None:
        S = self._symbolic
        xp, lower, diagonal = S.xp, take(values, S.lower.source), self._shifted(values)
        check_hermitian(S, lower, take(values, S.upper.source), diagonal)
        upper = xp.empty_like(lower)
        upper[S.mirror] = adjoint(xp, lower)
        scale = self._engine.factor(lower, upper, hermitian_part(xp, diagonal))
        scale = hermitian_part(xp, scale)
        check_scale(S, scale, diagonal, self._no_pivot, positive_definite(xp, scale))
        self._hand_over(lower, upper, scale, 1.0)

    def _no_pivot(self, block: np.ndarray) -> str:
        if not (block.diagonal().real > 0).all():
            return "no positive diagonal, so that the matrix is not positive definite: take multicolor_ilu0"
        return f"no positive pivot: {self._larger_shift()}, or multicolor_ilu0 if the matrix is not positive definite"

    def _adjoint(self) -> MulticolorIC0:
        return self


def check_hermitian(S: Symbolic, lower: Any, upper: Any, diagonal: Any) -> None:
    """Raise an error if an entry is not the conjugate of its mirror image, up to rounding.

    The tolerance is relative to √(a_ii a_jj), the bound of entries of a positive definite matrix.
    """
    xp, b, here = S.xp, S.block_size, S.xp.arange(S.n)
    if S.alone is not None:
        raise _one_sided(S, S.alone, lower, upper)
    if b == 1 and cpu_matrix.are(lower) and cpu_matrix.hermitian(S.lower, S.mirror, lower, upper, diagonal):
        return
    size = xp.sqrt(abs(diagonal).reshape(S.n, b * b).max(axis=1))
    below = (lower, upper[S.mirror], S.rows(S.lower), S.lower.indices)
    for values, mirrored, i, j in (below, (diagonal, diagonal, here, here)):
        off = abs(values - adjoint(xp, mirrored)).reshape(len(values), b * b).max(axis=1)
        at = xp.flatnonzero(off > float(np.finfo(values.dtype).eps) ** 0.5 * size[i] * size[j])
        if len(at):
            row, column = (int(S.order[int(places[at[0]])]) for places in (i, j))
            raise _not_hermitian(S, row, column, "is not the conjugate of its mirror image")


def _one_sided(S: Symbolic, first: tuple[int, int], lower: Any, upper: Any) -> GraphError:
    """Return the error about an asymmetric pattern: an entry without a mirror image, or only a stored zero."""
    xp, matched = S.xp, S.mirror >= 0
    above = xp.ones(len(upper), bool)
    above[S.mirror[matched]] = False
    for T, values, one_sided in ((S.lower, lower, ~matched), (S.upper, upper, above)):
        at = xp.flatnonzero(one_sided & (values.reshape(len(values), S.block_size**2) != 0).any(axis=1))
        if len(at):
            row, column = (int(S.order[int(places[at[0]])]) for places in (S.rows(T), T.indices))
            return _not_hermitian(S, row, column, "is there, and its mirror image is not")
    return GraphError(
        f"the pattern is not symmetric: {S.named(*first)} is stored, as zero, and its mirror image is not: call "
        "A.eliminate_zeros()"
    )


def _not_hermitian(S: Symbolic, row: int, column: int, why: str) -> GraphError:
    return GraphError(
        f"the matrix is not Hermitian: {S.named(row, column)} {why}; take multicolor_ilu0, or (A + A.conj().T) / 2"
    )
