"""Choose the rows and columns of a bicoloring that are neutral from the start, so that dense ones need few colors.

The rows with most entries get colors, and the columns with an entry in another row; or rows and columns are
exchanged. Then each entry has a row or a column with a color. The columns need at least as many colors as the
longest neutral row has entries, and the dense rows at least as many as meet in one column. The number of dense
rows is chosen with the least sum of both. It may be 0 or include all rows, so a bicoloring of a matrix
without dense lines is about as good as a coloring of its columns or rows.

References
----------
The idea is from the minimum direct cover of Coleman, Verma 1998, and the vertex covers of Gebremedhin, Manne,
Pothen 2005, section 5.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device import extremes
from ...base.device.compiled import njit
from ...graph.pattern import Pattern
from ...orders.by_key import by_key

SOURCE = dev.Source(__file__)


def neutral(P: Pattern) -> Any:
    """Return flags of the rows and then the columns that need no color."""
    T = P.turned()
    by_row, dense_rows = dense(P)
    by_column, dense_columns = dense(T)
    if by_row <= by_column:  # in a tie most colors are of columns, for forward products
        return P.xp.concatenate(_sides(P, dense_rows))
    columns, rows = _sides(T, dense_columns)
    return P.xp.concatenate([rows, columns])


def others(P: Pattern, sequence: Any, without: Any) -> Any:
    """Return the vertices of a sequence that are not `without` a color."""
    if not P.on_gpu:
        return sequence[~without[sequence]]
    xp, n = P.xp, np.int32(len(sequence))
    flags = xp.empty(len(sequence), np.int64)
    _launch(P, "keep", len(sequence), sequence, n, without, flags)
    until = xp.cumsum(flags)
    out = xp.empty(int(until[-1]) if len(until) else 0, np.int32)
    _launch(P, "list_others", len(sequence), sequence, n, without, until, out)
    return out


def numbered(P: Pattern, colors: Any) -> Any:
    """Return public colors: half of the even colors of rows, then of the odd colors of columns; −1 stays."""
    first = (extremes.largest(colors[: P.rows]) >> 1) + 1
    if not P.on_gpu:
        half = colors >> 1
        half[P.rows :][half[P.rows :] >= 0] += np.int32(first)
        return half
    out = P.xp.empty(len(colors), np.int32)
    _launch(P, "number", len(colors), colors, np.int32(len(colors)), np.int32(P.rows), np.int32(first), out)
    return out


def by_degree(P: Pattern) -> Any:
    """Return rows by descending number of entries, ties by number: int32."""
    return by_key(P, P.degrees, P.max_degree, None)


def dense(P: Pattern) -> tuple[int, int]:
    """Return the least sum of both numbers of colors, and its number of dense rows."""
    if P.on_gpu:
        return _dense_on_gpu(P)
    order = by_degree(P)
    total, count = _least_sum(P.indptr, P.indices, order, P.degrees[order], np.zeros(P.columns, np.int32))
    return int(total), int(count)


def _dense_on_gpu(P: Pattern) -> tuple[int, int]:
    """Return the result of `dense` on a GPU: count the rows of at least each degree per column, all degrees at once.

    Entries are sorted by column, then by descending degree of their rows. So the rank of the last entry of a degree in
    a column is the number of rows of at least this degree that the column has.
    """
    if not P.m:
        return 0, 0
    xp, T, top, m, over = P.xp, P.T, P.max_degree, np.int64(P.m), np.int64(P.rows + 1)
    columns, numbers = (T.indptr.astype(P.indptr.dtype, copy=False), T.indices), (np.int32(T.rows), m)
    keys, ranks, most = xp.empty(P.m, np.int64), xp.empty(P.m, np.int64), xp.zeros(top + 1, np.int64)
    _launch(P, "by_degree", P.m, *columns, *numbers, P.indptr, np.int64(top), keys)
    keys.sort()
    _launch(P, "ranked", P.m, keys, m, columns[0], np.int64(top), over, ranks)
    ranks.sort()
    _launch(P, "largest_ranks", P.m, ranks, m, over, most)
    most = np.maximum.accumulate(most.get())
    rows = np.cumsum(dev.counts(P.degrees, top + 1).get()[::-1])
    below = np.flatnonzero(np.diff(rows, prepend=0))  # degrees that occur, as differences to the largest
    sums = most[below] + top - np.append(below[1:], top)
    best = int(sums.argmin())
    return (int(sums[best]), int(rows[below[best]])) if sums[best] < top else (top, 0)


def _sides(P: Pattern, count: int) -> tuple[Any, Any]:
    """Return neutral rows, all but the `count` longest, and neutral columns, all without an entry in a neutral row."""
    xp, few = P.xp, by_degree(P)[:count]
    rows, columns = xp.ones(P.rows, bool), xp.ones(P.columns, bool)
    if P.on_gpu:
        _launch(P, "clear", count, few, np.int32(count), rows)
        _launch(P, "clear_columns", P.m, P.indptr, P.indices, np.int32(P.rows), np.int64(P.m), rows, columns)
        return rows, columns
    rows[few] = False
    columns[P.indices[rows[P.rows_of_entries()]]] = False
    return rows, columns


def select_rows(P: Pattern, selected: Any) -> Pattern:
    """Return the pattern with the entries of selected rows, on a GPU; the pattern itself if it has no others."""
    xp, (n, m) = P.xp, (np.int32(P.rows), np.int64(P.m))
    lengths, indptr = xp.empty(P.rows, P.indptr.dtype), xp.zeros(P.rows + 1, P.indptr.dtype)
    _launch(P, "selected_lengths", P.rows, P.indptr, n, selected, lengths)
    xp.cumsum(lengths, dtype=lengths.dtype, out=indptr[1:])
    if int(indptr[-1]) == P.m:
        return P
    indices = xp.empty(int(indptr[-1]), np.int32)
    _launch(P, "copy_selected", P.m, P.indptr, P.indices, n, m, selected, indptr, indices)
    return Pattern(indptr, indices, P.columns)


def _launch(P: Pattern, name: str, threads: int, *args: Any) -> None:
    SOURCE.of(P.indptr).launch(name, threads, *args)


@njit(cache=True, nogil=True)
def _least_sum(indptr: Any, indices: Any, order: Any, degrees: Any, number: Any) -> Any:
    """Return the least sum and its number of dense rows; `number`: rows so far in each column, initially 0."""
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
