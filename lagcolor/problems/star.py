"""Star coloring: neighbors differ, and no path on four vertices has only two colors. Hessians, directly.

So every two color classes induce a forest of stars, and the entry of an edge is alone in its row of the compressed
matrix at one of its ends: the one that is not the center of its star.

References
----------
Coleman, Moré 1984, "Estimation of sparse Hessian matrices and graph coloring problems"; Gebremedhin, Manne, Pothen
2005, "What color is your Jacobian?", section 4.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph.graph import Graph
from . import on_cpu, on_gpu
from .equations import unfound
from .report import SHOWN, Report, both, called


def structure(G: Graph) -> Graph:
    """The graph itself."""
    return G


def verify(x: Any, colors: Any, *, allow_uncolored: bool = False, errors: str = "raise") -> Report:
    """As `lagcolor.verify`. A violation is an edge with one color, or the middle edge of a path with two.

    Vertices without a color constrain no other.
    """
    G, checks = Graph.of(x), (on_cpu.stars, on_gpu.symmetrically_orthogonal)
    return on_cpu.inspect(G, colors, G.n, checks, _violations, G.labels).settled(allow_uncolored, errors)


def _violations(G: Graph, given: np.ndarray, _: np.ndarray) -> tuple[int, list[str]]:
    u, v, wrong, _ = unfound(G, given, direct=True)
    return len(wrong), [_sentence(G, int(u[e]), int(v[e]), given) for e in wrong[:SHOWN]]


def upper_bound(G: Graph) -> int:
    """Δ² + 1, at most n: each vertex at a distance of one or two forbids one color at most."""
    return min(G.n, G.max_degree**2 + 1)


def lower_bound(G: Graph) -> int:
    """The least k with at most (k − 1) n − k (k − 1) / 2 edges, as any two classes induce a forest."""
    k = min(G.n, 1)
    while (k - 1) * G.n - k * (k - 1) // 2 < G.n_edges:
        k += 1
    return k


def _sentence(G: Graph, u: int, v: int, colors: np.ndarray) -> str:
    if colors[u] == colors[v]:
        return both(u, v, colors[u], G.labels)
    near = [G.indices[G.indptr[w] : G.indptr[w + 1]] for w in (u, v)]
    before = next(int(w) for w in near[0] if w != v and colors[w] == colors[v])
    after = next(int(w) for w in near[1] if w != u and colors[w] == colors[u])
    path = " - ".join(called(w, G.labels) for w in (before, u, v, after))
    return f"path {path}: only colors {colors[v]} and {colors[u]}"
