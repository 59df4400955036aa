"""IPGC: speculative first-fit over a worklist that is kept in both modes, data-driven and topology-driven.

A round takes every vertex of the worklist: it looks at all neighbours at once, gives the vertex the least color that
none of them has (the mex) if it has no color or loses a conflict, and says whether it stays. The paper's two steps of
a round, color and uncolor, are one look here: looking for conflicts and for the next color reads the same words.
`mode` says what a round walks over: "data" the worklist, "topology" all vertices of the graph, of which it picks the
listed ones, "hybrid" the graph while over H·n vertices are listed, then the list. All modes fill the next worklist.

A vertex is *settled* once it is off the worklist; its color never changes again. Two orders decide who yields.

- First round, by turn (when a vertex is taken): a neighbour without a color that is earlier is a *possible
  conflict*, for it may take the same color right now. Without one per vertex settles at once.
- Later, by weight (log2 of the degree), then hash. Of an edge of one color a settled end stays as it is, else the
  earlier one: exactly one yields. Who yields takes a new color, and settles at once unless an earlier neighbour was
  still listed.

Proper: suppose both ends of an edge settle on one color. In the round in which the last of the two took it, either
the other did not move, and its color was seen and avoided; or both moved, and the later in order saw the earlier
one without a final word, so that it has not settled, or saw its new color and avoided it. It ends: the earliest listed
vertex of a round has no possible conflict, so every round settles at least one.

On a CPU a round is `color_round` of engines/speculative/first_fit.py: the same, but both orders are by id, and who
yields stays listed.

On a GPU all rounds are one cooperative launch: a grid barrier between rounds, and the host reads one count at the end.
Words are read while others write them, so that threads see most colors of their own round: that is why few
conflicts remain, and why the result depends on the schedule. Two copies of the colors would make it
deterministic, but then all neighbours of one round take the same color, a clique takes as many rounds as it has
vertices, and what is left is a slow `jones_plassmann`, which is deterministic as it is.

What decides about speed is how many neighbours are in flight at once. Counted in a simulation of 16 k threads (edges
looked at over all rounds, in units of the graph; rounds):

================================================================  =============  ============  ==========
first round                                                       rggs20          road          grid 1024²
================================================================  =============  ============  ==========
neighbouring ids together, the smaller id stays                   9.0 (144)      7.3 (44)      47 (300+)
the same, the smaller hash stays                                  5.2 (15)       2.2 (8)       3.2 (7)
far-apart pieces of neighbouring ids in turns, hash               4.6 (17)       1.9 (5)       2.3 (5)
the same, and a warp's 32 vertices take colors one after another  2.1 (11)       1.10 (4)      1.38 (5)
================================================================  =============  ============  ==========

Vertices of over 31 neighbours get a warp, of over 511 a block, before the others; a block at 512 and not a warp takes
kron18's dense core from 12 to 6.6 looks at an edge, for fewer of its vertices are in flight at once. Lost as well: a
random one of the free colors instead of the least for losers (half the looks, but 8 to 60 % more colors).

=======  =====================================================================
H        share of the vertices that must be listed for a topology-driven round
words    state and color of each vertex, in one word; at the end the colors
=======  =====================================================================

References
----------
"A Hybrid Graph Coloring Algorithm for GPUs" (IPGC in IrGL), sections II-C and IV; the algorithm is that of Deveci,
Boman, Devine, Rajamanickam 2016, "Parallel graph coloring for manycore architectures".
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np

from .. import device as dev
from ..device import threads as cpu_threads
from ..device.cooperative import cooperative_blocks, launches, with_fewer
from ..engines.greedy.sequential import unsigned
from ..engines.speculative.first_fit import THREADS, color_round
from ..graph import Graph
from ..options import choice, number
from ..orders import Priorities
from ..registry import coloring
from ..result import Log
from ..task import PENDING

MODES = ("topology", "data", "hybrid")
SOURCE = Path(__file__).with_suffix(".cu")
BLOCK = 256
ROUNDS = 512  # that a launch has room for; even
RECORD, RECORD_CONFLICTS, RECORD_TOPOLOGY, RECORD_BEGUN = 16, 6, 7, 8  # words, as in ipgc.cu
LONG_STRIPS_FROM = 1 << 22  # vertices from which a warp takes strips of 128 and not of 32 neighbouring ones


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
        "mode": "what a round walks over: hybrid (default), topology (all vertices) or data (the worklist)",
        "H": "hybrid: share of the vertices, 0 to 1, over which a worklist makes a round topology-driven; default 0.6",
        "threads": THREADS,
    },
)
def ipgc(G: Graph, p: Priorities, log: Log, mode: str = "hybrid", H: float = 0.6, threads: int | None = None) -> Any:
    """Speculative first-fit with a worklist in both modes; the order of coloring is the schedule's."""
    limit = _limit(G.n, mode, H)
    if G.n == 0:
        return G.xp.empty(0, np.int32)
    if G.on_gpu:
        return _gpu(G, limit, log)
    return _cpu(G, limit, log, cpu_threads.for_graph(threads, G, log))


