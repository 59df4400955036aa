"""The verifier on CPU threads: see distance1.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.device import threads
from ..base.device.compiled import njit
from ..base.device.intrinsics import load_relaxed, store_relaxed
from ..base.device.parallel import parallel, row_ranges, run_ranges, stop_all, take_range
from ..graph.graph import Graph
from ..graph.pattern import unsigned
from ..inputs.checks import in_bits

PARTS = 8  # ranges of rows of a thread, on the average
ZERO = np.uint64(0)


def faultless(G: Graph, colors: Any) -> int:
    """Number of colors of a coloring with no fault of any kind, by one loop; 0 for another."""
    if colors.dtype != np.int32 or not G.n:
        return 0
    workers, used = threads.count(None, G.m), np.zeros(G.n, np.uint8)
    arrays = *unsigned(G), in_bits(colors)
    if workers == 1:
        k = int(_faultless(*arrays, used, ZERO, np.uint64(G.n)))
    else:
        ends, largest = row_ranges(G.indptr, workers * PARTS), np.zeros(workers, np.uint64)
        if not run_ranges(_faultless_parts, workers, *arrays, used, ends, largest):
            return 0
        k = int(largest.max())
    return k if np.count_nonzero(used[:k]) == k else 0


def conflicts(G: Graph, colors: Any, first: np.ndarray) -> tuple[int, int]:
    """Conflicting entries above and below the diagonal; the first of those above go to `first`."""
    indptr, indices, colors = _views(G.indptr, G.indices, colors)
    return _walk(indptr, indices, colors, first)


def _views(*arrays: np.ndarray) -> list[np.ndarray]:
    """Arrays of one type for numba, for any flags of the caller's arrays; arrays of a graph have it."""
    views = list(arrays)
    for i, a in enumerate(arrays):
        if a.flags.writeable or not a.flags.c_contiguous:
            views[i] = np.ascontiguousarray(a).view()
            views[i].flags.writeable = False
    return views


@parallel
def _faultless_parts(
    t: Any, shared: Any, indptr: Any, indices: Any, colors: Any, used: Any, ends: Any, largest: Any
) -> None:  # fmt: skip
    """The largest color of the ranges that this thread takes, from 1 on; a fault stops all."""
    most, part = np.uint64(0), take_range(shared, ends)
    while part >= 0:
        found = _faultless(indptr, indices, colors, used, np.uint64(ends[part]), np.uint64(ends[part + 1]))
        if found == 0 and ends[part] < ends[part + 1]:
            stop_all(shared)
        most = max(found, most)
        part = take_range(shared, ends)
    largest[t] = most


@njit(cache=True, nogil=True)
def _faultless(indptr: Any, indices: Any, colors: Any, used: Any, first: Any, last: Any) -> Any:
    """The largest color of a range of vertices, from 1 on, or 0 where there is a fault; `used` gets a 1 for each."""
    n, largest, one = np.uint64(len(colors)), np.uint64(0), np.uint64(1)
    for u in range(first, last):
        c = colors[u]
        if c >= n:
            return ZERO
        largest = max(c + one, largest)
        if load_relaxed(used, c) == 0:  # few writes to what all threads read
            store_relaxed(used, c, np.uint8(1))
        for e in range(np.uint64(indptr[u]), np.uint64(indptr[u + one])):
            if colors[indices[e]] == c:
                return ZERO
    return largest


@njit(cache=True, nogil=True)
def _walk(indptr: Any, indices: Any, colors: Any, first: Any) -> tuple[int, int]:
    """Conflicting entries above and below the diagonal; the first of those above go to `first`."""
    up = 0
    down = 0
    for u in range(len(indptr) - 1):
        c = colors[u]
        if c < 0:
            continue
        for e in range(indptr[u], indptr[u + 1]):
            v = indices[e]
            if colors[v] == c:
                if u < v:
                    if up < len(first):
                        first[up, 0] = u
                        first[up, 1] = v
                    up += 1
                elif v < u:
                    down += 1
    return up, down
