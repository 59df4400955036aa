"""HEAD: two colorings with k colors, repeatedly crossed with each other and improved by tabu search.

In each generation the two parents have two children (GPX, once from each side). A local search improves each child for
a fixed number of iterations, and the children are the next parents. The best coloring of each CYCLE generations is an
elite. At the end of a cycle the elite of the previous cycle replaces a parent, so that the parents stay diverse. When
the parents become equal, both restart, with searches twice as long.

Several pairs evolve independently. All searches of a generation run on threads; the number of threads and their timing
change only the run time.

References
----------
Moalic, Gondran 2018, "Variations on memetic algorithms for graph coloring problems", Algorithm 3 (HEAD); Galinier, Hao
1999, "Hybrid evolutionary algorithms for graph coloring": greedy partition crossover (GPX).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....base.compile_clock import clock, stopwatch
from ....base.device.bits import below
from ....base.device.compiled import filled, njit
from ....base.device.parallel import run
from ....base.log import pause
from ....graph.graph import Graph
from .search import MOVES, LocalSearch

CYCLE = 10  # generations
SLICE = 0.005  # seconds between two checks of the clock
FIRST_SLICE = 256  # iterations of the first slice, before their duration is known
UNSET = 2**62


class Pair:
    """Two parents, and the elites of two cycles."""

    def __init__(self, G: Graph, k: int, seed: int) -> None:
        self.n, self.k = G.n, k
        self.rng = np.array([seed % 2**64], np.uint64)
        self.searches = [LocalSearch(G, k, seed + 1 + i) for i in range(2)]
        none = np.full(G.n, -1, np.int32)
        self.begin(none, none)

    def begin(self, first: np.ndarray, second: np.ndarray) -> None:
        """Begin from these parents; −1: no color."""
        self.parents, self.generations = [first, second], 0
        self.elite: np.ndarray | None = None  # of the previous cycle
        self.best: tuple[int, np.ndarray] = (UNSET, first)  # of this cycle

    def cross(self) -> None:
        """Begin the searches from the children of the parents."""
        child = np.empty(self.n, np.int32)
        for i, search in enumerate(self.searches):
            cross(self.parents[i], self.parents[1 - i], self.k, child, self.rng)
            search.begin(child)

    def replace(self) -> bool:
        """Replace the parents by the results; return False if these are equal."""
        self.parents = [search.best.copy() for search in self.searches]
        self.generations += 1
        for search, colors in zip(self.searches, self.parents, strict=True):
            if search.value < self.best[0]:
                self.best = (search.value, colors)
        if self.generations % CYCLE == 0:
            if self.elite is not None:
                self.parents[0] = self.elite
            self.elite, self.best = self.best[1], (UNSET, self.best[1])
        return not same(self.k, *self.parents)


class Head:
    """Memetic searches on the CPU for a coloring with k ≥ 2 colors; with 0 pairs one unlimited local search."""

    def __init__(
        self, G: Graph, k: int, seed: int, length: int, pairs: int = 1, threads: int = 1, moves: str = MOVES[0]
    ) -> None:
        rng = np.random.SeedSequence(seed)
        self.pairs = [Pair(G, k, int(child.generate_state(1, np.uint64)[0])) for child in rng.spawn(pairs)]
        self.searches = [search for pair in self.pairs for search in pair.searches] or [LocalSearch(G, k, seed, moves)]
        self.length, self.threads = length, min(threads, len(self.searches))
        self.value, self.iterations, self.generations, self._alike = UNSET, 0, 0, 0
        self.found: np.ndarray | None = None
        self._left = 0 if pairs else UNSET  # remaining iterations of this generation
        self._pace = 0.0  # seconds per iteration

    def begin(self, start: np.ndarray) -> None:
        """Begin from this coloring; −1: no color."""
        for pair in self.pairs:
            pair.begin(start, start)
        if not self.pairs:
            self.searches[0].begin(start)

    def run(self, deadline: float | None = None, most: int = UNSET) -> bool:
        """Search until success, the time `deadline`, or `most` iterations; return whether a coloring was found."""
        while self.found is None and self.iterations < most:
            pause()
            left = math.inf if deadline is None else deadline - clock()
            if left <= 0:
                break
            if self._left == 0:
                for pair in self.pairs:
                    pair.cross()
                self._left = self.length
            size = FIRST_SLICE if not self._pace else max(int(min(SLICE, left) / self._pace), 1)
            self._improve(min(size, self._left, most - self.iterations))
            if self.found is None and self._left == 0:  # type: ignore[redundant-expr]  # _improve changes it
                self._replace()
        return self.found is not None

    def _improve(self, size: int) -> None:
        """Run all searches for a number of iterations."""

        def loop(i: int) -> None:
            for search in self.searches[i :: self.threads]:
                search.steps(size)

        passed = stopwatch()
        run(loop, self.threads)
        self._pace = passed() / size
        self._left -= size
        self.iterations += size
        self.value = min(self.value, *(s.value for s in self.searches))
        if done := [s for s in self.searches if s.value == 0]:
            # The search with the fewest iterations: the result does not depend on slices.
            self.found = min(done, key=lambda s: s.iterations).best.copy()

    def _replace(self) -> None:
        self.generations += 1
        for pair in self.pairs:
            if not pair.replace():
                none = np.full(pair.n, -1, np.int32)
                pair.begin(none, none)
                self._alike += 1
        if self._alike >= len(self.pairs):
            self._alike, self.length = 0, 2 * self.length


def same(k: int, a: np.ndarray, b: np.ndarray) -> bool:
    """Return whether two colorings have the same classes, in any numbering."""
    pairs = len(np.unique((a.astype(np.int64) + 1) * (k + 1) + b))
    return pairs == len(np.unique(a)) == len(np.unique(b))


@njit(cache=True, nogil=True)
def cross(first: Any, second: Any, k: Any, child: Any, rng: Any) -> None:
    """Fill `child` by GPX: the largest remaining class of each parent in turn; the other vertices get random colors."""
    n = np.uint64(child.size)
    sizes = filled((2, k), 0, np.int64)
    for v in range(n):
        child[v] = -1
        if first[v] >= 0:
            sizes[0, first[v]] += 1
        if second[v] >= 0:
            sizes[1, second[v]] += 1
    for c in range(k):
        of = c % 2
        most, ties, largest = np.int64(-1), np.uint64(0), 0
        for d in range(k):
            if sizes[of, d] >= most:
                ties = ties + np.uint64(1) if sizes[of, d] == most else np.uint64(1)
                if sizes[of, d] > most or below(rng, ties) == 0:
                    largest = d
                most = sizes[of, d]
        parent = first if of == 0 else second
        for v in range(n):
            if parent[v] == largest and child[v] < 0:
                child[v] = c
                if first[v] >= 0:
                    sizes[0, first[v]] -= 1
                if second[v] >= 0:
                    sizes[1, second[v]] -= 1
    for v in range(n):
        if child[v] < 0:
            child[v] = below(rng, k)
