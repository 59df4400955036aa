"""Checks of colorings of patterns on a GPU, by sorting; if there is a fault, a verifier on the CPU names it.

Each sum of a compressed matrix has a number from its row and color, or from its column and color. The numbers of the
sums of all entries are sorted; a sum of several entries then occurs repeatedly. No algorithm uses the kernels of
on_gpu.cu; they find the row of an entry by base/device/include/search.cuh.

Device memory: 8 bytes per entry for the numbers, and 8 more for sorting.
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
MOST_BLOCKS = 1024  # largest number of blocks that read colors
FEW = 65_536  # up to this number of stored entries a copy to the CPU is faster than the launches
Check = Callable[[Pattern, Any, int], bool]


def checked(P: Pattern, colors: Any, n: int, check: Check, neutral: bool = False) -> Report | None:
    """Report on a coloring without faults; None if it has faults, or if the CPU must check it."""
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
        except MemoryError:  # also the subclass of CuPy
            pass
    return None


def columns(P: Pattern, colors: Any, k: int) -> bool:
    """True if no row has two columns of one color."""
    return _differ(_sums(P, None, colors, k))


def rows(P: Pattern, colors: Any, k: int) -> bool:
    """True if no column has two rows of one color."""
    return _differ(_sums(P, colors, None, k))


def neighborhoods(P: Pattern, colors: Any, k: int) -> bool:
    """True if no two vertices among a vertex and its neighbors have one color."""
    return _differ(_sums(P, None, colors, k, closed=True))


def symmetrically_orthogonal(P: Pattern, colors: Any, k: int) -> bool:
    """True if neighbors differ, and each entry or its mirror image is alone in the sum of its row: a star coloring."""
    sums = _sorted(_sums(P, None, colors, k))
    return _faultless(P, colors, colors, k, sums, sums, symmetric=True)


def biorthogonal(P: Pattern, colors: Any, k: int) -> bool:
    """True if each entry is alone in a sum of its row or of its column, and rows have lower colors than columns."""
    of_rows, of_columns = colors[: P.rows], colors[P.rows :]
    if extremes.count_true((of_columns >= 0) & (of_columns <= extremes.largest(of_rows))):
        return False
    sums = _sorted(_sums(P, None, of_columns, k)), _sorted(_sums(P, of_rows, None, k))
    return _faultless(P, of_rows, of_columns, k, *sums, symmetric=False)


def _fits(least: int, largest: int) -> bool:
    """True if colors fit int32."""
    return least >= -(2**31) and largest < 2**31


def _number(P: Pattern, colors: Any, least: int) -> int:
    """Number k of colors if they are 0 … k − 1 and no number is under `least`; else 0."""
    n = len(colors)
    found = P.xp.zeros(3 + (n + 31) // 32, np.int32)
    args = colors, np.int32(n), np.int32(least), found, found[3:]
    SOURCE.of(P.indptr).launch("in_use", n, *args, most=MOST_BLOCKS)
    largest, count, fault = dev.to_device(found[:3], "cpu").tolist()
    return 0 if fault or count != largest + 1 else count


def _sums(P: Pattern, of_rows: Any, of_columns: Any, k: int, closed: bool = False) -> Any:
    """Number of the sum of each entry, by its column's color or its row's; `closed` appends the diagonal."""
    number = P.m + P.rows * closed
    out = P.xp.empty(number, np.int64)
    colors = (0 if c is None else c for c in (of_rows, of_columns))
    args = (P.indptr, P.indices, *colors, np.int32(P.rows), np.int64(P.m), np.int64(k), np.int32(closed), out)
    SOURCE.of(P.indptr).launch("sums", number, *args)
    return out


def _sorted(sums: Any) -> Any:
    """Sort sums in place and return them."""
    sums.sort()
    return sums


def _differ(sums: Any) -> bool:
    """True if no sum occurs repeatedly."""
    return extremes.extremes(_sorted(sums)).repeat < 0


def _faultless(
    P: Pattern, of_rows: Any, of_columns: Any, k: int, by_row: Any, by_column: Any, symmetric: bool
) -> bool:  # fmt: skip
    """True if each entry is alone in one of its sums; all sums are sorted."""
    fault = P.xp.zeros(1, np.int32)
    graph = P.indptr, P.indices, of_rows, of_columns, np.int32(P.rows), np.int64(P.m), np.int64(k)
    args = (*graph, by_row, by_column, np.int32(symmetric), fault)
    SOURCE.of(P.indptr).launch("faults", P.m, *args)
    return not int(fault[0])
