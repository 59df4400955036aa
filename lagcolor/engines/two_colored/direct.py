"""Direct recovery: find the sums of a compressed matrix that have only one entry.

The compressed matrix of a graph's adjacency matrix A is B[v, c] = Σ A[v, u] over the neighbors u of v with color c. In
a star coloring the edge of u and v is in the star of their two colors. At the end v that is not the hub it is alone in
its sum: A[v, u] = B[v, color of u], if u is the hub. A star of one edge has its hub at either end.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...base import device as dev
from ...base.device import extremes
from ...base.device.compiled import njit
from ...base.errors import ColoringError
from ...graph.graph import Graph
from ...graph.pattern import Pattern, unsigned

SOURCE = dev.Source(__file__)
EACH = 4  # entries per thread in direct.cu
TEAMS, LONG = (32, 256), 1024  # threads of a row; entries of the longest row from which they are a block
MOST_BLOCKS = 1 << 16
FEW_PAIRS = 1 << 20  # most pairs of colors in a table on a GPU, if there are fewer entries


class Strides(NamedTuple):
    """Sums of an entry (v, u) of colors a, b: at v · by_v + b − shift, and at other + u · by_u + a · by_a."""

    by_v: int = 0
    shift: int = 0
    other: int = 0
    by_u: int = 0
    by_a: int = 0


def recover(G: Pattern, colors: Any) -> tuple[Any, Any]:
    """Return where each entry is read, on a CPU: A[v, u] = B[vertex[e], color[e]] for the stored entry e = (v, u).

    If an edge is alone at one end only, both of its entries are read there; else each in its own row. For the
    graph of a pattern (`Augmented`), a vertex v under `rows` is row v of the product of A with the columns of a color;
    any other is column v − rows of the product of A's transpose with the rows of a color. A diagonal entry is
    B[v, color of v], because no neighbor has that color.
    """
    own = alone(G, colors)
    found = own | opposite(G, own)
    v, u = G.rows_of_entries(), G.indices
    if not found.all():
        e = int(found.argmin())
        a, b = int(v[e]), int(u[e])
        raise ColoringError(
            f"edge ({a}, {b}) of colors {int(colors[a])} and {int(colors[b])} is alone at neither end: this is not a "
            "star coloring"
        )
    return np.where(own, v, u), np.where(own, colors[u], colors[v])


def places(P: Pattern, colors: Any, strides: Strides, m: int, direct: bool, dtype: Any) -> Any:
    """Return where the first m entries are read, as array positions on a GPU; not `direct`: all in one kind of sums."""
    xp = P.xp
    source, fault = xp.empty(m, dtype), xp.zeros(1, np.int32)
    if m:
        own = alone(P, colors) if direct else 0
        where = (*map(np.int64, strides), np.int32(np.dtype(dtype).itemsize == 8), source, fault)
        _each_tile("places", P, colors, m, own, *where)
        if direct and int(fault[0]):
            recover(P.on("cpu"), dev.to_device(colors, "cpu"))  # an error that names an entry
    return source


def _each_tile(name: str, P: Pattern, colors: Any, m: int, *more: Any) -> None:
    """Launch a kernel that processes m entries in tiles."""
    args = (P.indptr, P.indices, colors, np.int32(P.rows), np.int64(m), *more)
    SOURCE.of(P.indptr, TEAM=_team(P)).launch(name, -(-m // EACH), *args)


def _team(P: Pattern) -> int:
    """Return the number of threads that process a row together."""
    return TEAMS[P.max_degree >= LONG]


def alone(G: Pattern, colors: Any) -> Any:
    """Return whether u is the only neighbor of v with its color, for each entry (v, u); False for color −1."""
    k = extremes.largest(colors) + 1
    if not G.on_gpu:
        colors, out = np.ascontiguousarray(colors, np.int32), np.zeros(G.m, np.bool_)
        _alone(*unsigned(G), colors, np.full(k, -1, np.int64), np.empty(k, np.int64), out)
        return out
    out = G.xp.zeros(G.m, bool)
    if G.m:
        args, team = (G.indptr, G.indices, colors, np.int32(G.rows), np.int32(k), out.view(np.uint8)), _team(G)
        SOURCE.of(G.indptr, TEAM=team).launch("alone", G.rows * team, *args, most=MOST_BLOCKS)
    return out


def mirror(G: Pattern) -> Any:
    """Return the position of (u, v) for each entry (v, u), on a CPU: shape (m,), dtype of the offsets."""
    indptr, indices = unsigned(G)
    return _mirror(indptr, indices, indptr[:-1].copy()).view(G.indptr.dtype)


def opposite(G: Pattern, flags: np.ndarray) -> np.ndarray:
    """Return the flag of (u, v) for each entry (v, u), on a CPU."""
    indptr, indices = unsigned(G)
    return _opposite(indices, indptr[:-1].copy(), flags)


def choices(G: Graph, colors: Any, needed: np.ndarray) -> np.ndarray:
    """Return pairs of colors of entries that are alone in both of their sums: a · k + b, a < b, ascending.

    Such an entry needs one of its two colors. Colors that another entry needs are set in `needed`, and pairs with such
    a color are left out.
    """
    k = len(needed)
    if G.on_gpu and k * k <= max(G.m, FEW_PAIRS):
        return _choices_on_gpu(G, colors, needed)
    G, colors = G.on("cpu"), np.ascontiguousarray(dev.to_device(colors, "cpu"), np.int32)
    own = alone(G, colors)
    _need(G.indptr, own, colors, needed)
    pairs, order = np.empty(min(k * k, G.m) // 2, np.int64), np.argsort(colors, kind="stable")
    count = _choose(*unsigned(G), order, colors, np.where(needed, k, -1), pairs)
    return np.sort(pairs[:count])


def _choices_on_gpu(G: Graph, colors: Any, needed: np.ndarray) -> np.ndarray:
    """Return the result of `choices` on a GPU, by a table of all pairs."""
    own, k = alone(G, colors), len(needed)
    there, pairs = G.xp.asarray(needed), G.xp.zeros(k * k, bool)
    if G.m:
        _each_tile("need", G, colors, G.m, own, there)
        _each_tile("choose", G, colors, G.m, own, there, np.int32(k), pairs)
    needed |= dev.to_device(there, "cpu")
    return np.flatnonzero(dev.to_device(pairs, "cpu"))


@njit(cache=True, nogil=True)
def _need(indptr: Any, own: Any, colors: Any, needed: Any) -> None:
    """Set the color of each vertex with an entry that is not alone: its mirror image is read in a sum of this color."""
    for v in range(indptr.size - 1):
        for e in range(indptr[v], indptr[v + 1]):
            if not own[e]:
                needed[colors[v]] = True


@njit(cache=True, nogil=True)
def _choose(indptr: Any, indices: Any, order: Any, colors: Any, last: Any, pairs: Any) -> Any:
    """List the pairs of colors with an entry that needs either color; return their number.

    If neither color is needed, all entries of their vertices are alone. Vertices come color by color. `last` is the
    last color in a pair with each color: initially −1, or k for needed colors.
    """
    count = 0
    for v in order:
        a = np.int64(colors[v])
        if a < 0 or last[a] == last.size:
            continue
        for e in range(indptr[v], indptr[v + 1]):
            b = np.int64(colors[indices[e]])
            if b > a and last[b] < a:
                last[b] = a
                pairs[count] = a * last.size + b
                count += 1
    return count


@njit(cache=True, nogil=True)
def _alone(indptr: Any, indices: Any, colors: Any, last: Any, entry: Any, out: Any) -> None:
    """Set `out`; `last` and `entry` are the last vertex that has seen a color, and its entry."""
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
    """Return positions of mirror images; rows are read in order, so `cursor` moves through each row in order."""
    out = np.empty(indices.size, indptr.dtype)
    for e in range(indices.size):
        u = indices[e]
        out[e] = cursor[u]
        cursor[u] += 1
    return out


@njit(cache=True, nogil=True)
def _opposite(indices: Any, cursor: Any, flags: Any) -> Any:
    """Return the flags of mirror images, with rows read as by `_mirror`."""
    out = np.empty_like(flags)
    for e in range(indices.size):
        u = indices[e]
        out[e] = flags[cursor[u]]
        cursor[u] += 1
    return out
