"""Where each entry is read directly: the sums of a compressed matrix in which it is alone.

The compressed matrix of a graph's adjacency matrix A is B[v, c] = Σ A[v, u] over the neighbors u of v with color c. In
a star coloring the edge of u and v is in the star of their two colors, and alone in B at its end that is not the hub:
A[v, u] = B[v, color of u], if u is the hub. A star of one edge has its hub at either end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import device as dev
from ...device.compiled import njit
from ...errors import ColoringError
from ...graph import Graph
from ..greedy.sequential import unsigned


def recover(G: Graph, colors: Any) -> tuple[Any, Any]:
    """Where every entry is read: A[v, u] = B[vertex[e], color[e]] for the stored entry e = (v, u).

    Both entries of an edge are read in one place where it is alone at one end only, else each at its own row. For the
    graph of a pattern (`Augmented`), a vertex under `rows` is row v of the product of A with the columns of a color,
    and any other is column v − rows of the product of A's transpose with the rows of a color. A diagonal entry is
    B[v, color of v], as no neighbor has that color.

    Parameters
    ----------
    G : Graph
    colors : array of int32, shape (n,)
        A star coloring, where −1 is neutral: in no sum; on the device of G, which is the current one.

    Returns
    -------
    vertex, color : array of int32, shape (m,)

    Raises
    ------
    ColoringError
        An edge is alone at neither end.
    """
    xp = G.xp
    own = alone(G, colors)
    found = own | own[mirror(G)]
    v, u = G.rows_of_entries(), G.indices
    if not found.all():
        e = int(found.argmin())
        a, b = int(v[e]), int(u[e])
        raise ColoringError(
            f"edge ({a}, {b}) of colors {int(colors[a])} and {int(colors[b])} is alone at neither end: this is no "
            "star coloring"
        )
    return xp.where(own, v, u), xp.where(own, colors[u], colors[v])


def alone(G: Graph, colors: Any) -> Any:
    """Whether u is the only neighbor of v with its color, for each entry (v, u); not where that is −1.

    Returns
    -------
    array of bool, shape (m,)
    """
    if G.on_gpu:
        from .sets_cuda import alone

        return alone(G, colors)
    colors = np.ascontiguousarray(colors, np.int32)
    k = dev.largest(colors) + 1
    return _alone(*unsigned(G), colors, np.full(k, -1, np.int64), np.empty(k, np.int64))


def mirror(G: Graph) -> Any:
    """Place of (u, v) for each entry (v, u): as the offsets, shape (m,)."""
    if G.on_gpu:
        from .sets_cuda import mirror

        return mirror(G)
    indptr, indices = unsigned(G)
    return _mirror(indptr, indices, indptr[:-1].copy()).view(G.indptr.dtype)


@njit(cache=True, nogil=True)
def _alone(indptr: Any, indices: Any, colors: Any, last: Any, entry: Any) -> Any:
    """Per color: the last vertex that has seen it, and the entry of that."""
    out = np.zeros(indices.size, np.bool_)
    for v in range(indptr.size - 1):
        for e in range(indptr[v], indptr[v + 1]):
            c = colors[indices[e]]
            if c < 0:
                continue
            out[e] = last[c] != v
            if last[c] == v:
                out[entry[c]] = False
            last[c] = v
            entry[c] = e
    return out


@njit(cache=True, nogil=True)
def _mirror(indptr: Any, indices: Any, cursor: Any) -> Any:
    """Rows are passed in rising order, so that each row's entries are found in its own."""
    out = np.empty(indices.size, indptr.dtype)
    for e in range(indices.size):
        u = indices[e]
        out[e] = cursor[u]
        cursor[u] += 1
    return out
