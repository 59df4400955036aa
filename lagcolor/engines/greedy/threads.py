"""First-fit in an order on CPU threads: which loop runs, and the arrays that threads share.

Threads take chunks of the sequence, each on a copy of the state of its own (copies.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.graph import Graph
from ...device import large_pages
from ...device import threads as cpu_threads
from ...device.threads import barrier, slots
from ...orders import Priorities
from . import copies
from .sequential import first_fit, flag_bytes, largest_degree, publish, unsigned, wide_dtype, workers_for

CHUNK = 8192  # vertices a chunk may have
LEAST_ENTRIES, MOST_ENTRIES = 1 << 13, 1 << 15  # stored entries it may have, about
CHUNKS = 64  # for each thread, where that is more than LEAST_ENTRIES each
DENSE = 64  # mean degree from which more than one word of colors is likely
MOST_THREADS = 64  # each keeps a byte or more a vertex, and copies all colors of the others
LINE = 64  # codes that copies of the state are rounded up to, so that they share no cache line
DONE = 32  # a slot of `shared`, after the slots of copies.py


def first_fit_on_threads(G: Graph, p: Priorities, workers: int) -> np.ndarray:
    """First-fit colors on up to `workers` threads: one by id, and where few threads would have little to do."""
    graph, sequence = unsigned(G), None if p.is_natural else p.sequence.view(np.uint32)
    if sequence is None or workers_for(G, workers) == 1:
        return first_fit(*graph, sequence)
    return by_chunks(*graph, sequence, workers)


def by_chunks(
    indptr: np.ndarray, indices: np.ndarray, sequence: np.ndarray, workers: int, entries: int | None = None
) -> np.ndarray:
    """First-fit colors of a CSR graph in the order of `sequence`, on `workers` threads, by chunks of `entries`."""
    n, done, found = len(sequence), 0, np.empty(0, np.uint8)
    few = LEAST_ENTRIES if entries is None else entries
    if len(indices) <= DENSE * n:
        most = min(MOST_ENTRIES, max(few, len(indices) // (CHUNKS * workers))) if entries is None else entries
        run = _Chunks((indptr, indices, sequence), workers, most, np.uint8)
        done, found = run.go(), run.found
        if done == n:
            return run.colors
    run = _Wide((indptr, indices, sequence), workers, few, found[:done])
    run.go()
    return run.colors


def most_chunks(n: int, m: int, entries: int) -> int:
    """Chunks that n vertices with m stored entries make at most, in any order.

    At most n / size chunks have `size` vertices or more. The others begin with a vertex that has over entries / size
    entries and itself, and there are at most (n + m) · size / entries such vertices. This `size` makes both the same.
    """
    size = max(1, min(CHUNK, int((n * entries / max(n + m, 1)) ** 0.5)))
    return min(n, n // size + (n + m) * size // entries + 1) + 1


class _Chunks:
    """What threads share, and a copy of the state for each; masks of one word."""

    def __init__(self, graph: tuple[Any, ...], workers: int, entries: int, code: Any) -> None:
        _, indices, self.sequence = graph
        n = len(self.sequence)
        self.graph, self.workers, self.entries = graph, workers, entries
        rows = large_pages((workers + 1) * -(-n // LINE) * LINE, code).reshape(workers + 1, -1)
        *self.states, self.found = (row[:n] for row in rows)
        chunks = most_chunks(n, len(indices), entries) + workers + 1  # each thread takes one too many
        self.start, self.done = np.zeros(chunks, np.int64), np.zeros(chunks, np.uint8)
        self.start[0] = 1
        self.shared = slots(40)
        self.words: Any = [None] * workers
        self.colors = large_pages(n, np.int32)

    def begin(self, t: int) -> None:
        """The state before the first chunk."""
        self.states[t][:] = 0

    def go(self) -> int:
        """Color on all threads, and write the public colors from the one copy that is whole.

        Returns the first place that needs wider masks, or n.
        """
        n, w, size = len(self.sequence), self.workers, int(copies.SLOTS) + 1

        def work(t: int) -> None:
            self.begin(t)
            copies.color_chunks(
                *self.graph, self.states[t], self.found, self.start, self.done, self.shared, self.words[t],
                np.zeros(size, np.uint64), np.zeros(size, np.uint32), np.empty(CHUNK, np.uint64),
                np.empty(w + 1, np.uint64), t, self.entries,
            )  # fmt: skip
            barrier(self.shared, DONE, w)
            if not self.shared[copies.FULL]:
                share = slice(n * t // w, n * (t + 1) // w)
                publish(self.states[int(self.shared[copies.OWNER])][share], self.colors[share])

        cpu_threads.run(work, w, barriers=True, spread=True, shared=self.shared)
        return int(self.start[np.argmin(self.done)]) - 1 if self.shared[copies.FULL] else n


class _Wide(_Chunks):
    """A flag per color; the places with codes in `before` are done."""

    def __init__(self, graph: tuple[Any, ...], workers: int, entries: int, before: Any) -> None:
        degree = largest_degree(graph[0])
        super().__init__(graph, workers, entries, wide_dtype(degree))
        self.first = len(before)
        self.found[: self.first] = before
        self.start[0] = self.first + 1
        self.words = [flag_bytes(degree) for _ in range(workers)]

    def begin(self, t: int) -> None:
        """The codes found before."""
        super().begin(t)
        self.states[t][self.sequence[: self.first]] = self.found[: self.first]
