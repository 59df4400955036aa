"""Jones–Plassmann in the paper's GraphBLAS form: the frontier takes the one least color free for all of it.

========  ===================================================================================
weight    weight of each candidate, 0 once it has a color
max       largest weight of a candidate's neighbors; absent without neighbors
frontier  candidates whose weight exceeds max
nbr       colored neighbors of the frontier
n         colors of nbr
colors    1 at each color in n, scattered (GxB_scatter), and at 0, which is no color
color     least color that is 0 in colors
C         color of each vertex, from 1 on; 0 uncolored
========  ===================================================================================

A round adds at most one color. This gives fewer colors than a new color per round, and more than `jones_plassmann_min`,
in which each vertex of the frontier chooses its own color.

It ends: weights are distinct, so every frontier has the candidate of largest weight.

Reference: Osama, Truong, Yang, Buluç, Owens 2019, "Graph Coloring on the GPU", Algorithms 2 and 4.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semirings import gt, identity, lor_land, max_times, min, plus

from ...base.log import Log
from .adapter import in_verbs


@in_verbs("jones_plassmann_gb", 4, bound="rounds")
def jones_plassmann_gb(A: Any, weight: Any, E: Any, log: Log) -> Any:
    """Jones–Plassmann with one color per frontier, the least that is free for all its vertices."""
    C = E.zeros(A.nrows)
    left, palette = A.nrows, 0
    while left:
        if log.rounds + 2 > palette:  # entries for 0 and the possible colors 1 … rounds + 1
            palette = 2 * log.rounds + 64
            ascending = E.from_numpy(np.arange(palette, dtype=np.int32))
            nothing = E.from_numpy((np.arange(palette) == 0).astype(np.int32))
        max = E.vxm(weight, A, max_times, mask=weight)  # max⟨weight⟩ = weightᵀ max.× A
        frontier = E.ewise_add(gt, weight, max)  # frontier = weight > max
        nbr = E.vxm(frontier, A, lor_land, mask=C)  # nbr⟨C⟩ = frontierᵀ ∨.∧ A
        n = E.apply(identity, C, mask=nbr)  # n⟨nbr⟩ = C
        colors = E.scatter(E.dup(nothing), n, 1)  # colors(n) = 1
        free = E.apply(identity, ascending, mask=colors, complement=True)  # free⟨¬colors⟩ = 0, 1, 2 …
        color = E.reduce(min, free)  # color = min free
        E.assign(C, color, mask=frontier)  # C⟨frontier⟩ = color
        E.assign(weight, 0, mask=frontier)  # weight⟨frontier⟩ = 0
        found = E.reduce(plus["int64"], frontier)
        log.round(active=left, colored=found, conflicts=0)
        left -= found
    return C
