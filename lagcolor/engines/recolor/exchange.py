"""Heuristics 1 and 2: neighbours of the highest color give way to it, again and again while that helps.

*hic* is the highest color in use, H its vertices, W their neighbours. Only the rows of these are read.

- Heuristic 1: two colors x and y such that no vertex of W with color x has a neighbour of color y. Then those vertices
  take y, all of H takes x, and one color is saved. The least such (x, y) is taken.
- Heuristic 2: vertices of H with a common neighbour form a set (concurrent union-find). A set takes the least color i
  whose vertices in its neighbourhood can all move to one other color b, the least. Sets next to each other must not
  choose the same b: of two adjacent choices that with fewer colors loses those of the other.

A pass tries heuristic 1, and heuristic 2 where that fails; a pass that moves nothing ends it. Progress: each pass makes
H smaller, or the highest color lower.

===========  ==========================================================================================================
hic          highest color
first[w]     place in H of the first neighbour that w has there; NONE outside W
parent       union-find on places in H: the larger root is hooked under the smaller, so the root is the smallest place
free[s, i]   bits: colors that all vertices of color i beside set s may move to
matrix       [x, y] nonzero: some vertex of W with color x has a neighbour of color y; [x, x]: W has color x
===========  ==========================================================================================================

Departures from the paper. What a stronger choice takes from a weaker one is what it had before any was taken away: the
result then depends on no schedule, and is the same on CPU and GPU. Vertices may move to lower colors too, which
colorings other than first-fit leave free. The cap is 64 colors instead of 32, fewer where H is large (n / 2 words in
all), and 2048 for heuristic 1. A row of W is read once for all of its neighbours in H, not once for each.

References
----------
Alabandi, Burtscher 2022, "Improving the speed and quality of parallel graph coloring", ACM Trans. Parallel
Computing 9(3), Algorithms 4 and 5.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from semirings.runtime.compile_clock import clock

from ... import device as dev
from ...core.graph import Graph
from ...core.result import Log
from ..greedy.sequential import unsigned
from . import exchange_cpu as cpu

SOURCE = Path(__file__).with_suffix(".cu")
NONE = np.int32(2**31 - 1)
COLORS_1 = 2048  # colors that heuristic 1 looks at
COLORS_2 = 64  # and heuristic 2: bits of a word
HUB = 2048  # degree from which a row takes a block instead of a warp
BLOCK = 256
KERNELS = ("find_h", "find_w", "unite", "forbid", "choose_pair", "give_way", "move")
SLOTS = 4  # of `state`: sizes of H and W, the pair of heuristic 1, how many of H have moved


def heuristics(G: Graph, colors: Any, *, deadline: float | None = None, log: Log | None = None) -> Any:
    """Color reduction by heuristics 1 and 2 to a fixed point."""
    log = log or Log()
    colors = colors.copy()
    if G.n == 0:
        return colors
    with dev.using(G.indices):
        k = int(colors.max()) + 1
        step = Gpu(dev.cupy(), G, colors) if G.on_gpu else Cpu(G, colors)
        try:
            moved, longest, now = 1, 0.0, clock()
            while moved and k > (2 if G.m else 1):  # only the last step of a pass writes colors
                if deadline is not None and now + longest > deadline:
                    break
                in_h, moved = step(k - 1)
                log.round(active=in_h, colored=moved, conflicts=0)
                k -= moved == in_h
                before, now = now, clock()
                longest = max(longest, now - before)
        except KeyboardInterrupt:
            log.notes["interrupted"] = True
    return colors


def words(n: int) -> int:
    """Words of 64 colors that heuristic 2 may use: half a word per vertex."""
    return max(n // 2, 4096)


def sizes(n: int, hic: int, n_h: int) -> tuple[int, int]:
    """Colors that the two heuristics look at."""
    return min(hic, COLORS_1), min(hic, COLORS_2, words(n) // n_h)


def targets(hic: int) -> np.uint64:
    """Bits: what a vertex may move to."""
    return np.uint64((1 << min(hic, COLORS_2)) - 1)


class Cpu:
    """Passes on one core."""

    def __init__(self, G: Graph, colors: np.ndarray) -> None:
        self.graph = unsigned(G)
        self.colors = colors
        self.first = np.full(G.n, NONE)
        self.h, self.w, self.parent = np.empty(G.n, np.uint32), np.empty(G.n, np.uint32), np.empty(G.n, np.int32)

    def __call__(self, hic: int) -> tuple[int, int]:
        """Size of H, and how many of it moved."""
        colors, first = self.colors, self.first
        n_h, n_w = cpu.neighbourhood(*self.graph, colors, hic, first, self.h, self.w, self.parent)
        h, w, parent = self.h[:n_h], self.w[:n_w], self.parent[:n_h]
        columns, rows = sizes(len(colors), hic, n_h)
        matrix, free = np.zeros((columns, columns), np.bool_), np.full((n_h, rows), targets(hic))
        free &= ~(np.uint64(1) << np.arange(rows, dtype=np.uint64))
        cpu.forbid(*self.graph, colors, w, first, parent, free, matrix)
        x, y = cpu.least_pair(matrix)
        if x >= 0:
            cpu.move_pair(colors, h, w, x, y)
            moved = n_h
        else:
            left = free.copy()
            cpu.give_way(*self.graph, colors, w, first, parent, free, left)
            moved = cpu.move_sets(colors, h, w, first, parent, left, np.full(n_h, -1, np.int32))
        cpu.clear(first, w)
        return n_h, moved


class Gpu:
    """The same by seven kernels per pass (exchange.cu) and one read of the counts; `cp` is CuPy."""

    def __init__(self, cp: Any, G: Graph, colors: Any) -> None:
        self.cp, self.G, self.colors = cp, G, colors
        self.first = cp.full(G.n, NONE, np.int32)
        self.h, self.w, self.parent = (cp.empty(G.n, np.int32) for _ in range(3))
        self.free, self.left = (cp.empty(words(G.n), np.uint64) for _ in range(2))
        self.state = cp.zeros(SLOTS, np.int32)
        self.matrix = cp.empty(0, np.int32)
        group = BLOCK if G.max_degree > HUB else 32
        macros = {"OFFSET_BITS": 8 * G.indptr.itemsize, "GROUP": group}
        self.kernels = [dev.kernel(SOURCE, name, **macros) for name in KERNELS]
        self.most = 16 * cp.cuda.Device().attributes["MultiProcessorCount"]

    def __call__(self, hic: int) -> tuple[int, int]:
        """Size of H, and how many of it moved."""
        cp, n, columns = self.cp, self.G.n, min(hic, COLORS_1)
        if len(self.matrix) < columns**2:
            self.matrix = cp.empty(columns**2, np.int32)
        self.state.fill(0)
        numbers = (np.int64(n), np.int64(hic), np.int64(columns), np.int64(words(n)))
        arrays = (self.first, self.h, self.w, self.parent, self.free, self.left, self.matrix, self.state)
        for kernel in self.kernels:
            kernel(
                (min(-(-n // BLOCK), self.most),),
                (BLOCK,),
                (self.G.indptr, self.G.indices, self.colors, *arrays, *numbers),
            )
        n_h, _, _, moved = self.state.tolist()
        return n_h, moved
