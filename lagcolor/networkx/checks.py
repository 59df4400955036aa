"""is_coloring, is_equitable and bipartite.color."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import networkx as nx
import numpy as np

from ..base.device.compiled import filled, njit
from ..graph.components import bipartition
from ..problems.distance1 import check
from .graph import BackendGraph


def is_coloring(G: BackendGraph, coloring: Mapping[Any, Any]) -> bool:
    """NetworkX's `is_coloring`: no edge has one color at both ends. Colors are any values that can be keys."""
    numbers: dict[Any, int] = {}
    colors = np.full(len(G), -1, np.int32)
    try:
        for v, node in enumerate(G.nodes):
            if node in coloring:
                color = coloring[node]
                colors[v] = numbers.setdefault(color, len(numbers))
    except TypeError as e:
        raise NotImplementedError(f"lagcolor compares colors that can be keys of a dict: {e}") from e
    if any(color != color for color in numbers):
        raise NotImplementedError("NetworkX compares colors that differ from themselves")
    if (colors[G.graph.degrees > 0] < 0).any():
        raise NotImplementedError("NetworkX reports nodes without a color")
    return not G.has_loops and check(G.graph, colors).n_conflicts == 0


def is_equitable(G: BackendGraph, coloring: Mapping[Any, Any], num_colors: int | None = None) -> bool:
    """NetworkX's `is_equitable`: proper, and class sizes differ by at most 1, also of 0 … num_colors − 1 if passed."""
    if not is_coloring(G, coloring):
        return False
    sizes = Counter(coloring.values())
    missing = num_colors is not None and any(color not in sizes for color in range(num_colors))
    different = {*sizes.values(), *([0] if missing else [])}
    if not different:
        return num_colors is None
    return max(different) - min(different) <= 1


def color(G: BackendGraph) -> dict[Any, int]:
    """NetworkX's `bipartite.color`: 1 on the side of each component's first node; isolated nodes have 0."""
    sides = None if G.has_loops else bipartition(G.graph)
    if sides is None:
        raise nx.NetworkXError("Graph is not bipartite.")
    return G.by_node((1 - sides) * (G.graph.degrees > 0), _discovered(G.indptr, G.indices))


@njit(cache=True, nogil=True)
def _discovered(indptr: Any, indices: Any) -> Any:
    """Nodes in the order of `bipartite.color` of NetworkX: by a stack; nodes without neighbors are last."""
    n = indptr.size - 1
    out, stack, seen = np.empty(n, np.int32), np.empty(n, np.int32), filled(n, 0, np.bool_)
    count = 0
    for isolated in (False, True):
        for root in range(n):
            if seen[root] or (indptr[root] == indptr[root + 1]) != isolated:
                continue
            stack[0], size = root, 1
            seen[root], out[count] = True, root
            count += 1
            while size > 0:
                size -= 1
                v = stack[size]
                for e in range(indptr[v], indptr[v + 1]):
                    u = indices[e]
                    if not seen[u]:
                        seen[u], out[count], stack[size] = True, u, u
                        count += 1
                        size += 1
    return out
