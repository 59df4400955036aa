"""Speculative first-fit on CPU threads: color at once, find the conflicts, then repair them on one thread.

In phase 1 threads color chunks of the order and read the current colors of neighbors. In natural order this is the
first round of `first_fit` in this folder, and phase 2 reads the rows of its suspects. In other orders the loop of
tasks.py colors, and phase 2 reads all rows. If few edges join the blocks of ids (meshes and roads in natural order),
each thread takes one block of n / threads vertices. If many do, threads take short chunks in turn, so that only a few
thousand vertices are in flight at a time.

In phase 3 the larger end of each edge in conflict loses its color, and these vertices take the smallest free colors,
one after the other. No conflict is left, because one end of each edge in conflict is among them.

On a GPU a hundred thousand threads would leave a tenth of the vertices or more to the one thread of phase 3, at a
microsecond each; `first_fit` in this folder colors them in rounds instead.
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

CHUNK = 2048  # best of 64 to n / 2: 512 costs 5 % more, 65536 causes too many conflicts
EDGES = 1 << 14  # most entries of a chunk on average, so that chunks of a dense graph are short
SAMPLE = 1024  # rows that are sampled to choose the schedule
FEW = 0.02  # share of edges between blocks up to which threads take blocks


def first_fit_then_repair(G: Graph, p: Priorities, log: Log, workers: int, chunk: int | None = None) -> np.ndarray:
    """Return colors of all vertices, roughly in the order of `p`."""
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
    """Return the share of edges of sampled vertices that lead to another block of ids."""
    n = indptr.size - 1
    seen = crossed = 0
    for k in range(min(SAMPLE, n)):
        v = np.uint32(k * n // min(SAMPLE, n))
        for e in range(indptr[v], indptr[v + ONE32]):
            seen += 1
            crossed += indices[e] // block != v // block
    return crossed / max(seen, 1)
