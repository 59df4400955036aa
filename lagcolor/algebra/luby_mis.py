"""Luby's coloring by maximal independent sets: each color class grows until no vertex can join it.

=====  ======================================================================================
w      weight of each candidate for the color at hand, 0 for the others
r      largest weight of a candidate's neighbors; absent without neighbors
s      candidates that exceed all theirs: they join the class
t      candidates with a neighbor that joined: they cannot have this color
c      color, from 1 on; 0 uncolored
=====  ======================================================================================

With fixed weights the class is the lexicographically first maximal independent set of what is left,
hence the coloring equals sequential first-fit in the order of the weights, color for color.

It ends: the largest candidate joins in every inner round, and so each color takes at least one vertex.

Reference: Osama, Truong, Yang, Buluç, Owens 2019, "Graph Coloring on the GPU", Algorithms 2 and 3.
"""

from __future__ import annotations

from typing import Any

from semirings import gt, lor_land, max_times, plus

from ..core.result import Log
from .adapter import in_verbs


@in_verbs("luby_mis", "3", bound="Δ+1", oracle="first_fit", chain=1, maximal=True, instead="jones_plassmann")
def luby_mis(A: Any, p: Any, E: Any, log: Log) -> Any:
    """Luby's maximal independent sets, one per color: sequential first-fit in parallel."""
    c = E.zeros(A.nrows)
    left, k = A.nrows, 0
    while left:  # some vertex is uncolored: open color k
        k += 1
        w = E.where(c, 0, p)  # w = p where c = 0
        while E.any(w):
            r = E.vxm(w, A, max_times, mask=w)  # r⟨w⟩ = wᵀ max.× A
            s = E.ewise_add(gt, w, r)  # s = w > r
            E.assign(c, k, mask=s)  # c⟨s⟩ = k
            E.assign(w, 0, mask=s)  # w⟨s⟩ = 0
            t = E.vxm(s, A, lor_land, mask=w)  # t⟨w⟩ = sᵀ ∨.∧ A
            E.assign(w, 0, mask=t)  # w⟨t⟩ = 0
            found = E.reduce(plus["int64"], s)
            log.round(active=left, colored=found, conflicts=0)
            left -= found
    return c
