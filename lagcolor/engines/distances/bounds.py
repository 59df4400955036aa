"""Lower bounds of the span of a coloring with distances, by cliques.

The frequencies of a clique in rising order are a path through it, and each step is at least the distance of its ends:
the span is at least the length of a shortest Hamiltonian path plus one. Of up to MOST vertices that path is found by
dynamic programming over subsets, O(2^q q²); of more the bound is the length of a minimum spanning tree. Cliques grow
from the vertices with the largest sums of distances, each by the common neighbor with the largest sum to the clique.

References
----------
Held, Karp 1962, "A dynamic programming approach to sequencing problems"; Roberts 1991, "T-colorings of graphs: recent
results and open problems".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device.compiled import njit
from ...problems.report import called
from . import Instance
from .first_fit import bar, least, most_barred, sums_of

ONE32 = np.uint32(1)
MOST = 12  # vertices of a clique whose shortest path is found
STARTS, READS = 64, 1 << 22  # cliques that are grown, as long as these entries are read
FAR = 1 << 60


def lower_bound(instance: Instance, labels: Any = None) -> tuple[int, str]:
    """A span that every coloring has at least, and why, in the names of vertices."""
    if not instance.n:
        return 0, ""
    v, c = highest_alone(instance, np.empty((2, most_barred(instance)), np.int64))
    alone, why = (
        c + 1,
        f"vertex {called(v, labels)} has no color under {c} that is allowed to it and far enough from fixed ones",
    )
    bound = alone
    starts = np.argsort(-sums_of(instance), kind="stable")[:STARTS]
    score, marks = np.zeros(instance.n, np.int64), np.zeros(instance.n, np.int64)
    read = 0
    for v in starts.tolist():
        if read > READS:
            break
        clique, steps = grow(instance, np.uint32(v), score, marks)
        read += steps
        between = distances_within(instance, clique)
        bound = max(bound, spanning_tree(between) + 1, shortest_path(between[:MOST, :MOST]) + 1)
    return (alone, why) if bound == alone else (bound, f"there is a clique whose span is {bound} at least")


@njit(cache=True, nogil=True)
def highest_alone(instance: Any, barred: Any) -> Any:
    """The vertex whose least color with fixed neighbors alone is the highest, and that color."""
    found, highest = np.int64(0), np.int64(-1)
    for v in range(np.uint32(instance.fixed.size)):
        c = np.int64(instance.fixed[v])
        if c < 0:
            count = bar(instance, v, instance.fixed, barred)
            c = least(barred[0, :count], barred[1, :count])
        if c > highest:
            found, highest = np.int64(v), c
    return found, highest


@njit(cache=True, nogil=True)
def grow(instance: Any, v: Any, score: Any, marks: Any) -> Any:
    """A maximal clique with v, in the order of growth, and entries read; `score` and `marks` are 0, also after.

    `marks` has how many vertices of the clique are neighbors of a vertex, `score` the sum of their distances.
    """
    indptr, indices, distances = instance.indptr, instance.indices, instance.distances
    clique, read = [v], np.int64(0)
    while True:
        u = clique[-1]
        for e in range(indptr[u], indptr[u + ONE32]):
            marks[indices[e]] += 1
            score[indices[e]] += distances[e]
        read += np.int64(indptr[u + ONE32] - indptr[u])
        best, found = v, False
        for e in range(indptr[v], indptr[v + ONE32]):
            w = indices[e]
            if marks[w] == len(clique) and (not found or score[w] > score[best]):
                best, found = w, True
        read += np.int64(indptr[v + ONE32] - indptr[v])
        if not found:
            break
        clique.append(best)
    for u in clique:
        for e in range(indptr[u], indptr[u + ONE32]):
            marks[indices[e]] = 0
            score[indices[e]] = 0
    return np.array(clique), read


@njit(cache=True, nogil=True)
def distances_within(instance: Any, clique: Any) -> Any:
    """The matrix of distances of a clique."""
    indptr, indices = instance.indptr, instance.indices
    between = np.zeros((clique.size, clique.size), np.int64)
    for i in range(clique.size):
        for e in range(indptr[clique[i]], indptr[clique[i] + ONE32]):
            for j in range(clique.size):
                if clique[j] == indices[e]:
                    between[i, j] = instance.distances[e]
    return between


@njit(cache=True, nogil=True)
def spanning_tree(between: Any) -> Any:
    """The length of a minimum spanning tree, by Prim's algorithm."""
    q = between.shape[0]
    near, inside, length = between[0].copy(), np.zeros(q, np.bool_), 0
    inside[0] = True
    for _ in range(q - 1):
        v = -1
        for u in range(q):
            if not inside[u] and (v < 0 or near[u] < near[v]):
                v = u
        inside[v] = True
        length += near[v]
        for u in range(q):
            near[u] = min(near[u], between[v, u])
    return length


@njit(cache=True, nogil=True)
def shortest_path(between: Any) -> Any:
    """The length of a shortest Hamiltonian path, by dynamic programming over the vertices visited and the last one."""
    q = between.shape[0]
    length = np.full((1 << q, q), FAR, np.int64)
    for v in range(q):
        length[1 << v, v] = 0
    for visited in range(1, 1 << q):
        for v in range(q):
            if length[visited, v] == FAR:
                continue
            for u in range(q):
                if not visited >> u & 1:
                    longer = length[visited, v] + between[v, u]
                    if longer < length[visited | 1 << u, u]:
                        length[visited | 1 << u, u] = longer
    return length[-1].min()
