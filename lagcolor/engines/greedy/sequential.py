"""Sequential first-fit: each vertex in turn takes the smallest color that no neighbor has.

This is the oracle of all algorithms with fixed priorities, and the fastest coloring on one core.

Threads call the same two loops for chunks of the sequence (copies.py). `narrow` stores the colors around a vertex as
bits of one machine word, as long as all colors are at most 61. `wide` continues from the first vertex that needs a
larger color: it stores flags in a byte array, and clears and scans only as many as the vertex's degree. Each vertex has
a code of one byte (two or four in `wide`), so that codes stay in the L2 cache. Bits 0 and 1 of the word stand for
neighbors without a color:

=========  ===========================================================================================
state      code of each vertex: color + BASE; 0 for no color; PENDING for a vertex of another thread's chunk, or a
           deferred vertex of the thread's own chunk
found      codes by position in the sequence, written together with `state`
=========  ===========================================================================================

In natural order a sorted row is read only up to the vertex itself, and the code of vertex v − 1 stays in a register.
If it were read from memory, each vertex of a grid would wait for the store of the previous one.
In other orders each row is a cache miss, so rows are prefetched 64 vertices ahead: a row takes a few
nanoseconds, memory a hundred (docs/development/variants.md).

Slower variants (rmat20 natural; `narrow` takes 17 ms): bits in an array of words, chained by
store-to-load forwarding (20 ms; kron18 18 ms against 15 ms with flags); 64-color windows that
read the row again (21 ms; kron18 24 ms); two word arrays in turn (24 ms; kron18 17 ms); no prefetch
(largest first 89 ms against 43 ms).

Index arrays must be unsigned: otherwise numba adds a wrap-around test to each access.

References
----------
Welsh, Powell 1967, "An upper bound for the chromatic number of a graph and its application to
timetabling problems"; the bit mask as in Deveci, Boman, Devine, Rajamanickam 2016 (VBBIT).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device import large_pages
from ...base.device.bits import in_window, least_free
from ...base.device.compiled import inner, njit
from ...base.device.intrinsics import ctz64, prefetch, store_relaxed

ONE32 = np.uint32(1)
ZERO, ONE, TWO, THREE = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
PENDING, BASE = np.uint8(1), np.uint64(2)
NO_COLOR, WAITS = np.uint64(3), np.uint64(2)  # bits of the codes that are not colors; bit of PENDING
LAST = np.uint64(63)  # the largest code that is a bit of a word
NEAR, FAR = np.uint64(8), np.uint64(64)  # vertices between a prefetch and its use
LARGE = 1 << 31  # entries from which a color may need more than 16 bits: k colors need about k² entries
LINE = np.uint64(16)  # neighbors on a cache line


def first_fit(indptr: np.ndarray, indices: np.ndarray, sequence: np.ndarray | None) -> np.ndarray:
    """Return first-fit colors (int32) of a CSR graph in the order of `sequence` (None: by vertex id)."""
    n = len(indptr) - 1
    state, colors = large_pages(n, np.uint8), large_pages(n, np.int32)
    state[:] = 0
    if sequence is None:
        done = narrow_natural(indptr, indices, state, 0, n)
    else:
        done, _ = narrow(indptr, indices, sequence, state, colors.view(np.uint8)[:n], 0, n)
    if done < n and sequence is None:
        codes = state.astype(by_id_type(len(indices))) - 1
        color_range(indptr, indices, codes, np.uint32(done), np.uint32(n), np.empty(0, np.uint32), False)
        return publish(codes, colors, 1)
    if done < n:
        degree = top_degree(indptr)
        state = state.astype(wide_dtype(degree))
        wide(indptr, indices, sequence, state, colors.view(state.dtype)[:n], flag_bytes(degree), done, n)
    return publish(state, colors)


@njit(cache=True, nogil=True)
def top_degree(indptr: Any) -> Any:
    """Return the largest degree, or 0 for a graph without vertices."""
    degree = np.int64(0)
    for v in range(indptr.size - 1):
        degree = max(degree, np.int64(indptr[v + 1]) - np.int64(indptr[v]))
    return degree


def wide_dtype(max_degree: int) -> type[np.unsignedinteger]:
    """Return the smaller of uint16 and uint32 that holds the codes of any first-fit coloring."""
    return np.uint16 if max_degree + int(BASE) < 2**16 else np.uint32


def flag_bytes(max_degree: int) -> np.ndarray:
    """Return zeroed words with one flag byte per code."""
    return np.zeros((max_degree + int(BASE)) // 8 + 2, np.uint64)


def by_id_type(m: int) -> type[np.unsignedinteger]:
    """Return the smaller of uint16 and uint32 that holds the codes of `color_range`, for a graph of m entries."""
    return np.uint16 if m < LARGE else np.uint32


def publish(state: np.ndarray, colors: np.ndarray, base: int = int(BASE)) -> np.ndarray:
    """Write the public colors of a state in which all vertices have a color."""
    colors[:] = state
    colors -= base
    return colors


@njit(cache=True, nogil=True)
def narrow_natural(indptr: Any, indices: Any, state: Any, first: Any, stop: Any) -> Any:
    """Color vertices from `first` on with one-word masks; return the first that needs a wider mask, or `stop`."""
    v, n = np.uint32(first), np.uint32(stop)
    if v == n:
        return np.int64(n)
    if v == np.uint32(0):
        state[0] = BASE
        v = ONE32
    last = np.uint64(state[v - ONE32])
    start = indptr[v]
    while v < n:
        end = indptr[v + ONE32]
        before = v - ONE32
        mask = NO_COLOR
        e = start
        while e < end:
            u = indices[e]
            if u >= before:
                if u == before:
                    mask |= ONE << last
                break
            mask |= ONE << np.uint64(state[u])
            e += ONE32
        code = ctz64(~mask)
        if code > LAST:
            return np.int64(v)
        state[v] = code
        last = code
        start = end
        v += ONE32
    return np.int64(n)


@njit(cache=True, nogil=True)
def color_range(indptr: Any, indices: Any, state: Any, first: Any, stop: Any, deferred: Any, wait: Any) -> Any:
    """Color a range by id; codes are 0 or color + 1.

    Return the number of vertices with an uncolored earlier neighbor, listed in `deferred`; with `wait` they stay
    uncolored.
    """
    n_deferred, last = np.int64(0), ZERO  # code of the previous vertex, in a register: memory would chain the vertices
    before, v = first, first
    while v < stop:
        mask = ZERO
        e, end = indptr[v], indptr[v + ONE32]
        while e < end:
            u = indices[e]
            if u >= before:
                if u >= v:
                    break
                mask |= ONE << min(last, LAST)
                break
            mask |= ONE << min(np.uint64(state[u]), LAST)
            e += ONE32
        if mask & ONE:
            deferred[n_deferred] = v
            n_deferred += 1
        if mask & ONE and wait:
            last = ZERO
        else:
            last = ctz64(~(mask | ONE))
            if last >= LAST:
                last = far_code(indptr, indices, state, v)
            store_relaxed(state, np.uint64(v), last)
        before = v
        v += ONE32
    return n_deferred


@inner()
def far_code(indptr: Any, indices: Any, state: Any, v: Any) -> Any:
    """Return the smallest code that no earlier neighbor has, if all below LAST are taken: by a word, then by flags."""
    begin, mask = indptr[v], ZERO
    end = begin
    while end < indptr[v + ONE32] and indices[end] < v:
        mask |= in_window(state[indices[end]], np.int64(LAST))
        end += ONE32
    if ~mask:
        return LAST + ctz64(~mask)
    most = (np.uint64(end - begin) + np.uint64(2)) >> THREE  # the code is at most one over the number of neighbors
    words = np.zeros(most + ONE, np.uint64)
    flags, n_flags = words.view(np.uint8), np.uint64(words.size) << THREE
    flags[0] = 1
    for e in range(begin, end):
        code = np.uint64(state[indices[e]])
        if code < n_flags:
            flags[code] = 1
    return least_free(words, most)


@njit(cache=True, nogil=True)
def narrow(indptr: Any, indices: Any, sequence: Any, state: Any, found: Any, first: Any, stop: Any) -> Any:
    """Color from position `first` on, to a vertex that must wait or needs a wider mask; return its position and mask.

    Return `stop` if there is none. As a separate function, so that the addresses of the arrays stay in registers.
    """
    for i in range(np.uint64(first), np.uint64(stop)):
        far_ahead(indptr, indices, sequence, i, stop)
        v = sequence[i]
        mask = ZERO
        e = indptr[v]
        end = indptr[v + ONE32]
        while e < end:
            mask |= ONE << np.uint64(state[indices[e]])
            e += ONE32
        code = ctz64(~(mask | NO_COLOR))
        if mask & WAITS or code > LAST:
            return i, mask
        state[v] = code
        found[i] = code
    return np.uint64(stop), ZERO


@njit(cache=True, nogil=True)
def wide(
    indptr: Any, indices: Any, sequence: Any, state: Any, found: Any, words: Any, first: Any, stop: Any
) -> Any:  # fmt: skip
    """Color from position `first` on with a flag byte per code in `words` (uint64); return the first that must wait."""
    flags = words.view(np.uint8)
    for i in range(np.uint64(first), np.uint64(stop)):
        far_ahead(indptr, indices, sequence, i, stop)
        v = sequence[i]
        e = indptr[v]
        end = indptr[v + ONE32]
        most = (np.uint64(end - e) + BASE) >> THREE  # first-fit never passes the degree
        w = ZERO
        while w <= most:
            words[w] = ZERO
            w += ONE
        while e < end:
            flags[state[indices[e]]] = 1
            e += ONE32
        if flags[PENDING] != 0:
            return i
        flags[0] = flags[PENDING] = 1
        code = least_free(words, most)
        state[v] = code
        found[i] = code
    return np.uint64(stop)


@njit(cache=True, nogil=True, inline="always")
def ahead(indptr: Any, indices: Any, sequence: Any, i: Any) -> None:
    """Prefetch offsets 16 positions ahead and the row 8 positions ahead, for loops with much work per vertex."""
    final = np.uint64(sequence.size) - ONE
    prefetch(indptr, sequence[min(i + TWO * NEAR, final)])
    row = np.uint64(indptr[sequence[min(i + NEAR, final)]])
    prefetch(indices, row)
    prefetch(indices, row + LINE)


@njit(cache=True, nogil=True, inline="always")
def far_ahead(indptr: Any, indices: Any, sequence: Any, i: Any, stop: Any) -> None:
    """Prefetch offsets 128 positions and a row 64 positions ahead, before `stop`, for loops with little work."""
    final = np.uint64(stop) - ONE
    prefetch(indptr, sequence[min(i + TWO * FAR, final)])
    prefetch_row(indptr, indices, sequence[min(i + FAR, final)])


@njit(cache=True, nogil=True, inline="always")
def prefetch_row(indptr: Any, indices: Any, v: Any) -> None:
    """Prefetch the first two or four cache lines of a row; the hardware prefetches the others."""
    row, end = np.uint64(indptr[v]), np.uint64(indptr[v + ONE32])
    prefetch(indices, row)
    prefetch(indices, row + LINE)
    if end - row > LINE:
        prefetch(indices, row + TWO * LINE)
        prefetch(indices, row + TWO * LINE + LINE)


@njit(cache=True, nogil=True, inline="always")
def first_ahead(indptr: Any, indices: Any, sequence: Any, i: Any, stop: Any) -> None:
    """Prefetch for the first positions of a thread, from `i` on: what `far_ahead` does for later positions."""
    for j in range(i, min(i + TWO * FAR, stop)):
        prefetch(indptr, sequence[j])
    for j in range(i, min(i + FAR, stop)):
        prefetch_row(indptr, indices, sequence[j])
