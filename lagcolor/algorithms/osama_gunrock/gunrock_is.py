"""Independent sets by comparison with all neighbors: local maxima take one color, local minima another.

==========  ==============================================================================
R           the paper's random numbers: priorities, a permutation, so without ties
C           colors, −1 while uncolored
k           color of the maxima of a round; k + 1 is the color of its minima
==========  ==============================================================================

A compute operator runs on all vertices in each round. One thread reads all neighbors of an uncolored vertex in a loop.
A neighbor that takes its color in the same round counts as uncolored, so the colors do not depend on the schedule. A
vertex that is a maximum and a minimum takes the second color, as in the last line of the paper's listing. The final
colors are renumbered without the gaps that this can leave.

Progress: the uncolored vertex of greatest priority has no larger uncolored neighbor, and is colored.

`atomics` selects the paper's first version: a compute operator counts the colored vertices by atomics, and the host
waits for the count after every round. By default a vertex that stays uncolored stores a flag. The paper does not
specify how its version without atomics ends.

With `min_max=False` the colors equal `luby_is`.

Reference: Osama, Truong, Yang, Buluç, Owens 2019, "Graph Coloring on the GPU", Algorithm 5.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.log import Log
from ...base.options import flag
from ...frontier.operators import Operators, functor, load, on, store
from ...graph.graph import Graph
from ...orders import Priorities
from ...problems.registry import coloring
from .enactor import PAPER, close_gaps, until_colored


@functor(
    """
    if (C[v] >= 0) return;
    bool colormax = true, colormin = sets == 2;
    for (long long e = indptr[v]; e < indptr[v + 1]; e++) {
        int u = indices[e], c = load(C, u);
        if (c >= 0 && c < k) continue;
        if (R[v] <= R[u]) colormax = false;
        if (R[v] >= R[u]) colormin = false;
    }
    if (colormin) store(C, v, k + 1);
    else if (colormax) store(C, v, k);
    else store(left, i, 1);
    """
)
def color_op(v: Any, C: Any, R: Any, indptr: Any, indices: Any, k: Any, sets: Any, left: Any, i: Any) -> None:
    """ColorOp: a maximum takes color k; with two sets, a minimum takes k + 1."""
    if C[v] >= 0:
        return
    colormax, colormin = True, sets == 2
    for e in range(indptr[v], indptr[v + 1]):
        u = indices[e]
        c = load(C, u)
        if c >= 0 and c < k:  # of an earlier round
            continue
        if R[v] <= R[u]:
            colormax = False
        if R[v] >= R[u]:
            colormin = False
    if colormin:
        store(C, v, k + 1)
    elif colormax:
        store(C, v, k)
    else:
        store(left, i, 1)


def color_sets(ops: Operators, R: Any, log: Log, min_max: bool, atomics: bool) -> Any:
    """Color with the operators of an engine; `R` are priorities."""
    C, sets = ops.xp.full(ops.G.n, -1, np.int32), 1 + min_max
    arrays = {"C": C, "R": R, "indptr": ops.G.indptr, "indices": ops.G.indices, "sets": sets}

    def step(k: int, left: Any, i: int) -> None:
        ops.compute(ops.all(), color_op, **arrays, k=sets * k, left=left, i=i)

    rounds = until_colored(ops, C, log, step, counts=atomics)
    if min_max:
        close_gaps(ops, C, sets * rounds)
    return C


@coloring(
    "gunrock_is",
    style="frontier",
    paper=f"{PAPER} 5",
    bound="2 a round",
    passes=True,
    order="random",
    seed=0,
    needs="p",
    options={
        "min_max": "a round colors maxima and minima (default); False: only maxima",
        "atomics": "True: count colored vertices by atomics after every round; default False",
    },
)
def gunrock_is(G: Graph, p: Priorities, log: Log, min_max: bool = True, atomics: bool = False) -> Any:
    """Independent sets in a compute operator: local maxima and minima of each round take a color each."""
    return color_sets(on(G), p.p, log, flag("min_max", min_max), flag("atomics", atomics))
