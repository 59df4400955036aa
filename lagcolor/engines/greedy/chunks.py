"""Exact first-fit by threads that take chunks of the sequence in turn, on a state that all of them share.

The state of a vertex says which chunk it is in, from the beginning on, and its code: a color, DEFERRED or PENDING. A
vertex of chunk c so tells by one comparison, with c << SHIFT | PENDING, which neighbors it must see: those of earlier
chunks, and of its own those that were colored before it or are DEFERRED. It needs to see nothing in any order, and no
array of places. What has a neighbor among them without a color is DEFERRED until the chunk is done, and then waits for
each. Words of 16 bits hold 62 colors; where a vertex needs another, all go on with words of 32 bits and a byte flag
per color.

=========  ===========================================================================================
starts     first place of each chunk, and the end
shared     the next chunk to mark, the next to color, whether one word of colors was too narrow; barriers
=========  ===========================================================================================

Progress: a vertex waits for vertices of earlier chunks, which are taken earlier, and for earlier ones of its own, which
its thread has colored by then.

What lost: a copy of all codes for each thread, which each had to keep up with (16 threads: 2.3 times as fast as one on
a grid of 4 M vertices). See also docs/development/variants.md.
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

SHIFT, CODES, DEFERRED, PENDING = np.uint64(6), np.uint64(63), np.uint64(62), np.uint64(63)  # of 16 bits
WIDE_SHIFT, WIDE_CODES, WIDE_DEFERRED = np.uint64(16), np.uint64(0xFFFF), np.uint64(0xFFFE)  # of 32 bits
IGNORED, FLAGS = np.uint64(0xFFFD), np.uint64(1 << 13)  # the flag of what a vertex does not see; words of flags
MARK, NEXT, FULL = np.uint64(0), np.uint64(8), np.uint64(16)  # a cache line each in `shared`
MARKED, COLORED = 24, 32  # barriers
LATER = np.uint64(256)  # neighbors without a color that are listed; for others a thread waits on its way


@njit(cache=True, nogil=True)
def narrow(indptr: Any, indices: Any, sequence: Any, state: Any, base: Any, first: Any, stop: Any) -> Any:
    """Color from place `first` on; returns the first place whose vertex must wait or needs a wider mask, or `stop`.

    The states are read as any array is: what one read sees is a state, and an atomic one of 16 bits takes a third longer.
    """
    limit = base | PENDING
    for i in range(np.uint64(first), np.uint64(stop)):
        if sequence is None:
            v = np.uint32(i)
        else:
            far_ahead(indptr, indices, sequence, i, stop)
            v = sequence[i]
        mask = ZERO
        e, end = indptr[v], indptr[v + ONE32]
        while e < end:
            s = np.uint64(state[indices[e]])
            mask |= np.uint64(s < limit) << (s & CODES)
            e += ONE32
        code = ctz64(~mask)
        if mask >> DEFERRED or code >= DEFERRED:
            return i
        store_relaxed(state, np.uint64(v), np.uint16(base | code))
    return np.uint64(stop)


@njit(cache=True, nogil=True)
def narrow_chunk(
    indptr: Any, indices: Any, sequence: Any, state: Any, base: Any, first: Any, stop: Any, deferred: Any
) -> Any:  # fmt: skip
    """Color a chunk but for the vertices that are `deferred`; returns their number, −1 if a mask is too narrow."""
    held, i = 0, np.uint64(first)
    while True:
        i = narrow(indptr, indices, sequence, state, base, i, stop)
        if i == stop:
            return held
        v = np.uint32(i) if sequence is None else sequence[i]
        mask = ZERO
        for e in range(indptr[v], indptr[v + ONE32]):
            s = np.uint64(state[indices[e]])
            mask |= np.uint64(s < (base | PENDING)) << (s & CODES)
        code = ctz64(~mask)
        if mask >> DEFERRED:
            code = DEFERRED
            deferred[held] = v
            held += 1
        elif code >= DEFERRED:
            return -1
        store_relaxed(state, np.uint64(v), np.uint16(base | code))
        i += ONE


@njit(cache=True, nogil=True)
def narrow_rest(indptr: Any, indices: Any, state: Any, base: Any, deferred: Any, held: Any, shared: Any) -> Any:
    """Color the deferred vertices of a chunk in order; whether all have a color."""
    limit = np.uint16(base | PENDING)
    waiting = np.empty(LATER, np.uint32)
    for k in range(held):
        store_relaxed(state, np.uint64(deferred[k]), limit)
    for k in range(held):
        v, mask, count = deferred[k], ZERO, ZERO
        for e in range(indptr[v], indptr[v + ONE32]):
            u = indices[e]
            s = load_relaxed(state, np.uint64(u))
            if s < limit and np.uint64(s) & CODES >= DEFERRED and count < LATER:
                waiting[count] = u
                count += ONE
            elif s < limit:
                mask |= ONE << color_of(state, u, CODES, DEFERRED, shared)
        for j in range(count):
            mask |= ONE << color_of(state, waiting[j], CODES, DEFERRED, shared)
        code = ctz64(~mask)
        if code >= DEFERRED:
            return False
        store_relaxed(state, np.uint64(v), np.uint16(base | code))
    return True


@njit(cache=True, nogil=True)
def color_of(state: Any, u: Any, codes: Any, deferred: Any, shared: Any) -> Any:
    """The color of an earlier vertex, as soon as it has one; `codes` where another thread found no room for one."""
    looks = 0
    code = np.uint64(load_relaxed(state, np.uint64(u))) & codes
    while code >= deferred:
        if load_relaxed(shared, FULL) != 0:
            return codes
        looks = look_again(looks, shared)
        code = np.uint64(load_relaxed(state, np.uint64(u))) & codes
    return code


@njit(cache=True, nogil=True)
def wide_chunk(
    indptr: Any, indices: Any, sequence: Any, state: Any, words: Any, base: Any, first: Any, stop: Any, deferred: Any
) -> Any:  # fmt: skip
    """`narrow_chunk` with a byte flag per color in `words`; vertices that have a color keep it."""
    limit, held, flags = base | WIDE_CODES, 0, words.view(np.uint8)
    for i in range(np.uint64(first), np.uint64(stop)):
        if sequence is None:
            v = np.uint32(i)
        else:
            far_ahead(indptr, indices, sequence, i, stop)
            v = sequence[i]
        if np.uint64(state[v]) & WIDE_CODES < WIDE_DEFERRED:
            continue
        e, end = indptr[v], indptr[v + ONE32]
        most = min(np.uint64(end - e) >> THREE, FLAGS - TWO)  # first-fit never passes the degree, nor these
        w = ZERO
        while w <= most:
            words[w] = ZERO
            w += ONE
        while e < end:
            s = np.uint64(load_relaxed(state, np.uint64(indices[e])))
            flags[s & WIDE_CODES if s < limit else IGNORED] = 1
            e += ONE32
        if flags[WIDE_DEFERRED] | flags[WIDE_CODES]:
            flags[WIDE_DEFERRED] = flags[WIDE_CODES] = 0
            code = WIDE_DEFERRED
            deferred[held] = v
            held += 1
        else:
            code = np.uint64(least_free(words, most))
        store_relaxed(state, np.uint64(v), np.uint32(base | code))
    return held


@njit(cache=True, nogil=True)
def wide_rest(
    indptr: Any, indices: Any, state: Any, words: Any, base: Any, deferred: Any, held: Any, shared: Any
) -> None:  # fmt: skip
    """`narrow_rest` with flags."""
    limit, flags = np.uint32(base | WIDE_CODES), words.view(np.uint8)
    waiting = np.empty(LATER, np.uint32)
    for k in range(held):
        store_relaxed(state, np.uint64(deferred[k]), limit)
    for k in range(held):
        v, count = deferred[k], ZERO
        most = min(np.uint64(indptr[v + ONE32] - indptr[v]) >> THREE, FLAGS - TWO)
        words[: most + ONE] = ZERO
        for e in range(indptr[v], indptr[v + ONE32]):
            u = indices[e]
            s = load_relaxed(state, np.uint64(u))
            if s < limit and np.uint64(s) & WIDE_CODES >= WIDE_DEFERRED and count < LATER:
                waiting[count] = u
                count += ONE
            elif s < limit:
                flags[color_of(state, u, WIDE_CODES, WIDE_DEFERRED, shared)] = 1
        for j in range(count):
            flags[color_of(state, waiting[j], WIDE_CODES, WIDE_DEFERRED, shared)] = 1
        store_relaxed(state, np.uint64(v), np.uint32(base | np.uint64(least_free(words, most))))


@njit(cache=True, nogil=True)
def mark_chunks(sequence: Any, starts: Any, state: Any, shift: Any, code: Any, shared: Any) -> None:
    """Say of each vertex of the next chunks which chunk it is in."""
    while True:
        c = np.uint64(fetch_add(shared, MARK, 1))
        if c >= np.uint64(starts.size - 1):
            return
        for i in range(starts[c], starts[c + ONE]):
            state[i if sequence is None else np.uint64(sequence[i])] = c << shift | code


@njit(cache=True, nogil=True)
def color_narrow(
    t: Any, shared: Any, indptr: Any, indices: Any, sequence: Any, starts: Any, state: Any, colors: Any, size: Any,
    workers: Any,
) -> None:  # fmt: skip
    """Chunks until none is left or a mask is too narrow (FULL), then a share of the public colors."""
    mark_chunks(sequence, starts, state, SHIFT, PENDING, shared)
    deferred = np.empty(size, np.uint32)
    barrier(shared, MARKED, workers)
    while load_relaxed(shared, FULL) == 0:
        c = np.uint64(fetch_add(shared, NEXT, 1))
        if c >= np.uint64(starts.size - 1):
            break
        first, stop, base = starts[c], starts[c + ONE], c << SHIFT
        if sequence is not None:
            first_ahead(indptr, indices, sequence, first, stop)
        held = narrow_chunk(indptr, indices, sequence, state, base, first, stop, deferred)
        if held < 0 or (held and not narrow_rest(indptr, indices, state, base, deferred, held, shared)):
            store_relaxed(shared, FULL, 1)
    barrier(shared, COLORED, workers)
    if load_relaxed(shared, FULL) == 0:
        for v in range(colors.size * t // workers, colors.size * (t + 1) // workers):
            colors[v] = np.int32(np.uint64(state[v]) & CODES)


@njit(cache=True, nogil=True)
def color_wide(
    t: Any, shared: Any, indptr: Any, indices: Any, sequence: Any, starts: Any, before: Any, state: Any, colors: Any,
    size: Any, workers: Any,
) -> None:  # fmt: skip
    """The same with a flag per color; `before`: the state of 16 bits, with the colors that are found, or None."""
    if before is None:
        mark_chunks(sequence, starts, state, WIDE_SHIFT, WIDE_CODES, shared)
    else:
        for v in range(colors.size * t // workers, colors.size * (t + 1) // workers):
            code = np.uint64(before[v]) & CODES
            code = WIDE_CODES if code >= DEFERRED else code
            state[v] = np.uint64(before[v]) >> SHIFT << WIDE_SHIFT | code
    deferred, words = np.empty(size, np.uint32), np.zeros(FLAGS, np.uint64)
    barrier(shared, MARKED, workers)
    while True:
        c = np.uint64(fetch_add(shared, NEXT, 1))
        if c >= np.uint64(starts.size - 1):
            break
        first, stop, base = starts[c], starts[c + ONE], c << WIDE_SHIFT
        if sequence is not None:
            first_ahead(indptr, indices, sequence, first, stop)
        held = wide_chunk(indptr, indices, sequence, state, words, base, first, stop, deferred)
        if held:
            wide_rest(indptr, indices, state, words, base, deferred, held, shared)
    barrier(shared, COLORED, workers)
    for v in range(colors.size * t // workers, colors.size * (t + 1) // workers):
        colors[v] = np.int32(np.uint64(state[v]) & WIDE_CODES)


@njit(cache=True, nogil=True)
def narrow_on_all(
    team: Any, shared: Any, indptr: Any, indices: Any, sequence: Any, starts: Any, state: Any, colors: Any, size: Any,
    workers: Any,
) -> Any:  # fmt: skip
    """`color_narrow` on a team of pool.py."""
    return on_all(color_narrow, team, (shared, indptr, indices, sequence, starts, state, colors, size, workers))


@njit(cache=True, nogil=True)
def wide_on_all(
    team: Any, shared: Any, indptr: Any, indices: Any, sequence: Any, starts: Any, before: Any, state: Any, colors: Any,
    size: Any, workers: Any,
) -> Any:  # fmt: skip
    """`color_wide` on a team of pool.py."""
    args = (shared, indptr, indices, sequence, starts, before, state, colors, size, workers)
    return on_all(color_wide, team, args)
