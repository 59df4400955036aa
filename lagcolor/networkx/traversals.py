"""NetworkX's connected orders: each component begins at the node that its set has first, so such a set is made."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..orders.traversals import breadth_first
from .graph import BackendGraph


def connected(G: BackendGraph, traverse: Callable[[Any, Any, Any], tuple[Any, Any]]) -> np.ndarray:
    """The nodes component by component, each traversed from the node with which NetworkX begins.

    Parameters
    ----------
    G : BackendGraph
    traverse : callable
        ``traverse(indptr, indices, roots)``, of ``orders/traversals.py``.

    Returns
    -------
    array of int32, shape (n,)
        First colored first.
    """
    indptr, indices = G.indptr, G.indices
    found, starts = breadth_first(indptr, indices, np.arange(len(G), dtype=np.int32))
    roots = found[starts]
    nodes, bounds = found.tolist(), [*starts.tolist(), len(G)]
    for i, (begin, end) in enumerate(itertools.pairwise(bounds)):
        if end - begin == 1:
            continue
        # The order of a set depends on that of its insertions: NetworkX's are those of this traversal.
        component: set[Any] = set()
        for v in nodes[begin:end]:
            component.add(v if G.graph.labels is None else G.nodes[v])
        first = next(iter(component))
        roots[i] = first if G.graph.labels is None else G.number[first]
    return traverse(indptr, indices, roots)[0]
