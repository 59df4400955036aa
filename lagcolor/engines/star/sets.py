"""Where each entry is read directly: the sums of a compressed matrix in which it is alone.

The compressed matrix of a graph's adjacency matrix A is B[v, c] = Σ A[v, u] over the neighbors u of v with color c. In
a star coloring the edge of u and v is in the star of their two colors, and alone in B at its end that is not the hub:
A[v, u] = B[v, color of u], if u is the hub. A star of one edge has its hub at either end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semirings.runtime.compile_clock import importing

from ... import device as dev
from ...core.errors import ColoringError
from ...core.graph import Graph
from ...device.compiled import njit
from ..greedy.sequential import unsigned


def recover(G: Graph, colors: Any) -> tuple[Any, Any]:
    """Where every entry is read: A[v, u] = B[vertex[e], color[e]] for the stored entry e = (v, u).

    Both entries of an edge are read in one place where it is alone at one end only, else each at its own row. For the
    graph of a pattern (`Augmented`), a vertex under `rows` is row v of the product of A with the columns of a color,
    and any other is column v − rows of the product of A's transpose with the rows of a color. A diagonal entry is
    B[v, color of v], as no neighbor has that color.
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
    """Whether u is the only neighbor of v with its color, for each entry (v, u); not where that is −1."""
    if G.on_gpu:
        with importing():
            from .sets_cuda import alone

        return alone(G, colors)
    colors = np.ascontiguousarray(colors, np.int32)
    k = dev.largest(colors) + 1
    return _alone(*unsigned(G), colors, np.full(k, -1, np.int64), np.empty(k, np.int64))


def mirror(G: Graph) -> Any:
    """Place of (u, v) for each entry (v, u): as the offsets, shape (m,)."""
    if G.on_gpu:
        with importing():
            from .sets_cuda import mirror

        return mirror(G)
    indptr, indices = unsigned(G)
    return _mirror(indptr, indices, indptr[:-1].copy()).view(G.indptr.dtype)


def choices(G: Graph, colors: Any, needed: Any) -> Any:
    """Pairs of colors of which an entry needs either, for it is alone in both of its sums."""
    if not G.on_gpu:
        return _choices_here(G, np.ascontiguousarray(colors, np.int32), needed)
    own, k = alone(G, colors), len(needed)
    other = own[mirror(G)]
    u, v = colors[G.rows_of_entries()], colors[G.indices]
    needed[v[~other]] = True
    either = own & other & ~(needed[u] | needed[v]) & (u < v)
    return G.xp.unique(u[either].astype(np.int64) * k + v[either])


def _choices_here(G: Graph, colors: Any, needed: Any) -> Any:
    """On the CPU: a byte per entry, and no other array of that size."""
    indptr, indices = unsigned(G)
    own, k = alone(G, colors), len(needed)
    _need(indptr, indices, indptr[:-1].copy(), own, colors, needed)
    if k * k <= 8 * G.n:
        seen = np.zeros(k * k, np.bool_)
        _choose(indptr, indices, indptr[:-1].copy(), own, colors, needed, seen, np.empty(0, np.int64))
        return np.flatnonzero(seen)
    count = _choose(
        indptr, indices, indptr[:-1].copy(), own, colors, needed, np.empty(0, np.bool_), np.empty(0, np.int64)
    )
    pairs = np.empty(count, np.int64)
    _choose(indptr, indices, indptr[:-1].copy(), own, colors, needed, np.empty(0, np.bool_), pairs)
    return np.unique(pairs)


@njit(cache=True, nogil=True)
def _need(indptr: Any, indices: Any, cursor: Any, own: Any, colors: Any, needed: Any) -> None:
    """Set the color of u for each entry (v, u) whose mirror image is not alone, as `_mirror` finds that."""
    for e in range(indices.size):
        u = indices[e]
        if not own[cursor[u]]:
            needed[colors[u]] = True
        cursor[u] += 1


@njit(cache=True, nogil=True)
def _choose(
    indptr: Any, indices: Any, cursor: Any, own: Any, colors: Any, needed: Any, seen: Any, pairs: Any
) -> Any:  # fmt: skip
    """How many entries (v, u), colors a < b, need either; all are set in `seen` or listed in `pairs`, if not empty."""
    k = np.int64(needed.size)
    count = 0
    for v in range(indptr.size - 1):
        a = np.int64(colors[v])
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            f = cursor[u]
            cursor[u] += 1
            b = np.int64(colors[u])
            if a < 0 or b <= a or needed[a] or needed[b] or not own[e] or not own[f]:
                continue
            if seen.size:
                seen[a * k + b] = True
            if pairs.size:
                pairs[count] = a * k + b
            count += 1
    return count


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
