"""Star and acyclic coloring: neighbors differ, and so do the vertices of a path on four vertices, or of a cycle.

No path on four vertices, for star, and no cycle, for acyclic colorings, has only two colors. Any two classes of a star
coloring induce a forest of stars: the entry of an edge is alone in its row of the compressed matrix at one of its ends,
the one that is not the center of its star. Any two classes of an acyclic coloring induce a forest: entries are found
from the leaves of its trees to their roots, by substitution. Both are for Hessians.

References
----------
Coleman, Moré 1984, "Estimation of sparse Hessian matrices and graph coloring problems" (star); Coleman, Cai 1986, "The
cyclic coloring problem and estimation of sparse Hessian matrices" (acyclic); Gebremedhin, Manne, Pothen 2005, "What
color is your Jacobian?", section 4.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import device as dev
from ..base.device.extremes import count_true
from ..graph.graph import Graph
from . import on_cpu, on_gpu
from .equations import unfound
from .report import SHOWN, Report, both, called


class Acyclic:
    """Neighbors differ, and every cycle has three colors or more."""

    def structure(self, G: Graph) -> Graph:
        """The graph itself."""
        return G

    def check(self, G: Graph, colors: Any) -> Report:
        """See `Problem.verify`. A violation is an edge with one color, or an edge of two colors that no leaf leads to.

        The latter are the edges of two-colored cycles and of the paths between such cycles. Vertices without a color
        constrain no other.
        """
        return on_cpu.inspect(G, colors, G.n, None, self._violations, G.labels)

    def _violations(self, G: Graph, given: np.ndarray, _: np.ndarray) -> tuple[int, list[str]]:
        u, v, wrong, same = unfound(G, given, direct=False)
        names = []
        for e in wrong[:SHOWN]:
            a, b = given[u[e]], given[v[e]]
            fault = f"both have color {a}" if same[e] else f"on or between cycles of colors {a} and {b} alone"
            names.append(f"edge ({called(u[e], G.labels)}, {called(v[e], G.labels)}): {fault}")
        return len(wrong), names

    def upper_bound(self, G: Graph) -> int:
        """Δ + Δ (Δ − 1) / 2 + 1, at most n: two neighbors of one color forbid the colors of their common neighbors."""
        d = G.max_degree
        return min(G.n, d + d * (d - 1) // 2 + 1)

    def lower_bound(self, G: Graph) -> int:
        """The least k with at most (k − 1) n − k (k − 1) / 2 edges, as any two classes induce a forest."""
        k = min(G.n, 1)
        while (k - 1) * G.n - k * (k - 1) // 2 < G.n_edges:
            k += 1
        return k


class Star(Acyclic):
    """Neighbors differ, and no path on four vertices has only two colors."""

    def check(self, G: Graph, colors: Any) -> Report:
        """See `Problem.verify`. A violation is an edge with one color, or the middle edge of a path with two.

        Vertices without a color constrain no other.
        """
        checks = on_cpu.stars, on_gpu.symmetrically_orthogonal
        return on_cpu.inspect(G, colors, G.n, checks, self._violations, G.labels)

    def _violations(self, G: Graph, given: np.ndarray, _: np.ndarray) -> tuple[int, list[str]]:
        u, v, wrong, _ = unfound(G, given, direct=True)
        return len(wrong), [_sentence(G, int(u[e]), int(v[e]), given) for e in wrong[:SHOWN]]

    def upper_bound(self, G: Graph) -> int:
        """Δ² + 1, at most n: each vertex at a distance of one or two forbids one color at most."""
        return min(G.n, G.max_degree**2 + 1)

    def lower_bound(self, G: Graph) -> int:
        """As of acyclic colorings, and 3 where an edge is the middle of a path on four vertices, or in a triangle."""
        k = super().lower_bound(G)
        if k == 2:
            with dev.using(G.indices):
                inner = G.degrees > 1
                k += bool(count_true(inner[G.rows_of_entries()] & inner[G.indices]))
        return k


def _sentence(G: Graph, u: int, v: int, colors: np.ndarray) -> str:
    if colors[u] == colors[v]:
        return both(u, v, colors[u], G.labels)
    near = [G.indices[G.indptr[w] : G.indptr[w + 1]] for w in (u, v)]
    before = next(int(w) for w in near[0] if w != v and colors[w] == colors[v])
    after = next(int(w) for w in near[1] if w != u and colors[w] == colors[u])
    path = " - ".join(called(w, G.labels) for w in (before, u, v, after))
    return f"path {path}: only colors {colors[v]} and {colors[u]}"
