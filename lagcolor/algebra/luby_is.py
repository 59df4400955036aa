"""Luby's coloring by independent sets: every round the local maxima of the weights take a new color.

=====  ======================================================================================
w      weight of each candidate, 0 once it has a color
t      largest weight beside a candidate; absent without neighbours
f      frontier: the candidates that exceed all theirs, an independent set
c      color, from 1 on; 0 uncolored
=====  ======================================================================================

It ends: the weights are distinct, so that the largest left is in every frontier. An isolated vertex has
no entry in t and is in the first frontier, as the union of ewise_add wants it.

The paper reads all rows each round; here the mask skips those of colored vertices.

Reference: Osama, Truong, Yang, Buluç, Owens 2019, "Graph Coloring on the GPU", Algorithm 2.
"""

from __future__ import annotations

from typing import Any

from semirings import gt, max, max_times, plus

from ..result import Log
from .adapter import asks_after, in_verbs


@in_verbs("luby_is", 2, bound="rounds", chain=1, instead="jpl")
def luby_is(A: Any, w: Any, E: Any, log: Log) -> Any:
    """Luby's independent sets: a new color per round for all local maxima."""
    c = E.zeros(A.nrows)
    left, k = A.nrows, 0
    while left:
        k += 1
        t = E.vxm(w, A, max_times, mask=w)  # t⟨w⟩ = wᵀ max.× A
        f = E.ewise_add(gt, w, t)  # f = w > t
        E.assign(c, k, mask=f)  # c⟨f⟩ = k
        E.assign(w, 0, mask=f)  # w⟨f⟩ = 0
        if log.trace:
            found = E.reduce(plus["int64"], f)  # found = Σ f
            log.round(active=left, colored=found, conflicts=0)
            left -= found
        elif asks_after(k, E):  # rounds after the last find no candidate, and color no vertex
            left = E.any(w)
    log.rounds = E.reduce(max, c)
    return c
