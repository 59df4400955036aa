"""Exact first-fit by threads that take chunks of the sequence in turn, on codes that all of them share, by place.

A vertex must see the neighbors whose place in the sequence is before its own, and no others. Codes lie by place, so
that a thread writes the lines of its chunks alone, and those of the vertices with most neighbors lie together. By id,
vertices that are colored at different times share lines: 16 threads then took 10 times as long as one on rmat:20.

=========  ===========================================================================================
place      place of each vertex; None in natural order, where it is its id
codes      by place: WAITS while it has no color, else color + BASE; at the end, at n, NOTHING, which a vertex sees
           in place of its later neighbors
starts     first place of each chunk, and the end
shared     the next chunk to take, whether one word of colors was too narrow, barriers
=========  ===========================================================================================

While no color passes 61, the codes seen are bits of one word; a vertex that needs more ends that (FULL), and a loop with
a byte flag for each color goes on with codes of 16 bits. A vertex with an earlier neighbor that has no color yet is put
off to the end of its chunk, and then waits.

Progress: a vertex waits for vertices of earlier chunks, which are taken earlier, and for earlier ones of its own chunk,
which its thread has colored by then.

What lost: a copy of all codes for each thread, which each had to keep up with (16 threads: 2.3 times as fast as one on
rmat:20). See also docs/development/variants.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device.bits import least_free
from ...device.compiled import njit
from ...device.intrinsics import ctz64, fetch_add, load_relaxed, store_relaxed
from ...device.pool import on_all
from ...device.threads import barrier, look_again
from .sequential import ONE, ONE32, THREE, TWO, ZERO, far_ahead, first_ahead

WAITS, NOTHING, BASE = np.uint64(0), np.uint64(1), np.uint64(2)
LAST = np.uint64(63)  # the largest code that is a bit of a word
NEXT, FULL = np.uint64(0), np.uint64(8)  # a cache line each in `shared`
PLACED, COLORED = 16, 24  # barriers
ROOM = np.uint64(4096)  # vertices put off, and places that they wait for, that a thread lists
FLAGS = np.uint64(1 << 13)  # words of 65,536 flags


@njit(cache=True, nogil=True, forceinline=True)
def earlier(place: Any, u: Any, i: Any, n: Any) -> Any:
    """The place of u where it is before i, else n."""
    p = np.uint64(u) if place is None else np.uint64(place[u])
    return p if p < i else n


@njit(cache=True, nogil=True)
def narrow(indptr: Any, indices: Any, sequence: Any, place: Any, codes: Any, first: Any, stop: Any) -> Any:
    """Color from place `first` on; returns the first place whose vertex must wait or needs a wider mask, or `stop`."""
    n = np.uint64(codes.size - 1)
    for i in range(np.uint64(first), np.uint64(stop)):
        if sequence is None:
            v = np.uint32(i)
        else:
            far_ahead(indptr, indices, sequence, i, stop)
            v = sequence[i]
        mask = ZERO
        e, end = indptr[v], indptr[v + ONE32]
        while e < end:
            mask |= ONE << np.uint64(codes[earlier(place, indices[e], i, n)])
            e += ONE32
        code = ctz64(~(mask | THREE))
        if mask & ONE or code > LAST:
            return i
        store_relaxed(codes, i, np.uint8(code))
    return np.uint64(stop)


@njit(cache=True, nogil=True)
def narrow_chunk(
    indptr: Any, indices: Any, sequence: Any, place: Any, codes: Any, first: Any, stop: Any, late: Any, shared: Any
) -> Any:  # fmt: skip
    """Color a chunk; whether one word of colors was enough. `late`: this thread's arrays for vertices put off."""
    n, i, held, used = np.uint64(codes.size - 1), np.uint64(first), ZERO, ZERO
    places, masks, ends, waiting = late
    while True:
        i = narrow(indptr, indices, sequence, place, codes, i, stop)
        if i == stop:
            return settle(codes, late, held, shared)
        v = np.uint32(i) if sequence is None else sequence[i]
        if held == ROOM or used + np.uint64(indptr[v + ONE32] - indptr[v]) > ROOM:
            if not settle(codes, late, held, shared):
                return False
            held = used = ZERO
        mask, before = THREE, used
        for e in range(indptr[v], indptr[v + ONE32]):
            p = earlier(place, indices[e], i, n)
            code = np.uint64(load_relaxed(codes, p))
            if code == WAITS:
                if used < ROOM:
                    waiting[used] = p
                    used += ONE
                else:  # of an earlier chunk: none is put off here
                    code = code_of(codes, p, shared)
            mask |= ONE << code
        if used > before:
            places[held], masks[held], ends[held] = i, mask, used
            held += ONE
        elif ctz64(~mask) > LAST:
            store_relaxed(shared, FULL, 1)
            return False
        else:
            store_relaxed(codes, i, np.uint8(ctz64(~mask)))
        i += ONE


