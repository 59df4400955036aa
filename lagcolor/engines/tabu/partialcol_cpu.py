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
    NONE_ALLOWED,
    ONE32,
    ORDER,
    TABUS,
    TIME,
    VALUE,
    VERTEX,
    ZERO,
    add,
    allow,
    choose,
    clear,
    drop,
    hold,
    keep,
    least_of,
    tick,
)  # fmt: skip

TENURE, SHARE = 10, (3, 5)
LOW, HIGH, LONG = 5, 6, 7  # of `at`: least and largest VALUE in the period, and the reactive tenure
PERIOD, GROWTH = 1000, 10  # of the reactive tenure: iterations, and by how much it grows


@njit(cache=True, nogil=True)
def begin(s: Any) -> None:
    """Fill the table and the list for these colors, 0 … k − 1 or −1; who has a neighbor's color loses it."""
    clear(s)
    n = np.uint64(s.colors.size)
    for v in range(n):
        alone = s.colors[v] >= 0
        for e in range(s.indptr[v], s.indptr[v + np.uint64(1)]):
            alone = alone and s.colors[s.indices[e]] != s.colors[v]
        if not alone:
            s.colors[v] = -1
            add(v, s)
        else:
            count(v, np.uint64(s.colors[v]), s)
    for v in range(n):
        s.best[v] = s.colors[v]
    s.at[VALUE] = s.at[BEST] = s.at[LOW] = s.at[HIGH] = s.at[LISTED]
    s.at[LONG] = TENURE


@njit(cache=True, nogil=True, forceinline=True)
def count(v: Any, c: Any, s: Any) -> None:
    """The neighbors of v have one more of color c."""
    for e in range(s.indptr[v], s.indptr[v + ONE32]):
        s.near[np.uint64(s.indices[e]) * s.width + c] += np.uint16(1)


@njit(cache=True, nogil=True)
def steps(s: Any, most: Any, reactive: Any) -> Any:
    """So many iterations, or until all have a color; returns how many. `best`: the best colors so far."""
    near, width, at, listed = s.near, s.width, s.at, s.listed
    done = 0
    while done < most and at[VALUE] > 0:
        done += 1
        tick(s)
        change, found = np.int64(NONE_ALLOWED), 0
        for i in range(at[LISTED]):
            v = listed[i]
            this = least_of(near, np.uint64(v) * width, s.vectors)
            if this <= change:
                if this < change:
                    change, found = this, 0
                s.ties[found] = v
                found += 1
        entry = ZERO
        if change < NONE_ALLOWED:
            total = ZERO
            for i in range(found):
                total, entry = choose(near, np.uint64(s.ties[i]) * width, s.vectors, change, total, entry, s.rng)
        else:  # all colors of all of these are tabu
            entry = np.uint64(listed[below(s.rng, at[LISTED])]) * width + below(s.rng, s.k)
            change = np.int64(near[entry])
            change = change - HELD if change >= HELD else change
        if at[VALUE] - 1 < at[BEST]:  # a tabu move might lead below the best
            for i in range(at[TABUS]):
                slot = s.slots[ORDER, i]
                if s.slots[ENTRY, slot] >= 0 and s.place[s.slots[VERTEX, slot]] >= 0:
                    this = np.int64(near[np.uint64(s.slots[ENTRY, slot])]) - HELD
                    if this < change and at[VALUE] + this - 1 < at[BEST]:
                        change, entry = this, np.uint64(s.slots[ENTRY, slot])
        allow(entry, s)
        at[VALUE] += change - 1
        tenure = at[LONG] if reactive else np.int64(below(s.rng, TENURE)) + SHARE[0] * at[VALUE] // SHARE[1]
        v = np.uint32(entry // width)
        take(v, entry - np.uint64(v) * width, change, tenure + 1, s)
        at[LOW], at[HIGH] = min(at[LOW], at[VALUE]), max(at[HIGH], at[VALUE])
        if at[TIME] % PERIOD == 0:
            at[LONG] += GROWTH if at[HIGH] - at[LOW] <= 1 else -1 if at[LONG] > 0 else 0
            at[LOW] = at[HIGH] = at[VALUE]
        keep(s)
    return done


@njit(cache=True, nogil=True, forceinline=True)
def take(v: Any, c: Any, ejected: Any, tenure: Any, s: Any) -> None:
    """A listed vertex takes a color, and its neighbors that have it, so many, lose it."""
    near, width = s.near, s.width
    drop(v, s)
    s.colors[v] = c
    for e in range(s.indptr[v], s.indptr[v + ONE32]):
        u = s.indices[e]
        near[np.uint64(u) * width + c] += np.uint16(1)
        if ejected > 0 and np.uint64(s.colors[u]) == c:
            ejected -= 1
            s.colors[u] = -1
            add(u, s)
            for f in range(s.indptr[u], s.indptr[u + ONE32]):
                near[np.uint64(s.indices[f]) * width + c] -= np.uint16(1)
            hold(np.uint64(u) * width + c, u, tenure, near, s.slots, s.buckets, s.at)
