"""Meshes, bands and small graphs of known structure, which many tests use. Most write their canonical rows directly."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from semirings.sparse import offset_type

from ..graph.graph import Graph
from .common import Stream, arrays_on, check_seed, graph_of, offsets, pairs, vertices, whole

CPU_ENTRIES, GPU_ENTRIES = 1 << 18, 1 << 26  # entries of a block of rows


def path(n: int, *, device: str = "cpu") -> Graph:
    """Path of n vertices in a row; two colors.

    Parameters
    ----------
    n : int
        Number of vertices.
    device : str
        "cpu", "cuda", "cuda:1" ….

    Examples
    --------
    >>> lagcolor.generate.path(4)
    <Graph: 4 vertices, 3 edges, on cpu>
    """
    return banded(n, 1, device=device)


def cycle(n: int, *, device: str = "cpu") -> Graph:
    """Cycle of n vertices; two colors for an even n, three for an odd one.

    Parameters
    ----------
    n : int
        Number of vertices, at least 3.
    device : str
        "cpu", "cuda", "cuda:1" ….

    Examples
    --------
    >>> G = lagcolor.generate.cycle(5)
    >>> lagcolor.color(G).n_colors
    3
    """
    n = whole("n", n, 3)
    with arrays_on(device) as xp:
        v = xp.arange(n, dtype=np.int64)
        neighbors = xp.stack([(v - 1) % n, (v + 1) % n], axis=1)
        return Graph(_regular(xp, n, 2), xp.sort(neighbors, axis=1).astype(np.int32).ravel())


def star(n: int, *, device: str = "cpu") -> Graph:
    """Star: vertex 0 is adjacent to the n − 1 others; two colors.

    Parameters
    ----------
    n : int
        Number of vertices with the center, at least 1.
    device : str
        "cpu", "cuda", "cuda:1" ….

    Examples
    --------
    >>> lagcolor.generate.star(5).degrees
    array([4, 1, 1, 1, 1], dtype=int32)
    """
    n = whole("n", n, 1)
    return complete_bipartite(1, n - 1, device=device)


def clique(n: int, *, device: str = "cpu") -> Graph:
    """Complete graph on n vertices; n colors.

    Parameters
    ----------
    n : int
        Number of vertices.
    device : str
        "cpu", "cuda", "cuda:1" ….

    Examples
    --------
    >>> lagcolor.generate.clique(4)
    <Graph: 4 vertices, 6 edges, on cpu>
    """
    n = whole("n", n)
    with arrays_on(device) as xp:
        other = xp.arange(max(n - 1, 0), dtype=np.int32)[None, :]
        v = xp.arange(n, dtype=np.int32)[:, None]
        return Graph(_regular(xp, n, max(n - 1, 0)), (other + (other >= v)).astype(np.int32).ravel())


def complete_bipartite(a: int, b: int, *, device: str = "cpu") -> Graph:
    """Complete bipartite graph: each vertex 0 … a − 1 is adjacent to the b others; two colors.

    Parameters
    ----------
    a, b : int
        Numbers of vertices of the two sides.
    device : str
        "cpu", "cuda", "cuda:1" ….

    Examples
    --------
    >>> lagcolor.generate.complete_bipartite(2, 3).degrees
    array([3, 3, 2, 2, 2], dtype=int32)
    """
    a, b = whole("a", a), whole("b", b)
    n = vertices(a + b, f"complete_bipartite({a}, {b})")
    with arrays_on(device) as xp:
        left = xp.tile(xp.arange(a, n, dtype=np.int32), a)
        right = xp.tile(xp.arange(a, dtype=np.int32), b)
        degrees = xp.full(n, a, np.int64)
        degrees[:a] = b
        return Graph(offsets(xp, degrees, 2 * a * b), xp.concatenate([left, right]))


def crown(n: int, *, device: str = "cpu") -> Graph:
    """Crown: 2i is adjacent to 2j + 1 for all i ≠ j under n; two colors, but first-fit by id uses n.

    Parameters
    ----------
    n : int
        Number of vertices of a side.
    device : str
        "cpu", "cuda", "cuda:1" ….

    Returns
    -------
    Graph
        A graph with 2n vertices of degree n − 1.

    References
    ----------
    Johnson, "Worst case behavior of graph coloring algorithms", 1974.

    Examples
    --------
    >>> G = lagcolor.generate.crown(4)
    >>> lagcolor.color(G, "greedy", order="natural").n_colors, lagcolor.color(G).n_colors
    (4, 2)
    """
    n = whole("n", n, 0, 2**30)
    with arrays_on(device) as xp:
        other = xp.arange(max(n - 1, 0), dtype=np.int32)[None, None, :]
        i = xp.arange(n, dtype=np.int32)[:, None, None]
        odd = xp.asarray([1, 0], np.int32)[None, :, None]  # 2i has odd neighbors, 2i + 1 has even neighbors
        indices = 2 * (other + (other >= i)) + odd
        return Graph(_regular(xp, 2 * n, max(n - 1, 0)), indices.astype(np.int32).ravel())


def queen(rows: int, columns: int | None = None, *, device: str = "cpu") -> Graph:
    """Queen graph: squares of a chess board, joined by a queen's moves; n colors on n × n for n coprime to 6.

    Parameters
    ----------
    rows, columns : int
        Size of the board, at least 1. `columns` defaults to `rows`. Square (r, c) is vertex r · columns + c.
    device : str
        "cpu", "cuda", "cuda:1" ….

    Returns
    -------
    Graph
        The DIMACS instances queen5_5 … queen16_16.

    Examples
    --------
    >>> G = lagcolor.generate.queen(5)
    >>> G
    <Graph: 25 vertices, 160 edges, on cpu>
    >>> lagcolor.color(G).n_colors
    5
    """
    rows = whole("rows", rows, 1)
    columns = rows if columns is None else whole("columns", columns, 1)
    vertices(rows * columns, f"queen({rows}, {columns})")
    with arrays_on(device) as xp:
        board = xp.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
        u, v = [board[:0].ravel()], [board[:0].ravel()]
        for s in range(1, max(rows, columns)):
            moves = [(board[:, :-s], board[:, s:]), (board[:-s], board[s:])]
            moves += [(board[:-s, :-s], board[s:, s:]), (board[:-s, s:], board[s:, :-s])]
            for a, b in moves:
                u.append(a.ravel())
                v.append(b.ravel())
        return graph_of(xp.concatenate(u), xp.concatenate(v), rows * columns)


def mycielski(k: int, *, device: str = "cpu") -> Graph:
    """Triangle-free graph of Mycielski that needs exactly k colors.

    Parameters
    ----------
    k : int
        Chromatic number, 1 … 18 (which has half a billion edges); the DIMACS instance myciel3 is ``mycielski(4)``.
    device : str
        "cpu", "cuda", "cuda:1" ….

    Returns
    -------
    Graph
        A graph with 3 · 2ᵏ⁻² − 1 vertices for k ≥ 2. Each vertex v of the previous graph has a twin v + n, and the
        last vertex is adjacent to all twins.

    References
    ----------
    Mycielski, "Sur le coloriage des graphs", Colloquium Mathematicae 3, 1955.

    Examples
    --------
    >>> G = lagcolor.generate.mycielski(4)
    >>> G
    <Graph: 11 vertices, 20 edges, on cpu>
    >>> lagcolor.color(G).n_colors
    4
    """
    k = whole("k", k, 1, 18)
    n = min(k, 2)
    with arrays_on(device) as xp:
        u, v = xp.arange(n - 1, dtype=np.int32), xp.arange(1, n, dtype=np.int32)
        for _ in range(k - 2):
            twins = xp.arange(n, 2 * n, dtype=np.int32)
            u, v = xp.concatenate([u, u, v, twins]), xp.concatenate([v, v + n, u + n, xp.full_like(twins, 2 * n)])
            n = 2 * n + 1
        return graph_of(u, v, n)


def _regular(xp: Any, n: int, degree: int) -> Any:
    """Return the offsets of n rows of one length."""
    return (xp.arange(n + 1, dtype=np.int64) * degree).astype(offset_type(n * degree))


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
    """Band matrix: ``|i − j|`` ≤ bandwidth; the full band needs bandwidth + 1 colors.

    Parameters
    ----------
    n : int
        Number of vertices.
    bandwidth : int
        Half bandwidth: largest distance of two neighbors.
    k : int, optional
        Every vertex draws k neighbors in the band. Draws beyond either end are dropped. Default: the full band.
    seed, rng, device : optional
        See `uniform`. The seed is used only with `k`.

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
            return i, xp.where((j >= 0) & (j < n), j, i)  # a self-loop is dropped later

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
    """Join every vertex of a box to the vertices at `steps` (dz, dy, dx) from it, and to the others of its node."""
    depth, height, width = shape
    n = vertices(depth * height * width * unknowns, f"this {name}")
    near = sorted({(0, 0, 0), *steps})  # in the order of the neighbors' ids
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
    return x.view(np.uint32) < np.uint32(side)  # as unsigned, a negative coordinate is huge
