"""Hash coloring: vertices propose neighbours, these try a color that their hash table does not forbid, conflicts give way.

==========  ==============================================================================================
p           priorities, a permutation (the paper's random numbers R, without ties)
sequence    the vertices by falling p
colors      final colors, −1 while there is none (C)
chosen      last round k (from 1 on) in which somebody proposed a vertex
trial       color that a chosen vertex tries
table       `size` slots a vertex (H): slot c mod size holds the least forbidden color c that came there
floor       every color below it is forbidden; the table only has those from it on
==========  ==============================================================================================

A round: every uncolored vertex proposes, of the uncolored ones in its closed neighbourhood, that of the greatest and that
of the least priority. Each proposed vertex tries the least color that neither floor nor table forbids. It takes it
unless a neighbour has it already, or tries it too and has the greater priority. Winners tell their neighbours'
tables; a vertex that met a final color, which its table had forgotten, moves its floor past it and fills its table anew.

Conflict resolution ends: of the uncolored vertices the one w of greatest priority proposes itself, and loses only to
a final color; then its floor rises. All colors below a floor, and all in a table, are those of neighbours: hence w's color
is at most its degree, it has one after at most degree + 1 rounds, and no color is used before those below it.

Beyond the paper: colors in reuse are tried in order, not a new one each round, which gives first-fit's bound of Δ+1; and
nothing depends on who is first: trials are compared by priority, and slots keep the least color.

Reference: Osama, Truong, Yang, Buluç, Owens 2019, "Graph Coloring on the GPU", Algorithm 6.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import semirings

from ..errors import OptionError
from ..graph import Graph
from ..priorities import Priorities
from ..registry import coloring
from ..result import Log
from .gunrock_is import uncolored
from .operators import Frontier, Operators, functor, least, on, store
from .rounds import BALANCE, PAPER, until_empty

SIZE = 8  # 32 bytes, one sector of memory; 4 to 64 give the same number of colors within one
EMPTY = np.iinfo(np.int32).max
LOW = 2**32 - 1
LOST_TO_TRIAL, LOST_TO_FINAL = 1, 2

# Two maxima at once: p + 1 in the high half and n - p in the low half of 64 bits; 0 for nobody.
HALVES = semirings.binary_op(
    "max_of_halves",
    "ops::max(x >> 32, y >> 32) << 32 | ops::max(x & 0xffffffffLL, y & 0xffffffffLL)",
    lambda x, y: max(x >> 32, y >> 32) << 32 | max(x & LOW, y & LOW),
    types=(np.int64,),
)
EXTREMES = semirings.monoid(HALVES, 0)["int64"]
WORST = semirings.monoid(semirings.BINARY["max"], 0, LOST_TO_FINAL)["int32"]


@functor("return colors[u] < 0 ? (long long)(p[u] + 1) << 32 | (n - p[u]) : 0;")
def extremes(v: Any, u: Any, e: Any, p: Any, colors: Any, n: Any) -> Any:
    """Priority of an uncolored neighbour, for the greatest and the least."""
    return np.int64(p[u] + 1) << 32 | (n - p[u]) if colors[u] < 0 else 0


@functor(
    """
    long long high = ops::max(x >> 32, (long long)p[v] + 1), low = ops::max(x & 0xffffffffLL, n - p[v]);
    store(chosen, sequence[n - high], k);
    store(chosen, sequence[low - 1], k);
    return false;
    """
)
def propose(v: Any, x: Any, p: Any, sequence: Any, chosen: Any, n: Any, k: Any) -> Any:
    """Choose greatest and least of the closed neighbourhood."""
    high, low = max(x >> 32, p[v] + 1), max(x & LOW, n - p[v])
    store(chosen, sequence[n - high], k)
    store(chosen, sequence[low - 1], k)
    return False


@functor(
    """
    if (chosen[v] != k) return false;
    int c = floor[v];
    while (table[v * size + c % size] == c) c++;
    trial[v] = c;
    return true;
    """
)
def attempt(v: Any, chosen: Any, k: Any, floor: Any, table: Any, size: Any, trial: Any) -> Any:
    """A chosen vertex tries the least color that is not forbidden."""
    if chosen[v] != k:
        return False
    c = floor[v]
    while table[v * size + c % size] == c:
        c += 1
    trial[v] = c
    return True


@functor(
    """
    if (chosen[u] == k) return trial[u] == trial[v] && p[u] > p[v] ? 1 : 0;
    return colors[u] == trial[v] ? 2 : 0;
    """
)
def clash(v: Any, u: Any, e: Any, p: Any, colors: Any, chosen: Any, trial: Any, k: Any) -> Any:
    """Whether v loses to u, and how. Of a u that was chosen too, only its trial counts: its color may just be set."""
    if chosen[u] == k:
        return LOST_TO_TRIAL if trial[u] == trial[v] and p[u] > p[v] else 0
    return LOST_TO_FINAL if colors[u] == trial[v] else 0


@functor(
    """
    if (x == 0) colors[v] = trial[v];
    if (x != 2) return false;
    floor[v] = trial[v] + 1;
    for (int i = 0; i < size; i++) table[v * size + i] = 0x7fffffff;
    return true;
    """
)
def resolve(v: Any, x: Any, colors: Any, trial: Any, floor: Any, table: Any, size: Any) -> Any:
    """The winner's color is final; who lost to a final color starts over from the next one."""
    if x == 0:
        colors[v] = trial[v]
    if x != LOST_TO_FINAL:
        return False
    floor[v] = trial[v] + 1
    for i in range(size):
        table[v * size + i] = EMPTY
    return True


