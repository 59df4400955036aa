"""Exact search for a largest clique, by each vertex and its neighbors before it in smallest-last order.

These neighbors are few, at most the degeneracy, and bit masks store their adjacency. A branch-and-bound search extends
a clique among them by one vertex after another. First-fit colors the candidates. Only candidates of a color that lets
the clique grow beyond the largest so far are tried, the highest color first. If the largest known clique has k
vertices, only the k-core is searched: a vertex of fewer than k neighbors is in no larger clique.

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

from ...base.device.compiled import inner, njit
from ...base.device.heaps import pop, push
from ...base.device.intrinsics import ctz64
from ...base.log import before
from ...graph.components import induced
from ...graph.graph import Graph
from ...orders import Priorities
from .k_core import Core

WIDEST = 2048  # the largest degeneracy with tables
SLICE = 1 << 20  # words between two checks of the clock
ZERO, ONE, LAST_BIT = np.uint64(0), np.uint64(1), np.uint64(63)
WORD, LOW = np.int64(32), np.int64(0xFFFFFFFF)
# Place of the present vertex in the order; depth, −1 before it begins; size of the largest clique so far; words read.
STATE = np.dtype([(name, np.int64) for name in ("root", "depth", "largest", "read")])


class Tables(NamedTuple):
    """Arrays of a search."""

    state: Any  # a record of STATE
    offsets: Any  # earlier neighbors of the i-th vertex, as places: earlier[offsets[i] : offsets[i + 1]]
    earlier: Any
    near: Any  # near[i]: mask of the neighbors of candidate i among the candidates
    sets: Any  # sets[t]: mask of the candidates at depth t
    tries: Any  # tries[t]: candidates to try at depth t; `colors`: their colors; `counts`: how many are left
    colors: Any
    counts: Any
    names: Any  # the place of each candidate; `local`: the candidate at each place, or −1
    local: Any
    taken: Any  # the candidate taken at each depth
    found: Any  # places of the vertices of the largest clique


class LargestClique:
    """A search for a clique of more than `size` vertices, until `enough` are found; calls of `run` continue it."""

    enough: int
    fits: Any  # whether the tables fit in memory; otherwise there is no search
    ended: bool  # whether no clique is larger, or `enough` are reached
    vertices: np.ndarray | None  # of the largest clique, int64, increasing; None: none has more than `size` so far

    def __init__(self, G: Graph, size: int = 0, enough: int = 2**31 - 1) -> None:
        self.enough, self.fits = enough, True
        alone = min(G.n, 1) if size == 0 else 0  # a clique of one vertex needs no search
        self.vertices = None if size else np.zeros(alone, np.int64)
        size += alone
        self._state = np.array([(0, -1, size, 0)], STATE).view(np.recarray)[0]
        self._kernel = Core(G, size)
        H = self._kernel.graph
        self.ended = H.n == 0 or size >= enough
        if self.ended:
            return
        self._sequence = Priorities.of(H, "smallest_last").sequence
        in_order = induced(H, self._sequence)
        rows, near = in_order.rows_of_entries(), in_order.indices
        is_earlier = near < rows
        counts = np.bincount(rows[is_earlier], minlength=H.n)
        most = int(counts.max())
        self.fits = most <= WIDEST
        if self.fits:
            words = (most >> 6) + 1
            self._tables = Tables(
                self._state, np.append(0, np.cumsum(counts)), near[is_earlier], np.zeros((most + 1, words), np.uint64),
                np.zeros((most + 2, words), np.uint64), np.zeros((most + 2, most + 1), np.int32),
                np.zeros((most + 2, most + 1), np.int32), np.zeros(most + 2, np.int64), np.zeros(most + 1, np.uint32),
                np.full(H.n, -1, np.int32), np.zeros(most + 2, np.int64), np.zeros(most + 2, np.uint32),
            )  # fmt: skip

    def run(self, deadline: float = math.inf, most: int = 2**62) -> bool:
        """Continue until the search ends, `deadline`, or `most` words in total; return whether it has ended."""
        state = self._state
        while self.fits and not self.ended and state.read < most and before(deadline):
            size = state.largest
            self.ended = bool(extend(self._tables, self.enough, min(state.read + SLICE, most)))
            if state.largest > size:
                places = self._tables.found[: state.largest]
                self.vertices = np.sort(self._kernel.vertices[self._sequence[places]]).astype(np.int64)
        return self.ended


@njit(cache=True, nogil=True)
def extend(t: Any, enough: Any, most: Any) -> bool:
    """Continue until all vertices are done or a clique has `enough` vertices; False if the limit of words ends it."""
    state, near, sets, words = t.state, t.near, t.sets, t.sets.shape[1]
    tries, colors, counts, taken = t.tries, t.colors, t.counts, t.taken
    while state.read < most:
        if state.root == t.local.size or state.largest >= enough:
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
            t.found[0] = state.root
            for d in range(depth + 1):
                t.found[d + 1] = t.names[taken[d]]
    return False


@inner()
def candidates(t: Any) -> Any:
    """Fill `near` and `sets` for a vertex's earlier neighbors, by decreasing degree; return their number or 0."""
    state, offsets, earlier, near, sets = t.state, t.offsets, t.earlier, t.near, t.sets
    counts, names, local = t.counts, t.names, t.local
    begin, end = offsets[state.root], offsets[state.root + 1]
    n = end - begin
    state.read += n + 1
    if n < state.largest:
        return np.int64(0)
    for i in range(n):
        local[earlier[begin + i]] = i
        counts[i] = 0  # number of neighbors, until the search begins
    for i in range(n):
        u = np.int64(earlier[begin + i])
        state.read += offsets[u + 1] - offsets[u]
        for e in range(offsets[u], offsets[u + 1]):
            j = local[earlier[e]]
            if j >= 0:
                counts[i] += 1
                counts[j] += 1
    heap, size = np.empty(n, np.int64), np.int64(0)
    for i in range(n):
        local[earlier[begin + i]] = -1
        if counts[i] + 2 > state.largest:  # enough neighbors for a larger clique
            push(heap, size, (n - counts[i]) << WORD | i)
            size += 1
    for w in range(sets.shape[1]):
        sets[0, w] = ZERO
    for i in range(size):
        names[i] = earlier[begin + (pop(heap, size - i) & LOW)]
        local[names[i]] = i
        sets[0, i >> 6] |= ONE << (np.uint64(i) & LAST_BIT)
        for w in range(sets.shape[1]):
            near[i, w] = ZERO
    for i in range(size):
        u = np.int64(names[i])
        for e in range(offsets[u], offsets[u + 1]):
            j = local[earlier[e]]
            if j >= 0:
                near[i, j >> 6] |= ONE << (np.uint64(j) & LAST_BIT)
                near[j, i >> 6] |= ONE << (np.uint64(i) & LAST_BIT)
    for i in range(size):
        local[names[i]] = -1
    return size if size >= state.largest else np.int64(0)


@inner()
def list_tries(state: Any, near: Any, sets: Any, tries: Any, colors: Any, counts: Any, depth: Any) -> None:
    """Color the candidates at a depth by first-fit, class by class, and list candidates of a sufficient color."""
    words, least = sets.shape[1], state.largest - depth  # a color beyond lets the clique grow beyond the largest
    left, free = np.empty(words, np.uint64), np.empty(words, np.uint64)
    for w in range(words):
        left[w] = sets[depth, w]
    color, count, any_left = 0, 0, True
    while any_left:
        for w in range(words):
            free[w] = left[w]
        color, any_left = color + 1, False
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
