"""Rows of vertices in the order of coloring, and colors by vertex again, on CPU threads.

In another order than by id each row is a cache miss, or several, and one thread that colors waits for them. Rows
that are copied first are read as in the order of ids, in every pass, and all threads copy at once. Where rows are
short, the words of nets take the time.

=========  ===================================================================
starts     where the row of each place begins, and the end
rows       the nets of the vertices; a closed net is also a net of its own vertex
shared     how many entries the places of each thread have
=========  ===================================================================
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device import large_pages
from ...base.device.intrinsics import prefetch
from ...base.device.parallel import barrier, launch, parallel, share, slots
from ...graph.nets import Nets
from ...graph.pattern import unsigned
from ..greedy.sequential import ONE, ONE32, TWO, ZERO

LONG, MANY = 8, 1 << 20  # entries of a row in the mean, and of all rows, from which on it pays
AHEAD = np.uint64(32)  # places between a prefetch and its use
ENTRIES = np.uint64(16)  # of a cache line
LINE = 8  # int64 of one


def pays(nets: Nets) -> bool:
    """Whether copied rows are read in so much less time."""
    return nets.m >= MANY and nets.m >= LONG * nets.n


def copy(nets: Nets, order: Any, workers: int) -> tuple[Any, Any]:
    """The nets of vertices in an order, as offsets and indices."""
    size = nets.m + nets.n * nets.closed
    starts, rows = np.empty(nets.n + 1, np.uint32 if size < 2**32 else np.uint64), large_pages(size, np.uint32)
    args = (*unsigned(nets.of_vertices), order, nets.closed, starts, rows, np.int64(workers))
    launch(copy_rows, workers, slots(LINE * (workers + 1)), *args)
    return starts, rows


def by_vertex(order: Any, colors: Any, workers: int) -> Any:
    """Colors by place as colors by vertex."""
    out = np.empty(len(order), np.int32)
    launch(spread, workers, slots(0), order, colors, out, np.int64(workers))
    return out


@parallel
def copy_rows(
    t: Any, shared: Any, indptr: Any, indices: Any, order: Any, closed: Any, starts: Any, rows: Any, workers: Any
) -> None:
    """The rows of a share of the places."""
    own, size = share(t, workers, order.size), ZERO
    for i in own:
        prefetch(indptr, np.uint64(order[min(i + AHEAD, own.stop - ONE)]))
        v = order[i]
        size += np.uint64(indptr[v + ONE32] - indptr[v]) + np.uint64(closed)
    shared[LINE * (t + 1)] = size
    barrier(shared, 0, workers)
    at = ZERO
    for other in range(t):
        at += np.uint64(shared[LINE * (other + 1)])
    for i in own:
        prefetch(indptr, np.uint64(order[min(i + TWO * AHEAD, own.stop - ONE)]))
        u, v = order[min(i + AHEAD, own.stop - ONE)], order[i]
        line, end = np.uint64(indptr[u]), np.uint64(indptr[u + ONE32])
        while line < end:
            prefetch(indices, line)
            line += ENTRIES
        starts[i] = at
        for e in range(indptr[v], indptr[v + ONE32]):
            rows[at] = indices[e]
            at += ONE
        if closed:
            rows[at] = v
            at += ONE
    if t == workers - 1:
        starts[own.stop] = at


@parallel
def spread(t: Any, shared: Any, order: Any, colors: Any, out: Any, workers: Any) -> None:
    """Colors of the vertices of a share of the places."""
    for i in share(t, workers, order.size):
        out[order[i]] = colors[i]
