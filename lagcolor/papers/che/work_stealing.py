"""Rounds of the baseline whose work is balanced by stealing: a deque a workgroup.

A workgroup pops elements of work from the tail of its own deque, and when that is empty steals from the head of
another. The paper's queues are the default, `schedule="paper"` (paper_queues.py). The library's, "worklist", on a GPU,
distribute the list of the remaining vertices anew in each round: an element is the offset of `chunk` entries of it. A
block processes an element together, with lock-free deques (deque.cuh), and many rounds are one launch. The colors are
those of `che_baseline`, whichever workgroup colors a vertex; on a GPU that changes from run to run.

=============  ==================================================================================
heads, tails   QMeta: where each deque begins and ends
elements       QData: offsets
lists          vertices left, each beside the neighbour that it waits for; two in turn
statistics     elements consumed, steals tried and won of each workgroup: of the first round, and of all
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
from ...core.errors import ColoringError
from ...core.graph import Graph
from ...core.options import choice, flag, whole
from ...core.registry import LISTS, coloring
from ...core.result import Log
from ...device.cooperative import cooperative_blocks, launches, with_fewer
from ...engines.independent_sets import MANY
from ...engines.independent_sets.rounds import LEFT, NEXT_COLOR
from ...orders import Priorities
from .baseline import PAPER
from .paper_queues import CONSUMED, TRIED, WON, WORKGROUP, WORKGROUPS, PaperQueues
from .trace import log_rounds

SOURCE = Path(__file__).with_suffix(".cu")
BLOCK = 256
TOGETHER = 4  # workgroups a multiprocessor
CHUNK = {"paper": WORKGROUP, "worklist": BLOCK}


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
        "schedule": "GPU: paper (default), queues that have the same whole rows in every round, one thread per vertex; "
        "worklist, queues of the vertices left, rows searched on from where they stopped; changes no color",
        "queues": f"workgroups, each with a deque: blocks on a GPU; default one per multiprocessor, {WORKGROUPS} on a "
        "CPU; worklist: as many as run at once, at most",
        "chunk": f"vertices of an element; default {CHUNK['paper']}, worklist {CHUNK['worklist']}",
        "steal": "take from other deques when the own one is empty (default); False: the paper's baseline of queues",
    },
)
def che_work_stealing(
    G: Graph,
    p: Priorities,
    log: Log,
    schedule: str = "paper",
    queues: int | None = None,
    chunk: int | None = None,
    steal: bool = True,
) -> Any:
    """The baseline's rounds, with work queues that steal from each other."""
    schedule, queues = choice("schedule", schedule, tuple(CHUNK)), whole("queues", queues, 1, none=True)
    chunk, steal = whole("chunk", chunk, 1, none=True) or CHUNK[schedule], flag("steal", steal)
    of = GpuQueues if G.on_gpu and schedule == "worklist" else PaperQueues
    state = of(G, queues, min(chunk, max(G.n, 1)), steal)
    rounds: list[dict[str, Any]] = []
    while left := state.left:
        before = state.totals() if log.trace else None
        state.advance(p.p, state.n_colors == 0, 1 if log.trace else MANY)
        if not 0 <= state.left < left:  # else it would go on for ever
            raise ColoringError(
                f"che_work_stealing: of {left} vertices without a color {state.left} are left after a round: "
                "work was lost or done twice. Please report it; che_baseline gives the same colors without queues"
            )
        if before is not None:
            rounds.append(summary(state.totals() - before))
    log_rounds(log, G, state.colors, [("random", state.n_colors)])
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
    """Lists of vertices left, deques and statistics on the device of the graph."""

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

    @property
    def left(self) -> int:
        """Vertices without a color."""
        return self.state[LEFT]

    @property
    def n_colors(self) -> int:
        """Colors given so far."""
        return self.state[NEXT_COLOR]

    def advance(self, value: Any, fresh: bool, rounds: int) -> None:
        """Up to `rounds` rounds, until all vertices have colors; `fresh`: the first of all is among them."""

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
