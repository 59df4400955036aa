"""Facts about a graph that one traversal finds: connected components, two-colorability. On the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.device.compiled import njit
from .graph import Graph
from .two_colors import bipartite


def components(G: Graph) -> tuple[int, np.ndarray]:
    """Connected components."""
    G = G.on("cpu")
    component = np.full(G.n, -1, np.int32)
    count = _breadth_first(G.indptr, G.indices, component, np.empty(G.n, np.int32))
    return int(count), component


def bipartition(G: Graph) -> np.ndarray | None:
    """A coloring with two colors, int32, shape (n,), where one exists; 0 for the smallest vertex of a component.

    Returns None for a graph with an odd cycle.
    """
    return bipartite(G.on("cpu"))


def is_bipartite(G: Graph) -> bool:
    """Whether the graph has no odd cycle."""
    return bipartition(G) is not None


@njit(cache=True, nogil=True)
def _breadth_first(indptr: Any, indices: Any, component: Any, queue: Any) -> int:
    """Number the components; returns how many there are."""
    count = 0
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
                    queue[tail] = v
                    tail += 1
        count += 1
    return count
