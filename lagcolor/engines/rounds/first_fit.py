"""Speculative first-fit of a `Task`, by CPU threads and on a GPU; algorithms/kokkos/vertex_based.py defines a round.

On a CPU colors are as in problems/task.py. The kernels have another code for vertices that are neither active nor fixed
(WAITING), since −1 … −3 are active vertices without a color there, by their degree class.

A task in several parts, each colored around those before it, is one launch on a GPU: a launch per part took 15.9 ms for
9.7 on fem27-128 (H200).
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device.bits import least_unmarked
from ...base.device.compiled import njit
from ...base.device.intrinsics import ctz64, fetch_add, load_relaxed, store_relaxed
from ...base.device.parallel import launch, parallel, slots
from ...base.log import Log
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...orders import Priorities
from ...problems.task import NONE, PENDING, Task
from ..greedy.sequential import ONE, ONE32, ZERO
from . import worklists
from .worklists import CLASSES, ROW, Rounds, close_gaps

SOURCE = dev.Source(__file__)
STEPS = 8  # turns of a warp in the first round
ALONE = 512  # vertices up to which one thread is quicker
CHUNK, EDGES = 1024, 1 << 14  # vertices that a thread takes at a time, and entries they may have on average
RANGE = 256  # entries of FORBIDDEN on a CPU
NEXT, KEPT = np.uint64(0), np.uint64(8)  # slots of `shared`
WAITING = -9


def speculate(G: Graph, p: Priorities, log: Log, workers: int, bits: bool) -> Any:
    """Colors of all vertices (int32), the first round roughly in an order."""
    if G.on_gpu:
        return _all_on_gpu(G, p, log, bits)
    colors = np.full(G.n, PENDING, np.int32)
    active = np.arange(G.n, dtype=np.uint32) if p.is_natural else p.sequence.view(np.uint32)
    _rounds(unsigned(G), None if p.is_natural else p.p, colors, active, log, workers, bits)
    return colors


def speculate_task(G: Graph, task: Task, log: Log, workers: int = 1, starts: list[int] | None = None) -> Any:
    """Colors of a task without a palette: of active and fixed vertices, −1 for the others."""
    assert task.palette(G.xp, G.n) is None, "speculative first-fit knows no palettes"
    with dev.using(G.indices):
        sequence = task.sequence(G)
        starts = [0, len(sequence)] if starts is None else starts
        if G.on_gpu:
            return _parts_on_gpu(G, sequence, task.fixed, starts, log)
        colors = task.begin(G, sequence, mark=NONE)
        for begin, end in itertools.pairwise(starts):
            part = sequence[begin:end]
            colors[part] = PENDING
            _rounds(unsigned(G), None, colors, part.view(np.uint32), log, workers, True, len(sequence) - end)
        return colors


def _rounds(
    graph: tuple[Any, Any], ranks: Any, colors: Any, active: Any, log: Log, workers: int, bits: bool, others: int = 0
) -> None:
    """Color `active` vertices (uint32), which are PENDING; `others`: vertices left that are not of these."""
    again = False
    while left := len(active):
        active = color_round(graph, ranks, colors, active, again, workers, bits)
        log.round(active=left + others, colored=left - len(active), conflicts=len(active))
        again = True


def color_round(
    graph: tuple[Any, Any], ranks: Any, colors: Any, active: Any, again: bool, workers: int, bits: bool = True
) -> Any:
    """One round on CPU threads: color `active` vertices that are PENDING or, `again`, those in conflict."""
    shared, following = slots(16), np.empty(len(active), np.uint32)
    mean = len(graph[1]) // len(colors)
    chunk = np.int64(max(1, min(CHUNK, EDGES // max(mean, 1), len(active) // (4 * workers))))

    workers = workers if len(active) > ALONE else 1
    forbidden = None if bits else np.full((workers, RANGE), -1, np.int64)
    launch(color_share, workers, shared, *graph, ranks, colors, active, again, following, chunk, forbidden)
    return following[: int(shared[KEPT])]


@njit(cache=True, nogil=True)
def color_chunks(
    indptr: Any, indices: Any, p: Any, colors: Any, active: Any, again: Any, following: Any, shared: Any, chunk: Any,
    forbidden: Any,
) -> None:  # fmt: skip
    """A round of one thread over chunks of `active`; who must look again goes to `following`.

    `forbidden`, this thread's own, holds at k the last look that saw color base + k; None: bits.
    """
    n = np.uint64(active.size)
    width = np.uint64(64 if forbidden is None else forbidden.size)
    # All vertices by id: of two that choose at once the larger sees that the smaller has no color, and looks again.
    smaller_only = p is None and not again and active.size == colors.size
    looks = 0
    while True:
        first = np.uint64(fetch_add(shared, NEXT, chunk))
        if first >= n:
            return
        for i in range(first, min(first + np.uint64(chunk), n)):
            v = active[i]
            own = load_relaxed(colors, np.uint64(v)) if again else np.int32(PENDING)
            stays = False
            base = np.int32(0)
            while True:
                mask = ZERO
                looks += 1
                e = indptr[v]
                end = indptr[v + ONE32]
                while e < end:
                    u = indices[e]
                    if smaller_only and u >= v:
                        break
                    e += ONE32
                    c = load_relaxed(colors, np.uint64(u))
                    if c == own:  # a clash, or in the first round no color yet
                        stays |= u < v if p is None else p[u] > p[v]
                    k = np.uint64(np.uint32(c - base))
                    if k < width:
                        if forbidden is None:
                            mask |= ONE << k
                        else:
                            forbidden[k] = looks
                if again and not stays:
                    break
                free = ctz64(~mask) if forbidden is None else least_unmarked(forbidden, looks, ZERO)
                if free < width:
                    store_relaxed(colors, np.uint64(v), base + np.int32(free))
                    break
                base += np.int32(width)
            if stays:
                following[fetch_add(shared, KEPT, 1)] = v


@parallel
def color_share(
    t: Any, shared: Any, indptr: Any, indices: Any, p: Any, colors: Any, active: Any, again: Any, following: Any,
    chunk: Any, forbidden: Any,
) -> None:  # fmt: skip
    """`color_chunks` of thread t."""
    args = (indptr, indices, p, colors, active, again, following, shared, chunk)
    if forbidden is None:
        color_chunks(*args, None)
    else:
        color_chunks(*args, forbidden[t])


def _all_on_gpu(G: Graph, p: Priorities, log: Log, bits: bool) -> Any:
    rounds = Rounds(G, SOURCE, p, BITS=int(bits), STEPS=STEPS)
    colors = rounds.uncolored()
    rounds.run(log, colors, speculative=True)
    if rounds.classified:  # else no vertex passed over a free color
        close_gaps(G, colors)
    return colors


def _parts_on_gpu(G: Graph, sequence: Any, fixed: Any, starts: list[int], log: Log) -> Any:
    """All parts in one launch, or in as many as their rounds need."""
    cp = dev.cupy()
    colors = cp.full(G.n, WAITING, np.int32) if fixed is None else cp.where(fixed < 0, np.int32(WAITING), fixed)
    colors[sequence] = WAITING
    sizes = [end - begin for begin, end in itertools.pairwise(starts)]
    if not any(sizes):
        return cp.maximum(colors, np.int32(NONE))
    rounds = Rounds(G, SOURCE, members=sequence[: max(sizes)], BITS=1, STEPS=STEPS)
    graph = (cp.asarray(starts, np.int32), np.int32(len(sizes)), G.indptr, G.indices, colors)
    part = first = active = 0
    while part < len(sizes):
        room = worklists.ROUNDS
        where = (np.int32(part), np.int32(first), np.int32(room), rounds.state, rounds.arrived)
        rounds.kernels.cooperative("color_parts", rounds.work, sequence, *rounds.lists[1:5], *graph, *where)
        rows = cp.asnumpy(rounds.state)[:-1].reshape(room + 1, ROW)[:, :CLASSES]
        lengths, used = rows.sum(axis=1).tolist(), 0
        while part < len(sizes) and used < room:
            active = active if first else sizes[part]
            while active and used < room:
                used, first = used + 1, first + 1
                after = lengths[used]
                others = len(sequence) - starts[part + 1]
                log.round(active=active + others, colored=active - after, conflicts=after, ms=None)
                active = after
            if active:
                break
            part, used, first = part + 1, used + 1, 0
        last = rows[-1].copy()
        rounds.state.fill(0)
        if active:
            rounds.state[:CLASSES] = cp.asarray(last)
    return colors if len(sequence) == G.n else cp.maximum(colors, np.int32(NONE))
