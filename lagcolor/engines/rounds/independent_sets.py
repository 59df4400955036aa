"""Independent sets of one order on a GPU, one color a round, in two kernels that have no rounds.

With fixed priorities a vertex's round is one more than the latest of its larger neighbors, so it is colored as soon as
these are, and not when the round ends (independent_sets.cu). `levels` in worklists.py is the same on a CPU.

======  =====================================================================================
p       priorities; also a vertex's state while it has no color
state   p, then ~color
======  =====================================================================================
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import device as dev
from ...base.log import Log
from ...graph.graph import Graph

SOURCE = dev.Source(__file__)
WARP = 32
BLOCKS_PER_MULTIPROCESSOR = 8  # that own stripes, where as many fit; 6: fd7-200 took 1.74 ms for 1.59 (H200)
PASSES = 1 << 16  # of a launch; 1 µs each or more


def independent_sets(G: Graph, p: Any) -> tuple[Any, int]:
    """Colors in the order of the priorities `p`, and how many there are."""
    cp, n = dev.cupy(), G.n
    if n == 0:
        return cp.empty(0, np.int32), 0
    run = SOURCE.of(G.indptr)
    # No block should own vertices and wait for a place to run.
    blocks = min(run.resident("settle", BLOCKS_PER_MULTIPROCESSOR), -(-n // run.block))
    room = -(-n // WARP) * WARP
    state, waiting, waits_for = cp.empty(n, np.int32), cp.empty(room, np.int32), cp.empty(room, np.int32)
    lengths = cp.empty(blocks * run.block // WARP, np.int32)
    known = cp.empty(n, G.indptr.dtype), cp.empty(n, np.int32)
    run.launch("start", n, n, G.indptr, G.indices, p, state, waits_for, *known)
    left, n_colors, first = n, 0, 1
    while left:  # each launch colors at least the largest that is left
        result = cp.zeros(2, np.int32)
        lists = (waiting, waits_for, lengths, *known)
        run.launch("settle", (blocks,), n, G.indptr, G.indices, state, *lists, first, PASSES, result)
        left, top = result.tolist()
        n_colors, first = max(n_colors, top, 1), 0
    return cp.invert(state, out=state), n_colors


def log_sets(log: Log, G: Graph, colors: Any, n_colors: int) -> None:
    """Log a round for each color, whose class is the set of that round."""
    if not log.trace:
        log.rounds += n_colors
    elif G.n:
        left = G.n
        for colored in G.xp.bincount(colors).tolist():
            log.round(active=left, colored=colored, conflicts=0, ms=None)
            left -= colored
