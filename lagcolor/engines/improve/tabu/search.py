"""One local search for a coloring with k colors: TabuCol or PartialCol, in slices of iterations.

TabuCol: `value` is the number of edges whose ends share a color. In each iteration a vertex in conflict takes another
color. The move that decreases `value` most, or increases it least, is chosen; ties are broken at random. The old color
becomes tabu for the vertex.

PartialCol: `value` is the number of vertices without a color (−1). In each iteration an uncolored vertex takes a color,
and its neighbors of that color lose it. The move with the fewest such neighbors is chosen. The color becomes tabu for
the vertices that lost it.

A tabu move that leads below the least `value` so far is allowed. The tenure is rand(TENURE) + 0.6 · `value`, or
reactive (FOO): it grows if `value` hardly changed in a period, and decreases slowly otherwise.

There are two tables of conflicts: by color for all vertices, since a move changes two colors, and by vertex for listed
vertices. One vectorized minimum reads a row of the second. If the graph is dense, a column of the first is updated by
vectors. A large number is added to an entry when it becomes tabu, so that no iteration compares times. Entries have 16
bits, so that the tables stay in the cache.

References
----------
Hertz, de Werra 1987, "Using tabu search techniques for graph coloring" (TabuCol); Galinier, Hao 1999, "Hybrid
evolutionary algorithms for graph coloring": tenure and table of conflicts.
Blöchliger, Zufferey 2008, "A graph coloring heuristic using partial solutions and a reactive tabu scheme"
(PartialCol, dynamic tenure and FOO).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....base.device import large_pages
from ....base.device.bits import below
from ....base.device.compiled import inner, njit
from ....base.device.intrinsics import LANES, WORD, least16
from ....graph.graph import Graph
from ....graph.pattern import unsigned
from .moves import (
    BARRED,
    BUCKETS,
    ENTRY,
    MINUS,
    NEVER,
    NONE_ALLOWED,
    NUMBERS,
    ONE,
    ONE32,
    ORDER,
    PLUS,
    SLOTS,
    VERTEX,
    ZERO,
    TabuState,
    add,
    add_to_column,
    choose,
    clear,
    drop,
    end_tabu,
    fill,
    list_neighbors,
    make_tabu,
    next_iteration,
    save_best,
    set_color,
)  # fmt: skip

MOVES = ("tabucol", "partialcol", "foo_partialcol")
TABUCOL, FOO = 0, 2  # indices in MOVES
LARGEST_DEGREE = BARRED - 1
TENURE, SHARE = 10, (3, 5)  # rand(10) + 0.6 · `value`: Galinier and Hao 1999
BY_WORDS = 1 / 16  # columns are updated by vectors if this share of the pairs of vertices are neighbors
PERIOD, GROWTH = 1000, 10  # of the reactive tenure: iterations of a period, and increment


def table_bytes(n: int, k: int) -> int:
    """Return the size of the table of conflicts by vertex; the table by color has the same size."""
    return 2 * n * -(-k // LANES) * LANES


class LocalSearch:
    """A search with k ≥ 2 colors on the CPU, determined by seed, initial colors and iterations."""

    def __init__(self, G: Graph, k: int, seed: int, moves: str = MOVES[0]) -> None:
        n, width, words = G.n, -(-k // LANES) * LANES, -(-G.n // WORD)
        # An odd number of cache lines; otherwise entries of a vertex displace each other.
        stride = words * WORD + WORD // 2
        colors, self.best = np.zeros(n, np.int32), np.zeros(n, np.int32)
        near, rows = large_pages(k * stride, np.uint16), large_pages(n * width, np.uint16)
        rows[:] = NEVER
        words *= int(G.m > BY_WORDS * n**2)
        bits = np.zeros(n * words, np.uint64)
        if words:
            fill(*unsigned(G), np.uint64(words), bits)
        tones = np.full(stride, NEVER, np.uint16)
        listed, place, ties = np.zeros(n, np.uint32), np.full(n, -1, np.int32), np.zeros(n, np.uint32)
        slots, buckets = np.zeros((5, SLOTS), np.int64), np.full(BUCKETS, -1, np.int32)
        sizes = map(np.uint64, (k, width, width // LANES, stride, words))
        tables = colors, self.best, tones, near, rows, bits, listed, place, ties, slots, buckets
        numbers = np.zeros(1, NUMBERS), np.array([seed % 2**64], np.uint64)
        self.state = TabuState(*unsigned(G), MOVES.index(moves), *sizes, *tables, *numbers)  # type: ignore[call-arg]

    def begin(self, colors: np.ndarray) -> None:
        """Begin from these colors, below k; −1: no color (TabuCol then chooses a random color)."""
        self.state.colors[:], self.state.at[:] = colors, 0
        begin(self.state)

    def steps(self, most: int) -> int:
        """Run at most `most` iterations, until there is no conflict; return their number."""
        return int(steps(self.state, most))

    @property
    def value(self) -> int:
        """Least objective so far; 0: `best` is a proper coloring."""
        return int(self.state.at[0]["best"])

    @property
    def iterations(self) -> int:
        """Number of iterations since `begin`."""
        return int(self.state.at[0]["time"])


@njit(cache=True, nogil=True)
def begin(s: Any) -> None:
    """Fill the tables and the list for these colors. PartialCol: a vertex with a neighbor's color loses it."""
    clear(s)
    n = np.uint64(s.colors.size)
    for v in range(n):
        if s.moves == TABUCOL:
            if s.colors[v] < 0:
                s.colors[v] = below(s.rng, s.k)
            continue
        for e in range(s.indptr[v], s.indptr[v + ONE]):
            if s.colors[s.indices[e]] == s.colors[v]:
                s.colors[v] = -1
    for v in range(n):
        s.best[v] = s.colors[v]
        set_color(v, s.colors[v], s)
        if s.colors[v] >= 0:
            column = np.uint64(s.colors[v]) * s.stride
            for e in range(s.indptr[v], s.indptr[v + ONE]):
                s.near[column + np.uint64(s.indices[e])] += PLUS
    twice = np.int64(0)
    for v in range(n):
        if s.colors[v] < 0:
            add(v, s)
        elif s.moves == TABUCOL:
            own = np.int64(s.near[np.uint64(s.colors[v]) * s.stride + v])
            if own > 0:
                add(v, s)
                twice += own
    s.at[0].value = s.at[0].best = s.at[0].low = s.at[0].high = twice // 2 if s.moves == TABUCOL else s.at[0].listed
    s.at[0].long = TENURE


