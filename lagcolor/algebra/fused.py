"""The four colorings of this folder without vectors between the verbs: kernels over CSR arrays, few launches.

Same colors; what fixed priorities allow is that a vertex is colored as soon as its larger neighbours are, and not when
the round ends (fused.cu). The color of `luby_is` is a vertex's round; `jones_plassmann_gb` needs the whole frontier
of each round, and gets it from there (frontiers.cu). With a trace the kernels go round by round.

======  =====================================================================================
p       priorities; also a vertex's state while it has no color
state   p, then ~color
rounds  those of the writing in verbs; of `luby_mis`, colors: within one the race is not in step
======  =====================================================================================

What lost, on one H200: a kernel of one thread a vertex in every round (kron_g500-logn21 17 s; with the number of the
neighbour waited for in its word fd7-200 2.7 ms); counting in the rounds (an atomic a warp doubled fd7-200); the own
priority apart from the states (fd7-200 1.78 ms to 1.66), two entries at a time in place of four (1.66 to 1.59), room
for 8 blocks a multiprocessor in place of 6 (1.74 to 1.59), and 4 witnesses at a time in place of 2 (1.70 to 1.59).

Reference: Osama, Truong, Yang, Buluç, Owens 2019, "Graph Coloring on the GPU", Algorithms 2 to 4.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from semirings.launch import Launcher, blocks_of

from .. import device as dev
from ..device.cooperative import blocks_resident
from ..graph import Graph
from ..orders import Priorities
from ..registry import ALGORITHMS, coloring
from ..result import Log

SOURCE = Path(__file__).with_suffix(".cu")
FRONTIERS, NARROW = SOURCE.with_name("frontiers.cu"), SOURCE.with_name("narrow.cu")
SETS, FIRST_FIT, RACE = range(3)  # what fused.cu makes of a vertex
GOES_ON, OPENS, OPENS_FIRST = range(3)  # stages of its kernel
BLOCK, WARP = 256, 32  # as in common.cuh
TOGETHER = 8  # blocks a multiprocessor that own stripes, where as many fit
PASSES = 1 << 16  # of a launch; 1 µs each or more
TUNING: dict[str, int] = {}  # macros of fused.cu, where not their defaults
FILL = 1 << 18  # threads that fill a GPU
# Races after which rows of more entries than LONG are narrowed; then after twice as many. A hub's whole row in each of
# the 614 races of kron_g500-logn21 was most of 6.4 s; sooner would cost graphs of few colors a copy.
NARROWED, LONG = 8, 256
NULL, NO_LIMIT = 0, 2**31 - 1


@functools.cache
def launcher(cp: Any) -> Launcher:
    """Compiles each kernel once."""
    return Launcher(cp)


def macros(what: int, offset_bits: int, tuning: tuple[tuple[str, int], ...]) -> dict[str, str]:
    return {"WHAT": str(what), "OFFSET_BITS": str(offset_bits), **{name: str(value) for name, value in tuning}}


class Waiting:
    """The vertices that wait, in the lists of their warps, and the kernels that settle them.

    Parameters
    ----------
    cp : module
        CuPy, or what behaves like it.
    G : Graph
    p : array
        Priorities.
    what : {SETS, FIRST_FIT, RACE}
    """

    def __init__(self, cp: Any, G: Graph, p: Any, what: int) -> None:
        self.G, self.p, self.what, n = G, p, what, G.n
        self._run = launcher(cp)(str(SOURCE), macros, what, 8 * G.indptr.itemsize, tuple(sorted(TUNING.items())))
        function = self._run.function("settle")
        # Nobody should own vertices and wait for a place to run.
        fit = blocks_resident(cp, cp.cuda.runtime.getDevice(), function, BLOCK, TOGETHER)
        self.blocks = max(1, min(fit, blocks_of(n)))
        room = -(-n // WARP) * WARP
        self._lists = (cp.empty(room, np.int32), cp.empty(room, np.int32))
        self._lengths = cp.empty(self.blocks * BLOCK // WARP, np.int32)
        self._cursor = cp.empty(n, G.indptr.dtype)
        self._result = cp.empty(2, np.int32)
        self._ends, self._columns = G.indptr[1:], G.indices
        if what == RACE:
            self.state = p.copy()
            self._known = (self._cursor, NULL, NULL)
            self._race = (cp.zeros(n, np.int32), cp.empty(room, np.int32), cp.empty_like(self._lengths))
        else:
            self.state = cp.empty(n, np.int64 if what == FIRST_FIT else np.int32)
            seen = cp.empty(n, np.uint64) if what == FIRST_FIT else NULL
            self._known = (self._cursor, cp.empty(n, np.int32), seen)
            self._race = (NULL,) * 3

    def start(self) -> None:
        """Whom each vertex waits for at first; not for a race."""
        G = self.G
        args = (G.n, G.indptr, G.indices, self.p, self.state, self._lists[1], *self._known)
        self._run("start", blocks_of(G.n), *args)

    def narrow(self, cp: Any) -> None:
        """Takes a copy of the rows, and out of the long ones whom no race looks at any more; see narrow.cu."""
        G = self.G
        if G.max_degree <= LONG:
            return
        if self._columns is G.indices:
            self._ends, self._columns = self._ends.copy(), G.indices.copy()
        args = (G.n, G.indptr, self._ends, self._columns, self.state, LONG)
        launcher(cp)(str(NARROW), macros_of_rows, 8 * G.indptr.itemsize)("narrow", blocks_of(G.n), *args)

    def settle(self, k: int, stage: int, passes: int = PASSES) -> tuple[int, int]:
        """One launch; how many wait after it, and its `top`. See fused.cu."""
        G = self.G
        self._result.fill(0)
        lists = (*self._lists, self._lengths, *self._known)
        rows = (G.indptr, self._ends, self._columns)
        args = (G.n, *rows, self.state, *lists, k, stage, passes, *self._race, self._result)
        self._run("settle", self.blocks, *args)
        left, top = self._result.tolist()
        return left, top


@contextmanager
def timed(cp: Any, log: Log) -> Iterator[Callable[[], float | None]]:
    """Gives a function that tells the milliseconds of what is launched in here, when the host has waited for it."""
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


def variant(of: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register ``fused(cp, G, p, log) -> colors`` as the fused writing of algorithm `of`."""
    row = ALGORITHMS[of]

    def register(fused: Callable[..., Any]) -> Callable[..., Any]:
        def run(G: Graph, p: Priorities, log: Log) -> Any:
            cp = dev.cupy()
            dev.refuse_rocm(cp)
            return fused(cp, G, p.p, log) if G.n else cp.empty(0, np.int32)

        run.__doc__ = fused.__doc__
        coloring(
            f"{of}_fused", style="algebra", paper=row.paper, engines=("cuda",), bound=row.bound, oracle=row.oracle,
            deterministic=True, order=row.order, seed=row.seed, needs="p", variant_of=of,
        )(run)  # fmt: skip
        return fused

    return register


