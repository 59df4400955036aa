"""Graph objects of other libraries: networkx and igraph. Node names become labels."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np

from .structure import Structure


def from_networkx(G: Any) -> Structure:
    """Graph, DiGraph, MultiGraph or MultiDiGraph: vertex i is the i-th of ``G.nodes``."""
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
    return Structure("csr", indptr, np.fromiter(columns, np.int32, int(indptr[-1])), n, labels)


def from_igraph(G: Any) -> Structure:
    """Directed or not; labels are the vertex attribute "name" where there is one."""
    n, m = G.vcount(), G.ecount()
    ends = np.fromiter(chain.from_iterable(G.get_edgelist()), np.int32, 2 * m)
    labels = G.vs["name"] if "name" in G.vs.attributes() else None
    if labels == list(range(n)):
        labels = None
    return Structure("coo" if G.is_directed() else "edges", ends[::2], ends[1::2], n, labels)
