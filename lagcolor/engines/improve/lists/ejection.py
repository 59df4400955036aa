"""Ejection with lists and capacities, one vertex after the other: a bounded local search for a complete coloring.

A vertex without a color takes, of the colors allowed to it, the one whose taking ejects the least weight together:
neighbors that have it, and if its class is full the vertices that have been in it the longest. Vertices that were
ejected wait in a queue. One that ejects others grows heavier, so that holes avoid vertices where they were stuck. Ties
go to the first color from a pseudorandom one on. Fixed vertices are never ejected.

It ends when no vertex waits, or when it has read as many entries as it may. The coloring kept is the first with the
fewest vertices without a color.

===========  ==========================================================================================
strength     what ejecting a vertex counts; 1 at first, more where it has many neighbors
queue        vertices that wait, a ring
cost, freed  per color: strength of the neighbors that have it, −1 where it is barred; what they weigh
classes      of capacities: doubly linked lists of the free vertices of each color, the newest first
===========  ==========================================================================================

References
----------
Blöchliger, Zufferey 2008, "A graph coloring heuristic using partial solutions and a reactive tabu scheme" (PartialCol):
the moves; Morris 1993, "The breakout method for escaping from local minima": weights that grow instead of a tabu list.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ....base.device.bits import mix32
from ....base.device.compiled import njit
from ....base.log import before
from . import Instance

ONE32, WORD = np.uint32(1), np.uint64(32)
KNEE, FIRST, GAIN = 128, 7, 9  # as of engines/improve/ejections.py
BARRED = np.int64(-1)
SLICE = 1 << 19  # entries that a compiled call reads


class ListEjectionState(NamedTuple):
    """What moves change; see the table of this module. `tight`: whether capacities count."""

    colors: Any
    tight: bool
    strength: Any
    queue: Any
    cost: Any
    freed: Any
    newer: Any
    older: Any
    newest: Any
    oldest: Any


class Ejection:
    """A search, in compiled calls of some milliseconds each, so that Ctrl-C is noticed between them.

    `colors` is a partial coloring that keeps the rules, and changes in place.
    """

    instance: Instance
    best: np.ndarray
    walk: ListEjectionState
    at: np.ndarray

    def __init__(self, instance: Instance, colors: np.ndarray, tight: bool, seed: int) -> None:
        n, k = len(colors), len(instance.room)
        above = np.maximum(np.diff(instance.indptr.astype(np.int64)) - k + 3, 0)
        strength = np.maximum(above * np.minimum(above, KNEE) >> FIRST, 1)
        waiting = np.flatnonzero(colors < 0)
        queue = np.zeros(n, np.uint32)
        queue[: len(waiting)] = waiting
        classes = (np.full(size if tight else 0, -1, np.int32) for size in (n, n, k, k))
        self.instance, self.best = instance, colors.copy()
        self.walk = ListEjectionState(colors, tight, strength, queue, np.empty(k, np.int64), np.empty(k), *classes)
        if tight:
            link_all(self.walk, instance.fixed)
        # Head of the queue, waiting, hopeless, fewest, whether `best` has those, moves, entries read.
        self.at = np.array([0, len(waiting), 0, len(waiting), 1, seed & 0xFFFFFFFF, 0], np.int64)

    def run(self, reads: int, until: float = -math.inf, latest: float = math.inf) -> Any:
        """The best colors, −1 for the fewest without one, after reading `entries` entries or a few more.

        Where the moment `until` is later, it goes on until then; the moment `latest` ends it.
        """
        # Each turn makes a move at least.
        while self.at[1] and (before(until) or self.at[6] < reads) and before(latest):
            end = self.at[6] + SLICE
            eject(self.instance, self.walk, self.best, self.at, min(end, reads) if self.at[6] < reads else end)
        if not self.at[4] and self.at[1] + self.at[2] == self.at[3]:
            return self.walk.colors
        return self.best


@njit(cache=True, nogil=True)
def eject(instance: Any, walk: Any, best: Any, at: Any, until: Any) -> None:
    """Moves, until no vertex waits or a number of entries have been read; `at` has where the search stands."""
    indptr, colors, strength = instance.indptr, walk.colors, walk.strength
    n, k = colors.size, instance.room.size
    head, waiting, hopeless, fewest, saved, moves, read = at[0], at[1], at[2], at[3], at[4], at[5], at[6]
    while waiting > 0 and read < until:
        v = walk.queue[head]
        read += count_costs(instance, walk, v)
        if walk.tight:
            read += count_room(instance, walk, v)
        c = cheapest(walk.cost, v, np.uint32(moves))
        moves += 1
        head = head + 1 if head + 1 < n else 0
        waiting -= 1
        if c < 0:  # no color at all is allowed: it waits no longer
            hopeless += 1
            continue
        if walk.cost[c] > 0 and waiting + hopeless + 1 == fewest and not saved:
            for u in range(n):  # before a move that may leave more without one
                best[u] = colors[u]
            read += n >> 3
            saved = 1
        tail = head + waiting if head + waiting < n else head + waiting - n
        out = take(instance, walk, v, c, tail)
        waiting += out
        if out > 0:
            above = max(np.int64(indptr[v + ONE32] - indptr[v]) - k + 3, 0)
            strength[v] += 1 + (above * min(above, KNEE) >> GAIN)
        if waiting + hopeless < fewest:
            fewest, saved = waiting + hopeless, 0
    at[0], at[1], at[2], at[3], at[4], at[5], at[6] = head, waiting, hopeless, fewest, saved, moves, read


@njit(cache=True, nogil=True)
def link_all(walk: Any, fixed: Any) -> None:
    """Fill the lists of the free vertices of each color, which are empty."""
    for v in range(walk.colors.size):
        if 0 <= walk.colors[v] < walk.newest.size and not fixed[v]:
            link(walk, v, walk.colors[v])


@njit(cache=True, nogil=True)
def link(walk: Any, v: Any, c: Any) -> None:
    """Put v in front of class c."""
    walk.newer[v], walk.older[v] = -1, walk.newest[c]
    if walk.newest[c] >= 0:
        walk.newer[walk.newest[c]] = v
    else:
        walk.oldest[c] = v
    walk.newest[c] = v


@njit(cache=True, nogil=True)
def unlink(walk: Any, v: Any, c: Any) -> None:
    """Take v out of class c."""
    newer, older = walk.newer[v], walk.older[v]
    if newer >= 0:
        walk.older[newer] = older
    else:
        walk.newest[c] = older
    if older >= 0:
        walk.newer[older] = newer
    else:
        walk.oldest[c] = newer


@njit(cache=True, nogil=True)
def count_costs(instance: Any, walk: Any, v: Any) -> Any:
    """What each color costs v by its neighbors and its list; returns how many entries were read."""
    indptr, indices, fixed, offsets, forbidden, weights, room = instance
    colors, cost, freed, strength = walk.colors, walk.cost, walk.freed, walk.strength
    k = room.size
    for i in range(k):
        cost[i] = 0
        freed[i] = 0
    for e in range(indptr[v], indptr[v + ONE32]):
        u = indices[e]
        c = colors[u]
        if 0 <= c < k:
            if fixed[u]:
                cost[c] = BARRED
            elif cost[c] != BARRED:
                cost[c] += strength[u]
                freed[c] += weights[u]
    for j in range(offsets[v], offsets[v + ONE32]):
        if forbidden[j] < k:
            cost[forbidden[j]] = BARRED
    return np.int64(indptr[v + ONE32] - indptr[v]) + (offsets[v + ONE32] - offsets[v]) + k


@njit(cache=True, nogil=True)
def count_room(instance: Any, walk: Any, v: Any) -> Any:
    """Add the cost of free capacity, by ejecting the oldest vertices of a class that are no neighbors of v; returns the
    steps."""
    weights, cost = instance.weights, walk.cost
    walked = 0
    for c in range(cost.size):
        lacking = weights[v] - instance.room[c] - walk.freed[c]
        if cost[c] == BARRED or lacking <= 0:
            continue
        u = walk.oldest[c]
        while u >= 0 and lacking > 0:
            walked += 1
            if not beside(instance.indptr, instance.indices, v, u):
                lacking -= weights[u]
                cost[c] += walk.strength[u]
            u = walk.newer[u]
        if lacking > 0:
            cost[c] = BARRED
    return walked


@njit(cache=True, nogil=True)
def beside(indptr: Any, indices: Any, v: Any, u: Any) -> Any:
    """Whether u is in the row of v, which is sorted."""
    low, high = np.int64(indptr[v]), np.int64(indptr[v + ONE32])
    while low < high:
        middle = (low + high) >> 1
        if np.int64(indices[middle]) < u:
            low = middle + 1
        else:
            high = middle
    return low < np.int64(indptr[v + ONE32]) and np.int64(indices[low]) == u


@njit(cache=True, nogil=True)
def cheapest(cost: Any, v: Any, noise: Any) -> Any:
    """The color that costs least, the first from a pseudorandom one on; −1 where all are barred."""
    k = np.int64(cost.size)
    c: Any = np.int64((mix32(np.uint32(v) ^ np.uint32(mix32(noise))) * np.uint64(k)) >> WORD)
    best: Any = np.int64(-1)
    for _ in range(k):
        if cost[c] >= 0 and (best < 0 or cost[c] < cost[best]):
            best = c
            if cost[c] == 0:
                break
        c = c + 1 if c + 1 < k else 0
    return best


@njit(cache=True, nogil=True)
def take(instance: Any, walk: Any, v: Any, c: Any, tail: Any) -> Any:
    """Give v a color and eject vertices in its way to the end of the queue; returns how many."""
    indptr, indices, room, weights = instance.indptr, instance.indices, instance.room, instance.weights
    out = 0
    for e in range(indptr[v], indptr[v + ONE32]):
        u = indices[e]
        if walk.colors[u] == c:  # not fixed: that color would be barred
            put_out(instance, walk, u, c, tail + out)
            out += 1
    while walk.tight and room[c] < weights[v] and walk.oldest[c] >= 0:
        put_out(instance, walk, np.uint32(walk.oldest[c]), c, tail + out)
        out += 1
    walk.colors[v] = c
    room[c] -= weights[v]
    if walk.tight:
        link(walk, v, c)
    return out


@njit(cache=True, nogil=True)
def put_out(instance: Any, walk: Any, u: Any, c: Any, at: Any) -> None:
    """Take the color of u away, and list u at a place of the queue."""
    walk.colors[u] = -1
    instance.room[c] += instance.weights[u]
    if walk.tight:
        unlink(walk, u, c)
    walk.queue[at if at < walk.queue.size else at - walk.queue.size] = u
