"""Exact first-fit by threads that take chunks of the sequence in turn, each on a copy of the state of its own.

A thread never reads another's state, for a shared byte array bounces between caches at every color
written (two threads on one array: 1.1 times as fast as one; on two: 1.9 times). It colors a chunk from
its own copy, in which the earlier chunks are

- done: their colors were copied from `found`, where colors lie by place in the sequence;
- in flight, in another thread's hands: their vertices are marked PENDING.

Vertices of later chunks carry no mark, as if without a color, and that is what first-fit must see. A vertex
next to a PENDING one waits until the chunk is done, unless Shortcut 1 holds: all earlier neighbours without a
color have seen its best color taken. On a mesh in order this breaks the chain along a row.

=========  ===========================================================================================
state      code of each vertex, one copy per thread: 0 none, PENDING, DEFERRED (mine, waits), else color + BASE
found      code by place in the sequence, shared; a thread writes the places of its chunks only
start      first place of each chunk + 1, 0 while unknown; the taker of a chunk says where the next begins
done       1 where the chunk's codes are all in `found`
shared     the next chunk to take; whether one word was too narrow; whether one thread does the rest
seen_by    colors seen by a DEFERRED vertex (bits as in a mask), in the slot of its last bits; `whose` names it.
           A vertex that has lost its slot counts as one that has seen none: n words cost a page fault each
=========  ===========================================================================================

Progress: a chunk waits for earlier ones only, and the earliest in flight for none.

What lost: marks and colors in one shared array (rmat20, two threads: 47 ms against 24); waiting at each pending
vertex instead of putting it off (a chunk then waits for the other from its first vertex on). See also
docs/development/variants.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device.bits import least_free
from ...device.compiled import njit
from ...device.intrinsics import (
    ctz64,
    fetch_add,
    load_acquire,
    load_relaxed,
    prefetch,
    store_relaxed,
    store_release,
)
from ...device.threads import look_again
from .sequential import ONE, ONE32, THREE, TWO, ZERO, far_ahead, first_ahead

PENDING, DEFERRED, BASE = np.uint8(1), np.uint8(2), np.uint64(3)
NO_COLOR = np.uint64(7)  # bits of the codes that are no color
WAITS = np.uint64(6)
NARROW_MAX = np.uint64(63)
NEXT, FULL, ALONE, OWNER = np.uint64(0), np.uint64(8), np.uint64(16), np.uint64(24)  # a cache line each in `shared`
SLOTS = np.uint32(4095)  # a mask of the last bits
SOON = np.uint64(16)  # vertices between a prefetch of a state and its change
LOOK = np.uint64(1 << 16)  # vertices that a thread has colored before it judges two threads to be no use


@njit(cache=True, nogil=True)
def take(indptr: Any, sequence: Any, start: Any, shared: Any, chunk: Any, entries: Any) -> Any:
    """A chunk: its number, first place and the place after its last; first = n where there is none left."""
    n = np.uint64(sequence.size)
    mine = np.uint64(fetch_add(shared, NEXT, 1))
    looks = 0
    while load_acquire(start, mine) == 0:
        looks = look_again(looks, shared)
    first = np.uint64(load_acquire(start, mine)) - ONE
    stop = n
    if first < n and load_relaxed(shared, ALONE) == 0:
        v = sequence[first]
        row = np.uint64(indptr[v + ONE32] - indptr[v]) + ONE
        stop = min(first + max(ONE, min(np.uint64(chunk), np.uint64(entries) // row)), n)
    store_release(start, mine + ONE, np.int64(stop + ONE))
    return mine, first, stop


@njit(cache=True, nogil=True)
def catch_up(
    sequence: Any, state: Any, found: Any, start: Any, done: Any, shared: Any, seen: Any, mine: Any, waiting: Any,
    count: Any, all_of_them: Any,
) -> Any:  # fmt: skip
    """Copy what others have done since; mark what is in flight. Returns how many chunks are `waiting`, −1 to give up.

    `waiting` holds chunks in flight, at most one of each other thread. With `all_of_them` none is left.
    """
    left = 0
    old = count
    final = np.uint64(sequence.size) - ONE
    k = 0
    j = np.uint64(seen)
    while k < old or j < mine:
        if k < old:
            c = np.uint64(waiting[k])
        else:
            c = j
            j += ONE
        ready = load_acquire(done, c) != 0
        looks = 0
        while all_of_them and not ready:
            if load_relaxed(shared, FULL) != 0:
                return -1
            looks = look_again(looks, shared)
            ready = load_acquire(done, c) != 0
        i = np.uint64(load_relaxed(start, c)) - ONE
        stop = np.uint64(load_relaxed(start, c + ONE)) - ONE
        if ready:
            while i < stop:
                state[sequence[i]] = found[i]
                i += ONE
        else:
            waiting[left] = c
            left += 1
            if k >= old:
                while i < stop:
                    prefetch(state, sequence[min(i + SOON, final)])
                    state[sequence[i]] = PENDING
                    i += ONE
        k += k < old
    return left


@njit(cache=True, nogil=True)
def codes_seen(indptr: Any, indices: Any, v: Any, state: Any) -> Any:
    """A bit for each code among the neighbors of v."""
    mask = ZERO
    for e in range(indptr[v], indptr[v + ONE32]):
        mask |= ONE << np.uint64(state[indices[e]])
    return mask


@njit(cache=True, nogil=True)
def until_one_waits(indptr: Any, indices: Any, sequence: Any, state: Any, found: Any, first: Any, stop: Any) -> Any:
    """Color from place `first` on; returns the first place whose vertex must wait or needs a wider mask, or `stop`.

    A function of its own, so that its arrays stay in registers.
    """
    for i in range(first, stop):
        far_ahead(indptr, indices, sequence, i, stop)
        v = sequence[i]
        mask = ONE
        e = indptr[v]
        end = indptr[v + ONE32]
        while e < end:
            mask |= ONE << np.uint64(state[indices[e]])
            e += ONE32
        bit = ctz64(~(mask | NO_COLOR))
        if mask & WAITS or bit > NARROW_MAX:
            return i
        state[v] = bit
        found[i] = bit
    return stop


@njit(cache=True, nogil=True)
def narrow_chunks(
    indptr: Any, indices: Any, sequence: Any, state: Any, found: Any, start: Any, done: Any, shared: Any,
    seen_by: Any, whose: Any, deferred: Any, waiting: Any, me: Any, entries: Any,
) -> None:  # fmt: skip
    """Chunks with one-word masks, until none is left or a vertex needs a color over 60 (FULL)."""
    n = np.uint64(sequence.size)
    seen, count, colored, put_off = ZERO, 0, ZERO, ZERO
    while load_relaxed(shared, FULL) == 0:
        mine, first, stop = take(indptr, sequence, start, shared, deferred.size, entries)
        alone = stop == n and first + np.uint64(deferred.size) < n
        if first == n:
            store_release(done, mine, np.uint8(1))
            if load_relaxed(shared, OWNER) == me:
                catch_up(sequence, state, found, start, done, shared, seen, mine, waiting, count, True)
            return
        count = catch_up(sequence, state, found, start, done, shared, seen, mine, waiting, count, alone)
        seen = mine + ONE
        if count < 0:
            return
        if stop == n:
            store_relaxed(shared, OWNER, me)
        if alone:
            if until_one_waits(indptr, indices, sequence, state, found, first, n) < n:
                store_relaxed(shared, FULL, 1)
                return
            store_release(done, mine, np.uint8(1))
            continue
        i, held = first, ZERO
        first_ahead(indptr, indices, sequence, first, stop)
        while True:
            i = until_one_waits(indptr, indices, sequence, state, found, i, stop)
            if i == stop:
                break
            v = sequence[i]
            mask = codes_seen(indptr, indices, v, state)
            bit = ctz64(~(mask | NO_COLOR))
            if mask & WAITS:
                common = ZERO  # colors that all earlier neighbours without one have seen taken
                if mask & WAITS == np.uint64(4):
                    common = ~ZERO
                    for e in range(indptr[v], indptr[v + ONE32]):
                        u = indices[e]
                        if state[u] == DEFERRED:
                            slot = u & SLOTS
                            common &= seen_by[slot] if whose[slot] == u else ZERO
                if bit > NARROW_MAX or (common >> bit) & ONE == ZERO:
                    state[v] = DEFERRED
                    seen_by[v & SLOTS] = mask & ~NO_COLOR
                    whose[v & SLOTS] = v
                    deferred[held] = i
                    held += ONE
                    i += ONE
                    continue
            if bit > NARROW_MAX:
                store_relaxed(shared, FULL, 1)
                return
            state[v] = bit
            found[i] = bit
            i += ONE
        if held > ZERO:
            count = catch_up(sequence, state, found, start, done, shared, seen, seen, waiting, count, True)
            if count < 0:
                return
            k = ZERO
            while k < held:
                i = deferred[k]
                v = sequence[i]
                bit = ctz64(~(codes_seen(indptr, indices, v, state) | NO_COLOR))
                if bit > NARROW_MAX:
                    store_relaxed(shared, FULL, 1)
                    return
                state[v] = bit
                found[i] = bit
                k += ONE
        store_release(done, mine, np.uint8(1))
        colored += stop - first
        put_off += held
        if colored > LOOK and put_off * TWO > colored:
            store_relaxed(shared, ALONE, 1)


@njit(cache=True, nogil=True)
def wide_chunks(
    indptr: Any, indices: Any, sequence: Any, state: Any, found: Any, start: Any, done: Any, shared: Any,
    words: Any, deferred: Any, waiting: Any, me: Any, entries: Any,
) -> None:  # fmt: skip
    """The same with a byte flag a code in `words`, this thread's own; no shortcut.

    Flags are cleared and read up to the largest code of any earlier vertex + 1, or the vertex's degree.
    """
    n = np.uint64(sequence.size)
    flags = words.view(np.uint8)
    seen, count = ZERO, 0
    while True:
        mine, first, stop = take(indptr, sequence, start, shared, deferred.size, entries)
        if first == n:
            store_release(done, mine, np.uint8(1))
            if load_relaxed(shared, OWNER) == me:
                catch_up(sequence, state, found, start, done, shared, seen, mine, waiting, count, True)
            return
        count = catch_up(sequence, state, found, start, done, shared, seen, mine, waiting, count, False)
        seen = mine + ONE
        if stop == n:
            store_relaxed(shared, OWNER, me)
        first_ahead(indptr, indices, sequence, first, stop)
        i, held, put_off = first, ZERO, False
        while True:
            if i == stop or (put_off and i == held):
                if put_off or held == ZERO:
                    break
                catch_up(sequence, state, found, start, done, shared, seen, seen, waiting, count, True)
                count, put_off, i = 0, True, ZERO
            at = np.uint64(deferred[i]) if put_off else i
            if not put_off:
                far_ahead(indptr, indices, sequence, i, stop)
            v = sequence[at]
            e = indptr[v]
            end = indptr[v + ONE32]
            i += ONE
            most = (np.uint64(end - e) + BASE) >> THREE  # first-fit never passes the degree + 1
            w = ZERO
            while w <= most:
                words[w] = ZERO
                w += ONE
            while e < end:
                flags[state[indices[e]]] = 1
                e += ONE32
            if not put_off and (flags[PENDING] | flags[DEFERRED]) != 0:
                state[v] = DEFERRED
                deferred[held] = at
                held += ONE
                continue
            flags[0] = flags[1] = flags[2] = 1
            code = least_free(words, most)
            state[v] = code
            found[at] = code
        store_release(done, mine, np.uint8(1))
