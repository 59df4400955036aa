"""Sequential first-fit: each vertex in turn takes the least color that no neighbour has.

The oracle of every algorithm with fixed priorities, and the fastest coloring on one core.

Two loops serve it. While no color passes 63, the colors seen around a vertex are bits of one
machine word (`narrow`); from the first vertex that needs more on, they are flags in a small byte
array (`wide`), cleared and scanned only as far as the vertex's degree. While running, colors are
stored as color + 1 in one byte (two or four in `wide`), 0 meaning none, so that they stay in the
L2 cache and bit 0 of the word absorbs uncolored neighbours.

In natural order a sorted row is read only up to the vertex itself, and the color of vertex v − 1
is taken from a register: through memory it would chain every vertex of a grid to the store before it.
In any other order rows are prefetched, for each is a cache miss: 64 vertices ahead, since a row takes a few
nanoseconds and memory a hundred (docs/development/variants.md).

What lost (rmat20 natural, 17 ms with `narrow`): bits in an array of words, chained through
store-to-load forwarding (20 ms; kron18 18 ms against 15 ms with flags); 64-color windows that
re-read the row (21 ms; kron18 24 ms); two word arrays in turn (24 ms; kron18 17 ms); no prefetch
(largest first 89 ms against 43 ms).

Traps: index arrays must be unsigned, or numba adds a wrap-around test to each access.

References
----------
Welsh, Powell 1967, "An upper bound for the chromatic number of a graph and its application to
timetabling problems"; the bit mask as in Deveci, Boman, Devine, Rajamanickam 2016 (VBBIT).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.graph import Graph
from ...core.registry import coloring
from ...core.result import Log
from ...device import large_pages
from ...device.bits import least_free
from ...device.compiled import njit
from ...device.intrinsics import ctz64, prefetch
from ...orders import Priorities

ONE32 = np.uint32(1)
ZERO, ONE, TWO, THREE = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
NARROW_MAX = np.uint64(63)  # color + 1 must stay a bit of one word
NEAR, FAR = np.uint64(8), np.uint64(64)  # vertices between a prefetch and its use
LINE = np.uint64(16)  # neighbors on a cache line
FEW, LITTLE, LIGHT = 4, 1 << 21, 2  # with fewer threads than FEW, one alone colors small graphs and short rows


@coloring(
    "greedy",
    style="sequential",
    paper="Welsh and Powell 1967; sequential first-fit",
    engines=("cpu",),
    bound="Δ+1",
    oracle="first_fit",
    deterministic=True,
    order="natural",
    seed=None,
    needs="sequence",
)
def greedy(G: Graph, p: Priorities, log: Log) -> np.ndarray:
    """Sequential first-fit in any order, on one core."""
    indptr, indices = unsigned(G)
    colors = first_fit(indptr, indices, None if p.is_natural else p.sequence.view(np.uint32))
    log.round(active=G.n, colored=G.n, conflicts=0)
    return colors


def workers_for(G: Graph, workers: int) -> int:
    """Threads that color where so many may: one, where few of them would have little to do."""
    return 1 if workers < FEW and (G.m < LITTLE or G.m < LIGHT * G.n) else workers


def unsigned(G: Graph) -> tuple[np.ndarray, np.ndarray]:
    """The CSR arrays viewed as unsigned integers of the same width."""
    return G.indptr.view(f"u{G.indptr.itemsize}"), G.indices.view(np.uint32)


def first_fit(indptr: np.ndarray, indices: np.ndarray, sequence: np.ndarray | None) -> np.ndarray:
    """First-fit colors, int32, of a CSR graph in the order of `sequence` (None: vertex id)."""
    n = len(indptr) - 1
    codes = large_pages(n, np.uint8)
    codes[:] = 0
    done = narrow_natural(indptr, indices, codes) if sequence is None else narrow(indptr, indices, sequence, codes)
    if done < n:
        degree = largest_degree(indptr)
        codes = codes.astype(wide_dtype(degree))
        wide(indptr, indices, sequence, codes, flag_bytes(degree), done)
    return zero_based(codes)


def largest_degree(indptr: np.ndarray) -> int:
    """Largest degree."""
    return int(np.diff(indptr).max(initial=0))


def wide_dtype(max_degree: int) -> type[np.unsignedinteger]:
    """The narrowest type that holds color + 1 of any first-fit coloring."""
    return np.uint16 if max_degree + 1 < 2**16 else np.uint32


def flag_bytes(max_degree: int) -> np.ndarray:
    """Room for a flag per value of color + 1, in whole words."""
    return np.zeros((max_degree + 2) // 8 + 2, np.uint64)


def zero_based(codes: np.ndarray) -> np.ndarray:
    """Public colors of colors + 1: int32, −1 for uncolored."""
    colors = large_pages(len(codes), np.int32)
    colors[:] = codes
    colors -= 1
    return colors


@njit(cache=True, nogil=True)
def narrow_natural(indptr: Any, indices: Any, colors: Any) -> Any:
    """Color vertices 0, 1 … with one-word masks; returns the first that needs a wider one, or n."""
    n = np.uint32(indptr.size - 1)
    if n == np.uint32(0):
        return np.int64(0)
    colors[0] = 1
    last = ONE
    v = ONE32
    start = indptr[v]
    while v < n:
        end = indptr[v + ONE32]
        before = v - ONE32
        mask = ONE
        e = start
        while e < end:
            u = indices[e]
            if u >= before:
                if u == before:
                    mask |= ONE << last
                break
            mask |= ONE << np.uint64(colors[u])
            e += ONE32
        c = ctz64(~mask)
        if c > NARROW_MAX:
            return np.int64(v)
        colors[v] = c
        last = c
        start = end
        v += ONE32
    return np.int64(n)


@njit(cache=True, nogil=True)
def narrow(indptr: Any, indices: Any, sequence: Any, colors: Any) -> Any:
    """The same in the order of `sequence`; returns the first position that needs a wider mask, or n."""
    n = np.uint64(sequence.size)
    i = ZERO
    while i < n:
        far_ahead(indptr, indices, sequence, i, n)
        v = sequence[i]
        mask = ONE
        e = indptr[v]
        end = indptr[v + ONE32]
        while e < end:
            mask |= ONE << np.uint64(colors[indices[e]])
            e += ONE32
        c = ctz64(~mask)
        if c > NARROW_MAX:
            return np.int64(i)
        colors[v] = c
        i += ONE
    return np.int64(n)


@njit(cache=True, nogil=True, inline="always")
def ahead(indptr: Any, indices: Any, sequence: Any, i: Any) -> None:
    """Prefetch the offsets of the vertex 16 positions on and the row of the one 8 on: for loops with much to do."""
    final = np.uint64(sequence.size) - ONE
    prefetch(indptr, sequence[min(i + TWO * NEAR, final)])
    row = np.uint64(indptr[sequence[min(i + NEAR, final)]])
    prefetch(indices, row)
    prefetch(indices, row + LINE)


@njit(cache=True, nogil=True, inline="always")
def far_ahead(indptr: Any, indices: Any, sequence: Any, i: Any, stop: Any) -> None:
    """The same for loops as short as first-fit's, 128 and 64 positions on but before `stop`."""
    final = np.uint64(stop) - ONE
    prefetch(indptr, sequence[min(i + TWO * FAR, final)])
    prefetch_row(indptr, indices, sequence[min(i + FAR, final)])


