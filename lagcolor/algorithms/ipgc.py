"""IPGC: speculative first-fit in two steps per round, with a worklist in both modes.

A round has two steps (section II-C of the paper). *Assign*: each active vertex takes the least color that no neighbor
has (the mex). All vertices do so at once, so neighbors may take the same color. *Conflict*: of two neighbors of one
color, the one with the larger id loses it. The vertices without a color are the next worklist.

Both steps of a round visit the vertices that `mode` selects. "data": the worklist. "topology": all vertices, and skip
inactive ones. "hybrid": all vertices while the worklist has over H·n, then the worklist (section IV). All modes fill
the next worklist, so a change of mode costs nothing.

Proper: a vertex sees and avoids colors of earlier rounds. Two neighbors can share a color after *assign* only if both
took it in this round, and *conflict* then removes it from one of them. It ends: in each round the active vertex with
the smallest id keeps its color.

On a GPU all rounds are one cooperative launch with a grid barrier after each step (IrGL's iteration outlining). A warp
or a block colors a vertex of high degree (nested parallelism), and a block appends vertices to the worklist with one
atomic (cooperative conversion). Threads read colors while others write them, so the result depends on the schedule.
On a CPU `chen_topology` and `chen_data` take the same two steps.

=======  =====================================================================
H        a round is topology-driven if more than this share of the vertices is listed
words    state and color of each vertex in one word; at the end the color
=======  =====================================================================

References
----------
"A Hybrid Graph Coloring Algorithm for GPUs" (IPGC in IrGL), sections II-C and IV; the algorithm is by Deveci,
Boman, Devine, Rajamanickam 2016, "Parallel graph coloring for manycore architectures".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import device as dev
from ..base.device import threads_for_graph
from ..base.log import Log
from ..base.options import choice, number
from ..engines.rounds.first_fit import rounds_of_two_steps
from ..graph.graph import Graph
from ..orders import Priorities
from ..problems.registry import coloring

MODES = ("topology", "data", "hybrid")
SOURCE = dev.Source(__file__)
ROUNDS = 512  # most rounds of a launch; even
RECORD = np.dtype([("active", np.int32), ("topology", np.int32), ("begun", np.uint64)])  # as in ipgc.cu


@coloring(
    "ipgc",
    style="kernel",
    paper="A Hybrid Graph Coloring Algorithm for GPUs (IPGC); Deveci et al. 2016",
    bound="Δ+1",
    deterministic=False,
    order="natural",
    seed=None,
    needs=None,
    reads_order=False,
    options={
        "mode": "vertices that a round visits: topology (all), data (the worklist) or hybrid (default, see H)",
        "H": "hybrid: share of vertices in the worklist, 0 to 1, above which a round visits all; default 0.6",
    },
    threaded=True,
)
def ipgc(G: Graph, p: Priorities, log: Log, mode: str = "hybrid", H: float = 0.6, threads: int | None = None) -> Any:
    """Speculative first-fit with a worklist in both modes; the schedule decides the order of coloring."""
    limit = _limit(G.n, mode, H)
    if G.n == 0:
        return G.xp.empty(0, np.int32)
    if G.on_gpu:
        return _gpu(G, limit, log)
    return rounds_of_two_steps(G, limit, log, threads_for_graph(threads, G, log))


def _limit(n: int, mode: str, H: float) -> int:
    """Largest worklist of a data-driven round."""
    mode = choice("mode", mode, MODES)
    H = number("H", H, 0, 1)
    return {"topology": -1, "data": n, "hybrid": int(H * n)}[mode]


def _gpu(G: Graph, limit: int, log: Log) -> Any:
    cp, n = dev.cupy(), G.n
    run, blocks = SOURCE.of(G.indptr), 0
    words, lists = cp.empty(n, np.uint32), cp.empty(2 * n, np.int32)
    head, records = cp.zeros(4, np.int32), cp.zeros(2 * (ROUNDS + 1), np.uint64)
    active = n
    while active:
        args = (G.indptr, G.indices, n, words, lists, limit, int(not blocks), ROUNDS, head, records)
        threads = blocks * run.block or max(n, G.m // 16)
        blocks = run.cooperative("ipgc_rounds", threads, *args, least=blocks or 1)
        rounds = int(head[2])
        active = _log_rounds(log, cp.asnumpy(records).view(RECORD)[: rounds + 1])
        records[:2] = records[2 * ROUNDS :]
        records[2:].fill(0)
    return words.view(np.int32)


def _log_rounds(log: Log, records: np.ndarray) -> int:
    """Log the rounds of a launch and return the number of vertices that are active after them."""
    active, begun = records["active"].tolist(), records["begun"].tolist()
    for k in range(len(records) - 1):
        ms, after = (begun[k + 1] - begun[k]) / 1e6, active[k + 1]
        mode = "topology" if records["topology"][k] else "data"
        log.round(active=active[k], colored=active[k] - after, conflicts=after, mode=mode, ms=ms)
    return int(active[-1])