@njit(cache=True, nogil=True)
def settle(codes: Any, late: Any, held: Any, shared: Any) -> Any:
    """Color the vertices that were put off, in order; whether one word of colors was enough."""
    places, masks, ends, waiting = late
    j = ZERO
    for k in range(held):
        mask = masks[k]
        while j < ends[k]:
            code = code_of(codes, waiting[j], shared)
            if code == WAITS:
                return False
            mask |= ONE << code
            j += ONE
        if ctz64(~mask) > LAST:
            store_relaxed(shared, FULL, 1)
            return False
        store_relaxed(codes, places[k], np.uint8(ctz64(~mask)))
    return load_relaxed(shared, FULL) == 0


@njit(cache=True, nogil=True)
def code_of(codes: Any, p: Any, shared: Any) -> Any:
    """The code at an earlier place, as soon as there is one; WAITS where another thread needs wider masks."""
    looks = 0
    code = np.uint64(load_relaxed(codes, p))
    while code == WAITS and load_relaxed(shared, FULL) == 0:
        looks = look_again(looks, shared)
        code = np.uint64(load_relaxed(codes, p))
    return code


@njit(cache=True, nogil=True)
def wide(
    indptr: Any, indices: Any, sequence: Any, place: Any, codes: Any, words: Any, first: Any, stop: Any, late: Any
) -> Any:  # fmt: skip
    """Color a chunk with a byte flag per color, but for what has a color and what is put off; how many these are."""
    n, held, flags = np.uint64(codes.size - 1), ZERO, words.view(np.uint8)
    for i in range(np.uint64(first), np.uint64(stop)):
        if sequence is None:
            v = np.uint32(i)
        else:
            far_ahead(indptr, indices, sequence, i, stop)
            v = sequence[i]
        if codes[i] != WAITS:
            continue
        e, end = indptr[v], indptr[v + ONE32]
        most = cleared(words, end - e)
        while e < end:
            flags[codes[earlier(place, indices[e], i, n)]] = 1
            e += ONE32
        if flags[WAITS]:
            late[held] = i
            held += ONE
        else:
            flags[WAITS] = flags[NOTHING] = 1
            store_relaxed(codes, i, np.uint16(least_free(words, most)))
    return held


@njit(cache=True, nogil=True, forceinline=True)
def cleared(words: Any, degree: Any) -> Any:
    """Clear the flags of the codes that a vertex can need; the last word of these."""
    most = min((np.uint64(degree) + BASE) >> THREE, FLAGS - ONE)
    w = ZERO
    while w <= most:
        words[w] = ZERO
        w += ONE
    return most


@njit(cache=True, nogil=True)
def wide_rest(
    indptr: Any, indices: Any, sequence: Any, place: Any, codes: Any, words: Any, late: Any, held: Any, waiting: Any,
    shared: Any,
) -> None:  # fmt: skip
    """Color the vertices put off in a chunk, in order: first what neighbors have, then what they get."""
    n, flags = np.uint64(codes.size - 1), words.view(np.uint8)
    for k in range(held):
        i, used = late[k], ZERO
        v = np.uint32(i) if sequence is None else sequence[i]
        most = cleared(words, indptr[v + ONE32] - indptr[v])
        for e in range(indptr[v], indptr[v + ONE32]):
            p = earlier(place, indices[e], i, n)
            code = np.uint64(load_relaxed(codes, p))
            if code == WAITS:
                if used < ROOM:
                    waiting[used] = p
                    used += ONE
                else:
                    code = code_of(codes, p, shared)
            flags[code] = 1
        for j in range(used):
            flags[code_of(codes, waiting[j], shared)] = 1
        flags[WAITS] = flags[NOTHING] = 1
        store_relaxed(codes, i, np.uint16(least_free(words, most)))


