"""Independent sets of one order on a GPU, one color per round, by two kernels without rounds.

With fixed priorities the round of a vertex is one more than the last round of its larger neighbors. So it can be
colored as soon as they are, before the round ends (independent_sets.cu). `levels` in worklists.py does this on a CPU.

======  =====================================================================================
p       priorities
state   p while a vertex has no color, then ~color
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
BLOCKS_PER_MULTIPROCESSOR = 8  # if as many fit; with 6 fd7-200 took 1.74 ms instead of 1.59 (H200)
PASSES = 1 << 16  # passes of a launch, at least 1 µs each


def independent_sets(G: Graph, p: Any) -> tuple[Any, int]:
    """Return colors in the order of the priorities `p`, and their number."""
    cp, n = dev.cupy(), G.n
    if n == 0:
        return cp.empty(0, np.int32), 0
    run = SOURCE.of(G.indptr)
    # Each block that owns vertices must be running.
    blocks = min(run.resident("color_sets", BLOCKS_PER_MULTIPROCESSOR), -(-n // run.block))
    size = -(-n // WARP) * WARP
    state, waiting, waits_for = cp.empty(n, np.int32), cp.empty(size, np.int32), cp.empty(size, np.int32)
    lengths = cp.empty(blocks * run.block // WARP, np.int32)
    known = cp.empty(n, G.indptr.dtype), cp.empty(n, np.int32)
    run.launch("start", n, n, G.indptr, G.indices, p, state, waits_for, *known)
    left, n_colors, first = n, 0, 1
    while left:  # each launch colors at least the largest uncolored vertex
        result = cp.zeros(2, np.int32)
        lists = (waiting, waits_for, lengths, *known)
        run.launch("color_sets", (blocks,), n, G.indptr, G.indices, state, *lists, first, PASSES, result)
        left, top = result.tolist()
        n_colors, first = max(n_colors, top, 1), 0
    return cp.invert(state, out=state), n_colors


def log_sets(log: Log, G: Graph, colors: Any, n_colors: int) -> None:
    """Log a round for each color, because a class is the independent set of a round."""
    if not log.trace:
        log.rounds += n_colors
    elif G.n:
        left = G.n
        for colored in G.xp.bincount(colors).tolist():
            log.round(active=left, colored=colored, conflicts=0, ms=None)
            left -= colored
