"""`luby_is` without vectors between the verbs and without rounds: two kernels over the CSR arrays.

With fixed priorities a vertex's round is one more than the latest of its larger neighbors, so it is colored as soon as
these are, and not when the round ends (luby_is_fused.cu). With a trace the kernels go round by round.

======  =====================================================================================
p       priorities; also a vertex's state while it has no color
state   p, then ~color
rounds  the rounds of the version in verbs
======  =====================================================================================

Reference: Osama, Truong, Yang, Buluç, Owens 2019, "Graph Coloring on the GPU", Algorithm 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...base import device as dev
from ...base.log import Log
from ...graph.graph import Graph
from ...orders import Priorities
from ...problems.registry import ALGORITHMS, coloring

SOURCE = dev.Source(__file__)
WARP = 32
BLOCKS_PER_MULTIPROCESSOR = 8  # that own stripes, where as many fit; 6: fd7-200 took 1.74 ms for 1.59 (H200)
PASSES = 1 << 16  # of a launch; 1 µs each or more
NO_LIMIT = 2**31 - 1
VERBS = ALGORITHMS["luby_is"]


@coloring(
    "luby_is_fused", style="algebra", paper=VERBS.paper, engines=("cuda",), bound=VERBS.bound,
    order=VERBS.order, seed=VERBS.seed, needs="p", variant_of="luby_is",
)  # fmt: skip
def luby_is_fused(G: Graph, p: Priorities, log: Log) -> Any:
    """`luby_is` without rounds: a color is one more than the largest among larger neighbors."""
    cp = dev.cupy()
    if G.n == 0:
        return cp.empty(0, np.int32)
    W = Waiting(cp, G)
    left, k = G.n, 0
    while left:  # each launch colors at least the largest that is left; with a trace, all vertices of one round
        k, before = k + 1, left
        with timed(cp, log) as milliseconds:
            if k == 1:
                W.start(p.p)
            left, rounds = W.settle(k, k == 1, 1) if log.trace else W.settle(NO_LIMIT, k == 1, PASSES)
        if log.trace:
            log.round(active=before, colored=before - left, conflicts=0, ms=milliseconds())
        else:
            log.rounds = max(log.rounds, rounds, 1)
    return cp.invert(W.state, out=W.state)


class Waiting:
    """The vertices that wait, in the lists of their warps, and the kernels that color them."""

    blocks: int
    state: Any

    def __init__(self, cp: Any, G: Graph) -> None:
        self.G, n = G, G.n
        self._kernels = run = SOURCE.of(G.indptr)
        # No block should own vertices and wait for a place to run.
        self.blocks = min(run.resident("settle", BLOCKS_PER_MULTIPROCESSOR), -(-n // run.block))
        room = -(-n // WARP) * WARP
        self.state = cp.empty(n, np.int32)
        self._lists = (cp.empty(room, np.int32), cp.empty(room, np.int32))
        self._lengths = cp.empty(self.blocks * run.block // WARP, np.int32)
        self._known = (cp.empty(n, G.indptr.dtype), cp.empty(n, np.int32))
        self._result = cp.empty(2, np.int32)

    def start(self, p: Any) -> None:
        """The vertex that each vertex waits for at first."""
        G = self.G
        args = (G.n, G.indptr, G.indices, p, self.state, self._lists[1], *self._known)
        self._kernels.launch("start", G.n, *args)

    def settle(self, k: int, first: bool, passes: int) -> tuple[int, int]:
        """One launch, of up to k rounds; how many wait after it, and the rounds so far."""
        G = self.G
        self._result.fill(0)
        lists = (*self._lists, self._lengths, *self._known)
        args = (G.n, G.indptr, G.indices, self.state, *lists, k, int(first), passes, self._result)
        self._kernels.launch("settle", (self.blocks,), *args)
        left, rounds = self._result.tolist()
        return left, rounds


@contextmanager
def timed(cp: Any, log: Log) -> Iterator[Callable[[], float | None]]:
    """Gives a function that returns the milliseconds of what is launched in here, when the host has waited for it."""
    if not log.trace:
        yield lambda: None
        return
    begin, end = cp.cuda.Event(), cp.cuda.Event()
    begin.record()

    def milliseconds() -> float:
        end.synchronize()
        return cp.cuda.get_elapsed_time(begin, end)

    yield milliseconds
    end.record()
