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
NONE = np.uint32(1 << 31)  # and what is larger are negative colors


def summary(G: Graph, colors: Any) -> tuple[bool, int]:
    """Whether no edge has two ends of one color; and the number of colors, 0 if anything else is wrong."""
    if not G.n:
        return True, 0
    workers, used = threads.count(None, G.m), np.zeros(G.n + 1, np.uint8)
    arrays = *unsigned(G), in_bits(colors)
    if workers == 1:
        proper = bool(_differ(*arrays, used, ZERO, np.uint64(G.n)))
    else:
        proper = run_ranges(_differ_parts, workers, *arrays, used, row_ranges(G.indptr, workers * PARTS))
    k = int(np.flatnonzero(used)[-1]) + 1
    return proper, k if proper and k <= G.n and np.count_nonzero(used) == k else 0


@parallel
def _differ_parts(t: Any, shared: Any, indptr: Any, indices: Any, colors: Any, used: Any, ends: Any) -> None:
    """The ranges that this thread takes; a conflict stops all."""
    part = take_range(shared, ends)
    while part >= 0:
        if not _differ(indptr, indices, colors, used, np.uint64(ends[part]), np.uint64(ends[part + 1])):
            stop_all(shared)
        part = take_range(shared, ends)


@njit(cache=True, nogil=True)
def _differ(indptr: Any, indices: Any, colors: Any, used: Any, first: Any, last: Any) -> bool:
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
