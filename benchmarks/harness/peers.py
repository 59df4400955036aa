"""Other libraries that color a graph, each in a process of its own.

A module that --import of `benchmarks.compare` names may add peers to `PEERS`. benchmarks/peers has C++ libraries and
cuSPARSE.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lagcolor.base.errors import OptionError
from lagcolor.graph.graph import Graph

from .codes import Code, chosen
from .memory import Memory

if TYPE_CHECKING:
    from .worker import Worker, Workers

IN_PYTHON_UP_TO = 1_000_000  # most stored entries for libraries with an object per vertex or edge
Runs = Mapping[Code, Callable[[], Any]]


class LibrarySession:
    """Functions of one converted graph. Each returns the colors: an array, or a dict by vertex."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self._memory = Memory()
        self._colors: Any = ()

    @property
    def colors(self) -> Any:
        """Of the last run, int32."""
        c = self._colors
        return np.array([c[v] for v in range(len(c))] if isinstance(c, dict) else c, np.int32)

    def run(self, code: Code) -> dict[str, Any]:
        """One call, by the wall clock; these libraries report no ordering time."""
        self._colors = ()
        ms, self._colors = self._memory.of(code, lambda: _timed(self._runs[code]))
        return {
            "order_ms": 0.0,
            "color_ms": ms,
            "colors": int(self.colors.max(initial=-1)) + 1,
            "memory_bytes": self._memory[code],
        }

    def warm(self, code: Code) -> None:
        """Do nothing: these libraries are compiled."""

    def trace(self, code: Code) -> list[dict[str, Any]]:
        """Return no rounds: these libraries report none."""
        return []


