"""Exact first-fit of a `Task`: each active vertex in turn takes the smallest allowed color that no neighbor has.

On a CPU colors are written in place, as in problems/task.py. The first 64 colors are bits of a word; if all are
taken, the row is read again for the next 64. (The loops of sequential.py and copies.py color whole graphs without
limits. They store colors in one byte: rmat20 in natural order, a fifth to a quarter faster.)

engines/rounds/ calls this loop with several threads, which color chunks and read the current colors of neighbors. A
vertex with an earlier neighbor that had no color yet is a suspect.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semirings import sparse

from ...base import device as dev
from ...base.device import extremes
from ...base.device.bits import in_window, least_unmarked
from ...base.device.intrinsics import ctz64, fetch_add, load_relaxed, prefetch, store_relaxed
from ...base.device.parallel import launch, parallel, slots
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...problems.task import NONE, PENDING, UNLIMITED, Task
from .cuda_sequence import first_fit_in_sequence
from .sequential import FAR, ONE, ONE32, TWO, ZERO, far_ahead

RANGE = 256  # entries of FORBIDDEN
NEXT, SUSPECTS, SLOTS = np.uint64(0), np.uint64(8), 16  # in `shared`: next position, number of suspects; size


def first_fit_task(G: Graph, task: Task, order: Any = None) -> Any:
    """Return the colors of sequential first-fit, on one core or on a GPU."""
    with dev.using(G.indices):
        sequence = task.sequence(G, order)
        if G.on_gpu:
            return _on_gpu(G, task, sequence)
        colors = task.begin(G, PENDING)
        limit = UNLIMITED if task.limit is None else task.limit
        color_in_chunks(unsigned(G), sequence.view(np.uint32), colors, 1, len(sequence), limit, task.forbidden)
        return colors


def _on_gpu(G: Graph, task: Task, sequence: Any) -> Any:
    """Color by first_fit_in_sequence; a forbidden color acts as an additional neighbor."""
    wide, colors = (G, task.fixed) if task.forbidden is None else _with_forbidden(G, task.fixed, *task.forbidden)
    return first_fit_in_sequence(wide, sequence, colors, task.limit)[: G.n]


def _with_forbidden(G: Graph, fixed: Any, offsets: Any, forbidden: Any) -> tuple[Graph, Any]:
    """Return a graph with an extra vertex per forbidden color, next to the vertices it is forbidden to; and colors."""
    xp, n, k = G.xp, G.n, extremes.largest(forbidden) + 1
    indices, own = xp.empty(G.m + len(forbidden), np.int32), xp.arange(G.m)
    at = xp.arange(len(forbidden))
    indices[own + offsets[G.rows_of_entries()]] = G.indices
    indices[at + G.indptr[xp.searchsorted(offsets, at, side="right")]] = forbidden + np.int32(n)
    indptr = xp.full(n + k + 1, len(indices), np.result_type(G.indptr.dtype, sparse.offset_type(len(indices))))
    indptr[: n + 1] = G.indptr + offsets
    before = xp.full(n, NONE, np.int32) if fixed is None else fixed
    return Graph(indptr, indices), xp.concatenate([before, xp.arange(k, dtype=np.int32)])


def color_in_chunks(
    graph: tuple[Any, Any], sequence: Any, colors: Any, workers: int, chunk: int, limit: int = UNLIMITED,
    barred: Any = None, bits: bool = True, ranks: Any = None, suspects: Any = None, by_id: bool = False,
) -> int:  # fmt: skip
    """Color the vertices of `sequence` in place, with several `workers` by speculation; return the number of suspects.

    Colors from `limit` on and colors in `barred` (CSR) are not allowed. The larger rank is earlier, or without `ranks`
    the smaller id. `by_id`: a vertex reads only neighbors of smaller id. Without `bits` an array marks the colors.
    """
    shared, forbidden = slots(SLOTS), None if bits else np.full((workers, RANGE), -1, np.int64)
    how = np.int64(max(1, chunk)), by_id, np.int32(limit)
    launch(color_chunks, workers, shared, *graph, sequence, colors, barred, how, forbidden, ranks, suspects)
    return int(shared[int(SUSPECTS)])


@parallel
def color_chunks(
    t: Any, shared: Any, indptr: Any, indices: Any, sequence: Any, colors: Any, barred: Any, how: Any,
    forbidden: Any, ranks: Any, suspects: Any,
) -> None:  # fmt: skip
    """Color chunks of the sequence until none is left.

    ``forbidden[t, k]`` is the number of the last pass over a row that saw the k-th color of a range; None: bits.
    """
    chunk, by_id, limit = how
    n, width, looks = np.uint64(sequence.size), np.uint64(64 if forbidden is None else RANGE), 0
    while True:
        begin = np.uint64(fetch_add(shared, NEXT, chunk))
        if begin >= n:
            return
        for i in range(begin, min(begin + np.uint64(chunk), n)):
            far_ahead(indptr, indices, sequence, i, n)
            v, suspect, color = sequence[i], False, np.int32(0)
            if barred is not None:
                prefetch(barred[0], sequence[min(i + TWO * FAR, n - ONE)])
                prefetch(barred[1], np.uint64(barred[0][sequence[min(i + FAR, n - ONE)]]))
            free = width
            while free == width:
                mask = ZERO
                looks += 1
                e, end = indptr[v], indptr[v + ONE32]
                while e < end:
                    u = indices[e]
                    if by_id and u >= v:
                        break
                    e += ONE32
                    c = load_relaxed(colors, np.uint64(u))
                    if c == PENDING:
                        suspect |= u < v if ranks is None else ranks[u] > ranks[v]
                    k = np.uint64(np.uint32(c - color))
                    if k < width:
                        if forbidden is None:
                            mask |= ONE << k
                        else:
                            forbidden[t, k] = looks
                if barred is not None:
                    for j in range(barred[0][v], barred[0][v + ONE32]):
                        mask |= in_window(barred[1][j], color)
                free = ctz64(~mask) if forbidden is None else least_unmarked(forbidden[t], looks, ZERO)
                color += np.int32(free)
            store_relaxed(colors, np.uint64(v), np.int32(color if color < limit else NONE))
            if suspects is not None and suspect:
                suspects[fetch_add(shared, SUSPECTS, 1)] = v
