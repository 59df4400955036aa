"""What the loops of TabuCol and PartialCol share: the table of conflicts, the best move in it, and the tabu list.

==========  ============================================================================================================
colors      of each vertex; `best`: those of the least objective so far
near        near[row of v + c]: neighbors of v that have color c, uint16; `width` entries a row, a multiple of LANES.
            BARRED is added where v may not take c: a tabu entry, in TabuCol also its own color. Entries past the colors
            have NEVER. So one vectorized minimum over a row finds the best color that is allowed
listed      vertices that may move (TabuCol: those in conflict, PartialCol: those without a color), in any order;
            `place` is where a vertex is in it, −1 for none
slots       the tabu list, a column an entry: place in `near`, vertex, next in its bucket; row ORDER holds the numbers
            of all columns, those in use first, and row WHERE the place of each in it
buckets     first column of those that end at an iteration, modulo their number; −1 for none
at          numbers of a search that go on from call to call: see TIME and the following. LOW, HIGH: least and largest
            VALUE in the period; LONG: the reactive tenure
==========  ============================================================================================================
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...device.bits import below
from ...device.compiled import njit
from ...device.intrinsics import LANES, ctz64, equal16, least16, popcount64

BARRED, NEVER = 1 << 15, 0xFFFF
SLOTS = BUCKETS = 1 << 12  # tabu entries at once; iterations that one lasts, at most
ENTRY, VERTEX, NEXT, ORDER, WHERE = range(5)
TIME, VALUE, BEST, LISTED, TABUS, LOW, HIGH, LONG = range(8)
NONE_ALLOWED = 1 << 14  # as a change of the objective: every entry is tabu
ONE32 = np.uint32(1)
ZERO, ONE, LANE = np.uint64(0), np.uint64(1), np.uint64(LANES)


class State(NamedTuple):
    """A search: the graph, which moves, colors (k), entries of a row (width) and vectors of these, the arrays above.

    `ties` has room for the vertices of moves that are as good as each other.
    """

    indptr: Any
    indices: Any
    moves: int
    k: Any
    width: Any
    vectors: Any
    colors: Any
    best: Any
    near: Any
    listed: Any
    place: Any
    ties: Any
    slots: Any
    buckets: Any
    at: Any
    rng: Any


@njit(cache=True, nogil=True)
def clear(s: Any) -> None:
    """Nothing is counted, listed or tabu."""
    for e in range(s.near.size):
        s.near[np.uint64(e)] = 0
    s.at[:] = 0
    s.place[:] = -1
    s.buckets[:] = -1
    for i in range(SLOTS):
        s.slots[ORDER, i] = s.slots[WHERE, i] = i
    for v in range(np.uint64(s.colors.size)):
        for c in range(s.k, s.width):
            s.near[v * s.width + c] = NEVER


@njit(cache=True, nogil=True, forceinline=True)
def add(v: Any, s: Any) -> None:
    """List a vertex that is not."""
    s.listed[s.at[LISTED]] = v
    s.place[v] = s.at[LISTED]
    s.at[LISTED] += 1


@njit(cache=True, nogil=True, forceinline=True)
def drop(v: Any, s: Any) -> None:
    """Take a vertex off the list; the last one takes its place."""
    s.at[LISTED] -= 1
    last = s.listed[s.at[LISTED]]
    s.listed[s.place[v]] = last
    s.place[last] = s.place[v]
    s.place[v] = -1


@njit(cache=True, nogil=True, forceinline=True)
def keep(s: Any) -> None:
    """The colors are the best so far, if they are."""
    if s.at[VALUE] < s.at[BEST]:
        s.at[BEST] = s.at[VALUE]
        for u in range(np.uint64(s.colors.size)):
            s.best[u] = s.colors[u]


@njit(cache=True, nogil=True)
def hold(entry: Any, v: Any, tenure: Any, s: Any) -> None:
    """Make an entry tabu for so many iterations; where the list is full it is not."""
    if s.at[TABUS] == SLOTS:
        return
    i = s.slots[ORDER, s.at[TABUS]]
    s.at[TABUS] += 1
    bucket = (s.at[TIME] + min(tenure, BUCKETS - 1)) & (BUCKETS - 1)
    s.slots[ENTRY, i], s.slots[VERTEX, i], s.slots[NEXT, i] = entry, v, s.buckets[bucket]
    s.buckets[bucket] = i
    s.near[np.uint64(entry)] += np.uint16(BARRED)


@njit(cache=True, nogil=True)
def free(i: Any, s: Any) -> None:
    """End a tabu entry; its column stays in the bucket, without an entry, until that is due."""
    s.near[np.uint64(s.slots[ENTRY, i])] -= np.uint16(BARRED)
    s.slots[ENTRY, i] = -1


@njit(cache=True, nogil=True, forceinline=True)
def allow(entry: Any, s: Any) -> None:
    """End a tabu entry that is taken, if it is one."""
    if s.near[entry] >= BARRED:
        for i in range(s.at[TABUS]):
            if s.slots[ENTRY, s.slots[ORDER, i]] == np.int64(entry):
                free(s.slots[ORDER, i], s)
                break


@njit(cache=True, nogil=True, forceinline=True)
def tick(s: Any) -> None:
    """The next iteration begins; what is due ends."""
    s.at[TIME] += 1
    bucket = s.at[TIME] & (BUCKETS - 1)
    i = s.buckets[bucket]
    if i < 0:
        return
    s.buckets[bucket] = -1
    while i >= 0:
        if s.slots[ENTRY, i] >= 0:
            free(i, s)
        s.at[TABUS] -= 1
        last, hole = s.slots[ORDER, s.at[TABUS]], s.slots[WHERE, i]
        s.slots[ORDER, hole], s.slots[WHERE, last] = last, hole
        s.slots[ORDER, s.at[TABUS]], s.slots[WHERE, i] = i, s.at[TABUS]
        i = s.slots[NEXT, i]


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
