"""Smallest log last: a smallest-last order in few parallel rounds, by the logarithm of the degree.

For thresholds 1, 2, 4, …, up to `rounds` rounds each: a round removes all vertices whose remaining degree is at most
the threshold. Vertices of one round are in tie order. Vertices removed later are colored earlier.

A vertex is queued when its degree reaches the threshold, which happens once, or by a scan when the threshold doubles.
A vertex is therefore queued if and only if its degree is at most the threshold, and needs no mark. Rounds do not depend
on the schedule, so CPU and GPU return the same permutation.

References
----------
Hasenplaugh, Kaler, Schardl, Leiserson 2014, "Ordering heuristics for parallel graph coloring" (SLL, with
`rounds` for the paper's r).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import device as dev
from ..base.device.compiled import njit
from ..base.errors import OptionError
from ..graph.graph import Graph
from ..graph.pattern import unsigned
from .by_key import by_key

SOURCE = dev.Source(__file__)
ROUNDS = 16  # 8 and fewer cost colors: 7 instead of 5 on delaunay20, 14 instead of 13 on rmat20


def smallest_log_last(G: Graph, seed: int | None, rounds: int = ROUNDS) -> Any:
    """Vertices by decreasing round of removal, ties by `seed` (Hasenplaugh et al. 2014, SLL)."""
    if rounds < 1:
        raise OptionError(f"rounds must be at least 1, not {rounds!r}")
    thresholds = max(G.max_degree - 1, 0).bit_length() + 1  # 1, 2, 4, … up to the first ≥ the largest degree
    if G.on_gpu:
        level = _levels_gpu(G, thresholds, rounds)
    else:
        level = levels(*unsigned(G), G.degrees.copy(), thresholds, rounds)
    return by_key(G, level, thresholds * rounds, seed)


@njit(cache=True, nogil=True)
def levels(indptr: Any, indices: Any, degree: Any, thresholds: Any, rounds: Any) -> Any:
    """Round that removes each vertex, int32: round j of threshold 2ⁱ is i·rounds + j. Overwrites `degree`."""
    n = degree.size
    level = np.empty(n, np.int32)
    queue = np.empty(n, np.uint32)
    head, tail = 0, 0
    before = -1
    for i in range(thresholds):
        threshold = 1 << i
        for v in range(n):
            if before < degree[v] <= threshold:
                queue[tail] = v
                tail += 1
        before = threshold
        for j in range(rounds):
            end = tail
            for k in range(head, end):
                v = queue[k]
                level[v] = i * rounds + j
                for e in range(indptr[v], indptr[v + np.uint32(1)]):
                    u = indices[e]
                    degree[u] -= 1
                    if degree[u] == threshold:
                        queue[tail] = u
                        tail += 1
            head = end
    return level


def _levels_gpu(G: Graph, thresholds: int, rounds: int) -> Any:
    """`levels` on a GPU without synchronization: the host launches all rounds, and empty rounds do nothing."""
    cp = dev.cupy()
    level = cp.empty(G.n, np.int32)
    if G.n == 0:
        return level
    degree = G.degrees.copy()
    queue = cp.empty(G.n, np.int32)
    steps = thresholds * rounds
    start = cp.zeros(steps + 1, np.int32)  # begin of each round in the queue
    count = cp.zeros(steps + 1, np.int32)  # number of vertices in each round
    lanes = 8 if G.m < 16 * G.n else 32
    run = SOURCE.of(G.indptr, LANES=lanes)
    most = 32 * run.processors
    for step in range(steps):
        i, j = divmod(step, rounds)
        threshold = np.int32(min(1 << i, 2**31 - 1))
        if j == 0:
            before = np.int32(-1 if i == 0 else 1 << (i - 1))
            vertices = (np.int32(G.n), degree, before, threshold, np.int32(step), start, count, queue)
            run.launch("enter", G.n, *vertices, most=most)
        rows = (G.indptr, G.indices, degree, threshold, np.int32(step), start, count, queue, level)
        run.launch("remove_round", G.n * lanes, *rows, most=most)
    return level
