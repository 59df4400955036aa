"""First-fit in an order on CPU threads: which loop runs, and the arrays that threads share.

Threads take chunks of the sequence, each on a copy of the state of its own (copies.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.graph import Graph
from ...device import large_pages
from ...device.pool import launch
from ...device.threads import slots
from ...orders import Priorities
from . import copies
from .sequential import first_fit, flag_bytes, largest_degree, unsigned, wide_dtype, workers_for

LEAST_ENTRIES, MOST_ENTRIES = 1 << 13, 1 << 15  # stored entries it may have, about
CHUNKS = 64  # for each thread, where that is more than LEAST_ENTRIES each
DENSE = 64  # mean degree from which more than one word of colors is likely
MOST_THREADS = 64  # each keeps a byte or more a vertex, and copies all colors of the others
LINE = 64  # codes that copies of the state are rounded up to, so that they share no cache line


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
        found, done, colors = _run((indptr, indices, sequence), workers, most, np.uint8)
        if done == n:
            return colors
    degree = largest_degree(indptr)
    return _run((indptr, indices, sequence), workers, few, wide_dtype(degree), found[:done], flag_bytes(degree))[2]


def most_chunks(n: int, m: int, entries: int) -> int:
    """Chunks that n vertices with m stored entries make at most, in any order.

    At most n / size chunks have `size` vertices or more. The others begin with a vertex that has over entries / size
    entries and itself, and there are at most (n + m) · size / entries such vertices. This `size` makes both the same.
    """
    size = max(1, min(copies.CHUNK, int((n * entries / max(n + m, 1)) ** 0.5)))
    return min(n, n // size + (n + m) * size // entries + 1) + 1


def _run(
    graph: tuple[Any, ...], workers: int, entries: int, code: Any, before: Any = (), words: Any = None
) -> tuple[np.ndarray, int, np.ndarray]:
    """Codes by place, the first place that needs wider masks, or n, and the public colors.

    Each thread has a copy of the state. `before`: codes of the first places; `words`: flags, where masks are no words.
    """
    n, m = len(graph[2]), len(graph[1])
    rows = large_pages((workers + 1) * -(-n // LINE) * LINE, code).reshape(workers + 1, -1)
    states, found, colors = rows[:workers, :n], rows[workers, :n], large_pages(n, np.int32)
    found[: len(before)] = before
    chunks = most_chunks(n, m, entries) + workers + 1  # each thread takes one too many
    start, done, shared = np.zeros(chunks, np.int64), np.zeros(chunks, np.uint8), slots(40)
    start[0] = 1 + len(before)
    words = None if words is None else np.zeros((workers, len(words)), np.uint64)
    launch(copies.share_on_all, workers, shared, *graph, states, found, start, done, words, colors, np.int64(entries))
    return found, int(start[np.argmin(done)]) - 1 if shared[int(copies.FULL)] else n, colors
