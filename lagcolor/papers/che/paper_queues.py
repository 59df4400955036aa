"""Queues as Che et al. have them: the host gives each an equal share of the rows once, the same in every round.

An element is the first of `chunk` = 64 whole rows, and a workgroup of 64 threads takes it, one thread per vertex,
whatever the length of a row. In every round all elements are consumed, also those whose vertices all have colors: 312
of the paper's graph of 19,928 vertices. The first loop of Algorithm 1, which reads the rows, goes through the queues.
The second compares two numbers per vertex, needs all of the first to be done, and is a kernel of its own without
queues.

On a CPU one thread plays all workgroups. A workgroup is busy for as long as its longest row takes, since its threads
run in lockstep, and the one that has been busy least acts next.

References
----------
Che, Rodgers, Beckmann, Reinhardt 2015, "Graph Coloring on the GPU and Some Techniques to Improve Load
Imbalance", Algorithm 2, Figure 2 and Table I.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import device as dev
from ...core.graph import Graph
from ...device.compiled import njit
from ...engines.greedy.sequential import unsigned
from .paper_schedule import BLOCK, PaperRounds, maxima

WORKGROUP = 64  # threads of a workgroup, and rows of an element
WORKGROUPS = 8  # on a CPU, by default
CONSUMED, TRIED, WON = range(3)  # columns of the statistics


class PaperQueues(PaperRounds):
    """The paper's rounds with the first loop from queues, and what each queue's workgroup did."""

    def __init__(self, G: Graph, queues: int | None, chunk: int, stealing: bool) -> None:
        super().__init__(G)
        elements = -(-G.n // chunk)
        most = dev.cupy().cuda.Device().attributes["MultiProcessorCount"] if G.on_gpu else WORKGROUPS
        self.queues, self.chunk, self.stealing = min(queues or most, max(1, elements)), chunk, stealing
        # The offset of element e is e · chunk; queue q has the elements ends[q] … ends[q + 1] − 1.
        self.ends = np.arange(self.queues + 1) * elements // self.queues
        self._statistics = np.zeros((self.queues, 3), np.int64)
        self._first_round = self._statistics
        if G.on_gpu:
            self._first = self._queues_on_gpu
            self._set_up()
        else:
            self._first = self._queues_on_cpu

    def _set_up(self) -> None:
        """QData, QMeta and statistics on the device."""
        cp, sizes = dev.cupy(), np.diff(self.ends)
        data = self.ends[:-1, None] + np.arange(max(1, sizes.max()))
        self.elements, self.sizes = cp.asarray((data * self.chunk).astype(np.int32)), cp.asarray(sizes)
        self.heads, self.tails = cp.zeros(self.queues, np.uint64), cp.zeros(self.queues, np.uint64)
        self._statistics = cp.zeros((self.queues, 3), np.uint64)

    def _queues_on_gpu(self, value: Any, flag: Any) -> None:
        G, queues = self.G, self.queues
        args: tuple[Any, ...] = (self.heads, self.tails, self.sizes, queues)
        self._kernel("che_initialize_queues")((-(-queues // BLOCK),), (BLOCK,), args)
        args = (
            G.indptr, G.indices, value, self.colors, self._maxima, self.heads, self.tails, self.elements,
            self.elements.shape[1], self._statistics, G.n, self.chunk, int(self.stealing),
        )  # fmt: skip
        self._kernel("che_steal_maxima")((queues,), (WORKGROUP,), args)
        self._keep_first_round()

    def _queues_on_cpu(self, value: Any, flag: Any) -> None:
        starts = np.searchsorted(self._active, np.arange(self.ends[-1] + 1) * self.chunk)
        heads, tails = self.ends[:-1].copy(), self.ends[1:].copy()
        lists = (self.colors, self._active, self._maxima, starts)
        first_loop(*unsigned(self.G), value, *lists, heads, tails, self._statistics, self.stealing)
        self._keep_first_round()

    def _keep_first_round(self) -> None:
        if self.n_colors == 0:
            self._first_round = self._statistics.copy()

    def totals(self, which: int = 1) -> np.ndarray:
        """A row a workgroup: consumed, tried, won; of the first round (0), or of all so far."""
        table = self._statistics if which else self._first_round
        return np.array(dev.to_device(table, "cpu"), np.int64)


@njit(cache=True, nogil=True)
def first_loop(
    indptr: Any, indices: Any, value: Any, colors: Any, active: Any, max_array: Any, starts: Any, heads: Any,
    tails: Any, counts: Any, stealing: Any,
) -> None:  # fmt: skip
    """The first loop of a round from queues; elements consumed, steals tried and won of each are added to `counts`.

    The vertices of element e that have no color are ``active[starts[e]:starts[e + 1]]``.
    """
    queues = heads.size
    busy = np.zeros(queues, np.int64)
    for _ in range(starts.size - 1):  # each turn consumes an element
        me = least(busy)
        while heads[me] == tails[me] and not stealing:
            busy[me] = np.iinfo(np.int64).max  # it is done
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


@njit(cache=True, nogil=True)
def least(busy: Any) -> Any:
    """The workgroup that has been busy least."""
    at = 0
    for q in range(1, busy.size):
        if busy[q] < busy[at]:
            at = q
    return at
