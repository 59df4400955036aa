"""Steps that follow one another, each in parts that threads take as they come.

A step begins when all parts of the steps before have ended. A thread that waits has taken nothing, so that no thread
waits for one without a core: other libraries keep cores busy, as the waiting threads of a BLAS do for milliseconds.
Consecutive steps of one part each are a stage: one thread takes all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .barriers import look_again
from .compiled import njit
from .intrinsics import fence, fetch_add, fetch_or, load_acquire, load_relaxed
from .threads import LINE, slots

DONE, TAKEN = np.uint64(0), np.uint64(LINE)  # a counter of parts; a word of bits for each stage
MOST = 62  # parts of a step: bits of a word


def shared(stages: np.ndarray) -> np.ndarray:
    """The counter and the words of one run."""
    return slots(LINE + len(stages))


def parts(threads: int) -> int:
    """Into how many parts a step is divided."""
    return min(threads, MOST)


def table(whole: np.ndarray, parts: int) -> np.ndarray:
    """The first step of each stage, and the parts before it: int64, shape (stages + 1, 2); the last row is the end.

    `whole` says of each step whether it is one part; the others have `parts`.
    """
    first = np.flatnonzero(np.concatenate([[True], ~(whole[1:] & whole[:-1])])[: len(whole)])
    sizes = np.where(whole[first], 1, parts)
    return np.column_stack([np.append(first, len(whole)), np.concatenate([[0], np.cumsum(sizes)])]).astype(np.int64)


@njit(cache=True, nogil=True)
def take(shared: Any, stages: Any, stage: Any, t: Any) -> Any:
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


@njit(cache=True, nogil=True)
def end(shared: Any) -> None:
    """A part has ended."""
    fence()  # what it has written is there before it is counted
    fetch_add(shared, DONE, 1)
