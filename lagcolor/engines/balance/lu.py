"""Balancing by shuffling and by a schedule, after Lu et al. 2015: one pass over over-full classes, on one core.

A class is over-full above the mean n / k, and under-full below it. Each vertex whose class is over-full at its turn
moves to an under-full class in which it has no neighbor, if there is one:

======  ==================================  ==========================================
name    order of the vertices               class
======  ==================================  ==========================================
vff     vertex-centric: by id               first-fit: the lowest color
vlu     vertex-centric                      least-used: the smallest, then the lowest
cff     color-centric: class after class    first-fit
clu     color-centric                       least-used
======  ==================================  ==========================================

`sched` fixes beforehand which vertices are to move where, from the sizes alone, after the paper's scheduled balancing
in reverse order: the classes are to end at the mean, the largest of them at the mean rounded up where that is no whole
number. Over-full classes, by rising color, give their first vertices; under-full classes, by falling color, are filled
one after the other. Then each of these vertices moves to its class if it has no neighbor there when its turn comes, and
else stays. So it reads the rows of those vertices alone, which may be too few.

These are from memory of the paper, whose text was not at hand: names, orders and ties may differ from it, above all
which vertices of an over-full class `sched` takes.

Progress: each vertex has one turn. The paper's color-centric schemes need no check for conflicts in parallel, since a
class is independent; sequentially the schemes differ by the order alone. Its schemes that color anew (Greedy-LU,
Greedy-Random) are not here.

References
----------
Lu, Halappanavar, Chavarría-Miranda, Gebremedhin, Kalyanaraman 2015, "Balanced coloring for parallel computing
applications", guided strategies: VFF, VLU, CFF, CLU, Sched-Rev.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.graph import Graph
from ...device.compiled import njit
from ...orders.by_key import by_key
from ..greedy.sequential import unsigned

ONE32 = np.uint32(1)
SCHEMES = ("vff", "vlu", "cff", "clu", "sched")


def shuffled(G: Graph, colors: np.ndarray, k: int, scheme: str, keep: np.ndarray | None = None) -> np.ndarray:
    """Colors after one pass."""
    colors, sizes = colors.copy(), np.bincount(colors, minlength=k)
    kept = np.zeros(G.n, np.bool_) if keep is None else keep
    if scheme == "sched":
        move(*unsigned(G), colors, *schedule(colors, sizes, kept))
        return colors
    ids = np.arange(G.n, dtype=np.int32) if scheme[0] == "v" else by_key(G, np.int32(max(k - 1, 0)) - colors, k, None)
    one_pass(*unsigned(G), colors, sizes, kept, ids, scheme.endswith("lu"))
    return colors


@njit(cache=True, nogil=True)
def one_pass(indptr: Any, indices: Any, colors: Any, sizes: Any, keep: Any, sequence: Any, least_used: Any) -> None:
    """Give each vertex of the sequence its turn."""
    n, k = colors.size, sizes.size
    seen = np.full(k, -1, np.int64)
    for v in sequence:
        c = colors[v]
        if sizes[c] * k <= n or keep[v]:
            continue
        for e in range(indptr[v], indptr[v + ONE32]):
            seen[colors[indices[e]]] = v
        to = -1
        for d in range(k):
            if seen[d] != v and sizes[d] * k < n and (to < 0 or sizes[d] < sizes[to]):
                to = d
                if not least_used:
                    break
        if to >= 0:
            colors[v] = to
            sizes[c] -= 1
            sizes[to] += 1


def schedule(colors: np.ndarray, sizes: np.ndarray, keep: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices that are to move, and the class that each is to move to."""
    n, k = len(colors), len(sizes)
    if k == 0:
        return np.zeros(0, np.int32), np.zeros(0, np.int32)
    target = np.full(k, n // k)
    target[np.argsort(-sizes, kind="stable")[: n % k]] += 1
    surplus = np.maximum(sizes - target, 0)
    free = np.flatnonzero(~keep)
    free = free[np.argsort(colors[free], kind="stable")].astype(np.int32)  # class after class
    of = colors[free]
    begin = np.searchsorted(of, np.arange(k))
    vertices = free[np.arange(len(free)) - begin[of] < surplus[of]]
    classes = np.arange(k - 1, -1, -1, dtype=np.int32)
    to = np.repeat(classes, np.maximum(target - sizes, 0)[::-1])
    return vertices, to[: len(vertices)]


@njit(cache=True, nogil=True)
def move(indptr: Any, indices: Any, colors: Any, vertices: Any, to: Any) -> None:
    """Each of some vertices to its class, if it has no neighbor there."""
    for i in range(vertices.size):
        v, free = vertices[i], True
        for e in range(indptr[v], indptr[v + ONE32]):
            if colors[indices[e]] == to[i]:
                free = False
                break
        if free:
            colors[v] = to[i]
