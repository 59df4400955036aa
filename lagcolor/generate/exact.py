"""Small graphs of known structure: their chromatic number is a theorem, so they test algorithms."""

from __future__ import annotations

from typing import Any

import numpy as np

from semirings.sparse import offset_type

from ..graph.graph import Graph
from .common import arrays_on, graph_of, offsets, vertices, whole
from .grids import banded


def path(n: int, *, device: str = "cpu") -> Graph:
    """Path of n vertices in a row; two colors.

    Parameters
    ----------
    n : int
        Vertices.
    device : str
        "cpu", "cuda", "cuda:1" ….

    Returns
    -------
    Graph
        The graph.

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
        Vertices, at least 3.
    device : str
        "cpu", "cuda", "cuda:1" ….

    Returns
    -------
    Graph
        The graph.

    Examples
    --------
    >>> G = lagcolor.generate.cycle(5)
    >>> lagcolor.color(G).n_colors
    3
    """
    n = whole("n", n, 3)
    with arrays_on(device) as xp:
        v = xp.arange(n, dtype=np.int64)
        beside = xp.stack([(v - 1) % n, (v + 1) % n], axis=1)
        return Graph(_regular(xp, n, 2), xp.sort(beside, axis=1).astype(np.int32).ravel())


def star(n: int, *, device: str = "cpu") -> Graph:
    """Star: vertex 0 is adjacent to the n − 1 others; two colors.

    Parameters
    ----------
    n : int
        Vertices, the center included, at least 1.
    device : str
        "cpu", "cuda", "cuda:1" ….

    Returns
    -------
    Graph
        The graph.

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
        Vertices.
    device : str
        "cpu", "cuda", "cuda:1" ….

    Returns
    -------
    Graph
        The graph.

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
        Vertices of the sides.
    device : str
        "cpu", "cuda", "cuda:1" ….

    Returns
    -------
    Graph
        The graph.

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
    """Crown: 2i is adjacent to 2j + 1 for all i ≠ j under n; two colors, but first-fit by id takes n.

    Parameters
    ----------
    n : int
        Vertices of a side.
    device : str
        "cpu", "cuda", "cuda:1" ….

    Returns
    -------
    Graph
        2n vertices, every degree n − 1.

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
        odd = xp.asarray([1, 0], np.int32)[None, :, None]  # 2i has odd neighbors, 2i + 1 even ones
        indices = 2 * (other + (other >= i)) + odd
        return Graph(_regular(xp, 2 * n, max(n - 1, 0)), indices.astype(np.int32).ravel())


def queen(rows: int, columns: int | None = None, *, device: str = "cpu") -> Graph:
    """Queen graph: squares of a chess board that a queen's move joins; n × n takes n colors for n coprime to 6.

    Parameters
    ----------
    rows, columns : int
        Size of the board, at least 1; square by default. Square (r, c) is vertex r · columns + c.
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
    """Triangle-free graph of Mycielski that takes exactly k colors.

    Parameters
    ----------
    k : int
        Chromatic number, 1 … 18 (which has half a billion edges); the DIMACS instance myciel3 is ``mycielski(4)``.
    device : str
        "cpu", "cuda", "cuda:1" ….

    Returns
    -------
    Graph
        3 · 2ᵏ⁻² − 1 vertices for k ≥ 2. Each vertex v of the previous graph has a twin v + n, and the
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
    """Offsets of n rows of one length."""
    return (xp.arange(n + 1, dtype=np.int64) * degree).astype(offset_type(n * degree))
