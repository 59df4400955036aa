"""Optimal coloring of chordal graphs, with as many colors as the largest clique has vertices.

A graph is chordal if every cycle of four or more vertices has a chord, as in trees, interval graphs and k-trees.
Maximum cardinality search always visits a vertex with the most visited neighbors next. A graph is chordal if and only
if the visited neighbors of each vertex form a clique when it is visited. First-fit in that order gives no vertex a
color beyond the size of its clique. The search ends at the first vertex whose visited neighbors do not form a clique,
in most graphs after a few vertices.

Levels are stacks of (vertex, link) pairs. A vertex that rises is pushed again, and its old entry stays. Vertices
without visited neighbors are in no stack, and are visited in the order of ids.

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
    """Return an optimal coloring of a chordal graph on a CPU; None if the graph is not chordal."""
    graph = unsigned(G)
    sequence = np.empty(G.n, np.uint32)
    return first_fit(*graph, sequence) if search(*graph, sequence) else None


@njit(cache=True, nogil=True)
def search(indptr: Any, indices: Any, sequence: Any) -> bool:
    """Write the order of the search to `sequence`; return False if the graph is not chordal."""
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
            if place[vertex[pair]] == n:  # otherwise an old entry of a visited vertex
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
    """Return whether the last visited neighbor of v is adjacent to the others, which are a clique if it is."""
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
