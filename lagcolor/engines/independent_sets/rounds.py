"""Many rounds in one launch of rounds.cu, and random labelling by them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ... import device as dev
from ...core.graph import Graph
from ...device.cooperative import cooperative_blocks, launches, with_fewer
from ...orders import Priorities

# Of `state`: vertices without a color, the next color, rounds done, how many the last one colored; where both phases
# were one launch, also rounds and colors of degree labelling.
LEFT, NEXT_COLOR, ROUNDS, COLORED, BY_DEGREE, COLORS_BY_DEGREE = range(6)
SOURCE = Path(__file__).with_name("rounds.cu")
BLOCK, WARP = 512, 32
MANY = 1 << 14  # rounds of one launch
TOGETHER = 2  # blocks a multiprocessor: with more, the blocks of a round of few vertices wait longer for each other


class GpuRounds:
    """The state between rounds, on the device of the graph."""

    def __init__(self, G: Graph) -> None:
        cp = dev.cupy()
        self.G, self.cp = G, cp
        self.kernels = [
            dev.kernel(SOURCE, "label_rounds", OFFSET_BITS=8 * G.indptr.itemsize, HYBRID=hybrid, BLOCK=BLOCK)
            for hybrid in (0, 1)
        ]
        device = cp.cuda.runtime.getDevice()
        groups = -(-G.n // WARP)
        fit = min(cooperative_blocks(cp, device, kernel, BLOCK, TOGETHER) for kernel in self.kernels)
        self.colors = cp.full(G.n, -1, np.int32)
        self.cursor = cp.empty(G.n, G.indptr.dtype)
        self._share_out(max(1, min(fit, -(-groups * WARP // BLOCK))))
        self.arrivals = cp.zeros(3, np.uint64)
        self.on_device = cp.array([G.n, 0, 0, 0, 0, 0], np.int64)
        self.state = [G.n, 0, 0, 0, 0, 0]

    def _share_out(self, blocks: int) -> None:
        """Lists of the warps of so many blocks, for the first launch of a phase to fill."""
        cp, warps = self.cp, blocks * (BLOCK // WARP)
        self.blocks, self.room = blocks, WARP * -(-self.G.n // (WARP * warps))
        self.items = cp.empty(warps * self.room, np.uint64)
        self.later = self.items[:0]  # degree labelling's, for random labelling in the same launch
        self.lengths = cp.empty(warps, np.int32)

    def advance(self, p: Any, fresh: bool, rounds: int, least: int = 0) -> int:
        """Up to `rounds` rounds, until all vertices have colors, or one colors fewer than `least`."""
        if p is None:
            self._launch(1, 0, fresh, rounds, least, 0)
            return self.state[BY_DEGREE]
        self._launch(0, p, fresh, 0, 0, rounds)
        return self.state[ROUNDS]

    def both(self, p: Any, rounds: int, least: int, more: int) -> tuple[int, int, int]:
        """Degree labelling as by `advance`, and then up to `more` rounds of random labelling, in one launch."""
        self._launch(1, p, True, rounds, least, more)
        self.items = self.later  # where the vertices left are
        return self.state[BY_DEGREE], self.state[COLORS_BY_DEGREE], self.state[ROUNDS]

    def _launch(self, hybrid: int, p: Any, fresh: bool, rounds: int, least: int, more: int) -> None:
        def launch(blocks: int) -> bool:
            if blocks != self.blocks:
                self._share_out(blocks)
            if hybrid and more:
                self.later = self.cp.empty(len(self.items), np.uint64)
            args = (
                self.G.indptr, self.G.indices, p, self.colors, self.cursor, self.items, self.later,
                self.room, self.lengths, self.arrivals, self.on_device, self.G.n, int(fresh), rounds, least, more,
            )  # fmt: skip
            return launches(self.kernels[hybrid], blocks, BLOCK, args)

        self.arrivals.fill(0)
        with_fewer(self.blocks, launch, least=1 if fresh else self.blocks)  # lists go from launch to launch
        self.state = self.on_device.tolist()

    @property
    def left(self) -> int:
        """Vertices without a color."""
        return self.state[LEFT]

    @property
    def n_colors(self) -> int:
        """Colors given so far."""
        return self.state[NEXT_COLOR]

    @property
    def last(self) -> int:
        """How many the last round colored."""
        return self.state[COLORED]


def random_labelling(state: Any, p: Priorities, rounds: int = 0) -> int:
    """Rounds by the priorities `p`, after so many of them, until all vertices have colors."""
    while state.left:
        rounds += state.advance(p.p, fresh=rounds == 0, rounds=MANY)
    return rounds
