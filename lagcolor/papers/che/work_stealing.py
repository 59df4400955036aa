"""Rounds of the baseline whose work is balanced by stealing: a deque a workgroup.

At the start of a round each workgroup gets an equal number of elements, each the offset of `chunk` entries of the
list of vertices left. It pops from the tail of its own deque, and when that is empty steals from the head of another.
On a GPU a workgroup is a block of threads, which processes an element together, with lock-free deques (deque.cuh). On
a CPU one thread plays all workgroups: the one that has read the fewest entries so far acts next. The colors are those
of `che_baseline`, whoever colors what; on a GPU that changes from run to run.

=============  ==================================================================================
heads, tails   QMeta: where each deque begins and ends
elements       QData: offsets
lists          vertices left, each beside the neighbour that it waits for; two in turn
statistics     elements consumed, steals tried and won of each workgroup: of the first round, in
               which all vertices have work as in every round of the paper's, and of all
=============  ==================================================================================

Every element is consumed once a round, and a round colors at least the uncolored vertex of greatest priority.

References
----------
Che, Rodgers, Beckmann, Reinhardt 2015, "Graph Coloring on the GPU and Some Techniques to Improve Load
Imbalance", Algorithm 2 and Table I.
Tsigas, Cederman 2011, "Dynamic Load Balancing Using Work-Stealing", GPU Computing Gems Jade Edition, chapter 35; after
Arora, Blumofe, Plaxton 1998, "Thread Scheduling for Multiprogrammed Multiprocessors".
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ... import device as dev
from ...device.compiled import njit
from ...device.cooperative import cooperative_blocks, launches, with_fewer
from ...engines.greedy.sequential import unsigned
from ...engines.independent_sets import MANY
from ...engines.independent_sets.rounds import LEFT, NEXT_COLOR
from ...errors import ColoringError
from ...graph import Graph
from ...options import flag, whole
from ...orders import Priorities
from ...registry import LISTS, coloring
from ...result import Log
from .baseline import PAPER
from .paper_schedule import assign, maxima
from .trace import log_rounds

SOURCE = Path(__file__).with_suffix(".cu")
BLOCK = 256
TOGETHER = 4  # workgroups a multiprocessor
CHUNK = 256
WORKGROUPS = 8  # on a CPU, by default
CONSUMED, TRIED, WON = range(3)  # columns of the statistics


@coloring(
    "che_work_stealing",
    style="kernel",
    paper=f"{PAPER} 2",
    bound="rounds",
    passes=True,
    chain=1,
    cost=LISTS,
    instead="jpl",
    order="random",
    seed=0,
    needs="p",
    options={
        "queues": "workgroups, each with a deque: blocks on a GPU, at most as many as run at once; default on a "
        f"CPU {WORKGROUPS}",
        "chunk": f"vertices of an element; default {CHUNK}",
        "steal": "take from other deques when the own one is empty (default); False: the paper's baseline of queues",
    },
)
def che_work_stealing(
    G: Graph, p: Priorities, log: Log, queues: int | None = None, chunk: int = CHUNK, steal: bool = True
) -> Any:
    """The baseline's rounds, with work queues that steal from each other."""
    queues, chunk, steal = whole("queues", queues, 1, none=True), whole("chunk", chunk, 1), flag("steal", steal)
    state = (GpuQueues if G.on_gpu else CpuQueues)(G, queues, min(chunk, max(G.n, 1)), steal)
    rounds: list[dict[str, Any]] = []
    while left := state.state[LEFT]:
        before = state.totals() if log.trace else None
        state.advance(p.p, 1 if log.trace else MANY)
        if not 0 <= state.state[LEFT] < left:  # else it would go on for ever
            raise ColoringError(
                f"che_work_stealing: of {left} vertices without a color {state.state[LEFT]} are left after a round: "
                "work was lost or done twice. Please report it; che_baseline gives the same colors without queues"
            )
        if before is not None:
            rounds.append(summary(state.totals() - before))
    log_rounds(log, G, state.colors, [("random", int(state.state[NEXT_COLOR]))])
    for row, queue_row in zip(log.rows, rounds, strict=False):
        row |= queue_row
    log.notes |= {"queues": state.queues, "chunk": state.chunk}
    log.notes |= {"first_round": summary(state.totals(0)), "all_rounds": summary(state.totals())}
    return state.colors


def summary(table: np.ndarray) -> dict[str, float]:
    """Table I of one row a workgroup: elements consumed (max, min, mean, stdev of the sample), steals tried and won."""
    consumed = table[:, CONSUMED]
    return {
        "elements": int(consumed.sum()), "max": int(consumed.max()), "min": int(consumed.min()),
        "mean": float(consumed.mean()), "stdev": float(consumed.std(ddof=1)) if len(consumed) > 1 else 0.0,
        "steals_tried": int(table[:, TRIED].sum()), "steals_won": int(table[:, WON].sum()),
    }  # fmt: skip


