"""Multicolor solvers on a GPU: the layout of a matrix, sweeps over it, and incomplete factors."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import factors
from .sweeps import MODES, Sweeps

__all__ = ["MODES", "Engine", "Sweeps"]

ENOUGH_ROWS = 1 << 17  # of a color: so many threads keep a GPU busy
ENTRIES = 1  # of a lane, where there are fewer rows
FEW_COLORS, FEW_LANES = 4, 1 << 14  # over so many colors, of up to so many lanes each, one launch does all


class Engine:
    """Sweeps and factors of a colored matrix on its GPU; arrays as in lagcolor/solvers/symbolic.py.

    Parameters
    ----------
    S : Symbolic
    dtype : dtype
        Of vectors.
    threads : None
        There is no choice on a GPU.
    **how
        Of `Sweeps`, in place of what is chosen here.
    """

    def __init__(self, S: Any, dtype: Any, threads: None = None, **how: Any) -> None:
        self.S, self.sweeps = S, Sweeps(S, dtype, **(chosen(S) | how))

    def ilu0(self, lower: Any, upper: Any, diagonal: Any) -> Any:
        """Inverted pivots of ILU(0), with the factors in place of `lower` and `upper`."""
        return factors.ilu0(self.S, lower, upper, diagonal)

    def dilu(self, lower: Any, upper: Any, diagonal: Any, mirror: Any) -> Any:
        """Inverted pivots of DILU."""
        return factors.dilu(self.S, lower, upper, diagonal, mirror)

    def load(self, lower: Any, upper: Any, scale: Any, weight: float) -> None:
        """Copy values into the layout of the sweeps."""
        self.sweeps.load(lower, upper, scale, weight)

    def apply(self, r: Any, out: Any, sweep: str) -> None:
        """One pass; nothing waits for the device."""
        self.sweeps.apply(r, out, sweep)

    def smooth(self, x: Any, b: Any, omega: float, sweep: str, iterations: int) -> None:
        """Relax `x` in place."""
        self.sweeps.relax(x, b, omega, sweep, iterations)


def chosen(S: Any) -> dict[str, Any]:
    """Lanes per row, entries that a lane reads at a time, and the way to launch.

    In large colors a lane per row, and few registers: all threads that a processor holds are there. In small ones as
    many lanes as leave each an entry, since each step then takes as long as what one lane waits for. Where few blocks
    do a color, waiting for each other takes them less than the next launch of a graph.
    """
    largest, colors = max(np.diff(S.offsets).tolist(), default=0), len(S.offsets) - 1
    mean = (len(S.lower.indices) + len(S.upper.indices)) / 2 / max(S.n, 1)
    lanes, rows = 1, S.n // max(colors, 1)
    while lanes < 32 and (mean > 16 * lanes or (rows * lanes < ENOUGH_ROWS and mean > ENTRIES * lanes)):
        lanes *= 2
    mode = "cooperative" if colors > FEW_COLORS and largest * lanes <= FEW_LANES else "graph"
    return {"lanes": lanes, "ahead": 1 if S.block_size > 2 else 2, "mode": mode}