@functor("int c = colors[u]; if (c >= floor[v]) least(table, v * size + c % size, c);")
def gather(v: Any, u: Any, e: Any, colors: Any, floor: Any, table: Any, size: Any) -> None:
    """Hash generation for v from a neighbour's color."""
    c = colors[u]
    if c >= floor[v]:
        least(table, v * size + c % size, c)


@functor("int c = colors[v]; if (colors[u] < 0 && c >= floor[u]) least(table, u * size + c % size, c);")
def spread(v: Any, u: Any, e: Any, colors: Any, floor: Any, table: Any, size: Any) -> None:
    """Hash generation for a neighbour from v's new color."""
    c = colors[v]
    if colors[u] < 0 and c >= floor[u]:
        least(table, u * size + c % size, c)


@functor("return colors[v] >= 0;")
def colored(v: Any, colors: Any) -> Any:
    return colors[v] >= 0


@coloring(
    "gunrock_hash",
    style="frontier",
    paper=f"{PAPER} 6",
    engines=("cpu", "cuda"),
    bound="Δ+1",
    oracle=None,
    deterministic=True,
    order="random",
    seed=0,
    needs="p",
    options={
        "table": f"slots of a vertex's hash table of forbidden colors; default {SIZE}",
        "balance": BALANCE,
    },
)
def gunrock_hash(G: Graph, p: Priorities, log: Log, table: int = SIZE, balance: str = "auto") -> Any:
    """Speculative coloring of proposed neighbours, with a hash table of forbidden colors a vertex."""
    if isinstance(table, bool) or not isinstance(table, int) or table < 1:
        raise OptionError(f"table must be a whole number of slots from 1 on, not {table!r}")
    return color_by_hash(on(G), p.p, p.sequence, log, table, balance)


def color_by_hash(ops: Operators, p: Any, sequence: Any, log: Log, size: int, balance: str) -> Any:
    """The colors, in the operators of any engine."""
    n, xp = ops.G.n, ops.xp
    colors, chosen, trial, floor = xp.full(n, -1, np.int32), *(xp.zeros(n, np.int32) for _ in range(3))
    table = xp.full(n * size, EMPTY, np.int32)
    cursor = xp.zeros(n, np.int32)
    hashed = {"colors": colors, "floor": floor, "table": table, "size": size}
    spreading = {"out": None, "balance": balance, **hashed}

    def step(k: int, F: Frontier) -> tuple[Frontier, tuple[Frontier, ...]]:
        round_ = {"chosen": chosen, "k": k + 1, "p": p}
        proposing = {"sequence": sequence, "colors": colors, "n": n, "cursor": cursor, "balance": balance}
        ops.neighbor_reduce(F, extremes, EXTREMES, propose, **proposing, **round_)
        tried = ops.filter(F, attempt, floor=floor, table=table, size=size, trial=trial, chosen=chosen, k=k + 1)
        forgotten = ops.neighbor_reduce(tried, clash, WORST, resolve, trial=trial, balance=balance, **hashed, **round_)
        ops.advance(forgotten, gather, **spreading)
        won = ops.filter(tried, colored, colors=colors)
        ops.advance(won, spread, **spreading)
        return ops.filter(F, uncolored, colors=colors), (tried, won)

    until_empty(ops, ops.all(), log, step)
    return colors