class GpuQueues:
    """Lists, deques and statistics on the device of the graph."""

    def __init__(self, G: Graph, queues: int | None, chunk: int, stealing: bool) -> None:
        cp = dev.cupy()
        self.G, self.cp, self.chunk, self.stealing = G, cp, chunk, stealing
        macros = {"OFFSET_BITS": 8 * G.indptr.itemsize, "BLOCK": BLOCK}
        self.kernel = dev.kernel(SOURCE, "che_work_stealing", **macros)
        fit = cooperative_blocks(cp, cp.cuda.runtime.getDevice(), self.kernel, BLOCK, TOGETHER)
        self.colors = cp.full(G.n, -1, np.int32)
        self.cursor = cp.empty(G.n, G.indptr.dtype)
        self.lists, self.lengths = cp.empty((2, G.n), np.uint64), cp.zeros(2, np.int32)
        self.arrivals = cp.zeros(3, np.uint64)
        self.on_device = cp.array([G.n, 0, 0, 0, 0], np.int64)
        self.state = [G.n, 0, 0, 0, 0]
        self._make_queues(min(fit, queues or max(1, -(-G.n // chunk))))

    def _make_queues(self, queues: int) -> None:
        cp, n, self.queues = self.cp, self.G.n, queues
        self.room = -(-n // self.chunk) // queues + 1
        self.heads, self.tails = cp.zeros(queues, np.uint64), cp.zeros(queues, np.uint64)
        self.elements = cp.empty((queues, self.room), np.int32)
        self.statistics = cp.zeros((2, queues, 3), np.uint64)

    def advance(self, value: Any, rounds: int) -> None:
        """Up to `rounds` rounds, until all vertices have colors."""
        fresh = self.state[NEXT_COLOR] == 0

        def launch(queues: int) -> bool:
            if queues != self.queues:
                self._make_queues(queues)
            args = (
                self.G.indptr, self.G.indices, value, self.colors, self.cursor, self.lists, self.lengths, self.heads,
                self.tails, self.elements, self.room, self.arrivals, self.on_device, self.statistics, self.G.n,
                int(fresh), rounds, self.chunk, int(self.stealing),
            )  # fmt: skip
            return launches(self.kernel, queues, BLOCK, args)

        self.arrivals.fill(0)
        with_fewer(self.queues, launch, least=1 if fresh else self.queues)  # statistics go on from launch to launch
        self.state = self.on_device.tolist()

    def totals(self, which: int = 1) -> np.ndarray:
        """A row a workgroup: consumed, tried, won; of the first round (0), or of all so far."""
        return dev.to_device(self.statistics[which], "cpu").astype(np.int64)


class CpuQueues:
    """The same, played by one thread."""

    def __init__(self, G: Graph, queues: int | None, chunk: int, stealing: bool) -> None:
        self.G, self.chunk, self.stealing = G, chunk, stealing
        self.queues = min(queues or WORKGROUPS, max(G.n, 1))
        self.colors = np.full(G.n, -1, np.int32)
        self._maxima, self._active = np.empty(G.n, np.int32), np.arange(G.n, dtype=np.uint32)
        self.state = [G.n, 0]
        self.statistics = np.zeros((2, self.queues, 3), np.int64)

    def advance(self, value: Any, rounds: int) -> None:
        """Up to `rounds` rounds, until all vertices have colors; each colors at least the largest left."""
        for _ in range(rounds):
            if not self.state[LEFT]:
                return
            lists = (self.colors, self._active, self._maxima)
            ends = np.arange(self.queues + 1) * -(-self._active.size // self.chunk) // self.queues
            heads, tails, counts = ends[:-1].copy(), ends[1:].copy(), np.zeros_like(self.statistics[0])
            deques = (heads, tails, np.zeros_like(heads), counts)
            first_loop(*unsigned(self.G), value, *lists, *deques, self.chunk, self.stealing)
            k = self.state[NEXT_COLOR]
            self.state[LEFT] -= assign(value, *lists, None, np.int32(k))
            self.state[NEXT_COLOR] += 1
            self._active = self._active[self.colors[self._active] < 0]
            self.statistics[1] += counts
            if k == 0:
                self.statistics[0] = counts

    def totals(self, which: int = 1) -> np.ndarray:
        """A row a workgroup: consumed, tried, won; of the first round (0), or of all so far."""
        return self.statistics[which].copy()


@njit(cache=True, nogil=True)
def first_loop(
    indptr: Any, indices: Any, value: Any, colors: Any, active: Any, max_array: Any, heads: Any, tails: Any,
    spent: Any, counts: Any, chunk: Any, stealing: Any,
) -> None:  # fmt: skip
    """The first loop of a round from queues; `counts` gets elements consumed, steals tried and won of each workgroup.

    Of each the head and tail of its deque, and the entries that it has `spent`, all 0 as `counts` is.
    """
    queues = heads.size
    for _ in range(tails[-1]):  # each turn consumes an element
        me = least(spent)
        while heads[me] == tails[me] and not stealing:
            spent[me] = np.iinfo(np.int64).max  # it is done
            me = least(spent)
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
        part = active[element * chunk : (element + 1) * chunk]
        spent[me] += part.size + maxima(indptr, indices, value, colors, part, max_array, None)


@njit(cache=True, nogil=True, inner=True)
def least(spent: Any) -> Any:
    """The workgroup that has spent the least."""
    at = 0
    for q in range(1, spent.size):
        if spent[q] < spent[at]:
            at = q
    return at
