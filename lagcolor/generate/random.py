"""Edges drawn at random: among all pairs, between classes of a planted coloring, by degree, or by quarters."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.errors import OptionError
from ..graph.graph import Graph
from .common import Shuffle, Stream, arrays_on, below, check_seed, graph_of, pairs, permutation, real, vertices, whole

HALF = np.uint64(33), np.uint64(0x7FFFFFFF)  # the shift for the upper 31 bits of a word, and the mask of the lower 31


def uniform(n: int, k: int = 4, *, seed: int = 0, rng: Any = None, device: str = "cpu") -> Graph:
    """Every vertex draws k random neighbors: no skew, no locality; the family of ``r4-2e23``.

    Parameters
    ----------
    n : int
        Number of vertices.
    k : int
        Draws per vertex. The mean degree is slightly less than 2k, because some draws repeat an edge or hit the vertex.
    seed : int
        Equal seeds give equal graphs on every machine.
    rng : numpy.random.Generator, or any argument of `numpy.random.default_rng`, optional
        Draws a number that replaces `seed`.
    device : str
        "cpu", "cuda", "cuda:1" ….

    Examples
    --------
    >>> lagcolor.generate.uniform(1000, seed=1)
    <Graph: 1,000 vertices, 3,968 edges, on cpu>
    """
    n, k, stream = whole("n", n), whole("k", k), Stream(check_seed(seed, rng), 0)
    with arrays_on(device) as xp:

        def draw(start: int, stop: int) -> tuple[Any, Any]:
            return xp.arange(start, stop, dtype=np.int64) // k, stream.below(xp, start, stop, n)

        return graph_of(*pairs(xp, n * k, draw), n)


def erdos_renyi(
    n: int, p: float | None = None, *, m: int | None = None, seed: int = 0, rng: Any = None, device: str = "cpu"
) -> Graph:
    """G(n, p) or G(n, m): every pair with probability p, or exactly m distinct pairs.

    Parameters
    ----------
    n : int
        Number of vertices.
    p : float, optional
        Probability of an edge. The number of edges is drawn first, then this number of distinct pairs. The
        distribution is the same.
    m : int, optional
        Number of edges. Exactly one of `p` and `m` is required.
    seed, rng, device : optional
        See `uniform`.

    References
    ----------
    Gilbert, "Random graphs", 1959; Erdős and Rényi, "On random graphs I", 1959.

    Examples
    --------
    >>> lagcolor.generate.erdos_renyi(100, m=300)
    <Graph: 100 vertices, 300 edges, on cpu>
    >>> lagcolor.generate.erdos_renyi(100, p=0.1)
    <Graph: 100 vertices, 496 edges, on cpu>
    """
    n, seed = whole("n", n), check_seed(seed, rng)
    if (p is None) == (m is None):
        raise OptionError("erdos_renyi takes either p=, the probability of an edge, or m=, the number of edges")
    possible = n * (n - 1) // 2
    count = whole("m", m, 0, possible) if p is None else _binomial(possible, real("p", p), seed)
    if count == 0:
        possible = 1  # nothing is drawn; `Shuffle` needs n > 0
    shuffle = Shuffle(possible, seed, 1)
    with arrays_on(device) as xp:

        def draw(start: int, stop: int) -> tuple[Any, Any]:
            return _pair(xp, shuffle.at(xp, xp.arange(start, stop, dtype=np.uint64)).astype(np.int64))

        return graph_of(*pairs(xp, count, draw), n)


def _binomial(trials: int, p: float, seed: int) -> int:
    # RandomState, because its stream is equal in all versions of NumPy.
    words = [seed & 0xFFFFFFFF, seed >> 32]
    return int(np.random.RandomState(words).binomial(trials, p))


def _pair(xp: Any, index: Any) -> tuple[Any, Any]:
    """Return the pair (i, j), j < i, at a place of the list (1,0), (2,0), (2,1), (3,0) …"""
    i = ((1 + xp.sqrt(8.0 * index + 1)) / 2).astype(np.int64)
    i -= i * (i - 1) // 2 > index  # the float is off by less than one
    i += i * (i + 1) // 2 <= index
    return i, index - i * (i - 1) // 2


def planted(
    n: int, k: int, degree: float = 8.0, *, clique: bool = False, seed: int = 0, rng: Any = None, device: str = "cpu"
) -> Graph:
    """Random graph with a hidden k-coloring: vertices in k classes, edges only between classes.

    Parameters
    ----------
    n : int
        Number of vertices, in classes whose sizes differ by at most one.
    k : int
        Number of classes, at least 2.
    degree : float
        Mean degree. Duplicates are removed, so that a dense graph has a smaller one.
    clique : bool
        Add a clique with one vertex of each class. Then k colors are necessary (k ≤ n).
    seed, rng, device : optional
        See `uniform`.

    Examples
    --------
    >>> G = lagcolor.generate.planted(1000, 5, clique=True)
    >>> lagcolor.color(G).n_colors
    5
    """
    n, k, seed = whole("n", n), whole("k", k, 2), check_seed(seed, rng)
    count = round(n * real("degree", degree, 0.0, 1e6) / 2) if n > 1 else 0
    if clique and k > n:
        raise OptionError(f"a clique over k = {k} classes needs as many vertices, and n is {n}")
    first, other, second = (Stream(seed, key) for key in (1, 2, 3))
    with arrays_on(device) as xp:
        label = permutation(xp, n, seed, 0)

        def draw(start: int, stop: int) -> tuple[Any, Any]:
            u = first.below(xp, start, stop, n)
            c = (u % k + 1 + other.below(xp, start, stop, min(k, n) - 1)) % min(k, n)
            size = (n - 1 - c) // k + 1  # class c is c, c + k, c + 2k …
            v = c + k * below(second.words(xp, start, stop), size.astype(np.uint64))
            return label[u], label[v]

        u, v = pairs(xp, count, draw)
        if clique:
            i, j = _pair(xp, xp.arange(k * (k - 1) // 2, dtype=np.int64))
            u, v = xp.concatenate([u, label[i]]), xp.concatenate([v, label[j]])
        return graph_of(u, v, n)


def barabasi_albert(n: int, k: int = 4, *, seed: int = 0, rng: Any = None, device: str = "cpu") -> Graph:
    """Preferential attachment: each new vertex draws k neighbors in proportion to their degree.

    Parameters
    ----------
    n : int
        Number of vertices.
    k : int
        Draws per vertex. Draws that repeat an edge or hit the vertex itself are removed.
    seed, rng, device : optional
        See `uniform`.

    References
    ----------
    Batagelj and Brandes, "Efficient generation of large random networks", 2005, algorithm 5, with the
    dependences followed as in Sanders and Schulz, "Scalable generation of scale-free graphs", 2016.

    Examples
    --------
    >>> G = lagcolor.generate.barabasi_albert(1000)
    >>> G.n_edges, G.max_degree
    (3891, 253)
    """
    n, k, stream = whole("n", n), whole("k", k, 1), Stream(check_seed(seed, rng), 0)
    count = vertices(n * k, f"the list of draws of barabasi_albert({n}, {k})")
    with arrays_on(device) as xp:

        def draw(start: int, stop: int) -> tuple[Any, Any]:
            e = xp.arange(start, stop, dtype=np.uint64)
            return e.astype(np.int64) // k, _follow(xp, stream, e) // k

        return graph_of(*pairs(xp, count, draw), n)


def _follow(xp: Any, stream: Stream, e: Any) -> Any:
    """Return the draws whose vertices are the ends of the draws `e`.

    Place 2e of the list of ends has the vertex of draw e, and place 2e + 1 a copy of a random place up to 2e. A copy of
    a copy is followed to an earlier draw, so that this ends.
    """
    place = below(stream.at(e), 2 * e + np.uint64(1))
    odd = xp.flatnonzero(place & 1)
    while len(odd):
        earlier = (place[odd] >> 1).astype(np.uint64)
        again = below(stream.at(earlier), 2 * earlier + np.uint64(1))
        place[odd] = again
        odd = odd[(again & 1) == 1]
    return place >> 1


def rmat(
    scale: int, edge_factor: int = 8, *, a: float = 0.45, b: float = 0.15, c: float = 0.15,
    permute: bool = True, seed: int = 0, rng: Any = None, device: str = "cpu",
) -> Graph:  # fmt: skip
    """R-MAT: skewed degrees, no locality; the family of rmat16 and rmat22.

    Parameters
    ----------
    scale : int
        The graph has 2 ** scale vertices; 0 … 30.
    edge_factor : int
        Edges drawn per vertex. Duplicates and self-loops are removed.
    a, b, c : float
        Probabilities of the upper left, upper right and lower left quarter. The lower right quarter has the rest.
    permute : bool
        Relabel the vertices at random, so that ids and degrees are independent.
    seed, rng, device : optional
        See `uniform`.

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
        The graph has 2 ** scale vertices; 21 is the family of ``kron_g500-logn21``.
    edge_factor : int
        Edges drawn per vertex; 48 as in the DIMACS10 files. Graph500 itself uses 16.
    permute : bool
        Relabel the vertices at random, so that ids and degrees are independent.
    seed, rng, device : optional
        See `uniform`.

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
    """Return row and column of the edges start … stop − 1, by quarters from the most significant bit on."""
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
