"""Colorings of patterns on a GPU, checked there by sorting; where one is wrong, a verifier on the CPU says what is.

A sum of a compressed matrix is numbered by its row and color, or by its column and color, and the sums of all entries
are sorted: one that comes more than once has several entries. No algorithm uses the kernels of on_gpu.cu; they find the
row of an entry by base/device/include/search.cuh.

Device memory: 8 bytes per entry for the numbers, and as much again for sorting them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.device import extremes
from ..graph.pattern import Pattern
from .report import Report

SOURCE = dev.Source(__file__)
MOST_BLOCKS = 1024  # that look at colors
FEW = 65_536  # stored entries up to which the copy to the CPU takes less time than the launches
Check = Callable[[Pattern, Any, int], bool]


def checked(P: Pattern, colors: Any, n: int, check: Check, neutral: bool = False) -> Report | None:
    """The findings of a coloring without fault; None where it has one, or where it is left to the CPU."""
    colors = getattr(colors, "colors", colors)
    if not P.on_gpu or dev.is_rocm() or P.m <= FEW or dev.device_of(colors) != P.device:
        return None
    if colors.shape != (n,) or colors.dtype.kind not in "iu":
        return None
    with dev.using(P.indices):
        try:
            if colors.dtype != np.int32 and not _fits(*extremes.span(colors)):
                return None
            colors = P.xp.ascontiguousarray(colors, np.int32)
            k = _number(P, colors, -1 if neutral else 0)
            if k and check(P, colors, k):
                return Report(k)
        except MemoryError:  # of CuPy's kind, too
            pass
    return None


def columns(P: Pattern, colors: Any, k: int) -> bool:
    """Whether no row has two columns of one color."""
    return _differ(_sums(P, None, colors, k))


def rows(P: Pattern, colors: Any, k: int) -> bool:
    """Whether no column has two rows of one color."""
    return _differ(_sums(P, colors, None, k))


def neighborhoods(P: Pattern, colors: Any, k: int) -> bool:
    """Whether no vertex has two of one color among itself and its neighbors."""
    return _differ(_sums(P, None, colors, k, closed=True))


def symmetrically_orthogonal(P: Pattern, colors: Any, k: int) -> bool:
    """Whether neighbors differ, and each entry is alone in the sum of its row or of its mirror's: a star coloring."""
    sums = _sorted(_sums(P, None, colors, k))
    return _faultless(P, colors, colors, k, sums, sums, symmetric=True)


def biorthogonal(P: Pattern, colors: Any, k: int) -> bool:
    """Whether each entry is alone in a sum of its row or of its column, and rows have the lower colors."""
    of_rows, of_columns = colors[: P.rows], colors[P.rows :]
    if extremes.count_true((of_columns >= 0) & (of_columns <= extremes.largest(of_rows))):
        return False
    sums = _sorted(_sums(P, None, of_columns, k)), _sorted(_sums(P, of_rows, None, k))
    return _faultless(P, of_rows, of_columns, k, *sums, symmetric=False)


def _fits(least: int, largest: int) -> bool:
    """Whether colors are int32."""
    return least >= -(2**31) and largest < 2**31


def _number(P: Pattern, colors: Any, least: int) -> int:
    """Colors in use where these are 0 … k − 1, and no number is under `least`; else 0."""
    n = len(colors)
    found = P.xp.zeros(3 + (n + 31) // 32, np.int32)
    args = colors, np.int32(n), np.int32(least), found, found[3:]
    SOURCE.of(P.indptr).launch("in_use", n, *args, most=MOST_BLOCKS)
    largest, count, fault = dev.to_device(found[:3], "cpu").tolist()
    return 0 if fault or count != largest + 1 else count


def _sums(P: Pattern, of_rows: Any, of_columns: Any, k: int, closed: bool = False) -> Any:
    """The sum of each entry in products of its column's colors, or of its row's; `closed`: of the diagonal, too."""
    number = P.m + P.rows * closed
    out = P.xp.empty(number, np.int64)
    colors = (0 if c is None else c for c in (of_rows, of_columns))
    args = (P.indptr, P.indices, *colors, np.int32(P.rows), np.int64(P.m), np.int64(k), np.int32(closed), out)
    SOURCE.of(P.indptr).launch("sums", number, *args)
    return out


def _sorted(sums: Any) -> Any:
    """The array of sums itself, sorted in place."""
    sums.sort()
    return sums


def _differ(sums: Any) -> bool:
    """Whether none is there more than once."""
    return extremes.extremes(_sorted(sums)).repeat < 0


def _faultless(
    P: Pattern, of_rows: Any, of_columns: Any, k: int, by_row: Any, by_column: Any, symmetric: bool
) -> bool:  # fmt: skip
    """Whether each entry is alone in one of its sums; all sums are sorted."""
    fault = P.xp.zeros(1, np.int32)
    graph = P.indptr, P.indices, of_rows, of_columns, np.int32(P.rows), np.int64(P.m), np.int64(k)
    args = (*graph, by_row, by_column, np.int32(symmetric), fault)
    SOURCE.of(P.indptr).launch("faults", P.m, *args)
    return not int(fault[0])
