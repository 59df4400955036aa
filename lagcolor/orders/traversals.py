"""Breadth-first and depth-first order: each vertex has an earlier neighbor, except the first of a component.

First-fit in these orders colors a bipartite graph with two colors, because the earlier neighbors of a vertex are on one
side and have one color.

References
----------
Kosowski, Manuszewski 2004, "Classical coloring of graphs", connected sequential.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.device.compiled import filled, njit
from ..graph.components import breadth_first
from ..graph.graph import Graph
from .ties import tie_order


def connected_sequential_bfs(G: Graph, seed: int | None) -> np.ndarray:
    """Breadth first; neighbors by id, and components from their first vertex in tie order."""
    return breadth_first(G.indptr, G.indices, tie_order(np, G.n, seed))[0]


def connected_sequential_dfs(G: Graph, seed: int | None) -> np.ndarray:
    """Depth first, in preorder; neighbors by id, and components from their first vertex in tie order."""
    return depth_first(G.indptr, G.indices, tie_order(np, G.n, seed))[0]


@njit(cache=True, nogil=True)
def depth_first(indptr: Any, indices: Any, roots: Any) -> Any:
    """Vertices in depth-first preorder, int32, and the begin of each component in it."""
    n = indptr.size - 1
    sequence = np.empty(n, np.int32)
    starts = np.empty(n, np.int32)
    seen = filled(n, 0, np.bool_)
    path = np.empty(n, np.int32)
    following = indptr[:-1].copy()  # the next unread entry of each row
    count = 0
    done = 0
    for root in roots:
        if seen[root]:
            continue
        seen[root] = True
        starts[count] = done
        count += 1
        sequence[done] = root
        done += 1
        path[0] = root
        depth = 1
        while depth > 0:  # each iteration reads an entry of a row or ends the row
            v = path[depth - 1]
            e = following[v]
            if e == indptr[v + 1]:
                depth -= 1
                continue
            following[v] = e + 1
            u = indices[e]
            if not seen[u]:
                seen[u] = True
                sequence[done] = u
                done += 1
                path[depth] = u
                depth += 1
    return sequence, starts[:count]
