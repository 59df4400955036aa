"""Which rows and columns of a bicoloring are neutral from the start, so that dense ones need few colors.

Either the rows with most entries have colors, and the columns that have an entry in another row; or the same with rows
and columns exchanged. Then each entry has a row or a column with a color. The sparse side needs as many colors as its
densest neutral line has entries, at least, and the dense lines as many as the most of them that meet in one line: the
least sum of both, over all numbers of dense lines, is chosen. All rows, or all columns, being neutral is among the
choices, so that bicoloring is about as good as a coloring of columns or rows alone where nothing is dense.

References
----------
The idea is that of the minimum direct cover of Coleman, Verma 1998, and of the vertex covers of Gebremedhin, Manne,
Pothen 2005, section 5.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import device as dev
from ...core.pattern import Pattern
from ...device.compiled import njit
from ...orders.by_key import by_key


def neutral(P: Pattern) -> Any:
    """Rows and then columns that need no color."""
    T = P.turned()
    by_row, dense_rows = dense(P)
    by_column, dense_columns = dense(T)
    if by_row <= by_column:  # a few rows, and then columns: forward passes for most
        return P.xp.concatenate(_sides(P, dense_rows))
    columns, rows = _sides(T, dense_columns)
    return P.xp.concatenate([rows, columns])


def by_degree(P: Pattern) -> Any:
    """Rows by falling number of entries, then by number: int32."""
    return by_key(P, P.degrees, P.max_degree, None)


def dense(P: Pattern) -> tuple[int, int]:
    """The least sum of both numbers of colors, and for how many dense rows that is."""
    if P.on_gpu:
        return _dense_there(P)
    order = by_degree(P)
    total, count = _least_sum(P.indptr, P.indices, order, P.degrees[order], np.zeros(P.columns, np.int32))
    return int(total), int(count)


def _dense_there(P: Pattern) -> tuple[int, int]:
    """The same on a GPU: the most rows of a degree or more that a column has, for all degrees at once.

    Entries are sorted by column and, within one, by falling degree of their rows. So the last entry of a degree in a
    column has as many before it as the column has rows of that degree or more.
    """
    if not P.m:
        return 0, 0
    xp, T, top = P.xp, P.T, P.max_degree
    keys = T.rows_of_entries().astype(np.int64)
    keys *= top + 1
    keys += top - P.degrees[T.indices]
    keys.sort()
    before = xp.arange(1, P.m + 1) - T.indptr[keys // (top + 1)]
    sizes = xp.sort(keys % (top + 1) * (P.rows + 1) + before)  # by falling degree, each in rising order
    ends = xp.searchsorted(sizes // (P.rows + 1), xp.arange(top + 1), side="right") - 1
    most = np.maximum.accumulate((sizes[ends] % (P.rows + 1)).get())
    rows = np.cumsum(dev.counts(P.degrees, top + 1).get()[::-1])
    below = np.flatnonzero(np.diff(rows, prepend=0))  # degrees that there are, as their distance from the largest
    sums = most[below] + top - np.append(below[1:], top)
    best = int(sums.argmin())
    return (int(sums[best]), int(rows[below[best]])) if sums[best] < top else (top, 0)


def _sides(P: Pattern, count: int) -> tuple[Any, Any]:
    """Neutral rows, all but some with most entries, and neutral columns, all without an entry in a neutral row."""
    xp = P.xp
    rows, columns = xp.ones(P.rows, bool), xp.ones(P.columns, bool)
    rows[by_degree(P)[:count]] = False
    columns[P.indices[rows[P.rows_of_entries()]]] = False
    return rows, columns


@njit(cache=True, nogil=True)
def _least_sum(indptr: Any, indices: Any, order: Any, degrees: Any, number: Any) -> Any:
    """`number` is zero: how many of the rows so far a column has."""
    least = np.int64(degrees[0]) if order.size else np.int64(0)
    count = 0
    most = np.int64(0)
    for k in range(order.size):
        for e in range(indptr[order[k]], indptr[order[k] + 1]):
            number[indices[e]] += 1
            most = max(most, np.int64(number[indices[e]]))
        rest = np.int64(degrees[k + 1]) if k + 1 < order.size else np.int64(0)
        if rest < degrees[k] and most + rest < least:
            least = most + rest
            count = k + 1
    return least, count
