"""What the tests of the reductions share: one call for every engine, and colorings to start from."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

import lagcolor
from lagcolor.base import device as dev


def run(engine: str, hook: Any, G: lagcolor.Graph, *colors: Any, **options: Any) -> Any:
    """`hook(G, *colors, **options)` on an engine ("emulated": in tests with that mark), from and to NumPy arrays."""
    if engine == "cpu":
        return hook(G, *colors, **options)
    g = G.on("cuda")
    with dev.using(g.indices):
        out = hook(g, *(g.xp.asarray(c) for c in colors), **options)
    return dev.to_device(out, "cpu") if dev.is_cupy(out) else out


def colors_for(G: lagcolor.Graph, seed: int) -> np.ndarray:
    """First-fit in random order, then renamed at random: colors that no first-fit would give."""
    colors = lagcolor.color(G, "greedy", "random", seed=seed).colors
    names = np.random.default_rng(seed).permutation(colors.max(initial=-1) + 1)
    return names[colors].astype(np.int32) if G.n else colors


def to_networkx(G: lagcolor.Graph) -> nx.Graph:
    H = nx.Graph(zip(np.repeat(np.arange(G.n), G.degrees).tolist(), G.indices.tolist(), strict=True))
    H.add_nodes_from(range(G.n))
    return H


def two_colors(G: lagcolor.Graph) -> list[int] | None:
    """By NetworkX, component by component: 0 for the smallest vertex."""
    g = to_networkx(G)
    if not nx.is_bipartite(g):
        return None
    colors = [0] * G.n
    for component in nx.connected_components(g):
        for v, distance in nx.single_source_shortest_path_length(g, min(component)).items():
            colors[v] = distance % 2
    return colors
