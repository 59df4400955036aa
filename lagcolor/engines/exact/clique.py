"""A large clique, greedily: no coloring has fewer colors than a clique has vertices, so that a search may end there.

From each of some vertices: the candidates are its neighbors; take one, keep of the candidates its neighbors, and so
on until none is left. While there are many candidates the one of largest degree is taken, the smallest id of several;
the last FEW are compared by bit masks, and the one with the most neighbors among them is taken. That finds a row of a
queens' board, the cell of a stencil and the core of most power-law graphs.

It begins in each of SPREAD stretches of ids at the vertex of largest degree, the largest degrees first, with as many
of these as have one 64th of the graph's entries as candidates. Without a deadline the size is the same on CPU and GPU:
a start that cannot beat the best so far is given up, which does not change the largest.

After about STEPS candidates (on a GPU: of each start, in one launch) the clock is read, and Ctrl-C is noticed.

==========  ============================================================================================================
best        size of the largest clique so far
enough      size at which to end: nothing larger is of use
room        candidates of the present start; on a GPU of all starts, twice, since a filter writes to the other half
left, size  candidates of a start, and vertices taken; 0 vertices before it begins
steps       candidates and entries read
==========  ============================================================================================================

Device memory: 8 bytes per candidate, so an eighth of a byte per entry or a quarter of a megabyte, and 4 per vertex.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...base import device as dev
from ...base.compile_clock import clock, importing
from ...base.log import before
from ...graph.graph import Graph

SOURCE = dev.Source(__file__, block=128)
SPREAD, SHARE, LEAST = 1024, 64, 1 << 15  # starts; graph's entries by candidates; candidates that are always allowed
STEPS = 1 << 14  # candidates between two looks at the clock
STEP_SECONDS = 1e-7  # for a candidate of one start on a GPU, at most: 128 threads search a row in global memory


def clique_size(G: Graph, enough: int = 2**31 - 1, deadline: float | None = None) -> int:
    """Number of vertices of a clique, at least 2 where there is an edge."""
    least = min(G.n, 1 + (G.m > 0))
    if G.m == 0 or least >= enough:
        return min(least, enough)
    with dev.using(G.indices):
        starts, candidates = starts_of(G)
        if len(starts) == 0:
            return least
        args = G, starts, candidates, least, enough, math.inf if deadline is None else deadline
        if G.on_gpu:
            return min(_on_gpu(*args), enough)
        with importing():
            from .clique_cpu import largest

        return min(largest(*args, STEPS), enough)


def starts_of(G: Graph) -> tuple[np.ndarray, np.ndarray]:
    """Where to begin, int32 and int64 on the CPU: vertices, and how many candidates those before each have."""
    size = -(-G.n // SPREAD)
    starts, largest = (_largest_on_gpu if G.on_gpu else _largest)(G, size)
    most = max(G.m // SHARE, LEAST)
    fitting = np.flatnonzero((largest > 0) & (largest <= most))
    order = fitting[np.argsort(-largest[fitting], kind="stable")]
    ends = np.append(0, np.cumsum(largest[order]))
    count = int(np.searchsorted(ends, most, side="right")) - 1
    return starts[order[:count]], ends[: count + 1]


def _largest(G: Graph, size: int) -> tuple[np.ndarray, np.ndarray]:
    """The vertex of largest degree in each run of `size` ids, the first of several, int32; and the degrees."""
    degrees = np.zeros((-(-G.n // size), size), np.int32)
    degrees.reshape(-1)[: G.n] = np.diff(G.indptr)
    at = degrees.argmax(1)
    largest = np.take_along_axis(degrees, at[:, None], 1)[:, 0]
    return (at + size * np.arange(len(at))).astype(np.int32), largest.astype(np.int64)


def _largest_on_gpu(G: Graph, size: int) -> tuple[np.ndarray, np.ndarray]:
    """The same by one launch: CuPy's argmax includes CUB, and compiles for seconds."""
    runs = -(-G.n // size)
    both = G.xp.empty((2, runs), np.int64)
    SOURCE.of(G.indptr).launch("choose_starts", (runs,), G.indptr, np.int64(G.n), np.int64(size), both[0], both[1])
    starts, largest = dev.to_device(both, "cpu")
    return starts.astype(np.int32), largest


def _on_gpu(G: Graph, starts: Any, ends: Any, best: int, enough: int, deadline: float) -> int:
    """One block per start, and launches until all have ended."""
    cp = dev.cupy()
    # The largest come first, and their first step must end in time.
    slow = int(np.count_nonzero(np.diff(ends) * STEP_SECONDS > deadline - clock()))
    starts, ends = starts[slow:], ends[slow:] - ends[slow]
    if len(starts) == 0:
        return best
    total = int(ends[-1])
    room, progress = cp.empty(2 * total, np.int32), cp.zeros((2, len(starts)), np.int32)
    found = cp.asarray(np.array([best, 0], np.int32))
    args = (
        G.indptr, G.indices, cp.asarray(starts), cp.asarray(ends), room, np.int64(total), progress[0], progress[1],
        np.int64(STEPS), found, np.int64(enough),
    )  # fmt: skip
    while True:  # each launch takes a step of every start that has not ended
        SOURCE.of(G.indptr).launch("grow", (len(starts),), *args)
        best, ended = cp.asnumpy(found).tolist()
        if ended == len(starts) or best >= enough or not before(deadline):
            return int(best)
