"""A heap of numbers in an array, for compiled code. Lists and heapq allocate, and take a second to compile."""

from __future__ import annotations

from typing import Any

from .compiled import inner


@inner()
def push(heap: Any, filled: Any, x: Any) -> None:
    """Add x to a heap with `filled` numbers."""
    i = filled
    while i > 0 and heap[(i - 1) >> 1] > x:
        heap[i] = heap[(i - 1) >> 1]
        i = (i - 1) >> 1
    heap[i] = x


@inner()
def pop(heap: Any, filled: Any) -> Any:
    """Remove and return the least of a heap with `filled` numbers."""
    least_one, x, i = heap[0], heap[filled - 1], 0
    while 2 * i + 1 < filled - 1:
        child = 2 * i + 1
        if child + 1 < filled - 1 and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= x:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = x
    return least_one
