"""The kernel of a graph for k colors: its k-core, which remains if vertices of fewer than k neighbors are removed.

In the reverse order of removal, each removed vertex finds one of k colors, whatever colors the kernel has. So k colors
are enough for the graph if and only if they are enough for the kernel.

References
----------
Matula, Beck 1983, "Smallest-last ordering and clustering and graph coloring algorithms".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device.compiled import inner, njit
from ...graph.components import induced
from ...graph.graph import Graph
from ...graph.pattern import unsigned

ONE32 = np.uint32(1)
GONE = -1


class Core:
    """The kernel of a graph on the CPU; `extend` colors the whole graph."""

    k: int
    vertices: np.ndarray  # vertices of the kernel, uint32
    graph: Graph  # subgraph of these vertices, in their order

    def __init__(self, G: Graph, k: int) -> None:
        self.G, self.k = G, k
        indptr, indices = unsigned(G)
        degrees, order = np.diff(G.indptr).astype(np.int32), np.empty(G.n, np.uint32)
        removed = peel(indptr, indices, degrees, k, order)
        self._order, remains = order[:removed], degrees >= 0
        self.vertices = np.flatnonzero(remains).astype(np.uint32)
        self.graph = G if removed == 0 else induced(G, self.vertices)

    def extend(self, colors: np.ndarray) -> np.ndarray:
        """Extend a coloring of the kernel with k colors to the whole graph: int32, shape (n,)."""
        out = np.full(self.G.n, -1, np.int32)
        out[self.vertices] = colors
        none = np.zeros(self.G.n + 1, np.int64), np.empty(0, np.int32)
        select(unsigned(self.G), self._order, none, np.full(self.k, -1, np.int64), out)
        return out


@njit(cache=True, nogil=True)
def peel(indptr: Any, indices: Any, degrees: Any, k: Any, order: Any) -> Any:
    """Remove vertices with fewer than k neighbors, to `order`; return their number. Their `degrees` become −1."""
    count = 0
    for v in range(degrees.size):
        if 0 <= degrees[v] < k:
            degrees[v] = GONE
            order[count] = v
            count += 1
    return peel_from(indptr, indices, degrees, k, order, 0, count)


@inner()
def peel_from(indptr: Any, indices: Any, degrees: Any, k: Any, order: Any, done: Any, count: Any) -> Any:
    """Continue `peel` after the vertices of `order` from `done` to `count` were removed."""
    while done < count:
        v = order[done]
        done += 1
        for e in range(indptr[v], indptr[v + ONE32]):
            u = indices[e]
            if degrees[u] >= 0:
                degrees[u] -= 1
                if degrees[u] < k:
                    degrees[u] = GONE
                    order[count] = u
                    count += 1
    return count


@njit(cache=True, nogil=True)
def select(graph: Any, order: Any, lists: Any, marks: Any, colors: Any) -> None:
    """Color removed vertices, the last first, if a color is left. `lists`: CSR of barred colors; `marks`: −1."""
    (indptr, indices), (offsets, forbidden) = graph, lists
    k = marks.size
    for i in range(order.size - 1, -1, -1):
        v = order[i]
        for e in range(indptr[v], indptr[v + ONE32]):
            c = colors[indices[e]]
            if 0 <= c < k:
                marks[c] = v
        for j in range(offsets[v], offsets[v + ONE32]):
            if forbidden[j] < k:
                marks[forbidden[j]] = v
        for c in range(k):
            if marks[c] != v:
                colors[v] = c
                break
