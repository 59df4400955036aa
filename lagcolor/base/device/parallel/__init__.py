"""Compiled loops on several threads of a CPU. `threads_for` of `base.device` returns their number.

    @parallel
    def double(t, shared, threads, x):
        for i in share(t, threads, x.size):
            x[i] *= 2

    launch(double, threads, slots(0), np.int64(threads), x)

`launch` calls the loop once for each t from 0 to `threads` − 1, at the same time, and returns when all have ended.
`shared` has words (int64) for communication between the threads. Each call has these properties:

- **Several Python threads** may call at the same time. Each call has its own threads.
- **After a fork** the child starts its own threads.
- **Ctrl-C** is raised in the calling thread between two calls. All threads of a call have ended then.
- **A core that another program keeps busy** does not delay a call: the caller runs the shares that no thread has begun.
  Threads of a BLAS, for example, keep cores busy for milliseconds after a product. A `barrier` needs all threads, so
  steps of a sweep use `take_part` instead.
- **On one core** a call with several threads ends, too: a thread that waits offers its core to others.
- **If a thread fails**, the threads that wait for it end, and the call raises an error.

There are three ways to divide work:

- Equal shares: `share` returns the indices of a thread.
- Ranges with about equally many entries: each thread calls `take_range` until none is left, and `run_ranges` starts the
  loop.
- Consecutive steps, each in parts: a thread calls `take_part` and `end_part`. A step begins when all parts of earlier
  steps have ended. A waiting thread has taken no part, so that no thread waits for a thread without a core. Consecutive
  steps of one part each are a stage: one thread takes all of them.

This file has the functions that loops call. `pool.py` divides their work and launches them, and `python.py` runs Python
functions on threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compiled import inner, njit
from ..intrinsics import fence, fetch_add, fetch_or, load_acquire, load_relaxed, store_relaxed, yield_core
from .pool import LINE as LINE
from .pool import MOST_PARTS as MOST_PARTS
from .pool import SPINS
from .pool import even_ranges as even_ranges
from .pool import launch as launch
from .pool import most_parts as most_parts
from .pool import parallel as parallel
from .pool import row_ranges as row_ranges
from .pool import run_ranges as run_ranges
from .pool import slots as slots
from .pool import stage_slots as stage_slots
from .pool import stage_table as stage_table
from .python import run as run

SELDOM = np.int64(SPINS)  # initial `looks` of a thread that offers its core from the first look on
NEXT, STOPPED = np.uint64(0), np.uint64(LINE)  # of ranges: a counter that all write, and a flag that all read
DONE, TAKEN = np.uint64(0), np.uint64(LINE)  # of steps: a counter of parts, and a word of bits for each stage


@njit(cache=True, nogil=True, inline="always")
def share(t: Any, threads: Any, size: Any) -> Any:
    """Return the indices below `size` of thread t: a range of uint64, because numba tests signed ones for a minus."""
    return range(np.uint64(size * t // threads), np.uint64(size * (t + 1) // threads))


# ---- waiting: by `look_again` and `barrier` alone -------------------------------------------------------------------


class AbandonedError(RuntimeError):
    """A thread that this thread waits for has failed."""


@njit(cache=True, nogil=True, inline="always")
def look_again(looks: Any, shared: Any) -> Any:
    """Count a look at a word that another thread has not changed yet; from SPINS on, offer the core to others.

    Raise an error if another thread has failed, so that the last word of `shared` is not 0.
    """
    if looks >= SPINS:
        if load_relaxed(shared, np.uint64(shared.size - 1)) != 0:
            raise AbandonedError
        yield_core()
    return looks + 1


@inner()
def barrier(shared: Any, slot: Any, threads: Any) -> None:
    """Wait until all threads have called this; a `slot` of `shared`, from `slots`, counts the calls.

    To use a slot for the k-th time, pass k times the number of threads.
    """
    fence()  # writes of this thread are visible before it is counted
    fetch_add(shared, np.uint64(slot), 1)
    looks = 0
    while load_acquire(shared, np.uint64(slot)) < threads:
        looks = look_again(looks, shared)


# ---- ranges ---------------------------------------------------------------------------------------------------------


@inner()
def take_range(shared: Any, ends: Any) -> Any:
    """Return the next range that no thread has taken, or −1 after the last range or after `stop_all`."""
    if load_relaxed(shared, STOPPED) != 0 or load_relaxed(shared, np.uint64(shared.size - 1)) != 0:
        return -1
    part = fetch_add(shared, NEXT, 1)
    return part if part < ends.size - 1 else -1


@inner()
def stop_all(shared: Any) -> None:
    """Let no thread take another range."""
    store_relaxed(shared, STOPPED, 1)


# ---- steps ----------------------------------------------------------------------------------------------------------


@inner()
def take_part(shared: Any, stages: Any, stage: Any, t: Any) -> Any:
    """Wait for a part that no thread has taken, from this stage on; return its stage and number, −1 after the last.

    Thread t tries part t first, because its cache may contain this part's data from an earlier run.
    """
    looks, last = 0, len(stages) - 1
    while stage < last:
        before, parts = stages[stage, 1], stages[stage + 1, 1] - stages[stage, 1]
        word = TAKEN + np.uint64(stage)
        taken = load_relaxed(shared, word)
        if taken == (np.int64(1) << parts) - 1:
            stage, looks = stage + 1, 0
        elif load_acquire(shared, DONE) < before:
            looks = look_again(looks, shared)
        else:
            for i in range(parts):
                part = (t + i) % parts
                bit = np.int64(1) << part
                if taken & bit == 0:
                    taken = fetch_or(shared, word, bit)
                    if taken & bit == 0:
                        return stage, part
    return stage, -1


@inner()
def end_part(shared: Any) -> None:
    """Count a part that has ended."""
    fence()  # writes of the part are visible before it is counted
    fetch_add(shared, DONE, 1)
