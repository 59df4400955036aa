"""A large clique, found greedily. It is a lower bound: no coloring has fewer colors than a clique has vertices.

From each start vertex: the candidates are its neighbors. Each step takes a candidate and removes the candidates that
are not its neighbors, until none is left. While there are many candidates, the step takes the one of largest degree,
smallest id first. The last FEW are compared by bit masks, and the step takes the one with the most neighbors among
them. This finds a row of a queens' board, the cell of a stencil and the core of most power-law graphs.

The starts are the vertices of largest degree in each of SPREAD runs of ids, sorted by decreasing degree, until their
candidates are one 64th of the graph's entries. Without a deadline the size is the same on CPU and GPU: a start is
skipped if it cannot beat the best so far, which does not change the result.

The clock is read and Ctrl-C is handled after about STEPS candidates (on a GPU: of each start, in one launch).

==========  ============================================================================================================
best        size of the largest clique so far
enough      size at which the search ends, because larger cliques are not useful
candidates  candidates of the present start; on a GPU of all starts, twice, since a filter writes to the other half
left, size  number of candidates of a start, and of vertices taken; 0 vertices before it begins
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
SPREAD, SHARE, LEAST = 1024, 64, 1 << 15  # starts; entries per candidate; candidates that are always allowed
STEPS = 1 << 14  # candidates between two checks of the clock
STEP_SECONDS = 1e-7  # maximum per candidate of a start on a GPU: 128 threads search a row in global memory


def clique_size(G: Graph, enough: int = 2**31 - 1, deadline: float | None = None) -> int:
    """Number of vertices of a clique; at least 2 if there is an edge."""
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
    """Return start vertices, int32, and the number of candidates of the starts before each, int64, on the CPU."""
    size = -(-G.n // SPREAD)
    starts, largest = (_largest_on_gpu if G.on_gpu else _largest)(G, size)
    most = max(G.m // SHARE, LEAST)
    fitting = np.flatnonzero((largest > 0) & (largest <= most))
    order = fitting[np.argsort(-largest[fitting], kind="stable")]
    ends = np.append(0, np.cumsum(largest[order]))
    count = int(np.searchsorted(ends, most, side="right")) - 1
    return starts[order[:count]], ends[: count + 1]


def _largest(G: Graph, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the first vertex of largest degree in each run of `size` ids, int32, and the degrees."""
    degrees = np.zeros((-(-G.n // size), size), np.int32)
    degrees.reshape(-1)[: G.n] = np.diff(G.indptr)
    at = degrees.argmax(1)
    largest = np.take_along_axis(degrees, at[:, None], 1)[:, 0]
    return (at + size * np.arange(len(at))).astype(np.int32), largest.astype(np.int64)


def _largest_on_gpu(G: Graph, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Do `_largest` by one launch; CuPy's argmax includes CUB, which compiles for seconds."""
    runs = -(-G.n // size)
    both = G.xp.empty((2, runs), np.int64)
    SOURCE.of(G.indptr).launch("choose_starts", (runs,), G.indptr, np.int64(G.n), np.int64(size), both[0], both[1])
    starts, largest = dev.to_device(both, "cpu")
    return starts.astype(np.int32), largest


def _on_gpu(G: Graph, starts: Any, ends: Any, best: int, enough: int, deadline: float) -> int:
    """Return the largest size: one block per start, and launches until all starts have ended."""
    cp = dev.cupy()
    # The largest starts come first. Starts whose first step would not end in time are skipped.
    slow = int(np.count_nonzero(np.diff(ends) * STEP_SECONDS > deadline - clock()))
    starts, ends = starts[slow:], ends[slow:] - ends[slow]
    if len(starts) == 0:
        return best
    total = int(ends[-1])
    candidates, progress = cp.empty(2 * total, np.int32), cp.zeros((2, len(starts)), np.int32)
    found = cp.asarray(np.array([best, 0], np.int32))
    args = (
        G.indptr, G.indices, cp.asarray(starts), cp.asarray(ends), candidates, np.int64(total), progress[0],
        progress[1], np.int64(STEPS), found, np.int64(enough),
    )  # fmt: skip
    while True:  # each launch does at least one step of every start that has not ended
        SOURCE.of(G.indptr).launch("grow", (len(starts),), *args)
        best, ended = cp.asnumpy(found).tolist()
        if ended == len(starts) or best >= enough or not before(deadline):
            return int(best)
