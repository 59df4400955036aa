"""The transpose of a canonical pattern on CPU threads: a counting sort, rows split among threads if they are few.

Each thread has a range of rows with as many entries, and counts how many it has in each column. From the counts of
threads before it follows where in each column its own begin, so that all write at once, in the order of rows, and what
comes out is the same for any number of threads. The repeats that canonical_cpu.py looks for are not in such a pattern.

Many threads have many counts to add up, unless each has entries in few columns, as in a mesh or band in its own order.
If not, exchange_cpu.py is faster.

The last thread counts in the offsets themselves, one place on: where it has written its entries, each is the end of its
column. Others have 4 bytes per column (8 from 2³¹ entries on), and touch the pages of columns that they have alone:
all together less than the transpose, unless the sample of rows misleads.

=======  =======================================================================================
rows     first row of each thread, and the end
ranges   of each thread the first column that it has, one more than the last (0: not known yet), and how many entries
         its share of the columns has
=======  =======================================================================================
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.device import large_pages
from ..base.device import threads as cpu_threads
from ..base.device.compiled import njit
from ..base.device.parallel import barrier, launch, parallel, row_ranges, share, slots
from . import checks
from .exchange_cpu import MANY, Entries, grouped

SAMPLE = 64  # rows of a thread that tell which columns it has
OVERLAP = 2  # threads that have a column, on the average, up to which their columns are few
LINE = 8  # int64 of a cache line
LOW, HIGH, COUNT = 0, 1, 2  # in `ranges`
ONE = np.uint64(1)


def transpose(indptr: Any, indices: Any, columns: int, threads: int | None = None) -> tuple[Any, Any]:
    """Offsets and columns of the transpose, in the types that a `Pattern` has."""
    m = len(indices)
    workers = cpu_threads.count(threads, m)
    rows = row_ranges(indptr, workers).astype(np.uint64)
    is_local = workers == 1 or _is_local(indptr, indices, columns, rows)
    if not is_local:
        if workers >= 2 * MANY:
            entries = Entries(indptr, indices, by_rows=True, fold=False, diagonal=True)
            return grouped(entries, columns, workers, repeats=True)
        workers = max(1, min(workers, m // max(columns, 1)))
        rows = row_ranges(indptr, workers).astype(np.uint64)
    out, offsets = large_pages(m, np.int32), np.zeros(columns + 1, checks.offset_type(m))
    ends, ranges = _unsigned(offsets)[1:], np.zeros((workers, LINE), np.int64)
    ranges[:, HIGH] = 0 if is_local and workers >= MANY else columns
    cursors = np.zeros((workers - 1, columns), ends.dtype)
    arrays = _unsigned(indptr), _unsigned(indices), rows, cursors, ends, ranges, _unsigned(out)
    launch(sort, workers, slots(2 * LINE), *arrays, np.int64(workers))
    return offsets, out


def _is_local(indptr: Any, indices: Any, columns: int, rows: Any) -> bool:
    """Whether threads have few columns each, as some of their rows tell."""
    width = 0
    for first, end in zip(rows[:-1].tolist(), rows[1:].tolist(), strict=True):
        some = np.unique(np.linspace(first, max(end - 1, first), SAMPLE).astype(np.int64)) if first < end else rows[:0]
        some = some[indptr[some] < indptr[some + 1]]
        if len(some):
            width += int(indices[indptr[some + 1] - 1].max()) - int(indices[indptr[some]].min())
    return width <= OVERLAP * columns


def _unsigned(a: Any) -> Any:
    """The same integers without a sign, which numba indexes without a wrap-around test."""
    return a.view(f"u{a.itemsize}")


@parallel
def sort(
    t: Any, shared: Any, indptr: Any, indices: Any, rows: Any, cursors: Any, ends: Any, ranges: Any, out: Any,
    workers: Any,
) -> None:  # fmt: skip
    """The share of thread `t`: count its entries, find where some columns begin, and write its entries."""
    mine = ends if t == workers - 1 else cursors[t]
    _count(indptr, indices, rows[t], rows[t + 1], mine)
    if workers > 1:
        barrier(shared, 0, workers)
    if workers >= MANY:
        _begin_of_share(t, shared, indptr, indices, rows, cursors, ends, ranges, workers)
    elif t == 0:
        _begin(cursors, ends, ranges, np.uint64(0), np.uint64(ends.size), ends.dtype.type(0))
    barrier(shared, LINE, workers)
    _scatter(indptr, indices, rows[t], rows[t + 1], mine, out)


@njit(cache=True, nogil=True)
def _begin_of_share(
    t: Any, shared: Any, indptr: Any, indices: Any, rows: Any, cursors: Any, ends: Any, ranges: Any, workers: Any
) -> None:
    """`_begin` for a share of the columns, on each of several threads."""
    if ranges[t, HIGH] == 0:
        _range(indptr, indices, rows[t], rows[t + 1], ranges[t])
    barrier(shared, 0, 2 * workers)
    own, at = share(t, workers, ends.size), np.int64(0)
    ranges[t, COUNT] = _entries(cursors, ends, ranges, own.start, own.stop)
    barrier(shared, 0, 3 * workers)
    for before in range(t):
        at += ranges[before, COUNT]
    _begin(cursors, ends, ranges, own.start, own.stop, ends.dtype.type(at))


@njit(cache=True, nogil=True)
def _count(indptr: Any, indices: Any, first: Any, last: Any, counts: Any) -> None:
    """Entries per column of a range of rows."""
    for e in range(indptr[first], indptr[last]):
        counts[indices[e]] += 1


@njit(cache=True, nogil=True)
def _range(indptr: Any, indices: Any, first: Any, last: Any, columns: Any) -> None:
    """The first column that a range of rows has, and one more than the last."""
    low, high = np.uint32(2**32 - 1), np.uint32(0)
    for i in range(first, last):
        start, end = np.uint64(indptr[i]), np.uint64(indptr[i + ONE])
        if start < end:
            low, high = min(low, indices[start]), max(high, indices[end - ONE])
    columns[LOW], columns[HIGH] = low, np.int64(high) + 1


@njit(cache=True, nogil=True)
def _entries(counts: Any, last: Any, ranges: Any, first: Any, end: Any) -> Any:
    """How many are in a range of columns."""
    total = np.int64(0)
    for c in range(first, end):
        total += np.int64(last[c])
    for t in range(counts.shape[0]):
        for c in range(max(first, np.uint64(ranges[t, LOW])), min(end, np.uint64(ranges[t, HIGH]))):
            total += np.int64(counts[t, c])
    return total


@njit(cache=True, nogil=True)
def _begin(counts: Any, last: Any, ranges: Any, first: Any, end: Any, at: Any) -> None:
    """Counts per thread and column become where its entries begin, from `at` on; the last thread's are apart."""
    some, number = np.empty(counts.shape[0], np.uint64), np.uint64(0)
    for t in range(counts.shape[0]):
        if np.uint64(ranges[t, LOW]) < end and np.uint64(ranges[t, HIGH]) > first:
            some[number] = t
            number += ONE
    for c in range(first, end):
        k = np.uint64(0)
        while k < number:  # a range of so few steps took twice as long
            count = counts[some[k], c]
            if count:  # pages where a thread has no entry are never written
                counts[some[k], c] = at
                at += count
            k += ONE
        count = last[c]
        last[c] = at
        at += count


@njit(cache=True, nogil=True)
def _scatter(indptr: Any, indices: Any, first: Any, last: Any, cursor: Any, out: Any) -> None:
    """Write the row of each entry of a range of rows to where its column goes on."""
    start = indptr[first]
    for i in range(first, last):
        end = indptr[i + ONE]
        for e in range(start, end):
            at = cursor[indices[e]]
            out[at] = i
            cursor[indices[e]] = at + 1
        start = end
