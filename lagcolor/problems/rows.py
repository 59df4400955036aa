"""Rows of a pattern: two of one color share no column (structurally orthogonal rows; partial distance 2)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.device import extremes
from ..graph.nets import Nets
from ..graph.pattern import Pattern
from . import on_cpu, on_gpu
from .partial_distance2 import entries_of_columns, in_classes, inspect, most_constraints, neighbors
from .report import Findings, called

structure: Callable[[Pattern], Nets] = Nets.rows


def verify(x: Any, colors: Any, *, allow_uncolored: bool = False, errors: str = "raise") -> Findings:
    """As `lagcolor.verify`, for this problem."""
    P = Pattern.of(x)

    def check(indptr: Any, indices: Any, colors: Any, first: Any) -> int:
        few = colors.max(initial=0) < 2**16 - 1  # NumPy sorts 16 bits by radix
        by_color = np.argsort(colors.astype(np.uint16) if few else colors, kind="stable")
        return in_classes(indptr, indices, colors, by_color, P.columns, first)

    with dev.using(P.indices):
        found = on_gpu.checked(P, colors, P.rows, on_gpu.rows)
        found = found or inspect(P, colors, P.rows, on_cpu.rows, check, partial(_sentence, P), P.labels)
        return found.settled(allow_uncolored, errors)


def _sentence(P: Pattern, u: int, v: int, column: int, color: int) -> str:
    a, b = (called(row, P.labels) for row in (u, v))
    of = called(column, P.column_labels)
    return f"rows {a} and {b} both have color {color}, and column {of} has an entry in both"


def neighborhood(P: Pattern, v: int) -> Any:
    """The rows that share a column with row v, int32, rising."""
    return neighbors(P, P.T, v)


def upper_bound(P: Pattern) -> int:
    """One more than the largest sum, over the columns of a row, of the other entries of the column."""
    with dev.using(P.indices):
        return min(P.rows, 1 + most_constraints(P, _entries_of_columns(P) - 1)) if P.rows else 0


def lower_bound(P: Pattern) -> int:
    """Entries of the longest column."""
    if P.rows == 0:
        return 0
    with dev.using(P.indices):
        return max(extremes.largest(_entries_of_columns(P)), 1) if P.columns else 1


def _entries_of_columns(P: Pattern) -> Any:
    return P._cached("entries of columns", lambda: entries_of_columns(P))
