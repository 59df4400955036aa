"""The graph of some vertices of a graph, on its device."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import device as dev
from ..base.device.compiled import njit
from ..base.device.intrinsics import prefetch
from .graph import Graph
from .pattern import unsigned

ONE = np.uint64(1)
NEAR, FAR = np.uint64(8), np.uint64(16)  # vertices between a prefetch and its use: of a row, of its offset


def induced(G: Graph, vertices: Any) -> Graph:
    """The graph of some vertices, in their order, which rises on a GPU; rows are in the order that they had."""
    xp, n = G.xp, len(vertices)
    number, offsets = xp.full(G.n, -1, np.int32), xp.zeros(n + 1, G.indptr.dtype)
    number[vertices] = xp.arange(n, dtype=np.int32)
    if G.on_gpu:
        rows, indices = number[G.rows_of_entries()], number[G.indices]
        kept = (rows >= 0) & (indices >= 0)
        offsets[1:] = xp.cumsum(dev.counts(rows[kept], n))
        return Graph(offsets, indices[kept])
    indices = np.empty(int(G.degrees[vertices].sum(dtype=np.int64)) + 1, np.int32)
    fill(*unsigned(G), vertices, number, offsets, indices)
    return Graph(offsets, indices[: int(offsets[-1])].copy())


@njit(cache=True, nogil=True)
def fill(indptr: Any, indices: Any, vertices: Any, number: Any, offsets: Any, out: Any) -> None:
    """Rows of some vertices; each entry is written before it is known whether it counts."""
    at, last = np.uint64(0), np.uint64(vertices.size) - ONE
    for i in range(np.uint64(vertices.size)):
        v = np.uint64(vertices[i])
        prefetch(indptr, np.uint64(vertices[min(i + FAR, last)]))
        prefetch(indices, np.uint64(indptr[vertices[min(i + NEAR, last)]]))
        for e in range(indptr[v], indptr[v + ONE]):
            other = number[indices[e]]
            out[at] = other
            at += np.uint64(other >= 0)
        offsets[i + ONE] = at