@njit(cache=True, nogil=True)
def set_places(sequence: Any, place: Any, codes: Any, t: Any, workers: Any) -> None:
    """One thread's share of the places, and of the codes before the first color."""
    n = codes.size - 1
    for i in range(n * t // workers, n * (t + 1) // workers):
        codes[i] = WAITS
        if sequence is not None:
            place[sequence[np.uint64(i)]] = i
    if t == 0:
        codes[n] = NOTHING


@njit(cache=True, nogil=True)
def publish(place: Any, codes: Any, colors: Any, t: Any, workers: Any) -> None:
    """One thread's share of the public colors."""
    for v in range(np.uint64(colors.size * t // workers), np.uint64(colors.size * (t + 1) // workers)):
        colors[v] = np.int32(codes[v if place is None else np.uint64(place[v])]) - np.int32(BASE)


@njit(cache=True, nogil=True)
def color_narrow(
    t: Any, shared: Any, indptr: Any, indices: Any, sequence: Any, place: Any, starts: Any, codes: Any, colors: Any,
    workers: Any,
) -> None:  # fmt: skip
    """Chunks until none is left or a mask is too narrow (FULL)."""
    set_places(sequence, place, codes, t, workers)
    late = np.empty(ROOM, np.uint64), np.empty(ROOM, np.uint64), np.empty(ROOM, np.uint64), np.empty(ROOM, np.uint64)
    barrier(shared, PLACED, workers)
    while load_relaxed(shared, FULL) == 0:
        c = np.uint64(fetch_add(shared, NEXT, 1))
        if c >= np.uint64(starts.size - 1):
            break
        first, stop = starts[c], starts[c + ONE]
        if sequence is not None:
            first_ahead(indptr, indices, sequence, first, stop)
        if not narrow_chunk(indptr, indices, sequence, place, codes, first, stop, late, shared):
            break
    barrier(shared, COLORED, workers)
    if load_relaxed(shared, FULL) == 0:
        publish(place, codes, colors, t, workers)


@njit(cache=True, nogil=True)
def color_wide(
    t: Any, shared: Any, indptr: Any, indices: Any, sequence: Any, place: Any, starts: Any, before: Any, codes: Any,
    colors: Any, workers: Any,
) -> None:  # fmt: skip
    """Chunks until none is left; `before`: codes that are found, of one byte, or None."""
    if before is None:
        set_places(sequence, place, codes, t, workers)
    else:
        for i in range(before.size * t // workers, before.size * (t + 1) // workers):
            codes[i] = before[i]
    words, waiting = np.zeros(FLAGS, np.uint64), np.empty(ROOM, np.uint64)
    late = np.empty(np.max(starts[1:] - starts[:-1]), np.uint64)
    barrier(shared, PLACED, workers)
    while True:
        c = np.uint64(fetch_add(shared, NEXT, 1))
        if c >= np.uint64(starts.size - 1):
            break
        first, stop = starts[c], starts[c + ONE]
        if sequence is not None:
            first_ahead(indptr, indices, sequence, first, stop)
        held = wide(indptr, indices, sequence, place, codes, words, first, stop, late)
        wide_rest(indptr, indices, sequence, place, codes, words, late, held, waiting, shared)
    barrier(shared, COLORED, workers)
    publish(place, codes, colors, t, workers)


@njit(cache=True, nogil=True)
def narrow_on_all(
    team: Any, shared: Any, indptr: Any, indices: Any, sequence: Any, place: Any, starts: Any, codes: Any, colors: Any,
    workers: Any,
) -> Any:  # fmt: skip
    """`color_narrow` on a team of pool.py."""
    return on_all(color_narrow, team, (shared, indptr, indices, sequence, place, starts, codes, colors, workers))


@njit(cache=True, nogil=True)
def wide_on_all(
    team: Any, shared: Any, indptr: Any, indices: Any, sequence: Any, place: Any, starts: Any, before: Any, codes: Any,
    colors: Any, workers: Any,
) -> Any:  # fmt: skip
    """`color_wide` on a team of pool.py."""
    return on_all(color_wide, team, (shared, indptr, indices, sequence, place, starts, before, codes, colors, workers))
