"""NetworkX's connected orders, whose components begin at the node that a set has first, and the order of
bipartite.color."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.device.compiled import njit
from ..graph.components import breadth_first
from .graph import BackendGraph


def connected(G: BackendGraph, traverse: Callable[[Any, Any, Any], tuple[Any, Any]] = breadth_first) -> np.ndarray:
    """The nodes component by component, each traversed from NetworkX's first node."""
    indptr, indices = G.indptr, G.indices
    found, starts = breadth_first(indptr, indices, np.arange(len(G), dtype=np.int32))
    roots = found[starts]
    nodes, bounds = found.tolist(), [*starts.tolist(), len(G)]
    for i, (begin, end) in enumerate(itertools.pairwise(bounds)):
        if end - begin == 1:
            continue
        # The order of a set depends on its insertions: NetworkX inserts in the order of this traversal.
        component: set[Any] = set()
        for v in nodes[begin:end]:
            component.add(v if G.graph.labels is None else G.nodes[v])
        first = next(iter(component))
        roots[i] = first if G.graph.labels is None else G.number[first]
    return traverse(indptr, indices, roots)[0]


@njit(cache=True, nogil=True)
def discovered(indptr: Any, indices: Any) -> Any:
    """The nodes as `bipartite.color` of NetworkX finds them: from a stack of them, and last those without neighbors."""
    n = indptr.size - 1
    out, stack, seen = np.empty(n, np.int32), np.empty(n, np.int32), np.zeros(n, np.bool_)
    count = 0
    for alone in (False, True):
        for root in range(n):
            if seen[root] or (indptr[root] == indptr[root + 1]) != alone:
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
