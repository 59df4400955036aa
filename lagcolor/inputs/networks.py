"""Graph objects of other libraries: networkx, igraph and rustworkx. Node names of networkx and igraph become labels."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from ..base.errors import GraphError
from .canonical import Structure, twice
from .ends import Ends


def from_networkx(G: Any) -> Structure:
    """Return the structure of a Graph, DiGraph, MultiGraph or MultiDiGraph: vertex i is the i-th of ``G.nodes``."""
    nodes = list(G)
    n = len(nodes)
    labels = None if nodes == list(range(n)) else nodes
    rows = [row for _, row in G.adjacency()]
    indptr = np.zeros(n + 1, np.int64)
    np.cumsum(np.fromiter(map(len, rows), np.int64, n), out=indptr[1:])
    columns: Iterable[int] = chain.from_iterable(rows)
    if labels is not None:
        number = {node: i for i, node in enumerate(nodes)}
        columns = map(number.__getitem__, columns)
    return Structure(
        "csr", indptr, np.fromiter(columns, np.int32, int(indptr[-1])), n, labels, repeats=partial(_parallel, G)
    )


def _parallel(G: Any) -> tuple[int, int] | None:
    """Return a parallel edge of a NetworkX graph, or None."""
    if not G.is_multigraph():
        return None
    number = {node: i for i, node in enumerate(G)}
    rows = ((u, v, keys) for u, row in G.adjacency() for v, keys in row.items())
    return next(((number[u], number[v]) for u, v, keys in rows if len(keys) > 1 and u != v), None)


def no_edges(x: Any) -> Structure:
    """Raise an error for NetworkX's views of nodes, node data and degrees: their pairs are no edges."""
    raise GraphError(
        f"{type(x).__module__}.{type(x).__qualname__} has nodes or their degrees, and no edges: of a NetworkX graph G "
        "pass `G` or `G.edges`"
    )


def from_edge_list(x: Any) -> Ends:
    """Return the edges of rustworkx's EdgeList, WeightedEdgeList, or EdgeIndexMap from indices to edges."""
    edges = x.values() if hasattr(x, "values") else x
    u, v = zip(*(edge[:2] for edge in edges), strict=True) if len(x) else ((), ())
    return Ends.of(list(u), list(v))


def from_igraph(G: Any) -> Structure:
    """Return the structure of an igraph graph; labels are the vertex attribute "name", if it exists."""
    n, m = G.vcount(), G.ecount()
    ends = np.fromiter(chain.from_iterable(G.get_edgelist()), np.int32, 2 * m)
    labels = G.vs["name"] if "name" in G.vs.attributes() else None
    if labels == list(range(n)):
        labels = None
    return _listed(ends[::2], ends[1::2], n, labels, G.is_directed())


def from_rustworkx(G: Any) -> Structure:
    """Return the structure of a PyGraph or PyDiGraph; labels are the node indices, if removed nodes left gaps."""
    nodes, n = np.array(G.node_indices(), np.int64), G.num_nodes()
    ends = np.array(G.edge_list(), np.int64).reshape(-1, 2)
    labels = None
    if n and int(nodes[-1]) >= n:
        ends, labels = np.searchsorted(nodes, ends), nodes.tolist()
    return _listed(ends[:, 0], ends[:, 1], n, labels, directed=hasattr(G, "successors"))


def _listed(u: np.ndarray, v: np.ndarray, n: int, labels: Any, directed: bool) -> Structure:
    """Return the structure of a graph that may have parallel edges."""
    return Structure("coo" if directed else "edges", u, v, n, labels, repeats=partial(twice, u, v, directed))


def matrix_of_networkx(G: Any) -> Structure:
    """Return the adjacency matrix, or rows × columns if all nodes have the attribute `bipartite`, 0 or 1."""
    sides = [side for _, side in G.nodes(data="bipartite")]
    if not sides or any(side not in (0, 1) for side in sides):
        return from_networkx(G)
    return _biadjacency(list(G), sides, ((u, v) for u, v in G.edges()))


def matrix_of_igraph(G: Any) -> Structure:
    """Return the adjacency matrix, or rows × columns if all vertices have the attribute `type`, False or True."""
    if "type" not in G.vs.attributes() or any(side not in (0, 1) for side in G.vs["type"]):
        return from_igraph(G)
    names = G.vs["name"] if "name" in G.vs.attributes() else range(G.vcount())
    edges = ((names[u], names[v]) for u, v in G.get_edgelist())
    return _biadjacency(list(names), list(G.vs["type"]), edges)


def _biadjacency(nodes: list[Any], sides: list[Any], edges: Iterable[tuple[Any, Any]]) -> Structure:
    """Return the matrix with the nodes of side 0 as rows and the nodes of side 1 as columns, in their order."""
    parts = [[node for node, side in zip(nodes, sides, strict=True) if side == part] for part in (0, 1)]
    row, column = ({node: i for i, node in enumerate(part)} for part in parts)
    pairs = [(u, v) if u in row else (v, u) for u, v in edges]
    for u, v in pairs:
        if u not in row or v not in column:
            raise GraphError(f"edge ({u!r}, {v!r}) joins two nodes of one side: it is in no rows × columns matrix")
    ends = np.array([(row[u], column[v]) for u, v in pairs], np.int64).reshape(-1, 2)
    return Structure("coo", ends[:, 0], ends[:, 1], len(row), parts[0], columns=len(column), column_labels=parts[1])
