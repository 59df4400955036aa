"""Columns of a pattern: two of one color share no row (structurally orthogonal columns; partial distance 2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base import device as dev
from ..graph.nets import Nets
from ..graph.pattern import Pattern
from . import on_cpu, on_gpu
from .partial_distance2 import in_rows, most_constraints, named, neighbors
from .report import Report, called

structure: Callable[[Pattern], Nets] = Nets.columns


def verify(x: Any, colors: Any, *, allow_uncolored: bool = False, errors: str = "raise") -> Report:
    """As `lagcolor.verify`, for this problem."""
    P = Pattern.of(x)
    checks = on_cpu.columns, on_gpu.columns
    found = on_cpu.inspect(P, colors, P.columns, checks, FAULTS, P.column_labels)
    return found.settled(allow_uncolored, errors)


def _sentence(P: Pattern, u: int, v: int, row: int, color: int) -> str:
    a, b = (called(column, P.column_labels) for column in (u, v))
    return f"columns {a} and {b} both have color {color}, and row {called(row, P.labels)} has an entry in both"


FAULTS = named(in_rows, _sentence)


def neighborhood(P: Pattern, v: int) -> Any:
    """The columns that share a row with column v, int32, rising."""
    return neighbors(P.T, P, v)


def upper_bound(P: Pattern) -> int:
    """One more than the largest sum, over the rows of a column, of the other entries of the row."""
    with dev.using(P.indices):
        return min(P.columns, 1 + most_constraints(P.T, P.degrees - 1)) if P.columns else 0


def lower_bound(P: Pattern) -> int:
    """Entries of the longest row."""
    return max(P.max_degree, 1) if P.columns else 0
