"""First-fit in an order on CPU threads: which loop runs, and the arrays that threads share.

Threads take chunks of the sequence: on one state (chunks.py), or, where they are few or degrees differ much, each on a
copy of its own (copies.py). In the order of ids there is no need to say what is earlier (natural.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device import large_pages
from ...base.device.parallel import launch, slots
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...orders import Priorities
from ...problems.registry import UNEVEN
from . import chunks, copies
from .natural import first_fit_by_id
from .sequential import first_fit, flag_bytes, top_degree, wide_dtype, workers_for

FEW_THREADS = 4  # with fewer, copies are faster
LEAST_WORK = 1 << 14  # entries and vertices of a chunk of one state, about
HEAD, SAMPLES = 512, 512  # places whose degrees say where chunks begin: the first ones, and of all
VERTEX = 4  # a vertex without entries takes as long as this number of entries
LEAST_ENTRIES, MOST_ENTRIES = 1 << 13, 1 << 15  # stored entries a chunk of copies may have, about
UNEVEN_ENTRIES = 1 << 11  # the same where many threads color an uneven graph
CHUNKS = 64  # for each thread, where that is more than LEAST_ENTRIES each
DENSE = 64  # mean degree from which more than one word of colors is likely


def first_fit_on_threads(G: Graph, p: Priorities, workers: int) -> np.ndarray:
    """First-fit colors on up to `workers` threads: one where few threads would have little to do."""
    graph, workers = unsigned(G), workers_for(G, workers)
    if p.is_natural:
        return first_fit_by_id(*graph, workers)
    sequence = p.sequence.view(np.uint32)
    return first_fit(*graph, sequence) if workers == 1 else by_chunks(*graph, sequence, workers)


def by_chunks(
    indptr: np.ndarray, indices: np.ndarray, sequence: np.ndarray, workers: int, entries: int | None = None
) -> np.ndarray:
    """First-fit colors of a CSR graph in the order of `sequence`, on `workers` threads.

    `entries`: of a chunk, on copies of the state.
    """
    graph, uneven = (indptr, indices, sequence), False
    if workers >= FEW_THREADS and entries is None and 0 < len(indices) <= DENSE * (len(indptr) - 1):
        starts, uneven = starts_of_chunks(indptr, sequence, len(indices))
        if not uneven and (colors := _on_one_state(graph, starts, workers)) is not None:
            return colors
    return _on_copies(graph, workers, UNEVEN_ENTRIES if uneven else entries)


def starts_of_chunks(indptr: np.ndarray, sequence: np.ndarray, m: int) -> tuple[np.ndarray, bool]:
    """First places of chunks of about the same work (uint64, at the end n), and whether a degree is far over the mean.

    Both by the degrees of some places.
    """
    n = len(indptr) - 1
    places = np.unique(np.append(np.arange(min(n, HEAD)), np.linspace(0, n - 1, min(n, SAMPLES)).astype(np.int64)))
    v = sequence[places].astype(np.int64)
    degrees = (indptr[v + 1] - indptr[v]).astype(np.float64)
    work = np.append(0, np.cumsum((degrees + VERTEX) * np.diff(np.append(places, n))))
    count = int(min(chunks.MOST, n, max(1, work[-1] // LEAST_WORK)))
    cuts = np.interp(np.linspace(0, work[-1], count + 1), work, np.append(places, n))
    return np.unique(cuts.astype(np.uint64)), bool(degrees.max() * n > UNEVEN * m)


def _on_one_state(graph: tuple[Any, ...], starts: np.ndarray, workers: int) -> np.ndarray | None:
    """Colors by chunks.py; None where 62 are too few."""
    n = len(graph[0]) - 1
    state, colors, shared = large_pages(n, np.uint16), large_pages(n, np.int32), slots(chunks.SLOTS)
    launch(chunks.color_chunks, workers, shared, *graph, starts, state, colors, np.int64(workers))
    return None if shared[int(chunks.FULL)] else colors


def _on_copies(graph: tuple[Any, ...], workers: int, entries: int | None) -> np.ndarray:
    """Colors by copies.py: first with masks of one word, and from where they are too narrow with flags."""
    (indptr, indices, sequence), done, found = graph, 0, np.empty(0, np.uint8)
    n, few = len(sequence), LEAST_ENTRIES if entries is None else entries
    if len(indices) <= DENSE * n:
        most = min(MOST_ENTRIES, max(few, len(indices) // (CHUNKS * workers))) if entries is None else entries
        found, done, colors = _run(graph, workers, most, np.uint8)
        if done == n:
            return colors
    degree = top_degree(indptr)
    return _run(graph, workers, few, wide_dtype(degree), found[:done], flag_bytes(degree))[2]


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
    width = max(1, -(-n // copies.LINE)) * copies.LINE
    rows, colors = large_pages((workers + 1) * width, code), large_pages(n, np.int32)
    found = rows[workers * width :][:n]
    found[: len(before)] = before
    chunks = most_chunks(n, m, entries) + workers + 1  # each thread takes one too many
    start, done, shared = np.zeros(chunks, np.int64), np.zeros(chunks, np.uint8), slots(40)
    start[0] = 1 + len(before)
    words = None if words is None else np.zeros((workers, len(words)), np.uint64)
    launch(copies.color_share, workers, shared, *graph, rows, start, done, words, colors, np.int64(entries))
    return found, int(start[np.argmin(done)]) - 1 if shared[int(copies.FULL)] else n, colors
