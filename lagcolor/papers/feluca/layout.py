"""The edge list with virtual edges on a GPU (section 4.3), made once and kept with the graph; see edges.cu."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ... import device as dev
from ...graph import Graph
from ...orders import Priorities
from .dag import Dag
from .launch import BLOCK, WARP_MOST, grid, kernel

FILE = "edges.cu"
CHUNK = 256  # vertices that one thread packs


class Edges(NamedTuple):
    """A DAG's edges by child, in packs of up to 32, or of all that lead to one vertex.

    Attributes
    ----------
    parents, children : arrays of int32, shape (m / 2,)
    packs : array of the offsets' type
        The first edge of each pack, and the end of the last.
    hubs : array of int32
        Packs that a block takes.
    """

    parents: Any
    children: Any
    packs: Any
    hubs: Any


def edges(G: Graph, D: Dag, p: Priorities | None) -> Edges:
    """The edge list of a DAG; kept with the graph where the order has a name (None: natural)."""
    if p is not None and p.name == "user":
        return make(D)
    name = "natural" if p is None or p.is_natural else f"{p.name} {p.seed}"
    return G._cached(f"feluca edges {name}", lambda: make(D))


def make(D: Dag) -> Edges:
    """The edge list of a DAG."""
    cp, n, offset = dev.cupy(), D.n, D.indptr.dtype
    count, write, pack = (kernel(FILE, name, offset) for name in ("count_parents", "write_edges", "pack"))
    counts = cp.empty(n, offset)
    count(grid(n), (BLOCK,), (D.indptr, D.indices, n, counts))
    begins = _ends(cp, counts)
    parents, children = cp.empty(D.m // 2, np.int32), cp.empty(D.m // 2, np.int32)
    write(grid(32 * n), (BLOCK,), (D.indptr, D.indices, begins, n, parents, children))
    chunks = -(-n // CHUNK)
    places = cp.empty(chunks, offset)
    pack((-(-chunks // BLOCK),), (BLOCK,), (begins, n, CHUNK, places, 0))
    places = _ends(cp, places)
    n_packs = int(places[-1])
    packs = cp.full(n_packs + 1, D.m // 2, offset)
    pack((-(-chunks // BLOCK),), (BLOCK,), (begins, n, CHUNK, places, packs))
    hubs = cp.flatnonzero(cp.diff(packs) > WARP_MOST).astype(np.int32)
    return Edges(parents, children, packs, hubs)


def _ends(cp: Any, sizes: Any) -> Any:
    """0, and the sums of the first 1, 2 … sizes."""
    out = cp.zeros(len(sizes) + 1, sizes.dtype)
    out[1:] = cp.cumsum(sizes, dtype=sizes.dtype)
    return out
