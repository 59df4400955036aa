"""Chen et al.'s speculative first-fit, topology-driven and data-driven: a round colors, then looks for conflicts.

Two passes over the edges of a round's vertices: each uncolored vertex takes the least color that no neighbour has,
then each that has just been colored gives its color up again if a neighbour of larger degree (then id) has the same.
`chen_topology` walks over all vertices in both passes, `chen_data` over a worklist, which the second pass fills for the
next round; there are two, used in turn. `ipgc` makes the two passes one, and lists fewer vertices.

Proper: two neighbours have one color after the first pass only if both took it in this round, for one of an earlier
round is seen and avoided; the second pass sends one of them back. It ends: of a round's vertices, the one of largest
degree and id keeps its color.

On a GPU the host looks every `BATCH` rounds; rounds after the last find nothing to do.

=======  ====================================================================
words    color, color with FRESH until it has been checked, or NONE
=======  ====================================================================

Reference: Chen, Li, Fang, Tang, Wang, Yang 2017, "Efficient and high-quality sparse graph coloring on GPUs",
Concurrency and Computation: Practice and Experience 29(10), e4064.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np

from .. import device as dev
from ..device import threads as cpu_threads
from ..device.compiled import njit
from ..device.intrinsics import ctz64, fetch_add, load_relaxed, store_relaxed
from ..engines.greedy.sequential import ONE32, ZERO, unsigned
from ..graph import Graph
from ..orders import Priorities
from ..registry import coloring
from ..result import Log
from .ipgc import BLOCK, LENGTH, NEXT, SIXTY_FOUR, chunk_size, past_64

PAPER = "Chen, Li, Fang, Tang, Wang, Yang 2017"
SOURCE = Path(__file__).with_suffix(".cu")
BATCH = 4  # rounds between two looks from the host
MOST_BLOCKS = 1 << 16
FRESH, NONE = np.uint32(1 << 31), np.uint32(1 << 30)
ROW: dict[str, Any] = {
    "style": "kernel", "engines": ("cpu", "cuda"), "bound": "Δ+1", "oracle": None, "deterministic": False,
    "order": "natural", "seed": None, "needs": None, "reads_order": False,
    "options": {"threads": "CPU threads; default: one a core, or one alone for small graphs"},
}  # fmt: skip


@coloring("chen_topology", paper=f"{PAPER}, topology-driven", **ROW)
def chen_topology(G: Graph, p: Priorities, log: Log, threads: int | None = None) -> Any:
    """Speculative first-fit in two passes a round, each over all vertices."""
    return _color(G, log, threads, data_driven=False)


@coloring("chen_data", paper=f"{PAPER}, data-driven", **ROW)
def chen_data(G: Graph, p: Priorities, log: Log, threads: int | None = None) -> Any:
    """Speculative first-fit in two passes a round, each over a worklist."""
    return _color(G, log, threads, data_driven=True)


def _color(G: Graph, log: Log, threads: int | None, data_driven: bool) -> Any:
    if G.n == 0:
        return G.xp.empty(0, np.int32)
    if G.on_gpu:
        return _gpu(G, log, data_driven)
    return _cpu(G, log, cpu_threads.for_graph(threads, G, log), data_driven)


def _gpu(G: Graph, log: Log, data_driven: bool) -> Any:
    cp, n, active = dev.cupy(), G.n, G.n
    macros = {"OFFSET_BITS": 8 * G.indptr.itemsize, "DATA_DRIVEN": int(data_driven)}
    first_fit, resolve = (dev.kernel(SOURCE, name, **macros) for name in ("first_fit", "resolve"))
    words = cp.full(n, NONE, np.uint32)
    lists = [cp.empty(n if data_driven else 1, np.int32) for _ in range(2)]
    everyone, items = cp.full(1, n, np.int32), 0
    length = everyone
    while active:
        batch = 1 if log.trace else BATCH
        counts = cp.zeros(batch, np.int32)
        blocks = min(-(-(active if data_driven else n) // BLOCK), MOST_BLOCKS)
        for k in range(batch):
            first_fit((blocks,), (BLOCK,), (G.indptr, G.indices, words, items, length))
            resolve((blocks,), (BLOCK,), (G.indptr, G.indices, words, items, length, lists[0], counts[k:]))
            if data_driven:
                items, length = lists[0], counts[k:]
                lists.reverse()
        for before, after in itertools.pairwise([active, *counts.tolist()]):
            if before:
                log.round(active=before, colored=before - after, conflicts=after)
            active = after
    return words.view(np.int32)


def _cpu(G: Graph, log: Log, workers: int, data_driven: bool) -> np.ndarray:
    n, words = G.n, np.full(G.n, NONE, np.uint32)
    marks = [np.zeros(G.max_degree + 2, np.uint32) for _ in range(workers)]
    work, active = np.arange(n if data_driven else 0, dtype=np.uint32), n
    while active:
        walk = work if data_driven else None
        lost, shared = np.empty(active, np.uint32), np.zeros((2, 2), np.int64)
        chunk = chunk_size(G, active if data_driven else n, workers)
        _on_threads(first_visit, (*unsigned(G), words, walk, shared[0], chunk), marks)
        _on_threads(second_visit, (*unsigned(G), words, walk, shared[1], chunk, lost), marks)
        left = int(shared[1, LENGTH])
        log.round(active=active, colored=active - left, conflicts=left)
        work, active = lost[:left], left
    return words.view(np.int32)


def _on_threads(loop: Any, args: tuple[Any, ...], marks: list[np.ndarray]) -> None:
    cpu_threads.run(lambda i: loop(*args, marks[i]), len(marks))


@njit(cache=True, nogil=True)
def first_visit(indptr: Any, indices: Any, words: Any, walk: Any, shared: Any, chunk: Any, marks: Any) -> None:
    """Color a thread's part of the uncolored vertices of `walk`, or of all. `marks` is as in `ipgc.visit`."""
    n = np.uint64(words.size if walk is None else walk.size)
    marks[:] = 0
    while True:
        begin = np.uint64(fetch_add(shared, NEXT, chunk))
        if begin >= n:
            return
        for i in range(begin, min(begin + np.uint64(chunk), n)):
            v = np.uint32(i) if walk is None else walk[i]
            if words[v] != NONE:
                continue
            mask = ZERO
            start = indptr[v]
            end = indptr[v + ONE32]
            e = start
            while e < end:
                c = load_relaxed(words, np.uint64(indices[e])) & ~FRESH
                mask |= np.uint64(c < SIXTY_FOUR) << np.uint64(c & np.uint32(63))
                e += ONE32
            c = np.uint32(ctz64(~mask))
            if c == SIXTY_FOUR:
                c = past_64(indices, start, end, v, words, marks)
            store_relaxed(words, np.uint64(v), c | FRESH)


@njit(cache=True, nogil=True)
def second_visit(
    indptr: Any, indices: Any, words: Any, walk: Any, shared: Any, chunk: Any, lost: Any, marks: Any
) -> None:  # fmt: skip
    """Check a thread's part of the vertices that have just been colored; those that lose go to `lost`."""
    n = np.uint64(words.size if walk is None else walk.size)
    while True:
        begin = np.uint64(fetch_add(shared, NEXT, chunk))
        if begin >= n:
            return
        for i in range(begin, min(begin + np.uint64(chunk), n)):
            v = np.uint32(i) if walk is None else walk[i]
            own = words[v]
            if own < FRESH:
                continue
            own &= ~FRESH
            e = indptr[v]
            end = indptr[v + ONE32]
            degree = end - e
            while e < end:
                u = indices[e]
                e += ONE32
                if load_relaxed(words, np.uint64(u)) & ~FRESH == own:
                    other = indptr[u + ONE32] - indptr[u]
                    if other > degree or (other == degree and u > v):
                        own = NONE
                        lost[fetch_add(shared, LENGTH, 1)] = v
                        break
            store_relaxed(words, np.uint64(v), own)
