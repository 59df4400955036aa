"""Meshes and bands: canonical rows written down directly, nothing to sort."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from semirings.sparse import offset_type

from ..graph.graph import Graph
from .common import arrays_on, check_seed, graph_of, pairs, vertices, whole
from .counter import Stream

CPU_ENTRIES, GPU_ENTRIES = 1 << 18, 1 << 26  # of a block of rows


def grid2d(width: int, height: int | None = None, *, device: str = "cpu") -> Graph:
    """Square mesh, 4 neighbors: vertex y · width + x; two colors.

    Parameters
    ----------
    width, height : int
        Vertices per side, at least 1. The height defaults to the width.
    device : str
        "cpu", "cuda", "cuda:1".

    Returns
    -------
    Graph
        A graph with width · height vertices; the family of ``2d-2e20`` for width 1024.

    Examples
    --------
    >>> G = lagcolor.generate.grid2d(3, 2)
    >>> G
    <Graph: 6 vertices, 7 edges, on cpu>
    >>> lagcolor.color(G).colors.reshape(2, 3)
    array([[0, 1, 0],
           [1, 0, 1]], dtype=int32)
    """
    sides = _sides(width=width, height=width if height is None else height)
    return _stencil("grid2d", (1, sides[1], sides[0]), _cross(), device)


def grid3d(width: int, height: int | None = None, depth: int | None = None, *, device: str = "cpu") -> Graph:
    """Cubic mesh, 6 neighbors (the 7-point stencil): vertex (z · height + y) · width + x; two colors.

    Parameters
    ----------
    width, height, depth : int
        Vertices per side, at least 1. Height and depth default to the width.
    device : str
        "cpu", "cuda", "cuda:1" ….

    Returns
    -------
    Graph
        The graph.

    Examples
    --------
    >>> lagcolor.generate.grid3d(2)
    <Graph: 8 vertices, 12 edges, on cpu>
    """
    return _stencil("grid3d", _box(width, height, depth), _cross(), device)


def stencil27(
    width: int, height: int | None = None, depth: int | None = None, *, unknowns: int = 1, device: str = "cpu"
) -> Graph:
    """Cubic mesh, 26 neighbors (the 27-point stencil of trilinear finite elements); eight colors per unknown.

    Parameters
    ----------
    width, height, depth : int
        Nodes per side, at least 1. Height and depth default to the width.
    unknowns : int
        Vertices per node, with consecutive numbers. All vertices of one node, and of two adjacent nodes, are neighbors.
    device : str
        "cpu", "cuda", "cuda:1" ….

    Returns
    -------
    Graph
        The graph.

    Examples
    --------
    >>> G = lagcolor.generate.stencil27(3, unknowns=2)
    >>> G
    <Graph: 54 vertices, 659 edges, on cpu>
    >>> lagcolor.color(G).n_colors
    16
    """
    unknowns = whole("unknowns", unknowns, 1)
    steps = list(itertools.product((-1, 0, 1), repeat=3))
    return _stencil("stencil27", _box(width, height, depth), steps, device, unknowns)


def banded(
    n: int, bandwidth: int, *, k: int | None = None, seed: int = 0, rng: Any = None, device: str = "cpu"
) -> Graph:
    """Band matrix: ``|i − j|`` ≤ bandwidth; the full band takes bandwidth + 1 colors.

    Parameters
    ----------
    n : int
        Vertices.
    bandwidth : int
        Half bandwidth: largest distance of two neighbors.
    k : int, optional
        Every vertex draws k neighbors in the band. Draws beyond either end are dropped. Default: the full band.
    seed, rng, device : optional
        See `uniform`. The seed is used only with `k`.

    Returns
    -------
    Graph
        The graph.

    Examples
    --------
    >>> G = lagcolor.generate.banded(6, 2)
    >>> lagcolor.color(G).colors
    array([0, 1, 2, 0, 1, 2], dtype=int32)
    """
    n, bandwidth, seed = whole("n", n), whole("bandwidth", bandwidth), check_seed(seed, rng)
    if k is None:
        reach = min(bandwidth, max(n - 1, 0))
        return _stencil("banded", (1, 1, n), [(0, 0, d) for d in range(-reach, reach + 1)], device)
    count = n * whole("k", k)
    stream = Stream(seed, 0)
    with arrays_on(device) as xp:

        def draw(start: int, stop: int) -> tuple[Any, Any]:
            i = xp.arange(start, stop, dtype=np.int64) // k
            j = i + stream.below(xp, start, stop, 2 * bandwidth + 1) - bandwidth
            return i, xp.where((j >= 0) & (j < n), j, i)  # a self-loop falls away

        return graph_of(*pairs(xp, count, draw), n)


def _sides(**sides: Any) -> list[int]:
    return [whole(name, value, 1) for name, value in sides.items()]


def _box(width: int, height: int | None, depth: int | None) -> tuple[int, int, int]:
    x, y, z = _sides(width=width, height=width if height is None else height, depth=width if depth is None else depth)
    return z, y, x


def _cross() -> list[tuple[int, ...]]:
    return [d for d in itertools.product((-1, 0, 1), repeat=3) if sum(map(abs, d)) <= 1]


def _stencil(
    name: str, shape: tuple[int, int, int], steps: list[tuple[int, ...]], device: str, unknowns: int = 1
) -> Graph:
    """Join every vertex of a box to the vertices at the given steps (dz, dy, dx), and to the others of its node."""
    depth, height, width = shape
    n = vertices(depth * height * width * unknowns, f"this {name}")
    near = sorted({(0, 0, 0), *steps})  # neighbors ascend as their coordinates do
    pairs = sum(_count(depth, dz) * _count(height, dy) * _count(width, dx) for dz, dy, dx in near)
    m = pairs * unknowns**2 - n
    with arrays_on(device) as xp:
        indptr = xp.zeros(n + 1, offset_type(m))
        indices = xp.empty(m, np.int32)
        dz, dy, dx = (xp.repeat(xp.asarray([s[a] for s in near], np.int32), unknowns) for a in range(3))
        of_node = xp.tile(xp.arange(unknowns, dtype=np.int32), len(near))
        rows = max((CPU_ENTRIES if xp is np else GPU_ENTRIES) // len(of_node), 1)
        at = 0
        for start in range(0, n if m else 0, rows):
            v = xp.arange(start, min(start + rows, n), dtype=np.int32)[:, None]
            node = v // unknowns
            x, y, z = node % width, node // width % height, node // (width * height)
            inside = _within(x + dx, width) & _within(y + dy, height) & _within(z + dz, depth)
            u = (node + ((dz * height + dy) * width + dx)) * unknowns + of_node
            inside &= u != v
            found = u[inside]
            indptr[start + 1 : start + 1 + len(v)] = xp.cumsum(inside.sum(axis=1)) + at
            indices[at : at + len(found)] = found
            at += len(found)
        return Graph(indptr, indices)


def _count(side: int, step: int) -> int:
    return max(side - abs(step), 0)


def _within(x: Any, side: int) -> Any:
    return x.view(np.uint32) < np.uint32(side)  # a negative coordinate is a huge unsigned one
