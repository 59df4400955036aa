"""Distance k ≥ 3: two vertices of one color are more than k edges apart.

The verifier does not compute a power of the graph. It searches breadth-first from all vertices of a color class at
once, class by class, and stores for each vertex that it reaches the nearest vertex of the class. An edge between two
vertices with different nearest vertices closes a path between these, of length both distances plus 1. If two vertices
of a class are within k edges, a shortest path between two such vertices has such an edge, so (k + 1) / 2 levels are
enough.

A violation is such an edge that closes a path of at most k edges.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.device import extremes
from ..base.device.compiled import njit
from ..graph.graph import Graph
from ..graph.powers import power
from .equations import plain
from .on_cpu import inspect
from .report import SHOWN, Report, by_color, called
from .two_hop import Triples, most_constraints, named

SLICE = 1 << 20  # entries read before the loop returns to Python, which can then raise KeyboardInterrupt


@dataclass(frozen=True)
class Within:
    """Problem of distance k: two vertices of one color are more than k edges apart."""

    k: int

    def structure(self, G: Graph) -> Graph:
        """k-th power of the graph."""
        return power(G, k=self.k)

    def check(self, G: Graph, colors: Any) -> Report:
        """Check a coloring. See `Problem.verify`."""
        return inspect(G, colors, G.n, None, named(self._violations, _sentence), G.labels)

    def _violations(self, G: Graph, colors: np.ndarray) -> tuple[int, Triples]:
        """Number of violations, and for the first of them two vertices and the length of a path between them."""
        n, k = len(colors), min(self.k, max(G.n, 1))  # no path is longer than n - 1
        order = by_color(colors)[np.count_nonzero(colors < 0) :]
        nearest, way, queue = np.full(n, -1, np.int64), np.zeros(n, np.int64), np.empty(n, np.int64)
        count, begin, first, graph = 0, 0, np.zeros((SHOWN, 3), np.int64), plain(G.indptr, G.indices)
        while begin < len(order):
            begin, count = search(graph, k, (colors, order), (begin, count), first, (nearest, way, queue))
        return int(count), first[: min(count, SHOWN)].tolist()

    def neighborhood(self, G: Graph, v: int) -> Any:
        """Other vertices within k edges of v, int32, increasing, in plain NumPy."""
        seen, last, k = np.array([v], np.int32), np.array([v], np.int32), self.k
        while k and len(last):
            rows = [G.indices[int(G.indptr[u]) : int(G.indptr[u + 1])] for u in last]
            last, k = np.setdiff1d(np.concatenate(rows), seen), k - 1
            seen = np.union1d(seen, last)
        return seen[seen != v].astype(np.int32)

    def upper_bound(self, G: Graph) -> int:
        """One more than the largest number of paths of k edges from a vertex, which may repeat vertices; at most n.

        If a vertex has two neighbors, two more edges at least double the number of paths, so few steps reach n.
        """
        with dev.using(G.indices):
            ways, length = G.degrees.astype(np.int64), 2
            while length < min(self.k, G.n) and G.max_degree > 1 and extremes.largest(ways) < G.n:
                sums = G.xp.zeros(G.m + 1, np.int64)
                G.xp.cumsum(ways[G.indices], out=sums[1:])
                ways, length = sums[G.indptr[1:]] - sums[G.indptr[:-1]], length + 1
            return min(G.n, 1 + most_constraints(G, ways)) if G.n else 0

    def lower_bound(self, G: Graph) -> int:
        """One more than the largest degree."""
        return G.max_degree + 1 if G.n else 0


def _sentence(G: Graph, u: int, v: int, length: int, color: int) -> str:
    ends = f"vertices {called(u, G.labels)} and {called(v, G.labels)}"
    return f"{ends} both have color {color}, and a path of {length} edge{'s' * (length > 1)} joins them"


@njit(cache=True, nogil=True)
def search(graph: Any, k: Any, classes: Any, at: Any, first: Any, work: Any) -> Any:
    """Search from the class at a position of the order, and from later classes, for a slice of reads.

    `graph`: offsets and neighbors. `classes`: colors, and vertices by color. `at`: the position, and the number of
    violations so far; the function returns both. `work`: `nearest`, `way` (distance to it) and a queue. Entries of
    `nearest` from other classes have other colors.
    """
    (indptr, indices), (colors, order), (begin, count), (nearest, way, queue) = graph, classes, at, work
    reads = 0
    while begin < order.size and reads < SLICE:
        color, head, tail = colors[order[begin]], 0, 0
        while begin < order.size and colors[order[begin]] == color:
            v = order[begin]
            nearest[v], way[v], queue[tail] = v, 0, v
            begin, tail = begin + 1, tail + 1
        while head < tail and 2 * way[queue[head]] < k:
            v = queue[head]
            head += 1
            reads += indptr[v + 1] - indptr[v] + 1
            for e in range(indptr[v], indptr[v + 1]):
                u = indices[e]
                if nearest[u] < 0 or colors[nearest[u]] != color:
                    nearest[u], way[u], queue[tail] = nearest[v], way[v] + 1, u
                    tail += 1
                elif nearest[u] != nearest[v] and way[u] + way[v] < k and (way[u], u) > (way[v], v):  # once per edge
                    if count < first.shape[0]:
                        first[count, 0], first[count, 1], first[count, 2] = nearest[u], nearest[v], way[u] + way[v] + 1
                    count += 1
    return begin, count
