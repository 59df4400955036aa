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
    NONE_ALLOWED,
    ONE32,
    ORDER,
    TABUS,
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

TENURE, SHARE = 10, (3, 5)  # rand(10) + 0.6 · conflicts: Galinier and Hao 1999


@njit(cache=True, nogil=True)
def begin(s: Any) -> None:
    """Fill the table and the list for these colors, 0 … k − 1 each; nothing is tabu."""
    clear(s)
    twice = np.int64(0)
    for v in range(np.uint64(s.colors.size)):
        row = v * s.width
        s.best[v] = s.colors[v]
        for e in range(s.indptr[v], s.indptr[v + np.uint64(1)]):
            s.near[row + np.uint64(s.colors[s.indices[e]])] += np.uint16(1)
        own = row + np.uint64(s.colors[v])
        if s.near[own] > 0:
            add(v, s)
            twice += np.int64(s.near[own])
        s.near[own] += np.uint16(HELD)
    s.at[VALUE] = s.at[BEST] = twice // 2


@njit(cache=True, nogil=True)
def steps(s: Any, most: Any) -> Any:
    """So many iterations, or until no edge is in conflict; returns how many. `best`: the best colors so far."""
    near, width, at, listed = s.near, s.width, s.at, s.listed
    done = 0
    while done < most and at[VALUE] > 0:
        done += 1
        tick(s)
        change, heaviest, count = np.int64(NONE_ALLOWED), np.int64(0), 0
        for i in range(at[LISTED]):
            v = listed[i]
            row = np.uint64(v) * width
            own = np.int64(near[row + np.uint64(s.colors[v])]) - HELD
            heaviest = max(heaviest, own)
            this = least_of(near, row, s.vectors) - own
            if this <= change:
                if this < change:
                    change, count = this, 0
                s.ties[count] = v
                count += 1
        entry, v = ZERO, s.ties[0]
        if change < NONE_ALLOWED:
            total = ZERO
            for i in range(count):
                row = np.uint64(s.ties[i]) * width
                own = np.int64(near[row + np.uint64(s.colors[s.ties[i]])]) - HELD
                total, entry = choose(near, row, s.vectors, change + own, total, entry, s.rng)
            v = np.uint32(entry // width)
        else:  # all colors of all of these are tabu
            v = listed[below(s.rng, at[LISTED])]
            row = np.uint64(v) * width
            other = below(s.rng, s.k - 1)
            entry = row + other + np.uint64(other >= np.uint64(s.colors[v]))
            change = np.int64(near[entry]) - np.int64(near[row + np.uint64(s.colors[v])])
        if at[VALUE] - heaviest < at[BEST]:  # a tabu move might lead below the best
            for i in range(at[TABUS]):
                slot = s.slots[ORDER, i]
                u = s.slots[VERTEX, slot]
                if s.slots[ENTRY, slot] >= 0 and s.place[u] >= 0:
                    other = np.uint64(s.slots[ENTRY, slot])
                    this = np.int64(near[other]) - np.int64(near[np.uint64(u) * width + np.uint64(s.colors[u])])
                    if this < change and at[VALUE] + this < at[BEST]:
                        change, entry, v = this, other, np.uint32(u)
        allow(entry, s)
        recolor(v, entry, change, s)
        keep(s)
    return done


@njit(cache=True, nogil=True, forceinline=True)
def recolor(v: Any, entry: Any, change: Any, s: Any) -> None:
    """Make a move, and its reverse tabu."""
    near, at = s.near, s.at
    row = np.uint64(v) * s.width
    old, new = np.uint64(s.colors[v]), entry - row
    at[VALUE] += change
    for e in range(s.indptr[v], s.indptr[v + ONE32]):
        u = s.indices[e]
        there = np.uint64(u) * s.width
        near[there + old] -= np.uint16(1)
        near[there + new] += np.uint16(1)
        c = np.uint64(s.colors[u])
        if c == old:
            if near[there + old] == HELD:
                drop(u, s)
        elif c == new and s.place[u] < 0:
            add(u, s)
    if near[entry] == 0:
        drop(v, s)
    near[entry] += np.uint16(HELD)
    near[row + old] -= np.uint16(HELD)
    s.colors[v] = new
    tenure = np.int64(below(s.rng, TENURE)) + SHARE[0] * at[VALUE] // SHARE[1]
    hold(row + old, v, tenure + 1, near, s.slots, s.buckets, at)