def _timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Milliseconds, and what the call returns."""
    start = time.perf_counter()
    result = call()
    return (time.perf_counter() - start) * 1e3, result


class Library:
    """What is known of a library without importing it."""

    name: str
    module: str  # to import
    package: str  # to install
    device = "cpu"
    methods: tuple[tuple[str, str], ...]  # with the order of each
    up_to = 2**31 - 1  # stored entries of the largest graph that it gets, here of the file that it reads

    def codes(self) -> list[Code]:
        """Return a code per method."""
        return [Code(self.name, *method) for method in self.methods]

    def absent(self) -> str | None:
        """Return the reason that the library is absent, or None."""
        return None if importlib.util.find_spec(self.module) else f"not installed: pip install {self.package}"

    def version(self) -> str:
        """As installed."""
        return importlib.metadata.version(self.package)

    def unfit(self, n: int, m: int) -> str | None:
        """Return the reason that a graph is too large, or None."""
        if m > self.up_to:
            return f"{self.name} is measured on graphs of up to {self.up_to:,} stored entries"
        return None

    def open(self, workers: Workers) -> Worker:
        """Start `host` with the library."""
        return workers.host(self.name, self.device)

    def load(self, G: Graph) -> LibrarySession:
        """Convert a graph."""
        return LibrarySession(self._runs(G))

    def _runs(self, G: Graph) -> Runs:
        raise NotImplementedError


class Igraph(Library):
    """Both heuristics of ``Graph.vertex_coloring_greedy``."""

    name = module = package = "igraph"
    methods: tuple[tuple[str, str], ...] = (("dsatur", "dsatur"), ("colored_neighbors", "dynamic"))

    def _runs(self, G: Graph) -> Runs:
        import igraph

        g = igraph.Graph(n=G.n, edges=pairs(G))
        return {code: partial(g.vertex_coloring_greedy, method=code.method) for code in self.codes()}


class Networkx(Library):
    """``greedy_color`` with the strategies that lagcolor has too."""

    name = module = package = "networkx"
    # Not saturation_largest_first: each step looks at all vertices, over half a minute for 5,000 of them.
    methods: tuple[tuple[str, str], ...] = (("greedy", "largest_first"), ("greedy", "smallest_last"))
    up_to = IN_PYTHON_UP_TO

    def _runs(self, G: Graph) -> Runs:
        import networkx as nx

        g = networkx_graph(G)
        return {code: partial(nx.greedy_color, g, code.order) for code in self.codes()}


class Rustworkx(Library):
    """``graph_greedy_color``."""

    name = module = package = "rustworkx"
    methods: tuple[tuple[str, str], ...] = (
        ("greedy", "largest_first"),
        ("dsatur", "dsatur"),
        ("independent_set", "dynamic"),
    )
    up_to = 20 * IN_PYTHON_UP_TO

    def _runs(self, G: Graph) -> Runs:
        import rustworkx as rx

        g = rx.PyGraph(multigraph=False)
        g.add_nodes_from(range(G.n))
        g.add_edges_from_no_data(list(map(tuple, pairs(G).tolist())))
        kind = rx.ColoringStrategy
        kinds = {"greedy": kind.Degree, "dsatur": kind.Saturation, "independent_set": kind.IndependentSet}
        return {code: partial(_as_dict, rx.graph_greedy_color, g, kinds[code.method]) for code in self.codes()}


def _as_dict(color: Callable[..., Any], g: Any, strategy: Any) -> dict[int, int]:
    return dict(color(g, strategy=strategy))


class Gcol(Library):
    """``node_coloring`` of a NetworkX graph, its constructive strategies."""

    name = module = package = "gcol"
    methods: tuple[tuple[str, str], ...] = (("dsatur", "dsatur"), ("greedy", "largest_first"))
    up_to = IN_PYTHON_UP_TO

    def absent(self) -> str | None:
        """Return the reason that gcol is absent; it needs NetworkX and heapdict."""
        missing = [name for name in ("gcol", "networkx", "heapdict") if importlib.util.find_spec(name) is None]
        return f"not installed: pip install {' '.join(missing)}" if missing else None

    def _runs(self, G: Graph) -> Runs:
        import gcol

        g = networkx_graph(G)
        names = {"dsatur": "dsatur", "greedy": "welsh_powell"}
        return {code: partial(gcol.node_coloring, g, names[code.method]) for code in self.codes()}


class Scipy(Library):
    """``scipy.optimize``'s grouping of Jacobian columns, given a graph's edge-by-vertex incidence matrix.

    Columns of one group share no row: in the incidence matrix, vertices of one color share no edge.
    """

    name = "scipy"
    module: str = "scipy.optimize._numdiff"
    package: str = "scipy"
    methods: tuple[tuple[str, str], ...] = (("group_columns", "natural"),)
    up_to = 20 * IN_PYTHON_UP_TO

    def _runs(self, G: Graph) -> Runs:
        import scipy.sparse as sp
        from scipy.optimize._numdiff import group_columns

        ends = pairs(G)
        rows = np.repeat(np.arange(len(ends), dtype=np.int32), 2)
        incidence = sp.csc_array((np.ones(ends.size, np.int8), (rows, ends.ravel())), shape=(len(ends), G.n))
        order = np.arange(G.n)
        return {code: partial(group_columns, incidence, order) for code in self.codes()}


def networkx_graph(G: Graph) -> Any:
    """Vertices 0 … n−1, and the edges."""
    import networkx as nx

    g = nx.empty_graph(G.n)
    g.add_edges_from(pairs(G).tolist())
    return g


def pairs(G: Graph) -> np.ndarray:
    """Each undirected edge once, shape (m / 2, 2)."""
    rows = np.repeat(np.arange(G.n, dtype=np.int32), G.degrees)
    once = rows < G.indices
    return np.column_stack([rows[once], G.indices[once]])


PEERS: dict[str, Library] = {peer.name: peer for peer in (Networkx(), Igraph(), Rustworkx(), Gcol(), Scipy())}


def wanted(patterns: Sequence[str] | None, device: str) -> list[Library]:
    """Peers by name or pattern, by default all that run on the device; also "all" and "none"."""
    if patterns is None:
        kind = "cpu" if device == "cpu" else "cuda"
        return [peer for peer in PEERS.values() if peer.device == kind]
    if "none" in patterns:
        if len(patterns) > 1:
            raise OptionError("--peers none cannot be combined with other names")
        return []
    names = chosen(["*" if pattern == "all" else pattern for pattern in patterns], PEERS, "peer")
    return [PEERS[name] for name in names]
