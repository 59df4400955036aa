"""Recursive matrices: every edge falls into one of four quarters, `scale` times over.

Each level takes 31 bits of its own stream and compares integers, so the quarters have their
probabilities to 2⁻³¹ and a seed has one graph on every device.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.errors import OptionError
from ..graph.graph import Graph
from .common import arrays_on, check_seed, graph_of, pairs, real, whole
from .counter import Stream, permutation

HALF = np.uint64(33), np.uint64(0x7FFFFFFF)


def rmat(
    scale: int, edge_factor: int = 8, *, a: float = 0.45, b: float = 0.15, c: float = 0.15,
    permute: bool = True, seed: int = 0, rng: Any = None, device: str = "cpu",
) -> Graph:  # fmt: skip
    """R-MAT: skewed degrees, no locality; the family of rmat16 and rmat22.

    Parameters
    ----------
    scale : int
        2 ** scale vertices, 0 … 30.
    edge_factor : int
        Edges drawn per vertex. Duplicates and self-loops are removed.
    a, b, c : float
        Probabilities of the upper left, upper right and lower left quarter. The lower right has the rest.
    permute : bool
        Relabel the vertices at random, so that an id says nothing about a degree.
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
    Chakrabarti, Zhan, Faloutsos, "R-MAT: a recursive model for graph mining", SDM 2004.

    Examples
    --------
    >>> lagcolor.generate.rmat(8)
    <Graph: 256 vertices, 1,758 edges, on cpu>
    """
    scale, edge_factor, seed = whole("scale", scale, 0, 30), whole("edge_factor", edge_factor), check_seed(seed, rng)
    a, b, c = real("a", a), real("b", b), real("c", c)
    if a + b + c > 1 + 1e-9:
        raise OptionError(f"a + b + c must be at most 1, not {a + b + c:g}: they are probabilities of quarters")
    cuts = [np.uint32(round(min(p, 1.0) * 2**31)) for p in (a, a + b, a + b + c)]
    streams = [Stream(seed, 1 + s) for s in range((scale + 1) // 2)]
    n = 1 << scale
    with arrays_on(device) as xp:
        label = permutation(xp, n, seed, 0) if permute else None

        def draw(start: int, stop: int) -> tuple[Any, Any]:
            u, v = _descend(xp, streams, scale, cuts, start, stop)
            return (u, v) if label is None else (label[u], label[v])

        return graph_of(*pairs(xp, n * edge_factor, draw), n)


def kron_g500(
    scale: int, edge_factor: int = 48, *, permute: bool = True, seed: int = 0, rng: Any = None, device: str = "cpu"
) -> Graph:
    """Kronecker graph of Graph500: R-MAT with 0.57, 0.19, 0.19 and a heavier tail.

    Parameters
    ----------
    scale : int
        2 ** scale vertices; 21 is the family of ``kron_g500-logn21``.
    edge_factor : int
        Edges drawn per vertex; 48 as in the DIMACS10 files. Graph500 itself uses 16.
    permute : bool
        Relabel the vertices at random, so that an id says nothing about a degree.
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
    Graph500 specification; Leskovec et al., "Kronecker graphs", JMLR 2010.

    Examples
    --------
    >>> G = lagcolor.generate.kron_g500(8)
    >>> G.n_edges, G.max_degree
    (4288, 202)
    """
    return rmat(scale, edge_factor, a=0.57, b=0.19, c=0.19, permute=permute, seed=seed, rng=rng, device=device)


def _descend(xp: Any, streams: list[Stream], scale: int, cuts: list[Any], start: int, stop: int) -> tuple[Any, Any]:
    """Row and column of the edges start … stop − 1, the most significant bit first."""
    u, v = xp.zeros(stop - start, np.int32), xp.zeros(stop - start, np.int32)
    shift, mask = HALF
    for level in range(scale):
        if level % 2 == 0:
            words = streams[level // 2].words(xp, start, stop)
            r = (words >> shift).astype(np.uint32)
        else:
            r = (words & mask).astype(np.uint32)
        down = r >= cuts[1]
        right = (r >= cuts[0]) ^ down ^ (r >= cuts[2])
        u += u
        u += down
        v += v
        v += right
    return u, v
