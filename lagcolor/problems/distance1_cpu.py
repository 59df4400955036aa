"""The verifier on CPU threads: see distance1.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.device import threads_for
from ..base.device.compiled import njit
from ..base.device.intrinsics import load_relaxed, store_relaxed
from ..base.device.parallel import parallel, row_ranges, run_ranges, stop_all, take_range

PARTS = 8  # ranges of rows of a thread, on the average
NONE = np.uint32(1 << 31)  # and what is larger are negative colors


def differ_on_threads(indptr: Any, indices: Any, colors: Any, used: Any) -> bool:
    """`differ` for all vertices of a large graph."""
    workers = threads_for(None, len(indices))
    return run_ranges(_differ_parts, workers, indptr, indices, colors, used, row_ranges(indptr, workers * PARTS))


@parallel
def _differ_parts(t: Any, shared: Any, indptr: Any, indices: Any, colors: Any, used: Any, ends: Any) -> None:
    """The ranges that this thread takes; a conflict stops all."""
    part = take_range(shared, ends)
    while part >= 0:
        if not differ(indptr, indices, colors, used, np.uint64(ends[part]), np.uint64(ends[part + 1])):
            stop_all(shared)
        part = take_range(shared, ends)


@njit(cache=True, nogil=True)
def differ(indptr: Any, indices: Any, colors: Any, used: Any, first: Any, last: Any) -> bool:
    """Whether no vertex of a range has a neighbor of its color; `used` gets a 1 for each color, or for none, n."""
    n, one = np.uint64(len(colors)), np.uint64(1)
    for u in range(first, last):
        c = colors[u]
        place = min(np.uint64(c), n)
        if load_relaxed(used, place) == 0:  # few writes to what all threads read
            store_relaxed(used, place, np.uint8(1))
        if c >= NONE:
            continue
        for e in range(np.uint64(indptr[u]), np.uint64(indptr[u + one])):
            if colors[indices[e]] == c:
                return False
    return True
