"""Ejections limited by work, in one compiled call or one launch: what the quality balanced does after fast.

The rounds are those of ejections.py, but each color is saved alone, and what limits them is the number of rounds and of
entries read instead of time: the colors are the same on every run and device. Most of what ejections save they save at
once: on 235 real graphs a third of the graph, read once, brings as few colors as the best of three orders on 228.

On a GPU the launch follows that of the first coloring, and the host waits once, for both: reading the lengths of lists
after every few rounds, as ejections.py does for large graphs, takes longer than the rounds. The same launch looks at
degrees and for triangles, which tell what else is worth trying.

Device memory beside the graph and the coloring: 25 bytes per vertex.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ... import device as dev
from ...core.graph import Graph
from ...core.result import Log
from ...device.cooperative import cooperative_blocks, has_room, with_fewer
from ...device.pinned import Pinned
from ...orders.ties import seed_word
from . import ejections_cpu as cpu
from .ejections import Cpu
from .ejections_cpu import FIRST, GAIN, HEAVIEST, KNEE

SOURCE = Path(__file__).with_suffix(".cu")
# Work: entries read, and A_VERTEX for each vertex in the list of a round; a share of the graph's entries, and at least.
SHARE, LARGE_SHARE, LEAST_WORK, A_VERTEX = 1 / 3, 1 / 6, 1 << 13, 8
# Rounds, by the square of the colors, as the time of first-fit grows on a GPU: in all (at most, and beside that), and
# without a list that is shorter than before.
ROUNDS, MOST_ROUNDS, LEAST_ROUNDS = 2, 1024, 30
STUCK, LEAST_STUCK = 1 / 8, 8
VERTICES, ENTRIES = 1 << 19, 1 << 22  # up to which a GPU takes one launch
OF_SQUARE, BESIDE = 256, 12288  # work for these graphs, too, by the square of the colors, and beside that
STUCK_WORK = 3  # of so many parts of the work, one without a shorter list
BLOCK = 1024  # threads, as in ejections_at_once.cu
EACH, MOST_BLOCKS = 2048, 64  # vertices of a block, about, and blocks
LONG = 128  # vertices of a list from which all blocks take a round
WORDS = 56  # bytes, as in ejections_at_once.cu: Words
PER_VERTEX = 25  # bytes of lists and states
NUMBERS = 7  # as in ejections_at_once.cu: Outcome


class Outcome(NamedTuple):
    """What was done, and what was seen of the graph.

    Attributes
    ----------
    before, after : int
        Colors.
    rounds : int
    max_degree : int
    with_it : int
        Vertices of that degree.
    odd : bool
        Whether a triangle was found, which takes three colors.
    ms : float
        Of the launch, by the device's clock.
    """

    before: int
    after: int
    rounds: int
    max_degree: int
    with_it: int
    odd: bool
    ms: float


def limits(k: int, n: int, m: int) -> tuple[int, int, int, int]:
    """At most, by colors, vertices and entries: rounds, those without a shorter list; work, that without one."""
    rounds, stuck = min(ROUNDS * k * k, MOST_ROUNDS) + LEAST_ROUNDS, int(8 * STUCK) * k * k // 8 + LEAST_STUCK
    if is_small(n, m):
        work = min(int(SHARE * m) + LEAST_WORK, OF_SQUARE * k * k + BESIDE)
    else:
        work = int(LARGE_SHARE * m) + LEAST_WORK
    return rounds, stuck, work, work // STUCK_WORK


def is_small(n: int, m: int) -> bool:
    """Whether a graph of so many vertices and entries is for one launch on a GPU."""
    return n <= VERTICES and m <= ENTRIES


def eject_at_once(G: Graph, colors: Any, k: int, seed: int = 0, least: int = 3) -> tuple[np.ndarray, int]:
    """Fewer colors on a CPU, and how many."""
    walk, best, done = Cpu(G, colors, k, seed), colors.copy(), np.zeros(2, np.int64)
    most = cpu.Limits(*limits(k, G.n, G.m), A_VERTEX)
    while k > max(least, 3):
        walk.sizes[:] = walk.open(k - 1)
        saved, _ = cpu.save(walk.arrays(), (walk.here, walk.there), walk.sizes, k - 1, walk.salt, most, done)
        if not saved:
            break
        k, best = k - 1, walk.colors(None)
    return best, k


class Launch:
    """A launch on a GPU, made ready before that of the first coloring, for a small graph: a block handles the lists.

    Parameters
    ----------
    G : Graph
        On the current device, with an edge.
    seed : int
    least : int
        Stop at so many colors, or at three.
    """

    def __init__(self, G: Graph, seed: int = 0, least: int = 3) -> None:
        cp, n = dev.cupy(), G.n
        self.device = cp.cuda.runtime.getDevice()
        self.kernel, fit = _kernel(self.device, 8 * G.indptr.itemsize)
        self.blocks = min(max(n // EACH, 1), MOST_BLOCKS, fit)
        self.space = cp.cuda.alloc(WORDS + PER_VERTEX * n)
        words, state = self.space.ptr, self.space.ptr + WORDS
        cp.cuda.runtime.memsetAsync(words, 0, WORDS, cp.cuda.get_current_stream().ptr)
        lists = (state + (8 + 4 * i) * n for i in (0, 1, 4))  # wish, three lists, flags
        self.graph = G.indptr, G.indices, n
        self.rest = (
            state, *lists, words, max(least, 3), ROUNDS, MOST_ROUNDS, LEAST_ROUNDS, int(8 * STUCK), LEAST_STUCK,
            int(SHARE * G.m) + LEAST_WORK, OF_SQUARE, BESIDE, STUCK_WORK, A_VERTEX, seed_word(seed), LONG,
            KNEE, FIRST, GAIN, HEAVIEST,
        )  # fmt: skip

    def __call__(self, colors: Any, log: Log | None = None) -> Outcome:
        """Fewer colors, in place, of a proper coloring, 0 … k − 1 all in use, which may still be in the making.

        `log` is told the moment of the launch.
        """
        with Pinned.take(self.device, NUMBERS) as found:
            args = (*self.graph, colors, *self.rest, found.ptr)
            with_fewer(self.blocks, lambda blocks: has_room(self.kernel.ready(blocks, BLOCK, args, cooperative=True)))
            if log is not None:
                log.end()
                log.ended = True
            found.launched()
            before, after, ran, degree, with_it, odd, took = found.wait().tolist()
        return Outcome(before, after, ran, degree, with_it, bool(odd), took / 1e6)


@functools.cache
def _kernel(device: int, bits: int) -> tuple[Any, int]:
    """The kernel on the current device, and how many blocks run at the same time, one on each multiprocessor."""
    kernel = dev.kernel(SOURCE, "save_colors", OFFSET_BITS=bits, GROUP=32, BLOCK=BLOCK)
    return kernel, cooperative_blocks(dev.cupy(), device, kernel, BLOCK, 1)
