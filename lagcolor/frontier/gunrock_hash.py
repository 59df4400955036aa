"""Hash coloring: vertices propose neighbours, which try a color that their hash table allows; conflicts give way.

==========  ============================================================================================
p           priorities, a permutation (the paper's random numbers R, without ties)
sequence    the vertices by falling p
colors      final colors, −1 − p while there is none (C)
chosen      last round k (from 1 on) in which a vertex was proposed
bid         in the upper half 1 + the color that a chosen vertex tries, in the lower p; 0 for one that tries none
table       a bit for each of the colors floor … floor + 32·words − 1: whether a neighbour has it (H)
floor       every color below it is forbidden
==========  ============================================================================================

A round: every uncolored vertex proposes, of the uncolored ones in its closed neighbourhood, that of the greatest and
that of the least priority. Each proposed vertex tries the least color that its table allows, and takes it unless a
neighbour of greater priority tries the same. Winners enter their neighbours' tables. A table hashes a color to the
bit of its distance from the floor and ignores what is too far; when it is full, the floor moves past it and it is
filled anew from the neighbours.

Conflict resolution ends: of the uncolored vertices, the one w of greatest priority proposes itself and wins its color,
or its table is full and its floor rises. All colors below a floor, and in a table, are those of neighbours: hence w's
color is at most its degree, its floor rises no more often, and colors have no gaps.

Beyond the paper, whose table forgets colors and whose rounds open new ones: here nothing is forgotten, so that
conflicts are between trials only and the bound is first-fit's; and priorities, not chance, decide who gives way.

Reference: Osama, Truong, Yang, Buluç, Owens 2019, "Graph Coloring on the GPU", Algorithm 6.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import semirings

from ..device.intrinsics import ctz64
from ..graph import Graph
from ..options import choice, whole
from ..orders import Priorities
from ..registry import coloring
from ..result import Log
from .operators import BALANCES, Frontier, Operators, functor, join, on, store
from .rounds import BALANCE, PAPER, uncolored, uncolored_in_order, until_empty

ENTRIES = 256  # 32 bytes, one sector of memory; fewer where no vertex has that many neighbours
FULL, LOW = 2**32 - 1, 2**32 - 1
CONTESTED = semirings.monoid(semirings.BINARY["bor"], 0, 1)["uint32"]

# Two maxima at once: p + 1 in the high half and n - p in the low half of 64 bits; 0 for no vertex.
HALVES = semirings.binary_op(
    "max_of_halves",
    "(long long)ops::max(int(x >> 32), int(y >> 32)) << 32 | ops::max(unsigned(x), unsigned(y))",
    lambda x, y: max(x >> 32, y >> 32) << 32 | max(x & LOW, y & LOW),
    types=(np.int64,),
)
EXTREMES = semirings.monoid(HALVES, 0)["int64"]


@functor("int c = colors[u]; long long here = -c * (1ll << 32) | (n + 1 + c); return c < 0 ? here : 0;")
def extremes(v: Any, u: Any, e: Any, colors: Any, n: Any) -> Any:
    """Priority of an uncolored neighbour, for the greatest and the least."""
    c = np.int64(colors[u])
    return -c << 32 | (n + 1 + c) if c < 0 else np.int64(0)


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
    for (int i = 0; i < words; i++) if (table[v * words + i] != ~0u) return false;
    for (int i = 0; i < words; i++) table[v * words + i] = 0;
    floor[v] += 32 * words;
    return true;
    """
)
def turn_page(v: Any, table: Any, words: Any, floor: Any) -> Any:
    """Where all colors of the table are forbidden, go to those after them; whether it was so."""
    for i in range(words):
        if table[v * words + i] != FULL:
            return False
    for i in range(words):
        table[v * words + i] = 0
    floor[v] += 32 * words
    return True


@functor(
    """
    for (int i = 0; i < words && chosen[v] == k; i++) {
        unsigned taken = table[v * words + i];
        if (taken == ~0u) continue;
        bid[v] = (long long)(floor[v] + 32 * i + __ffs((int)~taken)) << 32 | p[v];
        return true;
    }
    bid[v] = 0;
    return false;
    """
)
def attempt(v: Any, chosen: Any, k: Any, floor: Any, table: Any, words: Any, p: Any, bid: Any) -> Any:
    """A chosen vertex tries the least color that is allowed; with a full table it waits."""
    if chosen[v] == k:
        for i in range(words):
            free = FULL - np.int64(table[v * words + i])
            if free:
                bid[v] = (floor[v] + 32 * i + np.int64(ctz64(np.uint64(free))) + 1) << 32 | p[v]
                return True
    bid[v] = 0
    return False


