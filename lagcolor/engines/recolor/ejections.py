"""Ejection: the vertices of the highest color take lower ones and eject the neighbours that have them, in rounds.

An ejected vertex takes another color in the next round, perhaps at the expense of a neighbour, until one finds a color
free: a random walk of holes, away from the vertices that are hard to color. Each listed vertex, in a round,

1. wishes for the color whose neighbours weigh least together, the first from a pseudorandom color on;
2. stays in the list where a neighbour in it has the same wish and a larger hash;
3. otherwise takes that color, ejects the neighbours that have it, and if there are any grows heavier.

A vertex begins with a weight that rises with the square of its degree above k, from 128 on in proportion to it, and
grows by a share of that, so that holes avoid vertices with many neighbours, and those where they were stuck before. One
with fewer than k neighbours always finds a color: ejecting it costs next to nothing, and it is colored at the end.

All decisions of a step are made from what the step before left: the colors are the same on CPU and GPU, in any order of
the list. Progress: of the listed vertices the one with the largest hash gets its color in each round, but holes may
walk for ever, so the entries read for a color and the rounds are limited. Whether two colors do is left to union-find.

=========  ============================================================================================================
k          colors to use
state      of each vertex: weight (upper 32 bits), color + 1 (lower 32; 0 without a color)
wish       color that a vertex in the list wants, −1 for one that is colored later
here       the list; `there` the next round's, `later` vertices of fewer than k neighbours: on a GPU those without a
           color at the end, and only counted before
=========  ============================================================================================================

Device memory beside the graph and the coloring to begin with: 25 bytes per vertex, the new coloring among them.

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

from pathlib import Path
from typing import Any

import numpy as np

from semirings.runtime.compile_clock import clock, stopwatch

from ... import device as dev
from ...core.graph import Graph
from ...core.result import Log
from ...device import large_pages
from ...device.cooperative import launch_cooperative
from ...orders.ties import seed_word
from ...progress import SILENT
from ..greedy.sequential import unsigned
from . import ejections_cpu as cpu
from .ejections_cpu import FIRST, GAIN, HEAVIEST, KNEE
from .largest import largest_color, largest_degree
from .two_colors import bipartite

SOURCE = Path(__file__).with_suffix(".cu")
# Vertices of colors from k on are counted.
COUNT = "count_from", "int32 color, int32 k", "raw int32 count", "if (color >= k) atomicAdd(&count[0], 1)"
WIDE_FROM = 2**16 - 1  # colors from which codes on a CPU, which go to k + 1, take 32 bits instead of 16
BATCH = 64  # rounds between two looks at the clock and the limits, fewer where those are of more vertices than
VISITS = 1 << 18
CPU_VISITS = 1 << 12  # the same for the clock alone
BLOCK = 256
BLOCKS_PER_MULTIPROCESSOR = 4  # of a cooperative launch; more make each grid barrier slower
SHORT, HUB = 4096, 256  # up to so many vertices a block each, where there are degrees over this
FEWEST = 32  # blocks
FEW = 64  # vertices; several colors are saved at once while they have no more of them together
LEAST_READS = 1 << 18  # what a color may cost on a graph of few edges
ROUNDS = 1024  # and for each pass


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
    share = 4.0 if passes is None else passes
    reads, rounds = max(int(share * G.m), LEAST_READS), int(share * ROUNDS)
    # For one color, and for several at once.
    limits = ((2**62, 2**62) if passes is None else (reads, rounds)), (reads // 16, rounds // 16)
    with dev.using(G.indices):
        k = 1 + (largest_color(colors)[0] if G.on_gpu else int(colors.max()))
        walk = Gpu(dev.cupy(), G, colors, k, seed) if G.on_gpu else Cpu(G, colors, k, seed)
        walk.deadline, walk.stage = deadline, log.stage
        best, step, growth = colors, 1, 2
        try:
            while k > max(least, 3):
                step = min(step, k - max(least, 3))
                while step > 1 and walk.count_from(k - step, best) > FEW:
                    step //= 2
                if walk.save(k - step, limits[step > 1], log):
                    k -= step
                    best = walk.colors(None if best is colors else best)
                    step *= growth
                elif step > 1:  # one by one from here on
                    walk.restore(best)
                    step = growth = 1
                else:
                    break
            if k == 3 > least:  # whether two colors do is no question for a search
                two = bipartite(G)
                best = best if two is None else two
        except KeyboardInterrupt:
            log.notes["interrupted"] = True
    return best


def rounds_of(n_here: int) -> int:
    """Rounds between two looks at the limits."""
    return max(min(BATCH, VISITS // n_here), 1)


class Walk:
    """What both devices share: the lists, the limits, and when a color is saved."""

    def __init__(self, xp: Any, G: Graph, seed: int) -> None:
        self.xp, self.G, self.salt = xp, G, seed_word(seed)
        self.wish = xp.empty(G.n, np.int32)
        self.here, self.there = (xp.empty(G.n, np.uint32) for _ in range(2))
        self.flags = xp.empty(G.n, np.uint8)  # of the list, in a round
        self.done = 0  # rounds
        self.deadline: float | None = None
        self.stage = SILENT
        self.pace = 0.0  # seconds that a vertex in the list took in the last rounds

    def in_time(self, n_here: int, most: int) -> int:
        """How many rounds of so many vertices should end before the deadline, at most `most`; the first goes alone."""
        if self.deadline is None:
            return most
        left = self.deadline - clock()
        if left <= 0 or not self.pace:
            return int(left > 0)
        return int(min(left / (n_here * self.pace), most))

    def count_from(self, k: int, colors: Any) -> int:
        """Vertices of colors from k on."""
        raise NotImplementedError

    def restore(self, colors: Any) -> None:
        """Begin again from these colors, with the weights that vertices have."""
        raise NotImplementedError

    def turn(self, ran: int) -> None:
        """After so many rounds the list is in `here` or `there`."""
        self.done += ran
        if ran % 2:
            self.here, self.there = self.there, self.here

    def save(self, k: int, limits: tuple[int, int], log: Log) -> bool:
        """Color the vertices of colors from k on with 0 … k − 1; False where that took too many reads or rounds."""
        before, read = self.done, 0
        n_here, n_later = self.open(k)
        size = n_here + n_later
        while n_here:
            hopeless = read > limits[0] / 4 and n_here >= max(size, FEW)
            if hopeless or read > limits[0] or self.done - before > limits[1] or not self.in_time(n_here, 1):
                break
            n_here, n_later, more = self.batch(n_here, n_later, k)
            read += more
            self.stage.at(self.done)
        saved = not n_here
        if saved:  # those that are left find a color free each, and eject no vertex
            n_here = self.turn_to_later(n_later)
            while n_here and (saved := bool(self.in_time(n_here, 1))):
                n_here, _, more = self.batch(n_here, 0, k)
                read += more
        took = {"colors": k, "steps": self.done - before, "read": read}
        log.round(active=size, colored=size if saved else 0, conflicts=0, **took)
        return saved

    def open(self, k: int) -> tuple[int, int]:
        """Take the colors from k on away; the lengths of `here` and `later`."""
        raise NotImplementedError

    def turn_to_later(self, n_later: int) -> int:
        """List those of `later`; their number."""
        raise NotImplementedError

    def batch(self, n_here: int, n_later: int, k: int) -> tuple[int, int, int]:
        """Some rounds; the new lengths of `here` and `later`, and the entries read."""
        raise NotImplementedError

    def colors(self, into: Any) -> Any:
        """The colors as they are, int32; `into`, if that is an array, may be written and returned."""
        raise NotImplementedError


class Cpu(Walk):
    """Rounds on one core."""

    def __init__(self, G: Graph, colors: Any, k: int, seed: int) -> None:
        super().__init__(np, G, seed)
        narrow = k < WIDE_FROM
        self.half, self.state = np.uint64(16 if narrow else 32), large_pages(G.n, np.uint32 if narrow else np.uint64)
        self.later, self.sizes = np.empty(G.n, np.uint32), np.empty(2, np.int64)
        self.indptr, self.indices = unsigned(G)
        self.cost = np.empty(k + 2, np.uint32)
        cpu.weigh(self.indptr, colors, self.state, self.half, k)

    def count_from(self, k: int, colors: Any) -> int:
        """As of `Walk`."""
        return int(np.greater_equal(colors, k, out=self.flags.view(bool)).sum())

    def restore(self, colors: Any) -> None:
        """In one pass over the vertices."""
        cpu.recolor(colors, self.state, self.half)

    def open(self, k: int) -> tuple[int, int]:
        """In one pass over the vertices."""
        return cpu.open_color(self.indptr, self.state, self.half, self.here, self.later, k)

    def turn_to_later(self, n_later: int) -> int:
        """From now on they are in each other's way."""
        self.here, self.later = self.later, self.here
        cpu.uncolor(self.state, self.half, self.here[:n_later])
        return n_later

    def batch(self, n_here: int, n_later: int, k: int) -> tuple[int, int, int]:
        """In compiled calls of a few milliseconds each, as long as they should end before the deadline."""
        left, read = rounds_of(n_here), 0
        self.sizes[:] = n_here, n_later
        while left and self.sizes[0]:
            size = int(self.sizes[0])
            most = self.in_time(size, min(left, max(CPU_VISITS // size, 1)))
            if read and not most:
                break
            passed = stopwatch()
            more, ran = cpu.rounds(
                self.arrays(), (self.here, self.there), self.sizes, k, self.salt, self.done, max(most, 1)
            )
            self.turn(ran)
            self.pace = passed() / (size * int(ran))
            left, read = left - ran, read + int(more)
        return int(self.sizes[0]), int(self.sizes[1]), read

    def arrays(self) -> cpu.Walk:
        """The graph and the lists, for compiled loops."""
        return cpu.Walk(self.indptr, self.indices, self.state, self.half, self.wish, self.later, self.flags, self.cost)

    def colors(self, into: Any) -> np.ndarray:
        """In an array of their own."""
        return cpu.public(self.state, self.half)


class Gpu(Walk):
    """Rounds in cooperative launches (ejections.cu), and one look at the lengths after each; `cp` is CuPy."""

    def __init__(self, cp: Any, G: Graph, colors: Any, k: int, seed: int) -> None:
        super().__init__(cp, G, seed)
        self.state = cp.empty((G.n, 2), np.int32)  # a little-endian word of 64 bits: color + 1, weight
        self.restore(colors)
        self._each("weigh", G.indptr, self.state, *map(np.int64, (G.n, k, KNEE, FIRST, HEAVIEST)))
        self.hubs = largest_degree(G)[0] > HUB
        # Lengths of the list before each round and after the last, and that of `later`; grid barriers; entries read.
        self.sizes, self.arrived, self.read = (
            cp.zeros(BATCH + 2, np.int32),
            cp.zeros(1, np.int32),
            cp.zeros(1, np.uint64),
        )
        self.read_before = 0

    def restore(self, colors: Any) -> None:
        """In place."""
        self.xp.add(colors, np.int32(1), out=self.state[:, 0])

    def count_from(self, k: int, colors: Any) -> int:
        """By a kernel of its own: CuPy compiles its sum of flags by their number, which is not counted as compiling."""
        count = self.xp.zeros(1, np.int32)
        dev.elementwise(*COUNT)(colors, np.int32(k), count)
        return int(count[0])

    def kernel(self, name: str, group: int) -> Any:
        """A function of ejections.cu for so many threads per vertex."""
        return dev.kernel(SOURCE, name, OFFSET_BITS=8 * self.G.indptr.itemsize, GROUP=group)

    def _each(self, name: str, *args: Any) -> None:
        """A kernel that goes through all vertices."""
        most = 16 * self.xp.cuda.Device().attributes["MultiProcessorCount"]
        self.kernel(name, 32)((min(-(-self.G.n // BLOCK), most),), (BLOCK,), args)

    def open(self, k: int) -> tuple[int, int]:
        """By one kernel."""
        self.sizes.fill(0)
        lists = (self.wish, self.here, self.sizes, self.sizes[BATCH + 1 :])
        self._each("open_color", self.G.indptr, self.state, *lists, np.int64(self.G.n), np.int64(k))
        n_here, *_, n_later = self.sizes.tolist()
        return n_here, n_later

    def turn_to_later(self, n_later: int) -> int:
        """No other vertex is without a color."""
        if n_later:
            self.sizes.fill(0)
            self._each("list_later", self.state, self.here, self.sizes, np.int64(self.G.n))
        return n_later

    def batch(self, n_here: int, n_later: int, k: int) -> tuple[int, int, int]:
        """In one launch."""
        rounds = rounds_of(n_here)
        group = BLOCK if n_here <= SHORT and self.hubs else 32
        function = self.kernel("rounds", group)
        self.sizes.fill(0)
        self.sizes[0], self.sizes[rounds + 1] = n_here, n_later
        self.arrived.fill(0)
        lists = (self.here, self.there, self.flags, self.sizes, self.read, self.arrived)
        limits = map(np.int64, (k, self.salt, self.done, rounds, KNEE, GAIN, HEAVIEST))
        args = (self.G.indptr, self.G.indices, self.state, self.wish, *lists, *limits)
        launch_cooperative(self.xp, function, BLOCK, max(n_here, FEWEST), args, BLOCKS_PER_MULTIPROCESSOR)
        *lengths, n_later = self.sizes[: rounds + 2].tolist()
        ran = sum(n > 0 for n in lengths[:rounds])
        self.turn(ran)
        read = int(self.read[0])
        more, self.read_before = read - self.read_before, read
        return lengths[ran], n_later, more

    def colors(self, into: Any) -> Any:
        """Without an array in between."""
        out = self.xp.empty(self.G.n, np.int32) if into is None else into
        return self.xp.subtract(self.state[:, 0], np.int32(1), out=out)
