"""Stand-ins for two kinds of real networks: roads (long, thin, planar) and social (skewed, clustered)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..graph.graph import Graph
from .common import arrays_on, blocks, check_seed, graph_of, pairs, real, vertices, whole
from .counter import Stream, power

UNIT = 1024  # of a weight: the lightest vertex weighs one
PARTS = 1 << 16


def road(
    width: int, height: int | None = None, *, keep: float = 0.68, curved: float = 0.8, bends: int = 4,
    local: bool = False, seed: int = 0, rng: Any = None, device: str = "cpu",
) -> Graph:  # fmt: skip
    """Road-like: a square mesh without a third of its edges; most of the others are chains of bends.

    Parameters
    ----------
    width, height : int
        Crossings per side; square by default.
    keep : float
        Share of the edges of the mesh that are roads.
    curved : float
        Share of the roads that have bends.
    bends : int
        A curved road has 1 … bends vertices of degree two, each number with equal probability.
    local : bool
        Number the bends after the crossing at which their road starts; default: after all crossings.
    seed : int
        The same seed gives the same graph on every machine.
    rng : numpy.random.Generator, or any argument of `numpy.random.default_rng`, optional
        Draws a number that replaces `seed`.
    device : str
        "cpu", "cuda", "cuda:1" ….

    Returns
    -------
    Graph
        Mean degree about 2.2, for width 3200 some 38 million vertices.

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
        # Slot 2c is the edge from crossing c to the right, slot 2c + 1 the one downwards.
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
    """Bends of the link in each slot of the mesh, int16; −1 if there is none."""
    out = xp.empty(2 * crossings, np.int16)
    kept, bent = (np.uint64(round(share * 2**32)) for share in shares)
    streams = [Stream(seed, key) for key in (0, 1)]
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)

    def fill(start: int, stop: int) -> None:
        words = streams[0].words(xp, start, stop)
        slot = xp.arange(start, stop, dtype=np.int64)
        there = xp.where(slot & 1, (slot >> 1) < crossings - width, (slot >> 1) % width != width - 1)
        there &= (words & low) < kept
        number = streams[1].below(xp, start, stop, bends) + 1
        out[start:stop] = xp.where(there, xp.where((words >> half) < bent, number, 0), -1)

    blocks(xp, 2 * crossings, fill)
    return out


def _chains(xp: Any, start: Any, end: Any, bend: Any, count: Any) -> tuple[Any, Any]:
    """Edges of chains start – bend – bend + 1 – … – end with `count` vertices between the ends."""
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
        Vertices.
    k : int
        Links drawn per vertex on average. Duplicates are removed.
    exponent : float
        The weights of vertices have a Pareto tail of this exponent (P(w > x) = x^−exponent), cut at
        0.004 n; links start in proportion to weight, and far ones end so.
    near : float
        Share of the links that end a geometric distance further on.
    reach : int
        Mean of this distance.
    seed : int
        The same seed gives the same graph on every machine.
    rng : numpy.random.Generator, or any argument of `numpy.random.default_rng`, optional
        Draws a number that replaces `seed`.
    device : str
        "cpu", "cuda", "cuda:1" ….

    Returns
    -------
    Graph
        For n = 4,000,000: 35 million edges, largest degree in the ten thousands.

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
    """Pareto weights u^(−1/exponent) from 1 to 0.004 n, in whole units of 1 / UNIT: sums of them are exact."""
    out = xp.empty(n, np.int64)

    def fill(start: int, stop: int) -> None:
        w = 1 / power(xp, 1 - stream.floats(xp, start, stop), 1 / exponent)
        out[start:stop] = xp.clip(w, 1.0, max(0.004 * n, 1.0)) * UNIT

    blocks(xp, n, fill)
    return out


def _by_weight(xp: Any, weights: Any) -> Callable[[Any], Any]:
    """A function from floats in [0, 1) to vertices, in proportion to their weights.

    A table gives the vertex at every whole UNIT of the summed weights. No weight is less than that,
    so what lies between two entries belongs to the vertex of the first or to the next one.
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
    """The geometric distribution on 0, 1 … with this mean, cut into 2¹⁶ equally likely parts: int32."""
    ratio, tail, upto = mean / (mean + 1), 1.0, []
    while (tail := tail * ratio) * PARTS >= 0.5:
        upto.append(1 - tail)
    middles = (np.arange(PARTS) + 0.5) / PARTS
    return np.searchsorted(upto, middles, side="right").astype(np.int32)
