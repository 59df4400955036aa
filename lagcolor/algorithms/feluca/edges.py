"""The edge list of a DAG (section 4.3): (parent, child) by child, in packs that virtual edges fill up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...base import device as dev
from ...graph.graph import Graph
from ...orders import Priorities

Pack = Callable[[Any], tuple[Any, Any]]


class Edges(NamedTuple):
    """Edges from the vertex that comes first to the one that comes later.

    The paper turns an edge ⟨i, j⟩ with i > j around. An undirected graph stores both directions, so one is dropped.
    """

    # `parents` and `children`: arrays of int32, shape (m / 2,): by rising child
    parents: Any
    children: Any
    begins: Any  # array, shape (n + 1,): the first edge of each child
    packs: Any = None  # array, or None on a CPU: the first edge of each pack, and the end of the last
    hubs: Any = None  # array of int32, or None on a CPU: packs that a block takes


def edges(G: Graph, p: Priorities, pack: Pack | None = None) -> Edges:
    """The edge list of a graph in an order; it is kept with the graph if the order has a name.

    `pack` makes packs and hubs of the beginnings.
    """
    if p.name == "user":
        return make(G, p, pack)
    return G._cached(f"feluca edges {p.name} {p.seed}", lambda: make(G, p, pack))


def make(G: Graph, p: Priorities, pack: Pack | None) -> Edges:
    """The edge list, made anew."""
    rows = G.rows_of_entries()
    up = G.indices < rows if p.is_natural else p.p[G.indices] > p.p[rows]
    parents, children = G.indices[up], rows[up]
    begins = ends_of(dev.counts(children, G.n), G.indptr.dtype)
    return Edges(parents, children, begins, *(() if pack is None else pack(begins)))


def ends_of(sizes: Any, dtype: np.dtype) -> Any:
    """0, and the sums of the first 1, 2 … sizes."""
    out = dev.module_of(sizes).zeros(len(sizes) + 1, dtype)
    out[1:] = sizes.cumsum()
    return out
