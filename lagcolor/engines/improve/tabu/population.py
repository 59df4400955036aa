"""HEAD on a GPU: many pairs of parents; TabuCol improves their children, one search per block.

The algorithm of head.py, in two launches per generation: `breed` (pairs.cu) creates two children of each pair, and
`improve` (tabucol.cu) runs local searches on them. Colors stay on the device; the host reads two numbers each time.

TabuCol uses other random numbers than on a CPU, and finds other colors. The tabu list has two entries per thread, so
tenures are below 2 · BLOCK iterations. If all moves are tabu, an iteration makes no move.

HEAD differs in two points that use the many searches. Several searches (the brood) improve each child, and the best
result is used. When the two parents of a pair become equal, the second parent of the next pair replaces one of them;
both restart only if this parent is equal, too.

References
----------
Moalic, Gondran 2018, "Variations on memetic algorithms for graph coloring problems" (HEAD).
Goudet, Grelier, Hao 2022, "A deep learning guided memetic framework for graph coloring problems" (thousands of searches
on a GPU).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....base import device as dev
from ....base.compile_clock import clock, stopwatch
from ....base.log import pause
from ....graph.graph import Graph
from .head import CYCLE, UNSET

SEARCH, PAIRS = dev.Source(__file__, "tabucol.cu", BLOCK=512), dev.Source(__file__, "pairs.cu", BLOCK=256)
GROUP, GROUP_IN_MEMORY = 8, 4  # threads per row of the table, in shared and in device memory
LARGEST_DEGREE = (1 << 14) - 1
LARGEST_N = 1 << 15
KEY_BITS, LEAST_ENTRY_BITS, CHANGE_BITS = 32, 17, 10  # of a move's key: all; at least these for entry and change
NO_COLOR = 0xFFFF
NEVER_FOUND = 2**31 - 1
FIRST_SLICE = 512  # iterations of the first slice before a deadline, when their duration is not known
LAUNCH_BYTES = 1024  # shared memory in addition to the request of a launch


def words_of(k: int, shared: bool) -> int:
    """32-bit words per row of the table, for two colors each: odd in shared memory, else a multiple of four."""
    return -(-k // 2) | 1 if shared else -(-k // 8) * 4


def bits_of(n: int, k: int) -> tuple[int, int]:
    """Number of bits of a color, and of the index of an entry of the table."""
    color = max(k - 1, 1).bit_length()
    return color, max(color + max(n - 1, 1).bit_length(), LEAST_ENTRY_BITS)


def list_bytes(n: int) -> int:
    """Shared memory of a search without the table: colors, list of vertices, offsets of rows."""
    return 4 * (n + n % 2) + 4 * (n + 1)


def breed_bytes(n: int, k: int) -> int:
    """Shared memory of a pair: three colorings, and two numbers per color."""
    return 8 * k + 6 * n


class LaunchShape:
    """Shape of a launch of searches for k colors on the current device, or `why` there can be none."""

    def __init__(self, n: int, k: int, degree: int, in_memory: bool = False) -> None:
        self.color_bits, self.entry_bits = bits_of(n, k)
        shared_bytes = 4 * n * words_of(k, True)
        cp = dev.cupy()
        most = int(cp.cuda.Device().attributes["MaxSharedMemoryPerBlockOptin"]) - LAUNCH_BYTES
        self.shared_table = not in_memory and shared_bytes + list_bytes(n) <= most
        self.table_bytes = 4 * n * words_of(k, self.shared_table)
        self.shared = list_bytes(n) + (self.table_bytes if self.shared_table else 0)
        self.why = ""
        block = max(self.shared, breed_bytes(n, k))
        if degree > LARGEST_DEGREE:
            self.why = f"supports degrees up to {LARGEST_DEGREE:,}, and a vertex has {degree:,}"
        elif n > LARGEST_N:
            self.why = f"supports up to {LARGEST_N:,} vertices with as many neighbors as colors, and there are {n:,}"
        elif KEY_BITS - self.entry_bits < CHANGE_BITS:
            entries = 1 << KEY_BITS - CHANGE_BITS
            self.why = f"supports up to {entries:,} pairs of vertex and color, and there are {n:,} × {k:,}"
        elif block > most:
            self.why = f"needs {block:,} bytes of shared memory for {n:,} vertices, and a block has {most:,}"

    def search(self) -> Any:
        """Compiled program of the searches."""
        group = GROUP if self.shared_table else GROUP_IN_MEMORY
        return SEARCH.of(GROUP=group, SHARED_TABLE=self.shared_table)

    @property
    def at_once(self) -> int:
        """Number of searches that run at the same time."""
        run = self.search()
        if self.shared_table:
            return int(run.resident("improve", shared=self.shared))
        cached = int(dev.cupy().cuda.Device().attributes["L2CacheSize"]) // self.table_bytes
        return max(min(run.processors, cached), 1)


class Population:
    """HEAD on the current GPU, as `head.Head`. `start`: initial colors of every other pair; others are random."""

    in_memory = False  # see `LaunchShape`
    pace: float = 0.0  # seconds per iteration; 0: unknown

    def __init__(
        self, G: Graph, k: int, seed: int, length: int, pairs: int = 1, brood: int = 1,
        start: np.ndarray | None = None,
    ) -> None:  # fmt: skip
        cp, n = dev.cupy(), G.n
        self.n, self.k, self.length, self.pairs, self.brood = n, k, length, pairs, brood
        searches = 2 * pairs * brood
        self.shape = LaunchShape(n, k, G.max_degree, self.in_memory)
        self.value, self.iterations, self.generations, self._alike = UNSET, 0, 0, 0
        self.found: np.ndarray | None = None
        self._graph = cp.asarray(G.indptr.astype(np.int32)), cp.asarray(G.indices.astype(np.uint16))
        first = np.full((2 * pairs, n), NO_COLOR, np.uint16)
        if start is not None:
            first.reshape(pairs, 2, n)[::2] = start.astype(np.uint16)  # −1 is NO_COLOR
        self._children, self._best = cp.asarray(first), cp.empty((searches, n), np.uint16)
        self._elites, self._of_cycle = (cp.empty((pairs, n), np.uint16) for _ in range(2))
        self._cycle_values, self._ages = cp.empty(pairs, np.int32), cp.empty(pairs, np.int32)
        self._values, self._ran = cp.empty(searches, np.int32), cp.empty(searches, np.int32)
        self._seeds = cp.asarray(np.random.SeedSequence(seed).generate_state(searches, np.uint32))
        self._flags = cp.asarray(np.array([NEVER_FOUND, 0], np.int32))  # iterations until success; equal pairs
        tables = 0 if self.shape.shared_table else searches * n * words_of(k, False)
        self._tables = cp.empty(max(tables, 1), np.uint32)

    def run(self, deadline: float | None = None, most: int = UNSET) -> bool:
        """Search until success, the time `deadline`, or `most` iterations; return whether a coloring was found."""
        while self.found is None and self.iterations < most:
            pause()
            size = min(self.length, most - self.iterations)
            if deadline is not None:
                left = deadline - clock()
                size = min(size, int(left / self.pace) if self.pace else FIRST_SLICE)
                if left <= 0 or size < 1:
                    break
            passed = stopwatch()
            self._breed()
            self._improve(size)
            if self.found is None:
                self.pace = passed() / size
        return self.found is not None

    def _breed(self) -> None:
        state = (self._best, self._values, self._elites, self._of_cycle, self._cycle_values, self._ages)
        sizes = map(np.int64, (self.n, self.k, CYCLE, self.generations, self.brood, self.generations == 0))
        args = (*state, self._children, self._flags[1:], self._seeds, *sizes)
        PAIRS.of().launch("breed", (self.pairs,), *args, shared=breed_bytes(self.n, self.k))

    def _improve(self, size: int) -> None:
        """Run local searches of `size` iterations, and read their results."""
        colorings = (self._children, self._best, self._values, self._ran, self._tables, self._seeds, self._flags)
        bits = self.shape.color_bits, self.shape.entry_bits
        sizes = map(np.int64, (self.n, self.k, *bits, self.generations, self.brood, size))
        args = (*self._graph, *colorings, *sizes)
        self.shape.search().launch("improve", (len(self._best),), *args, shared=self.shape.shared)
        first, alike = self._flags.tolist()
        self.generations += 1
        self.iterations += size
        if first != NEVER_FOUND:
            values, ran = self._values.get(), self._ran.get()
            done = np.flatnonzero(values == 0)
            self.value, self.found = 0, self._best[int(done[ran[done].argmin()])].get().astype(np.int32)
        elif alike - self._alike >= self.pairs:
            self._alike, self.length = alike, 2 * self.length
