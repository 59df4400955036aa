"""Short searches for far fewer colors than a coloring has: they find the hidden classes of a generated graph.

In a graph that was generated with k classes, TabuCol from random colors comes upon these with somewhat fewer or more
colors than k, but not with as many as a descent by one color at a time has: there it stays among colorings as a random
graph has. So each number of a geometric sequence is tried. What misses a coloring is completed by first-fit, and may
save colors all the same: a flat graph of 60 classes in 63 from a search for 56.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.graph import Graph
from ...core.pattern import unsigned
from ...device.compiled import njit
from ..kernel import Kernel, back
from .head import UNSET, Head
from .population import Population, Shape
from .search import LARGEST_DEGREE

RATIO, LEAST_SHARE = 0.93, 0.6  # of the colors at first: from one probe to the next, and at least
CPU_RATIO, CPU_LEAST_SHARE = 0.87, 0.45  # the same with few searches
FEWEST = 3
LENGTH, LONGER = 64, 8  # iterations of a probe, times the vertices of the core; times so many each time round
CPU_LENGTH, CPU_LONGER = 192, 4  # the same with few searches


class Probes:
    """Probes for the colors of a sequence, each time round with longer searches.

    The graph is on the CPU and has a coloring with k colors. `searches` run for each number; 0: as many as run
    at the same time. Deterministic for the seed and what `run` is called with, unless a deadline cuts it short; a probe
    that was cut short goes on in the next call. `rounds`: times that the sequence has been gone through.
    """

    steps: tuple[float, float] = RATIO, LEAST_SHARE
    lengths: tuple[int, int] = LENGTH, LONGER
    seed: int
    searches: int
    rounds: int
    sequence: list[int]

    def __init__(self, G: Graph, k: int, seed: int, searches: int = 0) -> None:
        self.G, self.seed, self.searches, self.rounds = G, seed, searches, 0
        self.sequence = spread(k, *self.steps)
        self._at = 0
        self._search: Any = None
        self._core: Kernel | None = None
        self._target = self._most = 0

    def left(self, k: int, least: int) -> bool:
        """Whether there is a number to probe for."""
        return any(least <= target < k for target in self.sequence)

    def run(self, k: int, least: int, deadline: float | None = None) -> np.ndarray | None:
        """The next probe for fewer than k colors, and no fewer than `least`."""
        if (self._search is None or not least <= self._target < k) and not self._next(k, least):
            return None
        assert self._core is not None
        search, core = self._search, self._core
        search.run(deadline, self._most)
        if search.found is None and search.iterations < self._most:
            return None  # the deadline
        self._search = None
        self._advance()
        if search.found is not None:
            colors = core.extend(search.found)
        else:
            colors = np.full(self.G.n, -1, np.int32)
            colors[core.vertices] = search.nearest()
            complete(self.G, colors)
        used, colors = np.unique(colors, return_inverse=True)
        return colors.astype(np.int32) if len(used) < k else None

    def _next(self, k: int, least: int) -> bool:
        """Begin the next possible probe for fewer than k colors; False if the sequence has none that fits."""
        self._search = None
        if not self.left(k, least):
            return False
        for _ in self.sequence:
            target = self.sequence[self._at]
            if least <= target < k:
                self._target, self._core = target, Kernel(self.G, target)
                core = self._core.graph
                if not (core.n and self._refused(core, target)):  # cores of fewer colors are larger
                    break
            self._advance()
        else:
            return False
        self._most = self.lengths[0] * self.lengths[1] ** self.rounds * core.n
        self._search = self._begin(core, target, self._most) if core.n else Trivial()
        return True

    def _advance(self) -> None:
        self._at += 1
        if self._at == len(self.sequence):
            self._at, self.rounds = 0, self.rounds + 1

    def _refused(self, core: Graph, k: int) -> bool:
        return bool(Shape(core.n, k, core.max_degree).why)

    def _begin(self, core: Graph, k: int, length: int) -> Population | Head:
        searches = self.searches or Shape(core.n, k, core.max_degree).at_once
        return Population(core, k, self.seed + self.rounds, length, max(searches // 2, 1))


class CpuProbes(Probes):
    """The same with a number of searches on a CPU, each on a thread: longer ones for fewer numbers."""

    steps: tuple[float, float] = CPU_RATIO, CPU_LEAST_SHARE
    lengths: tuple[int, int] = CPU_LENGTH, CPU_LONGER

    def _refused(self, core: Graph, k: int) -> bool:
        return core.max_degree > LARGEST_DEGREE

    def _begin(self, core: Graph, k: int, length: int) -> Population | Head:
        return Head(core, k, self.seed + self.rounds, length, max(self.searches // 2, 1), max(self.searches, 1))


class Trivial:
    """The search on an empty core."""

    found: np.ndarray = np.empty(0, np.int32)
    iterations: int = 0

    def run(self, deadline: float | None = None, most: int = UNSET) -> bool:
        """See `Head`."""
        return True


def spread(k: int, ratio: float = RATIO, least: float = LEAST_SHARE) -> list[int]:
    """Numbers of colors to probe for, falling, where k are enough."""
    out: list[int] = []
    share = ratio
    while share > least:
        if FEWEST <= (target := int(share * k)) < (out[-1] if out else k):
            out.append(target)
        share *= ratio
    return out


def complete(G: Graph, colors: np.ndarray) -> None:
    """Make a coloring proper, in place: one end of each edge in conflict, and all of color −1, by first-fit."""
    indptr, indices = unsigned(G)
    rows = np.repeat(np.arange(G.n), G.degrees)
    conflicts = np.bincount(rows[colors[rows] == colors[G.indices]], minlength=G.n)
    uncolor(indptr, indices, np.argsort(-conflicts, kind="stable"), colors)
    back(indptr, indices, np.flatnonzero(colors < 0), np.full(G.n + 1, -1, np.int64), colors)


@njit(cache=True, nogil=True)
def uncolor(indptr: Any, indices: Any, order: Any, colors: Any) -> None:
    """Take the color of vertices, in this order, that a neighbor has, too."""
    for v in order:
        for e in range(indptr[v], indptr[v + 1]):
            if colors[indices[e]] == colors[v]:
                colors[v] = -1
                break
