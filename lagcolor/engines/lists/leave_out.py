"""Partial colorings with lists: the vertices left without a color are as few, or cost as little together, as possible.

1. Vertices with fewer neighbors left than colors, barred ones counted, are removed again and again: they find a color
   whatever the others have, and are colored last. The rest, the core, falls into connected parts.
2. Simplification with optimistic coloring, by several ratios of cost and degree; each part keeps the best of them.
3. Swaps in each part, until none is left out, a bound is reached, or the effort ends.

Fixed vertices bar their color to their neighbors and are no part of this. All of it runs on one core.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from semirings.runtime.compile_clock import clock

from ...core.components import components
from ...core.graph import Graph
from ...device.compiled import njit
from ..core import induce, peel
from .simplify import select, simplified
from .swaps import BARRED, BEGIN, BOUND, COLUMNS, END, HERE, LEAST, RANDOM, READ, SIZE, Walk, begin_all, swap

ONE32 = np.uint32(1)
POWERS = (1.0, 2.0, 0.0)  # of the degree, by which costs are divided
SLICE = 1 << 18  # entries that a compiled call reads
LEAST_READ = 1 << 12  # entries read for any part
MOST = 1 << 26  # vertices of the core times colors up to which there are swaps: 12 bytes each
STAYS = np.int32(2**30)  # degree of a vertex that is not removed
TOTAL = 1 << 52  # sum of the costs as whole numbers


def whole(cost: np.ndarray) -> np.ndarray:
    """Costs as whole numbers, int64, with 1 for each vertex: of two sets of the same cost the smaller costs less.

    Whole numbers stay in proportion where their sum allows it; others are rounded.
    """
    total, n = float(cost.sum()), len(cost)
    if cost.dtype.kind in "iu" and total * (n + 1) < TOTAL:
        return cost.astype(np.int64) * (n + 1) + 1
    return np.rint(cost * ((TOTAL - n) / max(total, np.finfo(float).tiny))).astype(np.int64) + 1


class LeaveOut:
    """A search.

    Parameters
    ----------
    graph : CSR
        Unsigned.
    k : int
        Colors, at least 1.
    fixed : array of int32
        Colors that vertices have already; −1 for the others.
    lists : CSR
        Colors that vertices may not have.
    cost : array of int64
        Of leaving a vertex out, 1 or more, as of `whole`.
    seed : int
    """

    def __init__(self, graph: Any, k: int, fixed: np.ndarray, lists: Any, cost: np.ndarray, seed: int) -> None:
        self.graph, self.k, self.fixed, self.lists = graph, k, fixed, lists
        n = len(fixed)
        degrees, order = np.empty(n, np.int32), np.empty(n, np.uint32)
        count_degrees(graph, fixed, lists, np.full(k, -1, np.int64), degrees)
        removed = peel(*graph, degrees, k, order)
        kept = (degrees >= 0) & (fixed < 0)
        self.order, self.vertices = order[:removed], np.flatnonzero(kept).astype(np.uint32)
        self.cost = cost[self.vertices]
        self._induce(kept, degrees[kept])
        self._divide(seed)

    def _induce(self, kept: np.ndarray, degrees: np.ndarray) -> None:
        """The core as a graph, with the colors that are barred to its vertices, and the first colors."""
        n, number = len(self.vertices), np.cumsum(kept, dtype=np.int32) - np.int32(1)
        barred, inside = np.zeros((n, self.k), np.bool_), np.zeros(n, np.int64)
        bar(self.graph, self.vertices, self.fixed, kept, self.lists, barred, inside)
        offsets = np.append(0, np.cumsum(inside))
        entries = np.empty(int(offsets[-1]), np.int32)
        induce(*self.graph, self.vertices, kept, number, entries)
        self.core = offsets.view(np.uint64), entries.view(np.uint32)
        lists = np.append(0, np.cumsum(barred.sum(1))), np.nonzero(barred)[1].astype(np.int32)
        self.barred = barred
        count, part = components(Graph(offsets, entries))
        self.part = part
        self.best, least = np.full(n, -1, np.int32), np.full(count, np.inf)
        for power in POWERS:
            colors = simplified(self.core, lists, degrees, self.k, self.cost, power)
            left = np.bincount(part[colors < 0], self.cost[colors < 0], count)
            better = left < least
            self.best, least = np.where(better[part], colors, self.best), np.minimum(left, least)

    def _divide(self, seed: int) -> None:
        """The parts, those that leave out the most first, and what moves change."""
        n, members = len(self.vertices), np.argsort(self.part, kind="stable").astype(np.uint32)
        sizes = np.bincount(self.part)
        self.parts = np.zeros((len(sizes), COLUMNS), np.int64)
        self.parts[:, END] = np.cumsum(sizes)
        self.parts[:, BEGIN] = self.parts[:, END] - sizes
        self.parts[:, RANDOM] = (seed + np.arange(len(sizes))) & 0xFFFFFFFF
        self.entries = np.bincount(self.part, np.diff(self.core[0].view(np.int64))).astype(np.int64)
        self.walk = None
        if n * self.k <= MOST:
            around = np.where(self.barred, BARRED, np.int64(0))
            tabu, out, place = np.zeros((n, self.k), np.int32), np.empty(n, np.uint32), np.empty(n, np.int32)
            self.walk = Walk(self.best.copy(), self.best, around, tabu, out, place, members)
            begin_all(self.core, self.cost, self.walk, self.parts)

    @property
    def open(self) -> np.ndarray:
        """Numbers of the parts that may cost less."""
        return np.flatnonzero((self.parts[:, SIZE] > 0) & (self.parts[:, LEAST] > self.parts[:, BOUND]))

    def is_open(self, p: int) -> bool:
        """Whether a part may cost less."""
        return bool(self.parts[p, SIZE] > 0 and self.parts[p, LEAST] > self.parts[p, BOUND])

    def run(self, share: int, least: int, until: float = -math.inf) -> None:
        """Swaps that read so many times the entries of the core, and `least`, shared by its parts; on until a moment."""
        if self.walk is None:
            return
        share = max(share, least // max(int(self.entries.sum()), 1))
        for p in self.open.tolist():
            end = self.parts[p, READ] + share * self.entries[p] + LEAST_READ
            while self.is_open(p) and self.parts[p, READ] < end:
                swap(self.core, self.cost, self.walk, self.parts[p], min(end, self.parts[p, READ] + SLICE))
        while clock() < until and len(some := self.open):
            for p in some.tolist():
                swap(self.core, self.cost, self.walk, self.parts[p], self.parts[p, READ] + SLICE)
                if clock() >= until:
                    break

    def colors(self) -> np.ndarray:
        """The best colors of all vertices, int32, −1 without one."""
        out = self.fixed.copy()
        out[self.vertices] = self.best
        select(self.graph, self.order, self.lists, np.full(self.k, -1, np.int64), out)
        return out


@njit(cache=True, nogil=True)
def count_degrees(graph: Any, fixed: Any, lists: Any, marks: Any, degrees: Any) -> None:
    """Per vertex the number of free neighbors and of barred colors; STAYS where it is fixed. `marks`: −1 per color."""
    (indptr, indices), (offsets, forbidden) = graph, lists
    k = marks.size
    for v in range(np.uint32(fixed.size)):
        degrees[v] = STAYS
        if fixed[v] >= 0:
            continue
        count = 0
        for e in range(indptr[v], indptr[v + ONE32]):
            c = fixed[indices[e]]
            if c < 0:
                count += 1
            elif c < k and marks[c] != v:
                marks[c] = v
                count += 1
        for j in range(offsets[v], offsets[v + ONE32]):
            c = forbidden[j]
            if c < k and marks[c] != v:
                marks[c] = v
                count += 1
        degrees[v] = count


@njit(cache=True, nogil=True)
def bar(graph: Any, vertices: Any, fixed: Any, kept: Any, lists: Any, barred: Any, inside: Any) -> None:
    """The colors barred to some vertices, and how many neighbors each has among them."""
    (indptr, indices), (offsets, forbidden) = graph, lists
    k = barred.shape[1]
    for i in range(vertices.size):
        v = vertices[i]
        for e in range(indptr[v], indptr[v + ONE32]):
            u = indices[e]
            inside[i] += kept[u]
            if 0 <= fixed[u] < k:
                barred[i, fixed[u]] = True
        for j in range(offsets[v], offsets[v + ONE32]):
            if forbidden[j] < k:
                barred[i, forbidden[j]] = True
