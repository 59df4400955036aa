"""A largest clique, exactly: for each vertex those cliques whose other vertices come before it in smallest-last order.

The neighbors of a vertex before it are few, at most the degeneracy, and have bits for their adjacency. A clique among
them is extended by one vertex after another. First-fit gives the candidates colors, and only candidates of a color that
lets the clique grow beyond the largest so far are tried, the highest color first. Only the kernel of the graph for as
many colors as the largest known clique has vertices is searched: a vertex of fewer neighbors is in no larger clique.

References
----------
San Segundo, Rodríguez-Losada, Jiménez 2011, "An exact bit-parallel algorithm for the maximum clique problem"; Tomita,
Kameda 2007, "An efficient branch-and-bound algorithm for finding a maximum clique with computational experiments";
Eppstein, Löffler, Strash 2010, "Listing all maximal cliques in sparse graphs in near-optimal time", for the order.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...base.device.compiled import njit
from ...base.device.intrinsics import ctz64
from ...base.log import before
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...orders import Priorities
from .k_core import Core

WIDEST = 2048  # the largest degeneracy with tables
SLICE = 1 << 20  # words between two looks at the clock
ZERO, ONE, LAST_BIT = np.uint64(0), np.uint64(1), np.uint64(63)
ONE32 = np.uint32(1)
# Place of the vertex in the order; depth, −1 before it begins; size of the largest clique so far; words read.
STATE = np.dtype([(name, np.int64) for name in ("root", "depth", "largest", "read")])


class Tables(NamedTuple):
    """All of a search."""

    state: Any  # a record of STATE
    sequence: Any  # smallest-last; the neighbors of its i-th vertex before it are earlier[offsets[i] : offsets[i + 1]]
    offsets: Any
    earlier: Any
    near: Any  # near[i]: bits of the neighbors of candidate i among the candidates
    sets: Any  # sets[t]: bits of the candidates at depth t
    tries: Any  # tries[t]: candidates to try at depth t, and their colors; `counts[t]` of them are left
    colors: Any
    counts: Any
    names: Any  # the vertex of each candidate; `local`: the other way round
    local: Any
    taken: Any  # the candidate taken at each depth
    found: Any  # vertices of the largest clique


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
        self._state = np.array([(0, -1, size, 0)], STATE).view(np.recarray)[0]
        self._kernel = Core(G, size)
        H = self._kernel.graph
        self.ended = H.n == 0 or size >= enough
        if self.ended:
            return
        sequence = Priorities.of(H, "smallest_last").sequence.view(np.uint32)
        offsets = np.zeros(H.n + 1, np.int64)
        earlier = np.empty(H.m // 2, np.uint32)
        most = orient(*unsigned(H), sequence, np.empty(H.n, np.int32), offsets, earlier)
        self.fits = most <= WIDEST
        if self.fits:
            words = (most >> 6) + 1
            self._tables = Tables(
                self._state, sequence, offsets, earlier, np.zeros((most + 1, words), np.uint64),
                np.zeros((most + 2, words), np.uint64), np.zeros((most + 2, most + 1), np.int32),
                np.zeros((most + 2, most + 1), np.int32), np.zeros(most + 2, np.int64), np.zeros(most + 1, np.uint32),
                np.full(H.n, -1, np.int32), np.zeros(most + 2, np.int64), np.zeros(most + 2, np.uint32),
            )  # fmt: skip

    def run(self, deadline: float = math.inf, most: int = 2**62) -> bool:
        """Go on until the search ends, a moment, or `most` words in all are read; whether it has ended."""
        state = self._state
        while self.fits and not self.ended and state.read < most and before(deadline):
            size = state.largest
            self.ended = bool(extend(self._tables, self.enough, min(state.read + SLICE, most)))
            if state.largest > size:
                self.vertices = np.sort(self._kernel.vertices[self._tables.found[: state.largest]]).astype(np.int64)
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
def extend(t: Any, enough: Any, most: Any) -> bool:
    """Go on until all vertices are done or a clique has `enough` vertices; False where the limit of words ends it."""
    state, near, sets, words = t.state, t.near, t.sets, t.sets.shape[1]
    tries, colors, counts, taken = t.tries, t.colors, t.counts, t.taken
    while state.read < most:
        if state.root == t.sequence.size or state.largest >= enough:
            return True
        if state.depth < 0:
            if candidates(t) == 0:
                state.root += 1
                continue
            state.depth = 0
            list_tries(state, near, sets, tries, colors, counts, 0)
        depth = state.depth
        i = counts[depth] - 1
        if i < 0 or 1 + depth + colors[depth, i] <= state.largest:
            state.depth -= 1
            state.root += depth == 0
            continue
        u = tries[depth, i]
        counts[depth], taken[depth] = i, u
        sets[depth, u >> 6] &= ~(ONE << (np.uint64(u) & LAST_BIT))
        left = ZERO
        for w in range(words):
            sets[depth + 1, w] = sets[depth, w] & near[u, w]
            left |= sets[depth + 1, w]
        state.read += words
        if left != ZERO:
            state.depth = depth + 1
            list_tries(state, near, sets, tries, colors, counts, depth + 1)
        elif depth + 2 > state.largest:
            state.largest = depth + 2
            t.found[0] = t.sequence[state.root]
            for d in range(depth + 1):
                t.found[d + 1] = t.names[taken[d]]
    return False


@njit(cache=True, nogil=True)
def candidates(t: Any) -> Any:
    """Bits of the adjacency of a vertex's earlier neighbors, by falling degree; how many there are.

    0: too few for a larger clique.
    """
    state, offsets, earlier, near, sets = t.state, t.offsets, t.earlier, t.near, t.sets
    counts, names, local, v = t.counts, t.names, t.local, t.sequence[t.state.root]
    begin, end = offsets[v], offsets[np.int64(v) + 1]
    n = end - begin
    state.read += n + 1
    if n < state.largest:
        return np.int64(0)
    for i in range(n):
        local[earlier[begin + i]] = i
        counts[i] = 0  # of neighbors, until the search begins
    for i in range(n):
        u = np.int64(earlier[begin + i])
        state.read += offsets[u + 1] - offsets[u]
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
    while kept > 0 and counts[order[kept - 1]] + 2 <= state.largest:  # too few neighbors for a larger clique
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
    return kept if kept >= state.largest else np.int64(0)


@njit(cache=True, nogil=True)
def list_tries(state: Any, near: Any, sets: Any, tries: Any, colors: Any, counts: Any, depth: Any) -> None:
    """Color the candidates at a depth by first-fit, a class at a time, and list the ones with a high enough color."""
    words, least = sets.shape[1], state.largest - depth  # a color beyond lets the clique grow beyond the largest
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
                state.read += words - w
                if color >= least:
                    tries[depth, count], colors[depth, count] = u, color
                    count += 1
            any_left |= left[w] != ZERO
    counts[depth] = count
