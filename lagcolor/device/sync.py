"""What threads of the CPU share: slots, a barrier, and memory on large pages.

Loops wait for each other by `barrier` and `look_again` only. Both end with `AbandonedError` where another thread of
`threads.run` has failed, which the last of the `slots` says.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .compiled import njit
from .intrinsics import fence, fetch_add, load_acquire, load_relaxed, yield_core

HUGE = 1 << 21
SPINS = 1000  # looks before the core is offered to others
LINE = 8  # int64 of a cache line


class AbandonedError(RuntimeError):
    """A thread that this one waits for has failed."""


def slots(count: int) -> np.ndarray:
    """Zeros (int64) that threads share, and one more, a cache line further on: whether one of them has failed."""
    return np.zeros(count + LINE, np.int64)


def large_pages(count: int, dtype: Any) -> np.ndarray:
    """An array, not cleared, that starts where a large page can: page by page, first touches took half of the time."""
    size = count * np.dtype(dtype).itemsize
    if size < HUGE // 2:
        return np.empty(count, dtype)
    block = np.empty(size + 2 * HUGE, np.uint8)  # NumPy asks for large pages from 4 MB on
    begin = -block.ctypes.data % HUGE
    return block[begin : begin + size].view(dtype)


@njit(cache=True, nogil=True, inline="always")
def look_again(looks: Any, shared: Any) -> Any:
    """After one more look in vain at what another thread does: from SPINS on, others may have the core.

    It raises where another thread has failed, as the last of `shared`, the loop's `slots`, says.
    """
    if looks >= SPINS:
        if load_relaxed(shared, np.uint64(shared.size - 1)) != 0:
            raise AbandonedError
        yield_core()
    return looks + 1


@njit(cache=True, nogil=True)
def barrier(shared: Any, slot: Any, threads: Any) -> None:
    """Wait until all threads are here; `slot` of `shared`, made by `slots`, is used once.

    Or again: for the k-th time `threads` is k times their number.
    """
    fence()  # what this thread has written is there before it is counted
    fetch_add(shared, np.uint64(slot), 1)
    looks = 0
    while load_acquire(shared, np.uint64(slot)) < threads:
        looks = look_again(looks, shared)
