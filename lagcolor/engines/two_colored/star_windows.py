"""Star first-fit by threads: the next vertices of the sequence are a window, and those that depend on none color it.

A window has chunks of consecutive vertices, which a thread colors one after the other, as `narrow` does. Threads meet
two times for each window:

1. Each vertex without a color claims itself and its neighbors with colors for its chunk; the earliest chunk has them.
2. A vertex takes its color unless an earlier chunk has claimed a neighbor, or a vertex of F, below. If so, it and the
   rest of its chunk are in the next window, before all others.

F are the vertices whose sets the color changes at two hops: with color c on v, x is in F if x is the only neighbor of
color c of a neighbor of v. So all uncolored vertices before one of the window are in the window, and for two vertices
v before u in different chunks, where u takes its color c first:

- They are no neighbors, for u finds the claim of v on v. No neighbor of both has a color, for v has claimed it, nor is
  it to have one before v has, for then it is in the window itself, and u finds its claim.
- On a path v – w – x – u with colors, the color of w is not c, or another neighbor of x has color c, too, and x is the
  hub of w already; else w is in F of u, and u finds the claim of v on w. If w has no color yet, it has claimed x
  itself.

So u changes no set that v reads, whichever color v takes and whenever, and colors equal the colors of one thread. What
two threads write at a time are words of HUBS alone, for all else is of vertices that one chunk has claimed; a bit that
v may or may not see there is of a color that F forbids it to take in this window.

Claims are numbers that rise from window to window, and within one fall from chunk to chunk: nothing is cleared.

Progress: no chunk has claims before the first chunk of a window, which takes all of its colors. The coloring ends early
if a vertex needs more colors than a word has bits, or if few vertices of windows get colors.

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
from .stars import MANY, NEAR, SHIFT, OrderedGraph, beside_hubs, palette, place

ONE32 = np.uint32(1)
ZERO, ONE = np.uint64(0), np.uint64(1)
CHUNK, MOST = np.int64(32), np.int64(1024)  # vertices of a chunk, and chunks of a window
FEW, MOST_THREADS = 4, 128  # threads below which claims cost more than they bring; of a window's chunks
FIRST, LEAST = np.int64(4), np.int64(2)  # chunks per thread of the first window, and of any
EIGHT, ALL = np.int64(8), np.uint32(2**32 - 1)
MEETINGS = 2 * (np.int64(2**32) // MOST - 2)  # claims of as many fit in 32 bits
MET, ENDED, NEXT = np.uint64(0), np.uint64(8), np.uint64(16)  # a cache line each in `shared`


def color_in_windows(walk: OrderedGraph, state: np.ndarray, done: int, workers: int) -> tuple[OrderedGraph, int]:
    """Color as `narrow`, but for vertices that more colors or one thread serve better: their walk and its begin."""
    if workers < FEW:
        return walk, done
    workers = min(workers, MOST_THREADS)
    shared, claims, ends = slots(24), np.zeros(len(walk.indptr) - 1, np.uint32), np.zeros(MOST, np.int64)
    launch(color_windows, workers, shared, *walk, state, claims, ends, np.int64(done), np.int64(workers))
    following = int(shared[NEXT])
    if not shared[ENDED]:
        return walk, following
    first = walk.sequence[done:following]
    first = first[state[first.astype(np.uint64) << SHIFT] == 0]
    return walk._replace(sequence=np.concatenate([first, walk.sequence[following:]])), 0


@parallel
def color_windows(
    t: Any, shared: Any, indptr: Any, indices: Any, sequence: Any, rows: Any, state: Any, claims: Any, ends: Any,
    begin: Any, workers: Any
) -> None:  # fmt: skip
    """Windows until all vertices have colors, too few get one, or one needs more colors than there are (ENDED)."""
    walk = OrderedGraph(indptr, indices, sequence, rows)  # of arrays whose references are not counted
    first, stop = np.empty(MOST, np.int64), np.empty(MOST, np.int64)
    held, following, size, met = np.int64(0), begin, FIRST * workers, np.int64(0)
    pace = EIGHT * FIRST * CHUNK * workers  # 8 times the vertices colored in a window, in the mean of the last
    while (held > 0 or following < sequence.size) and met < MEETINGS and pace >= EIGHT * CHUNK * (workers + 1):
        while held < size and following < sequence.size:
            first[held] = following
            following = min(following + CHUNK, sequence.size)
            stop[held] = following
            held += 1
        met += 2
        top, mine = np.uint32((met >> 1) * MOST), share(t, workers, held)
        for k in mine:
            claim(walk, state, claims, first[k], stop[k], top - np.uint32(k))
        barrier(shared, MET, workers * (met - 1))
        for k in mine:
            ends[k] = color_chunk(walk, state, claims, first[k], stop[k], top - np.uint32(k), shared)
        barrier(shared, MET, workers * met)
        if load_relaxed(shared, ENDED) != 0:
            break
        colored, left = keep(first, stop, ends, held)
        pace += colored - (pace >> 3)
        if left << 2 > held:
            size = max(size >> 1, LEAST * workers)
        elif left << 4 < held:
            size = min(size << 1, MOST)
        held = left
    if t == 0:
        store_relaxed(shared, NEXT, following)
        for k in range(held):
            if load_relaxed(shared, ENDED) == 0:
                color_chunk(walk, state, claims, first[k], stop[k], ALL, shared)


@inner()
def keep(first: Any, stop: Any, ends: Any, held: Any) -> Any:
    """Keep the rest of each chunk of a window; returns how many vertices have colors, and how many chunks a rest."""
    colored, left = np.int64(0), np.int64(0)
    for k in range(held):
        colored += ends[k] - first[k]
        if ends[k] < stop[k]:
            first[left], stop[left] = ends[k], stop[k]
            left += 1
    return colored, left


@inner()
def claim(walk: Any, state: Any, claims: Any, first: Any, stop: Any, number: Any) -> None:
    """Claim the vertices of a chunk and their neighbors with colors."""
    indptr, indices, sequence = walk.indptr, walk.indices, walk.sequence
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
    """Claim a vertex unless an earlier chunk of the window has."""
    if load_relaxed(claims, np.uint64(v)) < number:
        fetch_max(claims, np.uint64(v), number)


@inner()
def color_chunk(walk: Any, state: Any, claims: Any, first: Any, stop: Any, number: Any, shared: Any) -> Any:
    """Color a chunk; returns the first place whose vertex must wait, or `stop`."""
    indptr, indices, sequence, rows = walk
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
        left = ~(near | beside_hubs(indptr, indices, state, v, many)) & palette(v, rows, state)
        if left == ZERO:
            store_relaxed(shared, ENDED, 1)
            return np.int64(i)
        color = left & (~left + ONE)
        if not alone(walk, state, claims, v, color, number):
            return np.int64(i)
        place(walk, state, v, color, near, many, claims)
    return np.int64(stop)


@njit(cache=True, nogil=True, inline="always")
def alone(walk: Any, state: Any, claims: Any, v: Any, color: Any, number: Any) -> Any:
    """Whether no earlier chunk has claimed a vertex of F."""
    indptr, indices = walk.indptr, walk.indices
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
