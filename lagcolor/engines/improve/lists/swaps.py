"""Swaps of a partial coloring: a vertex enters a class, and its neighbors there leave it, so that the cost of all
vertices without a color falls, or rises least. A tabu search on one connected part of a graph.

Of all pairs of a vertex without a color and a color, the one with the least change is taken, one of several by chance.
Vertices that leave a class may not return to it for a number of moves, which grows with the number of vertices without
a color, unless the cost is then the least so far. Where there are many pairs, a window of them is looked at.

=========  =============================================================================================================
around     per vertex and color: cost of the neighbors that have it; BARRED and more where the color is not allowed
tabu       per vertex and color: the move from which on the vertex may have it
out        vertices without a color, for each part those from its `begin` on; `place`: where a vertex is among them
best       colors of the least cost
at         record of a part: begin and end among `members`, vertices in `out`, their cost, the least cost, the bound at
           which the search ends, whether `best` lacks the least, moves, the state of the random numbers, entries read
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
BARRED = np.int64(1 << 60)  # more than all costs together
WINDOW = 1 << 12  # pairs that a move looks at
TENTHS, SPREAD = 6, 10  # the tenure: tenths of the number of vertices without a color, and a random number under SPREAD
FIELDS = ("begin", "end", "size", "here", "least", "bound", "unsaved", "turn", "random", "read")
PART = np.dtype([(name, np.int64) for name in FIELDS])


class SwapState(NamedTuple):
    """What moves change; see the table of this module."""

    colors: Any
    best: Any
    around: Any
    tabu: Any
    out: Any
    place: Any
    members: Any


@njit(cache=True, nogil=True)
def swap(graph: Any, cost: Any, walk: Any, part: Any, until: Any) -> None:
    """Moves in one part until some entries are read or the cost is the bound; `unsaved`: `colors` are the best."""
    colors, tabu, out, place = walk.colors, walk.tabu, walk.out, walk.place
    at, k = part[0], walk.around.shape[1]
    begin, size, here, turn, random, read = at.begin, at.size, at.here, at.turn, at.random, at.read
    while size > 0 and at.least > at.bound and read < until:
        turn += 1
        many = min(size, max(WINDOW // k, 1))
        read += many * k + 8
        v, c, change, random = cheapest(cost, walk, (begin, size, many, turn), at.least - here, random)
        if c < 0:
            continue
        if change > 0 and at.unsaved:
            save(walk, part)
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
                read += see(graph, walk.around, u, c, -cost[u])
        colors[v] = c
        read += see(graph, walk.around, v, c, cost[v])
        here += change
        if here < at.least:
            at.least, at.unsaved = here, 1
    at.size, at.here, at.turn, at.random, at.read = size, here, turn, random, read


@inner()
def cheapest(cost: Any, walk: Any, window: Any, wanted: Any, random: Any) -> Any:
    """Vertex, color (−1: all are tabu, and none is below `wanted`) and change of a move; the next random number."""
    begin, size, many, turn = window
    k = walk.around.shape[1]
    random = (random * 1664525 + 1013904223) & 0xFFFFFFFF
    j = (random >> 8) % size if many < size else 0
    vertex, color, lowest, ties = walk.out[begin], np.int64(-1), BARRED >> 1, np.int64(0)
    for _ in range(many):
        v = walk.out[begin + j]
        j = j + 1 if j + 1 < size else 0
        w = cost[v]
        for c in range(k):
            change = walk.around[v, c] - w
            if change > lowest or (walk.tabu[v, c] > turn and change >= wanted):
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
def see(graph: Any, around: Any, v: Any, c: Any, by: Any) -> Any:
    """The neighbors of v see more or less of a color; returns the entries read."""
    indptr, indices = graph
    for e in range(indptr[v], indptr[v + ONE32]):
        around[indices[e], c] += by
    return np.int64(indptr[v + ONE32] - indptr[v])


@njit(cache=True, nogil=True)
def save(walk: Any, part: Any) -> None:
    """The colors of the part are the best."""
    for i in range(part[0].begin, part[0].end):
        v = walk.members[i]
        walk.best[v] = walk.colors[v]
    part[0].unsaved = 0


@njit(cache=True, nogil=True)
def begin_all(graph: Any, cost: Any, walk: Any, parts: Any) -> None:
    """Fill `around`, which has BARRED or 0, and `out`, where a vertex has a color that is not barred, by the colors."""
    k = walk.around.shape[1]
    for p in range(len(parts)):
        at = parts[p]
        for i in range(at.begin, at.end):
            v = walk.members[i]
            if walk.colors[v] >= 0:
                see(graph, walk.around, v, walk.colors[v], cost[v])
                continue
            allowed = False
            for c in range(k):
                allowed = allowed or walk.around[v, c] < BARRED
            if allowed:
                walk.out[at.begin + at.size], walk.place[v] = v, at.size
                at.size += 1
                at.here += cost[v]
        at.least = at.here
