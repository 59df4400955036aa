"""What the loops of TabuCol and PartialCol share: the table of conflicts, the best move in it, and the tabu list.

==========  ============================================================================================================
near        near[row of v + c]: neighbors of v that have color c, uint16; `width` entries a row, a multiple of LANES.
            HELD is added where v may not take c: a tabu entry, in TabuCol also its own color. Entries past the colors
            have NEVER. So one vectorized minimum over a row finds the best color that is allowed
listed      vertices that may move (TabuCol: those in conflict, PartialCol: those without a color), in any order;
            `place` is where a vertex is in it, −1 for none
slots       the tabu list, a column an entry: place in `near`, vertex, next in its bucket; row ORDER holds the numbers
            of all columns, those in use first, and row WHERE the place of each in it
buckets     first column of those that end at an iteration, modulo their number; −1 for none
at          numbers of a search that go on from call to call: see TIME and the following
==========  ============================================================================================================
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device.bits import below
from ...device.compiled import njit
from ...device.intrinsics import LANES, ctz64, equal16, least16, popcount64

HELD, NEVER = 1 << 15, 0xFFFF
SLOTS = BUCKETS = 1 << 12  # tabu entries at once; iterations that one lasts, at most
ENTRY, VERTEX, NEXT, ORDER, WHERE = range(5)
TIME, VALUE, BEST, LISTED, TABUS = range(5)
NONE_ALLOWED = 1 << 14  # as a change of the objective: every entry is tabu
ONE32 = np.uint32(1)
ZERO, ONE, LANE = np.uint64(0), np.uint64(1), np.uint64(LANES)


@njit(cache=True, nogil=True, forceinline=True)
def add(v: Any, listed: Any, place: Any, at: Any) -> None:
    """List a vertex that is not."""
    listed[at[LISTED]] = v
    place[v] = at[LISTED]
    at[LISTED] += 1


@njit(cache=True, nogil=True, forceinline=True)
def drop(v: Any, listed: Any, place: Any, at: Any) -> None:
    """Take a vertex off the list; the last one takes its place."""
    at[LISTED] -= 1
    last = listed[at[LISTED]]
    listed[place[v]] = last
    place[last] = place[v]
    place[v] = -1


@njit(cache=True, nogil=True, inner=True)
def hold(entry: Any, v: Any, tenure: Any, near: Any, slots: Any, buckets: Any, at: Any) -> None:
    """Make an entry tabu for so many iterations; where the list is full it is not."""
    if at[TABUS] == SLOTS:
        return
    s = slots[ORDER, at[TABUS]]
    at[TABUS] += 1
    bucket = (at[TIME] + min(tenure, BUCKETS - 1)) & (BUCKETS - 1)
    slots[ENTRY, s], slots[VERTEX, s], slots[NEXT, s] = entry, v, buckets[bucket]
    buckets[bucket] = s
    near[np.uint64(entry)] += np.uint16(HELD)


@njit(cache=True, nogil=True, inner=True)
def free(s: Any, near: Any, slots: Any, at: Any) -> None:
    """End a tabu entry; its column stays in the bucket, without an entry, until that is due."""
    near[np.uint64(slots[ENTRY, s])] -= np.uint16(HELD)
    slots[ENTRY, s] = -1


@njit(cache=True, nogil=True, forceinline=True)
def expire(near: Any, slots: Any, buckets: Any, at: Any) -> None:
    """End what is due."""
    bucket = at[TIME] & (BUCKETS - 1)
    s = buckets[bucket]
    if s < 0:
        return
    buckets[bucket] = -1
    while s >= 0:
        if slots[ENTRY, s] >= 0:
            free(s, near, slots, at)
        at[TABUS] -= 1
        last, hole = slots[ORDER, at[TABUS]], slots[WHERE, s]
        slots[ORDER, hole], slots[WHERE, last] = last, hole
        slots[ORDER, at[TABUS]], slots[WHERE, s] = s, at[TABUS]
        s = slots[NEXT, s]


@njit(cache=True, nogil=True, forceinline=True)
def least_of(near: Any, row: Any, vectors: Any) -> Any:
    """The least entry of a row."""
    return np.int64(least16(near, row, vectors))


@njit(cache=True, nogil=True, forceinline=True)
def choose(near: Any, row: Any, vectors: Any, value: Any, total: Any, kept: Any, rng: Any) -> Any:
    """One of the entries with a value, of this row and those before it, all equally likely.

    `kept` is the entry so far, `total` how many there were; returns both anew.
    """
    for b in range(vectors):
        bits = equal16(near, row + b * LANE, np.uint64(value))
        if bits != ZERO:
            count = popcount64(bits)
            total += count
            r = below(rng, total) if total > ONE else ZERO
            if r < count:
                for _ in range(r):
                    bits &= bits - ONE
                kept = row + b * LANE + ctz64(bits)
    return total, kept
