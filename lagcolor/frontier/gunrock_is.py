"""Independent sets by comparison with all neighbours: local maxima take one color, local minima another.

==========  ==============================================================================
R           the paper's random numbers: priorities, a permutation, hence without ties
C           colors, −1 while there is none
k           first color of the round: of the maxima; k + 1 is that of the minima
==========  ==============================================================================

A compute operator runs on all vertices each round. One thread walks all neighbours of an uncolored vertex in a loop.
A neighbour that takes its color in the same round counts as uncolored, whoever is first, so that the colors do not
depend on the schedule. A vertex that is a maximum and a minimum takes the second color, as the paper's last line has
it. The gaps that this can leave are closed at the end.

Progress: of the uncolored vertices the one of greatest priority has no larger neighbour, and is colored.

`atomics` is the paper's first version: a compute operator counts the colored vertices by atomics, and the host waits
for the count after every round. Otherwise a vertex that stays uncolored stores a flag. The paper does not say how its
version without atomics ends.

`reduce` is not the paper's. The walk is a neighbor_reduce of the vertices that are left, whose value is LARGER or
SMALLER for each neighbour without a color, in the monoid "or". It stops as soon as both are found, a cursor skips
leading neighbours that have colors, and hubs are spread over warps and blocks. One array holds −1 − R or the color.
The colors are the same.

With `min_max=False` the colors are those of `luby_is`.

Reference: Osama, Truong, Yang, Buluç, Owens 2019, "Graph Coloring on the GPU", Algorithm 5.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import semirings

from ..core.errors import OptionError
from ..core.graph import Graph
from ..core.options import choice, flag
from ..core.registry import coloring
from ..core.result import Log
from ..orders import Priorities
from .operators import BALANCES, Frontier, Operators, functor, load, on, store
from .rounds import BALANCE, PAPER, close_gaps, rounds_ahead, uncolored_in_order, until_colored, until_empty

SMALLER, LARGER = 1, 2
FIRST = 8  # rounds of `reduce` before the host looks; 2-D meshes need no more
EITHER = semirings.monoid(semirings.BINARY["bor"], 0, SMALLER | LARGER)["uint32"]
EXISTS = semirings.monoid(semirings.BINARY["bor"], 0, 1)["uint32"]

# ---- as the paper has it: a compute operator with a loop --------------------------------------------


@functor(
    """
    if (C[v] >= 0) return;
    bool colormax = true, colormin = true;
    for (long long e = indptr[v]; e < indptr[v + 1]; e++) {
        int u = indices[e], c = load(C, u);
        if (c >= 0 && c != k && c != k + 1) continue;
        if (R[v] <= R[u]) colormax = false;
        if (R[v] >= R[u]) colormin = false;
    }
    if (colormin) store(C, v, k + 1);
    else if (colormax) store(C, v, k);
    else store(left, i, 1);
    """
)
def color_both(v: Any, C: Any, R: Any, indptr: Any, indices: Any, k: Any, left: Any, i: Any) -> None:
    """ColorOp: a maximum takes color k, a minimum k + 1."""
    if C[v] >= 0:
        return
    colormax = colormin = True
    for e in range(indptr[v], indptr[v + 1]):
        u = indices[e]
        c = load(C, u)
        if c >= 0 and c != k and c != k + 1:
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


@functor(
    """
    if (C[v] >= 0) return;
    bool colormax = true;
    for (long long e = indptr[v]; e < indptr[v + 1]; e++) {
        int u = indices[e], c = load(C, u);
        if (c >= 0 && c != k) continue;
        if (R[v] <= R[u]) colormax = false;
    }
    if (colormax) store(C, v, k);
    else store(left, i, 1);
    """
)
def color_largest(v: Any, C: Any, R: Any, indptr: Any, indices: Any, k: Any, left: Any, i: Any) -> None:
    """ColorOp without minima."""
    if C[v] >= 0:
        return
    colormax = True
    for e in range(indptr[v], indptr[v + 1]):
        u = indices[e]
        c = load(C, u)
        if c >= 0 and c != k:
            continue
        if R[v] <= R[u]:
            colormax = False
    if colormax:
        store(C, v, k)
    else:
        store(left, i, 1)


def color_sets(ops: Operators, R: Any, log: Log, min_max: bool, atomics: bool) -> Any:
    """The colors, in the operators of any engine."""
    G, C = ops.G, ops.xp.full(ops.G.n, -1, np.int32)
    color, sets = (color_both, 2) if min_max else (color_largest, 1)

    def step(k: int, left: Any, i: int) -> None:
        ops.compute(ops.all(), color, C=C, R=R, indptr=G.indptr, indices=G.indices, k=sets * k, left=left, i=i)

    rounds = until_colored(ops, C, log, step, counts=atomics)
    if min_max:
        close_gaps(ops, C, sets * rounds)
    return C


# ---- reduce: the loop as a neighbor_reduce ------------------------------------------------------------


@functor("int own = colors[v], c = load(colors, u); return (unsigned)c < (unsigned)k ? 0 : 1 + (c == k | c < own);")
def side(v: Any, u: Any, e: Any, colors: Any, k: Any) -> Any:
    """On which side of v an uncolored neighbour is; 0 for a colored one."""
    c = load(colors, u)
    return 0 if 0 <= c < k else LARGER if c == k or c < colors[v] else SMALLER


@functor("int own = colors[v], c = load(colors, u); return c == k | c < own;")
def larger(v: Any, u: Any, e: Any, colors: Any, k: Any) -> Any:
    """Whether u is an uncolored neighbour of greater priority."""
    c = load(colors, u)
    return 1 if c == k or c < colors[v] else 0


@functor(
    """
    if ((x & 1) == 0) store(colors, v, k + 1);
    else if ((x & 2) == 0) store(colors, v, k);
    else return true;
    return false;
    """
)
def settle_both(v: Any, x: Any, colors: Any, k: Any) -> Any:
    """Color a minimum or a maximum; whether v stays."""
    if (x & SMALLER) == 0:
        store(colors, v, k + 1)
    elif (x & LARGER) == 0:
        store(colors, v, k)
    else:
        return True
    return False


@functor("if (x == 0) store(colors, v, k); return x != 0;")
def settle_largest(v: Any, x: Any, colors: Any, k: Any) -> Any:
    """Color a maximum; whether v stays."""
    if x == 0:
        store(colors, v, k)
    return x != 0


def color_sets_reduced(ops: Operators, p: Any, log: Log, min_max: bool, balance: str) -> Any:
    """The same colors, from neighbor_reduce with a cursor for each side."""
    n = ops.G.n
    colors = uncolored_in_order(p)
    value, monoid, then, sets = (side, EITHER, settle_both, 2) if min_max else (larger, EXISTS, settle_largest, 1)
    shared = {"cursor": ops.xp.zeros((sets, n), np.int32), "balance": balance, "colors": colors}

    def step(k: int, F: Frontier) -> Frontier:
        return ops.neighbor_reduce(F, value, monoid, then, k=sets * k, **shared)

    def several(k: int, F: Frontier, most: int) -> tuple[Frontier, list[int]]:
        return ops.repeat(F, value, monoid, then, rounds=most, counter=("k", sets), k=sets * k, **shared)

    # Rounds that share a launch have no time of their own.
    rounds = until_empty(ops, ops.all(), log, step) if log.trace else repeat_until_empty(ops.all(), log, several)
    if min_max:
        close_gaps(ops, colors, sets * rounds)
    return colors


def repeat_until_empty(F: Frontier, log: Log, several: Callable[[int, Frontier, int], Any]) -> int:
    """Call ``F, sizes = several(k, F, most)``, up to `most` rounds from k on, until F is empty; the rounds."""
    k, left, most = 0, F.bound, FIRST
    while left:
        F, sizes = several(k, F, most)
        for size in sizes:
            before, left = left, size
            log.round()  # for their number: a trace is kept by until_empty
        k += len(sizes)
        most = rounds_ahead(before, left)
    return k


@coloring(
    "gunrock_is",
    style="frontier",
    paper=f"{PAPER} 5",
    bound="2 a round",
    passes=True,
    chain=2,
    order="random",
    seed=0,
    needs="p",
    options={
        "min_max": "two sets a round, maxima and minima (default); False: maxima only",
        "atomics": "count colored vertices by atomics after every round",
        "reduce": "beyond the paper: neighbor_reduce with cursors in place of a loop per vertex; the same colors",
        "load_balance": f"with reduce: {BALANCE}",
    },
)
def gunrock_is(
    G: Graph, p: Priorities, log: Log, min_max: bool = True, atomics: bool = False, reduce: bool = False,
    load_balance: str = "auto",
) -> Any:  # fmt: skip
    """Independent sets in a compute operator: local maxima and minima of each round."""
    min_max, atomics, reduce = flag("min_max", min_max), flag("atomics", atomics), flag("reduce", reduce)
    balance = choice("load_balance", load_balance, BALANCES)
    if atomics and reduce:
        raise OptionError("colors are counted by atomics in the loop over all vertices alone: leave out reduce=True")
    if balance != "auto" and not reduce:
        raise OptionError("one thread loops over the neighbors of each vertex: to balance the load, pass reduce=True")
    if reduce:
        return color_sets_reduced(on(G), p.p, log, min_max, balance)
    return color_sets(on(G), p.p, log, min_max, atomics)
