"""Python libraries: igraph on any graph, NetworkX on small ones."""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import lagcolor

from . import Code, Sample

NETWORKX_UP_TO = 1_000_000  # stored entries


class _Library:
    """A library of PyPI; its colorings tell no ordering time apart."""

    name: str

    def absent(self) -> str | None:
        """Whether it is installed."""
        return None if importlib.util.find_spec(self.name) else f"not installed: pip install {self.name}"

    def version(self) -> str:
        """As installed."""
        return importlib.metadata.version(self.name)


class _Session:
    """Named functions of one converted graph, each of which returns the colors."""

    def __init__(self, runs: dict[Code, Callable[[], Any]]) -> None:
        self._runs = runs
        self._colors: Any = ()

    def codes(self) -> list[Code]:
        """What was given."""
        return list(self._runs)

    def run(self, code: Code) -> Sample:
        """One call, by the wall clock."""
        start = time.perf_counter()
        self._colors = self._runs[code]()
        ms = (time.perf_counter() - start) * 1e3
        return Sample(0.0, ms, int(self.colors().max(initial=-1)) + 1)

    def colors(self) -> np.ndarray:
        """Of the last run; a dictionary is vertex → color."""
        c = self._colors
        return np.array([c[v] for v in range(len(c))] if isinstance(c, dict) else c, np.int32)

    def close(self) -> None:
        """Let go of the graph."""
        self._runs = {}


class Igraph(_Library):
    """Both heuristics of ``Graph.vertex_coloring_greedy``."""

    name = "igraph"

    def load(self, G: lagcolor.Graph) -> _Session:
        """Convert to an igraph graph."""
        import igraph

        g = igraph.Graph(n=G.n, edges=_pairs(G))
        return _Session(
            {
                Code("igraph", "dsatur", "dsatur"): lambda: g.vertex_coloring_greedy(method="dsatur"),
                Code("igraph", "colored_neighbors", "dynamic"): g.vertex_coloring_greedy,  # its default
            }
        )


class Networkx(_Library):
    """``greedy_color`` with the strategies that lagcolor has too; Python all through, so for small graphs only."""

    name = "networkx"

    def load(self, G: lagcolor.Graph) -> _Session:
        """Convert to a NetworkX graph, or offer nothing where it is too large."""
        import networkx as nx

        if G.m > NETWORKX_UP_TO:
            return _Session({})
        g = nx.empty_graph(G.n)
        g.add_edges_from(_pairs(G).tolist())
        # Not saturation_largest_first: each step looks at all vertices, over half a minute for 5,000 of them.
        codes = (Code("networkx", "greedy", order) for order in ("largest_first", "smallest_last"))
        return _Session({code: functools.partial(nx.greedy_color, g, code.order) for code in codes})


def _pairs(G: lagcolor.Graph) -> np.ndarray:
    """Each undirected edge once, shape (m / 2, 2)."""
    rows = np.repeat(np.arange(G.n, dtype=np.int32), G.degrees)
    once = rows < G.indices
    return np.column_stack([rows[once], G.indices[once]])
