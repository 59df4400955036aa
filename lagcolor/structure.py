"""Facts about a graph that one traversal tells: connected components, two-colorability. On the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from .graph import Graph


def components(G: Graph) -> tuple[int, np.ndarray]:
    """Connected components.

    Returns
    -------
    count : int
    component : array of int32, shape (n,)
        0…count−1, numbered by their smallest vertex.
    """
    count, component, _, _ = _traverse(G)
    return count, component


def bipartition(G: Graph) -> np.ndarray | None:
    """A coloring with two colors, int8, shape (n,), where one exists; 0 for the smallest vertex of a component.

    Returns None for a graph with an odd cycle.
    """
    _, _, side, odd = _traverse(G)
    return None if odd else side


def is_bipartite(G: Graph) -> bool:
    """Whether the graph has no odd cycle."""
    return not _traverse(G)[3]


def _traverse(G: Graph) -> tuple[int, np.ndarray, np.ndarray, bool]:
    G = G.on("cpu")
    component, side = np.full(G.n, -1, np.int32), np.zeros(G.n, np.int8)
    count, odd = _breadth_first(G.indptr, G.indices, component, side, np.empty(G.n, np.int32))
    return int(count), component, side, bool(odd)


@njit(cache=True, nogil=True)
def _breadth_first(indptr: Any, indices: Any, component: Any, side: Any, queue: Any) -> tuple[int, bool]:
    """Number each component and alternate sides by distance; True if an edge joins two of one side."""
    count = 0
    odd = False
    for root in range(len(component)):
        if component[root] >= 0:
            continue
        component[root] = count
        queue[0] = root
        head, tail = 0, 1
        while head < tail:  # each vertex enters the queue once
            u = queue[head]
            head += 1
            for e in range(indptr[u], indptr[u + 1]):
                v = indices[e]
                if component[v] < 0:
                    component[v] = count
                    side[v] = 1 - side[u]
                    queue[tail] = v
                    tail += 1
                elif side[v] == side[u]:
                    odd = True
        count += 1
    return count, odd
