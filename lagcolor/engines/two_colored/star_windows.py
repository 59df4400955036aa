"""Star first-fit by threads: in each window of the sequence, vertices that depend on no other chunk get colors.

A window has chunks of consecutive vertices. A thread colors a chunk in order, as `narrow` does. A window has two steps,
with a barrier after each:

1. Each uncolored vertex claims itself and its colored neighbors for its chunk; the earliest chunk wins.
2. A vertex takes its color unless an earlier chunk has claimed a neighbor, or a vertex of F, below. If so, it and the
   rest of its chunk go to the next window, before all other chunks.

F are the vertices at two hops whose sets the color changes: with color c on v, x is in F if a neighbor of v has x as
its only neighbor of color c. All uncolored vertices before a vertex of the window are in the window. Let v be before u
in different chunks, and let u take its color c first:

- v and u are not adjacent, because u would find the claim of v on v. No common neighbor has a color, because v has
  claimed it; and none gets one before v, because it would be in the window, and u would find its claim.
- On a path v – w – x – u with colors, either w has another color than c, or x has another neighbor of color c and is
  already the hub of w. Else w would be in F of u, and u would find the claim of v on w. If w has no color yet, it has
  claimed x itself.

So u changes no set that v reads, for any color of v and at any time, and colors equal the colors of one thread. Two
threads write at the same time only to words of HUBS, because one chunk has claimed the vertices of all other words. A
bit that v may or may not see there belongs to a color that F forbids v in this window.

Numbers of claims increase from window to window, and decrease from chunk to chunk in a window: nothing is cleared.

Progress: no chunk has claims before the first chunk of a window, which takes all of its colors. The loop ends early
if a vertex needs more colors than a word has bits, or if few vertices per window get colors.

References
----------
Gebremedhin, Tarafdar, Manne, Pothen 2007, Algorithm 4.1, for the colors. Claims by the earliest are the deterministic
reservations of Blelloch, Fineman, Gibbons, Shun 2012, "Internally deterministic parallel algorithms can be fast".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device.compiled import inner, njit
from ...base.device.intrinsics import fetch_max, load_relaxed, store_relaxed
from ...base.device.parallel import barrier, launch, parallel, share, slots
from ..greedy.sequential import ahead
from .stars import MANY, NEAR, SHIFT, OrderedGraph, forbidden_by_stars, palette, place

ONE32 = np.uint32(1)
ZERO, ONE = np.uint64(0), np.uint64(1)
CHUNK, MOST = np.int64(32), np.int64(1024)  # most vertices of a chunk, and most chunks of a window
FEW, MOST_THREADS = 4, 128  # fewest threads that make claims worthwhile; most threads
FIRST, LEAST = np.int64(4), np.int64(2)  # chunks per thread in the first window; fewest in any window
EIGHT, ALL = np.int64(8), np.uint32(2**32 - 1)
MEETINGS = 2 * (np.int64(2**32) // MOST - 2)  # most barriers, so that claims fit in 32 bits
MET, ENDED, NEXT = np.uint64(0), np.uint64(8), np.uint64(16)  # a cache line each in `shared`


def color_in_windows(ordered: OrderedGraph, state: np.ndarray, done: int, workers: int) -> tuple[OrderedGraph, int]:
    """Color as `narrow`, until more colors or one thread are better; return the remaining sequence and its begin."""
    if workers < FEW:
        return ordered, done
    workers = min(workers, MOST_THREADS)
    shared, claims, ends = slots(24), np.zeros(len(ordered.indptr) - 1, np.uint32), np.zeros(MOST, np.int64)
    launch(color_windows, workers, shared, *ordered, state, claims, ends, np.int64(done), np.int64(workers))
    following = int(shared[NEXT])
    if not shared[ENDED]:
        return ordered, following
    first = ordered.sequence[done:following]
    first = first[state[first.astype(np.uint64) << SHIFT] == 0]
    return ordered._replace(sequence=np.concatenate([first, ordered.sequence[following:]])), 0


@parallel
def color_windows(
    t: Any, shared: Any, indptr: Any, indices: Any, sequence: Any, rows: Any, state: Any, claims: Any, ends: Any,
    begin: Any, workers: Any
) -> None:  # fmt: skip
    """Color windows until all vertices have colors, few per window get one, or one needs more colors (ENDED)."""
    ordered = OrderedGraph(indptr, indices, sequence, rows)  # local arrays have no reference counts
    first, stop = np.empty(MOST, np.int64), np.empty(MOST, np.int64)
    count, following, size, met = np.int64(0), begin, FIRST * workers, np.int64(0)
    pace = EIGHT * FIRST * CHUNK * workers  # 8 times a running mean of vertices colored per window
    while (count > 0 or following < sequence.size) and met < MEETINGS and pace >= EIGHT * CHUNK * (workers + 1):
        while count < size and following < sequence.size:
            first[count] = following
            following = min(following + CHUNK, sequence.size)
            stop[count] = following
            count += 1
        met += 2
        top, mine = np.uint32((met >> 1) * MOST), share(t, workers, count)
        for k in mine:
            claim(ordered, state, claims, first[k], stop[k], top - np.uint32(k))
        barrier(shared, MET, workers * (met - 1))
        for k in mine:
            ends[k] = color_chunk(ordered, state, claims, first[k], stop[k], top - np.uint32(k), shared)
        barrier(shared, MET, workers * met)
        if load_relaxed(shared, ENDED) != 0:
            break
        colored, left = keep(first, stop, ends, count)
        pace += colored - (pace >> 3)
        if left << 2 > count:
            size = max(size >> 1, LEAST * workers)
        elif left << 4 < count:
            size = min(size << 1, MOST)
        count = left
    if t == 0:
        store_relaxed(shared, NEXT, following)
        for k in range(count):
            if load_relaxed(shared, ENDED) == 0:
                color_chunk(ordered, state, claims, first[k], stop[k], ALL, shared)


@inner()
def keep(first: Any, stop: Any, ends: Any, count: Any) -> Any:
    """Keep the rest of each chunk of a window; return the number of colored vertices, and of chunks with a rest."""
    colored, left = np.int64(0), np.int64(0)
    for k in range(count):
        colored += ends[k] - first[k]
        if ends[k] < stop[k]:
            first[left], stop[left] = ends[k], stop[k]
            left += 1
    return colored, left


@inner()
def claim(ordered: Any, state: Any, claims: Any, first: Any, stop: Any, number: Any) -> None:
    """Claim the vertices of a chunk and their colored neighbors."""
    indptr, indices, sequence = ordered.indptr, ordered.indices, ordered.sequence
    for i in range(np.uint64(first), np.uint64(stop)):
        ahead(indptr, indices, sequence, i)
        v = sequence[i]
        claim_one(claims, v, number)
        e = indptr[v]
        while e < indptr[v + ONE32]:
            w = indices[e]
            if state[np.uint64(w) << SHIFT]:
                claim_one(claims, w, number)
            e += ONE32


@njit(cache=True, nogil=True, inline="always")
def claim_one(claims: Any, v: Any, number: Any) -> None:
    """Claim a vertex unless an earlier chunk of the window has claimed it."""
    if load_relaxed(claims, np.uint64(v)) < number:
        fetch_max(claims, np.uint64(v), number)


@inner()
def color_chunk(ordered: Any, state: Any, claims: Any, first: Any, stop: Any, number: Any, shared: Any) -> Any:
    """Color a chunk; return the first position whose vertex must wait, or `stop`."""
    indptr, indices, sequence, rows = ordered
    for i in range(np.uint64(first), np.uint64(stop)):
        v = sequence[i]
        near = many = ZERO
        free = True
        e = indptr[v]
        while e < indptr[v + ONE32]:
            w = indices[e]
            free &= claims[w] <= number
            bit = np.uint64(state[np.uint64(w) << SHIFT])
            many |= near & bit
            near |= bit
            e += ONE32
        if not free:
            return np.int64(i)
        left = ~(near | forbidden_by_stars(indptr, indices, state, v, many)) & palette(v, rows, state)
        if left == ZERO:
            store_relaxed(shared, ENDED, 1)
            return np.int64(i)
        color = left & (~left + ONE)
        if not alone(ordered, state, claims, v, color, number):
            return np.int64(i)
        place(ordered, state, v, color, near, many, claims)
    return np.int64(stop)


@njit(cache=True, nogil=True, inline="always")
def alone(ordered: Any, state: Any, claims: Any, v: Any, color: Any, number: Any) -> Any:
    """Return whether no earlier chunk has claimed a vertex of F."""
    indptr, indices = ordered.indptr, ordered.indices
    free = True
    e = indptr[v]
    while e < indptr[v + ONE32]:
        w = np.uint64(indices[e]) << SHIFT
        if state[w | NEAR] & color and state[w | MANY] & color == ZERO:
            f = indptr[indices[e]]
            while state[np.uint64(indices[f]) << SHIFT] != color:
                f += ONE32
            free &= claims[indices[f]] <= number
        e += ONE32
    return free