def settle_all(cp: Any, W: Waiting, log: Log) -> None:
    """Settles every vertex: the sooner the better, or for a trace as many rounds as launches."""
    left, k = W.G.n, 0
    while left:  # each launch settles at least the largest that is left
        k, before = k + 1, left
        with timed(cp, log) as milliseconds:
            if k == 1:
                W.start()
            left, top = W.settle(k, int(k == 1), 1) if log.trace else W.settle(NO_LIMIT, int(k == 1))
        if log.trace:
            log.round(active=before, colored=before - left, conflicts=0, ms=milliseconds())
        else:
            log.rounds = max(log.rounds, top, 1)


@variant("luby_is")
def luby_is_fused(cp: Any, G: Graph, p: Any, log: Log) -> Any:
    """`luby_is` without rounds: a color is one more than the largest among larger neighbours."""
    W = Waiting(cp, G, p, SETS)
    settle_all(cp, W, log)
    return cp.invert(W.state, out=W.state)


@variant("jones_plassmann_min")
def jones_plassmann_min_fused(cp: Any, G: Graph, p: Any, log: Log) -> Any:
    """`jones_plassmann_min` without rounds: a vertex is colored when its larger neighbours are."""
    W = Waiting(cp, G, p, FIRST_FIT)
    settle_all(cp, W, log)
    return cp.invert(W.state.view(np.int32)[::2])  # the lower half; the upper one is the round


@variant("luby_mis")
def luby_mis_fused(cp: Any, G: Graph, p: Any, log: Log) -> Any:
    """`luby_mis` with one race a color, in which a vertex decides as soon as its larger neighbours have."""
    W = Waiting(cp, G, p, RACE)
    left, k = G.n, 0
    while left:  # the largest that is left joins
        with timed(cp, log) as milliseconds:
            if k >= NARROWED and k & (k - 1) == 0:
                W.narrow(cp)
            waiting, joined = W.settle(k, OPENS if k else OPENS_FIRST)
            while waiting:
                waiting, more = W.settle(k, GOES_ON)
                joined += more
        log.round(active=left, colored=joined, conflicts=0, ms=milliseconds())
        left -= joined
        k += 1
    return cp.invert(W.state, out=W.state)


@variant("jones_plassmann_gb")
def jones_plassmann_gb_fused(cp: Any, G: Graph, p: Any, log: Log) -> Any:
    """`jones_plassmann_gb` with one kernel a round: the colors beside its frontier, and the color of the one before."""
    clocks = []
    with timed(cp, log) as milliseconds:
        W = Waiting(cp, G, p, SETS)
        settle_all(cp, W, quiet := Log())
        level = cp.invert(W.state, out=W.state)
        vertices = cp.argsort(level)
        starts = cp.searchsorted(level[vertices], cp.arange(quiet.rounds + 1, dtype=np.int32)).tolist()
    clocks.append(milliseconds)
    colors, taken = cp.empty(quiet.rounds, np.int32), cp.zeros((2, quiet.rounds + 1), np.int32)
    run = launcher(cp)(str(FRONTIERS), macros_of_rows, 8 * G.indptr.itemsize)
    mean = 1 + G.m // (4 * G.n)  # a lane has about four entries in flight
    for k in range(quiet.rounds + 1):
        begin, count = starts[k], starts[k + 1] - starts[k] if k < quiet.rounds else 0
        lanes = 1 << min(max(mean, FILL // max(count, 1)).bit_length() - 1, 13)
        args = (G.indptr, G.indices, level, vertices, begin, count, lanes, k, colors, taken, quiet.rounds + 1)
        with timed(cp, log) as milliseconds:
            run("frontier", max(1, blocks_of(count * lanes)), *args)
        clocks.append(milliseconds)
    log_frontiers(log, G.n, starts, clocks)
    return colors[level]


def macros_of_rows(offset_bits: int) -> dict[str, str]:
    return {"OFFSET_BITS": str(offset_bits)}


def log_frontiers(log: Log, n: int, starts: list[int], clocks: list[Callable[[], float | None]]) -> None:
    """A row a frontier: its launch, and with the first all that came before."""
    ms = [clock() for clock in clocks]
    for k in range(len(starts) - 1):
        own = sum(x or 0.0 for x in (ms[: k + 2] if k == 0 else ms[k + 1 : k + 2]))
        log.round(active=n - starts[k], colored=starts[k + 1] - starts[k], conflicts=0, ms=own)
