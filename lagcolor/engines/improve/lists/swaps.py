"""Swaps of a partial coloring: a tabu search on one connected part of a graph.

In each move a vertex enters a class and its neighbors there leave it, so that the total cost of the uncolored vertices
decreases, or increases least. All pairs of an uncolored vertex and a color are compared, or a window of them if there
are many. Ties are broken at random. A vertex that leaves a class may not return to it for a number of moves, which
grows with the number of uncolored vertices, unless the cost is then the least so far.

=========  =============================================================================================================
around     per vertex and color: cost of the neighbors that have it; BARRED or more if the color is not allowed
tabu       per vertex and color: the move from which on the vertex may have it again
out        uncolored vertices; a part's vertices start at its `begin`; `place`: index of a vertex relative to `begin`
best       colors of the least cost
at         record of a part: begin and end among `members`, vertices in `out`, their cost, the least cost, the bound at
           which the search ends, whether `best` lacks the best colors, moves, random state, entries read
=========  =============================================================================================================

References
----------
Blöchliger, Zufferey 2008, "A graph coloring heuristic using partial solutions and a reactive tabu scheme": PartialCol
with a dynamic tenure; here vertices have costs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....base.device.compiled import inner, njit

ONE32 = np.uint32(1)
BARRED = np.int64(1 << 60)  # more than the sum of all costs
WINDOW = 1 << 12  # maximum number of pairs that a move compares
TENTHS, SPREAD = 6, 10  # tenure: TENTHS / 10 of the number of uncolored vertices + a random number below SPREAD
FIELDS = ("begin", "end", "size", "here", "least", "bound", "unsaved", "turn", "random", "read")
PART = np.dtype([(name, np.int64) for name in FIELDS])


class SwapState(NamedTuple):
    """Arrays that moves change; see the table of this module."""

    colors: Any
    best: Any
    around: Any
    tabu: Any
    out: Any
    place: Any
    members: Any


@njit(cache=True, nogil=True)
def swap(graph: Any, cost: Any, state: Any, part: Any, until: Any) -> None:
    """Move in one part until `until` entries are read or the cost is the bound; `unsaved`: `colors` are the best."""
    colors, tabu, out, place = state.colors, state.tabu, state.out, state.place
    at, k = part[0], state.around.shape[1]
    begin, size, here, turn, random, read = at.begin, at.size, at.here, at.turn, at.random, at.read
    while size > 0 and at.least > at.bound and read < until:
        turn += 1
        many = min(size, max(WINDOW // k, 1))
        read += many * k + 8
        v, c, change, random = cheapest(cost, state, (begin, size, many, turn), at.least - here, random)
        if c < 0:
            continue
        if change > 0 and at.unsaved:
            save(state, part)
            read += (at.end - begin) >> 3
        last = out[begin + size - 1]
        out[begin + place[v]] = last
        place[last] = place[v]
        size -= 1
        for e in range(graph[0][v], graph[0][v + ONE32]):
            u = graph[1][e]
            if colors[u] == c:
                colors[u] = -1
                out[begin + size], place[u] = u, size
                size += 1
                random = (random * 1664525 + 1013904223) & 0xFFFFFFFF
                tabu[u, c] = turn + TENTHS * size // 10 + (random >> 8) % SPREAD
                read += add_cost(graph, state.around, u, c, -cost[u])
        colors[v] = c
        read += add_cost(graph, state.around, v, c, cost[v])
        here += change
        if here < at.least:
            at.least, at.unsaved = here, 1
    at.size, at.here, at.turn, at.random, at.read = size, here, turn, random, read


@inner()
def cheapest(cost: Any, state: Any, window: Any, wanted: Any, random: Any) -> Any:
    """Return vertex, color and change of the best move, and the next random number; color −1: no move is allowed."""
    begin, size, many, turn = window
    k = state.around.shape[1]
    random = (random * 1664525 + 1013904223) & 0xFFFFFFFF
    j = (random >> 8) % size if many < size else 0
    vertex, color, lowest, ties = state.out[begin], np.int64(-1), BARRED >> 1, np.int64(0)
    for _ in range(many):
        v = state.out[begin + j]
        j = j + 1 if j + 1 < size else 0
        w = cost[v]
        for c in range(k):
            change = state.around[v, c] - w
            if change > lowest or (state.tabu[v, c] > turn and change >= wanted):
                continue
            if change == lowest:
                ties += 1
                random = (random * 1664525 + 1013904223) & 0xFFFFFFFF
                if (random >> 8) % ties:
                    continue
            else:
                ties = np.int64(1)
            vertex, color, lowest = v, np.int64(c), change
    return vertex, color, lowest, random


@inner()
def add_cost(graph: Any, around: Any, v: Any, c: Any, by: Any) -> Any:
    """Add a cost to color c of the neighbors of v; return the entries read."""
    indptr, indices = graph
    for e in range(indptr[v], indptr[v + ONE32]):
        around[indices[e], c] += by
    return np.int64(indptr[v + ONE32] - indptr[v])


@njit(cache=True, nogil=True)
def save(state: Any, part: Any) -> None:
    """Save the colors of the part as the best."""
    for i in range(part[0].begin, part[0].end):
        v = state.members[i]
        state.best[v] = state.colors[v]
    part[0].unsaved = 0


@njit(cache=True, nogil=True)
def begin_all(graph: Any, cost: Any, state: Any, parts: Any) -> None:
    """Fill `around` (initially BARRED or 0) and `out`: the uncolored vertices that have an allowed color."""
    k = state.around.shape[1]
    for p in range(len(parts)):
        at = parts[p]
        for i in range(at.begin, at.end):
            v = state.members[i]
            if state.colors[v] >= 0:
                add_cost(graph, state.around, v, state.colors[v], cost[v])
                continue
            allowed = False
            for c in range(k):
                allowed = allowed or state.around[v, c] < BARRED
            if allowed:
                state.out[at.begin + at.size], state.place[v] = v, at.size
                at.size += 1
                at.here += cost[v]
        at.least = at.here
