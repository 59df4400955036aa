"""A converted NetworkX graph: the canonical graph, and the facts that it lacks and NetworkX's results depend on.

graph            symmetric, rows sorted, no self-loops
nodes            the names, in NetworkX's order
indptr, indices  neighbors, including self-loops, in NetworkX's order, which traversals follow
degree           NetworkX's degree: each parallel edge counts, and self-loops count twice
copies           number of parallel edges per entry of `indices`; None without parallel edges
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..base.messages import counted
from ..graph.graph import Graph
from ..inputs import arrays_of
from ..inputs.networks import from_networkx


class BackendGraph:
    """An undirected graph that NetworkX dispatches to this backend; immutable, without attributes of nodes and edges.

    Use `BackendGraph.of`.
    """

    __networkx_backend__ = "lagcolor"
    graph: Graph
    indptr: np.ndarray
    indices: np.ndarray
    degree: np.ndarray
    copies: np.ndarray | None

    def __init__(
        self, graph: Graph, indptr: np.ndarray, indices: np.ndarray, degree: np.ndarray, copies: np.ndarray | None,
        multigraph: bool,
    ) -> None:  # fmt: skip
        self.graph, self.indptr, self.indices = graph, indptr, indices
        self.degree, self.copies, self._multigraph = degree, copies, multigraph

    @classmethod
    def of(cls, G: Any) -> BackendGraph:
        """Convert a NetworkX Graph or MultiGraph, or a view of one."""
        if G.is_directed():
            raise NotImplementedError("lagcolor colors undirected graphs: pass G.to_undirected()")
        raw = from_networkx(G)
        indptr, indices, multigraph = raw.first, raw.second, G.is_multigraph()
        graph = Graph(*arrays_of(raw))
        degree, copies = np.diff(indptr), None
        if multigraph:
            copies = np.fromiter((len(edges) for _, row in G.adjacency() for edges in row.values()), np.int64)
            degree = np.fromiter((d for _, d in G.degree), np.int64, len(indptr) - 1)
            copies = copies if (copies > 1).any() else None
        elif graph.m < len(indices):
            rows = np.repeat(np.arange(graph.n), degree)
            degree = degree + np.bincount(rows[rows == indices], minlength=graph.n)
        return cls(graph, indptr, indices, degree, copies, multigraph)

    @property
    def has_loops(self) -> bool:
        """Whether some node is its own neighbor."""
        return self.graph.m < len(self.indices)

    @functools.cached_property
    def nodes(self) -> list[Any]:
        """Names of the nodes."""
        return list(range(len(self)) if self.graph.labels is None else self.graph.labels)

    @functools.cached_property
    def number(self) -> dict[Any, int]:
        """Name → number of the node."""
        return {node: i for i, node in enumerate(self.nodes)}

    def by_node(self, values: Any, sequence: Any = None) -> dict[Any, Any]:
        """Node → entry of an array, as a Python number, in the order of `sequence` or of the graph."""
        if sequence is None:
            return dict(zip(self.nodes, values.tolist(), strict=True))
        nodes, numbers = self.nodes, sequence.tolist()
        return dict(zip([nodes[v] for v in numbers], values[sequence].tolist(), strict=True))

    def row(self, v: int) -> list[Any]:
        """Names of the neighbors of node number v, in NetworkX's order."""
        near = self.indices[self.indptr[v] : self.indptr[v + 1]].tolist()
        return near if self.graph.labels is None else [self.nodes[u] for u in near]

    def __len__(self) -> int:
        return self.graph.n

    def __iter__(self) -> Iterator[Any]:
        return iter(self.nodes)

    def __contains__(self, node: Any) -> bool:
        try:
            return node in self.number
        except TypeError:
            return False

    def is_directed(self) -> bool:
        """False: directed graphs are not converted."""
        return False

    def is_multigraph(self) -> bool:
        """Whether it was converted from a MultiGraph."""
        return self._multigraph

    def number_of_nodes(self) -> int:
        """Number of nodes."""
        return len(self)

    def number_of_edges(self) -> int:
        """Number of edges; each parallel edge counts."""
        return int(self.degree.sum()) // 2

    def to_networkx(self) -> Any:
        """Return a NetworkX graph with the same nodes, edges and orders of neighbors, without attributes."""
        import networkx as nx

        G = nx.MultiGraph() if self._multigraph else nx.Graph()
        G.add_nodes_from(self.nodes)
        adjacency, names = dict(G.adjacency()), self.nodes
        bounds, columns = self.indptr.tolist(), self.indices.tolist()
        copies = itertools.repeat(1) if self.copies is None else iter(self.copies.tolist())
        for v, node in enumerate(names):
            row = adjacency[node]
            for u, count in zip(columns[bounds[v] : bounds[v + 1]], copies, strict=False):
                if u < v:  # both ends share the dict of an edge
                    row[names[u]] = adjacency[names[u]][node]
                else:
                    row[names[u]] = {key: {} for key in range(count)} if self._multigraph else {}
        return G

    def __repr__(self) -> str:
        nodes, edges = counted(len(self), "nodes"), counted(self.number_of_edges(), "edges")
        return f"<BackendGraph: {nodes}, {edges}, for networkx>"
