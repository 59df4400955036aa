"""Compressions to and from the package asdex, which detects the sparsity of JAX functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.errors import OptionError
from ..base.extras import need
from ..graph.pattern import Pattern
from .compression import Compression
from .own_colors import of_colors

need("asdex", "lagcolor.derivatives.asdex", "jax")

import asdex  # noqa: E402

MODES: dict[str, Any] = {"columns": "fwd", "rows": "rev", "symmetric": "fwd_over_rev"}


def to_asdex(C: Compression, sparsity: asdex.SparsityPattern | None = None, mode: Any = None) -> asdex.ColoredPattern:
    """Convert a compression to asdex's `ColoredPattern`.

    Parameters
    ----------
    C : Compression
        A direct compression of columns, rows or a symmetric matrix.
    sparsity : asdex.SparsityPattern, optional
        The pattern as asdex detected it, with the types of the function's arguments. Its entries must be those in C.
        Without it, the result differentiates only functions of one flat array.
    mode : str, optional
        The name in asdex for the kind of products. Default: "fwd" for columns, "rev" for rows, and "fwd_over_rev" (of a
        Hessian) for a symmetric matrix. Pass "fwd" or "rev" for a symmetric Jacobian.

    Returns
    -------
    asdex.ColoredPattern
        The pattern with the colors of C.

    Raises
    ------
    OptionError
        C has products of both kinds or uses substitution, which asdex does not support; or its entries differ from the
        entries of `sparsity`.

    Examples
    --------
    >>> C = lagcolor.derivatives.jacobian([(0, 0), (0, 1), (1, 1), (1, 2)])
    >>> lagcolor.derivatives.asdex.to_asdex(C).num_colors
    2
    """
    if C.partition not in MODES or C.recovery.levels:
        raise OptionError("asdex has no colorings of both kinds of products, and none by substitution")
    P = C.pattern.on("cpu")
    rows = P.rows_of_entries()
    if sparsity is None:
        sparsity = asdex.SparsityPattern.from_coo(rows, P.indices, P.shape)
    elif not _same(P, sparsity):
        raise OptionError("sparsity and compression have different entries: compress `sparsity` itself")
    colors = np.asarray(C.coloring.to_numpy(), np.int32)
    stars = _stars(P, rows, C) if C.partition == "symmetric" else None
    return asdex.ColoredPattern(
        sparsity, colors, C.n_colors, C.partition == "symmetric", mode or MODES[C.partition], star_set=stars
    )


def from_asdex(colored: Any) -> Compression:
    """Convert asdex's `ColoredPattern` to a compression, and check its colors.

    Parameters
    ----------
    colored : asdex.ColoredPattern
        The pattern and its colors. Some may be neutral (−1).

    Returns
    -------
    Compression
        The compression with the colors of asdex.

    Raises
    ------
    ColoringError
        An entry is not recovered with these colors.

    Examples
    --------
    >>> import asdex, jax
    >>> colored = asdex.jacobian_coloring(lambda x: x[1:] * x[:-1], jax.numpy.ones(3))
    >>> lagcolor.derivatives.asdex.from_asdex(colored).n_colors
    2
    """
    s = colored.sparsity
    P = pattern_of(s)
    partition = "symmetric" if colored.symmetric else "rows" if colored.mode == "rev" else "columns"
    problem = "star" if colored.symmetric else partition
    return of_colors(P, partition, problem, colored.colors, made_by="asdex")


def pattern_of(sparsity: asdex.SparsityPattern) -> Pattern:
    """Convert a sparsity pattern of asdex to a canonical pattern.

    Parameters
    ----------
    sparsity : asdex.SparsityPattern
        The pattern that asdex detected.

    Returns
    -------
    Pattern
        The same entries.

    Examples
    --------
    >>> import asdex, jax
    >>> sparsity = asdex.jacobian_sparsity(lambda x: x[1:] * x[:-1], jax.numpy.ones(3))
    >>> lagcolor.derivatives.asdex.pattern_of(sparsity)
    <Pattern: 2 × 3, 4 entries, on cpu>
    """
    return Pattern.of(sparsity)


def _same(P: Pattern, sparsity: asdex.SparsityPattern) -> bool:
    Q = pattern_of(sparsity)
    return P.shape == Q.shape and np.array_equal(P.indptr, Q.indptr) and np.array_equal(P.indices, Q.indices)


def _stars(P: Pattern, rows: np.ndarray, C: Compression) -> asdex.StarSet:
    """Return one star per edge; its hub is the vertex whose product has the entry."""
    upper = np.flatnonzero(rows < P.indices)
    place = C.gather[upper] // max(C.n_colors, 1)  # the vertex whose row of the products has the entry
    hub = np.where(place == rows[upper], P.indices[upper], rows[upper]).astype(np.int32)
    edges = np.arange(len(upper), dtype=np.int32)
    return asdex.StarSet(edges, hub, rows[upper], P.indices[upper].astype(np.int32), edges)
