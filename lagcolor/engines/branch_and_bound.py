"""Whether k colors do, exactly: DSATUR branch and bound, as far as a number of nodes goes.

A clique is colored first. Then the vertex that sees the most colors comes next; of several, where few colors are left,
the one that shares the most free colors with its neighbors among them (PASS), else the one with the most neighbors
without a color. It takes each color in turn that no neighbor has, of those in use and one more. The search goes on from
call to call, and each ending is a proof: a coloring, or that there is none.

==========  ============================================================================================================
seen        seen[v, c]: neighbors of v that have color c
free        bits of the colors that no neighbor of v has, in words of 64
left        how many these are
stack       vertices in the order of choice; `nexts`, the next color to try of each
used        colors in use before a vertex was chosen
at          DEPTH of the search, NODES so far, RESULT
==========  ============================================================================================================

References
----------
Brélaz 1979, "New methods to color the vertices of a graph" (DSATUR, and the exact algorithm with it); San Segundo 2012,
"A new DSATUR-based algorithm for exact vertex coloring" (PASS).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semirings.runtime.compile_clock import clock

from ..core.graph import Graph
from ..device.compiled import njit
from ..device.intrinsics import popcount64
from .greedy.sequential import unsigned
from .lists.exhaustive import FOUND, NONE_EXISTS, UNKNOWN

DEPTH, NODES, RESULT = range(3)
FEW = 3  # free colors up to which PASS decides
SLICE = 2000  # nodes between two looks at the clock, for a graph of so many entries at most; fewer for more:
SLICE_READS = 1 << 22
ZERO, ONE, SIX, LAST_BIT = np.uint64(0), np.uint64(1), np.uint64(6), np.uint64(63)
ONE32 = np.uint32(1)


class Decision:
    """Whether a graph has a coloring with k colors.

    Parameters
    ----------
    G : Graph
        On the CPU.
    k : int
        From 1 on.

    Attributes
    ----------
    result : {FOUND, NONE_EXISTS, UNKNOWN}
        So far; with FOUND `colors` has the coloring, int32, shape (n,).
    nodes : int
        Vertices colored so far, again and again.
    """

    def __init__(self, G: Graph, k: int) -> None:
        n = G.n
        self.n, self.k, self.graph = n, k, unsigned(G)
        self.colors = np.full(n, -1, np.int32)
        self.seen, self.left = np.zeros((n, k), np.int32), np.full(n, k, np.int64)
        self.free = np.full((n, (k >> 6) + 1), 2**64 - 1, np.uint64)
        self.free[:, -1] = (1 << (k & 63)) - 1
        self.clique = large_clique(*unsigned(G))
        self.stack, self.nexts = np.zeros(n + 1, np.uint32), np.zeros(n + 1, np.int64)
        self.used, self.at = np.zeros(n + 1, np.int64), np.array([0, 0, UNKNOWN], np.int64)
        if n == 0:
            self.at[RESULT] = FOUND
        elif len(self.clique) > k:
            self.at[RESULT] = NONE_EXISTS
        else:
            self.stack[0] = self.clique[0]
        self._slice = max(min(SLICE, SLICE_READS // (G.m + n * 8 + 1)), 1)

    def run(self, deadline: float | None = None, most: int = 2**62) -> int:
        """Go on until it is known, a moment, or so many nodes in all; returns `result`."""
        while self.result == UNKNOWN and self.nodes < most:
            if deadline is not None and clock() >= deadline:
                break
            limit = min(most, self.nodes + self._slice)
            table = self.seen, self.free, self.left
            scratch = self.stack, self.nexts, self.used, self.at
            branch(self.graph, self.colors, self.clique, table, scratch, self.k, limit)
        return self.result

    @property
    def result(self) -> int:
        """What is known so far."""
        return int(self.at[RESULT])

    @property
    def nodes(self) -> int:
        """Nodes so far."""
        return int(self.at[NODES])


def large_clique(indptr: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Vertices of a clique, uint32, greedily from each of the vertices of large degree; one where there is no edge."""
    n = len(indptr) - 1
    if n == 0:
        return np.empty(0, np.uint32)
    starts = np.argsort(-np.diff(indptr.astype(np.int64)), kind="stable")[:64].astype(np.uint32)
    room, best = np.empty(n, np.uint32), np.empty(n, np.uint32)
    return best[: grow_cliques(indptr, indices, starts, np.full(n, -1, np.int64), room, best)].copy()


