"""Multicolor solvers on a GPU: the layout of a matrix, sweeps over it, and incomplete factors.

Start with `sweeps.py`, which launches the sweeps. `slices.py` lays out the rows of each color in slices for a warp,
`structure.py` divides a matrix into triangles by color, and `factors.py` computes ILU(0) and DILU. `operators.py` in
the folder above makes a `GPUBackend`.
"""

from __future__ import annotations

from typing import Any

from ...base import device as dev
from . import factors
from .slices import WARP, Slices
from .sweeps import MODES, Sweeps

__all__ = ["MODES", "GPUBackend", "Sweeps"]

ENOUGH_ROWS = 1 << 17  # of a color: this number of threads keeps a GPU busy
ENTRIES = 1  # of a lane, where there are fewer rows
HUB = 2048  # entries of either triangle from which on a row has a block: a warp waits for memory as often as 64 times
# Over FEW_COLORS colors of up to FEW_LANES lanes each, one launch does all; with blocks each lane has more to do.
FEW_COLORS, FEW_LANES, FEW_LANES_OF_BLOCKS = 4, 1 << 14, 1 << 16


class GPUBackend:
    """Sweeps and factors of a colored matrix on its GPU; arrays as in lagcolor/solvers/symbolic.py.

    **how
        Of `Slices` and `Sweeps`, in place of what is chosen here.
    """

    sweeps: Sweeps

    def __init__(self, S: Any, dtype: Any, threads: None = None, **how: Any) -> None:
        how = lanes_of(S) | how
        layout = Slices(S, how.pop("lanes"), how.pop("hub", HUB))
        self.S, self.sweeps = S, Sweeps(layout, dtype, **({"mode": mode_of(layout.table, S.block_size)} | how))

    def factor(self, lower: Any, upper: Any, diagonal: Any, mirror: Any = None) -> Any:
        """Inverted pivots of ILU(0), with the factors in place of `lower` and `upper`; with `mirror`, of DILU."""
        return factors.factor(self.S, lower, upper, diagonal, mirror)

    def load(self, lower: Any, upper: Any, scale: Any, weight: float) -> None:
        """Copy values into the layout of the sweeps."""
        S, cp = self.S, dev.cupy()
        values, by_row = cp.empty((S.pattern.m, *lower.shape[1:]), lower.dtype), cp.empty_like(scale)
        for T, part in ((S.lower, lower), (S.upper, upper)):
            values[T.source] = part
        by_row[S.order] = scale
        self.sweeps.load(values, by_row, weight)

    def load_sor(self, values: Any, omega: float, dtype: Any) -> bool:
        """The same for SOR, from the matrix's blocks, kept in a type; False, with nothing changed, for bad ones."""
        return bool(self.S.n == 0 or self.sweeps.load_sor(values, omega, dtype))

    def apply(self, r: Any, out: Any, sweep: str) -> None:
        """One pass; nothing waits for the device."""
        self.sweeps.apply(r, out, sweep)

    def smooth(self, x: Any, b: Any, omega: float, sweep: str, iterations: int) -> None:
        """Relax `x` in place."""
        self.sweeps.relax(x, b, omega, sweep, iterations)


def lanes_of(S: Any) -> dict[str, Any]:
    """Lanes per row, and entries that a lane reads at a time.

    In large colors a lane per row, and few registers: all threads that a processor holds are there. In small ones as
    many lanes as leave each an entry, since each step then takes as long as what one lane waits for.
    """
    mean = (S.pattern.m - S.n) / 2 / max(S.n, 1)
    lanes, rows = 1, S.n // max(S.coloring.n_colors, 1)
    while lanes < 32 and (mean > 16 * lanes or (rows * lanes < ENOUGH_ROWS and mean > ENTRIES * lanes)):
        lanes *= 2
    return {"lanes": lanes, "ahead": 1 if S.block_size > 2 else 2}


def mode_of(table: Any, block_size: int) -> str:
    """The way to launch: where few warps do a color, waiting for each other takes less than the next launch of a graph.

    A graph of many colors is faster by a tenth where rows are single unknowns, but takes 25 µs per color to capture.
    """
    most = FEW_LANES if block_size == 1 else FEW_LANES_OF_BLOCKS
    few = len(table) > FEW_COLORS and table[:, 3].max() * WARP <= most
    return "cooperative" if few else "graph"
