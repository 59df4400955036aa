"""Multicolor solvers on a GPU: the layout of a matrix, sweeps over it, and incomplete factors.

Start with `sweeps.py`, which launches the sweeps. `slices.py` arranges the rows of each color in slices for warps,
`structure.py` divides a matrix into triangles by color, and `factors.py` computes ILU(0) and DILU. `operators.py` in
the parent folder creates a `GPUBackend`.
"""

from __future__ import annotations

from typing import Any

from ...base import device as dev
from . import factors
from .slices import WARP, Slices
from .sweeps import MODES, Sweeps

__all__ = ["MODES", "GPUBackend", "Sweeps"]

ENOUGH_ROWS = 1 << 17  # rows of a color: as threads, they keep a GPU busy
ENTRIES = 1  # entries per lane, if a color has fewer rows
HUB = 2048  # entries of either triangle from which on a row has a block: a warp would wait for memory 64 times
# More than FEW_COLORS colors of up to FEW_LANES lanes each have one launch; lanes of blocks have more work.
FEW_COLORS, FEW_LANES, FEW_LANES_OF_BLOCKS = 4, 1 << 14, 1 << 16


class GPUBackend:
    """Sweeps and factors of a colored matrix on its GPU; arrays as in lagcolor/solvers/symbolic.py.

    **how
        Parameters of `Slices` and `Sweeps`, which replace the choices here.
    """

    sweeps: Sweeps

    def __init__(self, S: Any, dtype: Any, threads: None = None, **how: Any) -> None:
        how = lanes_of(S) | how
        layout = Slices(S, how.pop("lanes"), how.pop("hub", HUB))
        self.S, self.sweeps = S, Sweeps(layout, dtype, **({"mode": mode_of(layout.table, S.block_size)} | how))

    def factor(self, lower: Any, upper: Any, diagonal: Any, mirror: Any = None) -> Any:
        """Factor `lower` and `upper` in place by ILU(0), or DILU with `mirror`; return the inverted pivots."""
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
        """Load the factors of SOR in a type, from the matrix's blocks; return False, unchanged, if a block is bad."""
        return bool(self.S.n == 0 or self.sweeps.load_sor(values, omega, dtype))

    def apply(self, r: Any, out: Any, sweep: str) -> None:
        """Launch one pass over the factors, without a wait."""
        self.sweeps.apply(r, out, sweep)

    def smooth(self, x: Any, b: Any, omega: float, sweep: str, iterations: int) -> None:
        """Relax `x` in place."""
        self.sweeps.relax(x, b, omega, sweep, iterations)


def lanes_of(S: Any) -> dict[str, Any]:
    """Return the lanes per row, and the entries that a lane reads at a time.

    Large colors have a lane per row, and use few registers, so that all threads of a processor are busy. Small colors
    have as many lanes as a row has entries, because a step takes as long as its slowest lane.
    """
    mean = (S.pattern.m - S.n) / 2 / max(S.n, 1)
    lanes, rows = 1, S.n // max(S.coloring.n_colors, 1)
    while lanes < 32 and (mean > 16 * lanes or (rows * lanes < ENOUGH_ROWS and mean > ENTRIES * lanes)):
        lanes *= 2
    return {"lanes": lanes, "ahead": 1 if S.block_size > 2 else 2}


def mode_of(table: Any, block_size: int) -> str:
    """Return the way to launch: for colors of few warps, a barrier takes less time than the next launch of a graph.

    For many colors of single unknowns a graph is faster by a tenth, but takes 25 µs per color to capture.
    """
    most = FEW_LANES if block_size == 1 else FEW_LANES_OF_BLOCKS
    few = len(table) > FEW_COLORS and table[:, 3].max() * WARP <= most
    return "cooperative" if few else "graph"
