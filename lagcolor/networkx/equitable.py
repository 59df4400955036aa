"""equitable_color: lagcolor's own, with NetworkX's bound on the number of colors."""

from __future__ import annotations

from typing import Any

import networkx as nx

from ..api.balance import equitable
from .graph import BackendGraph


def equitable_color(G: BackendGraph, num_colors: int) -> dict[Any, int]:
    """As of NetworkX: classes 0 … num_colors − 1, whose sizes differ by at most 1."""
    most = int(G.degree.max(initial=0))
    if most >= num_colors:
        raise nx.NetworkXAlgorithmError(
            f"Graph has maximum degree {most}, needs {most + 1} (> {num_colors}) colors for guaranteed coloring."
        )
    if G.has_loops:
        raise NotImplementedError("a node that is its own neighbor has no proper color")
    return G.by_node(equitable(G.graph, num_colors).colors)
