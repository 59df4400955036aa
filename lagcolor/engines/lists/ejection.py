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


@njit(cache=True, nogil=True)
def eject(
    indptr: Any, indices: Any, colors: Any, fixed: Any, offsets: Any, forbidden: Any, weights: Any, room: Any,
    tight: bool, seed: Any, reads: Any,
) -> Any:  # fmt: skip
    """Color the vertices without one; returns colors, −1 for the fewest that were left, and how many these are.

    `fixed` is a mask; `tight`: whether room is to be looked at.
    """
    n, k = colors.size, room.size
    strength = np.empty(n, np.int64)
    queue, head, waiting = np.empty(n, np.uint32), 0, 0
    for v in range(n):
        above = max(np.int64(indptr[v + 1] - indptr[v]) - k + 3, 0)
        strength[v] = max(above * min(above, KNEE) >> FIRST, 1)
        if colors[v] < 0:
            queue[waiting] = v
            waiting += 1
    classes = linked(colors, fixed, k if tight else 0)
    cost, freed = np.empty(k, np.int64), np.empty(k)
    best, fewest, saved = colors.copy(), waiting, True
    read, steps, hopeless = 0, np.uint32(seed), 0
    while waiting > 0 and read < reads:
        v = queue[head]
        read += count_costs(indptr, indices, v, colors, fixed, offsets, forbidden, strength, weights, cost, freed)
        if tight:
            read += count_room(v, fixed, colors, weights, strength, room, cost, freed, classes, indptr, indices)
        c = cheapest(cost, v, steps)
        steps += ONE32
        head = head + 1 if head + 1 < n else 0
        waiting -= 1
        if c < 0:  # no color at all is allowed: it waits no longer
            hopeless += 1
            continue
        if cost[c] > 0 and waiting + hopeless + 1 <= fewest and not saved:
            best[:] = colors  # before a move that may leave more without one
            read += n >> 3
            saved = True
        tail = head + waiting if head + waiting < n else head + waiting - n
        out = take(indptr, indices, v, c, colors, fixed, weights, room, tight, classes, queue, tail)
        waiting += out
        if out > 0:
            above = max(np.int64(indptr[v + ONE32] - indptr[v]) - k + 3, 0)
            strength[v] += 1 + (above * min(above, KNEE) >> GAIN)
        if waiting + hopeless < fewest:
            fewest, saved = waiting + hopeless, False
    if not saved and waiting + hopeless == fewest:
        best[:] = colors
    return best, fewest


@njit(cache=True, nogil=True)
def linked(colors: Any, fixed: Any, k: Any) -> Any:
    """Lists of the free vertices of each color: newer, older, newest, oldest; empty arrays where k is 0."""
    n = colors.size if k else 0
    newer, older = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    newest, oldest = np.full(k, -1, np.int32), np.full(k, -1, np.int32)
    for v in range(n):
        if 0 <= colors[v] < k and not fixed[v]:
            link(v, colors[v], newer, older, newest, oldest)
    return newer, older, newest, oldest


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
    cost[:] = 0
    freed[:] = 0
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
    v: Any, fixed: Any, colors: Any, weights: Any, strength: Any, room: Any, cost: Any, freed: Any, classes: Any,
    indptr: Any, indices: Any,
) -> Any:  # fmt: skip
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
    indptr: Any, indices: Any, v: Any, c: Any, colors: Any, fixed: Any, weights: Any, room: Any, tight: bool,
    classes: Any, queue: Any, tail: Any,
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
