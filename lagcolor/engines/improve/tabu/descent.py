"""Reduction of the colors one by one, by HEAD or a single tabu search on the core of the graph.

Each search begins from the coloring that the previous search found, without its smallest class. The core depends on the
number of colors (engines/exact/k_core.py).
"""

from __future__ import annotations

import numpy as np

from ....graph.graph import Graph
from ...exact.k_core import Core
from .head import UNSET, Head
from .population import LaunchShape, Population
from .search import LARGEST_DEGREE, MOVES, table_bytes

LENGTH, SHORTEST = 16, 10_000  # iterations of a local search: per vertex of the core, and at least
PAIRS = 16  # on a GPU


class Descent:
    """A search on the CPU for a coloring with one color less, by HEAD or, with 0 pairs, by one local search."""

    def __init__(
        self, G: Graph, colors: np.ndarray, seed: int, pairs: int = 1, threads: int = 1, moves: str = MOVES[0]
    ) -> None:
        self.G, self.seed, self.pairs, self.threads, self.moves = G, seed, pairs, threads, moves
        self._take(colors)

    def _take(self, colors: np.ndarray) -> None:
        self.colors, self.k = colors, int(colors.max(initial=-1)) + 1
        self._search: Head | Population | None = None
        self._core: Core | None = None

    def refused(self) -> str:
        """Return why there can be no search for one color less; "" if it is possible."""
        degree = self.core().graph.max_degree
        if degree <= LARGEST_DEGREE:
            return ""
        return f"supports degrees up to {LARGEST_DEGREE:,}, and a vertex has {degree:,}"

    def bytes(self) -> int:
        """Return the size of the tables of the next search; 0 if the core is empty."""
        return max(2 * self.pairs, 1) * table_bytes(self.core().graph.n, self.k - 1)

    def core(self) -> Core:
        """Return the core of the graph for one color less."""
        if self._core is None:
            self._core = Core(self.G, self.k - 1)
        return self._core

    def run(self, deadline: float | None = None, most: int = UNSET) -> bool:
        """Search until success, the time `deadline`, or `most` iterations; return whether a coloring was found."""
        core, k = self.core(), self.k - 1
        if not core.graph.n:
            self._take(core.extend(np.empty(0, np.int32)))
            return True
        if self._search is None:
            self._search = self._begin(core.graph, k, without(self.colors[core.vertices], self.k))
        self._search.run(deadline, most)
        if (found := self._search.found) is None:
            return False
        self._take(core.extend(found))
        return True

    def _begin(self, core: Graph, k: int, start: np.ndarray) -> Head | Population:
        search = Head(core, k, self.seed, length_of(core), self.pairs, self.threads, self.moves)
        search.begin(start)
        return search


class GpuDescent(Descent):
    """Descent by HEAD on the current GPU. `brood`: searches per child; 0: as many as can run at the same time."""

    def __init__(self, G: Graph, colors: np.ndarray, seed: int, pairs: int = PAIRS, brood: int = 0) -> None:
        super().__init__(G, colors, seed, pairs)
        self.brood = brood
        self._last: Population | None = None

    def refused(self) -> str:
        """Return why a launch for one color less is not possible; "" if it is."""
        return self._shape().why if self.core().graph.n else ""

    def _shape(self) -> LaunchShape:
        core = self.core().graph
        return LaunchShape(core.n, self.k - 1, core.max_degree)

    def _begin(self, core: Graph, k: int, start: np.ndarray) -> Population:
        brood = self.brood or max(self._shape().at_once // (2 * self.pairs), 1)
        search = Population(core, k, self.seed, length_of(core), self.pairs, brood, start)
        if self._last:
            search.pace = self._last.pace
        self._last = search
        return search


def length_of(core: Graph) -> int:
    """Return the initial number of iterations of a local search of HEAD."""
    return max(LENGTH * core.n, SHORTEST)


def without(colors: np.ndarray, k: int) -> np.ndarray:
    """Return the colors without the smallest of the k classes: 0 … k − 2, and −1."""
    sizes = np.bincount(colors, minlength=k)
    gone = int(sizes.argmin())
    out = colors.copy()
    out[colors == gone] = -1
    out[colors == k - 1] = gone if gone != k - 1 else -1
    return out
