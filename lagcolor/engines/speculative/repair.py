"""Speculative first-fit on CPU threads: color as if alone, find the conflicts, then repair them on one thread.

Phase 1 in natural order reads only the smaller neighbours, as sequential first-fit does. A vertex may be in conflict
exactly if one of them had no color yet, which it sees while it colors itself and notes: phase 2 reads the rows of such
vertices only, for every other edge was respected by its larger end. In other orders phase 2 reads all rows.

The schedule follows the ids. Where few edges join the blocks (meshes and roads in their natural numbering), each thread
takes one block of n / threads vertices; where many do, threads take short chunks in turn, so that only a few thousand
vertices are ever in flight together.

Phase 3 is a task of the first-fit engine: the larger end of each edge in conflict loses its color, and these vertices
take the least free ones, one after the other. It leaves no conflict: one end of each bad edge is among them.

On a GPU a hundred thousand threads would leave a tenth of the vertices and more to the one thread of phase 3, at a
microsecond each; `first_fit` of this folder colors those again in rounds instead.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semirings.runtime.compile_clock import clock

from ...core.graph import Graph
from ...core.result import Log
from ...core.task import Task
from ...device import threads as cpu_threads
from ...device.compiled import njit
from ...device.intrinsics import fetch_add
from ...orders import Priorities
from ..greedy.parallel import FULL, NEXT, PENDING, natural_chunks, ordered_chunks, wide_chunks
from ..greedy.sequential import ONE32, first_fit, flag_bytes, unsigned, wide_dtype
from ..greedy.tasks import first_fit_task

CHUNK = 2048  # of 64 to n / 2: 512 costs 5 % more, 65536 mends too many
EDGES = 1 << 14  # entries a chunk may have on average, so that few vertices of a dense graph are unordered
SAMPLE = 1024  # rows looked at to choose the schedule
DENSE = 64
FEW = 0.02  # share of edges between blocks up to which blocks are taken


def first_fit_then_repair(G: Graph, p: Priorities, log: Log, workers: int, chunk: int | None = None) -> np.ndarray:
    """Colors of all vertices, roughly in an order.

    Parameters
    ----------
    G : Graph
        On a CPU.
    p : Priorities
    log : Log
        Gets a row for phases 1 and 2, and one for phase 3.
    workers : int
        Threads; one needs no repair.
    chunk : int, optional
        Vertices that a thread takes at a time; None: chosen from the share of edges between blocks.
    """
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
    indptr: Any, indices: Any, sequence: Any, max_degree: int, workers: int, chunk: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Phases 1 and 2: the colors, and the later end of each edge in conflict."""
    n = len(indptr) - 1
    scratch, colors, shared = np.zeros(n, np.uint8), np.empty(n, np.int32), np.zeros(3, np.int64)
    pending = np.empty(n, np.uint32)

    def narrow(_: int) -> None:
        if sequence is None:
            natural_chunks(indptr, indices, scratch, colors, shared, pending, chunk)
        else:
            ordered_chunks(indptr, indices, sequence, None, scratch, colors, shared, chunk)

    many = len(indices) > DENSE * n  # more than one word of colors is to be expected
    if not many:
        cpu_threads.run(narrow, workers)
    if many or shared[FULL]:
        # Start anew, so that no vertex is listed twice.
        scratch = np.zeros(n, wide_dtype(max_degree))
        shared[:] = 0
        cpu_threads.run(
            lambda _: wide_chunks(
                indptr, indices, sequence, None, scratch, colors, flag_bytes(max_degree), shared, pending, chunk
            ),
            workers,
        )
    suspects = pending[: shared[PENDING]].copy() if sequence is None else None
    return colors, np.sort(find_conflicts((indptr, indices), scratch, suspects, workers))


def find_conflicts(graph: tuple[Any, Any], colors: Any, suspects: Any, workers: int) -> np.ndarray:
    """The larger end of each edge whose ends share a color, in any order; among `suspects` (uint32; None: all)."""
    losers = np.empty(len(colors) if suspects is None else len(suspects), np.uint32)
    shared = np.zeros(3, np.int64)
    cpu_threads.run(lambda _: detect(*graph, suspects, colors, losers, shared), workers)
    return losers[: shared[PENDING]]


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


@njit(cache=True, nogil=True)
def detect(indptr: Any, indices: Any, suspects: Any, scratch: Any, pending: Any, shared: Any) -> None:
    """What a thread does of `find_conflicts`."""
    n = np.uint64(scratch.size if suspects is None else suspects.size)
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
                if scratch[u] == scratch[v]:
                    pending[fetch_add(shared, PENDING, 1)] = v
                    break
