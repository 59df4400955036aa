"""PartialCol's loop (Blöchliger and Zufferey 2008); arrays as in moves.py. Colors of vertices in the list are −1.

VALUE is the number of vertices without a color. In each iteration one of them takes a color, and its neighbors of that
color lose it: the vertex and the color for which these are fewest, one of several at random. The color is tabu for who
lost it, for a tenure that is drawn once an iteration, but where it leads below the least VALUE so far.

The tenure is rand(TENURE) + 0.6 · VALUE, or reactive (FOO): it grows where VALUE hardly changed in a period, and falls
slowly otherwise.
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

TENURE, SHARE = 10, (3, 5)
LOW, HIGH, LONG = 5, 6, 7  # of `at`: least and largest VALUE in the period, and the reactive tenure
PERIOD, GROWTH = 1000, 10  # of the reactive tenure: iterations, and by how much it grows


@njit(cache=True, nogil=True)
def begin(
    indptr: Any, indices: Any, colors: Any, best: Any, near: Any, width: Any, k: Any, listed: Any, place: Any, at: Any
) -> None:
    """Fill the table and the list for these colors, 0 … k − 1 or −1; who has a neighbor's color loses it."""
    n = np.uint64(colors.size)
    for e in range(near.size):
        near[np.uint64(e)] = 0
    at[LISTED] = 0
    for v in range(n):
        place[v] = -1
        for c in range(k, width):
            near[v * width + c] = NEVER
    for v in range(n):
        alone = colors[v] >= 0
        for e in range(indptr[v], indptr[v + np.uint64(1)]):
            alone = alone and colors[indices[e]] != colors[v]
        if not alone:
            colors[v] = -1
            add(v, listed, place, at)
        else:
            count(indptr, indices, v, np.uint64(colors[v]), near, width)
        best[v] = colors[v]
    for v in range(n):
        best[v] = colors[v]
    at[VALUE] = at[BEST] = at[LOW] = at[HIGH] = at[LISTED]
    at[LONG] = TENURE


@njit(cache=True, nogil=True, forceinline=True)
def count(indptr: Any, indices: Any, v: Any, c: Any, near: Any, width: Any) -> None:
    """The neighbors of v have one more of color c."""
    for e in range(indptr[v], indptr[v + ONE32]):
        near[np.uint64(indices[e]) * width + c] += np.uint16(1)


@njit(cache=True, nogil=True)
def steps(
    indptr: Any, indices: Any, colors: Any, best: Any, near: Any, width: Any, vectors: Any, listed: Any, place: Any,
    ties: Any, slots: Any, buckets: Any, at: Any, rng: Any, k: Any, most: Any, reactive: Any,
) -> Any:  # fmt: skip
    """So many iterations, or until all have a color; returns how many. `best`: the best colors so far."""
    done = 0
    while done < most and at[VALUE] > 0:
        done += 1
        at[TIME] += 1
        expire(near, slots, buckets, at)
        change, found = np.int64(NONE_ALLOWED), 0
        for i in range(at[LISTED]):
            v = listed[i]
            this = least_of(near, np.uint64(v) * width, vectors)
            if this <= change:
                if this < change:
                    change, found = this, 0
                ties[found] = v
                found += 1
        entry = ZERO
        if change < NONE_ALLOWED:
            total = ZERO
            for i in range(found):
                total, entry = choose(near, np.uint64(ties[i]) * width, vectors, change, total, entry, rng)
        else:  # all colors of all of these are tabu
            entry = np.uint64(listed[below(rng, at[LISTED])]) * width + below(rng, k)
            change = np.int64(near[entry])
            change = change - HELD if change >= HELD else change
        if at[VALUE] - 1 < at[BEST]:  # a tabu move might lead below the best
            for i in range(at[TABUS]):
                s = slots[ORDER, i]
                if slots[ENTRY, s] >= 0 and place[slots[VERTEX, s]] >= 0:
                    this = np.int64(near[np.uint64(slots[ENTRY, s])]) - HELD
                    if this < change and at[VALUE] + this - 1 < at[BEST]:
                        change, entry = this, np.uint64(slots[ENTRY, s])
        if near[entry] >= HELD:
            for i in range(at[TABUS]):
                if slots[ENTRY, slots[ORDER, i]] == np.int64(entry):
                    free(slots[ORDER, i], near, slots, at)
                    break
        at[VALUE] += change - 1
        tenure = at[LONG] if reactive else np.int64(below(rng, TENURE)) + SHARE[0] * at[VALUE] // SHARE[1]
        v = np.uint32(entry // width)
        c = entry - np.uint64(v) * width
        take(indptr, indices, colors, near, width, listed, place, at, v, c, change, slots, buckets, tenure + 1)
        at[LOW], at[HIGH] = min(at[LOW], at[VALUE]), max(at[HIGH], at[VALUE])
        if at[TIME] % PERIOD == 0:
            at[LONG] += GROWTH if at[HIGH] - at[LOW] <= 1 else -1 if at[LONG] > 0 else 0
            at[LOW] = at[HIGH] = at[VALUE]
        if at[VALUE] < at[BEST]:
            at[BEST] = at[VALUE]
            for u in range(np.uint64(colors.size)):
                best[u] = colors[u]
    return done


@njit(cache=True, nogil=True, forceinline=True)
def take(
    indptr: Any, indices: Any, colors: Any, near: Any, width: Any, listed: Any, place: Any, at: Any, v: Any, c: Any,
    ejected: Any, slots: Any, buckets: Any, tenure: Any,
) -> None:  # fmt: skip
    """A listed vertex takes a color, and its neighbors that have it, so many, lose it."""
    drop(v, listed, place, at)
    colors[v] = c
    for e in range(indptr[v], indptr[v + ONE32]):
        u = indices[e]
        near[np.uint64(u) * width + c] += np.uint16(1)
        if ejected > 0 and np.uint64(colors[u]) == c:
            ejected -= 1
            colors[u] = -1
            add(u, listed, place, at)
            for f in range(indptr[u], indptr[u + ONE32]):
                near[np.uint64(indices[f]) * width + c] -= np.uint16(1)
            hold(np.uint64(u) * width + c, u, tenure, near, slots, buckets, at)
