"""Local search for a coloring with distances whose span is at most k: bounded, with weights of edges that grow.

Each vertex has a frequency under k. An edge whose ends are too close costs its weight, 1 at first. A move gives one
vertex that has a conflict another frequency: of all such moves one that lowers the cost the most and is not tabu, or
leads under the least cost since weights last changed. The frequency that it had is tabu for it for some moves. Where
no move lowers the cost, now and then each edge in conflict weighs one more, instead of a move. A table has what each
vertex pays at each frequency; a move changes windows of 2d − 1 entries in the rows of the neighbors.

=========  ==============================================================================================
cost       int32, n × k: what a vertex pays at a frequency; BARRED and more where it is forbidden
weights    int32, of each stored entry; both entries of an edge have the same
until      int64, n × k: move until which the frequency is tabu for the vertex
clashing   vertices with a conflict, in any order; `place` has where a vertex is in it, −1 where it is not
=========  ==============================================================================================

References
----------
Morris 1993, "The breakout method for escaping from local minima": the weights.
Lai, Lü 2013, "Multistart iterated tabu search for bandwidth coloring problem": the moves and the table.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...device.bits import below
from ...device.compiled import njit
from ...progress import before
from . import Instance

ONE32 = np.uint32(1)
BARRED = np.int32(1 << 29)
SLICE = 1 << 21  # entries that a compiled call reads
OVERHEAD = 64  # what a move takes besides, in entries
TENURE, SHARE = 10, 0.3  # moves that a frequency is tabu: a random number, and a share of the vertices in conflict
ONE_IN = 10  # one in this number of moves that lower nothing is skipped, and weights change
HEAVIEST = 1 << 28  # what a vertex may pay at most; all weights are 1 again before


class Walk(NamedTuple):
    """What moves change; see the table of this module."""

    colors: Any
    cost: Any
    weights: Any
    until: Any
    clashing: Any
    place: Any
    random: Any


class Breakout:
    """A search at a span, in compiled calls of some milliseconds each, so that Ctrl-C is noticed between them.

    Each vertex must have a frequency under `k` that is not forbidden to it, and no two fixed ones a conflict. Where
    `colors` are negative or not under `k`, the search begins with the cheapest frequency that is.
    """

    instance: Instance
    best: np.ndarray
    walk: Walk
    at: np.ndarray
    most: int

    def __init__(self, instance: Instance, colors: np.ndarray, k: int, seed: int) -> None:
        n, m = instance.n, len(instance.indices)
        self.instance, self.best = instance, np.where(colors < k, colors, -1).astype(np.int32)
        self.walk = Walk(
            self.best.copy(), np.zeros((n, k), np.int32), np.ones(m, np.int32), np.zeros((n, k), np.int64),
            np.zeros(n, np.uint32), np.full(n, -1, np.int64), np.array([seed], np.uint64),
        )  # fmt: skip
        # Cost, the least of it since weights last changed, moves, entries read, vertices with a conflict, the fewest
        # of them so far, changes of weights since all were 1.
        self.at = np.zeros(7, np.int64)
        begin(instance, self.walk, self.at)
        self.at[5] = self.at[4]
        self.best[:] = self.walk.colors
        degree = int(np.diff(instance.indptr.astype(np.int64)).max(initial=1))
        self.most = HEAVIEST // max(degree, 1)

    def run(self, reads: int, until: float = -math.inf) -> bool:
        """Go on until there is no conflict, or until `reads` entries are read and the moment `until` is over.

        Returns whether `best`, the coloring with the fewest vertices in conflict so far, has none.
        """
        while self.at[5] and (before(until) or self.at[3] < reads):
            end = self.at[3] + SLICE
            end = min(end, reads) if self.at[3] < reads else end
            search(self.instance, self.walk, self.best, self.at, end, self.most)
            if self.at[6] >= self.most:
                self.walk.weights.fill(1)
                begin(self.instance, self.walk, self.at)
        return bool(self.at[5] == 0)


@njit(cache=True, nogil=True)
def begin(instance: Any, walk: Any, at: Any) -> None:
    """Fill the table of costs, give each vertex without a frequency the cheapest, and list what has a conflict."""
    indptr, indices, offsets, forbidden = instance.indptr, instance.indices, instance.offsets, instance.forbidden
    colors, cost = walk.colors, walk.cost
    n, k = np.uint32(colors.size), cost.shape[1]
    cost[:] = 0
    for v in range(n):
        for j in range(offsets[v], offsets[v + ONE32]):
            if forbidden[j] < k:
                cost[v, forbidden[j]] = BARRED
    for v in range(n):
        if colors[v] >= 0:
            for e in range(indptr[v], indptr[v + ONE32]):
                add(cost, indices[e], colors[v], instance.distances[e], walk.weights[e])
    for v in range(n):
        if colors[v] < 0:
            colors[v] = np.argmin(cost[v])
            for e in range(indptr[v], indptr[v + ONE32]):
                add(cost, indices[e], colors[v], instance.distances[e], walk.weights[e])
    total, listed = np.int64(0), np.int64(0)
    for v in range(n):
        walk.place[v] = -1
        total += cost[v, colors[v]]
        listed = note(walk, v, listed)
    at[0] = at[1] = total >> 1
    at[4], at[6] = listed, 0


@njit(cache=True, nogil=True, forceinline=True)
def add(cost: Any, u: Any, c: Any, d: Any, weight: Any) -> None:
    """Add to what u pays, by a neighbor at distance d that has frequency c."""
    c, d = np.int64(c), np.int64(d)
    for b in range(max(c - d + 1, 0), min(c + d, cost.shape[1])):
        cost[u, b] += weight


@njit(cache=True, nogil=True)
def note(walk: Any, v: Any, listed: Any) -> Any:
    """List v where it has a conflict, or list it no more; returns how many are listed."""
    clashing, place = walk.clashing, walk.place
    if walk.cost[v, walk.colors[v]] > 0:
        if place[v] < 0:
            clashing[listed], place[v] = v, listed
            return listed + 1
    elif place[v] >= 0:
        last = clashing[listed - 1]
        clashing[place[v]], place[last] = last, place[v]
        place[v] = -1
        return listed - 1
    return listed


@njit(cache=True, nogil=True)
def move(instance: Any, walk: Any, v: Any, c: Any, listed: Any) -> Any:
    """Give v frequency c; returns how many vertices have a conflict then, and entries written."""
    indptr, indices, distances, weights = instance.indptr, instance.indices, instance.distances, walk.weights
    old, written = walk.colors[v], np.int64(0)
    walk.colors[v] = c
    for e in range(indptr[v], indptr[v + ONE32]):
        u, d = indices[e], distances[e]
        add(walk.cost, u, old, d, -weights[e])
        add(walk.cost, u, c, d, weights[e])
        listed = note(walk, u, listed)
        written += 4 * np.int64(d)
    return note(walk, v, listed), written


@njit(cache=True, nogil=True)
def grow(instance: Any, walk: Any, listed: Any) -> Any:
    """Each edge in conflict weighs one more; returns how many these are, and entries written."""
    indptr, indices, distances, colors = instance.indptr, instance.indices, instance.distances, walk.colors
    edges, written = np.int64(0), np.int64(0)
    for i in range(listed):
        v = walk.clashing[i]
        for e in range(indptr[v], indptr[v + ONE32]):
            u, d = indices[e], distances[e]
            if abs(colors[v] - colors[u]) < d:
                walk.weights[e] += 1
                add(walk.cost, u, colors[v], d, 1)
                edges += 1
                written += 2 * np.int64(d)
        written += np.int64(indptr[v + ONE32] - indptr[v])
    return edges >> 1, written


@njit(cache=True, nogil=True)
def best_move(instance: Any, walk: Any, listed: Any, step: Any, total: Any, least: Any) -> Any:
    """The vertex, its frequency and the change of the cost; −1 for no frequency. Ties are broken at random."""
    colors, cost, until, k = walk.colors, walk.cost, walk.until, walk.cost.shape[1]
    v, c, change, ties = np.uint32(0), np.int64(-1), np.int64(BARRED), 1
    for i in range(listed):
        u = walk.clashing[i]
        if instance.fixed[u] >= 0:
            continue
        own = np.int64(colors[u])
        paid = np.int64(cost[u, own])
        most = min(paid + change, np.int64(BARRED) - 1)
        for b in range(k):
            if cost[u, b] > most or b == own:
                continue
            gain = cost[u, b] - paid
            if until[u, b] > step and total + gain >= least:
                continue
            if gain < change:
                v, c, change, ties, most = u, np.int64(b), gain, 1, np.int64(cost[u, b])
            else:
                ties += 1
                if below(walk.random, ties) == 0:
                    v, c = u, np.int64(b)
    return v, c, change


@njit(cache=True, nogil=True)
def search(instance: Any, walk: Any, best: Any, at: Any, reads: Any, most: Any) -> None:
    """Moves, until there is no conflict, or a limit of entries read or of changed weights is reached."""
    total, least, step, read, listed, fewest, changes = at[0], at[1], at[2], at[3], at[4], at[5], at[6]
    k = walk.cost.shape[1]
    while fewest > 0 and read < reads and changes < most:
        step += 1
        v, c, change = best_move(instance, walk, listed, step, total, least)
        read += listed * k + OVERHEAD
        if c < 0 or (change >= 0 and below(walk.random, ONE_IN) == 0):
            edges, written = grow(instance, walk, listed)
            total += edges
            least = total
            changes += 1
        else:
            walk.until[v, walk.colors[v]] = step + np.int64(SHARE * listed) + np.int64(below(walk.random, TENURE)) + 1
            listed, written = move(instance, walk, v, c, listed)
            total += change
            least = min(least, total)
            if listed < fewest:
                fewest = listed
                best[:] = walk.colors
        read += written
    at[0], at[1], at[2], at[3], at[4], at[5], at[6] = total, least, step, read, listed, fewest, changes


def without_conflicts(instance: Instance, colors: np.ndarray) -> np.ndarray:
    """The colors, −1 for vertices that are taken out, most conflicts first, until no two neighbors are too close."""
    colors = colors.copy()
    _take_out(instance, colors, np.zeros(instance.n, np.int64))
    return colors


@njit(cache=True, nogil=True)
def _take_out(instance: Any, colors: Any, clashes: Any) -> None:
    """`clashes`, 0 at first, has how many neighbors are too close; none that is fixed is taken out."""
    indptr, indices, distances, fixed = instance.indptr, instance.indices, instance.distances, instance.fixed
    for u in range(np.uint32(colors.size)):
        for e in range(indptr[u], indptr[u + ONE32]):
            clashes[u] += fixed[u] < 0 and abs(colors[u] - colors[indices[e]]) < distances[e]
    for _ in range(colors.size):
        v = np.uint32(np.argmax(clashes))
        if clashes[v] == 0:
            break
        for e in range(indptr[v], indptr[v + ONE32]):
            u = indices[e]
            if clashes[u] > 0 and abs(colors[v] - colors[u]) < distances[e]:
                clashes[u] -= 1
        colors[v], clashes[v] = -1, 0
