"""Ejection: the vertices of the highest color take lower ones and eject the neighbors that have them, in rounds.

An ejected vertex takes another color in the next round, perhaps at the expense of a neighbor, until one finds a color
free: a random walk of holes, away from the vertices that are hard to color. Each listed vertex, in a round,

1. wishes for the color whose neighbors weigh least together, the first from a pseudorandom color on;
2. stays in the list where a neighbor in it has the same wish and a larger hash;
3. otherwise takes that color, ejects the neighbors that have it, and if there are any grows heavier.

A vertex begins with a weight that rises with the square of its degree above k, from 128 on in proportion to it, and
grows by a share of that, so that holes avoid vertices with many neighbors, and those where they were stuck before. One
with fewer than k neighbors always finds a color: ejecting it costs next to nothing, and it is colored at the end.

All decisions of a step depend only on the result of the step before: the colors are the same on CPU and GPU, in any
order of the list. Progress: of the listed vertices the one with the largest hash gets its color in each round, but
holes may walk for ever, so a `Rule` limits rounds and work: entries read, and a number for each listed vertex. A search
goes on from slice to slice, between which the host looks at the clock. Whether two colors do is left to union-find.

Most of what ejections save they save at once: on 235 real graphs a third of the graph, read once, brings as few colors
as the best of three orders on 228. That is the rule of the quality
balanced. On a GPU it is one launch, which follows the launch of the first coloring, and the host waits once, for both.

=========  ============================================================================================================
k          colors to use
state      of each vertex: weight (upper 32 bits), color + 1 (lower 32; 0 without a color)
wish       color that a vertex in the list wants, −1 for one that is colored later
here       the list; `there` the next round's, `later` vertices of fewer than k neighbors
=========  ============================================================================================================

Device memory in addition to the graph and the first coloring: 25 bytes per vertex, and 4 of the new coloring.

What lost: weights that stay as they are (rmat20 stuck at 12 colors), a tabu list of the vertices colored last instead
of growing weights (11 colors), weights that grow by 1 alone (three times the reads did not reach 10), weights in
proportion to all degrees (10 colors for 14.9 M reads instead of 5.6 M), or to their square (kron18 stuck: the largest
weights are at once as heavy as a weight may be).

References
----------
Blöchliger, Zufferey 2008, "A graph coloring heuristic using partial solutions and a reactive tabu scheme" (PartialCol),
whose moves these are, one at a time there; weights that grow where a search is stuck: Morris 1993, "The breakout
method for escaping from local minima".
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
ALONE = 1 << 16  # entries up to which one compiled call on one thread, with arrays of its own, is faster
SLICE, GPU_ROUNDS = 1 << 20, 64  # work, and on a GPU rounds, between two looks at the clock
FEW = 64  # vertices; several colors are saved at once while they have no more of them together
ENDLESS_ROUNDS, ENDLESS = 2**31 - 1, 2**62
# Of a rule for each color: work in passes over the graph, at least; rounds for each pass.
LEAST_WORK, PASS_ROUNDS = 1 << 19, 1024
# Of the rule of balanced: shares of the graph's entries, for small and for large graphs, and a constant.
SHARE, LARGE_SHARE, BESIDE_SHARE = 2 / 3, 1 / 6, 1 << 13
# Of large graphs: rounds × the largest degree, and the least of such rounds, since on a GPU a round takes as long as
# its longest row; how often the list is read before it is empty, at least.
LONG_ROWS, LEAST_ROUNDS, TIMES = 1 << 19, 64, 2
VERTICES, ENTRIES = 1 << 19, 1 << 22  # up to which a graph is small
EACH, MOST_BLOCKS = 2048, 64  # on a GPU: vertices of a block, about, and blocks of a small graph
LONG = 128  # vertices of a list from which all blocks take a round
WORDS = 96  # bytes, as in ejections.cu: Words
ARRIVED = 4  # bytes of the barriers, the first of these
PER_VERTEX = 25  # bytes of lists and states
NUMBERS = 9  # as in ejections.cu: Outcome


class Rule(NamedTuple):
    """The limits of a search, by the colors k that it begins with."""

    # rounds: this number, and `of_square` k², at most `most`
    rounds: int
    of_square: int
    most: int
    # rounds without a list that is shorter than ever before: `stuck`, and `eighths` k² / 8
    stuck: int
    eighths: int
    # limits of work: `work`, and at most `work_of_square` k² + `beside`
    work: int
    work_of_square: int
    beside: int
    parts: int  # the work is divided into this number of parts; a part without a shorter list ends the search
    each: bool  # these are the limits of each color, not of all together
    listed: int = 0  # no color is begun whose list would take more work than is left: this much for each vertex
    # at most this number of rounds, times the largest degree, or LEAST_ROUNDS if that is more; 0 for no such limit
    long_rows: int = 0

    @classmethod
    def of_passes(cls, passes: float | None, n: int, m: int, share: int = 1) -> Rule:
        """A number of passes over n vertices and m entries for each color, or a part of that; no limit for None."""
        if passes is None:
            return cls(ENDLESS_ROUNDS, 0, 0, ENDLESS_ROUNDS, 0, ENDLESS, 0, ENDLESS, 1, True)
        rounds, work = min(int(passes * PASS_ROUNDS), ENDLESS_ROUNDS), max(int(passes * (m + A_VERTEX * n)), LEAST_WORK)
        return cls(rounds // share, 0, 0, ENDLESS_ROUNDS, 0, work // share, 0, ENDLESS, 1, True)

    @classmethod
    def balanced(cls, n: int, m: int) -> Rule:
        """The square of the colors is how the time of first-fit grows on a GPU; see docs/development/qualities.md."""
        if is_small(n, m):
            return cls(30, 2, 1024, 8, 1, int(SHARE * m) + BESIDE_SHARE, 512, 24576, 3, False)
        work, listed = int(LARGE_SHARE * m) + BESIDE_SHARE, TIMES * (m // n + A_VERTEX)
        return cls(30, 2, 1024, 8, 1, work, 0, ENDLESS, 3, False, listed, LONG_ROWS)

    def on(self, G: Graph) -> Rule:
        """The same with the rounds for the largest degree of a graph."""
        if not self.long_rows:
            return self
        rounds = max(self.long_rows // max(G.max_degree, 1), LEAST_ROUNDS)
        return self._replace(most=min(rounds, self.most), long_rows=0)

    def limits(self, k: int) -> Limits:
        """The limits for k colors."""
        work = min(self.work, self.work_of_square * k * k + self.beside)
        rounds = min(self.of_square * k * k, self.most) + self.rounds
        return Limits(rounds, (self.eighths * k * k >> 3) + self.stuck, work, work // self.parts, self.listed)


def is_small(n: int, m: int) -> bool:
    """Whether a graph with this number of vertices and entries uses one launch on a GPU."""
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
    """Color reduction by ejections, one color or a few small ones after the other, until one cannot be saved."""
    log = log or Log()
    if G.n == 0 or G.m == 0:
        return colors if G.n == 0 else G.xp.zeros_like(colors)
    one, several = Rule.of_passes(passes, G.n, G.m), Rule.of_passes(4.0 if passes is None else passes, G.n, G.m, 16)
    with dev.using(G.indices):
        k = 1 + extremes.largest(colors)
        walk = (GPUEjections if G.on_gpu else CPUEjections)(G, colors.copy(), k, seed)
        walk.deadline, walk.stage = deadline, log.stage
        step, growth = 1, 2
        with log.best_so_far():
            while k > max(least, 3):
                step = min(step, k - max(least, 3))
                if step > 1:
                    sizes = class_sizes(G, walk.best)
                    while step > 1 and sizes[k - step :].sum() > FEW:
                        step //= 2
                if walk.save(k - step, several if step > 1 else one, log):
                    k -= step
                    step *= growth
                elif step > 1:  # one by one from here on
                    step = growth = 1
                else:
                    break
            if k == 3 > least:  # whether two colors do is no question for a search
                two = bipartite(G)
                walk.best = walk.best if two is None else two
    return walk.best


def eject_by_work(
    G: Graph, colors: Any, k: int, seed: int = 0, least: int = 3, rule: Rule | None = None
) -> tuple[Any, int]:  # fmt: skip
    """Fewer colors by the rule of balanced, or on a CPU another one, and how many: the same on every device."""
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
    walk, out = CPUEjections(G, colors, k, seed), large_pages(G.n, np.int32)
    return out, walk.loops.save_all(walk.walk, out, k, least, walk.salt, limits, walk.workers)


class EjectionRun:
    """What both devices share: the clock, and when a color is saved. `best` changes in place."""

    def __init__(self, G: Graph, colors: Any, k: int, seed: int) -> None:
        self.G, self.best, self.k, self.salt = G, colors, k, seed_word(seed)
        self.done = 0, 0  # rounds and work
        self.deadline: float | None = None
        self.stage = SILENT
        self.pace = 0.0  # seconds of a unit of work in the last slice

    size: int  # vertices that lost their color for the present goal

    def open(self, k: int, rule: Rule) -> int:
        """Take the colors from k on away; PAUSED, or STOPPED where the limits leave no round."""
        raise NotImplementedError

    def go(self, work: int) -> int:
        """Rounds until all vertices have colors again, a limit is reached, or so much more work is done."""
        raise NotImplementedError

    def left(self) -> int:
        """Work that should end before the deadline, of a slice at most; 0 after it."""
        if self.deadline is None:
            return SLICE
        left = self.deadline - clock()
        if left <= 0 or not self.pace:
            return int(left > 0)  # the first rounds go alone
        return int(max(min(left / self.pace, SLICE), 1))

    def save(self, k: int, rule: Rule, log: Log) -> bool:
        """Color the vertices of colors from k on with 0 … k − 1; False where a limit or the deadline comes first."""
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
    """Rounds on CPU threads, or in slices on one."""

    def __init__(self, G: Graph, colors: Any, k: int, seed: int) -> None:
        super().__init__(G, colors, k, seed)
        with importing():
            from . import ejections_cpu as cpu

        self.loops: Any = cpu
        self.workers = threads_for(None, G.m)
        self.walk = cpu.begin(unsigned(G), colors, k, self.workers)
        self.whole = True  # each vertex has a color

    def open(self, k: int, rule: Rule) -> int:
        """In one pass over the vertices."""
        at, cpu = self.walk.at, self.loops
        if not self.whole:
            cpu.recolor(self.best, self.walk.state, self.walk.half)
        if rule.each:
            at[cpu.FROM_ROUNDS], at[cpu.FROM_WORK] = at[cpu.ROUNDS], at[cpu.WORK]
        cpu.open_color(self.walk, self.best, k)
        self.goal, self.limits, self.whole = k, rule.limits(self.k), False
        self.size = int(at[cpu.HERE] + at[cpu.LATER])
        return PAUSED

    def go(self, work: int) -> int:
        """In one compiled call."""
        cpu = self.loops
        status = int(cpu.save(self.walk, self.goal, self.salt, self.limits, self.done[1] + work))
        self.done = int(self.walk.at[cpu.ROUNDS]), int(self.walk.at[cpu.WORK])
        if status == SAVED:
            self.best, self.whole = cpu.public(self.walk.state, self.walk.half), True
        return status


class Outcome(NamedTuple):
    """What a launch has done, and what it has seen of the graph."""

    # `before` and `after`: colors
    before: int
    after: int
    rounds: int
    ms: float  # of the launch, by the device's clock
    status: int  # {SAVED, STOPPED, PAUSED}
    # `listed` and `size`: vertices in the list, and those that lost their color at first
    listed: int
    size: int


class GPUEjections(EjectionRun):
    """Cooperative launches of ejections.cu, on the current device: `one` for all, or some rounds each."""

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
        """By a launch without rounds."""
        self.goal, self.rule = k, rule
        outcome = self.launch(k, 0, 0)
        self.size = outcome.size
        return outcome.status

    def go(self, work: int) -> int:
        """In one launch."""
        outcome = self.launch(self.goal, self.done[0] + GPU_ROUNDS, self.done[1] + work)
        if outcome.status == SAVED:
            dev.cupy().subtract(self.state[:, 0], np.int32(1), out=self.best)
        return outcome.status

    def save_all(self, colors: Any, least: int, log: Log | None = None) -> Outcome:
        """Fewer colors by the rule of balanced, in place, also of colors in the making; `log` has the launch."""
        self.best, self.rule = colors, Rule.balanced(self.G.n, self.G.m)
        return self.launch(max(least, 3), ENDLESS_ROUNDS, ENDLESS, log)

    def launch(self, least: int, rounds: int, work: int, log: Log | None = None) -> Outcome:
        """Save colors down to `least`, one by one or at once, until a limit of rounds or of work."""
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