@functor("long long own = bid[v], other = bid[u]; return other >> 32 == own >> 32 & other > own;")
def clash(v: Any, u: Any, e: Any, bid: Any) -> Any:
    """Whether u tries v's color and is preferred. A colored u shows its last bid, a color that v's table forbids."""
    return bid[u] >> 32 == bid[v] >> 32 and bid[u] > bid[v]


@functor("if (x == 0) colors[v] = (int)(bid[v] >> 32) - 1; return x == 0;")
def resolve(v: Any, x: Any, colors: Any, bid: Any) -> Any:
    """The winner's color is final; whether v is one."""
    if x == 0:
        colors[v] = (bid[v] >> 32) - 1
    return x == 0


@functor(
    """
    long long bit = colors[u] - floor[v];
    if (bit >= 0 && bit < 32 * words) join(table, v * words + bit / 32, 1u << bit % 32);
    """
)
def gather(v: Any, u: Any, e: Any, colors: Any, floor: Any, table: Any, words: Any) -> None:
    """Hash generation for v from a neighbour's color."""
    bit = colors[u] - floor[v]
    if 0 <= bit < 32 * words:
        join(table, v * words + bit // 32, 1 << bit % 32)


@functor(
    """
    long long bit = colors[v] - floor[u];
    if (colors[u] < 0 && bit >= 0 && bit < 32 * words) join(table, u * words + bit / 32, 1u << bit % 32);
    """
)
def spread(v: Any, u: Any, e: Any, colors: Any, floor: Any, table: Any, words: Any) -> None:
    """Hash generation for an uncolored neighbour from v's new color."""
    bit = colors[v] - floor[u]
    if colors[u] < 0 and 0 <= bit < 32 * words:
        join(table, u * words + bit // 32, 1 << bit % 32)


@coloring(
    "gunrock_hash",
    style="frontier",
    paper=f"{PAPER} 6",
    bound="Δ+1",
    passes=True,
    chain=4,  # of a path 2, of a crown 4
    order="random",
    seed=0,
    needs="p",
    options={
        "table": f"entries of a vertex's hash table of forbidden colors, rounded up to 32; default at most {ENTRIES}",
        "load_balance": BALANCE,
    },
)
def gunrock_hash(G: Graph, p: Priorities, log: Log, table: int | None = None, load_balance: str = "auto") -> Any:
    """Speculative coloring of proposed neighbours, with a hash table of forbidden colors per vertex."""
    table = whole("table", table, 1, of="entries", none=True) or min(ENTRIES, G.max_degree + 1)
    return color_by_hash(on(G), p.p, p.sequence, log, -(-table // 32), choice("load_balance", load_balance, BALANCES))


def color_by_hash(ops: Operators, p: Any, sequence: Any, log: Log, words: int, balance: str) -> Any:
    """The colors, in the operators of any engine."""
    n, xp, colors = ops.G.n, ops.xp, uncolored_in_order(p)
    cursor, chosen, floor = (xp.zeros(n, np.int32) for _ in range(3))
    table, bid = xp.zeros(n * words, np.uint32), xp.zeros(n, np.int64)
    hashed = {"table": table, "words": words, "floor": floor}
    telling = {"out": None, "balance": balance, "colors": colors, **hashed}

    def step(k: int, F: Frontier) -> tuple[Frontier, tuple[Frontier, ...]]:
        ops.advance(ops.filter(F, turn_page, **hashed), gather, **telling)
        ops.neighbor_reduce(
            F, extremes, EXTREMES, propose, cursor=cursor, balance=balance,
            p=p, sequence=sequence, colors=colors, n=n, chosen=chosen, k=k + 1,
        )  # fmt: skip
        tried = ops.filter(F, attempt, chosen=chosen, k=k + 1, p=p, bid=bid, **hashed)
        won = ops.neighbor_reduce(tried, clash, CONTESTED, resolve, balance=balance, colors=colors, bid=bid)
        ops.advance(won, spread, **telling)
        return ops.filter(F, uncolored, colors=colors), (tried, won)

    until_empty(ops, ops.all(), log, step)
    return colors
