"""Parts of a graph: connected components and bipartition, on the CPU; induced subgraphs, on the graph's device."""

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
    """Return the number of connected components and the component of each vertex (int32), numbered by least vertex."""
    G = G.on("cpu")
    found, starts = breadth_first(G.indptr, G.indices, np.arange(G.n))
    component = np.empty(G.n, np.int32)
    component[found] = np.repeat(np.arange(len(starts), dtype=np.int32), np.diff(starts, append=G.n))
    return len(starts), component


def bipartition(G: Graph) -> np.ndarray | None:
    """Return a coloring with two colors (int32, shape (n,)), or None for a graph with an odd cycle.

    The smallest vertex of each component has color 0.
    """
    return bipartite(G.on("cpu"))


def is_bipartite(G: Graph) -> bool:
    """Return whether the graph has no odd cycle."""
    return bipartition(G) is not None


def induced(G: Graph, vertices: Any) -> Graph:
    """Return the subgraph of some vertices, in their order (ascending on a GPU); entries keep their order."""
    xp, n = G.xp, len(vertices)
    number, offsets = xp.full(G.n, -1, np.int32), xp.zeros(n + 1, G.indptr.dtype)
    number[vertices] = xp.arange(n, dtype=np.int32)
    if G.on_gpu:
        rows, indices = number[G.rows_of_entries()], number[G.indices]
        inside = (rows >= 0) & (indices >= 0)
        offsets[1:] = xp.cumsum(dev.counts(rows[inside], n))
        return Graph(offsets, indices[inside])
    indices = np.empty(int(G.degrees[vertices].sum(dtype=np.int64)) + 1, np.int32)
    _fill(*unsigned(G), vertices, number, offsets, indices)
    return Graph(offsets, indices[: int(offsets[-1])].copy())


@njit(cache=True, nogil=True)
def breadth_first(indptr: Any, indices: Any, roots: Any) -> Any:
    """Return the vertices in breadth-first order (int32), and where the components begin in it.

    Each neighbor is written before the test whether it was seen, so that there is no branch, and rows are prefetched.
    Shuffled meshes take a quarter of the time with branches.
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
    """Write the rows of some vertices; each entry is written before the test whether it counts, without a branch."""
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
