"""Neutral colors of a compression: those that no entry needs are in no product, and all entries are still recovered.

A bicoloring loses them in `engines.two_colored`, since its problem allows neutral colors. Star and acyclic
colorings lose them here, where the entries of the diagonal are known; colors of columns and rows where these are empty.
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
    """The coloring with −1 for colors that no entry needs, and the others renamed 0 … k−1 in the same order."""
    if coloring.problem not in (*SYMMETRIC, *ONE_SIDED):
        return coloring
    with dev.using(P.indices):
        with Clock(P) as watch:
            colors = _without_unneeded(P, coloring)
        coloring.seconds += watch.seconds
        if coloring.problem in SYMMETRIC and P.m - coloring.graph.m < P.columns:
            # Also where all colors stay: another order may do with fewer products than its bound as a coloring.
            coloring.lower_bound = _lower_bound(P, coloring)
        if extremes.largest(colors) + 1 < coloring.n_colors:
            coloring = described(P, dataclasses.replace(coloring, colors=colors, verified=False))
        if not coloring.verified and is_checked(verify, coloring.graph):
            check(P, coloring)
    return coloring


def described(P: Pattern, coloring: Coloring) -> Coloring:
    """The coloring itself; with neutral vertices, with their number in its notes and a bound that holds for it."""
    with dev.using(coloring.colors):
        neutral = extremes.count_true(coloring.colors < 0)
        if neutral and coloring.problem in (*SYMMETRIC, *ONE_SIDED):
            coloring.notes["uncolored"] = neutral
            coloring.lower_bound = _lower_bound(P, coloring)
    return coloring


def check(P: Pattern, coloring: Coloring) -> None:
    """An error unless the products have all entries; by verifiers that share no code with any algorithm."""
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
                    f"entry ({int(rows[e])}, {int(columns[e])}) is in no product, for {coloring.problem[:-1]} "
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
    """Which vertices have an entry on the diagonal: bool, shape (n,)."""
    out = P.xp.zeros(P.columns, bool)
    out[P.indices[P.rows_of_entries() == P.indices]] = True
    return out


def _lower_bound(P: Pattern, coloring: Coloring) -> int:
    """As many products as there are unknowns for; of columns and rows, the longest line."""
    if coloring.problem in ONE_SIDED:
        return coloring.lower_bound if P.m else 0
    unknowns = P.m - coloring.graph.m // 2  # an entry of the graph and its mirror image are one
    return -(-unknowns // max(P.columns, 1))
