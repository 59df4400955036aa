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

On the CPU, chunks of 256 to 512 won (rmat20 natural, two threads: 10 ms; 64: 12.6 ms; 4096: 17 ms, as
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
from ..intrinsics import ctz64, fetch_add, load_relaxed, store_relaxed, yield_core
from ..priorities import Priorities
from ..registry import coloring
from ..result import Log
from ..sequential.greedy import (
    NARROW_MAX,
    ONE,
    ONE32,
    THREE,
    ZERO,
    ahead,
    first_fit,
    flag_bytes,
    least_free,
    unsigned,
    wide_dtype,
    zero_based,
)  # fmt: skip

CHUNK = 512
PAYS_FROM = 4  # threads from which reading neighbours' priorities pays in an order other than natural
NEXT, FULL = np.uint64(0), np.uint64(1)  # slots of `shared`: first position not taken; whether a mask was too narrow
SOURCE = Path(__file__).with_suffix(".cu")
DEGREES = ((1, 0, 32), (32, 33, 2048), (256, 2049, 2**31 - 1))  # threads a vertex, least and largest degree
SPINS = 1000  # looks at another thread's vertex before the core is offered to others
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
    if log.trace:
        _trace_levels(G, p, log)
    indptr, indices = unsigned(G)
    sequence = None if p.is_natural else p.sequence.view(np.uint32)
    workers = cpu_threads.count(threads, G.m)
    if threads is None and not p.is_natural and workers < PAYS_FROM:
        workers = 1
    if workers == 1:
        return first_fit(indptr, indices, sequence, G.max_degree)
    ranks = None if p.is_natural else p.p
    return zero_based(_cpu(indptr, indices, sequence, ranks, G.max_degree, workers))


def _cpu(indptr: Any, indices: Any, sequence: Any, p: Any, max_degree: int, workers: int) -> np.ndarray:
    scratch = np.zeros(len(indptr) - 1, np.uint8)
    shared = np.zeros(2, np.int64)
    cpu_threads.run(lambda _: narrow_chunks(indptr, indices, sequence, p, scratch, shared), workers)
    if not shared[FULL]:
        return scratch
    # What has a color keeps it: it is final. The rest needs more than one word of colors.
    scratch = scratch.astype(wide_dtype(max_degree))
    shared[:] = 0
    cpu_threads.run(
        lambda _: wide_chunks(indptr, indices, sequence, p, scratch, flag_bytes(max_degree), shared), workers
    )
    return scratch


@njit(cache=True, nogil=True)
def await_color(scratch: Any, u: Any, shared: Any) -> Any:
    """Color + 1 of a vertex that another thread has in hand; 0 if some mask was too narrow meanwhile."""
    spins = 0
    c = load_relaxed(scratch, np.uint64(u))
    while c == scratch.dtype.type(0) and load_relaxed(shared, FULL) == 0:
        spins += 1
        if spins > SPINS:
            yield_core()
        c = load_relaxed(scratch, np.uint64(u))
    return c


@njit(cache=True, nogil=True)
def narrow_chunks(indptr: Any, indices: Any, sequence: Any, p: Any, scratch: Any, shared: Any) -> None:
    """Take chunks until none is left, or until some vertex needs a color over 62."""
    n = np.uint64(scratch.size)
    none = scratch.dtype.type(0)
    while load_relaxed(shared, FULL) == 0:
        first = np.uint64(fetch_add(shared, NEXT, CHUNK))
        if first >= n:
            return
        for i in range(first, min(first + np.uint64(CHUNK), n)):
            if sequence is None:
                v = np.uint32(i)
            else:
                ahead(indptr, indices, sequence, i)
                v = sequence[i]
            mask = ONE
            rank = np.int32(0) if p is None else p[v]
            e = indptr[v]
            end = indptr[v + ONE32]
            while e < end:
                u = indices[e]
                e += ONE32
                if p is None:
                    if u >= v:
                        break
                    earlier = ONE
                else:
                    earlier = np.uint64(p[u] > rank)
                c = load_relaxed(scratch, np.uint64(u))
                # One branch, rarely taken: "earlier" by itself is a coin toss, and so is "has no color".
                if earlier & np.uint64(c == none):
                    c = await_color(scratch, u, shared)
                    if c == none:
                        return
                mask |= earlier << np.uint64(c)
            bit = ctz64(~mask)
            if bit > NARROW_MAX:
                store_relaxed(shared, FULL, 1)
                return
            store_relaxed(scratch, np.uint64(v), scratch.dtype.type(bit))


@njit(cache=True, nogil=True)
def wide_chunks(indptr: Any, indices: Any, sequence: Any, p: Any, scratch: Any, words: Any, shared: Any) -> None:
    """The same with a flag a color (`words` is this thread's own); vertices that have a color are passed over."""
    n = np.uint64(scratch.size)
    none = scratch.dtype.type(0)
    flags = words.view(np.uint8)
    while True:
        first = np.uint64(fetch_add(shared, NEXT, CHUNK))
        if first >= n:
            return
        for i in range(first, min(first + np.uint64(CHUNK), n)):
            if sequence is None:
                v = np.uint32(i)
            else:
                ahead(indptr, indices, sequence, i)
                v = sequence[i]
            if load_relaxed(scratch, np.uint64(v)) != none:
                continue
            e = indptr[v]
            end = indptr[v + ONE32]
            top = np.uint64(end - e) + ONE  # first-fit never passes degree + 1
            for w in range((top >> THREE) + ONE):
                words[w] = ZERO
            flags[0] = 1
            while e < end:
                u = indices[e]
                e += ONE32
                if p is None and u >= v:
                    break
                earlier = p is None or p[u] > p[v]
                c = load_relaxed(scratch, np.uint64(u))
                if c == none and earlier:
                    c = await_color(scratch, u, shared)
                flags[np.uint64(c) if earlier and np.uint64(c) <= top else ZERO] = 1
            store_relaxed(scratch, np.uint64(v), scratch.dtype.type(least_free(words)))


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


def _trace_levels(G: Graph, p: Priorities, log: Log) -> None:
    indptr, indices = unsigned(G)
    active = G.n
    for colored in np.bincount(levels(indptr, indices, p.sequence.view(np.uint32), p.p)).tolist() if G.n else []:
        log.round(active=active, colored=colored, conflicts=0, ms=None)
        active -= colored


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
