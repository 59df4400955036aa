"""The transpose of a canonical pattern on CPU threads: a counting sort, rows split among threads if they are few.

Each thread has a range of rows with as many entries, and counts how many it has in each column. From the counts of
threads before it follows where in each column its own begin, so that all write at once, in the order of rows, and what
comes out is the same for any number of threads. The repeats that canonical_cpu.py looks for are not in such a pattern.

The last thread counts in the offsets themselves, one place on: where it has written its entries, each is the end of its
column. Others have 4 bytes per column (8 from 2³¹ entries on), all together less than the transpose.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..device import large_pages, shares
from ..device import threads as cpu_threads
from ..device.compiled import njit
from ..device.pool import launch, on_all
from . import checks
from .exchange_cpu import MANY, Entries, grouped


def transpose(indptr: Any, indices: Any, columns: int, threads: int | None = None) -> tuple[Any, Any]:
    """Offsets and columns of the transpose, in the types that a `Pattern` has."""
    m = len(indices)
    workers = cpu_threads.count(threads, m)
    if workers >= 2 * MANY:  # the counting sort below takes several, but more of them have more to add up
        entries = Entries(indptr, indices, by_rows=True, fold=False, diagonal=True)
        return grouped(entries, columns, workers, repeats=True)
    workers = max(1, min(workers, m // max(columns, 1)))
    rows = shares.bounds(indptr, workers)
    out, offsets = large_pages(m, np.int32), np.zeros(columns + 1, checks.offset_type(m))
    pattern, ends = (_unsigned(indptr), _unsigned(indices)), _unsigned(offsets)[1:]
    cursors = np.zeros((workers - 1, columns), ends.dtype)
    shared = cpu_threads.slots(0)
    launch(_count_on_all, workers, shared, *pattern, rows, cursors, ends)
    _begin(cursors, ends)
    launch(_scatter_on_all, workers, shared, *pattern, rows, cursors, ends, _unsigned(out))
    return offsets, out


def _unsigned(a: Any) -> Any:
    """The same integers without a sign, which numba indexes without a wrap-around test."""
    return a.view(f"u{a.itemsize}")


@njit(cache=True, nogil=True)
def _count(t: Any, shared: Any, indptr: Any, indices: Any, rows: Any, cursors: Any, ends: Any) -> None:
    """Entries per column of a range of rows."""
    counts = cursors[t] if t < len(cursors) else ends
    for e in range(indptr[rows[t]], indptr[rows[t + 1]]):
        counts[indices[e]] += 1


@njit(cache=True, nogil=True)
def _count_on_all(team: Any, shared: Any, indptr: Any, indices: Any, rows: Any, cursors: Any, ends: Any) -> Any:
    """`_count` on a team of pool.py."""
    return on_all(_count, team, (shared, indptr, indices, rows, cursors, ends))


@njit(cache=True, nogil=True)
def _begin(counts: Any, last: Any) -> None:
    """Counts per thread and column become where its entries begin; the last thread's are apart."""
    at = last.dtype.type(0)
    for c in range(np.uint64(last.size)):
        t = np.uint64(0)
        while t < np.uint64(counts.shape[0]):  # a range of so few steps took twice as long
            count = counts[t, c]
            if count:  # pages where a thread has no entry are never touched
                counts[t, c] = at
                at += count
            t += np.uint64(1)
        count = last[c]
        last[c] = at
        at += count


@njit(cache=True, nogil=True)
def _scatter(t: Any, shared: Any, indptr: Any, indices: Any, rows: Any, cursors: Any, ends: Any, out: Any) -> None:
    """Write the row of each entry of a range of rows to where its column goes on."""
    cursor = cursors[t] if t < len(cursors) else ends
    start = indptr[rows[t]]
    for i in range(rows[t], rows[t + 1]):
        end = indptr[i + 1]
        for e in range(start, end):
            at = cursor[indices[e]]
            out[at] = i
            cursor[indices[e]] = at + 1
        start = end


@njit(cache=True, nogil=True)
def _scatter_on_all(
    team: Any, shared: Any, indptr: Any, indices: Any, rows: Any, cursors: Any, ends: Any, out: Any
) -> Any:  # fmt: skip
    """`_scatter` on a team of pool.py."""
    return on_all(_scatter, team, (shared, indptr, indices, rows, cursors, ends, out))
