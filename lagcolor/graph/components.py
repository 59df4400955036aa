"""Parts of a graph: connected components and two sides, on the CPU; the graph of some vertices, on its device."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import device as dev
from ..base.device.compiled import filled, njit
from ..base.device.intrinsics import prefetch
from .graph import Graph
from .pattern import unsigned
from .two_colors import bipartite

ZERO, ONE = np.uint64(0), np.uint64(1)
NEAR, FAR = np.uint64(8), np.uint64(16)  # vertices between a prefetch and its use: of a row, of its offset


def components(G: Graph) -> tuple[int, np.ndarray]:
    """Number of connected components; the component of each vertex, int32, in the order of their least vertices."""
    G = G.on("cpu")
    found, starts = breadth_first(G.indptr, G.indices, np.arange(G.n))
    component = np.empty(G.n, np.int32)
    component[found] = np.repeat(np.arange(len(starts), dtype=np.int32), np.diff(starts, append=G.n))
    return len(starts), component


def bipartition(G: Graph) -> np.ndarray | None:
    """A coloring with two colors, int32, shape (n,), where one exists; 0 for the smallest vertex of a component.

    Returns None for a graph with an odd cycle.
    """
    return bipartite(G.on("cpu"))


def is_bipartite(G: Graph) -> bool:
    """Whether the graph has no odd cycle."""
    return bipartition(G) is not None


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
    _fill(*unsigned(G), vertices, number, offsets, indices)
    return Graph(offsets, indices[: int(offsets[-1])].copy())


@njit(cache=True, nogil=True)
def breadth_first(indptr: Any, indices: Any, roots: Any) -> Any:
    """Vertices in breadth-first order, int32, and where in it the components begin.

    Neighbors are written before it is known whether they were seen, and rows are prefetched. Shuffled meshes take a
    quarter of the time that branches take.
    """
    n = indptr.size - 1
    sequence = np.empty(n + 1, np.int32)
    starts = np.empty(n, np.int32)
    seen = filled(n, 0, np.uint8)
    count = 0
    done = ZERO
    for root in roots:
        if seen[root]:
            continue
        seen[root] = 1
        starts[count] = done
        count += 1
        sequence[done] = root
        at = done
        done += ONE
        while at < done:  # each vertex enters once
            v = np.uint64(sequence[at])
            if at + FAR < done:
                prefetch(indptr, np.uint64(sequence[at + FAR]))
                prefetch(indices, np.uint64(indptr[sequence[at + NEAR]]))
            at += ONE
            for e in range(indptr[v], indptr[v + ONE]):
                u = indices[e]
                sequence[done] = u
                done += np.uint64(seen[u] == 0)
                seen[u] = 1
    return sequence[:n], starts[:count]


@njit(cache=True, nogil=True)
def _fill(indptr: Any, indices: Any, vertices: Any, number: Any, offsets: Any, out: Any) -> None:
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