@njit(cache=True, nogil=True)
def grow_cliques(indptr: Any, indices: Any, starts: Any, marks: Any, room: Any, best: Any) -> Any:
    """From each start: take the candidate with the most neighbors among the candidates, and keep these."""
    n, largest, mark = np.int64(marks.size), np.int64(0), np.int64(0)
    taken = np.empty(n, np.uint32)
    for s in starts:
        left = np.int64(indptr[s + ONE32] - indptr[s])
        for i in range(left):
            room[i] = indices[np.int64(indptr[s]) + i]
        taken[0] = s
        size = np.int64(1)
        while left > 0 and size + left > largest:
            mark += 1
            for i in range(left):
                marks[room[i]] = mark
            most, top = np.int64(-1), room[0]
            for i in range(left):
                beside = np.int64(0)
                for e in range(indptr[room[i]], indptr[room[i] + ONE32]):
                    beside += marks[indices[e]] == mark
                if beside > most:
                    most, top = beside, room[i]
            taken[size] = top
            size += 1
            left = np.int64(0)
            for e in range(indptr[top], indptr[top + ONE32]):
                if marks[indices[e]] == mark:
                    room[left] = indices[e]
                    left += 1
        if size > largest:
            largest = size
            for i in range(size):
                best[i] = taken[i]
    return largest


@njit(cache=True, nogil=True)
def branch(graph: Any, colors: Any, clique: Any, table: Any, scratch: Any, k: Any, most: Any) -> Any:
    """Go on until something is proved, or `at[NODES]` reaches a number; returns the nodes that it took."""
    (indptr, indices), (seen, free, left), (stack, nexts, used, at) = graph, table, scratch
    n, before = colors.size, at[NODES]
    while at[NODES] < most:
        depth = at[DEPTH]
        if depth < 0:
            at[RESULT] = NONE_EXISTS
            return at[NODES] - before
        v = stack[depth]
        if colors[v] >= 0:
            show(graph, v, colors[v], colors, table, -1)
            colors[v] = -1
        c, end = nexts[depth], min(k, used[depth] + 1)
        while c < end and seen[v, c] > 0:
            c += 1
        if c >= end:
            at[DEPTH] -= 1
            continue
        colors[v] = c
        dead = show(graph, v, c, colors, table, 1)
        nexts[depth] = c + 1
        at[NODES] += 1
        if dead:  # a neighbor has no color left: the next one, at the same depth
            continue
        if depth + 1 == n:
            at[RESULT] = FOUND
            return at[NODES] - before
        depth += 1
        at[DEPTH] = depth
        used[depth] = max(used[depth - 1], c + 1)
        stack[depth] = clique[depth] if depth < clique.size else next_vertex(indptr, indices, colors, free, left)
        nexts[depth] = 0
    return at[NODES] - before


@njit(cache=True, nogil=True)
def show(graph: Any, v: Any, c: Any, colors: Any, table: Any, by: Any) -> Any:
    """The neighbors of v see color c once more (1), or once less (−1); whether one without a color has none left."""
    (indptr, indices), (seen, free, left), dead = graph, table, False
    word, bit = c >> 6, ONE << (np.uint64(c) & LAST_BIT)
    for e in range(indptr[v], indptr[v + ONE32]):
        u = indices[e]
        before = seen[u, c]
        seen[u, c] = before + by
        if (before == 0) != (before + by == 0):
            free[u, word] ^= bit
            left[u] -= by
            dead = dead or (left[u] == 0 and colors[u] < 0)
    return dead


@njit(cache=True, nogil=True)
def next_vertex(indptr: Any, indices: Any, colors: Any, free: Any, left: Any) -> Any:
    """The vertex without a color that has the fewest left, by PASS or by neighbors without a color where several do."""
    fewest = np.int64(2**62)
    for i in range(colors.size):
        if colors[i] < 0 and left[i] < fewest:
            fewest = left[i]
    best, most = np.uint32(0), np.int64(-1)
    for i in range(colors.size):
        if colors[i] >= 0 or left[i] != fewest:
            continue
        v, shared = np.uint32(i), np.int64(0)
        for e in range(indptr[v], indptr[v + ONE32]):
            u = indices[e]
            if colors[u] >= 0:
                continue
            if fewest > FEW:
                shared += 1
            elif left[u] == fewest:
                for w in range(free.shape[1]):
                    shared += np.int64(popcount64(free[u, w] & free[v, w]))
        if shared > most:
            best, most = v, shared
    return best
