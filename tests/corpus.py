"""Small graphs that every algorithm must color: name → (n, u, v), edges as given, not yet canonical."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np
from hypothesis import settings

import lagcolor

Edges = tuple[int, list[int], list[int]]
# Options of an algorithm that goes on for long where it finds nothing, for emulated GPUs.
SHORT = {"memetic": {"steps": 100, "pairs": 1, "brood": 2}}


def _of(n: int, pairs: Iterable[tuple[int, int]]) -> Edges:
    pairs = list(pairs)
    return n, [a for a, _ in pairs], [b for _, b in pairs]


def _grid(w: int, h: int) -> Edges:
    right = [(y * w + x, y * w + x + 1) for y in range(h) for x in range(w - 1)]
    down = [(y * w + x, y * w + x + w) for y in range(h - 1) for x in range(w)]
    return _of(w * h, right + down)


def _random(n: int, m: int, seed: int) -> Edges:
    r = np.random.default_rng(seed)
    return n, r.integers(0, n, m).tolist(), r.integers(0, n, m).tolist()


def _rmat(scale: int, m: int, seed: int) -> Edges:
    r = np.random.default_rng(seed)
    u = np.zeros(m, int)
    v = np.zeros(m, int)
    for _ in range(scale):
        x = r.random(m)
        u = 2 * u + (x > 0.76)
        v = 2 * v + (((x > 0.57) & (x <= 0.76)) | (x > 0.95))
    return 1 << scale, u.tolist(), v.tolist()


def _shift(e: Edges, by: int) -> Edges:
    return e[0], [a + by for a in e[1]], [b + by for b in e[2]]


def _union(a: Edges, b: Edges) -> Edges:
    b = _shift(b, a[0])
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def _clique(n: int) -> Edges:
    return _of(n, ((i, j) for i in range(n) for j in range(i)))


def _clique_and_neighbors(n: int, more: int) -> Edges:
    """A clique, and vertices with an edge to all of it but one, another for each: the last, the one before …"""
    joined = [(n + j, i) for j in range(more) for i in range(n) if i != n - 1 - j]
    return _of(n + more, [*((i, j) for i in range(n) for j in range(i)), *joined])


def _cycle(n: int) -> Edges:
    return _of(n, ((i, (i + 1) % n) for i in range(n)))


CORPUS: dict[str, Edges] = {
    "empty": (0, [], []),
    "one vertex": (1, [], []),
    "no edges": (70, [], []),
    "isolated among others": (9, [1, 4, 7], [4, 7, 1]),
    "one edge": (2, [0], [1]),
    "path": _of(50, ((i, i + 1) for i in range(49))),
    "even cycle": _cycle(64),
    "odd cycle": _cycle(65),
    "star": _of(300, ((0, i) for i in range(1, 300))),
    "star, hub last": _of(300, ((299, i) for i in range(299))),
    "clique 5": _clique(5),
    "clique 70": _clique(70),  # over 64 colors: a second mask word
    "clique 80 and more": _clique_and_neighbors(80, 10),  # over 64 colors, and gaps among those around a vertex
    "clique 1100": _clique(1100),  # over 1024 colors: a second window of a warp's bitmap
    "complete bipartite": _of(90, ((i, 40 + j) for i in range(40) for j in range(50))),
    "crown": _of(80, ((2 * i, 2 * j + 1) for i in range(40) for j in range(40) if i != j)),
    "grid": _grid(17, 13),
    "random sparse": _random(500, 1500, 1),
    "random dense": _random(120, 5000, 2),
    "rmat": _rmat(10, 12000, 3),
    "disconnected": _union(_union(_cycle(7), _clique(6)), _grid(5, 5)),
    "self-loops and duplicates": (6, [0, 0, 1, 1, 2, 3, 3, 5, 5], [0, 1, 0, 0, 2, 4, 4, 5, 0]),
}


@functools.cache
def graph(name: str) -> lagcolor.Graph:
    """The canonical graph of a row, on the CPU."""
    n, u, v = CORPUS[name]
    return lagcolor.Graph.of((np.array(u, np.int64), np.array(v, np.int64)), n=n)


def random_graph(n: int, m: int, seed: int) -> lagcolor.Graph:
    """n vertices and up to m random edges."""
    n, u, v = _random(n, m, seed) if n else (0, [], [])
    return lagcolor.Graph.of((np.array(u, np.int64), np.array(v, np.int64)), n=n)


def fewer(examples: int) -> int:
    """`examples` where a profile of hypothesis draws 50; the same share of the examples of other profiles."""
    return settings.default.max_examples * examples // 50


def neighbors(G: Any) -> list[list[int]]:
    """Neighbors of each vertex, of a graph or a dense matrix."""
    if isinstance(G, np.ndarray):
        return [np.flatnonzero(row).tolist() for row in G]
    indices = G.indices.tolist()
    return [indices[begin:end] for begin, end in itertools.pairwise(G.indptr.tolist())]


def first_fit(G: Any, sequence: Iterable[int]) -> list[int]:
    """The oracle, on a graph or a dense matrix."""
    from lagcolor.engines.greedy import plain  # the contract uses public names alone

    return plain.first_fit(neighbors(G), sequence)


def gpu() -> str:
    """The name of the device that tests put things on as "cuda"."""
    return f"cuda:{lagcolor.base.device.parse_device('cuda')[1]}"
