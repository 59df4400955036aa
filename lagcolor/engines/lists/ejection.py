"""Ejection with lists and capacities, one vertex after the other: a bounded local search for a complete coloring.

A vertex without a color takes, of the colors allowed to it, the one whose taking ejects the least weight together:
neighbors that have it, and where its class lacks room the vertices that have been in it the longest. Vertices that were
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

from typing import Any

import numpy as np

from ...device.bits import mix32
from ...device.compiled import njit

ONE32, WORD = np.uint32(1), np.uint64(32)
KNEE, FIRST, GAIN = 128, 7, 9  # as of engines/recolor/ejections.py
BARRED = np.int64(-1)
SLICE = 1 << 22  # entries that a compiled call reads


class Ejection:
    """A search, in compiled calls of some milliseconds each, so that Ctrl-C is noticed between them.

    Parameters
    ----------
    indptr, indices : unsigned arrays
    colors : array of int32, shape (n,)
        A partial coloring that keeps the rules; changed in place.
    fixed : mask
    offsets, forbidden : CSR
    weights : array of float64, shape (n,)
    room : array of float64, shape (k,)
        What classes may still weigh; changed in place.
    tight : bool
        Whether room is to be looked at.
    seed : int
    """

    def __init__(
        self, indptr: Any, indices: Any, colors: Any, fixed: Any, offsets: Any, forbidden: Any, weights: Any, room: Any,
        tight: bool, seed: int,
    ) -> None:  # fmt: skip
        n, k = len(colors), len(room)
        above = np.maximum(np.diff(indptr.astype(np.int64)) - k + 3, 0)
        strength = np.maximum(above * np.minimum(above, KNEE) >> FIRST, 1)
        waiting = np.flatnonzero(colors < 0)
        queue = np.zeros(n, np.uint32)
        queue[: len(waiting)] = waiting
        self.best = colors.copy()
        # Head of the queue, waiting, hopeless, fewest, whether `best` has those, moves, entries read.
        self.at = np.array([0, len(waiting), 0, len(waiting), 1, seed & 0xFFFFFFFF, 0], np.int64)
        rules = fixed, offsets, forbidden, weights, room, tight
        scratch = strength, queue, linked(colors, fixed, k if tight else 0), np.empty(k, np.int64), np.empty(k)
        self.args = (indptr, indices, colors, *rules, *scratch, self.best, self.at)

    def run(self, reads: int) -> Any:
        """The best colors, −1 for the fewest without one, after reading so many entries or a few more."""
        while self.at[1] and self.at[6] < reads:  # each turn makes a move at least
            eject(*self.args, min(self.at[6] + SLICE, reads))
        if not self.at[4] and self.at[1] + self.at[2] == self.at[3]:
            return self.args[2]
        return self.best


@njit(cache=True, nogil=True)
def eject(
    indptr: Any, indices: Any, colors: Any, fixed: Any, offsets: Any, forbidden: Any, weights: Any, room: Any,
    tight: bool, strength: Any, queue: Any, classes: Any, cost: Any, freed: Any, best: Any, at: Any, until: Any,
) -> None:  # fmt: skip
    """Moves, until no vertex waits or so many entries have been read; `at` has where the search stands."""
    n, k = colors.size, room.size
    head, waiting, hopeless, fewest, saved, moves, read = at[0], at[1], at[2], at[3], at[4], at[5], at[6]
    while waiting > 0 and read < until:
        v = queue[head]
        read += count_costs(indptr, indices, v, colors, fixed, offsets, forbidden, strength, weights, cost, freed)
        if tight:
            read += count_room(v, weights, strength, room, cost, freed, classes, indptr, indices)
        c = cheapest(cost, v, np.uint32(moves))
        moves += 1
        head = head + 1 if head + 1 < n else 0
        waiting -= 1
        if c < 0:  # no color at all is allowed: it waits no longer
            hopeless += 1
            continue
        if cost[c] > 0 and waiting + hopeless + 1 == fewest and not saved:
            for u in range(n):  # before a move that may leave more without one
                best[u] = colors[u]
            read += n >> 3
            saved = 1
        tail = head + waiting if head + waiting < n else head + waiting - n
        out = take(indptr, indices, v, c, colors, weights, room, tight, classes, queue, tail)
        waiting += out
        if out > 0:
            above = max(np.int64(indptr[v + ONE32] - indptr[v]) - k + 3, 0)
            strength[v] += 1 + (above * min(above, KNEE) >> GAIN)
        if waiting + hopeless < fewest:
            fewest, saved = waiting + hopeless, 0
    at[0], at[1], at[2], at[3], at[4], at[5], at[6] = head, waiting, hopeless, fewest, saved, moves, read


def linked(colors: np.ndarray, fixed: np.ndarray, k: int) -> tuple[np.ndarray, ...]:
    """Lists of the free vertices of each color: newer, older, newest, oldest; empty arrays where k is 0."""
    n = len(colors) if k else 0
    classes = tuple(np.full(size, -1, np.int32) for size in (n, n, k, k))
    if n:
        _link_all(colors, fixed, *classes)
    return classes


@njit(cache=True, nogil=True)
def _link_all(colors: Any, fixed: Any, newer: Any, older: Any, newest: Any, oldest: Any) -> None:
    """Fill the lists, which are empty."""
    for v in range(colors.size):
        if 0 <= colors[v] < newest.size and not fixed[v]:
            link(v, colors[v], newer, older, newest, oldest)


@njit(cache=True, nogil=True)
def link(v: Any, c: Any, newer: Any, older: Any, newest: Any, oldest: Any) -> None:
    """Put v in front of class c."""
    newer[v], older[v] = -1, newest[c]
    if newest[c] >= 0:
        newer[newest[c]] = v
    else:
        oldest[c] = v
    newest[c] = v


@njit(cache=True, nogil=True)
def unlink(v: Any, c: Any, newer: Any, older: Any, newest: Any, oldest: Any) -> None:
    """Take v out of class c."""
    if newer[v] >= 0:
        older[newer[v]] = older[v]
    else:
        newest[c] = older[v]
    if older[v] >= 0:
        newer[older[v]] = newer[v]
    else:
        oldest[c] = newer[v]


@njit(cache=True, nogil=True)
def count_costs(
    indptr: Any, indices: Any, v: Any, colors: Any, fixed: Any, offsets: Any, forbidden: Any, strength: Any,
    weights: Any, cost: Any, freed: Any,
) -> Any:  # fmt: skip
    """What each color costs v by its neighbors and its list; returns how many entries were read."""
    k = cost.size
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
def count_room(
    v: Any, weights: Any, strength: Any, room: Any, cost: Any, freed: Any, classes: Any, indptr: Any, indices: Any
) -> Any:
    """Add what making room costs, by the oldest vertices of a class that are no neighbors of v; returns the steps."""
    _, _, _, oldest = classes
    newer = classes[0]
    walked = 0
    for c in range(cost.size):
        lacking = weights[v] - room[c] - freed[c]
        if cost[c] == BARRED or lacking <= 0:
            continue
        u = oldest[c]
        while u >= 0 and lacking > 0:
            walked += 1
            if not beside(indptr, indices, v, u):
                lacking -= weights[u]
                cost[c] += strength[u]
            u = newer[u]
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
def take(
    indptr: Any, indices: Any, v: Any, c: Any, colors: Any, weights: Any, room: Any, tight: bool, classes: Any,
    queue: Any, tail: Any,
) -> Any:  # fmt: skip
    """Give v a color and eject whoever is in its way, to the end of the queue; returns how many."""
    newer, older, newest, oldest = classes
    out = 0
    for e in range(indptr[v], indptr[v + ONE32]):
        u = indices[e]
        if colors[u] == c:  # not fixed: that color would be barred
            out += put_out(u, c, colors, weights, room, tight, classes, queue, tail + out)
    while tight and room[c] < weights[v] and oldest[c] >= 0:
        out += put_out(np.uint32(oldest[c]), c, colors, weights, room, tight, classes, queue, tail + out)
    colors[v] = c
    room[c] -= weights[v]
    if tight:
        link(v, c, newer, older, newest, oldest)
    return out


@njit(cache=True, nogil=True)
def put_out(
    u: Any, c: Any, colors: Any, weights: Any, room: Any, tight: bool, classes: Any, queue: Any, at: Any
) -> Any:
    """Take the color of u away, and list u; 1."""
    newer, older, newest, oldest = classes
    colors[u] = -1
    room[c] += weights[u]
    if tight:
        unlink(u, c, newer, older, newest, oldest)
    queue[at if at < queue.size else at - queue.size] = u
    return 1
