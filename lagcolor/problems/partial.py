"""The check of what a partial coloring says it leaves out: counted again from the colors, in plain NumPy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.errors import ColoringError

ROUNDING = 1e-9  # relative, of sums of floats


def check(colors: Any, weights: Any, uncolored: int, note: Mapping[str, Any]) -> None:
    """Nothing, where as many vertices have no color as a result says, and cost as much.

    Raises
    ------
    ColoringError
        Something differs.
    """
    out = np.asarray(dev.to_device(colors, "cpu")) < 0
    if int(out.sum()) != uncolored:
        raise ColoringError(f"{int(out.sum())} vertices have no color, and the result says {uncolored}")
    if "cost" in note and not math.isclose(cost := math.fsum(weights[out].tolist()), note["cost"], rel_tol=ROUNDING):
        raise ColoringError(f"the vertices without a color cost {cost:g}, and the result says {note['cost']:g}")
    least = note.get("cost", uncolored)
    if note["lower_bound"] > least * (1 + ROUNDING) or note["proved"] != (note["lower_bound"] >= least):
        raise ColoringError(
            f"the lower bound {note['lower_bound']:g} of what is left out does not go with {least:g}, "
            f"{'' if note['proved'] else 'not '}said to be the least"
        )
