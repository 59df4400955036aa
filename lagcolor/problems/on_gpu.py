"""Colorings of patterns on a GPU, checked there by sorting; where one is wrong, a verifier on the CPU says what is.

A sum of a compressed matrix is numbered by its row and color, or by its column and color, and the sums of all entries
are sorted: one that comes more than once has several entries. Plain CuPy, and nothing that an algorithm uses.

Device memory: 8 bytes per entry for the numbers, and as much again for sorting them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import device as dev
from ..core.pattern import Pattern
from .report import Findings

FEW = 65_536  # stored entries up to which the copy to the CPU takes less time than the launches
Check = Callable[[Pattern, Any, int], bool]


def checked(P: Pattern, colors: Any, n: int, check: Check, neutral: bool = False) -> Findings | None:
    """The findings of a coloring without fault; None where it has one, or where it is left to the CPU."""
    colors = getattr(colors, "colors", colors)
    if not P.on_gpu or P.m <= FEW or dev.device_of(colors) != P.device:
        return None
    if colors.shape != (n,) or colors.dtype.kind not in "iu":
        return None
    with dev.using(P.indices):
        try:
            least, largest = dev.span(colors)
            k = largest + 1
            if not 0 < k <= n or least < (-1 if neutral else 0):
                return None
            colors = colors.astype(np.int64)
            used = P.xp.zeros(k, bool)
            used[colors[colors >= 0]] = True
            if dev.count_true(used) == k and check(P, colors, k):
                return Findings(n_colors=k, n_violations=0)
        except MemoryError:  # of CuPy's kind, too
            pass
    return None


def columns(P: Pattern, colors: Any, k: int) -> bool:
    """Whether no row has two columns of one color."""
    return not len(_repeated(_rows(P) * k + colors[P.indices]))


def rows(P: Pattern, colors: Any, k: int) -> bool:
    """Whether no column has two rows of one color."""
    return not len(_repeated(P.indices.astype(np.int64) * k + colors[_rows(P)]))


def neighborhoods(P: Pattern, colors: Any, k: int) -> bool:
    """Whether no vertex has two of one color among itself and its neighbors."""
    xp = P.xp
    own = xp.arange(P.rows, dtype=np.int64) * k + colors
    return not len(_repeated(xp.concatenate([own, _rows(P) * k + colors[P.indices]])))


def stars(P: Pattern, colors: Any, k: int) -> bool:
    """Whether neighbors differ, and each edge is alone in the sum of one of its ends."""
    u, v = _rows(P), P.indices.astype(np.int64)
    a, b = colors[u], colors[v]
    if dev.count_true(a == b):
        return False
    at_u, at_v = u * k + b, v * k + a
    several = _repeated(at_u.copy())
    return not dev.count_true(_among(at_u, several) & _among(at_v, several))


def biorthogonal(P: Pattern, colors: Any, k: int) -> bool:
    """Whether each entry is alone in a sum of its row or of its column, and rows have the lower colors."""
    i, j = _rows(P), P.indices.astype(np.int64)
    of_rows, of_columns = colors[: P.rows], colors[P.rows :]
    if dev.count_true((of_columns >= 0) & (of_columns <= dev.largest(of_rows))):
        return False
    a, b = of_rows[i], of_columns[j]
    return dev.count_true(_alone(i * k + b, b >= 0) | _alone(j * k + a, a >= 0)) == P.m


def symmetrically_orthogonal(P: Pattern, colors: Any, k: int) -> bool:
    """Whether neighbors have no color in common, and each entry is alone in the sum of its row or of its mirror's."""
    i, j = _rows(P), P.indices.astype(np.int64)
    a, b = colors[i], colors[j]
    if dev.count_true((a == b) & (a >= 0) & (i != j)):
        return False
    return dev.count_true(_alone(i * k + b, b >= 0) | _alone(j * k + a, a >= 0)) == P.m


def _alone(sums: Any, has: Any) -> Any:
    """Which entries are in a sum, and alone there."""
    return has & ~_among(sums, _repeated(sums[has]))


def _rows(P: Pattern) -> Any:
    """The row of each entry, int64."""
    xp = P.xp
    return xp.searchsorted(P.indptr, xp.arange(P.m, dtype=P.indptr.dtype), side="right").astype(np.int64) - 1


def _repeated(numbers: Any) -> Any:
    """Those that are there more than once, in rising order; sorts them in place."""
    numbers.sort()
    return numbers[1:][numbers[1:] == numbers[:-1]]


def _among(numbers: Any, some: Any) -> Any:
    """Which of the numbers are among some, which rise."""
    xp = dev.module_of(numbers)
    if not len(some):
        return xp.zeros(len(numbers), bool)
    at = xp.minimum(xp.searchsorted(some, numbers), len(some) - 1)
    return some[at] == numbers