def _limit(n: int, mode: str, H: float) -> int:
    """Listed vertices up to which a round is data-driven."""
    mode = choice("mode", mode, MODES)
    H = number("H", H, 0, 1)
    return {"topology": -1, "data": n, "hybrid": int(H * n)}[mode]


def _cpu(G: Graph, limit: int, log: Log, workers: int) -> np.ndarray:
    """Rounds until the worklist is empty; each settles at least its smallest vertex, so they end."""
    graph, colors = unsigned(G), np.full(G.n, PENDING, np.int32)
    active, again = np.arange(G.n, dtype=np.uint32), False
    while left := len(active):
        topology = left > limit
        walk = np.sort(active) if topology else active  # a walk over the graph visits the listed ones by id
        active = color_round(graph, None, colors, walk, again, workers)
        row = {"active": left, "colored": left - len(active), "conflicts": len(active) if again else 0}
        log.round(**row, mode="topology" if topology else "data")
        again = True
    return colors


def _gpu(G: Graph, limit: int, log: Log) -> Any:
    cp = dev.cupy()
    n = G.n
    kernel = dev.kernel(SOURCE, "ipgc_rounds", OFFSET_BITS=8 * G.indptr.itemsize)
    most = cooperative_blocks(cp, cp.cuda.runtime.getDevice(), kernel, BLOCK)
    blocks = max(1, min(most, -(-max(n, G.m // 16) // BLOCK)))
    words, heavy, lists = cp.empty(n, np.uint32), cp.empty(n, np.int32), cp.empty(2 * n, np.int32)
    control = cp.zeros(RECORD * (ROUNDS + 2) + blocks, np.uint64)  # head, records, two counts of 32 bits per block
    counted = RECORD * (ROUNDS + 2)
    head, records, counts = control[:RECORD], control[RECORD:counted], control[counted:]
    strips = 2 if n >= LONG_STRIPS_FROM else 0
    fresh = 1
    while True:
        args = (words, heavy, lists, strips, limit, fresh, ROUNDS, head, records, counts)
        launch = functools.partial(_launches, kernel, (G.indptr, G.indices, n, *args))
        blocks = with_fewer(blocks, launch, least=1 if fresh else blocks)
        rounds = int(head[1])
        left = _log_rounds(log, n if fresh else None, records, rounds)
        if not left:
            return words.view(np.int32)
        records[:RECORD] = records[RECORD * ROUNDS : RECORD * (ROUNDS + 1)]
        records[RECORD:].fill(0)
        fresh = 0


def _launches(function: Any, args: tuple[Any, ...], blocks: int) -> bool:
    return launches(function, blocks, BLOCK, args)


def _log_rounds(log: Log, n: int | None, records: Any, rounds: int) -> int:
    """Log the rounds of a launch; the vertices still listed after them. Without a trace they are counted only."""
    if not log.trace:
        for _ in range(rounds):
            log.round()
        return int(records[RECORD * ROUNDS : RECORD * ROUNDS + 3].sum()) if rounds == ROUNDS else 0
    table = np.array(records[: RECORD * (rounds + 1)].tolist(), np.int64).reshape(-1, RECORD)
    active = table[:, :3].sum(axis=1).tolist()
    active[0] = active[0] if n is None else n
    for k in range(rounds):
        ms = float(table[k + 1, RECORD_BEGUN] - table[k, RECORD_BEGUN]) / 1e6
        conflicts, mode = int(table[k, RECORD_CONFLICTS]), "topology" if table[k, RECORD_TOPOLOGY] else "data"
        log.round(active=active[k], colored=active[k] - active[k + 1], conflicts=conflicts, mode=mode, ms=ms)
    return active[rounds]
