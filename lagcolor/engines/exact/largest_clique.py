"""A largest clique, exactly: for each vertex those cliques whose other vertices come before it in smallest-last order.

The neighbors of a vertex before it are few, at most the degeneracy, and have bits for their adjacency. A clique among
them is extended by one vertex after another. First-fit gives the candidates colors, and only candidates of a color that
lets the clique grow beyond the largest so far are tried, the highest color first. Only the kernel of the graph for as
many colors as the largest known clique has vertices is searched: a vertex of fewer neighbors is in no larger clique.

==========  ============================================================================================================
near        near[i]: bits of the neighbors of candidate i among the candidates
sets        sets[t]: bits of the candidates at depth t
tries       tries[0, t], tries[1, t]: candidates to try at depth t, and their colors; `counts[t]` of them are left
at          ROOT: place of the vertex in the order; DEPTH, −1 before it begins; SIZE of the largest clique so far;
            words READ; WORDS of a row of bits
==========  ============================================================================================================

References
----------
San Segundo, Rodríguez-Losada, Jiménez 2011, "An exact bit-parallel algorithm for the maximum clique problem"; Tomita,
Kameda 2007, "An efficient branch-and-bound algorithm for finding a maximum clique with computational experiments";
Eppstein, Löffler, Strash 2010, "Listing all maximal cliques in sparse graphs in near-optimal time", for the order.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...base.device.compiled import njit
from ...base.device.intrinsics import ctz64
from ...base.log import before
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...orders import Priorities
from .k_core import Core

ROOT, DEPTH, SIZE, READ, WORDS = range(5)
WIDEST = 2048  # the largest degeneracy with tables
SLICE = 1 << 20  # words between two looks at the clock
ZERO, ONE, LAST_BIT = np.uint64(0), np.uint64(1), np.uint64(63)
ONE32 = np.uint32(1)


class LargestClique:
    """A search that goes on from call to call: for more than `size` vertices, until `enough` are found."""

    enough: int
    fits: Any  # whether the tables fit in memory; otherwise there is no search
    ended: bool  # whether no clique is larger, or `enough` are reached
    vertices: np.ndarray | None  # int64, rising: of the largest clique; None where none has more than `size` so far

    def __init__(self, G: Graph, size: int = 0, enough: int = 2**31 - 1) -> None:
        self.enough, self.fits = enough, True
        alone = size == 0 < G.n  # no row is searched for a clique of one vertex
        self.vertices = np.zeros(1, np.int64) if alone else None
        size += alone
        self._at = np.array([0, -1, size, 0, 0], np.int64)
        self._kernel = Core(G, size)
        H = self._kernel.graph
        self.ended = H.n == 0 or size >= enough
        if self.ended:
            return
        sequence = Priorities.of(H, "smallest_last").sequence.view(np.uint32)
        offsets = np.zeros(H.n + 1, np.int64)
        earlier = np.empty(H.m // 2, np.uint32)
        place = np.empty(H.n, np.int32)
        widest = orient(*unsigned(H), sequence, place, offsets, earlier)
        self.fits = widest <= WIDEST
        if self.fits:
            self._graph = sequence, offsets, earlier
            words = (widest >> 6) + 1
            self._at[WORDS] = words
            bits = np.zeros((widest + 1, words), np.uint64), np.zeros((widest + 2, words), np.uint64)
            tries, counts = np.zeros((2, widest + 2, widest + 1), np.int32), np.zeros(widest + 2, np.int64)
            names, local = np.zeros(widest + 1, np.uint32), np.full(H.n, -1, np.int32)
            self._found = np.zeros(widest + 2, np.uint32)
            self._tables = *bits, tries, counts, names, local, np.zeros(widest + 2, np.int64), self._found

    def run(self, deadline: float = math.inf, most: int = 2**62) -> bool:
        """Go on until the search ends, a moment, or `most` words in all are read; whether it has ended."""
        while self.fits and not self.ended and self._at[READ] < most and before(deadline):
            size, limit = self._at[SIZE], min(self._at[READ] + SLICE, most)
            self.ended = bool(extend(self._graph, self._tables, self._at, self.enough, limit))
            if self._at[SIZE] > size:
                self.vertices = np.sort(self._kernel.vertices[self._found[: self._at[SIZE]]]).astype(np.int64)
        return self.ended


@njit(cache=True, nogil=True)
def orient(indptr: Any, indices: Any, sequence: Any, place: Any, offsets: Any, earlier: Any) -> Any:
    """The neighbors of each vertex that come before it in a sequence; the most that a vertex has."""
    widest, count = np.int64(0), np.int64(0)
    for i in range(sequence.size):
        place[sequence[i]] = i
    for i in range(sequence.size):
        v = np.uint32(i)
        for e in range(indptr[v], indptr[v + ONE32]):
            if place[indices[e]] < place[v]:
                earlier[count] = indices[e]
                count += 1
        offsets[i + 1] = count
        widest = max(widest, count - offsets[i])
    return widest


@njit(cache=True, nogil=True)
def extend(graph: Any, tables: Any, at: Any, enough: Any, most: Any) -> bool:
    """Go on until all vertices are done or a clique has `enough` vertices; False where the limit of words ends it."""
    sequence = graph[0]
    near, sets, tries, counts, names, _, taken, found = tables
    while at[READ] < most:
        if at[ROOT] == sequence.size or at[SIZE] >= enough:
            return True
        if at[DEPTH] < 0:
            if candidates(graph, tables, at) == 0:
                at[ROOT] += 1
                continue
            at[DEPTH] = 0
            list_tries(tables, at, 0)
        depth, words = at[DEPTH], at[WORDS]
        i = counts[depth] - 1
        if i < 0 or 1 + depth + tries[1, depth, i] <= at[SIZE]:
            at[DEPTH] -= 1
            at[ROOT] += depth == 0
            continue
        u = tries[0, depth, i]
        counts[depth] = i
        taken[depth] = u
        sets[depth, u >> 6] &= ~(ONE << (np.uint64(u) & LAST_BIT))
        left = ZERO
        for w in range(words):
            sets[depth + 1, w] = sets[depth, w] & near[u, w]
            left |= sets[depth + 1, w]
        at[READ] += words
        if left != ZERO:
            at[DEPTH] = depth + 1
            list_tries(tables, at, depth + 1)
        elif depth + 2 > at[SIZE]:
            at[SIZE] = depth + 2
            found[0] = sequence[at[ROOT]]
            for t in range(depth + 1):
                found[t + 1] = names[taken[t]]
    return False


@njit(cache=True, nogil=True)
def candidates(graph: Any, tables: Any, at: Any) -> Any:
    """Bits of the adjacency of a vertex's earlier neighbors, by falling degree; how many there are.

    0: too few for a larger clique.
    """
    (sequence, offsets, earlier), near, sets = graph, tables[0], tables[1]
    counts, names, local = tables[3], tables[4], tables[5]
    v = sequence[at[ROOT]]
    begin, end = offsets[v], offsets[np.int64(v) + 1]
    n = end - begin
    at[READ] += n + 1
    if n < at[SIZE]:
        return np.int64(0)
    for i in range(n):
        local[earlier[begin + i]] = i
        counts[i] = 0  # of neighbors, until the search begins
    for i in range(n):
        u = np.int64(earlier[begin + i])
        at[READ] += offsets[u + 1] - offsets[u]
        for e in range(offsets[u], offsets[u + 1]):
            j = local[earlier[e]]
            if j >= 0:
                counts[i] += 1
                counts[j] += 1
    order = np.argsort(-counts[:n])
    for i in range(n):
        local[earlier[begin + order[i]]] = i
        names[i] = earlier[begin + order[i]]
    kept = n
    while kept > 0 and counts[order[kept - 1]] + 2 <= at[SIZE]:  # too few neighbors for a larger clique
        kept -= 1
    near[:n] = ZERO
    sets[0] = ZERO
    for i in range(kept):
        u = np.int64(names[i])
        for e in range(offsets[u], offsets[u + 1]):
            j = local[earlier[e]]
            if 0 <= j < kept:
                near[i, j >> 6] |= ONE << (np.uint64(j) & LAST_BIT)
                near[j, i >> 6] |= ONE << (np.uint64(i) & LAST_BIT)
        sets[0, i >> 6] |= ONE << (np.uint64(i) & LAST_BIT)
    for i in range(n):
        local[earlier[begin + i]] = -1
    return kept if kept >= at[SIZE] else np.int64(0)


@njit(cache=True, nogil=True)
def list_tries(tables: Any, at: Any, depth: Any) -> None:
    """Color the candidates at a depth by first-fit, a class at a time, and list the ones with a high enough color."""
    near, sets, tries, counts = tables[0], tables[1], tables[2], tables[3]
    words, least = at[WORDS], at[SIZE] - depth  # a color beyond lets the clique grow beyond the largest
    left, free = sets[depth].copy(), np.empty(words, np.uint64)
    color, count, any_left = 0, 0, True
    while any_left:
        color += 1
        free[:] = left
        any_left = False
        for w in range(words):
            while free[w] != ZERO:
                bit = free[w] & (~free[w] + ONE)
                u = (np.int64(w) << 6) + np.int64(ctz64(bit))
                left[w] ^= bit
                free[w] ^= bit
                for x in range(w, words):
                    free[x] &= ~near[u, x]
                at[READ] += words - w
                if color >= least:
                    tries[0, depth, count], tries[1, depth, count] = u, color
                    count += 1
            any_left |= left[w] != ZERO
    counts[depth] = count
