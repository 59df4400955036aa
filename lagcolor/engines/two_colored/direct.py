"""Where each entry is read directly: the sums of a compressed matrix in which it is alone.

The compressed matrix of a graph's adjacency matrix A is B[v, c] = Σ A[v, u] over the neighbors u of v with color c. In
a star coloring the edge of u and v is in the star of their two colors, and alone in B at its end that is not the hub:
A[v, u] = B[v, color of u], if u is the hub. A star of one edge has its hub at either end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.errors import ColoringError
from ...core.graph import Graph
from ...device import extremes
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
    k = extremes.largest(colors) + 1
    if not G.on_gpu:
        colors, out = np.ascontiguousarray(colors, np.int32), np.zeros(G.m, np.bool_)
        _alone(*unsigned(G), colors, np.full(k, -1, np.int64), np.empty(k, np.int64), out)
        return out
    xp, color = G.xp, colors[G.indices]
    sums = G.rows_of_entries().astype(np.int64) * (k + 1) + color
    order = xp.argsort(sums)
    sums, differs = sums[order], xp.ones(G.m + 1, bool)
    differs[1:-1] = sums[1:] != sums[:-1]
    out = color >= 0
    out[order] &= differs[1:] & differs[:-1]
    return out


def mirror(G: Graph) -> Any:
    """Place of (u, v) for each entry (v, u): as the offsets, shape (m,)."""
    if G.on_gpu:
        return G.xp.argsort(G.indices, kind="stable").astype(G.indptr.dtype)
    indptr, indices = unsigned(G)
    return _mirror(indptr, indices, indptr[:-1].copy()).view(G.indptr.dtype)


def choices(G: Graph, colors: Any, needed: Any) -> Any:
    """Pairs of colors where an entry is alone in both of its sums and needs one of the two: a · k + b, a < b, rising.

    Colors that an entry needs are set in `needed` before, and pairs with such a color are left out.
    """
    own, k = alone(G, colors), len(needed)
    if not G.on_gpu:
        indptr, indices = unsigned(G)
        colors, both = np.ascontiguousarray(colors, np.int32), np.empty(G.m, np.bool_)
        _need(indptr, indices, indptr[:-1].copy(), own, colors, needed, both)
        pairs, order = np.empty(min(k * k, G.m) // 2, np.int64), np.argsort(colors, kind="stable")
        last = np.where(needed, k, -1)
        count = _choose(indptr, indices, order, both, colors, last, pairs)
        return np.sort(pairs[:count])
    other = own[mirror(G)]
    u, v = colors[G.rows_of_entries()], colors[G.indices]
    needed[v[~other]] = True
    either = own & other & ~(needed[u] | needed[v]) & (u < v)
    return G.xp.unique(u[either].astype(np.int64) * k + v[either])


@njit(cache=True, nogil=True)
def _need(indptr: Any, indices: Any, cursor: Any, own: Any, colors: Any, needed: Any, both: Any) -> None:
    """Set the color of u for each entry (v, u) whose mirror image is not alone; `both`: which are alone at both ends.

    Mirror images are found as by `_mirror`.
    """
    for v in range(indptr.size - 1):
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            other = own[cursor[u]]
            cursor[u] += 1
            both[e] = own[e] and other
            if not other:
                needed[colors[u]] = True


@njit(cache=True, nogil=True)
def _choose(indptr: Any, indices: Any, order: Any, both: Any, colors: Any, last: Any, pairs: Any) -> Any:
    """List the pairs of colors that an entry needs either of; returns how many.

    Vertices come color by color. `last` is the last color that is in a pair with each: −1 at first, or past all
    colors for those that are needed.
    """
    count = 0
    for v in order:
        a = np.int64(colors[v])
        if a < 0 or last[a] == last.size:
            continue
        for e in range(indptr[v], indptr[v + 1]):
            b = np.int64(colors[indices[e]])
            if both[e] and b > a and last[b] < a:
                last[b] = a
                pairs[count] = a * last.size + b
                count += 1
    return count


@njit(cache=True, nogil=True)
def _alone(indptr: Any, indices: Any, colors: Any, last: Any, entry: Any, out: Any) -> None:
    """Per color: the last vertex that has seen it, and the entry of that."""
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


@njit(cache=True, nogil=True)
def _mirror(indptr: Any, indices: Any, cursor: Any) -> Any:
    """Rows are passed in rising order, so that each row's entries are found in its own."""
    out = np.empty(indices.size, indptr.dtype)
    for e in range(indices.size):
        u = indices[e]
        out[e] = cursor[u]
        cursor[u] += 1
    return out
