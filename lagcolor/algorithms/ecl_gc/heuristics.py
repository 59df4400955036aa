"""Heuristics 1 and 2: recolor neighbors of the highest color to free a lower color for it, while this helps.

*hic* is the highest color in use, H its vertices, W their neighbors. Only rows of H and W are read.

- Heuristic 1 finds two colors x and y such that no vertex of W with color x has a neighbor of color y. These vertices
  take y, all of H takes x, and one color is saved. The least pair (x, y) is used.
- Heuristic 2: vertices of H with a common neighbor form a set (concurrent union-find). A set takes the least color i
  such that all vertices of color i in its neighborhood can move to one other color b, the least possible. Adjacent sets
  must not choose the same b: of two adjacent choices, the one with fewer colors loses the colors of the other.

A pass uses heuristic 1 or, if that fails, heuristic 2. A pass that moves no vertex of H is the last. Progress: all
others reduce H or lower the highest color.

===========  ==========================================================================================================
hic          highest color
first[w]     position in H of the first neighbor of w there; NONE outside W
parent       union-find on positions in H; the smaller root becomes the parent, so a root is the least position
free[s, i]   bits: colors to which all vertices of color i next to set s can move
matrix       [x, y] nonzero: some vertex of W with color x has a neighbor of color y; [x, x]: W has color x
===========  ==========================================================================================================

Differences from the paper. A choice loses the colors that a stronger choice had before any choice lost colors, so the
result does not depend on the schedule and is the same on CPU and GPU. Vertices may also move to lower colors, which
colorings other than first-fit leave free. The limit is 64 colors instead of 32, fewer if H is large (n / 2 words in
total), and 2048 for heuristic 1. A row of W is read once, not once for each neighbor in H.

References
----------
Alabandi, Burtscher 2022, "Improving the speed and quality of parallel graph coloring", ACM Trans. Parallel
Computing 9(3), Algorithms 4 and 5.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...base import device as dev
from ...base.compile_clock import clock
from ...base.device.compiled import njit
from ...base.device.intrinsics import popcount64
from ...base.log import Log
from ...graph.graph import Graph
from ...graph.pattern import unsigned

SOURCE = dev.Source(__file__)
NONE = np.int32(2**31 - 1)
COLORS_1 = 2048  # colors that heuristic 1 considers
COLORS_2 = 64  # colors that heuristic 2 considers: bits of a word
HUB = 2048  # with a larger degree, blocks instead of warps read rows
KERNELS = ("find_h", "find_w", "unite", "forbid", "choose_pair", "give_way", "move")
SLOTS = 4  # of `state`: sizes of H and W, the pair of heuristic 1, number of vertices of H that have moved
ZERO, ONE = np.uint64(0), np.uint64(1)
ONE32 = np.uint32(1)


def heuristics(G: Graph, colors: Any, *, deadline: float | None = None, log: Log | None = None) -> Any:
    """Reduce the number of colors by heuristics 1 and 2 until neither helps."""
    log = log or Log()
    colors = colors.copy()
    if G.n == 0:
        return colors
    with dev.using(G.indices):
        k = int(colors.max()) + 1
        step = GPUPasses(dev.cupy(), G, colors) if G.on_gpu else CPUPasses(G, colors)
        with log.best_so_far():
            moved, longest, now = 1, 0.0, clock()
            while moved and k > (2 if G.m else 1):  # only the last step of a pass writes colors
                if deadline is not None and now + longest > deadline:
                    break
                in_h, moved = step(k - 1)
                log.round(active=in_h, colored=moved, conflicts=0)
                k -= moved == in_h
                before, now = now, clock()
                longest = max(longest, now - before)
    return colors


def words(n: int) -> int:
    """Number of words of 64 colors that heuristic 2 may use: half a word per vertex."""
    return max(n // 2, 4096)


class HighestColor(NamedTuple):
    """H, W and the sets of H, as in the docstring of the module."""

    first: Any
    h: Any
    w: Any
    parent: Any


class CPUPasses:
    """Passes on one core."""

    def __init__(self, G: Graph, colors: np.ndarray) -> None:
        self.graph, self.colors = unsigned(G), colors
        lists = np.empty(G.n, np.uint32), np.empty(G.n, np.uint32), np.empty(G.n, np.int32)
        self.around = HighestColor(np.full(G.n, NONE), *lists)

    def __call__(self, hic: int) -> tuple[int, int]:
        """Run a pass; return the size of H and the number of its vertices that moved."""
        colors, (first, h, w, parent) = self.colors, self.around
        n_h, n_w = find(*self.graph, colors, hic, self.around)
        near = HighestColor(first, h[:n_h], w[:n_w], parent[:n_h])
        columns, rows = min(hic, COLORS_1), min(hic, COLORS_2, words(len(colors)) // n_h)
        matrix = np.zeros((columns, columns), np.bool_)
        free = np.full((n_h, rows), (1 << min(hic, COLORS_2)) - 1, np.uint64)
        free &= ~(ONE << np.arange(rows, dtype=np.uint64))
        forbid(*self.graph, colors, near, free, matrix)
        if not matrix.all():
            x, y = divmod(int(matrix.argmin()), columns)
            colors[near.w[colors[near.w] == x]] = y
            colors[near.h] = x
            moved = n_h
        else:
            left = free.copy()
            give_way(*self.graph, colors, near, free, left)
            moved = self.move(near, left)
        first[near.w] = NONE
        return n_h, moved

    def move(self, near: HighestColor, left: np.ndarray) -> int:
        """Heuristic 2: give each set the least color that W can leave; return how many vertices of H moved."""
        colors, able = self.colors, left != ZERO
        least = able.argmax(axis=1) if left.shape[1] else -1
        choice = np.where(able.any(axis=1), least, -1).astype(np.int32)
        sets = near.parent[near.first[near.w]]
        leaves = colors[near.w] == choice[sets]
        bits = left[sets[leaves], choice[sets[leaves]]]
        colors[near.w[leaves]] = np.log2((bits & (~bits + ONE)).astype(np.float64))  # the least: a power of 2
        takes = choice[near.parent]
        colors[near.h[takes >= 0]] = takes[takes >= 0]
        return int((takes >= 0).sum())


class GPUPasses:
    """Passes on a GPU: seven kernels each (heuristics.cu) and one read of the counts; `cp` is CuPy."""

    def __init__(self, cp: Any, G: Graph, colors: Any) -> None:
        self.cp, self.G, self.colors = cp, G, colors
        self.first = cp.full(G.n, NONE, np.int32)
        self.h, self.w, self.parent = (cp.empty(G.n, np.int32) for _ in range(3))
        self.free, self.left = (cp.empty(words(G.n), np.uint64) for _ in range(2))
        self.state = cp.zeros(SLOTS, np.int32)
        self.matrix = cp.empty(0, np.int32)
        group = SOURCE.block if G.max_degree > HUB else 32
        self.kernels = SOURCE.of(G.indptr, GROUP=group)

    def __call__(self, hic: int) -> tuple[int, int]:
        """Run a pass; return the size of H and the number of its vertices that moved."""
        n, columns = self.G.n, min(hic, COLORS_1)
        if len(self.matrix) < columns**2:
            self.matrix = self.cp.empty(columns**2, np.int32)
        self.state.fill(0)
        arrays = (self.first, self.h, self.w, self.parent, self.free, self.left, self.matrix, self.state)
        numbers = map(np.int64, (n, hic, columns, words(n)))
        args = (self.G.indptr, self.G.indices, self.colors, *arrays, *numbers)
        for name in KERNELS:
            self.kernels.launch(name, n, *args, most=16 * self.kernels.processors)
        n_h, _, _, moved = self.state.tolist()
        return n_h, moved


@njit(cache=True, nogil=True)
def find(indptr: Any, indices: Any, colors: Any, hic: Any, around: Any) -> Any:
    """Find H and W, unite vertices of H with a common neighbor, return both sizes. `first` is NONE on entry."""
    first, h, w, parent = around
    n_h, n_w = 0, 0
    for v in range(colors.size):
        if colors[v] == hic:
            h[n_h] = v
            parent[n_h] = n_h
            n_h += 1
    for i in range(n_h):
        v = h[i]
        for e in range(indptr[v], indptr[v + ONE32]):
            u = indices[e]
            if first[u] == NONE:
                first[u] = i
                w[n_w] = u
                n_w += 1
            else:
                a, b = root(parent, first[u]), root(parent, i)
                parent[max(a, b)] = min(a, b)
    for i in range(n_h):
        parent[i] = parent[parent[i]]  # roots come first
    return n_h, n_w


@njit(cache=True, nogil=True, inline="always")
def root(parent: Any, i: Any) -> Any:
    """Root of a position, with path halving."""
    while parent[i] != parent[parent[i]]:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return parent[i]


@njit(cache=True, nogil=True)
def forbid(indptr: Any, indices: Any, colors: Any, near: Any, free: Any, matrix: Any) -> None:
    """Remove the colors around each vertex of W from the row of its set, and set them in the matrix."""
    rows = free.shape[1]
    for u in near.w:
        c = colors[u]
        seen = c < matrix.shape[0]
        if seen:
            matrix[c, c] = True
        mask = ZERO
        for e in range(indptr[u], indptr[u + ONE32]):
            d = colors[indices[e]]
            if d < COLORS_2:
                mask |= ONE << np.uint64(d)
            if seen and d < matrix.shape[0]:
                matrix[c, d] = True
        if c < rows:
            free[near.parent[near.first[u]], c] &= ~mask


@njit(cache=True, nogil=True)
def give_way(indptr: Any, indices: Any, colors: Any, near: Any, free: Any, left: Any) -> None:
    """Remove the colors of stronger adjacent choices (more colors, or smaller position) from `left`."""
    rows = free.shape[1]
    for u in near.w:
        c = colors[u]
        if c >= rows:
            continue
        s = near.parent[near.first[u]]
        mine, lost = free[s, c], ZERO
        for e in range(indptr[u], indptr[u + ONE32]):
            x = indices[e]
            d = colors[x]
            if near.first[x] == NONE or d >= rows:
                continue
            t = near.parent[near.first[x]]
            more = np.int64(popcount64(free[t, d])) - np.int64(popcount64(mine))
            if t != s and (more > 0 or (more == 0 and t < s)):
                lost |= free[t, d]
        left[s, c] &= ~lost
