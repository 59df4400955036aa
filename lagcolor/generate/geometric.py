"""Random points of the unit square, joined where they are near: strong locality, mild degrees."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..base.errors import OptionError
from ..graph.graph import Graph
from .common import arrays_on, blocks, check_seed, graph_of, real, whole
from .counter import Stream

SORTS = ("cells", "morton", None)


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
        2 ** scale vertices, 0 … 30.
    radius : float, optional
        Largest distance of neighbors; default 0.55 √(ln n / n), which keeps it all but connected.
    sort : {"cells", "morton", None}
        Number the points along a coarse grid (as the DIMACS10 files do), along a Z curve, or at random.
    seed : int
        The same seed gives the same graph on every machine.
    rng : numpy.random.Generator, or any argument of `numpy.random.default_rng`, optional
        Draws a number that replaces `seed`.
    device : str
        "cpu", "cuda", "cuda:1" ….

    Returns
    -------
    Graph
        The graph.

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
        2 ** scale vertices, 2 … 26.
    sort : {"cells", "morton", None}
        See `rgg`.
    seed : int
        The same seed gives the same graph on every machine.
    rng : numpy.random.Generator, or any argument of `numpy.random.default_rng`, optional
        Draws a number that replaces `seed`.
    device : str
        The device of the result.

    Returns
    -------
    Graph
        The graph.

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
    """Coordinates in [0, 1), numbered as asked."""
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
    """16 bits of a coordinate, each followed by a zero: half of a Morton code."""
    z = (x * 65536).astype(np.uint64)
    for shift, mask in ((8, 0x00FF00FF), (4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555)):
        z = (z | (z << np.uint64(shift))) & np.uint64(mask)
    return z


def _near(xp: Any, x: Any, y: Any, reach: float) -> tuple[Any, Any]:
    """Pairs of points at most `reach` apart, each once.

    Points are sorted by square cells no smaller than `reach`, row by row. The later half of a
    point's candidates is then two runs of that order: the rest of its own cell with the cell to the
    right, and three cells of the next row.
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
    # One row more, without points, is below the last one.
    below = (row + 1) * side
    runs = [
        (xp.arange(1, n + 1), first[row * side + right + 1]),
        (first[below + xp.maximum(column - 1, 0)], first[below + right + 1]),
    ]
    parts = [part for begin, end in runs for part in _closer(xp, x, y, begin, end, reach * reach)]
    u, v = (xp.concatenate([order[:0], *(order[p[i]] for p in parts)]) for i in (0, 1))
    return u, v


def _closer(xp: Any, x: Any, y: Any, begin: Any, end: Any, square: float) -> list[tuple[Any, Any]]:
    """Pairs (i, j), begin[i] ≤ j < end[i], whose squared distance is at most `square`, in blocks."""
    upto = xp.cumsum(end - begin)
    shift = end - upto  # from the place of a candidate to its j
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
