"""Rows split among CPU threads: ranges with about as many entries each, which threads take one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .compiled import njit
from .intrinsics import fetch_add, load_relaxed, store_relaxed
from .pool import launch
from .threads import slots

LINE = np.uint64(8)  # int64 of a cache line: a counter that all write, and a flag that all read, are apart


def bounds(indptr: Any, parts: int) -> np.ndarray:
    """First rows of ranges, and the number of rows: int64, shape (parts + 1,)."""
    m, rows = int(indptr[-1]), len(indptr) - 1
    if parts == 1:
        return np.array((0, rows))
    inner = np.searchsorted(indptr, (m * np.arange(1, parts) // parts).astype(indptr.dtype))
    return np.concatenate([[0], inner, [rows]]).astype(np.int64)


def even(size: int, parts: int) -> np.ndarray:
    """The same of entries themselves."""
    if parts == 1:
        return np.array((0, size))
    return np.arange(parts + 1) * size // parts


def run(loop: Callable[..., int], workers: int, *args: Any) -> bool:
    """`launch` a loop whose threads `take` ranges; False where one has called `stop`."""
    shared = slots(int(2 * LINE))
    launch(loop, workers, shared, *args)
    return not shared[LINE]


@njit(cache=True, nogil=True)
def take(shared: Any, ends: Any) -> Any:
    """The next range that no thread has taken, or −1 after the last and once `stop` was called."""
    if load_relaxed(shared, LINE) != 0 or load_relaxed(shared, np.uint64(shared.size - 1)) != 0:
        return -1
    part = fetch_add(shared, np.uint64(0), 1)
    return part if part < ends.size - 1 else -1


@njit(cache=True, nogil=True)
def stop(shared: Any) -> None:
    """No thread takes another range."""
    store_relaxed(shared, LINE, 1)
