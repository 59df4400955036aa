"""The lock-free deque of Tsigas and Cederman on threads of a CPU: the twin of deque.cuh.

The owner of a deque pops at its tail, anyone steals at its head with compare-and-swap. Elements are
filled in before anybody takes one, and none is pushed later.

=========  =====================================================================================
heads      of each deque, the first element that is left
tails      one past the last element
elements   a row a deque
=========  =====================================================================================

Between two refills a head only grows and a tail only falls, so no value of either comes back, and the paper's tag is
not needed. A head must not go back to 0 when the owner finds the deque empty, as there: a thief who saw the new head
and, stores being weakly ordered, still the old tail would take elements a second time.

Owner and thief meet over the last element only. The owner lowers the tail and then reads the head, a thief reads the
head and then the tail, with a fence between: so one of them sees the other, and compare-and-swap decides.

References
----------
Tsigas, Cederman 2011, "Dynamic Load Balancing Using Work-Stealing", GPU Computing Gems Jade Edition, chapter 35; after
Arora, Blumofe, Plaxton 1998, "Thread Scheduling for Multiprogrammed Multiprocessors".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device.compiled import njit
from ...device.intrinsics import compare_exchange, fence, load_relaxed, store_relaxed

EMPTY, LOST = -1, -2  # LOST: another was quicker, worth another look


@njit(cache=True, nogil=True)
def refill(heads: Any, tails: Any, owner: Any, count: Any) -> None:
    """Declare the first `count` elements of the owner's row to be there; between two meetings of all threads."""
    store_relaxed(heads, np.uint64(owner), np.int64(0))
    store_relaxed(tails, np.uint64(owner), np.int64(count))


@njit(cache=True, nogil=True)
def looks_empty(heads: Any, tails: Any, owner: Any) -> Any:
    """Whether nothing was there at some moment of the call; nothing comes later."""
    head = load_relaxed(heads, np.uint64(owner))
    fence()
    return load_relaxed(tails, np.uint64(owner)) <= head


@njit(cache=True, nogil=True)
def steal(heads: Any, tails: Any, elements: Any, victim: Any) -> Any:
    """The element at the head of a deque, or EMPTY, or LOST."""
    head = load_relaxed(heads, np.uint64(victim))
    fence()
    if load_relaxed(tails, np.uint64(victim)) <= head:
        return np.int64(EMPTY)
    element = np.int64(elements[np.uint64(victim), np.uint64(head)])
    if compare_exchange(heads, np.uint64(victim), head, head + 1):
        return element
    return np.int64(LOST)


@njit(cache=True, nogil=True)
def pop(heads: Any, tails: Any, elements: Any, owner: Any) -> Any:
    """The element at the tail of the owner's deque, or EMPTY."""
    at = np.uint64(owner)
    tail = load_relaxed(tails, at) - 1
    if tail < 0:
        return np.int64(EMPTY)
    store_relaxed(tails, at, tail)
    fence()
    element = np.int64(elements[at, np.uint64(tail)])
    head = load_relaxed(heads, at)
    if tail > head:
        return element
    store_relaxed(tails, at, np.int64(0))  # it will be empty, whoever takes the last element
    if tail == head and compare_exchange(heads, at, head, head + 1):
        return element
    return np.int64(EMPTY)
