"""Jones–Plassmann: a vertex takes its first-fit color as soon as all earlier neighbours have theirs.

With fixed priorities the answer is that of sequential first-fit, whatever the schedule.

GPU: rounds over a list of active vertices, split by degree over a thread, a warp or a block each
(jones_plassmann.cu). CPU: threads take chunks of the sequence in turn and wait, vertex by vertex, for
earlier neighbours that another thread has in hand. Nobody waits in a circle: the earliest uncolored
vertex of all depends on none, and its chunk has been taken before any later one.

==========  =====================================================================
p           priorities, a permutation; larger is colored earlier
sequence    the vertices by falling p
scratch     color + 1 of each vertex, 0 while it has none (CPU)
==========  =====================================================================

On the CPU, chunks of 256 to 512 won (rmat20 natural, two threads: 12 ms; 64: 13 ms; 2048: 18 ms, as
slow as one thread: a wait lasts as long as the rest of a chunk). Where ids follow a mesh in order,
chunks depend on the ones before them and two threads gain little: `gebremedhin_manne` is for those.

References
----------
Jones, Plassmann 1993, "A parallel graph coloring heuristic", SIAM J. Sci. Comput. 14(3).
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

from .. import device as dev
from .. import threads as cpu_threads
from ..graph import Graph
from ..priorities import Priorities
from ..registry import coloring
from ..result import Log
from ..sequential.greedy import ONE32, first_fit, flag_bytes, unsigned, wide, wide_dtype, zero_based
from .chunks import FULL, natural_chunks, ordered_chunks, wide_chunks

CHUNK = 512
PAYS_FROM = 4  # threads from which reading neighbours' priorities pays in an order other than natural
SOURCE = Path(__file__).with_suffix(".cu")
DEGREES = ((1, 0, 32), (32, 33, 2048), (256, 2049, 2**31 - 1))  # threads a vertex, least and largest degree
BATCH = 8  # rounds between two looks at the counts from the host
TAIL, TAIL_BATCH = 1 << 16, 32  # with few vertices left a launch costs less than a look


@coloring(
    "jones_plassmann",
    style="kernel",
    paper="Jones and Plassmann 1993",
    engines=("cpu", "cuda"),
    bound="Δ+1",
    oracle="first_fit",
    deterministic=True,
    order="random",
    seed=0,
    needs="p",
    options={"threads": "CPU threads; default: one a core where that pays, else one"},
)
def jones_plassmann(G: Graph, p: Priorities, log: Log, threads: int | None = None) -> Any:
    """Parallel first-fit: a vertex is colored once all its earlier neighbours are."""
    if G.on_gpu:
        return _gpu(G, p, log)
    if log.trace and G.n:
        return _in_step(G, p, log)
    indptr, indices = unsigned(G)
    sequence = None if p.is_natural else p.sequence.view(np.uint32)
    workers = cpu_threads.count(threads, G.m)
    if threads is None and not p.is_natural and workers < PAYS_FROM:
        workers = 1
    if workers == 1:
        return first_fit(indptr, indices, sequence, G.max_degree)
    ranks = None if p.is_natural else p.p
    return _cpu(indptr, indices, sequence, ranks, G.max_degree, workers)


def _cpu(indptr: Any, indices: Any, sequence: Any, p: Any, max_degree: int, workers: int) -> np.ndarray:
    n = len(indptr) - 1
    scratch, colors, shared = np.zeros(n, np.uint8), np.empty(n, np.int32), np.zeros(3, np.int64)

    def narrow(_: int) -> None:
        if sequence is None:
            natural_chunks(indptr, indices, scratch, colors, shared, None, CHUNK)
        else:
            ordered_chunks(indptr, indices, sequence, p, scratch, colors, shared, CHUNK)

    cpu_threads.run(narrow, workers)
    if shared[FULL]:
        # What has a color keeps it: it is final. The rest needs more than one word of colors.
        scratch = scratch.astype(wide_dtype(max_degree))
        shared[:] = 0
        cpu_threads.run(
            lambda _: wide_chunks(
                indptr, indices, sequence, p, scratch, colors, flag_bytes(max_degree), shared, None, CHUNK
            ),
            workers,
        )
    return colors


@njit(cache=True)
def levels(indptr: Any, indices: Any, sequence: Any, p: Any) -> Any:
    """Round in which each vertex is colored when rounds are in step: 1 + the latest of its earlier neighbours."""
    level = np.zeros(sequence.size, np.int32)
    for v in sequence:
        for e in range(indptr[v], indptr[v + ONE32]):
            u = indices[e]
            if p[u] > p[v]:
                level[v] = max(level[v], level[u] + 1)
    return level


def _in_step(G: Graph, p: Priorities, log: Log) -> np.ndarray:
    """Level by level on one core, for a trace: the rounds that a machine of unbounded width would take."""
    indptr, indices = unsigned(G)
    sequence = p.sequence.view(np.uint32)
    level = levels(indptr, indices, sequence, p.p)
    by_level = sequence[np.argsort(level[sequence], kind="stable")]
    scratch, flags, done = np.zeros(G.n, np.uint32), flag_bytes(G.max_degree), 0
    for colored in np.bincount(level).tolist():
        wide(indptr, indices, by_level[done : done + colored], scratch, flags, 0)
        log.round(active=G.n - done, colored=colored, conflicts=0)
        done += colored
    return zero_based(scratch)


def _gpu(G: Graph, p: Priorities, log: Log) -> Any:
    """Rounds until every list is empty; each colors at least the earliest vertex left, so they end."""
    cp = dev.cupy()
    colors = cp.full(G.n, -1, np.int32)
    if G.n == 0:
        return colors
    lists = [_Active(cp, G, *row) for row in DEGREES]
    lists = [a for a in lists if a.count]
    cursor = G.indptr[:-1].copy()
    begin, end = cp.cuda.Event(), cp.cuda.Event()
    while left := sum(a.count for a in lists):
        batch = 1 if log.trace else BATCH if left > TAIL else TAIL_BATCH
        begin.record()
        for k in range(batch):
            for a in lists:
                if a.count:
                    a.launch(k, p.p, colors, cursor)
        end.record()
        counts = cp.stack([a.counts for a in lists]).sum(axis=0).tolist()
        ms = cp.cuda.get_elapsed_time(begin, end) if log.trace else None
        for before, after in itertools.pairwise(counts[: batch + 1]):
            if before:
                log.round(active=before, colored=before - after, conflicts=0, ms=ms)
        for a in lists:
            a.advance(batch)
    return colors


class _Active:
    """The active vertices of one degree class: two lists in turn, and their lengths on the device."""

    def __init__(self, cp: Any, G: Graph, group: int, least: int, most: int) -> None:
        self.G = G
        self.group = group
        self.lists = [cp.flatnonzero((G.degrees >= least) & (G.degrees <= most)).astype(np.int32)]
        self.count = len(self.lists[0])
        self.lists.append(cp.empty(self.count, np.int32))
        self.counts = cp.zeros(TAIL_BATCH + 1, np.int32)
        self.counts[0] = self.count
        self.kernel = dev.kernel(SOURCE, "color_round", OFFSET_BITS=8 * G.indptr.itemsize, GROUP=group)

    def launch(self, k: int, p: Any, colors: Any, cursor: Any) -> None:
        """Round k of a batch: from list k mod 2 to the other."""
        block = 256 if self.group != 32 else 128
        here, there = self.lists[k % 2], self.lists[1 - k % 2]
        blocks = min(-(-self.count * self.group // block), 2**16 - 1)
        args = (here, self.counts[k:], self.G.indptr, self.G.indices, p, colors, cursor, there, self.counts[k + 1 :])
        self.kernel((blocks,), (block,), args)

    def advance(self, batch: int) -> None:
        """After a batch: its last list becomes the first."""
        left = self.counts[batch : batch + 1].copy()
        if batch % 2:
            self.lists.reverse()
        self.counts.fill(0)
        self.counts[:1] = left
        self.count = int(left[0])
