"""Star and acyclic coloring: neighbors differ, and no path on four vertices, or no cycle, has only two colors.

In a star coloring any two classes induce a forest of stars. In the compressed matrix the entry of an edge is alone in
the row of the end that is not the center of its star. In an acyclic coloring any two classes induce a forest. Entries
are found by substitution, from the leaves of its trees to the roots. Both problems are for Hessians.

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
    """Acyclic coloring: neighbors differ, and every cycle has three colors or more."""

    def structure(self, G: Graph) -> Graph:
        """Return the graph, which the algorithms read."""
        return G

    def check(self, G: Graph, colors: Any) -> Report:
        """Check a coloring; a violation is an edge of one color, or an edge on or between two-colored cycles.

        Vertices without a color constrain no other. See `Problem.verify`.
        """
        return on_cpu.inspect(G, colors, G.n, None, self._violations, G.labels)

    def _violations(self, G: Graph, colors: np.ndarray, _: np.ndarray) -> tuple[int, list[str]]:
        u, v, wrong, same = unfound(G, colors, direct=False)
        names = []
        for e in wrong[:SHOWN]:
            a, b = colors[u[e]], colors[v[e]]
            fault = f"both have color {a}" if same[e] else f"on or between cycles of colors {a} and {b} alone"
            names.append(f"edge ({called(u[e], G.labels)}, {called(v[e], G.labels)}): {fault}")
        return len(wrong), names

    def upper_bound(self, G: Graph) -> int:
        """Δ + Δ (Δ − 1) / 2 + 1, at most n: two neighbors of one color forbid the colors of their common neighbors."""
        d = G.max_degree
        return min(G.n, d + d * (d - 1) // 2 + 1)

    def lower_bound(self, G: Graph) -> int:
        """Least k with at most (k − 1) n − k (k − 1) / 2 edges, because any two classes induce a forest."""
        k = min(G.n, 1)
        while (k - 1) * G.n - k * (k - 1) // 2 < G.n_edges:
            k += 1
        return k


class Star(Acyclic):
    """Star coloring: neighbors differ, and no path on four vertices has only two colors."""

    def check(self, G: Graph, colors: Any) -> Report:
        """Check a coloring; a violation is an edge of one color, or inside a two-colored path on four vertices.

        Vertices without a color constrain no other. See `Problem.verify`.
        """
        checks = on_cpu.stars, on_gpu.symmetrically_orthogonal
        return on_cpu.inspect(G, colors, G.n, checks, self._violations, G.labels)

    def _violations(self, G: Graph, colors: np.ndarray, _: np.ndarray) -> tuple[int, list[str]]:
        u, v, wrong, _ = unfound(G, colors, direct=True)
        return len(wrong), [_sentence(G, int(u[e]), int(v[e]), colors) for e in wrong[:SHOWN]]

    def upper_bound(self, G: Graph) -> int:
        """Δ² + 1, at most n: each vertex at distance one or two forbids at most one color."""
        return min(G.n, G.max_degree**2 + 1)

    def lower_bound(self, G: Graph) -> int:
        """Bound of acyclic colorings; at least 3 if some edge is in a triangle or inside a path on four vertices."""
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
