"""Tabu search for a coloring with distances whose span is at most k: bounded, and repeated from perturbed colorings.

Each vertex has a frequency under k. What a coloring costs is the sum of max(0, d(u, v) − |f(u) − f(v)|) over the edges.
A move gives one vertex that has a conflict another frequency, of all such moves one that lowers the cost the most and
is not tabu, or leads under the least cost so far. The frequency that it had is tabu for it for a time that grows with
the number of conflicting vertices. Where the cost has not come to a new least for long, some vertices get random
frequencies. A table has what each vertex pays at each frequency; a move changes windows of 2d − 1 entries in the rows
of the neighbors.

=========  ==============================================================================================
cost       int32, n × k: what a vertex pays at a frequency; BARRED and more where it is forbidden
until      int64, n × k: iteration until which the frequency is tabu for the vertex
clashing   vertices with a conflict, in any order; `place` has where a vertex is in it, −1 where it is not
=========  ==============================================================================================

References
----------
Lai, Lü 2013, "Multistart iterated tabu search for bandwidth coloring problem": the cost, the moves, the perturbation.
Hertz, de Werra 1987, "Using tabu search techniques for graph coloring".
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from semirings.runtime.compile_clock import clock

from ...device.bits import below
from ...device.compiled import njit
from . import Instance

ONE32 = np.uint32(1)
BARRED = np.int32(1 << 29)
SLICE = 1 << 21  # entries that a compiled call reads
PATIENCE = 20_000  # iterations without a new least cost before a perturbation
TENURE, SPREAD = 0.6, 10  # iterations that a frequency is tabu: share of the conflicting vertices, and a random number


class Walk(NamedTuple):
    """What moves change; see the table of this module."""

    colors: Any
    cost: Any
    until: Any
    clashing: Any
    place: Any
    random: Any


class Tabu:
    """A search at a span, in compiled calls of some milliseconds each, so that Ctrl-C is noticed between them.

    Parameters
    ----------
    instance : Instance
    colors : array of int32
        Where it begins: those that are negative or not under `k` get the cheapest frequency that is.
    k : int
    seed : int
    """

    def __init__(self, instance: Instance, colors: np.ndarray, k: int, seed: int) -> None:
        n = instance.n
        self.instance, self.best = instance, np.where(colors < k, colors, -1).astype(np.int32)
        self.walk = Walk(
            self.best.copy(), np.zeros((n, k), np.int32), np.zeros((n, k), np.int64), np.zeros(n, np.uint32),
            np.full(n, -1, np.int64), np.array([seed], np.uint64),
        )  # fmt: skip
        begin(instance, self.walk)
        # Cost, least cost of this start, least of all, iterations, iteration of the last least, entries read, vertices
        # with a conflict.
        self.at = np.array([0, 0, 0, 0, 0, 0, 0], np.int64)
        count(instance, self.walk, self.at)
        self.at[1] = self.at[2] = self.at[0]
        self.best[:] = self.walk.colors

    def run(self, reads: int, until: float = -math.inf) -> bool:
        """Go on until there is no conflict, or so many entries have been read and the moment `until` is over.

        Returns whether `best`, the coloring with the least cost so far, has no conflict.
        """
        while self.at[2] and (self.at[5] < reads or clock() < until):
            end = self.at[5] + SLICE
            search(self.instance, self.walk, self.best, self.at, min(end, reads) if self.at[5] < reads else end)
        return self.at[2] == 0


@njit(cache=True, nogil=True)
def begin(instance: Any, walk: Any) -> None:
    """Fill the table of costs, and give each vertex without a frequency the cheapest."""
    indptr, indices, offsets, forbidden = instance.indptr, instance.indices, instance.offsets, instance.forbidden
    colors, cost = walk.colors, walk.cost
    n, k = np.uint32(colors.size), cost.shape[1]
    for v in range(n):
        for j in range(offsets[v], offsets[v + ONE32]):
            if forbidden[j] < k:
                cost[v, forbidden[j]] = BARRED
        if colors[v] >= 0:
            for e in range(indptr[v], indptr[v + ONE32]):
                add(cost, indices[e], colors[v], instance.distances[e], 1)
    for v in range(n):
        if colors[v] < 0:
            c = 0
            for b in range(1, k):
                if cost[v, b] < cost[v, c]:
                    c = b
            colors[v] = c
            for e in range(indptr[v], indptr[v + ONE32]):
                add(cost, indices[e], c, instance.distances[e], 1)


@njit(cache=True, nogil=True, forceinline=True)
def add(cost: Any, u: Any, c: Any, d: Any, sign: Any) -> None:
    """Add to what u pays, by a neighbor at distance d that has frequency c; `sign` −1: it has it no more."""
    c, d = np.int64(c), np.int64(d)
    for b in range(max(c - d + 1, 0), min(c + d, cost.shape[1])):
        cost[u, b] += sign * (d - abs(b - c))


@njit(cache=True, nogil=True)
def count(instance: Any, walk: Any, at: Any) -> None:
    """List the vertices that have a conflict, and sum what all pay."""
    total, listed = 0, 0
    for v in range(np.uint32(walk.colors.size)):
        walk.place[v] = -1
        paid = walk.cost[v, walk.colors[v]]
        total += paid
        if paid > 0 and instance.fixed[v] < 0:
            walk.clashing[listed], walk.place[v] = v, listed
            listed += 1
    at[0], at[6] = total >> 1, listed


@njit(cache=True, nogil=True)
def note(instance: Any, walk: Any, v: Any, listed: Any) -> Any:
    """List v where it has a conflict, or list it no more; returns how many are listed."""
    clashing, place = walk.clashing, walk.place
    if walk.cost[v, walk.colors[v]] > 0 and instance.fixed[v] < 0:
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
    indptr, indices, distances = instance.indptr, instance.indices, instance.distances
    old, written = walk.colors[v], 0
    walk.colors[v] = c
    for e in range(indptr[v], indptr[v + ONE32]):
        u, d = indices[e], distances[e]
        add(walk.cost, u, old, d, -1)
        add(walk.cost, u, c, d, 1)
        listed = note(instance, walk, u, listed)
        written += 4 * d
    return note(instance, walk, v, listed), written


@njit(cache=True, nogil=True)
def search(instance: Any, walk: Any, best: Any, at: Any, reads: Any) -> None:
    """Moves, until there is no conflict or so many entries have been read; `at` has where the search stands."""
    colors, cost, tabu = walk.colors, walk.cost, walk.until
    k = cost.shape[1]
    total, least, least_of_all, step, last, read, listed = at[0], at[1], at[2], at[3], at[4], at[5], at[6]
    while least_of_all > 0 and read < reads:
        step += 1
        v, c, change, ties = np.uint32(0), np.int64(-1), np.int64(BARRED), 1
        for i in range(listed):
            u = walk.clashing[i]
            own = np.int64(colors[u])
            paid = np.int64(cost[u, own])
            most = min(paid + change, BARRED - 1)
            for b in range(k):
                if cost[u, b] > most or b == own:
                    continue
                gain = cost[u, b] - paid
                if tabu[u, b] > step and total + gain >= least:
                    continue
                if gain < change:
                    v, c, change, ties, most = u, b, gain, 1, cost[u, b]
                else:
                    ties += 1
                    if below(walk.random, ties) == 0:
                        v, c = u, b
        read += listed * k + 1
        if c >= 0:
            old = colors[v]
            listed, written = move(instance, walk, v, c, listed)
            total += change
            read += written
            tabu[v, old] = step + np.int64(TENURE * listed) + np.int64(below(walk.random, SPREAD)) + 1
        if total < least:
            least, last = total, step
            if total < least_of_all:
                least_of_all = total
                best[:] = colors
        elif step - last > PATIENCE:
            listed, written = perturb(instance, walk, listed)
            count(instance, walk, at)
            total = least = at[0]
            last = step
            read += written
    at[0], at[1], at[2], at[3], at[4], at[5], at[6] = total, least, least_of_all, step, last, read, listed


@njit(cache=True, nogil=True)
def perturb(instance: Any, walk: Any, listed: Any) -> Any:
    """Random frequencies for a tenth of the vertices; returns as `move`."""
    n, k = walk.colors.size, walk.cost.shape[1]
    written = n
    for _ in range(max(n // 10, 2)):
        v, c = np.uint32(below(walk.random, n)), np.int64(below(walk.random, k))
        if instance.fixed[v] < 0 and walk.cost[v, c] < BARRED:
            listed, more = move(instance, walk, v, c, listed)
            written += more
    return listed, written


def without_conflicts(instance: Instance, colors: np.ndarray) -> np.ndarray:
    """The colors, −1 for vertices that are taken out until no two neighbors are too close; those of most conflicts first."""
    colors = colors.copy()
    clashes = np.zeros(instance.n, np.int64)
    _take_out(instance, colors, clashes)
    return colors


@njit(cache=True, nogil=True)
def _take_out(instance: Any, colors: Any, clashes: Any) -> None:
    indptr, indices, offsets, forbidden = instance.indptr, instance.indices, instance.offsets, instance.forbidden
    n = np.uint32(colors.size)
    for v in range(n):
        for e in range(indptr[v], indptr[v + ONE32]):
            clashes[v] += abs(colors[v] - colors[indices[e]]) < instance.distances[e]
        for j in range(offsets[v], offsets[v + ONE32]):
            if forbidden[j] == colors[v]:
                clashes[v] = n + ONE32
        if instance.fixed[v] >= 0:
            clashes[v] = 0
    for _ in range(n):
        v = np.uint32(np.argmax(clashes))
        if clashes[v] == 0:
            break
        for e in range(indptr[v], indptr[v + ONE32]):
            u = indices[e]
            if clashes[u] > 0 and colors[u] >= 0 and abs(colors[v] - colors[u]) < instance.distances[e]:
                clashes[u] -= 1
        colors[v], clashes[v] = -1, 0