@njit(cache=True, nogil=True, inline="always")
def prefetch_row(indptr: Any, indices: Any, v: Any) -> None:
    """The first two cache lines of a row, or four; the rest the hardware foresees."""
    row, end = np.uint64(indptr[v]), np.uint64(indptr[v + ONE32])
    prefetch(indices, row)
    prefetch(indices, row + LINE)
    if end - row > LINE:
        prefetch(indices, row + TWO * LINE)
        prefetch(indices, row + TWO * LINE + LINE)


@njit(cache=True, nogil=True, inline="always")
def first_ahead(indptr: Any, indices: Any, sequence: Any, i: Any, stop: Any) -> None:
    """What `far_ahead` would have asked for before position `i`, where a thread begins."""
    for j in range(i, min(i + TWO * FAR, stop)):
        prefetch(indptr, sequence[j])
    for j in range(i, min(i + FAR, stop)):
        prefetch_row(indptr, indices, sequence[j])


@njit(cache=True, nogil=True)
def wide(indptr: Any, indices: Any, sequence: Any, colors: Any, words: Any, first: Any) -> None:
    """Color from position `first` on, with a byte flag per color in `words` (uint64)."""
    n = np.uint64(indptr.size - 1 if sequence is None else sequence.size)
    flags = words.view(np.uint8)
    top = ZERO
    for c in colors:
        top = max(top, np.uint64(c))
    i = np.uint64(first)
    while i < n:
        if sequence is None:
            v = np.uint32(i)
        else:
            far_ahead(indptr, indices, sequence, i, n)
            v = sequence[i]
        e = indptr[v]
        end = indptr[v + ONE32]
        # The answer is at most degree + 1 and top + 1: flags above need neither clearing nor reading.
        k = min(np.uint64(end - e), top) + ONE >> THREE
        w = ZERO
        while w <= k:
            words[w] = ZERO
            w += ONE
        flags[0] = 1
        while e < end:
            u = indices[e]
            if sequence is None and u > v:
                break
            flags[colors[u]] = 1
            e += ONE32
        c = least_free(words, k)
        top = max(top, c)
        colors[v] = c
        i += ONE
