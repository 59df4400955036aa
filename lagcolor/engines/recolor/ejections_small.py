"""Ejections on a GPU in one launch, right behind that of a first coloring: the host waits once, for both.

For small graphs, of which a round takes about a microsecond: reading the lengths of lists after each some rounds, as
ejections.py does for large ones, would take longer than what is between. The rounds are those of ejections.py, with the
same colors for the same seed, but each color is saved alone, and only time and the number of rounds are limited.

Device memory beside the graph and the coloring: 25 bytes per vertex.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ... import device as dev
from ...device.cooperative import launch_cooperative
from ...device.pinned import Pinned
from ...graph import Graph
from ...orders.ties import seed_word
from .ejections import FIRST, GAIN, HEAVIEST, KNEE

SOURCE = Path(__file__).with_suffix(".cu")
BLOCK = 1024  # as in ejections_small.cu
EACH, MOST_BLOCKS = 8192, 32  # vertices of a block, about, and blocks, for the passes over all vertices
WORDS = 32  # bytes, as in ejections_small.cu: Words
PER_VERTEX = 25
NO_LIMIT = 2**31 - 1


class Outcome(NamedTuple):
    """What a launch did.

    Attributes
    ----------
    before, after : int
        Colors.
    rounds : int
    first_ms, ms : float
        From the mark to the launch, and of the launch, by the device's clock.
    """

    before: int
    after: int
    rounds: int
    first_ms: float
    ms: float


class Ejections:
    """A launch of ejections, made ready before that of the coloring.

    Parameters
    ----------
    G : Graph
        On the current device, with at least one edge.
    """

    def __init__(self, G: Graph) -> None:
        cp = dev.cupy()
        self.G, self.cp = G, cp
        macros = {"OFFSET_BITS": 8 * G.indptr.itemsize, "GROUP": 32, "BLOCK": BLOCK}
        self.kernel = dev.kernel(SOURCE, "save_colors", **macros)
        self.space = cp.cuda.alloc(WORDS + PER_VERTEX * G.n)
        dev.kernel(SOURCE, "begin", **macros)((1,), (1,), (self.space.ptr,))

    def __call__(
        self, colors: Any, *, seed: int = 0, least: int = 3, share: float = 1.0, extra: float = 0.0,
        rounds: int = NO_LIMIT,
    ) -> Outcome:  # fmt: skip
        """Save colors, in place, for so many times the time since the mark, and `extra` seconds; both 0: no limit."""
        G, n, cp = self.G, self.G.n, self.cp
        words = self.space.ptr
        state = words + WORDS
        wish, here, there, later, flags = (state + (8 + 4 * i) * n for i in range(5))
        limits = (np.int32(max(least, 3)), np.int32(rounds), np.uint32(seed_word(seed)))
        times = (np.uint32(round(extra * 1e9)), np.uint32(round(100 * share)))
        by = map(np.int64, (KNEE, FIRST, GAIN, HEAVIEST))
        with Pinned.take(cp.cuda.runtime.getDevice(), 5) as found:
            args = (
                G.indptr, G.indices, np.int32(n), colors, state, wish, here, there, later, flags, words, *limits,
                *times, *by, found.ptr,
            )  # fmt: skip
            blocks = min(max(n // EACH, 1), MOST_BLOCKS)
            launch_cooperative(cp, self.kernel, BLOCK, blocks, args, 1)
            found.launched()
            before, after, ran, first, took = found.wait().tolist()
        return Outcome(before, after, ran, first / 1e6, took / 1e6)
