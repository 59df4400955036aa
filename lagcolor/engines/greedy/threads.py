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
from . import copies, long_rows
from .sequential import first_fit, largest_degree, unsigned, wide_dtype, workers_for

CHUNK = 8192  # vertices a chunk may have
LEAST_ENTRIES, MOST_ENTRIES = 1 << 13, 1 << 15  # stored entries it may have, about
CHUNKS = 64  # for each thread, where that is more than LEAST_ENTRIES each
DENSE = 64  # mean degree from which more than one word of colors is to be expected
MOST_THREADS = 64  # each keeps a byte or more a vertex, and copies all colors of the others
LINE = 64  # codes that copies of the state are rounded up to, so that they share no cache line
BASE = int(copies.BASE)
DONE, HUBS = 32, 40  # slots of `shared`, after those of copies.py


def first_fit_on_threads(G: Graph, p: Priorities, workers: int) -> np.ndarray:
    """First-fit colors on up to so many threads: one by id, and where few threads would have little to do."""
    graph, sequence = unsigned(G), None if p.is_natural else p.sequence.view(np.uint32)
    if sequence is None or workers_for(G, workers) == 1:
        return first_fit(*graph, sequence)
    return by_chunks(*graph, sequence, workers)


def by_chunks(
    indptr: np.ndarray, indices: np.ndarray, sequence: np.ndarray, workers: int, entries: int | None = None
) -> np.ndarray:
    """First-fit colors of a CSR graph in the order of `sequence`, on so many threads, by chunks of `entries`."""
    n, done = len(sequence), 0
    few = LEAST_ENTRIES if entries is None else entries
    entries = min(MOST_ENTRIES, max(few, len(indices) // (CHUNKS * workers))) if entries is None else entries
    found: Any = np.empty(0, np.uint8)
    if len(indices) <= DENSE * n:
        run = _Narrow(indptr, indices, sequence, workers, entries)
        done = run.go()
        if done == n:
            return run.colors
        found = run.found
    return _Wide(indptr, indices, sequence, workers, few, found, done).colors


def most_chunks(n: int, m: int, entries: int) -> int:
    """Chunks that n vertices with m stored entries make at most, in any order.

    Those of `size` vertices or more are at most n / size. The others begin with a vertex that has over entries / size
    entries and itself, and there are at most (n + m) · size / entries of these. This `size` makes both the same.
    """
    size = max(1, min(CHUNK, int((n * entries / max(n + m, 1)) ** 0.5)))
    return min(n, n // size + (n + m) * size // entries + 1) + 1


class _Chunks:
    """What threads share, and a copy of the state for each."""

    def __init__(self, indptr: Any, indices: Any, sequence: Any, workers: int, entries: int, code: Any) -> None:
        n = len(sequence)
        self.graph, self.sequence, self.workers, self.entries = (indptr, indices), sequence, workers, entries
        rows = large_pages((workers + 1) * -(-n // LINE) * LINE, code).reshape(workers + 1, -1)
        *self.states, self.found = (row[:n] for row in rows)
        chunks = most_chunks(n, len(indices), entries) + workers + 1  # each thread takes one too many
        self.start, self.done = np.zeros(chunks, np.int64), np.zeros(chunks, np.uint8)
        self.start[0] = 1
        self.shared = slots(48)
        self.deferred = [np.empty(CHUNK, np.uint64) for _ in range(workers)]
        self.waiting = [np.empty(workers + 1, np.uint64) for _ in range(workers)]
        self.colors = large_pages(n, np.int32)

    def run(self, color: Any) -> None:
        """Color on all threads, then write the public colors from the one copy that is whole."""

        def work(t: int) -> None:
            color(t)
            barrier(self.shared, DONE, self.workers)
            if not self.shared[copies.FULL]:
                n, w = len(self.colors), self.workers
                publish(self.states[int(self.shared[copies.OWNER])], self.colors, n * t // w, n * (t + 1) // w, BASE)

        cpu_threads.run(work, self.workers, barriers=True, spread=True, shared=self.shared)


class _Narrow(_Chunks):
    """One-word masks."""

    def __init__(self, indptr: Any, indices: Any, sequence: Any, workers: int, entries: int) -> None:
        super().__init__(indptr, indices, sequence, workers, entries, np.uint8)
        slots = int(copies.SLOTS) + 1
        self.seen_by = [(np.zeros(slots, np.uint64), np.zeros(slots, np.uint32)) for _ in range(workers)]

    def go(self) -> int:
        """The first place that needs wider masks, or n."""

        def color(t: int) -> None:
            self.states[t][:] = 0
            copies.narrow_chunks(
                *self.graph, self.sequence, self.states[t], self.found, self.start, self.done, self.shared,
                *self.seen_by[t], self.deferred[t], self.waiting[t], t, self.entries,
            )  # fmt: skip

        self.run(color)
        if not self.shared[copies.FULL]:
            return len(self.sequence)
        return int(self.start[np.argmin(self.done)]) - 1


class _Wide(_Chunks):
    """One flag per color, from place `first` on; codes of the places before it are in `found`."""

    def __init__(
        self, indptr: Any, indices: Any, sequence: Any, workers: int, entries: int, found: Any, first: int
    ) -> None:
        degree = largest_degree(indptr)
        super().__init__(indptr, indices, sequence, workers, entries, wide_dtype(degree + BASE))
        self.found[:first] = found[:first]
        for state in self.states:
            state[:] = 0
            state[sequence[:first]] = found[:first]
        begin = long_rows.end_of(indptr, sequence, first, workers, len(indices))
        self.start[0] = begin + 1
        words = np.zeros((3, workers, (degree + BASE + 2) // 8 + 2), np.uint64)
        top = int(found[:first].max(initial=BASE - 1))

        def color(t: int) -> None:
            long_rows.color_together(
                *self.graph, sequence, self.states[t], self.found, words[:2], self.shared, HUBS, top, first, begin, t
            )
            copies.wide_chunks(
                *self.graph, sequence, self.states[t], self.found, self.start, self.done, self.shared,
                words[2, t], self.deferred[t], self.waiting[t], t, self.entries,
            )  # fmt: skip

        self.run(color)


def publish(state: np.ndarray, colors: np.ndarray, first: int, stop: int, base: int) -> None:
    """Public colors of vertices `first` … `stop` − 1."""
    np.subtract(state[first:stop], base, out=colors[first:stop], dtype=np.int32, casting="unsafe")
