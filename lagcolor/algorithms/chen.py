"""Chen et al.'s speculative first-fit, topology-driven and data-driven: a round colors, then looks for conflicts.

A round has two passes over the edges of its vertices. In the first, each uncolored vertex takes the least color that no
neighbor has. In the second, a vertex of this round becomes uncolored again if a neighbor of larger degree (then id) has
the same color. `chen_topology` visits all vertices in both passes. `chen_data` visits a worklist, and the second pass
fills the worklist of the next round; two lists are used in turn. `ipgc` fuses the two passes and lists fewer vertices.

Proper: a vertex sees and avoids colors of earlier rounds. Two neighbors can share a color after the first pass only if
both took it in this round, and the second pass then removes it from one of them. It ends: the vertex of largest degree
and id in a round keeps its color.

On a GPU the host reads the counts every `BATCH` rounds; rounds after the last find nothing to do. On a CPU the rounds
equal the rounds of `ipgc`: the smaller id keeps its color.

Reference: Chen, Li, Fang, Tang, Wang, Yang 2017, "Efficient and high-quality sparse graph coloring on GPUs",
Concurrency and Computation: Practice and Experience 29(10), e4064.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.device import threads_for_graph
from ..base.log import Log
from ..engines.rounds.first_fit import rounds_of_two_steps
from ..graph.graph import Graph
from ..orders import Priorities
from ..problems.registry import coloring

PAPER = "Chen, Li, Fang, Tang, Wang, Yang 2017"
SOURCE = dev.Source(__file__)
BATCH = 4  # rounds between two reads of the counts by the host
MOST_BLOCKS = 1 << 16
NONE = np.uint32(1 << 30)  # no color, in `words` of the kernels
ROW: dict[str, Any] = {
    "style": "kernel", "bound": "Δ+1", "deterministic": False, "needs": None, "reads_order": False,
    "threaded": True,
}  # fmt: skip


@coloring("chen_topology", paper=f"{PAPER}, topology-driven", **ROW)
def chen_topology(G: Graph, p: Priorities, log: Log, threads: int | None = None) -> Any:
    """Speculative first-fit in two passes per round, each over all vertices."""
    return _color(G, log, threads, data_driven=False)


@coloring("chen_data", paper=f"{PAPER}, data-driven", **ROW)
def chen_data(G: Graph, p: Priorities, log: Log, threads: int | None = None) -> Any:
    """Speculative first-fit in two passes per round, each over a worklist."""
    return _color(G, log, threads, data_driven=True)


def _color(G: Graph, log: Log, threads: int | None, data_driven: bool) -> Any:
    if G.n == 0:
        return G.xp.empty(0, np.int32)
    if G.on_gpu:
        return _gpu(G, log, data_driven)
    limit = G.n if data_driven else -1
    return rounds_of_two_steps(G, limit, log, threads_for_graph(threads, G, log))


def _gpu(G: Graph, log: Log, data_driven: bool) -> Any:
    cp, n, active = dev.cupy(), G.n, G.n
    run = SOURCE.of(G.indptr, DATA_DRIVEN=data_driven)
    words = cp.full(n, NONE, np.uint32)
    lists = [cp.empty(n if data_driven else 1, np.int32) for _ in range(2)]
    everyone, items = cp.full(1, n, np.int32), 0
    length = everyone
    while active:
        batch = 1 if log.trace else BATCH
        counts = cp.zeros(batch, np.int32)
        threads = active if data_driven else n
        for k in range(batch):
            args = G.indptr, G.indices, words, items, length
            run.launch("first_fit", threads, *args, most=MOST_BLOCKS)
            run.launch("resolve", threads, *args, lists[0], counts[k:], most=MOST_BLOCKS)
            if data_driven:
                items, length = lists[0], counts[k:]
                lists.reverse()
        for before, after in itertools.pairwise([active, *counts.tolist()]):
            if before:
                log.round(active=before, colored=before - after, conflicts=after)
            active = after
    return words.view(np.int32)
