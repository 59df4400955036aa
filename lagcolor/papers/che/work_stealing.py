"""Rounds of the baseline whose work is balanced by stealing: a deque a workgroup.

At the start of a round each workgroup gets an equal number of elements, each the offset of `chunk` entries of the
list of vertices left. It pops from the tail of its own deque, and when that is empty steals from the head of another
(deque.cuh, deque.py). A workgroup is a block of threads on a GPU, which goes through an element together,
and a thread on a CPU. Who does what changes from run to run, the colors do not: they are those of `che_baseline`.

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
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ... import device as dev
from ...device import threads as cpu_threads
from ...device.compiled import njit
from ...device.cooperative import cooperative_blocks, launches, with_fewer
from ...device.intrinsics import fetch_add, load_relaxed, store_relaxed
from ...engines.greedy.sequential import ONE, ONE32, ZERO, unsigned
from ...errors import ColoringError
from ...graph import Graph
from ...options import flag, whole
from ...orders import Priorities
from ...registry import coloring
from ...result import Log
from .baseline import MANY, PAPER
from .deque import looks_empty, pop, refill, steal
from .rounds_cpu import LEFT, NEXT_COLOR, ROUNDS, barrier_and_sum, whole_rounds
from .trace import log_rounds

SOURCE = Path(__file__).with_suffix(".cu")
BLOCK = 256
TOGETHER = 4  # workgroups a multiprocessor
CHUNK = 256
LIST = 4  # of `state`: which of the two lists is next
CONSUMED, TRIED, WON = range(3)  # columns of the statistics


@coloring(
    "che_work_stealing",
    style="kernel",
    paper=f"{PAPER} 2",
    engines=("cpu", "cuda"),
    bound="rounds",
    passes=True,
    chain=1,
    instead="jpl",
    oracle=None,
    deterministic=True,
    order="random",
    seed=0,
    needs="p",
    options={
        "queues": "workgroups, each with a deque: blocks on a GPU (at most as many as run at once), threads on a CPU",
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
        self.meetings = cp.zeros(3, np.uint64)
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
                self.tails, self.elements, self.room, self.meetings, self.on_device, self.statistics, self.G.n,
                int(fresh), rounds, self.chunk, int(self.stealing),
            )  # fmt: skip
            return launches(self.kernel, queues, BLOCK, args)

        self.meetings.fill(0)
        with_fewer(self.queues, launch, least=1 if fresh else self.queues)  # statistics go on from launch to launch
        self.state = self.on_device.tolist()

    def totals(self, which: int = 1) -> np.ndarray:
        """A row a workgroup: consumed, tried, won; of the first round (0), or of all so far."""
        return dev.to_device(self.statistics[which], "cpu").astype(np.int64)


class CpuQueues:
    """The same for threads of a CPU."""

    def __init__(self, G: Graph, queues: int | None, chunk: int, stealing: bool) -> None:
        self.G, self.chunk, self.stealing = G, chunk, stealing
        self.indptr, self.indices = unsigned(G)
        self.queues = cpu_threads.count(queues, G.m)
        self.room = -(-G.n // chunk) // self.queues + 1
        self.colors = np.full(G.n, -1, np.int32)
        self.cursor = np.empty(G.n, self.indptr.dtype)
        self.lists, self.lengths = np.empty((2, 2, G.n), np.uint32), np.zeros(2, np.int64)
        self.heads, self.tails = np.zeros(self.queues, np.int64), np.zeros(self.queues, np.int64)
        self.elements = np.empty((self.queues, self.room), np.uint32)
        self.state = np.array([G.n, 0, 0, 0, 0], np.int64)
        self.statistics = np.zeros((2, self.queues, 3), np.int64)

    def advance(self, value: Any, rounds: int) -> None:
        """Up to `rounds` rounds, until all vertices have colors."""
        rounds = min(rounds, whole_rounds(int(self.state[LEFT])))
        words, fresh = np.zeros(3, np.int64), bool(self.state[NEXT_COLOR] == 0)
        queues = (self.heads, self.tails, self.elements)

        def work(me: int) -> None:
            rounds_of_queue(
                me, self.queues, self.indptr, self.indices, value, self.colors, self.cursor, self.lists, self.lengths,
                *queues, self.state, words, self.statistics, fresh, rounds, self.chunk, self.stealing,
            )  # fmt: skip

        cpu_threads.run(work, self.queues, barriers=True)

    def totals(self, which: int = 1) -> np.ndarray:
        """A row a thread: consumed, tried, won; of the first round (0), or of all so far."""
        return self.statistics[which].copy()


@njit(cache=True, nogil=True)
def fill(me: Any, queues: Any, heads: Any, tails: Any, elements: Any, length: Any, chunk: Any) -> None:
    """Give deque `me` its share of the elements of a list: offsets, in order."""
    total = (length + chunk - 1) // chunk
    begin, end = total * me // queues, total * (me + 1) // queues
    for i in range(begin, end):
        elements[np.uint64(me), np.uint64(i - begin)] = i * chunk
    refill(heads, tails, me, end - begin)


@njit(cache=True, nogil=True)
def pop_or_steal(me: Any, queues: Any, heads: Any, tails: Any, elements: Any, stealing: Any, counts: Any) -> Any:
    """An element of the own deque, else of the next that is not empty; EMPTY once all have been seen so."""
    element = pop(heads, tails, elements, me)
    away = 1
    while stealing and element < 0 and away < queues:
        victim = (me + away) % queues
        if looks_empty(heads, tails, victim):
            away += 1
            continue
        element = steal(heads, tails, elements, victim)
        counts[TRIED] += 1
        counts[WON] += element >= 0
    return element


@njit(cache=True, nogil=True)
def rounds_of_queue(
    me: Any, queues: Any, indptr: Any, indices: Any, value: Any, colors: Any, cursor: Any, lists: Any, lengths: Any,
    heads: Any, tails: Any, elements: Any, state: Any, words: Any, statistics: Any, fresh: Any, rounds: Any, chunk: Any,
    stealing: Any,
) -> None:  # fmt: skip
    """What the thread that owns deque `me` does in up to `rounds` rounds."""
    left, k, here, done = state[LEFT], np.int32(state[NEXT_COLOR]), state[LIST], 0
    counts = np.zeros(3, np.int64)
    while done < rounds and left > 0:
        length = np.int64(colors.size) if fresh else load_relaxed(lengths, np.uint64(here))
        if length <= chunk:
            break
        fill(me, queues, heads, tails, elements, length, chunk)
        barrier_and_sum(words, 2 * done, me, queues, 0)
        colored = np.int64(0)
        vertices, waits_for = lists[here, 0], lists[here, 1]
        next_vertices, next_waits_for = lists[1 - here, 0], lists[1 - here, 1]
        while True:
            begin = pop_or_steal(me, queues, heads, tails, elements, stealing, counts)
            if begin < 0:
                break
            counts[CONSUMED] += 1
            begin = np.uint64(begin)
            end = min(begin + np.uint64(chunk), np.uint64(length))
            kept = look_at(indptr, indices, value, colors, cursor, vertices, waits_for, begin, end, k, fresh)
            colored += np.int64(end - begin - kept)
            place = np.uint64(fetch_add(lengths, np.uint64(1 - here), np.int64(kept)))
            for i in range(kept):
                next_vertices[place + i] = vertices[begin + i]
                next_waits_for[place + i] = waits_for[begin + i]
        left -= barrier_and_sum(words, 2 * done + 1, me, queues, colored)
        if me == 0:  # nobody reads it any more, nor adds to it before the next meeting
            store_relaxed(lengths, np.uint64(here), np.int64(0))
        if fresh:
            statistics[0, me] = counts
        fresh = False
        here = 1 - here
        k += np.int32(1)
        done += 1
    # One element is left: its owner goes on without meetings. Whoever comes late sees that it is no more.
    owner = queues - 1
    while me == owner and done < rounds and left > 0:
        length = np.int64(colors.size) if fresh else load_relaxed(lengths, np.uint64(here))
        kept = look_at(
            indptr, indices, value, colors, cursor, lists[here, 0], lists[here, 1], ZERO, np.uint64(length), k, fresh
        )
        store_relaxed(lengths, np.uint64(here), np.int64(kept))
        counts[CONSUMED] += 1
        if fresh:
            statistics[0, me] = counts
        fresh = False
        left -= length - np.int64(kept)
        k += np.int32(1)
        done += 1
    statistics[1, me] += counts
    if me == owner:
        state[LEFT], state[NEXT_COLOR], state[ROUNDS], state[LIST] = left, k, done, here


@njit(cache=True, nogil=True)
def look_at(
    indptr: Any, indices: Any, value: Any, colors: Any, cursor: Any, vertices: Any, waits_for: Any, begin: Any,
    end: Any, k: Any, fresh: Any,
) -> Any:  # fmt: skip
    """One round for the entries begin … end − 1; those that stay are moved to the front, and their number returned."""
    kept = begin
    for i in range(begin, end):
        if fresh:
            v = np.uint32(i)
            u = v
            e = indptr[v]
        else:
            v = vertices[i]
            u = waits_for[i]
            e = cursor[v] + ONE32
        c = load_relaxed(colors, np.uint64(u))
        if fresh or (c >= 0 and c != k):
            end_of_row = indptr[v + ONE32]
            while e < end_of_row:
                u = indices[e]
                if value[u] > value[v]:
                    c = load_relaxed(colors, np.uint64(u))
                    if c < 0 or c == k:
                        break
                e += ONE32
            if e == end_of_row:
                store_relaxed(colors, np.uint64(v), k)
                continue
            cursor[v] = e
        vertices[kept] = v
        waits_for[kept] = u
        kept += ONE
    return kept - begin
