"""Speculative first-fit on CPU threads: color as if alone, find the conflicts, then repair them on one thread.

In phase 1 threads color chunks of the order and read whatever colors are there. In natural order each vertex reads its
neighbors of smaller id alone, from codes of one byte (0: no color yet, else color + 1), and is suspect if one of them
has no color: phase 2 reads the rows of suspects. In other orders, or where a color passes 62, the loop of tasks colors
in phase 1, and phase 2 reads all rows. Where few edges join the blocks of ids
(meshes and roads in their natural numbering), each thread takes one block of n / threads vertices; where many do,
threads take short chunks in turn, so that only a few thousand vertices are ever in flight together.

Phase 3 is a task of the first-fit engine: the larger end of each edge in conflict loses its color, and these vertices
take the least free ones, one after the other. It leaves no conflict: one end of each bad edge is among them.

On a GPU a hundred thousand threads would leave a tenth of the vertices and more to the one thread of phase 3, at a
microsecond each; `first_fit` of this folder colors those again in rounds instead.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.compile_clock import clock
from ...base.device.compiled import njit
from ...base.device.intrinsics import ctz64, fetch_add, load_relaxed, store_relaxed
from ...base.device.parallel import launch, parallel, slots
from ...base.log import Log
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...orders import Priorities
from ...problems.task import NONE, PENDING, Task
from ..greedy.sequential import LAST, ONE, ONE32, ZERO, first_fit
from ..greedy.tasks import first_fit_task
from ..greedy.tasks_cpu import color_chunks
from .first_fit import color_round

CHUNK = 2048  # of 64 to n / 2: 512 costs 5 % more, 65536 mends too many
EDGES = 1 << 14  # entries a chunk may have on average, so that few vertices of a dense graph are unordered
SAMPLE = 1024  # rows looked at to choose the schedule
NEXT, KEPT, FULL = np.uint64(0), np.uint64(1), np.uint64(2)  # slots of `shared`; FULL: a color does not fit a word
FEW = 0.02  # share of edges between blocks up to which blocks are taken


def first_fit_then_repair(G: Graph, p: Priorities, log: Log, workers: int, chunk: int | None = None) -> np.ndarray:
    """Colors of all vertices, roughly in an order."""
    indptr, indices = unsigned(G)
    sequence = None if p.is_natural else p.sequence.view(np.uint32)
    if workers == 1:
        colors = first_fit(indptr, indices, sequence)
        log.round(active=G.n, colored=G.n, conflicts=0)
        return colors
    block = -(-G.n // workers)
    if chunk is None:
        local = crossing(indptr, indices, sequence, np.uint32(block)) <= FEW
        chunk = block if local else min(CHUNK, max(256, EDGES * G.n // max(G.m, 1)))
    start = clock()
    colors, pending = _speculate(indptr, indices, sequence, G.max_degree, workers, np.int64(max(1, min(chunk, G.n))))
    between = clock()
    if len(pending):
        first_fit_task(G, Task(pending.view(np.int32), colors), in_place=True)
    end, mended = clock(), len(pending)
    log.round(active=G.n, colored=G.n - mended, conflicts=mended, ms=(between - start) * 1e3)
    log.round(active=mended, colored=mended, conflicts=0, ms=(end - between) * 1e3)
    return colors


def _speculate(
    indptr: np.ndarray, indices: np.ndarray, sequence: np.ndarray | None, max_degree: int, workers: int, chunk: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Phases 1 and 2: the colors, and the larger end of each edge in conflict."""
    n = len(indptr) - 1
    if sequence is None:
        colors, suspects, shared = np.empty(n, np.int32), np.empty(n, np.uint32), slots(3)
        state = np.zeros(n, np.uint8)
        launch(natural_chunks, workers, shared, (indptr, indices), state, colors, suspects, chunk)
        if not shared[FULL]:
            return colors, np.sort(find_conflicts((indptr, indices), colors, suspects[: shared[KEPT]], workers))
    return _speculate_in_order(indptr, indices, sequence, max_degree, workers, chunk)


