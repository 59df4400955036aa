"""Independent sets by comparison with all neighbors: local maxima take one color, local minima another.

==========  ==============================================================================
R           the paper's random numbers: priorities, a permutation, hence without ties
C           colors, −1 while there is none
k           first color of the round: of the maxima; k + 1 is for the minima
==========  ==============================================================================

A compute operator runs on all vertices each round. One thread walks all neighbors of an uncolored vertex in a loop. A
neighbor that takes its color in the same round counts as uncolored, in any order of execution, so that the colors do
not depend on the schedule. A vertex that is a maximum and a minimum takes the second color, as the paper's last line
has it. The gaps that this can leave are closed at the end.

Progress: of the uncolored vertices the one of greatest priority has no larger neighbor, and is colored.

`atomics` is the paper's first version: a compute operator counts the colored vertices by atomics, and the host waits
for the count after every round. Otherwise a vertex that stays uncolored stores a flag. The paper does not say how its
version without atomics ends.

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
    """ColorOp: a maximum takes color k; a minimum takes k + 1, where there are two sets."""
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
    """The colors, in the operators of any engine."""
    C, sets = ops.xp.full(ops.G.n, -1, np.int32), 1 + min_max
    given = {"C": C, "R": R, "indptr": ops.G.indptr, "indices": ops.G.indices, "sets": sets}

    def step(k: int, left: Any, i: int) -> None:
        ops.compute(ops.all(), color_op, **given, k=sets * k, left=left, i=i)

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
        "min_max": "two sets a round, maxima and minima (default); False: maxima only",
        "atomics": "count colored vertices by atomics after every round",
    },
)
def gunrock_is(G: Graph, p: Priorities, log: Log, min_max: bool = True, atomics: bool = False) -> Any:
    """Independent sets in a compute operator: local maxima and minima of each round."""
    return color_sets(on(G), p.p, log, flag("min_max", min_max), flag("atomics", atomics))
