"""Exact first-fit by threads that take chunks of the sequence in turn, on one state that all of them share.

The state of a vertex (uint16) says which chunk it is in, from the beginning on, and its code: a color, DEFERRED or
PENDING. A vertex of chunk c so tells by one comparison, with c << SHIFT | PENDING, which neighbors it must see: those
of earlier chunks, and of its own chunk those that were colored before it or are DEFERRED. There is no array of places.
A vertex with a neighbor among them that has no color is DEFERRED until the chunk is done, and then waits for each.

=========  ===========================================================================================
starts     first place of each chunk, and the end
shared     the next chunk to mark, the next to color, whether a vertex needs more than 62 colors; barriers
=========  ===========================================================================================

Progress: a vertex waits for vertices of earlier chunks, which are taken earlier, and for earlier ones of its own, which
its thread has colored by then. Who waits looks seldom: looks take the cache line from the thread that writes it, and 16
threads that looked all the time were slower than one.

Where degrees differ much, vertices that share a cache line are colored at different times, and the line goes from core
to core; copies of the state (copies.py) are faster there, and for few threads.

References
----------
Welsh, Powell 1967, for first-fit. The chunks are this project's own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device.compiled import njit
from ...base.device.intrinsics import ctz64, fetch_add, load_relaxed, store_relaxed
from ...base.device.parallel import SELDOM, barrier, look_again, parallel, share
from .sequential import ONE, ONE32, ZERO, far_ahead, first_ahead

SHIFT, CODES, DEFERRED, PENDING = np.uint64(6), np.uint64(63), np.uint64(62), np.uint64(63)
MOST = 1000  # chunks, whose numbers have 10 bits
MARK, NEXT, FULL = np.uint64(0), np.uint64(8), np.uint64(16)  # a cache line each in `shared`
MARKED, COLORED, SLOTS = 24, 32, 40  # barriers, and the size of `shared`
LATER = np.uint64(256)  # neighbors without a color that are listed; for others a thread waits on its way


@njit(cache=True, nogil=True)
def narrow(indptr: Any, indices: Any, sequence: Any, state: Any, base: Any, first: Any, stop: Any) -> Any:
    """Color from place `first` on; returns the first place whose vertex must wait or needs a wider mask, and this mask.

    The place is `stop` where there is none. The states are read as any array is: one read sees one state, and an atomic
    one of 16 bits takes a third longer.
    """
    limit = base | PENDING
    for i in range(np.uint64(first), np.uint64(stop)):
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
            return i, mask
        store_relaxed(state, np.uint64(v), np.uint16(base | code))
    return np.uint64(stop), ZERO


@njit(cache=True, nogil=True)
def narrow_chunk(
    indptr: Any, indices: Any, sequence: Any, state: Any, base: Any, first: Any, stop: Any, deferred: Any
) -> Any:  # fmt: skip
    """Color a chunk but for the vertices that are `deferred`; returns their number, −1 if a mask is too narrow."""
    held, i = 0, np.uint64(first)
    while True:
        i, mask = narrow(indptr, indices, sequence, state, base, i, stop)
        if i == stop:
            return held
        v, code = sequence[i], ctz64(~mask)
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
                mask |= ONE << color_of(state, u, shared)
        for j in range(count):
            mask |= ONE << color_of(state, waiting[j], shared)
        code = ctz64(~mask)
        if code >= DEFERRED:
            return False
        store_relaxed(state, np.uint64(v), np.uint16(base | code))
    return True


@njit(cache=True, nogil=True)
def color_of(state: Any, u: Any, shared: Any) -> Any:
    """The color of an earlier vertex, as soon as it has one; PENDING where another thread has ended the coloring."""
    code = np.uint64(load_relaxed(state, np.uint64(u))) & CODES
    while code >= DEFERRED:
        if load_relaxed(shared, FULL) != 0:
            return PENDING
        look_again(SELDOM, shared)
        code = np.uint64(load_relaxed(state, np.uint64(u))) & CODES
    return code


@njit(cache=True, nogil=True)
def mark_chunks(sequence: Any, starts: Any, state: Any, shared: Any) -> None:
    """Say of each vertex of the next chunks which chunk it is in."""
    while True:
        c = np.uint64(fetch_add(shared, MARK, 1))
        if c >= np.uint64(starts.size - 1):
            return
        for i in range(starts[c], starts[c + ONE]):
            state[sequence[i]] = c << SHIFT | PENDING


@parallel
def color_chunks(
    t: Any, shared: Any, indptr: Any, indices: Any, sequence: Any, starts: Any, state: Any, colors: Any, workers: Any
) -> None:  # fmt: skip
    """Chunks until none is left or a vertex needs more colors (FULL), then a share of the public colors."""
    deferred = np.empty(np.max(starts[1:] - starts[:-1]), np.uint32)
    mark_chunks(sequence, starts, state, shared)
    barrier(shared, MARKED, workers)
    while load_relaxed(shared, FULL) == 0:
        c = np.uint64(fetch_add(shared, NEXT, 1))
        if c >= np.uint64(starts.size - 1):
            break
        first, stop, base = starts[c], starts[c + ONE], c << SHIFT
        first_ahead(indptr, indices, sequence, first, stop)
        held = narrow_chunk(indptr, indices, sequence, state, base, first, stop, deferred)
        if held < 0 or (held > 0 and not narrow_rest(indptr, indices, state, base, deferred, held, shared)):
            store_relaxed(shared, FULL, 1)
    barrier(shared, COLORED, workers)
    if load_relaxed(shared, FULL) == 0:
        for v in share(t, workers, colors.size):
            colors[v] = np.int32(np.uint64(state[v]) & CODES)
