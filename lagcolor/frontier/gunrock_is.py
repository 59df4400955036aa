"""Independent sets by comparison with all neighbours: local maxima take one color, local minima another.

==========  ==============================================================================
p           priorities, a permutation (the paper's random numbers R, without ties)
colors      −1 − p while uncolored (C): one array holds all that is needed of a neighbour
k           first color of the round: of the maxima; k + 1 is that of the minima
cursor      for each side, leading neighbours that have colors or are not there: looked at no more
==========  ==============================================================================

The paper's compute operator has one thread walk all neighbours of a vertex. Here the walk is a neighbor_reduce
whose value is LARGER or SMALLER for each neighbour without a color, in the monoid "or"; it stops as soon as
both are found, and hubs are spread over warps and blocks. A neighbour that takes its color in the same
round counts as uncolored, whoever is first, so that the colors do not depend on the schedule: its color says whether it
is a maximum, hence larger, or a minimum.

Progress: of the uncolored vertices the one of greatest priority has no larger neighbour, and is colored.

`atomics` is the paper's first version: no frontier is kept, but found anew each round, and a compute
operator counts the colored vertices by atomics for the host, which waits every round.

With `min_max=False` the colors are those of `luby_is`. A round may have no minima (a vertex that is both takes the
first color); the gaps are closed at the end.

Reference: Osama, Truong, Yang, Buluç, Owens 2019, "Graph Coloring on the GPU", Algorithm 5.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import semirings

from ..graph import Graph
from ..options import choice, flag
from ..orders import Priorities
from ..registry import coloring
from ..result import Log
from .operators import BALANCES, Frontier, Operators, add, functor, load, on, store
from .rounds import BALANCE, PAPER, close_gaps, rounds_ahead, uncolored, uncolored_in_order, until_empty

SMALLER, LARGER = 1, 2
FIRST = 8  # rounds before the host looks; 2-D meshes need no more
EITHER = semirings.monoid(semirings.BINARY["bor"], 0, SMALLER | LARGER)["uint32"]
EXISTS = semirings.monoid(semirings.BINARY["bor"], 0, 1)["uint32"]


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
    if ((x & 2) == 0) store(colors, v, k);
    else if ((x & 1) == 0) store(colors, v, k + 1);
    else return true;
    return false;
    """
)
def settle_both(v: Any, x: Any, colors: Any, k: Any) -> Any:
    """Color a maximum or a minimum; whether v stays."""
    if (x & LARGER) == 0:
        store(colors, v, k)
    elif (x & SMALLER) == 0:
        store(colors, v, k + 1)
    else:
        return True
    return False


@functor("if (x == 0) store(colors, v, k); return x != 0;")
def settle_largest(v: Any, x: Any, colors: Any, k: Any) -> Any:
    """Color a maximum; whether v stays."""
    if x == 0:
        store(colors, v, k)
    return x != 0


@functor("if (colors[v] >= 0) add(count, 0, 1);")
def count_colored(v: Any, colors: Any, count: Any) -> None:
    if colors[v] >= 0:
        add(count, 0, 1)


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
        "atomics": "count colored vertices by atomics after every round, and keep no frontier",
        "load_balance": BALANCE,
    },
)
def gunrock_is(
    G: Graph, p: Priorities, log: Log, min_max: bool = True, atomics: bool = False, load_balance: str = "auto"
) -> Any:
    """Independent sets in frontier operators: local maxima and minima of each round."""
    return color_sets(
        on(G),
        p.p,
        log,
        flag("min_max", min_max),
        flag("atomics", atomics),
        choice("load_balance", load_balance, BALANCES),
    )


def color_sets(ops: Operators, p: Any, log: Log, min_max: bool, atomics: bool, balance: str) -> Any:
    """The colors, in the operators of any engine."""
    n = ops.G.n
    colors = uncolored_in_order(p)
    value, monoid, then, sets = (side, EITHER, settle_both, 2) if min_max else (larger, EXISTS, settle_largest, 1)
    shared = {"cursor": ops.xp.zeros((sets, n), np.int32), "balance": balance, "colors": colors}

    def step(k: int, F: Frontier) -> tuple[Frontier, tuple[Frontier, ...]]:
        return ops.neighbor_reduce(F, value, monoid, then, k=sets * k, **shared), ()

    def several(k: int, F: Frontier, most: int) -> tuple[Frontier, list[int]]:
        return ops.repeat(F, value, monoid, then, rounds=most, counter=("k", sets), k=sets * k, **shared)

    if atomics:
        rounds = count_every_round(ops, colors, log, step)
    elif log.trace:  # rounds that share a launch have no time of their own
        rounds = until_empty(ops, ops.all(), log, step)
    else:
        rounds = repeat_until_empty(ops.all(), log, several)
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


def count_every_round(ops: Operators, colors: Any, log: Log, step: Any) -> int:
    """The rounds of `step`, each from all vertices, until the count of colored ones is n."""
    n, k, done = ops.G.n, 0, 0
    count = ops.xp.zeros(1, np.int32)
    while done < n:
        step(k, ops.filter(ops.all(), uncolored, colors=colors))
        count.fill(0)
        ops.compute(ops.all(), count_colored, colors=colors, count=count)
        before, done = done, int(count[0])
        log.round(active=n - before, colored=done - before, conflicts=0)
        k += 1
    return k