def _speculate_in_order(
    indptr: np.ndarray, indices: np.ndarray, sequence: np.ndarray | None, max_degree: int, workers: int, chunk: Any
) -> tuple[np.ndarray, np.ndarray]:
    """The same in any order and of any number of colors."""
    n = len(indptr) - 1
    colors, nowhere = np.full(n, NONE, np.int32), np.empty(0, np.int32)
    order, sizes = np.arange(n, dtype=np.uint32) if sequence is None else sequence, (max_degree + 1, chunk)
    launch(color_chunks, workers, slots(1), (indptr, indices), order, nowhere, colors, None, sizes)
    return colors, np.sort(find_conflicts((indptr, indices), colors, None, workers))


def rounds_of_two_steps(G: Graph, limit: int, log: Log, workers: int) -> np.ndarray:
    """Rounds on CPU threads, over all vertices while more than `limit` are listed; the smallest keeps its color."""
    graph, colors = unsigned(G), np.full(G.n, PENDING, np.int32)
    worklist = np.arange(G.n, dtype=np.uint32)
    while active := len(worklist):
        topology = active > limit
        walk = np.flatnonzero(colors == PENDING).astype(np.uint32) if topology else worklist
        color_round(graph, None, colors, walk, False, workers)
        worklist = find_conflicts(graph, colors, walk, workers)
        colors[worklist] = PENDING
        mode = "topology" if topology else "data"
        log.round(active=active, colored=active - len(worklist), conflicts=len(worklist), mode=mode)
    return colors


def find_conflicts(graph: tuple[Any, Any], colors: Any, suspects: Any, workers: int) -> np.ndarray:
    """The larger end of each edge whose ends share a color, in any order; among `suspects` (uint32; None: all)."""
    losers = np.empty(len(colors) if suspects is None else len(suspects), np.uint32)
    shared = slots(2)
    launch(detect, workers, shared, *graph, suspects, colors, losers)
    return losers[: shared[KEPT]]


@njit(cache=True)
def crossing(indptr: Any, indices: Any, sequence: Any, block: Any) -> Any:
    """Share of the edges of some sampled vertices that lead to another block of ids; 1 in other orders."""
    n = indptr.size - 1
    if sequence is not None:
        return 1.0
    seen = crossed = 0
    for k in range(min(SAMPLE, n)):
        v = np.uint32(k * n // min(SAMPLE, n))
        for e in range(indptr[v], indptr[v + ONE32]):
            seen += 1
            crossed += indices[e] // block != v // block
    return crossed / max(seen, 1)


@parallel
def natural_chunks(_: Any, shared: Any, graph: Any, state: Any, colors: Any, suspects: Any, chunk: Any) -> None:
    """What a thread does of phase 1 in natural order."""
    (indptr, indices), n = graph, np.uint64(state.size)
    while load_relaxed(shared, FULL) == 0:
        first = np.uint64(fetch_add(shared, NEXT, chunk))
        if first >= n:
            return
        stop = min(first + np.uint64(chunk), n)
        for i in range(first, stop):
            v, mask = np.uint32(i), ZERO
            for e in range(indptr[v], indptr[v + ONE32]):
                u = indices[e]
                if u >= v:
                    break
                mask |= ONE << np.uint64(load_relaxed(state, np.uint64(u)))
            if mask & ONE:
                suspects[fetch_add(shared, KEPT, 1)] = v
            code = ctz64(~(mask | ONE))
            if code > LAST:
                store_relaxed(shared, FULL, 1)
                return
            store_relaxed(state, i, state.dtype.type(code))
        for i in range(first, stop):
            colors[i] = np.int32(state[i]) - np.int32(1)


@parallel
def detect(_: Any, shared: Any, indptr: Any, indices: Any, suspects: Any, colors: Any, losers: Any) -> None:
    """What a thread does of `find_conflicts`."""
    n = np.uint64(colors.size if suspects is None else suspects.size)
    while True:
        first = np.uint64(fetch_add(shared, NEXT, 64))
        if first >= n:
            return
        for i in range(first, min(first + np.uint64(64), n)):
            v = np.uint32(i) if suspects is None else suspects[i]
            for e in range(indptr[v], indptr[v + ONE32]):
                u = indices[e]
                if u >= v:
                    break
                if colors[u] == colors[v]:
                    losers[fetch_add(shared, KEPT, 1)] = v
                    break
