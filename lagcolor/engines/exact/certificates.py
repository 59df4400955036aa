"""Search for the certificate of a lower bound, at its first use.

A bound of 3 comes from an odd cycle, a larger bound from a clique or from sizes alone. Exhaustive searches store their
certificates themselves. The search for a clique of k vertices is exact. If it takes long, the greedy search that found
the bound is repeated first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device.compiled import njit
from ...graph.graph import Graph
from ...graph.nets import Nets
from ...graph.pattern import Pattern, unsigned
from ...problems import DEFAULT, PROBLEMS
from ...problems.certificates import CLIQUE, ODD_CYCLE, Certificate
from .clique import starts_of
from .clique_cpu import cliques
from .largest_clique import LargestClique

ONE32 = np.uint32(1)
NOTHING = np.empty(0, np.int64)
READS = 1 << 26  # words that the exact search reads before the greedy search
MOST = 1 << 26  # limit of vertices read by two hops to build the graph of conflicts


def certificate_of(problem: str, G: Any, k: int) -> Certificate:
    """Return a certificate of the bound k of a canonical graph or pattern; kind None if no cycle or clique is found."""
    row = PROBLEMS[problem]
    if k == 0 or not row.keeps_rules or not isinstance(G, Pattern):  # no Pattern: in parts, on several GPUs
        return Certificate(None, k, NOTHING)
    G = G.on("cpu")
    if problem != DEFAULT:
        if not row.conflicts and len(clique := widest_net(problem, G)) >= k:
            return Certificate(CLIQUE, k, clique[:k])
        if (G := row.structure(G).conflict_graph(MOST)) is None:
            return Certificate(None, k, NOTHING)
    vertices = odd_cycle(G) if k == 3 else clique_of(G, k)
    kind = ODD_CYCLE if k == 3 else CLIQUE
    return Certificate(kind if len(vertices) else None, k, vertices)


def widest_net(problem: str, P: Any) -> np.ndarray:
    """Return the largest set whose members share a row, a column, a neighbor or an end, so that all conflict."""
    if problem == "edges":
        P = Nets.incidence(P).members
    if problem == "rows":
        P = P.T
    if P.m == 0:
        return np.arange(min(P.columns, 1), dtype=np.int64)
    v = int(P.degrees.argmax())
    row = P.indices[int(P.indptr[v]) : int(P.indptr[v + 1])].astype(np.int64)
    return np.union1d(row, [v]) if problem == "distance2" else row


def clique_of(G: Graph, k: int) -> np.ndarray:
    """Return the vertices of a clique of k, int64, increasing; empty if there is none."""
    if k == 1:
        return np.zeros(1, np.int64)
    if k == 2:
        v = int(np.argmax(G.degrees > 0))
        return np.array([v, G.indices[G.indptr[v]]], np.int64)
    search = LargestClique(G, k - 1, k)
    if search.run(most=READS):
        return NOTHING if search.vertices is None else search.vertices
    for clique in cliques(G, starts_of(G)[0], k - 1):
        return np.sort(clique[:k])
    search.run()
    return NOTHING if search.vertices is None else search.vertices


def odd_cycle(G: Graph) -> np.ndarray:
    """Return the vertices of an odd cycle in order, int64; empty if the graph is bipartite."""
    parent = np.full(G.n, -1, np.int64)
    u, v = same_side(*unsigned(G), parent, np.zeros(G.n, np.int64), np.empty(G.n, np.uint32))
    if u < 0:
        return NOTHING
    left, right = [u], [v]
    while left[-1] != right[-1]:  # both have the same depth
        left.append(int(parent[left[-1]]))
        right.append(int(parent[right[-1]]))
    return np.array(left + right[-2::-1], np.int64)


@njit(cache=True, nogil=True)
def same_side(indptr: Any, indices: Any, parent: Any, depth: Any, queue: Any) -> Any:
    """Search breadth-first for an edge between two vertices of the same depth; return them, or −1, −1."""
    for root in range(parent.size):
        if parent[root] >= 0:
            continue
        parent[root], queue[0], head, tail = root, root, 0, 1
        while head < tail:
            v = queue[head]
            head += 1
            for e in range(indptr[v], indptr[v + ONE32]):
                u = indices[e]
                if parent[u] < 0:
                    parent[u], depth[u] = v, depth[v] + 1
                    queue[tail] = u
                    tail += 1
                elif depth[u] == depth[v]:
                    return np.int64(u), np.int64(v)
    return np.int64(-1), np.int64(-1)
