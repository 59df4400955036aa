"""Rounds over lists of active vertices in one cooperative launch; shared by the launchers of the baselines.

Vertices have three classes by degree: a thread, a warp or a block works on each (worklists.cuh). The lengths of
the lists stay on the device: the host waits once, after up to `ROUNDS` rounds, and reads the lengths of all rounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device import extremes
from ...base.device.compiled import njit
from ...base.log import Log
from ...graph.graph import Graph
from ...orders import Priorities
from ..greedy.sequential import ONE32, ahead

ROUNDS = 1024  # most rounds of a launch
CLASSES, ROW = 3, 4
SMALL_MOST, THREAD_MOST, WARP_MOST = 64, 32, 2048  # SMALL_MOST: with no larger degree there is one class
NULL = 0
GAPS = dev.Source(__file__, "close_gaps.cu", BLOCK=256)


def close_gaps(G: Graph, colors: Any) -> None:
    """Renumber colors 0 … Δ in place, so that the used ones are 0 … k − 1; the host does not wait."""
    if not G.n:
        return
    cp = dev.cupy()
    limit = G.max_degree + 1
    used = cp.zeros(limit, np.int32)
    GAPS.of().launch("mark", G.n, np.int32(G.n), colors, used, most=1 << 10)
    renumber(colors, cp.cumsum(used, dtype=np.int32))


def renumber(colors: Any, upto: Any) -> None:
    """Renumber colors in place; `upto[c]` is the number of used colors among 0 … c. Vertices may be uncolored (−1)."""
    n = len(colors)
    GAPS.of().launch("renumber", n, np.int32(n), colors, upto, np.int32(len(upto)), most=1 << 13)


def without_gaps(colors: Any) -> Any:
    """Return colors renumbered in the same order, so that the used ones are 0 … k − 1; the host waits."""
    xp = dev.module_of(colors)
    seen = dev.used(colors, extremes.largest(colors) + 1)
    return colors if extremes.count_true(seen) == len(seen) else (xp.cumsum(seen, dtype=np.int32) - np.int32(1))[colors]


class Rounds:
    """Launches of `classify` and `color_rounds` of a source over the vertices of a graph, or `members`, on a GPU.

    The first round is in the order of `p` or `members`, or by id. If no degree is over `small_most`, each vertex takes
    one thread. `macros` are macros of the source; the offset type and the largest degrees of classes are added.
    """

    cp: Any
    kernels: Any
    n: int
    work: int
    items: Any
    lists: Any
    state: Any
    arrived: Any

    def __init__(
        self, G: Graph, source: dev.Source, p: Priorities | None = None, members: Any = None,
        small_most: int = SMALL_MOST, **macros: object,
    ) -> None:  # fmt: skip
        cp = dev.cupy()
        self.cp, self.G = cp, G
        self.kernels = source.of(G.indptr, THREAD_MOST=THREAD_MOST, WARP_MOST=WARP_MOST, **macros)
        self.n = n = G.n if members is None else len(members)
        self.work = n + G.m if members is None else min(n + G.m, n * (THREAD_MOST + 1))  # threads with work
        middle = hubs = 0
        if G.max_degree > small_most or members is not None:
            middle, hubs = min(n, G.m // (THREAD_MOST + 1) + 1), min(n, G.m // (WARP_MOST + 1))
        stride = n + middle + hubs
        self.items = cp.empty(2 * stride, np.int32)
        order = members
        if members is None:
            order = NULL if p is None or p.is_natural else p.sequence
        self.lists = (order, self.items, n, n + middle, stride, np.int32(n))
        self.state = cp.zeros(ROW * (ROUNDS + 1) + 1, np.int32)
        self.left_by_kernel: list[int] = []  # the word of the step, one per round
        self.arrived = self.state[-1:]

    @property
    def classified(self) -> bool:
        """Whether a warp or a block works on some vertices."""
        return bool(self.lists[2] < self.lists[4])

    def uncolored(self, colors: Any = None) -> Any:
        """Return codes of uncolored vertices, by their class, in `colors` if it is passed."""
        if colors is None:
            colors = self.cp.empty(self.G.n, np.int32)
        self.kernels.launch("classify", self.n, *self.lists, self.G.indptr, self.state, colors, most=1 << 13)
        return colors

    def run(self, log: Log, *args: Any, stop: tuple[np.int32, ...] = (), speculative: bool = False) -> int:
        """Run rounds until no vertex is left, or at most ``stop[0]``; return the number of vertices left.

        `args` are the arguments of `color_rounds` between the graph and the number of its first round. With
        `speculative`, remaining vertices are logged as conflicts.
        """
        left, first, enough = self.n, 0, int(stop[0]) if stop else 0
        while left > enough:
            arguments = (*self.lists, self.G.indptr, self.G.indices, *args, np.int32(first), np.int32(ROUNDS), *stop)
            self.kernels.cooperative("color_rounds", self.work, *arguments, self.state, self.arrived)
            rows = self.cp.asnumpy(self.state)[:-1].reshape(ROUNDS + 1, ROW)
            for after, own in zip(rows[1:, :CLASSES].sum(axis=1).tolist(), rows[:-1, CLASSES].tolist(), strict=True):
                first += 1
                self.left_by_kernel.append(own)
                conflicts = after if speculative else 0
                log.round(active=left, colored=left - after, conflicts=conflicts, ms=None)
                left = after
                if left <= enough:
                    break
            if left > enough:  # more rounds than one launch can do
                last = rows[-1, :CLASSES].copy()
                self.state.fill(0)
                self.state[:CLASSES] = self.cp.asarray(last)
        return left


@njit(cache=True, nogil=True)
def levels(indptr: Any, indices: Any, sequence: Any, p: Any, colors: Any) -> None:
    """Set colors to the round of each vertex: one more than the largest round of its earlier neighbors."""
    for i in range(sequence.size):
        ahead(indptr, indices, sequence, np.uint64(i))
        v = sequence[i]
        level = np.int32(-1)
        for e in range(indptr[v], indptr[v + ONE32]):
            u = indices[e]
            if p[u] > p[v]:
                level = max(level, colors[u])
        colors[v] = level + np.int32(1)
