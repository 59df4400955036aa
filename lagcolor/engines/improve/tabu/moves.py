"""Functions that TabuCol and PartialCol share: the table of conflicts, the best move in it, and the tabu list.

==========  ============================================================================================================
colors      color of each vertex; `best`: colors of the least objective so far; `tones`: the present colors as uint16
near        near[c · stride + v]: number of neighbors of v that have color c, uint16. BARRED is added if the entry is
            tabu. A move changes two columns
rows        rows[v · width + c]: copy of `near` by row for listed vertices; `width` is a multiple of LANES. In TabuCol a
            vertex's own color is barred, too, and entries past the colors are NEVER. So one vectorized minimum over a
            row finds the best allowed color
bits        adjacency of a dense graph, a row of stride / WORD words for each vertex; else empty
listed      vertices that may move (TabuCol: in conflict, PartialCol: without a color), in any order; `place`: index of
            a vertex in `listed`, −1 if it is not listed
slots       the tabu list, a column per entry: index in `rows`, vertex, next in its bucket; row ORDER has the numbers of
            all columns, used ones first, and row WHERE the index of each in row ORDER
buckets     per iteration, modulo the number of buckets: first of the columns that end then; −1: none
at          record of NUMBERS, which persist from call to call: iterations (`time`), the objective and the least so far
            (`value`, `best`), lengths of the two lists. `low`, `high`: least and largest value in the period; `long`:
            the reactive tenure
==========  ============================================================================================================
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....base.device.bits import below
from ....base.device.compiled import inner, njit
from ....base.device.intrinsics import LANES, WORD, add16, ctz64, equal16, popcount64

BARRED, NEVER = 1 << 15, 0xFFFF
SLOTS = BUCKETS = 1 << 12  # maximum number of tabu entries, and of iterations that an entry lasts
ENTRY, VERTEX, NEXT, ORDER, WHERE = range(5)
NUMBERS = np.dtype([(name, np.int64) for name in ("time", "value", "best", "listed", "tabus", "low", "high", "long")])
NONE_ALLOWED = 1 << 14  # a change of the objective that means: every entry is tabu
ONE32 = np.uint32(1)
ZERO, ONE, LANE, BITS = np.uint64(0), np.uint64(1), np.uint64(LANES), np.uint64(WORD)
SHIFT, MASK = np.uint64(6), np.uint64(WORD - 1)  # for division by WORD; `//` would check for zero
PLUS, MINUS = np.uint16(1), np.uint16(0xFFFF)


class TabuState(NamedTuple):
    """Graph, moves, k, entries and vectors per row, entries and words per column, arrays; `ties` is scratch."""

    indptr: Any
    indices: Any
    moves: int
    k: Any
    width: Any
    vectors: Any
    stride: Any
    words: Any
    colors: Any
    best: Any
    tones: Any
    near: Any
    rows: Any
    bits: Any
    listed: Any
    place: Any
    ties: Any
    slots: Any
    buckets: Any
    at: Any
    rng: Any


@inner()
def clear(s: Any) -> None:
    """Reset the table and the lists; `at` is already 0."""
    for e in range(s.near.size):
        s.near[np.uint64(e)] = 0
    s.place[:] = -1
    s.buckets[:] = -1
    for i in range(SLOTS):
        s.slots[ORDER, i] = s.slots[WHERE, i] = i


@njit(cache=True, nogil=True)
def fill(indptr: Any, indices: Any, words: Any, bits: Any) -> None:
    """Set the bits of all neighbors."""
    for v in range(np.uint64(indptr.size - 1)):
        for e in range(indptr[v], indptr[v + ONE]):
            u = np.uint64(indices[e])
            bits[v * words + (u >> SHIFT)] |= ONE << (u & MASK)


@inner(forceinline=True)
def set_color(v: Any, c: Any, s: Any) -> None:
    """Set the color of a vertex, or −1, and nothing else."""
    s.colors[v] = c
    s.tones[np.uint64(v)] = np.uint16(c)


@inner(forceinline=True)
def add_to_column(v: Any, c: Any, value: Any, s: Any) -> None:
    """Add ±1 to the entries of the neighbors of v in the column of color c."""
    column, first = c * s.stride, s.indptr[v]
    for w in range(s.words):
        add16(s.near, column + w * BITS, s.bits[np.uint64(v) * s.words + w], value)
    for e in range(first, first if s.words > ZERO else s.indptr[v + ONE32]):
        s.near[column + np.uint64(s.indices[e])] += value


@inner(forceinline=True)
def list_neighbors(v: Any, c: Any, most: Any, s: Any) -> Any:
    """Write the neighbors of color c to `ties`, at most `most`; return their number."""
    found, e = 0, s.indptr[v]
    for w in range(s.words if most > 0 else ZERO):
        word = s.bits[np.uint64(v) * s.words + w]
        for b in range(BITS // LANE):
            hits = equal16(s.tones, w * BITS + b * LANE, c) & (word >> b * LANE)
            while hits != ZERO:
                s.ties[found] = w * BITS + b * LANE + ctz64(hits)
                found += 1
                hits &= hits - ONE
    while found < most:
        s.ties[found] = s.indices[e]
        found += np.uint64(s.colors[s.indices[e]]) == c
        e += ONE32
    return found


@inner(forceinline=True)
def add(v: Any, s: Any) -> None:
    """List an unlisted vertex; copy its row from the columns, and bar its own color."""
    row, at = np.uint64(v) * s.width, np.uint64(v)
    for c in range(s.k):
        s.rows[row + c] = s.near[at]
        at += s.stride
    if s.colors[v] >= 0:
        s.rows[row + np.uint64(s.colors[v])] += np.uint16(BARRED)
    s.listed[s.at[0].listed] = v
    s.place[v] = s.at[0].listed
    s.at[0].listed += 1


@inner(forceinline=True)
def drop(v: Any, s: Any) -> None:
    """Remove a vertex from the list; the last vertex takes its place."""
    s.at[0].listed -= 1
    last = s.listed[s.at[0].listed]
    s.listed[s.place[v]] = last
    s.place[last] = s.place[v]
    s.place[v] = -1


@inner(forceinline=True)
def save_best(s: Any) -> None:
    """Save the present colors if they are the best so far."""
    if s.at[0].value < s.at[0].best:
        s.at[0].best = s.at[0].value
        for u in range(np.uint64(s.colors.size)):
            s.best[u] = s.colors[u]


@inner()
def make_tabu(entry: Any, v: Any, tenure: Any, s: Any) -> None:
    """Make an entry tabu for a number of iterations, unless the list is full."""
    has_slot = s.at[0].tabus < SLOTS
    if has_slot:
        i = s.slots[ORDER, s.at[0].tabus]
        bucket = (s.at[0].time + min(tenure, BUCKETS - 1)) & (BUCKETS - 1)
        s.slots[ENTRY, i], s.slots[VERTEX, i], s.slots[NEXT, i] = entry, v, s.buckets[bucket]
        s.buckets[bucket] = i
        bar(entry, v, s)
    s.at[0].tabus += np.int64(has_slot)


@inner(forceinline=True)
def bar(entry: Any, v: Any, s: Any) -> None:
    """Bar an entry of a vertex, or allow it again; harmless if the row is not in use."""
    c = np.uint64(entry) - np.uint64(v) * s.width
    s.near[c * s.stride + np.uint64(v)] ^= np.uint16(BARRED)
    s.rows[np.uint64(entry)] ^= np.uint16(BARRED)


@inner()
def end_entry(i: Any, s: Any) -> None:
    """End a tabu entry; its column stays in the bucket, empty, until the bucket is due."""
    bar(s.slots[ENTRY, i], s.slots[VERTEX, i], s)
    s.slots[ENTRY, i] = -1


@inner(forceinline=True)
def end_tabu(entry: Any, s: Any) -> None:
    """End the tabu of an entry that a move uses, if it is tabu."""
    if s.rows[entry] >= BARRED:
        for i in range(s.at[0].tabus):
            if s.slots[ENTRY, s.slots[ORDER, i]] == np.int64(entry):
                end_entry(s.slots[ORDER, i], s)
                break


@inner(forceinline=True)
def next_iteration(s: Any) -> None:
    """Begin the next iteration, and end the tabu entries that are due."""
    s.at[0].time += 1
    bucket = s.at[0].time & (BUCKETS - 1)
    i = s.buckets[bucket]
    s.buckets[bucket] = -1
    while i >= 0:
        if s.slots[ENTRY, i] >= 0:
            end_entry(i, s)
        s.at[0].tabus -= 1
        last, hole = s.slots[ORDER, s.at[0].tabus], s.slots[WHERE, i]
        s.slots[ORDER, hole], s.slots[WHERE, last] = last, hole
        s.slots[ORDER, s.at[0].tabus], s.slots[WHERE, i] = i, s.at[0].tabus
        i = s.slots[NEXT, i]


@inner(forceinline=True)
def choose(rows: Any, row: Any, vectors: Any, value: Any, total: Any, chosen: Any, rng: Any) -> Any:
    """Choose a random entry of this value, also among earlier rows; return the updated `total` and `chosen`."""
    for b in range(vectors):
        bits = equal16(rows, row + b * LANE, np.uint64(value))
        if bits != ZERO:
            count = popcount64(bits)
            total += count
            r = below(rng, total) if total > ONE else ZERO
            if r < count:
                for _ in range(r):
                    bits &= bits - ONE
                chosen = row + b * LANE + ctz64(bits)
    return total, chosen
