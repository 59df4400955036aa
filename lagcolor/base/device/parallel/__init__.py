"""Compiled loops on several threads of a CPU. `threads_for` of `base.device` says on how many.

    @parallel
    def double(t, shared, threads, x):
        for i in share(t, threads, x.size):
            x[i] *= 2

    launch(double, threads, slots(0), np.int64(threads), x)

`launch` calls the loop once for each t from 0 to `threads` − 1, at the same time, and returns when all have ended.
`shared` has words (int64) for what the threads tell each other. This holds for each call:

- **Several Python threads** may call at the same time. Each call has threads of its own.
- **After a fork** the child starts threads of its own.
- **Ctrl-C** is raised in the calling thread between two calls. All threads of a call have ended then.
- **A core that another program keeps busy** does not delay a call: the caller runs the shares that no thread has begun.
  Threads of a BLAS, for example, keep cores busy for milliseconds after a product. A `barrier` needs all threads, so
  steps of a sweep use `take_part` instead.
- **On one core** a call with several threads ends, too: a thread that waits offers its core to others.
- **If a thread fails**, the threads that wait for it end, and the call raises an error.

There are three ways to divide work:

- Equal shares: `share` has the numbers of a thread.
- Ranges with about as many entries each: a thread calls `take_range` until none is left, and `run_ranges` starts such a
  loop.
- Steps that follow one another, each in parts: a thread calls `take_part` and `end_part`. A step begins when all parts
  of the steps before have ended. A thread that waits has taken nothing, so that no thread waits for one without a core.
  Consecutive steps of one part each are a stage: one thread takes all of them.

This file has what loops call. `pool.py` divides their work and launches them, and `python.py` runs Python functions on
threads.
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

SELDOM = np.int64(SPINS)  # looks that have been, for who offers its core from the first look on
NEXT, STOPPED = np.uint64(0), np.uint64(LINE)  # of ranges: a counter that all write, and a flag that all read
DONE, TAKEN = np.uint64(0), np.uint64(LINE)  # of steps: a counter of parts; a word of bits for each stage


@njit(cache=True, nogil=True, inline="always")
def share(t: Any, threads: Any, size: Any) -> Any:
    """The numbers below `size` that are thread t's: a range of uint64, since numba tests other indices for a minus."""
    return range(np.uint64(size * t // threads), np.uint64(size * (t + 1) // threads))


# ---- waiting: by `look_again` and `barrier` alone -------------------------------------------------------------------


class AbandonedError(RuntimeError):
    """A thread that this one waits for has failed."""


@njit(cache=True, nogil=True, inline="always")
def look_again(looks: Any, shared: Any) -> Any:
    """Count a look at a word that another thread has not changed yet; from SPINS on, offer the core to others.

    It raises where another thread has failed, as the last of `shared`, the loop's `slots`, says.
    """
    if looks >= SPINS:
        if load_relaxed(shared, np.uint64(shared.size - 1)) != 0:
            raise AbandonedError
        yield_core()
    return looks + 1


@inner()
def barrier(shared: Any, slot: Any, threads: Any) -> None:
    """Wait until all threads are here; `slot` of `shared`, made by `slots`, is used once.

    To use a slot for the k-th time, pass k times the number of threads.
    """
    fence()  # what this thread has written is there before it is counted
    fetch_add(shared, np.uint64(slot), 1)
    looks = 0
    while load_acquire(shared, np.uint64(slot)) < threads:
        looks = look_again(looks, shared)


# ---- ranges ---------------------------------------------------------------------------------------------------------


@inner()
def take_range(shared: Any, ends: Any) -> Any:
    """The next range that no thread has taken, or −1 after the last and once `stop_all` was called."""
    if load_relaxed(shared, STOPPED) != 0 or load_relaxed(shared, np.uint64(shared.size - 1)) != 0:
        return -1
    part = fetch_add(shared, NEXT, 1)
    return part if part < ends.size - 1 else -1


@inner()
def stop_all(shared: Any) -> None:
    """No thread takes another range."""
    store_relaxed(shared, STOPPED, 1)


# ---- steps ----------------------------------------------------------------------------------------------------------


@inner()
def take_part(shared: Any, stages: Any, stage: Any, t: Any) -> Any:
    """Wait for a part that no thread has taken, from this stage on: its stage and number, or −1 after the last.

    Thread t takes part t first, whose data its cache may have from an earlier run.
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
    """A part has ended."""
    fence()  # what it has written is there before it is counted
    fetch_add(shared, DONE, 1)
