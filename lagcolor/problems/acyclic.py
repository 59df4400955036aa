"""Acyclic coloring: neighbors differ, and every cycle has three colors or more. Hessians, by substitution.

So every two color classes induce a forest, and entries are found from the leaves of its trees to their roots.

References
----------
Coleman, Cai 1986, "The cyclic coloring problem and estimation of sparse Hessian matrices"; Gebremedhin, Manne, Pothen
2005, "What color is your Jacobian?", section 4.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph.graph import Graph
from .equations import unfound
from .on_cpu import inspect
from .report import SHOWN, Report, called
from .star import lower_bound, structure

__all__ = ["lower_bound", "structure", "upper_bound", "verify"]


def verify(x: Any, colors: Any, *, allow_uncolored: bool = False, errors: str = "raise") -> Report:
    """As `lagcolor.verify`. A violation is an edge with one color, or an edge of two colors that no leaf leads to.

    The latter are the edges of two-colored cycles and of the paths between such cycles. Vertices without a color
    constrain no other.
    """
    G = Graph.of(x)
    return inspect(G, colors, G.n, None, _violations, G.labels).settled(allow_uncolored, errors)


def _violations(G: Graph, given: np.ndarray, _: np.ndarray) -> tuple[int, list[str]]:
    u, v, wrong, same = unfound(G, given, direct=False)
    names = []
    for e in wrong[:SHOWN]:
        a, b = given[u[e]], given[v[e]]
        fault = f"both have color {a}" if same[e] else f"on or between cycles of colors {a} and {b} alone"
        names.append(f"edge ({called(u[e], G.labels)}, {called(v[e], G.labels)}): {fault}")
    return len(wrong), names


def upper_bound(G: Graph) -> int:
    """Δ + Δ (Δ − 1) / 2 + 1, at most n: two neighbors that share a color forbid the colors of their common
    neighbors."""
    d = G.max_degree
    return min(G.n, d + d * (d - 1) // 2 + 1)
