"""TabuCol's loop (Hertz and de Werra 1987); arrays as in moves.py.

VALUE is the number of edges whose ends share a color. In each iteration the vertex in conflict and the color that
change it for the better, or for the worse by the least, are taken, one of several at random; the color that the vertex
had is tabu for it for rand(TENURE) + ALPHA · VALUE iterations, but where it leads below the least VALUE so far.

What is fast: a row of the table in one vectorized minimum, in which tabu colors lose by an addition that was made when
they became tabu, so that no iteration compares times; entries of 16 bits, so that the table stays in the cache.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device.bits import below
from ...device.compiled import njit
from .moves import (
    BEST,
    ENTRY,
    HELD,
    LISTED,
    NEVER,
    NONE_ALLOWED,
    ONE32,
    ORDER,
    TABUS,
    TIME,
    VALUE,
    VERTEX,
    ZERO,
    add,
    choose,
    drop,
    expire,
    free,
    hold,
    least_of,
)  # fmt: skip

TENURE, SHARE = 10, (3, 5)  # rand(10) + 0.6 · conflicts: Galinier and Hao 1999


@njit(cache=True, nogil=True)
def begin(
    indptr: Any, indices: Any, colors: Any, best: Any, near: Any, width: Any, k: Any, listed: Any, place: Any, at: Any
) -> None:
    """Fill the table and the list for these colors, 0 … k − 1 each; nothing is tabu."""
    n = np.uint64(colors.size)
    for e in range(near.size):
        near[np.uint64(e)] = 0
    at[LISTED], twice = 0, np.int64(0)
    for v in range(n):
        row = v * width
        for c in range(k, width):
            near[row + c] = NEVER
        place[v] = -1
        best[v] = colors[v]
        for e in range(indptr[v], indptr[v + np.uint64(1)]):
            near[row + np.uint64(colors[indices[e]])] += np.uint16(1)
        own = row + np.uint64(colors[v])
        if near[own] > 0:
            add(v, listed, place, at)
            twice += np.int64(near[own])
        near[own] += np.uint16(HELD)
    at[VALUE] = at[BEST] = twice // 2


@njit(cache=True, nogil=True)
def steps(
    indptr: Any, indices: Any, colors: Any, best: Any, near: Any, width: Any, vectors: Any, listed: Any, place: Any,
    ties: Any, slots: Any, buckets: Any, at: Any, rng: Any, k: Any, most: Any,
) -> Any:  # fmt: skip
    """So many iterations, or until no edge is in conflict; returns how many. `best`: the best colors so far."""
    done = 0
    while done < most and at[VALUE] > 0:
        done += 1
        at[TIME] += 1
        expire(near, slots, buckets, at)
        change, heaviest, count = np.int64(NONE_ALLOWED), np.int64(0), 0
        for i in range(at[LISTED]):
            v = listed[i]
            row = np.uint64(v) * width
            own = np.int64(near[row + np.uint64(colors[v])]) - HELD
            heaviest = max(heaviest, own)
            this = least_of(near, row, vectors) - own
            if this <= change:
                if this < change:
                    change, count = this, 0
                ties[count] = v
                count += 1
        entry, v = ZERO, ties[0]
        if change < NONE_ALLOWED:
            total = ZERO
            for i in range(count):
                row = np.uint64(ties[i]) * width
                own = np.int64(near[row + np.uint64(colors[ties[i]])]) - HELD
                total, entry = choose(near, row, vectors, change + own, total, entry, rng)
            v = np.uint32(entry // width)
        else:  # all colors of all of these are tabu
            v = listed[below(rng, at[LISTED])]
            row = np.uint64(v) * width
            other = below(rng, k - 1)
            entry = row + other + np.uint64(other >= np.uint64(colors[v]))
            change = np.int64(near[entry]) - np.int64(near[row + np.uint64(colors[v])])
        if at[VALUE] - heaviest < at[BEST]:  # a tabu move might lead below the best
            for i in range(at[TABUS]):
                s = slots[ORDER, i]
                u = slots[VERTEX, s]
                if slots[ENTRY, s] >= 0 and place[u] >= 0:
                    other = np.uint64(slots[ENTRY, s])
                    this = np.int64(near[other]) - np.int64(near[np.uint64(u) * width + np.uint64(colors[u])])
                    if this < change and at[VALUE] + this < at[BEST]:
                        change, entry, v = this, other, np.uint32(u)
        if near[entry] >= HELD:
            for i in range(at[TABUS]):
                if slots[ENTRY, slots[ORDER, i]] == np.int64(entry):
                    free(slots[ORDER, i], near, slots, at)
                    break
        recolor(indptr, indices, colors, near, width, listed, place, at, v, entry, slots, buckets, rng, change)
        if at[VALUE] < at[BEST]:
            at[BEST] = at[VALUE]
            for u in range(np.uint64(colors.size)):
                best[u] = colors[u]
    return done


@njit(cache=True, nogil=True, forceinline=True)
def recolor(
    indptr: Any, indices: Any, colors: Any, near: Any, width: Any, listed: Any, place: Any, at: Any, v: Any, entry: Any,
    slots: Any, buckets: Any, rng: Any, change: Any,
) -> None:  # fmt: skip
    """Make a move, and its reverse tabu."""
    row = np.uint64(v) * width
    old, new = np.uint64(colors[v]), entry - row
    at[VALUE] += change
    for e in range(indptr[v], indptr[v + ONE32]):
        u = indices[e]
        there = np.uint64(u) * width
        near[there + old] -= np.uint16(1)
        near[there + new] += np.uint16(1)
        c = np.uint64(colors[u])
        if c == old:
            if near[there + old] == HELD:
                drop(u, listed, place, at)
        elif c == new and place[u] < 0:
            add(u, listed, place, at)
    if near[entry] == 0:
        drop(v, listed, place, at)
    near[entry] += np.uint16(HELD)
    near[row + old] -= np.uint16(HELD)
    colors[v] = new
    tenure = np.int64(below(rng, TENURE)) + SHARE[0] * at[VALUE] // SHARE[1]
    hold(row + old, v, tenure + 1, near, slots, buckets, at)
