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

from ...device.compiled import njit
from ...pattern import Pattern


def neutral(P: Pattern) -> np.ndarray:
    """Rows and then columns that need no color.

    Parameters
    ----------
    P : Pattern
        On the CPU.

    Returns
    -------
    array of bool, shape (rows + columns,)
    """
    by_row, dense_rows = dense(P)
    by_column, dense_columns = dense(P.T)
    if by_row <= by_column:  # a few rows, and then columns: forward passes for most
        return np.concatenate(_sides(P, dense_rows))
    columns, rows = _sides(P.T, dense_columns)
    return np.concatenate([rows, columns])


def by_degree(P: Pattern) -> np.ndarray:
    """Rows by falling number of entries, then by number."""
    return np.argsort(-P.degrees, kind="stable")


def dense(P: Pattern) -> tuple[int, int]:
    """The least sum of both numbers of colors, and for how many dense rows that is.

    Parameters
    ----------
    P : Pattern
        On the CPU.

    Returns
    -------
    colors, rows : int
        The first `rows` of `by_degree` are dense; of several equal sums that with the fewest.
    """
    order = by_degree(P)
    total, count = _least_sum(P.indptr, P.indices, order, P.degrees[order], np.zeros(P.columns, np.int32))
    return int(total), int(count)


def _sides(P: Pattern, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Neutral rows, all but some with most entries, and neutral columns, all without an entry in a neutral row."""
    rows, columns = np.ones(P.rows, bool), np.ones(P.columns, bool)
    rows[by_degree(P)[:count]] = False
    columns[P.indices[np.repeat(rows, P.degrees)]] = False
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
