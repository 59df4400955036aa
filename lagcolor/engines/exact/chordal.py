"""As many colors as the largest clique has vertices, for chordal graphs: those without a cycle of four or more vertices
that has no chord. Trees, interval graphs and k-trees are chordal.

Maximum cardinality search visits a vertex with the most visited neighbors next. In a chordal graph, and in no other,
the visited neighbors of each vertex are a clique when it is visited. First-fit in that order then gives no vertex a
color beyond the size of its clique. The first vertex whose visited neighbors are no clique ends the search, in most
graphs after a few vertices.

Levels are stacks of (vertex, link) pairs. A vertex that rises is pushed again and not taken off its old level. A vertex
without visited neighbors is in no stack: ids without a place are taken in their order.

References
----------
Tarjan, Yannakakis 1984, "Simple linear-time algorithms to test chordality of graphs, test acyclicity of hypergraphs,
and selectively reduce acyclic hypergraphs".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device.compiled import filled, inner, njit
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ..greedy.sequential import first_fit
from .clique_cpu import has


def perfect(G: Graph) -> np.ndarray | None:
    """A coloring of a chordal graph on a CPU with as few colors as possible; None where the graph is not chordal."""
    graph = unsigned(G)
    sequence = np.empty(G.n, np.uint32)
    return first_fit(*graph, sequence) if search(*graph, sequence) else None


@njit(cache=True, nogil=True)
def search(indptr: Any, indices: Any, sequence: Any) -> bool:
    """Write the order of the search to `sequence`; False at the first vertex whose visited neighbors are no clique."""
    n = sequence.size
    place, level = filled(n, n, np.int64), filled(n, 0, np.int64)  # n: not visited
    top = filled(n + 1, -1, np.int64)  # of the stacks
    vertex, link = np.empty(indices.size, np.int64), np.empty(indices.size, np.int64)
    pushed, highest, following = 0, 0, 0
    for i in range(n):
        v = -1
        while highest > 0 and v < 0:
            pair = top[highest]
            if pair < 0:
                highest -= 1
                continue
            top[highest] = link[pair]
            if place[vertex[pair]] == n:  # a vertex on an old level is visited already
                v = vertex[pair]
        while v < 0:
            if place[following] == n:
                v = following
            following += 1
        if not is_clique(indptr, indices, place, v):
            return False
        place[v], sequence[i] = i, v
        for e in range(indptr[v], indptr[v + 1]):
            u = np.int64(indices[e])
            if place[u] == n:
                level[u] += 1
                highest = max(highest, level[u])
                vertex[pushed], link[pushed], top[level[u]] = u, top[level[u]], pushed
                pushed += 1
    return True


@inner()
def is_clique(indptr: Any, indices: Any, place: Any, v: Any) -> bool:
    """Whether the last visited neighbor of v is a neighbor of all others; these were a clique when it was visited."""
    last, when = np.int64(-1), np.int64(-1)
    for e in range(indptr[v], indptr[v + 1]):
        u = np.int64(indices[e])
        if when < place[u] < place.size:
            last, when = u, place[u]
    for e in range(indptr[v], indptr[v + 1]):
        u = np.int64(indices[e])
        if place[u] < when and not has(indices, np.int64(indptr[last]), np.int64(indptr[last + 1]), indices[e]):
            return False
    return True
