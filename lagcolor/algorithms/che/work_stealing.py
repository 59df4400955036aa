"""Rounds of the baseline with a first loop balanced by work stealing: a queue per workgroup.

The host gives each queue an equal share of the rows once, for all rounds. An element stands for `chunk` = 64 whole rows
and stores the first. A workgroup of 64 threads processes it, one thread per vertex, for rows of any length. Every round
consumes all elements, also those whose vertices are all colored: 312 for the paper's graph of 19,928 vertices. A
workgroup pops elements from the tail of its own deque (deque.cuh), and steals from the head of another if its own is
empty. The colors equal `che_baseline`, because they do not depend on which workgroup colors a vertex.

The first loop of Algorithm 1, which reads the rows, uses the queues. The second loop compares two numbers per vertex
and must wait for the first, so it is a separate kernel without queues.

On a CPU one thread simulates all workgroups. Threads of a workgroup run in lockstep, so an element costs as much as its
longest row. The workgroup that has been busy for the shortest time acts next.

A round consumes every element once and colors at least the uncolored vertex of greatest priority, so rounds end.

References
----------
Che, Rodgers, Beckmann, Reinhardt 2015, "Graph Coloring on the GPU and Some Techniques to Improve Load
Imbalance", Algorithm 2, Figure 2 and Table I.
Tsigas, Cederman 2011, "Dynamic Load Balancing Using Work-Stealing", GPU Computing Gems Jade Edition, chapter 35; after
Arora, Blumofe, Plaxton 1998, "Thread Scheduling for Multiprogrammed Multiprocessors".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device.compiled import filled, inner, njit
from ...base.errors import ColoringError
from ...base.log import Log
from ...base.options import flag, whole
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...orders import Priorities
from ...problems.registry import coloring
from .local_maxima import PAPER, SOURCE, CheRounds, log_rounds, maxima

WORKGROUP = 64  # threads of a workgroup, and rows of an element
WORKGROUPS = 8  # default number on a CPU
CONSUMED, TRIED, WON = range(3)  # columns of the statistics


@coloring(
    "che_work_stealing",
    style="kernel",
    paper=f"{PAPER} 2",
    bound="rounds",
    passes=True,
    order="random",
    seed=0,
    needs="p",
    options={
        "queues": "number of workgroups, each with a deque; default: one per multiprocessor of a GPU, "
        f"{WORKGROUPS} on a CPU",
        "chunk": f"vertices per element; default {WORKGROUP}",
        "steal": "steal from other deques if its own is empty (default); False: the paper's baseline with queues",
    },
)
def che_work_stealing(
    G: Graph, p: Priorities, log: Log, queues: int | None = None, chunk: int = WORKGROUP, steal: bool = True
) -> Any:
    """Rounds of `che_baseline` with work queues; a workgroup with an empty queue steals from another."""
    queues, chunk, steal = whole("queues", queues, 1, none=True), whole("chunk", chunk, 1), flag("steal", steal)
    state = Queues(G, queues, min(chunk, max(G.n, 1)), steal)
    each: list[dict[str, Any]] = []
    while left := state.left:
        before = state.totals() if log.trace or not each else None
        state.advance(p.p)
        if not 0 <= state.left < left:  # would never end
            raise ColoringError(
                f"che_work_stealing: {left} vertices had no color before a round, and {state.left} after it: "
                "work was lost or done twice. Please report it; che_baseline gives the same colors without queues"
            )
        if before is not None:
            each.append(summary(state.totals() - before))
    log_rounds(log, G, state.colors, [("random", state.n_colors)])
    for row, queue_row in zip(log.rows, each, strict=False):
        row |= queue_row
    log.notes |= {"queues": state.queues, "chunk": state.chunk}
    log.notes |= {"first_round": (each or [summary(state.totals())])[0], "all_rounds": summary(state.totals())}
    return state.colors


def summary(table: np.ndarray) -> dict[str, float]:
    """Table I over the workgroups: elements consumed (max, min, mean, sample stdev), steals tried and won."""
    consumed = table[:, CONSUMED]
    return {
        "elements": int(consumed.sum()), "max": int(consumed.max()), "min": int(consumed.min()),
        "mean": float(consumed.mean()), "stdev": float(consumed.std(ddof=1)) if len(consumed) > 1 else 0.0,
        "steals_tried": int(table[:, TRIED].sum()), "steals_won": int(table[:, WON].sum()),
    }  # fmt: skip


class Queues(CheRounds):
    """The paper's rounds with a first loop that uses queues, and statistics of each queue's workgroup."""

    def __init__(self, G: Graph, queues: int | None, chunk: int, stealing: bool) -> None:
        super().__init__(G)
        elements = -(-G.n // chunk)
        most = SOURCE.of(G.indptr).processors if G.on_gpu else WORKGROUPS
        self.queues, self.chunk, self.stealing = min(queues or most, max(1, elements)), chunk, stealing
        # The first row of element e is e · chunk; queue q has the elements ends[q] … ends[q + 1] − 1.
        self.ends = np.arange(self.queues + 1) * elements // self.queues
        self.statistics = G.xp.zeros((self.queues, 3), np.int64)
        if G.on_gpu:  # QData and QMeta
            cp, sizes = dev.cupy(), np.diff(self.ends)
            data = self.ends[:-1, None] + np.arange(max(1, sizes.max()))
            self.elements, self.sizes = cp.asarray((data * chunk).astype(np.int32)), cp.asarray(sizes)
            self.heads, self.tails = cp.zeros((2, self.queues), np.uint64)

    def _first_loop(self, value: Any, flag: Any) -> None:
        G, lists = self.G, (value, self.colors)
        if not G.on_gpu:
            starts = np.searchsorted(self.active, np.arange(self.ends[-1] + 1) * self.chunk)
            deques = (starts, self.ends[:-1].copy(), self.ends[1:].copy(), self.statistics, self.stealing)
            first_loop(*unsigned(G), *lists, self.active, self.maxima, *deques)
            return
        run = SOURCE.of(G.indptr)
        run.launch("che_initialize_queues", self.queues, self.heads, self.tails, self.sizes, self.queues)
        args = (
            G.indptr, G.indices, *lists, self.maxima, self.heads, self.tails, self.elements,
            self.elements.shape[1], self.statistics, G.n, self.chunk, int(self.stealing),
        )  # fmt: skip
        run.launch("che_steal_maxima", (self.queues,), *args, block=WORKGROUP)

    def totals(self) -> np.ndarray:
        """A row per workgroup, summed over all rounds so far: consumed, tried, won."""
        return np.array(dev.to_device(self.statistics, "cpu"))


@njit(cache=True, nogil=True)
def first_loop(
    indptr: Any, indices: Any, value: Any, colors: Any, active: Any, max_array: Any, starts: Any, heads: Any,
    tails: Any, counts: Any, stealing: Any,
) -> None:  # fmt: skip
    """First loop with queues; the vertices of element e are ``active[starts[e]:starts[e + 1]]``."""
    queues = heads.size
    busy = filled(queues, 0, np.int64)
    for _ in range(starts.size - 1):  # each turn consumes an element
        me = least(busy)
        while heads[me] == tails[me] and not stealing:
            busy[me] = np.iinfo(np.int64).max  # this workgroup is done
            me = least(busy)
        victim = me
        while heads[victim] == tails[victim]:
            victim = (victim + 1) % queues
        if victim == me:
            tails[me] -= 1
            element = tails[me]
        else:
            element = heads[victim]
            heads[victim] += 1
            counts[me, TRIED] += 1
            counts[me, WON] += 1
        counts[me, CONSUMED] += 1
        part = active[starts[element] : starts[element + 1]]
        busy[me] += 1 + maxima(indptr, indices, value, colors, part, max_array, None)


@inner()
def least(busy: Any) -> Any:
    """Workgroup that has been busy for the shortest time."""
    at = 0
    for q in range(1, busy.size):
        if busy[q] < busy[at]:
            at = q
    return at
