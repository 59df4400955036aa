"""First-fit by several CPU threads that take chunks of the sequence in turn: what two algorithms share.

A vertex that finds an earlier neighbour without a color is *unordered*: another thread is coloring
that neighbour. `jones_plassmann` waits for it and looks again; `gebremedhin_manne` notes the vertex in
`pending` and goes on. Whether `pending` is None decides when the loops are compiled.

=========  ========================================================================================
scratch    color + 1 of each vertex, 0 while it has none; one byte, or two or four for many colors
colors     the public colors, written a chunk at a time, so that their pages are touched in parallel
sequence   vertices in the order of coloring, None for vertex id
p          priorities for orders other than natural, None where later neighbours need not be distinguished
shared     slots: the first position not taken, whether one word was too narrow, the number of pending vertices
=========  ========================================================================================

All that threads share is read and written through relaxed atomics; `scratch` goes from 0 to its final
value once, and that is all that a reader relies on.

The uncolored mark 0 sets bit (or flag) 0 of the colors seen, so that being unordered costs no test an
edge; testing each color made one thread 19 % slower than `greedy`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device.bits import least_free
from ...device.compiled import njit
from ...device.intrinsics import ctz64, fetch_add, load_relaxed, store_relaxed
from ...device.threads import look_again
from .sequential import NARROW_MAX, ONE, ONE32, THREE, ZERO, far_ahead

NEXT, FULL, PENDING = np.uint64(0), np.uint64(1), np.uint64(2)  # slots of `shared`


@njit(cache=True, nogil=True)
def natural_chunks(indptr: Any, indices: Any, scratch: Any, colors: Any, shared: Any, pending: Any, chunk: Any) -> None:
    """Natural order with one-word masks; sets FULL and stops where a vertex needs a color over 62."""
    n = np.uint64(scratch.size)
    while load_relaxed(shared, FULL) == 0:
        first = np.uint64(fetch_add(shared, NEXT, chunk))
        if first >= n:
            return
        stop = min(first + np.uint64(chunk), n)
        v = np.uint32(first)
        start = indptr[v]
        while np.uint64(v) < stop:
            end = indptr[v + ONE32]
            mask = ZERO
            e = start
            while e < end:
                u = indices[e]
                if u >= v:
                    break
                mask |= ONE << np.uint64(load_relaxed(scratch, np.uint64(u)))
                e += ONE32
            if mask & ONE:
                if pending is None:
                    mask = await_smaller(indices, start, end, v, scratch, shared)
                    if mask & ONE:  # given up: another thread needs wider masks
                        return
                else:
                    pending[fetch_add(shared, PENDING, 1)] = v
            bit = ctz64(~(mask | ONE))
            if bit > NARROW_MAX:
                store_relaxed(shared, FULL, 1)
                return
            store_relaxed(scratch, np.uint64(v), scratch.dtype.type(bit))
            start = end
            v += ONE32
        publish(scratch, colors, None, first, stop)


@njit(cache=True, nogil=True)
def await_smaller(indices: Any, start: Any, end: Any, v: Any, scratch: Any, shared: Any) -> Any:
    """A bit for each color + 1 among the neighbours of smaller id, once all have one; bit 0 where it gave up."""
    mask = ZERO
    e = start
    while e < end and indices[e] < v:
        await_color(scratch, indices[e], shared)
        mask |= ONE << np.uint64(load_relaxed(scratch, np.uint64(indices[e])))
        e += ONE32
    return mask


@njit(cache=True, nogil=True)
def await_color(scratch: Any, u: Any, shared: Any) -> None:
    """Wait until `u`, which another thread is coloring, has its color, or some mask was too narrow."""
    looks = 0
    while load_relaxed(scratch, np.uint64(u)) == scratch.dtype.type(0) and load_relaxed(shared, FULL) == 0:
        looks = look_again(looks, shared)


@njit(cache=True, nogil=True)
def ordered_chunks(
    indptr: Any, indices: Any, sequence: Any, p: Any, scratch: Any, colors: Any, shared: Any, chunk: Any
) -> None:
    """Any other order with one-word masks; with `p` None no vertex waits and later neighbours count too."""
    n = np.uint64(scratch.size)
    none = scratch.dtype.type(0)
    while load_relaxed(shared, FULL) == 0:
        first = np.uint64(fetch_add(shared, NEXT, chunk))
        if first >= n:
            return
        stop = min(first + np.uint64(chunk), n)
        for i in range(first, stop):
            far_ahead(indptr, indices, sequence, i, n)
            v = sequence[i]
            mask = ONE
            e = indptr[v]
            end = indptr[v + ONE32]
            while e < end:
                u = indices[e]
                e += ONE32
                c = load_relaxed(scratch, np.uint64(u))
                if p is None:
                    mask |= ONE << np.uint64(c)
                    continue
                earlier = np.uint64(p[u] > p[v])
                # One branch, rarely taken: "earlier" by itself is a coin toss, and so is "has no color".
                if earlier & np.uint64(c == none):
                    await_color(scratch, u, shared)
                    c = load_relaxed(scratch, np.uint64(u))
                    if c == none:
                        return
                mask |= earlier << np.uint64(c)
            bit = ctz64(~mask)
            if bit > NARROW_MAX:
                store_relaxed(shared, FULL, 1)
                return
            store_relaxed(scratch, np.uint64(v), scratch.dtype.type(bit))
        publish(scratch, colors, sequence, first, stop)


@njit(cache=True, nogil=True)
def wide_chunks(
    indptr: Any, indices: Any, sequence: Any, p: Any, scratch: Any, colors: Any, words: Any, shared: Any, pending: Any,
    chunk: Any,
) -> None:  # fmt: skip
    """Any order with one flag per color; what has a color keeps it. `words` is this thread's own.

    Flags are cleared up to the largest color that this thread has needed; where all of those are taken,
    the vertex is done again with as many as its degree may ask for.
    """
    n = np.uint64(scratch.size)
    none = scratch.dtype.type(0)
    flags = words.view(np.uint8)
    ignored = np.uint64(flags.size) - ONE
    top = np.uint64(64)
    while True:
        first = np.uint64(fetch_add(shared, NEXT, chunk))
        if first >= n:
            return
        stop = min(first + np.uint64(chunk), n)
        for i in range(first, stop):
            if sequence is None:
                v = np.uint32(i)
            else:
                far_ahead(indptr, indices, sequence, i, n)
                v = sequence[i]
            if load_relaxed(scratch, np.uint64(v)) != none:
                continue
            most = np.uint64(indptr[v + ONE32] - indptr[v]) + ONE  # first-fit never passes degree + 1
            limit = min(most, top)
            while True:
                w = ZERO
                while w <= limit >> THREE:
                    words[w] = ZERO
                    w += ONE
                e = indptr[v]
                end = indptr[v + ONE32]
                while e < end:
                    u = indices[e]
                    if sequence is None and u >= v:
                        break
                    c = np.uint64(load_relaxed(scratch, np.uint64(u)))
                    if p is not None:
                        c = c if p[u] > p[v] else ignored
                    flags[c] = 1
                    e += ONE32
                unordered = flags[0] != 0 and (sequence is None or p is not None)
                if unordered and pending is None:
                    await_earlier(indptr, indices, v, p, scratch, shared)
                    continue
                flags[0] = 1
                c = least_free(words, limit >> THREE)
                if c >> THREE <= limit >> THREE:
                    break
                limit = most
            top = max(top, c + np.uint64(8))
            store_relaxed(scratch, np.uint64(v), scratch.dtype.type(c))
            if unordered and pending is not None:
                pending[fetch_add(shared, PENDING, 1)] = v
        publish(scratch, colors, sequence, first, stop)


@njit(cache=True, nogil=True)
def await_earlier(indptr: Any, indices: Any, v: Any, p: Any, scratch: Any, shared: Any) -> None:
    """Wait until the earlier neighbours (in natural order: of smaller id) have colors."""
    for e in range(indptr[v], indptr[v + ONE32]):
        u = indices[e]
        if (p is None and u < v) or (p is not None and p[u] > p[v]):
            await_color(scratch, u, shared)


@njit(cache=True, nogil=True)
def publish(scratch: Any, colors: Any, sequence: Any, first: Any, stop: Any) -> None:
    """Write the public colors of positions `first` … `stop` − 1."""
    for i in range(first, stop):
        v = i if sequence is None else np.uint64(sequence[i])
        colors[v] = np.int32(scratch[v]) - np.int32(1)
