"""Speculative first-fit on CPU threads: color as if alone, find the conflicts, then repair them on one thread.

In phase 1 threads color chunks of the order and read whatever colors are there. In natural order it is the first round
of `first_fit` of this folder, and phase 2 reads the rows of its suspects. In other orders the loop of tasks colors, and
phase 2 reads all rows. Where few edges join the blocks of ids (meshes and roads in their natural numbering), each
thread takes one block of n / threads vertices; where many do, threads take short chunks in turn, so that only a few
thousand vertices are ever in flight together.

In phase 3 the larger end of each edge in conflict loses its color, and these vertices take the least free ones, one
after the other. It leaves no conflict: one end of each bad edge is among them.

On a GPU a hundred thousand threads would leave a tenth of the vertices and more to the one thread of phase 3, at a
microsecond each; `first_fit` of this folder colors those again in rounds instead.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.compile_clock import clock
from ...base.device.compiled import njit
from ...base.log import Log
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...orders import Priorities
from ...problems.task import NONE, PENDING
from ..greedy.sequential import ONE32, first_fit
from ..greedy.tasks import color_in_chunks
from .first_fit import color_round, find_conflicts

CHUNK = 2048  # of 64 to n / 2: 512 costs 5 % more, 65536 mends too many
EDGES = 1 << 14  # entries a chunk may have on average, so that few vertices of a dense graph are unordered
SAMPLE = 1024  # rows looked at to choose the schedule
FEW = 0.02  # share of edges between blocks up to which blocks are taken


def first_fit_then_repair(G: Graph, p: Priorities, log: Log, workers: int, chunk: int | None = None) -> np.ndarray:
    """Colors of all vertices, roughly in an order."""
    graph, n = unsigned(G), G.n
    sequence = None if p.is_natural else p.sequence.view(np.uint32)
    if workers == 1:
        colors = first_fit(*graph, sequence)
        log.round(active=n, colored=n, conflicts=0)
        return colors
    block = -(-n // workers)
    if chunk is None:
        local = sequence is None and crossing(*graph, np.uint32(block)) <= FEW
        chunk = block if local else min(CHUNK, max(256, EDGES * n // max(G.m, 1)))
    chunk, start = max(1, min(chunk, n)), clock()
    if sequence is None:
        colors = np.empty(n, np.int32)
        suspects = color_round(graph, None, colors, None, workers, chunk=chunk)
    else:
        colors, suspects = np.full(n, NONE, np.int32), None
        color_in_chunks(graph, sequence, colors, workers, chunk)
    pending = np.sort(find_conflicts(graph, None, colors, suspects, workers))
    between = clock()
    if len(pending):
        colors[pending] = PENDING
        color_in_chunks(graph, pending, colors, 1, len(pending))
    end, mended = clock(), len(pending)
    log.round(active=n, colored=n - mended, conflicts=mended, ms=(between - start) * 1e3)
    log.round(active=mended, colored=mended, conflicts=0, ms=(end - between) * 1e3)
    return colors


@njit(cache=True)
def crossing(indptr: Any, indices: Any, block: Any) -> Any:
    """Share of the edges of some sampled vertices that lead to another block of ids."""
    n = indptr.size - 1
    seen = crossed = 0
    for k in range(min(SAMPLE, n)):
        v = np.uint32(k * n // min(SAMPLE, n))
        for e in range(indptr[v], indptr[v + ONE32]):
            seen += 1
            crossed += indices[e] // block != v // block
    return crossed / max(seen, 1)
