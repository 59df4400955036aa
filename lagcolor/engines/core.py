"""The k-core: what is left of a graph once vertices with fewer than k neighbors are removed, again and again.

Those that are removed find one of k colors in the reverse order, whatever the others have: whether k colors do is a
question about the core alone.

References
----------
Matula, Beck 1983, "Smallest-last ordering and clustering and graph coloring algorithms".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.graph import Graph
from ..device.compiled import njit
from .greedy.sequential import unsigned

ONE32 = np.uint32(1)


class Core:
    """The k-core of a graph on the CPU, and the way back.

    Parameters
    ----------
    G : Graph
    k : int

    Attributes
    ----------
    graph : Graph
        Of the vertices of the core, in their order.
    vertices : array of uint32
        Which these are.
    """

    def __init__(self, G: Graph, k: int) -> None:
        self.G, self.k = G, k
        indptr, indices = unsigned(G)
        degrees, order = np.diff(G.indptr).astype(np.int32), np.empty(G.n, np.uint32)
        removed = peel(indptr, indices, degrees, k, order)
        self._order, kept = order[:removed], degrees >= 0
        self.vertices = np.flatnonzero(kept).astype(np.uint32)
        if removed == 0:
            self.graph = G
            return
        number = np.cumsum(kept, dtype=np.int32) - np.int32(1)
        new = np.zeros(len(self.vertices) + 1, G.indptr.dtype)
        np.cumsum(degrees[kept], out=new[1:])
        entries = np.empty(int(new[-1]), np.int32)
        induce(indptr, indices, self.vertices, kept, number, entries)
        self.graph = Graph(new, entries)

    def extend(self, colors: np.ndarray) -> np.ndarray:
        """A coloring of the whole graph from one of the core with k colors: int32, shape (n,)."""
        out = np.full(self.G.n, -1, np.int32)
        out[self.vertices] = colors
        back(*unsigned(self.G), self._order, np.full(self.k, -1, np.int64), out)
        return out


@njit(cache=True, nogil=True)
def peel(indptr: Any, indices: Any, degrees: Any, k: Any, order: Any) -> Any:
    """Remove vertices with fewer than k neighbors left, to `order`; their number. `degrees` of them becomes −1."""
    count = 0
    for v in range(degrees.size):
        if degrees[v] < k:
            degrees[v] = -1
            order[count] = v
            count += 1
    done = 0
    while done < count:
        v = order[done]
        done += 1
        for e in range(indptr[v], indptr[v + ONE32]):
            u = indices[e]
            if degrees[u] >= 0:
                degrees[u] -= 1
                if degrees[u] < k:
                    degrees[u] = -1
                    order[count] = u
                    count += 1
    return count


@njit(cache=True, nogil=True)
def induce(indptr: Any, indices: Any, vertices: Any, kept: Any, number: Any, entries: Any) -> None:
    """The rows of some vertices, less the others, in their numbers."""
    at = np.uint64(0)
    for v in vertices:
        for e in range(indptr[v], indptr[v + ONE32]):
            u = indices[e]
            if kept[u]:
                entries[at] = number[u]
                at += np.uint64(1)


@njit(cache=True, nogil=True)
def back(indptr: Any, indices: Any, order: Any, seen: Any, colors: Any) -> None:
    """Give those that were removed the least color free, the last removed first; `seen`: −1 for each color."""
    for i in range(order.size - 1, -1, -1):
        v = order[i]
        for e in range(indptr[v], indptr[v + ONE32]):
            c = colors[indices[e]]
            if c >= 0:
                seen[c] = v
        c = 0
        while seen[c] == v:
            c += 1
        colors[v] = c
