"""Ejection: the vertices of the highest color take lower colors and eject the neighbors of these colors, in rounds.

An ejected vertex takes another color in the next round, perhaps by ejecting a neighbor. So the uncolored vertices move
away from the parts of the graph that are hard to color, until they find a free color. In each round, a listed vertex

1. wishes for the color whose neighbors have the least total weight, searching from a pseudorandom color on;
2. stays in the list if a listed neighbor has the same wish and a larger hash;
3. otherwise takes that color and ejects the neighbors that have it. If it ejects any, its weight grows.

The initial weight of a vertex grows with the square of its degree above k, and linearly from 128 on, and so do its
increments: the search avoids ejecting vertices with many neighbors, and vertices where it was stuck before. A vertex
with fewer than k neighbors always finds a color: ejecting it costs little, and it is colored at the end.

All decisions of a step depend only on the result of the previous step, so the colors are the same on CPU and GPU, in
any order of the list. Progress: in each round the listed vertex with the largest hash gets its color. A search may
continue forever, so a `Rule` limits its rounds and its work: the entries read, and a constant for each listed vertex.
A search runs in slices, and the host checks the clock between them. Union-find decides whether two colors are enough.

Most of the colors are saved early: on 235 real graphs, reading a third of the graph once brings as few colors as the
best of three orders on 228. This is the rule of the quality balanced. On a GPU it is one launch, which follows the
launch of the first coloring, and the host waits once, for both.

=========  ============================================================================================================
k          colors to use
state      per vertex: weight (upper 32 bits), color + 1 (lower 32 bits; 0 without a color)
wish       per listed vertex: the color that it wants; −1 if it is colored later
here       the list; `there`: the list of the next round; `later`: vertices with fewer than k neighbors
=========  ============================================================================================================

Device memory in addition to the graph and the first coloring: 25 bytes per vertex, and 4 for the new coloring.

What lost: constant weights (rmat20 stuck at 12 colors), a tabu list of the vertices colored last instead of growing
weights (11 colors), weights that grow by 1 only (10 colors not reached with three times the reads), weights in
proportion to all degrees (10 colors for 14.9 M reads instead of 5.6 M), or to their square (kron18 stuck: the largest
weights reach the maximum at once).

References
----------
Blöchliger, Zufferey 2008, "A graph coloring heuristic using partial solutions and a reactive tabu scheme" (PartialCol):
the moves, there one at a time. Morris 1993, "The breakout method for escaping from local minima": weights that grow
where a search is stuck.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...base import device as dev
from ...base.compile_clock import clock, importing, load, stopwatch
from ...base.device import extremes, large_pages, threads_for
from ...base.device.pinned import Pinned
from ...base.log import SILENT, Log
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...graph.two_colors import bipartite
from ...orders.ties import seed_word
from .classes import class_sizes
from .limits import A_VERTEX, FIRST, GAIN, HEAVIEST, KNEE, PAUSED, SAVED, Limits

SOURCE = dev.Source(__file__, BLOCK=1024)
ALONE = 1 << 16  # up to this number of entries, one compiled call on one thread is faster
SLICE, GPU_ROUNDS = 1 << 20, 64  # work (on a GPU: rounds) between two checks of the clock
FEW = 64  # several colors are saved at once while they have at most this number of vertices together
ENDLESS_ROUNDS, ENDLESS = 2**31 - 1, 2**62
# Rule of a number of passes for each color: minimum work; rounds per pass.
LEAST_WORK, PASS_ROUNDS = 1 << 19, 1024
# Rule of balanced: work as a share of the graph's entries, for small and for large graphs, plus a constant.
SHARE, LARGE_SHARE, EXTRA_WORK = 2 / 3, 1 / 6, 1 << 13
# Large graphs: limit of rounds × largest degree, because on a GPU a round takes as long as its longest row; minimum of
# that limit in rounds; number of times that the list is read before it is empty, at least.
LONG_ROWS, LEAST_ROUNDS, TIMES = 1 << 19, 64, 2
VERTICES, ENTRIES = 1 << 19, 1 << 22  # maximum size of a small graph
EACH, MOST_BLOCKS = 2048, 64  # on a GPU: vertices per block, roughly; maximum number of blocks of a small graph
LONG = 128  # all blocks share a round if the list has this number of vertices or more
WORDS = 96  # bytes of `Words` in ejections.cu
ARRIVED = 4  # bytes of its barrier counter, at the start
PER_VERTEX = 25  # bytes of lists and states
NUMBERS = 9  # 32-bit numbers of `Outcome` in ejections.cu


class Rule(NamedTuple):
    """Limits of a search, as functions of its initial number of colors k."""

    # rounds: `rounds` + min(`of_square` k², `most`)
    rounds: int
    of_square: int
    most: int
    # rounds in which the list does not become shorter than ever before: `stuck` + `eighths` k² / 8
    stuck: int
    eighths: int
    # work: min(`work`, `work_of_square` k² + `extra_work`)
    work: int
    work_of_square: int
    extra_work: int
    parts: int  # number of parts of the work; a part in which the list does not become shorter ends the search
    each: bool  # whether the limits apply to each color, not to all together
    listed: int = 0  # expected work per listed vertex: a color is not started if its list exceeds the remaining work
    # limit of rounds × largest degree, but at least LEAST_ROUNDS rounds; 0: no limit
    long_rows: int = 0

    @classmethod
    def of_passes(cls, passes: float | None, n: int, m: int, share: int = 1) -> Rule:
        """Limit each color to a number of passes over n vertices and m entries, divided by `share`; None: no limit."""
        if passes is None:
            return cls(ENDLESS_ROUNDS, 0, 0, ENDLESS_ROUNDS, 0, ENDLESS, 0, ENDLESS, 1, True)
        rounds, work = min(int(passes * PASS_ROUNDS), ENDLESS_ROUNDS), max(int(passes * (m + A_VERTEX * n)), LEAST_WORK)
        return cls(rounds // share, 0, 0, ENDLESS_ROUNDS, 0, work // share, 0, ENDLESS, 1, True)

    @classmethod
    def balanced(cls, n: int, m: int) -> Rule:
        """Rule of balanced: limits grow with k², as the time of first-fit on a GPU; docs/development/qualities.md."""
        if is_small(n, m):
            return cls(30, 2, 1024, 8, 1, int(SHARE * m) + EXTRA_WORK, 512, 24576, 3, False)
        work, listed = int(LARGE_SHARE * m) + EXTRA_WORK, TIMES * (m // n + A_VERTEX)
        return cls(30, 2, 1024, 8, 1, work, 0, ENDLESS, 3, False, listed, LONG_ROWS)

    def on(self, G: Graph) -> Rule:
        """Return this rule with the rounds for the largest degree of a graph."""
        if not self.long_rows:
            return self
        rounds = max(self.long_rows // max(G.max_degree, 1), LEAST_ROUNDS)
        return self._replace(most=min(rounds, self.most), long_rows=0)

    def limits(self, k: int) -> Limits:
        """Limits for k colors."""
        work = min(self.work, self.work_of_square * k * k + self.extra_work)
        rounds = min(self.of_square * k * k, self.most) + self.rounds
        return Limits(rounds, (self.eighths * k * k >> 3) + self.stuck, work, work // self.parts, self.listed)


def is_small(n: int, m: int) -> bool:
    """Return whether a graph with this number of vertices and entries is small; on a GPU it uses one launch."""
    return n <= VERTICES and m <= ENTRIES


def ejection(
    G: Graph,
    colors: Any,
    *,
    passes: float | None = 4.0,
    deadline: float | None = None,
    seed: int = 0,
    least: int = 1,
    log: Log | None = None,
) -> Any:
    """Reduce the colors by ejections, one or a few small classes at a time, until a color cannot be saved."""
    log = log or Log()
    if G.n == 0 or G.m == 0:
        return colors if G.n == 0 else G.xp.zeros_like(colors)
    one, several = Rule.of_passes(passes, G.n, G.m), Rule.of_passes(4.0 if passes is None else passes, G.n, G.m, 16)
    with dev.using(G.indices):
        k = 1 + extremes.largest(colors)
        run = (GPUEjections if G.on_gpu else CPUEjections)(G, colors.copy(), k, seed)
        run.deadline, run.stage = deadline, log.stage
        step, growth = 1, 2
        with log.best_so_far():
            while k > max(least, 3):
                step = min(step, k - max(least, 3))
                if step > 1:
                    sizes = class_sizes(G, run.best)
                    while step > 1 and sizes[k - step :].sum() > FEW:
                        step //= 2
                if run.save(k - step, several if step > 1 else one, log):
                    k -= step
                    step *= growth
                elif step > 1:  # from here on one by one
                    step = growth = 1
                else:
                    break
            if k == 3 > least:  # union-find decides whether two colors are enough
                two = bipartite(G)
                run.best = run.best if two is None else two
    return run.best


def eject_by_work(
    G: Graph, colors: Any, k: int, seed: int = 0, least: int = 3, rule: Rule | None = None
) -> tuple[Any, int]:  # fmt: skip
    """Reduce the colors by the rule of balanced (CPU: or another `rule`); return them and their number."""
    least = max(least, 3)
    if k <= least:
        return colors, k
    if G.on_gpu:
        on_gpu = GPUEjections(G, colors.copy(), k, seed, one=True)
        return on_gpu.best, on_gpu.save_all(on_gpu.best, least).after
    limits = (rule or Rule.balanced(G.n, G.m)).on(G).limits(k)
    if G.m <= ALONE:
        out, save_alone = colors.copy(), load(".ejections_cpu", __package__).save_alone
        return out, int(save_alone(*unsigned(G), out, k, least, seed_word(seed), limits))
    run, out = CPUEjections(G, colors, k, seed), large_pages(G.n, np.int32)
    return out, run.loops.save_all(run.arrays, out, k, least, run.salt, limits, run.workers)


class EjectionRun:
    """Base of the searches on both devices: slices by the clock, and when a color is saved. `best` changes in place."""

    def __init__(self, G: Graph, colors: Any, k: int, seed: int) -> None:
        self.G, self.best, self.k, self.salt = G, colors, k, seed_word(seed)
        self.done = 0, 0  # rounds and work
        self.deadline: float | None = None
        self.stage = SILENT
        self.pace = 0.0  # seconds of a unit of work in the last slice

    size: int  # number of vertices that lost their color for the present goal

    def open(self, k: int, rule: Rule) -> int:
        """Remove the colors from k on; return PAUSED, or STOPPED if the limits allow no round."""
        raise NotImplementedError

    def go(self, work: int) -> int:
        """Run rounds until all vertices have colors, a limit is reached, or this amount of work is done."""
        raise NotImplementedError

    def left(self) -> int:
        """Return the work that should end before the deadline, at most one slice; 0 after the deadline."""
        if self.deadline is None:
            return SLICE
        left = self.deadline - clock()
        if left <= 0 or not self.pace:
            return int(left > 0)  # the first slice is as short as possible
        return int(max(min(left / self.pace, SLICE), 1))

    def save(self, k: int, rule: Rule, log: Log) -> bool:
        """Color the vertices of colors from k on with 0 … k − 1; False if a limit or the deadline comes first."""
        rounds, work = self.done
        status = self.open(k, rule)
        while status == PAUSED and (slice_ := self.left()):
            before, passed = self.done[1], stopwatch()
            status = self.go(slice_)
            if self.done[1] > before:
                self.pace = passed() / (self.done[1] - before)
            self.stage.at(self.done[0])
        took = {"colors": k, "steps": self.done[0] - rounds, "read": self.done[1] - work}
        log.round(active=self.size, colored=self.size if status == SAVED else 0, conflicts=0, **took)
        return status == SAVED


class CPUEjections(EjectionRun):
    """Rounds on CPU threads, or in slices on one thread."""

    def __init__(self, G: Graph, colors: Any, k: int, seed: int) -> None:
        super().__init__(G, colors, k, seed)
        with importing():
            from . import ejections_cpu as cpu

        self.loops: Any = cpu
        self.workers = threads_for(None, G.m)
        self.arrays = cpu.begin(unsigned(G), colors, k, self.workers)
        self.whole = True  # each vertex has a color

    def open(self, k: int, rule: Rule) -> int:
        """Remove the colors from k on in one pass over the vertices."""
        at, cpu = self.arrays.at, self.loops
        if not self.whole:
            cpu.recolor(self.best, self.arrays.state, self.arrays.half)
        if rule.each:
            at[cpu.FROM_ROUNDS], at[cpu.FROM_WORK] = at[cpu.ROUNDS], at[cpu.WORK]
        cpu.open_color(self.arrays, self.best, k)
        self.goal, self.limits, self.whole = k, rule.limits(self.k), False
        self.size = int(at[cpu.HERE] + at[cpu.LATER])
        return PAUSED

    def go(self, work: int) -> int:
        """Run rounds in one compiled call."""
        cpu = self.loops
        status = int(cpu.save(self.arrays, self.goal, self.salt, self.limits, self.done[1] + work))
        self.done = int(self.arrays.at[cpu.ROUNDS]), int(self.arrays.at[cpu.WORK])
        if status == SAVED:
            self.best, self.whole = cpu.colors_of(self.arrays.state, self.arrays.half), True
        return status


class Outcome(NamedTuple):
    """Result of a launch."""

    # numbers of colors
    before: int
    after: int
    rounds: int
    ms: float  # of the launch, by the device's clock
    status: int  # {SAVED, STOPPED, PAUSED}
    # vertices in the list, and vertices that lost their color at first
    listed: int
    size: int


class GPUEjections(EjectionRun):
    """Cooperative launches of ejections.cu on the current device: one for the search (`one`), or one per slice."""

    def __init__(self, G: Graph, colors: Any, k: int, seed: int = 0, one: bool = False) -> None:
        super().__init__(G, colors, k, seed)
        cp, n = dev.cupy(), G.n
        self.one = one
        self.state = cp.empty((n, 2), np.int32)  # a little-endian word of 64 bits: color + 1, weight
        self.space = cp.cuda.alloc(WORDS + (PER_VERTEX - 8) * n)
        words, wish = self.space.ptr, self.space.ptr + WORDS
        cp.cuda.runtime.memsetAsync(words, 0, WORDS, cp.cuda.get_current_stream().ptr)
        self.graph, self.arrays = (G.indptr, G.indices, n), (self.state, wish, wish + 4 * n, wish + 16 * n, words)
        self.begun = False
        blocks = min(n // EACH, MOST_BLOCKS) if is_small(n, G.m) else n // EACH
        self.kernels = SOURCE.of(G.indptr)
        self.blocks = self.kernels.fitting("save_colors", blocks * self.kernels.block, most=1)

    def open(self, k: int, rule: Rule) -> int:
        """Remove the colors from k on by a launch without rounds."""
        self.goal, self.rule = k, rule
        outcome = self.launch(k, 0, 0)
        self.size = outcome.size
        return outcome.status

    def go(self, work: int) -> int:
        """Run rounds in one launch."""
        outcome = self.launch(self.goal, self.done[0] + GPU_ROUNDS, self.done[1] + work)
        if outcome.status == SAVED:
            dev.cupy().subtract(self.state[:, 0], np.int32(1), out=self.best)
        return outcome.status

    def save_all(self, colors: Any, least: int, log: Log | None = None) -> Outcome:
        """Reduce the colors in place by the rule of balanced; the stream may still be computing them."""
        self.best, self.rule = colors, Rule.balanced(self.G.n, self.G.m)
        return self.launch(max(least, 3), ENDLESS_ROUNDS, ENDLESS, log)

    def launch(self, least: int, rounds: int, work: int, log: Log | None = None) -> Outcome:
        """Reduce the colors to `least`, one by one or at once, until a limit of rounds or work is reached."""
        limits = *map(int, self.rule), int(self.one), least, rounds, work, LONG, A_VERTEX
        if self.begun:
            cp = dev.cupy()
            cp.cuda.runtime.memsetAsync(self.space.ptr, 0, ARRIVED, cp.cuda.get_current_stream().ptr)
        self.begun = True
        with Pinned.take(NUMBERS) as found:
            weights = KNEE, FIRST, GAIN, HEAVIEST
            args = (*self.graph, self.best, *self.arrays, *limits, self.salt, *weights, found.ptr)
            self.kernels.cooperative("save_colors", self.blocks * self.kernels.block, *args, most=1)
            if log is not None:
                log.end()
                log.ended = True
            found.launched()
            before, after, ran, took, status, listed, size, low, high = found.wait().tolist()
        self.done = ran, (low & 0xFFFFFFFF) | high << 32
        return Outcome(before, after, ran, took / 1e6, status, listed, size)
