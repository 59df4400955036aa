"""Networks with locality: near points of a square, roads (long, thin, planar), social networks (skewed, clustered)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.errors import OptionError
from ..graph.graph import Graph
from .common import Stream, arrays_on, blocks, check_seed, graph_of, pairs, power, real, vertices, whole

SORTS = ("cells", "morton", None)
UNIT = 1024  # units of a weight of 1, the weight of the lightest vertex
PARTS = 1 << 16  # equally likely parts of a distribution


def road(
    width: int, height: int | None = None, *, keep: float = 0.68, curved: float = 0.8, bends: int = 4,
    local: bool = False, seed: int = 0, rng: Any = None, device: str = "cpu",
) -> Graph:  # fmt: skip
    """Road-like: a square mesh without a third of its edges; most of the others are chains of bends.

    Parameters
    ----------
    width, height : int
        Crossings per side. The height defaults to the width.
    keep : float
        Share of the edges of the mesh that are roads.
    curved : float
        Share of the roads that have bends.
    bends : int
        A curved road has 1 … bends vertices of degree two, each number with equal probability.
    local : bool
        Number the bends after the crossing at which their road starts. Default: after all crossings.
    seed, rng, device : optional
        See `uniform`.

    Returns
    -------
    Graph
        A graph of mean degree about 2.2; for width 3200, about 38 million vertices.

    Examples
    --------
    >>> lagcolor.generate.road(20)
    <Graph: 1,470 vertices, 1,595 edges, on cpu>
    """
    width, seed = whole("width", width, 1), check_seed(seed, rng)
    height = width if height is None else whole("height", height, 1)
    bends = whole("bends", bends, 1, 255)
    crossings = vertices(width * height, f"road({width}, {height})")
    shares = real("keep", keep), real("curved", curved)
    with arrays_on(device) as xp:
        # Slot 2c is the edge from crossing c to the right, slot 2c + 1 the edge downwards.
        count = _bends(xp, crossings, width, shares, bends, seed)
        slot = xp.flatnonzero(count >= 0)
        count = count[slot].astype(np.int32)
        before = xp.zeros(len(slot) + 1, np.int64)
        before[1:] = xp.cumsum(count)
        n = vertices(crossings + int(before[-1]), "this road network")
        start = slot >> 1
        end = start + 1 + (slot & 1) * (width - 1)
        if local:
            id_of = xp.arange(crossings, dtype=np.int64) + before[xp.searchsorted(slot, 2 * xp.arange(crossings))]
            start, end, bend = id_of[start], id_of[end], before[:-1] + start + 1
        else:
            bend = before[:-1] + crossings
        return graph_of(*_chains(xp, start, end, bend, count), n)


def _bends(xp: Any, crossings: int, width: int, shares: tuple[float, float], bends: int, seed: int) -> Any:
    """Return the number of bends in each slot of the mesh, int16; −1 if the slot is no road."""
    out = xp.empty(2 * crossings, np.int16)
    roads, curved = (np.uint64(round(share * 2**32)) for share in shares)
    streams = [Stream(seed, key) for key in (0, 1)]
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)

    def fill(start: int, stop: int) -> None:
        words = streams[0].words(xp, start, stop)
        slot = xp.arange(start, stop, dtype=np.int64)
        there = xp.where(slot & 1, (slot >> 1) < crossings - width, (slot >> 1) % width != width - 1)
        there &= (words & low) < roads
        number = streams[1].below(xp, start, stop, bends) + 1
        out[start:stop] = xp.where(there, xp.where((words >> half) < curved, number, 0), -1)

    blocks(xp, 2 * crossings, fill)
    return out


def _chains(xp: Any, start: Any, end: Any, bend: Any, count: Any) -> tuple[Any, Any]:
    """Return the edges of chains start – bend – bend + 1 – … – end with `count` vertices between the ends."""
    u, v = [], []
    at = start.astype(np.int32)
    bend = bend.astype(np.int32)
    for step in range(int(count.max()) if len(count) else 0):
        on = xp.flatnonzero(count > step)
        new = bend[on] + np.int32(step)
        u.append(at[on])
        v.append(new)
        at[on] = new
    return xp.concatenate([*u, at]), xp.concatenate([*v, end.astype(np.int32)])


def social(
    n: int, k: int = 10, *, exponent: float = 1.3, near: float = 0.5, reach: int = 40,
    seed: int = 0, rng: Any = None, device: str = "cpu",
) -> Graph:  # fmt: skip
    """Social-like: power-law degrees, and half of the links to vertices with ids close by.

    Parameters
    ----------
    n : int
        Number of vertices.
    k : int
        Links drawn per vertex on average. Duplicates are removed.
    exponent : float
        The weights of vertices have a Pareto tail of this exponent (P(w > x) = x^−exponent), cut at 0.004 n. The
        starts of links are drawn in proportion to weight, as are the ends of far links.
    near : float
        Share of near links. The id of their end is the id of their start plus a random geometric distance.
    reach : int
        Mean of this distance.
    seed, rng, device : optional
        See `uniform`.

    Returns
    -------
    Graph
        For n = 4,000,000 and the other defaults, a graph with 35 million edges and a largest degree of 34,000.

    Examples
    --------
    >>> G = lagcolor.generate.social(1000)
    >>> G.n_edges, G.max_degree
    (9680, 47)
    """
    n, count, seed = whole("n", n), whole("n * k", n * whole("k", k), 0, 2**40), check_seed(seed, rng)
    exponent, near = real("exponent", exponent, 1.001, 100.0), real("near", near)
    reach = whole("reach", reach, 1, 1 << 16)
    source, target, hop = (Stream(seed, key) for key in (1, 2, 3))
    is_near = np.uint64(round(near * 2**32))
    with arrays_on(device) as xp:
        pick = _by_weight(xp, _weights(xp, n, exponent, Stream(seed, 0)))
        hops = xp.asarray(_geometric(reach))

        def draw(start: int, stop: int) -> tuple[Any, Any]:
            u = pick(source.floats(xp, start, stop))
            words = hop.words(xp, start, stop)
            v = u.astype(np.int64) + 1 + hops[(words >> np.uint64(48)).astype(np.int64)]
            v %= n
            far = xp.flatnonzero((words & np.uint64(0xFFFFFFFF)) >= is_near)
            v[far] = pick(target.floats(xp, start, stop)[far])
            return u, v

        return graph_of(*pairs(xp, count, draw), n)


def _weights(xp: Any, n: int, exponent: float, stream: Stream) -> Any:
    """Return Pareto weights u^(−1/exponent) from 1 to 0.004 n, in units of 1 / UNIT, so that sums are exact."""
    out = xp.empty(n, np.int64)

    def fill(start: int, stop: int) -> None:
        w = 1 / power(xp, 1 - stream.floats(xp, start, stop), 1 / exponent)
        out[start:stop] = xp.clip(w, 1.0, max(0.004 * n, 1.0)) * UNIT

    blocks(xp, n, fill)
    return out


def _by_weight(xp: Any, weights: Any) -> Callable[[Any], Any]:
    """Return a function from floats in [0, 1) to vertices, in proportion to their weights.

    A table has the vertex at every whole UNIT of the summed weights. No weight is less than UNIT, so that a place
    between two entries belongs to the vertex of the first, or to the next vertex.
    """
    upto = xp.cumsum(weights)
    total = int(upto[-1]) if len(upto) else 0
    guide = xp.searchsorted(upto, xp.arange(0, total, UNIT, dtype=np.int64), side="right").astype(np.int32)

    def pick(x: Any) -> Any:
        at = (x * total).astype(np.int64)
        vertex = guide[at // UNIT]
        vertex += upto[vertex] <= at
        return vertex

    return pick


def _geometric(mean: int) -> np.ndarray:
    """Return the geometric distribution on 0, 1 … with this mean, as 2¹⁶ equally likely numbers: int32."""
    ratio, tail, upto = mean / (mean + 1), 1.0, []
    while (tail := tail * ratio) * PARTS >= 0.5:
        upto.append(1 - tail)
    middles = (np.arange(PARTS) + 0.5) / PARTS
    return np.searchsorted(upto, middles, side="right").astype(np.int32)


def rgg(
    scale: int,
    radius: float | None = None,
    *,
    sort: str | None = "cells",
    seed: int = 0,
    rng: Any = None,
    device: str = "cpu",
) -> Graph:
    """Random geometric graph: 2 ** scale points, neighbors within a radius; the family of ``rgg_n_2_22``.

    Parameters
    ----------
    scale : int
        The graph has 2 ** scale vertices; 0 … 30.
    radius : float, optional
        Largest distance of neighbors. Default: 0.55 √(ln n / n), for a graph that is almost connected.
    sort : {"cells", "morton", None}
        Number the points along a coarse grid (as in the DIMACS10 files), along a Z curve, or at random.
    seed, rng, device : optional
        See `uniform`.

    References
    ----------
    Holtgrewe, Sanders, Schulz, "Engineering a scalable high quality graph partitioner", 2010.

    Examples
    --------
    >>> lagcolor.generate.rgg(10)
    <Graph: 1,024 vertices, 3,266 edges, on cpu>
    """
    n, seed = 1 << whole("scale", scale, 0, 30), check_seed(seed, rng)
    reach = 0.55 * math.sqrt(math.log(n) / n) if radius is None else real("radius", radius, 0.0, 2.0)
    with arrays_on(device) as xp:
        x, y = _points(xp, n, sort, seed)
        return graph_of(*_near(xp, x, y, reach), n)


def delaunay(scale: int, *, sort: str | None = None, seed: int = 0, rng: Any = None, device: str = "cpu") -> Graph:
    """Delaunay triangulation of 2 ** scale random points, computed on the CPU: planar, so four colors suffice.

    Parameters
    ----------
    scale : int
        The graph has 2 ** scale vertices; 2 … 26.
    sort : {"cells", "morton", None}
        See `rgg`.
    seed, rng, device : optional
        See `uniform`.

    Examples
    --------
    >>> lagcolor.generate.delaunay(8)
    <Graph: 256 vertices, 751 edges, on cpu>
    """
    from scipy.spatial import Delaunay

    n, seed = 1 << whole("scale", scale, 2, 26), check_seed(seed, rng)
    with arrays_on(device) as xp:
        x, y = _points(np, n, sort, seed)
        corners = xp.asarray(Delaunay(np.column_stack([x, y])).simplices.T.astype(np.int32))
        return graph_of(corners.ravel(), xp.roll(corners, 1, axis=0).ravel(), n)


def _points(xp: Any, n: int, sort: str | None, seed: int) -> tuple[Any, Any]:
    """Return n random points with coordinates in [0, 1), in the order that `sort` requests."""
    if sort not in SORTS:
        raise OptionError(f"sort must be 'cells', 'morton' or None, not {sort!r}")
    x, y = (Stream(seed, key).floats(xp, 0, n) for key in (0, 1))
    if sort is None:
        return x, y
    if sort == "cells":
        side = max(int(math.sqrt(n) / 8), 1)
        key = (x * side).astype(np.int64) * side + (y * side).astype(np.int64)
    else:
        key = _spread(x) | (_spread(y) << np.uint64(1))
    order = xp.argsort(key, kind="stable")
    return x[order], y[order]


def _spread(x: Any) -> Any:
    """Return 16 bits of a coordinate, each followed by a zero: half of a Morton code."""
    z = (x * 65536).astype(np.uint64)
    for shift, mask in ((8, 0x00FF00FF), (4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555)):
        z = (z | (z << np.uint64(shift))) & np.uint64(mask)
    return z


def _near(xp: Any, x: Any, y: Any, reach: float) -> tuple[Any, Any]:
    """Return the pairs of points at most `reach` apart, each once.

    Points are sorted by square cells no smaller than `reach`, row by row. The later half of a point's candidates then
    consists of two runs: the rest of its own cell with the cell to the right, and three cells of the next row.
    """
    n = len(x)
    side = max(int(min(0.999999 / reach if reach > 0 else n, math.sqrt(n) + 1)), 1)
    row, column = (y * side).astype(np.int64), (x * side).astype(np.int64)
    cell = row * side + column
    order = xp.argsort(cell, kind="stable").astype(np.int32)
    x, y, row, column = x[order], y[order], row[order], column[order]
    cells = side * (side + 1)
    first = xp.zeros(cells + 1, np.int64)
    first[1:] = xp.cumsum(xp.bincount(cell, minlength=cells))
    right = xp.minimum(column + 1, side - 1)
    # An empty row of cells is below the last row.
    below = (row + 1) * side
    runs = [
        (xp.arange(1, n + 1), first[row * side + right + 1]),
        (first[below + xp.maximum(column - 1, 0)], first[below + right + 1]),
    ]
    parts = [part for begin, end in runs for part in _closer(xp, x, y, begin, end, reach * reach)]
    u, v = (xp.concatenate([order[:0], *(order[p[i]] for p in parts)]) for i in (0, 1))
    return u, v


def _closer(xp: Any, x: Any, y: Any, begin: Any, end: Any, square: float) -> list[tuple[Any, Any]]:
    """Return pairs (i, j), begin[i] ≤ j < end[i], whose squared distance is at most `square`, in blocks."""
    upto = xp.cumsum(end - begin)
    shift = end - upto  # j less the place of the candidate (i, j)
    found = {}

    def fill(start: int, stop: int) -> None:
        place = xp.arange(start, stop)
        i = xp.searchsorted(upto, place, side="right")
        j = place + shift[i]
        dx, dy = x[i] - x[j], y[i] - y[j]
        dx *= dx
        dy *= dy
        dx += dy
        near = dx <= square
        found[start] = i[near].astype(np.int32), j[near].astype(np.int32)

    blocks(xp, int(upto[-1]), fill)
    return [found[start] for start in sorted(found)]
