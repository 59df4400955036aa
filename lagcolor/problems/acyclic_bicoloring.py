"""Acyclic bicoloring: colors of rows and of columns, such that all entries are found by substitution. Jacobians.

Entries must have an order such that each is, in its row and the columns of one color or in its column and the rows of
one color, the only one that has not been found before. −1 is neutral: that row or column is in no group.

References
----------
Coleman, Verma 1998; Gebremedhin, Manne, Pothen 2005, section 5; Montoison, Dalle, Gebremedhin 2025, "Revisiting sparse
matrix coloring and bicoloring".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .equations import unsolved
from .report import Report
from .star_bicoloring import Bicolored, lower_bound, structure, upper_bound

__all__ = ["lower_bound", "structure", "upper_bound", "verify"]


def verify(x: Any, colors: Any, *, allow_uncolored: bool = False, errors: str = "raise") -> Report:
    """As `lagcolor.verify`. A violation is an entry that no order of substitution finds."""
    B = Bicolored.of(x, colors)
    by_row = B.by_row[B.place]
    left = unsolved(B.by_column, np.where(by_row < 0, -1, by_row + B.P.m), 2 * B.P.m)
    return B.findings(np.flatnonzero(left), "cannot be found by substitution").settled(allow_uncolored, errors)
