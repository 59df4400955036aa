"""HEAD: two colorings with k colors, crossed with each other and improved by tabu search, again and again.

In each generation both children of the two parents (GPX, once from each side) are improved by a local search for a
given number of iterations, and are the next parents. The best of each CYCLE generations is an elite, and the elite of
the cycle before comes back in place of a parent, so that the two do not become alike too soon. Once they are the same,
both begin anew, with searches twice as long.

Several such pairs go on side by side, each on its own. All searches of a generation run on threads; how many these are,
and which ends first, changes nothing but the time.

References
----------
Moalic, Gondran 2018, "Variations on memetic algorithms for graph coloring problems", Algorithm 3 (HEAD).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....base.compile_clock import clock, stopwatch
from ....base.device.parallel import run
from ....base.log import pause
from ....graph.graph import Graph
from .crossover import cross
from .search import LocalSearch

CYCLE = 10  # generations
SLICE = 0.005  # seconds between two looks at the clock
FIRST_SLICE = 256  # iterations, before it is known how long they take
UNSET = 2**62


class Pair:
    """Two parents, and the elites of their cycles."""

    n: int
    k: int
    rng: np.ndarray
    searches: list[LocalSearch]
    parents: list[Any]
    generations: int

    def __init__(self, G: Graph, k: int, seed: int) -> None:
        self.n, self.k = G.n, k
        self.rng = np.array([seed % 2**64], np.uint64)
        self.searches = [LocalSearch(G, k, seed + 1 + i) for i in range(2)]
        none = np.full(G.n, -1, np.int32)
        self.begin(none, none)

    def begin(self, first: np.ndarray, second: np.ndarray) -> None:
        """From these parents; −1 stands for no color."""
        self.parents, self.generations = [first, second], 0
        self.elite: np.ndarray | None = None  # of the cycle before
        self.best: tuple[int, np.ndarray] = (UNSET, first)  # of this one

    def cross(self) -> None:
        """Children, from which the searches begin."""
        child = np.empty(self.n, np.int32)
        for i, search in enumerate(self.searches):
            cross(self.parents[i], self.parents[1 - i], self.k, child, self.rng)
            search.begin(child)

    def replace(self) -> bool:
        """The children are the next parents; False where these are the same."""
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
    """Memetic searches for a coloring with k ≥ 2 colors; the same for seed and lengths, whatever the threads.

    The graph is on the CPU. `length`: iterations of a local search, to begin with. `value` is the least objective so
    far, and `found` a coloring with k colors or None. `iterations` counts the iterations of one search.
    """

    length: int
    threads: int
    pairs: list[Pair]
    searches: list[LocalSearch]
    value: int
    iterations: int
    generations: int

    def __init__(self, G: Graph, k: int, seed: int, length: int, pairs: int = 1, threads: int = 1) -> None:
        self.length, self.threads = length, min(threads, 2 * pairs)
        rng = np.random.SeedSequence(seed)
        self.pairs = [Pair(G, k, int(child.generate_state(1, np.uint64)[0])) for child in rng.spawn(pairs)]
        self.searches = [search for pair in self.pairs for search in pair.searches]
        self.value, self.iterations, self.generations, self._alike = UNSET, 0, 0, 0
        self.found: np.ndarray | None = None
        self._left = 0  # iterations of this generation
        self._slices = TimeSlices()

    def run(self, deadline: float | None = None, most: int = UNSET) -> bool:
        """Generations until a coloring is found, a moment, or a number of iterations in all; whether it was found.

        Can be called again, and goes on.
        """
        while self.found is None and self.iterations < most:
            if self._left == 0:
                for pair in self.pairs:
                    pair.cross()
                self._left = self.length
            if not self._improve(deadline, most):
                return False
            if self.found is None and self._left == 0:  # type: ignore[redundant-expr]  # _improve changes it
                self._replace()
        return self.found is not None

    def _replace(self) -> None:
        self.generations += 1
        for pair in self.pairs:
            if not pair.replace():
                none = np.full(pair.n, -1, np.int32)
                pair.begin(none, none)
                self._alike += 1
        if self._alike >= len(self.pairs):
            self._alike, self.length = 0, 2 * self.length

    def _improve(self, deadline: float | None, most: int) -> bool:
        """Run all searches to their length, or until one has found a coloring; False where the deadline came first."""
        size = min(self._left, most - self.iterations)
        ran = self._slices.run(self._steps, size, deadline)
        self._left -= ran
        self.iterations += ran
        self.value = min(self.value, *(s.value for s in self.searches))
        if done := [s for s in self.searches if s.value == 0]:
            # Who needed the fewest iterations, so that slices change nothing.
            self.found = min(done, key=lambda s: s.iterations).best.copy()
        return self.found is not None or ran == size

    def _steps(self, size: int) -> bool:
        def loop(i: int) -> None:
            for search in self.searches[i :: self.threads]:
                search.steps(size)

        run(loop, self.threads)
        return any(search.value == 0 for search in self.searches)


class Alone:
    """One local search, from given colors; as `Head` otherwise."""

    search: LocalSearch

    def __init__(self, G: Graph, k: int, seed: int, moves: str, start: np.ndarray) -> None:
        self.search, self._slices = LocalSearch(G, k, seed, moves), TimeSlices()
        self.search.begin(start)

    def run(self, deadline: float | None = None, most: int = UNSET) -> bool:
        """See `Head`."""
        left = most - self.search.iterations
        self._slices.run(lambda size: self.search.steps(size) < size or not self.search.value, left, deadline)
        return self.found is not None

    @property
    def found(self) -> np.ndarray | None:
        """The coloring, once it is found."""
        return None if self.search.value else self.search.best.copy()


class TimeSlices:
    """Iterations in slices of a few milliseconds, so that a deadline and Ctrl-C are noticed."""

    def __init__(self) -> None:
        self._pace = 0.0  # seconds an iteration

    def run(self, steps: Callable[[int], bool], most: int, deadline: float | None) -> int:
        """Call ``steps(size)`` until it returns True, for a number of iterations in all or until a moment; how many."""
        ran, done = 0, False
        while ran < most and not done:
            pause()
            now = clock()
            if deadline is not None and now >= deadline:
                break
            size = FIRST_SLICE if not self._pace else max(int(SLICE / self._pace), 1)
            if deadline is not None and self._pace:
                size = min(size, max(int((deadline - now) / self._pace), 1))
            size, passed = min(size, most - ran), stopwatch()
            done = steps(size)
            self._pace = passed() / size
            ran += size
        return ran


def same(k: int, a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two colorings have the same classes, whatever these are called."""
    pairs = len(np.unique((a.astype(np.int64) + 1) * (k + 1) + b))
    return pairs == len(np.unique(a)) == len(np.unique(b))
