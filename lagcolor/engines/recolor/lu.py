"""Balancing by shuffling, after Lu et al. 2015: one pass over the vertices of over-full classes, on one core.

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

Progress: each vertex has one turn. The paper's color-centric schemes need no check for conflicts in parallel, since a
class is independent; sequentially the schemes differ by the order alone. Its scheduled schemes, and those that color
anew (Greedy-LU, Greedy-Random), are not here: `lagcolor.balance` by rounds is of the scheduled kind.

References
----------
Lu, Halappanavar, Chavarría-Miranda, Gebremedhin, Kalyanaraman 2015, "Balanced coloring for parallel computing
applications", guided strategies: VFF, VLU, CFF, CLU.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device.compiled import njit
from ...graph import Graph
from ...orders.by_key import by_key
from ..greedy.sequential import unsigned

ONE32 = np.uint32(1)
SCHEMES = ("vff", "vlu", "cff", "clu")


def shuffled(G: Graph, colors: np.ndarray, k: int, scheme: str, keep: np.ndarray | None = None) -> np.ndarray:
    """Colors after one pass.

    Parameters
    ----------
    G : Graph
        On the CPU.
    colors : array of int32, shape (n,)
        A proper coloring with colors below `k`; stays as it is.
    k : int
    scheme : {"vff", "vlu", "cff", "clu"}
    keep : array of bool, shape (n,), optional
        Vertices that stay where they are.
    """
    colors, sizes = colors.copy(), np.bincount(colors, minlength=k)
    kept = np.zeros(G.n, np.bool_) if keep is None else keep
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
