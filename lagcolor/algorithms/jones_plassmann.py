"""Jones–Plassmann: a vertex takes its first-fit color as soon as all earlier neighbors have theirs.

With fixed priorities the colors equal sequential first-fit under any schedule.

GPU: rounds over lists of active vertices in one launch; a thread, a warp or a block colors a vertex, by its degree
(jones_plassmann.cu). CPU: threads of engines/greedy, which wait for earlier neighbors that other threads color.

==========  =====================================================================
p           priorities, a permutation; larger is colored earlier
sequence    vertices by decreasing p
keys        p, or None if the kernels compare ids or hashes of ids (GPU)
progress    state of the scan of each waiting vertex's row (GPU)
==========  =====================================================================

Device memory in addition to the graph: 20 bytes per vertex, 16 more for large average degrees, and p.

References
----------
Jones, Plassmann 1993, "A parallel graph coloring heuristic", SIAM J. Sci. Comput. 14(3).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import device as dev
from ..base.device import threads_for_graph
from ..base.log import Log
from ..engines.greedy.first_fit import MOST_THREADS
from ..engines.greedy.sequential import first_fit
from ..engines.greedy.threads import first_fit_on_threads
from ..engines.rounds.worklists import NULL, THREAD_MOST, Rounds, levels
from ..graph.graph import Graph
from ..graph.pattern import unsigned
from ..orders import Priorities
from ..orders.ties import seed_word
from ..problems.registry import coloring

SOURCE = dev.Source(__file__)
KEYS, BY_ARRAY = {"natural": 0, "random": 1}, 2
EACH = 16  # stored entries per thread of a launch


@coloring(
    "jones_plassmann",
    style="kernel",
    paper="Jones and Plassmann 1993",
    bound="Δ+1",
    oracle="first_fit",
    order="random",
    seed=0,
    needs="keys",
    threaded=True,
)
def jones_plassmann(G: Graph, p: Priorities, log: Log, threads: int | None = None) -> Any:
    """Parallel first-fit: a vertex is colored once all its earlier neighbors are colored."""
    if G.on_gpu:
        return _gpu(G, p, log)
    if log.trace and G.n:
        return _in_step(G, p, log)
    workers = threads_for_graph(threads, G, log, MOST_THREADS)
    return first_fit_on_threads(G, p, workers)


def _in_step(G: Graph, p: Priorities, log: Log) -> np.ndarray:
    """First-fit on one core; log the rounds of a machine of unbounded width."""
    indptr, indices = unsigned(G)
    sequence, level, left = p.sequence.view(np.uint32), np.empty(G.n, np.int32), G.n
    levels(indptr, indices, sequence, p.p, level)
    for colored in np.bincount(level).tolist():
        log.round(active=left, colored=colored, conflicts=0)
        left -= colored
    return first_fit(indptr, indices, sequence)


def _gpu(G: Graph, p: Priorities, log: Log) -> Any:
    """Run rounds until no vertex waits; each colors at least the earliest uncolored vertex."""
    rounds = Rounds(G, SOURCE, small_most=THREAD_MOST, KEY=KEYS.get(p.name, BY_ARRAY))
    colors, keys = rounds.uncolored(), p.keys
    rounds.work = max(G.n, G.m // EACH)
    progress = rounds.cp.empty(G.n, np.uint64)
    rounds.run(log, NULL if keys is None else keys, np.int64(seed_word(p.seed or 0)), colors, progress)
    return colors
