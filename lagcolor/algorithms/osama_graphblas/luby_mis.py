"""Luby's coloring by maximal independent sets: each color class grows until no vertex can join it.

========  ===================================================================================
weight    weight of each candidate for the current color, 0 for other vertices
max       largest weight of a candidate's neighbors; absent without neighbors
frontier  candidates whose weight exceeds max; they join the class
nbr       candidates with a neighbor in the frontier, which cannot take the color
color     current color
C         color of each vertex, from 1 on; 0 uncolored
========  ===================================================================================

With fixed weights the class is the lexicographically first maximal independent set of the uncolored vertices. The
colors therefore equal sequential first-fit in the order of the weights.

It ends: the largest candidate joins the class in every inner round, so each color colors at least one vertex.

Reference: Osama, Truong, Yang, Buluç, Owens 2019, "Graph Coloring on the GPU", Algorithms 2 and 3.
"""

from __future__ import annotations

from typing import Any

from semirings import gt, lor_land, max_times, plus

from ...base.log import Log
from .adapter import in_verbs


@in_verbs("luby_mis", "3", bound="Δ+1", oracle="first_fit")
def luby_mis(A: Any, first: Any, E: Any, log: Log) -> Any:
    """Luby's maximal independent sets, one per color: sequential first-fit in parallel."""
    C = E.zeros(A.nrows)
    left, color = A.nrows, 0
    while left:  # each iteration adds a color
        color += 1
        weight = E.where(C, 0, first)  # weight = initial weights where C = 0
        while E.any(weight):
            max = E.vxm(weight, A, max_times, mask=weight)  # max⟨weight⟩ = weightᵀ max.× A
            frontier = E.ewise_add(gt, weight, max)  # frontier = weight > max
            E.assign(C, color, mask=frontier)  # C⟨frontier⟩ = color
            E.assign(weight, 0, mask=frontier)  # weight⟨frontier⟩ = 0
            nbr = E.vxm(frontier, A, lor_land, mask=weight)  # nbr⟨weight⟩ = frontierᵀ ∨.∧ A
            E.assign(weight, 0, mask=nbr)  # weight⟨nbr⟩ = 0
            found = E.reduce(plus["int64"], frontier)
            log.round(active=left, colored=found, conflicts=0)
            left -= found
    return C
