"""First-fit in an order on CPU threads: the chunks of the sequence, and the arrays that threads share (chunks.py)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.graph import Graph
from ...device import large_pages
from ...device.pool import launch
from ...device.threads import slots
from ...orders import Priorities
from . import chunks
from .sequential import first_fit, unsigned, workers_for

CHUNKS, LINE = 64, 64  # chunks of a thread, at most; places whose codes share a cache line
LEAST_WORK = 1 << 14  # entries and vertices of a chunk, about
HEAD, SAMPLES = 512, 512  # places whose degrees say where chunks begin: the first ones, and of all
VERTEX = 4  # entries that take as long as what a vertex takes beside them
DENSE = 64  # mean degree from which more than one word of colors is likely
MOST_THREADS = 64
MOST_ENTRIES = 1 << 32  # of a graph: of more, colors need not fit into 16 bits


def first_fit_on_threads(G: Graph, p: Priorities, workers: int) -> np.ndarray:
    """First-fit colors on up to `workers` threads: one by id, and where few threads would have little to do."""
    graph, sequence = unsigned(G), None if p.is_natural else p.sequence.view(np.uint32)
    if sequence is None or workers_for(G, workers) == 1:
        return first_fit(*graph, sequence)
    return by_chunks(*graph, sequence, workers)


def by_chunks(
    indptr: np.ndarray, indices: np.ndarray, sequence: np.ndarray | None, workers: int, work: int = LEAST_WORK
) -> np.ndarray:
    """First-fit colors of a CSR graph in the order of `sequence` (None: of ids), on `workers` threads."""
    n = len(indptr) - 1
    if n == 0 or len(indices) >= MOST_ENTRIES:
        return first_fit(indptr, indices, sequence)
    starts = starts_of_chunks(indptr, sequence, workers, work)
    place = None if sequence is None else large_pages(n, np.uint32)
    colors, graph = large_pages(n, np.int32), (indptr, indices, sequence, place, starts)
    before = None
    if len(indices) <= DENSE * n:
        before, shared = large_pages(n + 1, np.uint8), slots(32)
        launch(chunks.narrow_on_all, workers, shared, *graph, before, colors, np.int64(workers))
        if not shared[int(chunks.FULL)]:
            return colors
    codes = large_pages(n + 1, np.uint16)
    launch(chunks.wide_on_all, workers, slots(32), *graph, before, codes, colors, np.int64(workers))
    return colors


def starts_of_chunks(indptr: np.ndarray, sequence: np.ndarray | None, workers: int, work: int) -> np.ndarray:
    """First places of chunks of about the same work, uint64, by the degrees of some places; at the end n."""
    n = len(indptr) - 1
    places = np.unique(np.append(np.arange(min(n, HEAD)), np.linspace(0, n - 1, min(n, SAMPLES)).astype(np.int64)))
    v = places if sequence is None else sequence[places].astype(np.int64)
    each = (indptr[v + 1] - indptr[v]).astype(np.float64) + VERTEX
    before = np.append(0, np.cumsum(each * np.diff(np.append(places, n))))
    count = int(min(CHUNKS * workers, n, max(1, before[-1] // work)))
    cuts = np.interp(np.linspace(0, before[-1], count + 1), before, np.append(places, n)).astype(np.uint64)
    cuts[:-1] -= np.where(cuts[:-1] > HEAD, cuts[:-1] % np.uint64(LINE), np.uint64(0))
    return np.unique(cuts)
