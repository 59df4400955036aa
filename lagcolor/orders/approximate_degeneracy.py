"""Approximate degeneracy (ADG): rounds that remove all vertices of at most (1 + ε) times the average degree.

Vertices removed later are colored earlier; vertices of one round are in tie order. First-fit then needs at most
2(1 + ε)·degeneracy + 1 colors, because the average degree of a subgraph is at most twice the degeneracy.

Progress: the least degree never exceeds the average, so each round removes a vertex. For ε > 0 there are O(log n)
rounds, because each removes at least ε / (1 + ε) of the vertices.

The threshold is ⌊(1 + ε)·S / U⌋ for the sum S of the degrees of the U remaining vertices, in float64, with one
multiplication and one division. It is equal on CPU and GPU, and so is the permutation.

On a GPU all rounds are one launch (removal_rounds.cu). Three launches per round with shared lists were slower: rmat22
2.2 ms instead of 1.4, grid2d:1024 0.39 instead of 0.07 (H200).

References
----------
Besta, Carigiet, Janda, Vonarburg-Shmaria, Gianinazzi, Hoefler 2020, "High-performance parallel graph coloring
with strong guarantees on work, depth, and quality" (Algorithm 1, ADG, as used in JP-ADG).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.device.compiled import njit
from ..base.errors import OptionError
from ..graph.graph import Graph
from ..graph.pattern import unsigned
from .by_key import by_key

ROUNDS = dev.Source(__file__, "removal_rounds.cu", BLOCK=256)
EPS = 0.01
NO_LIMIT = 2.0**31  # over any degree
WARP = 32
BLOCKS_PER_MULTIPROCESSOR = 4  # of a cooperative launch


def approximate_degeneracy(G: Graph, seed: int | None, eps: float = EPS) -> Any:
    """Vertices by decreasing round of removal, ties by `seed` (Besta et al. 2020, ADG)."""
    level, rounds = removal_rounds(G, eps)
    return by_key(G, level, rounds, seed)


def removal_rounds(G: Graph, eps: float = EPS) -> tuple[Any, int]:
    """Round that removes each vertex (from 0 on; int32, shape (n,), on the graph's device), and number of rounds."""
    if isinstance(eps, (str, bool)) or not (math.isfinite(eps) and eps >= 0):
        raise OptionError(f"eps must be a number from 0 on, not {eps!r}")
    if G.on_gpu:
        level, rounds = rounds_on_gpu(G, eps)
        return level, int(rounds[0])
    level = np.full(G.n, -1, np.int32)
    return level, levels(*unsigned(G), G.degrees.copy(), level, 1.0 + eps)


@njit(cache=True, nogil=True)
def levels(indptr: Any, indices: Any, degree: Any, level: Any, factor: Any) -> Any:
    """Write the round that removes each vertex to `level`, initially −1; return their number. Overwrites `degree`.

    It returns no tuple with an array, because numba then turns KeyboardInterrupt into SystemError.
    """
    n = degree.size
    live, gone = np.empty(n, np.uint32), np.empty(n, np.uint32)
    for v in range(n):
        live[v] = v
    left, total, step = n, indices.size, 0
    while left > 0:
        threshold = math.floor(min(factor * total / left, NO_LIMIT))
        remaining = 0
        for i in range(left):
            v = live[i]
            if degree[v] <= threshold:
                gone[i - remaining] = v
                level[v] = step
                total -= degree[v]
            else:
                live[remaining] = v
                remaining += 1
        for i in range(left - remaining):
            v = gone[i]
            for e in range(indptr[v], indptr[v + np.uint32(1)]):
                u = indices[e]
                if level[u] < 0:
                    degree[u] -= 1
                    total -= 1
        left = remaining
        step += 1
    return step


def rounds_on_gpu(G: Graph, eps: float = EPS) -> tuple[Any, Any]:
    """`removal_rounds` of a graph on a GPU without synchronization: the number of rounds is an array of shape (1,)."""
    cp, n = dev.cupy(), G.n
    level, control = cp.empty(n, np.int32), cp.zeros(8, np.uint64)
    if n:
        run, degree, factor = ROUNDS.of(G.indptr), cp.empty(n, np.int32), int(np.float64(1.0 + eps).view(np.int64))
        shared = (control[6:], control[:6], control[7:])  # grid barrier, sums of three rounds, rounds

        def args(blocks: int) -> tuple[Any, ...]:
            warps = blocks * (run.block // WARP)
            capacity = WARP * -(-n // (WARP * warps))
            lists = cp.empty(2 * capacity * warps, np.int32)
            return G.indptr, G.indices, n, G.m, factor, degree, level, lists, capacity, *shared

        run.cooperative("removal_rounds", max(n, G.m // 16), args, most=BLOCKS_PER_MULTIPROCESSOR)
    return level, control[7:]
