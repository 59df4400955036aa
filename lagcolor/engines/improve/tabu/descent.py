"""Fewer and fewer colors by tabu search, HEAD or alone: for each number of colors on the core of the graph for it.

The next search begins from the coloring that the last one found, without its smallest class. What belongs to the core,
and what does not, changes with the number of colors (engines/exact/k_core.py).
"""

from __future__ import annotations

import numpy as np

from ....graph.graph import Graph
from ...exact.k_core import Core
from .head import UNSET, Head
from .population import LaunchShape, Population
from .search import LARGEST_DEGREE, MOVES, table_bytes

LENGTH, SHORTEST = 16, 10_000  # iterations of a local search: times the vertices of the core, and at least
PAIRS = 16  # on a GPU


class Descent:
    """A search on the CPU for a color less than a proper coloring has, by HEAD or (0 pairs) by one local search."""

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
        """Why there can be no search for one color less; "": there can."""
        degree = self.core().graph.max_degree
        if degree <= LARGEST_DEGREE:
            return ""
        return f"counts neighbors up to {LARGEST_DEGREE:,}, and a vertex here has {degree:,}"

    def bytes(self) -> int:
        """Size of the tables of the next search; 0: the core is empty."""
        return max(2 * self.pairs, 1) * table_bytes(self.core().graph.n, self.k - 1)

    def core(self) -> Core:
        """What must be colored with one color less."""
        if self._core is None:
            self._core = Core(self.G, self.k - 1)
        return self._core

    def run(self, deadline: float | None = None, most: int = UNSET) -> bool:
        """Continue until one color less is found, a moment, or a number of iterations; returns whether it was found."""
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
    """Descent by HEAD on the current GPU; `brood`: searches for each child, 0 for as many as run at the same time."""

    def __init__(self, G: Graph, colors: np.ndarray, seed: int, pairs: int = PAIRS, brood: int = 0) -> None:
        super().__init__(G, colors, seed, pairs)
        self.brood = brood
        self._last: Population | None = None

    def refused(self) -> str:
        """The same for the shape of a launch."""
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
    """Iterations of a local search of HEAD, to begin with."""
    return max(LENGTH * core.n, SHORTEST)


def without(colors: np.ndarray, k: int) -> np.ndarray:
    """These without the smallest of k classes: 0 … k − 2, and −1."""
    sizes = np.bincount(colors, minlength=k)
    gone = int(sizes.argmin())
    out = colors.copy()
    out[colors == gone] = -1
    out[colors == k - 1] = gone if gone != k - 1 else -1
    return out