@njit(cache=True, nogil=True)
def steps(s: Any, most: Any) -> Any:
    """Run `most` iterations, or until `value` is 0; return their number. `best` has the best colors so far."""
    rows, width, at, listed = s.rows, s.width, s.at[0], s.listed
    done = 0
    while done < most and at.value > 0:
        done += 1
        next_iteration(s)
        change, heaviest, count = np.int64(NONE_ALLOWED), np.int64(0), 0
        for i in range(at.listed):
            v = listed[i]
            gain = gain_of(v, s)
            heaviest = max(heaviest, gain)
            this = np.int64(least16(rows, np.uint64(v) * width, s.vectors)) - gain
            if this <= change:
                if this < change:
                    change, count = this, 0
                s.ties[count] = v
                count += 1
        entry = ZERO
        if change < NONE_ALLOWED:
            total = ZERO
            for i in range(count):
                row, gain = np.uint64(s.ties[i]) * width, gain_of(s.ties[i], s)
                total, entry = choose(rows, row, s.vectors, change + gain, total, entry, s.rng)
        else:  # all colors of all listed vertices are tabu
            v = listed[below(s.rng, at.listed)]
            other = below(s.rng, s.k - ONE if s.moves == TABUCOL else s.k)
            entry = np.uint64(v) * width + other + np.uint64(other >= np.uint64(s.colors[v]))
            change = np.int64(rows[entry]) - BARRED - gain_of(v, s)
        if at.value - heaviest < at.best:
            change, entry = aspire(change, entry, s)
        end_tabu(entry, s)
        at.value += change
        tenure = at.long if s.moves == FOO else np.int64(below(s.rng, TENURE)) + SHARE[0] * at.value // SHARE[1]
        if s.moves == TABUCOL:
            recolor(np.uint32(entry // width), entry, tenure + 1, s)
        else:
            take(np.uint32(entry // width), entry, change + 1, tenure + 1, s)
        if s.moves == FOO:
            adapt(s)
        save_best(s)
    return done


@inner(forceinline=True)
def aspire(change: Any, entry: Any, s: Any) -> Any:
    """Return a tabu move that leads below the best value and is better than this move; else this move."""
    at = s.at[0]
    for i in range(at.tabus):
        slot = s.slots[ORDER, i]
        u = s.slots[VERTEX, slot]
        if s.slots[ENTRY, slot] >= 0 and s.place[u] >= 0:
            this = np.int64(s.rows[np.uint64(s.slots[ENTRY, slot])]) - BARRED - gain_of(u, s)
            if this < change and at.value + this < at.best:
                change, entry = this, np.uint64(s.slots[ENTRY, slot])
    return change, entry


@inner(forceinline=True)
def gain_of(v: Any, s: Any) -> Any:
    """Return the decrease of `value` if a listed vertex leaves its color (PartialCol: gets a color)."""
    if s.moves == TABUCOL:
        return np.int64(s.rows[np.uint64(v) * s.width + np.uint64(s.colors[v])]) - BARRED
    return np.int64(1)


@inner(forceinline=True)
def recolor(v: Any, entry: Any, tenure: Any, s: Any) -> None:
    """TabuCol: make a move, and make its reverse tabu."""
    row, first, dense = np.uint64(v) * s.width, s.indptr[v], s.words > 0
    old, new = np.uint64(s.colors[v]), entry - row
    conflicts = np.int64(s.rows[entry])
    add_to_column(v, old, MINUS, s)
    add_to_column(v, new, PLUS, s)
    set_color(v, new, s)
    for i in range(s.at[0].listed - 1 if dense else -1, -1, -1):
        renew(s.listed[i], old, new, s)
    for e in range(first, first if dense else s.indptr[v + ONE32]):
        if s.place[s.indices[e]] >= 0:
            renew(s.indices[e], old, new, s)
    if conflicts == 0:
        drop(v, s)
    renew(v, old, new, s)
    for i in range(list_neighbors(v, new, conflicts, s)):
        if s.place[s.ties[i]] < 0:
            add(s.ties[i], s)
    make_tabu(row + old, v, tenure, s)


@inner(forceinline=True)
def renew(u: Any, old: Any, new: Any, s: Any) -> None:
    """TabuCol: copy two entries of a listed vertex from their columns; drop it if it is no longer in conflict."""
    row, own = np.uint64(u) * s.width, np.uint64(s.colors[u])
    if own == old and s.near[old * s.stride + np.uint64(u)] == 0:
        drop(u, s)
    s.rows[row + old] = s.near[old * s.stride + np.uint64(u)] + np.uint16(BARRED * (own == old))
    s.rows[row + new] = s.near[new * s.stride + np.uint64(u)] + np.uint16(BARRED * (own == new))


@inner(forceinline=True)
def take(v: Any, entry: Any, ejected: Any, tenure: Any, s: Any) -> None:
    """PartialCol: a listed vertex takes a color, and its `ejected` neighbors of that color lose it."""
    c = entry - np.uint64(v) * s.width
    drop(v, s)
    add_to_column(v, c, PLUS, s)
    ejected = list_neighbors(v, c, ejected, s)
    set_color(v, c, s)
    for i in range(ejected):
        set_color(s.ties[i], -1, s)
        add_to_column(s.ties[i], c, MINUS, s)
    for i in range(s.at[0].listed):
        u = np.uint64(s.listed[i])
        s.rows[u * s.width + c] = s.near[c * s.stride + u]
    for i in range(ejected):
        add(s.ties[i], s)
        make_tabu(np.uint64(s.ties[i]) * s.width + c, s.ties[i], tenure, s)


@inner(forceinline=True)
def adapt(s: Any) -> None:
    """Update the reactive tenure for the next iteration."""
    at = s.at[0]
    at.low, at.high = min(at.low, at.value), max(at.high, at.value)
    if at.time % PERIOD == 0:
        at.long += GROWTH if at.high - at.low <= 1 else -1 if at.long > 0 else 0
        at.low = at.high = at.value
