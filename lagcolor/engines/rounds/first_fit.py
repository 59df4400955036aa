"""Speculative first-fit, by CPU threads and on a GPU; algorithms/kokkos/vertex_based.py defines a round.

On a CPU a round colors vertices, then finds conflicts among the suspects: vertices with an earlier neighbor that had no
color. The losers are colored in the next round. Colors are as in problems/task.py. Kernels use −1 … −3 for uncolored
vertices, by degree class, and so another code for vertices of later parts (WAITING).

Parts that are colored one after the other need one launch on a GPU: a launch per part took 15.9 ms instead of 9.7 on
fem27-128 (H200).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device.intrinsics import fetch_add
from ...base.device.parallel import launch, parallel, slots
from ...base.log import Log
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...orders import Priorities
from ...problems.task import NONE, PENDING
from ..greedy.sequential import ONE32, by_id_type, color_range
from ..greedy.tasks import NEXT, SLOTS, SUSPECTS, color_in_chunks
from . import worklists
from .worklists import CLASSES, ROW, Rounds, close_gaps

SOURCE = dev.Source(__file__)
STEPS = 8  # steps of a warp in the first round
ALONE = 512  # vertices up to which one thread is faster
CHUNK, EDGES = 1024, 1 << 14  # most vertices of a chunk, and most entries on average
WAITING = -9


def speculate(G: Graph, p: Priorities, log: Log, workers: int, bits: bool) -> Any:
    """Return colors of all vertices (int32); the first round is roughly in the order of `p`."""
    if G.on_gpu:
        return _all_on_gpu(G, p, log, bits)
    colors = np.full(G.n, PENDING, np.int32)
    ranks, active = (None, None) if p.is_natural else (p.p, p.sequence.view(np.uint32))
    for before, after in rounds(unsigned(G), ranks, colors, active, workers, bits):
        log.round(active=before, colored=before - after, conflicts=after)
    return colors


def speculate_parts(G: Graph, sequence: Any, starts: list[int], log: Log, workers: int) -> Any:
    """Color part after part; part i is ``sequence[starts[i]:starts[i + 1]]``."""
    if G.on_gpu:
        return _parts_on_gpu(G, sequence, starts, log)
    colors = np.full(G.n, NONE, np.int32)
    for begin, end in itertools.pairwise(starts):
        part, others = sequence[begin:end], len(sequence) - end
        colors[part] = PENDING
        for before, after in rounds(unsigned(G), None, colors, part.view(np.uint32), workers):
            log.round(active=before + others, colored=before - after, conflicts=after)
    return colors


def rounds_of_two_steps(G: Graph, limit: int, log: Log, workers: int) -> np.ndarray:
    """Color on CPU threads; rounds pass over all vertices while more than `limit` are uncolored."""
    colors = np.full(G.n, PENDING, np.int32)
    for before, after in rounds(unsigned(G), None, colors, None, workers, limit=limit):
        mode = "topology" if before > limit else "data"
        log.round(active=before, colored=before - after, conflicts=after, mode=mode)
    return colors


def rounds(
    graph: tuple[Any, Any], ranks: Any, colors: Any, active: Any, workers: int, bits: bool = True, limit: float = np.inf
) -> Iterator[tuple[int, int]]:
    """Color `active` vertices (uint32; None: all, by id). Yield the number PENDING before and after each round.

    While more than `limit` are left, they are found by a pass over all vertices.
    """
    left = len(colors) if active is None else len(active)
    while before := left:
        if active is not None and left > limit:
            active = np.flatnonzero(colors == PENDING).astype(np.uint32)
        suspects = color_round(graph, ranks, colors, active, workers, bits)
        active = find_conflicts(graph, ranks, colors, suspects, workers)
        colors[active], left = PENDING, len(active)
        yield before, left


def color_round(
    graph: tuple[Any, Any], ranks: Any, colors: Any, active: Any, workers: int, bits: bool = True,
    chunk: int | None = None,
) -> np.ndarray:  # fmt: skip
    """Color vertices in one round; return the suspects, which had an uncolored earlier neighbor, in any order."""
    n, by_id = len(colors) if active is None else len(active), active is None
    suspects, mean = np.empty(n, np.uint32), len(graph[1]) // max(len(colors), 1)
    chunk = min(CHUNK, EDGES // max(mean, 1), n // (4 * workers)) if chunk is None else chunk
    chunk, workers = max(1, chunk), workers if n > ALONE else 1
    if by_id and bits:
        state, shared = np.zeros(n, by_id_type(len(graph[1]))), slots(SLOTS)
        launch(natural_chunks, workers, shared, *graph, state, colors, suspects, np.int64(chunk))
        return suspects[: shared[SUSPECTS]]
    if by_id:
        active = np.arange(n, dtype=np.uint32)
    how = {"ranks": ranks, "suspects": suspects, "by_id": by_id}
    return suspects[: color_in_chunks(graph, active, colors, workers, chunk, bits=bits, **how)]


def find_conflicts(graph: tuple[Any, Any], ranks: Any, colors: Any, suspects: Any, workers: int) -> np.ndarray:
    """Return the later end of each edge whose ends share a color, in any order; `suspects` (uint32; None: all)."""
    losers = np.empty(len(colors) if suspects is None else len(suspects), np.uint32)
    shared = slots(SLOTS)
    launch(detect, workers, shared, *graph, ranks, suspects, colors, losers)
    return losers[: shared[SUSPECTS]]


@parallel
def natural_chunks(
    _: Any, shared: Any, indptr: Any, indices: Any, state: Any, colors: Any, suspects: Any, chunk: Any
) -> None:
    """Color chunks of ids in a round over all vertices; `state` is as in engines/greedy/natural.py."""
    n, own = np.uint64(state.size), np.empty(chunk, np.uint32)
    while True:
        first = np.uint64(fetch_add(shared, NEXT, chunk))
        if first >= n:
            return
        stop = min(first + np.uint64(chunk), n)
        count = color_range(indptr, indices, state, np.uint32(first), np.uint32(stop), own, False)
        at = fetch_add(shared, SUSPECTS, count)
        suspects[at : at + count] = own[:count]
        for i in range(first, stop):
            colors[i] = np.int32(state[i]) - np.int32(1)


@parallel
def detect(_: Any, shared: Any, indptr: Any, indices: Any, p: Any, suspects: Any, colors: Any, losers: Any) -> None:
    """Find conflicts of chunks of vertices for `find_conflicts`."""
    n = np.uint64(colors.size if suspects is None else suspects.size)
    while True:
        first = np.uint64(fetch_add(shared, NEXT, 64))
        if first >= n:
            return
        for i in range(first, min(first + np.uint64(64), n)):
            v = np.uint32(i) if suspects is None else suspects[i]
            for e in range(indptr[v], indptr[v + ONE32]):
                u = indices[e]
                if p is None and u >= v:
                    break
                if colors[u] == colors[v] and (p is None or p[u] > p[v]):
                    losers[fetch_add(shared, SUSPECTS, 1)] = v
                    break


def _all_on_gpu(G: Graph, p: Priorities, log: Log, bits: bool) -> Any:
    rounds = Rounds(G, SOURCE, p, BITS=int(bits), STEPS=STEPS)
    colors = rounds.uncolored()
    rounds.run(log, colors, speculative=True)
    if rounds.classified:  # else no vertex skipped a free color
        close_gaps(G, colors)
    return colors


def _parts_on_gpu(G: Graph, sequence: Any, starts: list[int], log: Log) -> Any:
    """Color all parts in one launch, or in several if their rounds need more."""
    cp = dev.cupy()
    colors = cp.full(G.n, WAITING, np.int32)
    sizes = [end - begin for begin, end in itertools.pairwise(starts)]
    if not any(sizes):
        return colors
    rounds = Rounds(G, SOURCE, members=sequence[: max(sizes)], BITS=1, STEPS=STEPS)
    graph = (cp.asarray(starts, np.int32), np.int32(len(sizes)), G.indptr, G.indices, colors)
    part = first = active = 0
    while part < len(sizes):
        limit = worklists.ROUNDS
        where = (np.int32(part), np.int32(first), np.int32(limit), rounds.state, rounds.arrived)
        rounds.kernels.cooperative("color_parts", rounds.work, sequence, *rounds.lists[1:5], *graph, *where)
        rows = cp.asnumpy(rounds.state)[:-1].reshape(limit + 1, ROW)[:, :CLASSES]
        lengths, used = rows.sum(axis=1).tolist(), 0
        while part < len(sizes) and used < limit:
            active = active if first else sizes[part]
            while active and used < limit:
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
    return colors
