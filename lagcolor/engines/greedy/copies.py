"""Exact first-fit by threads that take chunks of the sequence in turn; each thread has a copy of the state.

A thread never reads the state of another thread: a shared byte array would move between caches at each write
(two threads: 1.1 times as fast as one with one array, 1.9 times with two). In the copy of a thread an earlier chunk is

- done: its colors were copied from `found`, which has the colors by position in the sequence; or
- in flight, colored by another thread: its vertices are marked PENDING.

Vertices of later chunks have code 0, so that first-fit ignores them. A vertex with a PENDING neighbor is deferred
until the rest of the chunk is colored, and is PENDING until then.

=========  ===========================================================================================
state      codes as in sequential.py, one copy per thread
found      code by position in the sequence, shared; a thread writes only the positions of its chunks
start      first position of each chunk + 1, 0 while unknown; the thread that takes a chunk sets the next start
done       1 if all codes of the chunk are in `found`
shared     the next chunk to take; whether one word was too narrow; whether one thread does the rest
words      None: masks of one word; else the flags of this thread
=========  ===========================================================================================

Progress: a chunk waits only for earlier chunks, and the earliest one in flight does not wait. Waiting threads read
seldom (threads.py).

Slower variants: marks and colors in one shared array (rmat20, two threads: 47 ms against 24); waiting at each
pending vertex instead of deferring it (a chunk then waits for the other from its first vertex on). See also
docs/development/variants.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device.compiled import inner, njit
from ...base.device.intrinsics import fetch_add, load_acquire, load_relaxed, prefetch, store_relaxed, store_release
from ...base.device.parallel import SELDOM, barrier, look_again, parallel, share
from .sequential import BASE, ONE, ONE32, PENDING, TWO, WAITS, ZERO, first_ahead, narrow, wide

NEXT, FULL, ALONE, OWNER = np.uint64(0), np.uint64(8), np.uint64(16), np.uint64(24)  # a cache line each in `shared`
CHUNK, DONE = 8192, 32  # most vertices of a chunk; a barrier
LINE = 64  # rows are rounded up to a multiple of this, so that they share no cache line
SOON = np.uint64(16)  # vertices between the prefetch of a state and its change
LOOK = np.uint64(1 << 16)  # vertices that a thread colors before it decides whether one thread is faster


@njit(cache=True, nogil=True)
def take(indptr: Any, sequence: Any, start: Any, shared: Any, chunk: Any, entries: Any) -> Any:
    """Take a chunk: return its number, its first position and its end; the first is n if none is left."""
    n = np.uint64(sequence.size)
    mine = np.uint64(fetch_add(shared, NEXT, 1))
    while load_acquire(start, mine) == 0:
        look_again(SELDOM, shared)
    first = np.uint64(load_acquire(start, mine)) - ONE
    stop = n
    if first < n and load_relaxed(shared, ALONE) == 0:
        v = sequence[first]
        row = np.uint64(indptr[v + ONE32] - indptr[v]) + ONE
        stop = min(first + max(ONE, min(np.uint64(chunk), np.uint64(entries) // row)), n)
    store_release(start, mine + ONE, np.int64(stop + ONE))
    return mine, first, stop


@inner()
def catch_up(
    sequence: Any, state: Any, found: Any, start: Any, done: Any, shared: Any, seen: Any, mine: Any, waiting: Any,
    count: Any, all_of_them: Any,
) -> Any:  # fmt: skip
    """Copy chunks that are done and mark those in flight; return the number of `waiting` chunks, or −1 to stop.

    `waiting` lists the chunks in flight, at most one of each other thread. With `all_of_them` wait until none is left.
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
        while all_of_them and not ready:
            if load_relaxed(shared, FULL) != 0:
                return -1
            look_again(SELDOM, shared)
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


@inner(forceinline=True)
def color_on(
    indptr: Any, indices: Any, sequence: Any, state: Any, found: Any, words: Any, first: Any, stop: Any
) -> Any:  # fmt: skip
    """Color by `narrow`, or by `wide` if there are flags; return the next position and a mask."""
    if words is None:
        return narrow(indptr, indices, sequence, state, found, first, stop)
    return wide(indptr, indices, sequence, state, found, words, first, stop), ZERO


@njit(cache=True, nogil=True)
def color_chunks(
    indptr: Any, indices: Any, sequence: Any, state: Any, found: Any, start: Any, done: Any, shared: Any, words: Any,
    deferred: Any, waiting: Any, me: Any, entries: Any,
) -> None:  # fmt: skip
    """Color chunks until none is left, or until a vertex needs a wider mask than one word (FULL)."""
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
        first_ahead(indptr, indices, sequence, first, stop)
        i, n_deferred = first, ZERO
        while True:
            i, mask = color_on(indptr, indices, sequence, state, found, words, i, stop)
            if i == stop:
                break
            if words is None and mask & WAITS == ZERO:
                store_relaxed(shared, FULL, 1)
                return
            state[sequence[i]] = PENDING
            deferred[n_deferred] = i
            n_deferred += ONE
            i += ONE
        if n_deferred > ZERO:
            count = catch_up(sequence, state, found, start, done, shared, seen, seen, waiting, count, True)
            if count < 0:
                return
            late, codes = np.empty(n_deferred, np.uint32), np.empty(n_deferred, state.dtype)
            for k in range(n_deferred):
                late[k] = sequence[deferred[k]]
                state[late[k]] = 0
            if color_on(indptr, indices, late, state, codes, words, ZERO, n_deferred)[0] < n_deferred:
                store_relaxed(shared, FULL, 1)
                return
            for k in range(n_deferred):
                found[deferred[k]] = codes[k]
        store_release(done, mine, np.uint8(1))
        colored += stop - first
        put_off += n_deferred
        if colored > LOOK and put_off * TWO > colored:
            store_relaxed(shared, ALONE, 1)


@parallel
def color_share(
    t: Any, shared: Any, indptr: Any, indices: Any, sequence: Any, rows: Any, start: Any, done: Any,
    words: Any, colors: Any, entries: Any,
) -> None:  # fmt: skip
    """Color chunks on the thread's copy of the state, then a share of `colors`; `rows`: all copies, then `found`."""
    n = sequence.size
    width = max(LINE, (n + LINE - 1) // LINE * LINE)
    workers = rows.size // width - 1
    state, found = rows[t * width : t * width + n], rows[workers * width : workers * width + n]
    state[:] = 0
    for i in range(np.uint64(start[0] - 1)):  # copies of the codes that are known
        state[sequence[i]] = found[i]
    deferred, waiting = np.empty(CHUNK, np.uint64), np.empty(workers + 1, np.uint64)
    args = (indptr, indices, sequence, state, found, start, done, shared)
    if words is None:
        color_chunks(*args, None, deferred, waiting, t, entries)
    else:
        color_chunks(*args, words[t], deferred, waiting, t, entries)
    barrier(shared, DONE, workers)
    if shared[FULL] == 0:
        state = rows[shared[OWNER] * width : shared[OWNER] * width + n]
        for v in share(t, workers, n):
            colors[v] = np.int32(state[v]) - np.int32(BASE)
