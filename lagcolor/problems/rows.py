"""Rows of a pattern: two of one color share no column (structurally orthogonal rows; partial distance 2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base import device as dev
from ..base.device import extremes
from ..graph.nets import Nets
from ..graph.pattern import Pattern
from . import on_cpu, on_gpu
from .partial_distance2 import entries_of_columns, in_classes, most_constraints, named, neighbors
from .report import Report, called

structure: Callable[[Pattern], Nets] = Nets.rows


def verify(x: Any, colors: Any, *, allow_uncolored: bool = False, errors: str = "raise") -> Report:
    """As `lagcolor.verify`, for this problem."""
    P = Pattern.of(x)
    found = on_cpu.inspect(P, colors, P.rows, (on_cpu.rows, on_gpu.rows), FAULTS, P.labels)
    return found.settled(allow_uncolored, errors)


def _sentence(P: Pattern, u: int, v: int, column: int, color: int) -> str:
    a, b = (called(row, P.labels) for row in (u, v))
    of = called(column, P.column_labels)
    return f"rows {a} and {b} both have color {color}, and column {of} has an entry in both"


FAULTS = named(in_classes, _sentence)


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
