"""Remove colors that no entry needs: their vertices become neutral (−1), and all entries are still recovered.

`engines.two_colored` does this for bicolorings, whose problem allows neutral colors. This module does it for star and
acyclic colorings, because it knows the diagonal entries, and for colors of empty columns or rows.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ..api.result import Coloring
from ..api.session import Clock, is_checked
from ..base import device as dev
from ..base.device import extremes
from ..base.errors import ColoringError
from ..engines.two_colored.neutral import without_unneeded
from ..graph.pattern import Pattern
from ..problems import hessian

SYMMETRIC = {"star": "direct", "acyclic": "substitution"}
ONE_SIDED = ("columns", "rows")


def postprocessed(P: Pattern, coloring: Coloring, verify: bool | None) -> Coloring:
    """Return the coloring with −1 for colors that no entry needs; the others become 0 … k−1 in the same order."""
    with dev.using(P.indices):
        with Clock(P) as watch:
            colors = _without_unneeded(P, coloring)
        coloring.seconds += watch.seconds
        if coloring.problem in SYMMETRIC and P.m - coloring.graph.m < P.columns:
            # Also if all colors remain: another order may need fewer products than the lower bound of colorings.
            coloring.lower_bound = _lower_bound(P, coloring)
        if extremes.largest(colors) + 1 < coloring.n_colors:
            coloring = described(P, dataclasses.replace(coloring, colors=colors, verified=False))
        if not coloring.verified and is_checked(verify, coloring.graph):
            check(P, coloring)
    return coloring


def described(P: Pattern, coloring: Coloring) -> Coloring:
    """Return the coloring; with neutral vertices, set their number in its notes and a valid lower bound."""
    with dev.using(coloring.colors):
        neutral = extremes.count_true(coloring.colors < 0)
        if neutral and coloring.problem in (*SYMMETRIC, *ONE_SIDED):
            coloring.notes["uncolored"] = neutral
            coloring.lower_bound = _lower_bound(P, coloring)
    return coloring


def check(P: Pattern, coloring: Coloring) -> None:
    """Raise an error unless the products have all entries; the verifiers share no code with the algorithms."""
    if coloring.problem in SYMMETRIC and "uncolored" in coloring.notes:
        hessian.verify(P, coloring.colors, SYMMETRIC[coloring.problem])
        coloring.verified = True
        return
    coloring.verify()
    if coloring.problem in ONE_SIDED and "uncolored" in coloring.notes:
        with dev.using(P.indices):
            rows, columns = P.rows_of_entries(), P.indices
            ends = columns if coloring.problem == "columns" else rows
            bare = coloring.colors[ends] < 0
            if extremes.count_true(bare):
                e = int(bare.argmax())
                raise ColoringError(
                    f"entry ({int(rows[e])}, {int(columns[e])}) is in no product, because {coloring.problem[:-1]} "
                    f"{int(ends[e])} has no color (-1)"
                )


def _without_unneeded(P: Pattern, coloring: Coloring) -> Any:
    colors, xp = coloring.colors, P.xp
    if not P.m:
        return xp.full(len(colors), -1, np.int32)
    if coloring.problem in SYMMETRIC:
        G = coloring.graph.on(P.device)
        return colors if P.m - G.m == G.n else without_unneeded(G, colors, diagonal=_diagonal(P) if P.m > G.m else None)
    lines = P.T if coloring.problem == "columns" else P
    needed = dev.to_device(dev.used(xp.where(lines.degrees > 0, colors, np.int32(-1)), coloring.n_colors), "cpu")
    if needed.all():
        return colors
    return xp.asarray(np.where(needed, np.cumsum(needed) - 1, -1).astype(np.int32))[colors]


def _diagonal(P: Pattern) -> Any:
    """Whether each vertex has a diagonal entry: bool, shape (n,)."""
    out = P.xp.zeros(P.columns, bool)
    out[P.indices[P.rows_of_entries() == P.indices]] = True
    return out


def _lower_bound(P: Pattern, coloring: Coloring) -> int:
    """Lower bound of the number of products: unknowns over rows, or the longest line of columns or rows."""
    if coloring.problem in ONE_SIDED:
        return coloring.lower_bound if P.m else 0
    unknowns = P.m - coloring.graph.m // 2  # an entry of the graph and its mirror image are one
    return -(-unknowns // max(P.columns, 1))
