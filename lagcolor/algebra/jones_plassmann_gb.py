"""Jones–Plassmann in the paper's GraphBLAS form: the frontier takes the one least color free for all of it.

=====  ======================================================================================
w      weight of each candidate, 0 once it has a color
f      frontier: the candidates that exceed all their neighbors
b      colored neighbors of the frontier
u      their colors
taken  1 at each color in u, scattered (GxB_scatter), and at 0, which is no color
k      the least color that is not taken
c      color, from 1 on; 0 uncolored
=====  ======================================================================================

A round adds at most one color, so that there are never more colors than rounds; fewer than with a new
color per round, more than where each vertex of the frontier chooses for itself (`jones_plassmann_min`).

It ends: the weights are distinct, so that the largest left is in every frontier.

Reference: Osama, Truong, Yang, Buluç, Owens 2019, "Graph Coloring on the GPU", Algorithms 2 and 4.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semirings import gt, identity, lor_land, max_times, min, plus

from ..core.result import Log
from .adapter import in_verbs


@in_verbs("jones_plassmann_gb", 4, bound="rounds", chain=1)
def jones_plassmann_gb(A: Any, w: Any, E: Any, log: Log) -> Any:
    """Jones–Plassmann with one color for a whole frontier, the least free for all of it."""
    c = E.zeros(A.nrows)
    left, palette = A.nrows, 0
    while left:
        if log.rounds + 2 > palette:  # colors 1 … rounds + 1 can come up, and 0
            palette = 2 * log.rounds + 64
            ascending = E.from_numpy(np.arange(palette, dtype=np.int32))
            nothing = E.from_numpy((np.arange(palette) == 0).astype(np.int32))
        t = E.vxm(w, A, max_times, mask=w)  # t⟨w⟩ = wᵀ max.× A
        f = E.ewise_add(gt, w, t)  # f = w > t
        b = E.vxm(f, A, lor_land, mask=c)  # b⟨c⟩ = fᵀ ∨.∧ A
        u = E.apply(identity, c, mask=b)  # u⟨b⟩ = c
        taken = E.scatter(E.dup(nothing), u, 1)  # taken(u) = 1
        free = E.apply(identity, ascending, mask=taken, complement=True)  # free⟨¬taken⟩ = 0, 1, 2 …
        k = E.reduce(min, free)  # k = min free
        E.assign(c, k, mask=f)  # c⟨f⟩ = k
        E.assign(w, 0, mask=f)  # w⟨f⟩ = 0
        found = E.reduce(plus["int64"], f)
        log.round(active=left, colored=found, conflicts=0)
        left -= found
    return c
