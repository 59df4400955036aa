"""From edges in any files to the rows of each partition, by sorted runs on shared storage.

1. `sort`, a task per piece: both directions of its edges, each once, sorted, in a file (a *run*); and how many of them
   begin in each range of ids.
2. `bounds_of`: ranges of ids with about equally many entries, from all of these counts.
3. `merge`, a task per partition: its part of each run, found by bisection; each entry once; rows in a file.

Why not Dask's own shuffle: that keeps what has been shuffled in the memory and on the disks of the workers, so that it
begins anew when one of them is lost, and needs the partitions' bounds before it reads an edge. Runs are read once, and
whoever writes them may be lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from .files import Reading, save
from .run import Run

BINS = 1 << 14  # at most, of ids, whose entries are counted
WIDE = 2**31  # ids from here on take int64


class Sorted(NamedTuple):
    """What is known of a run.

    Attributes
    ----------
    entries : int
    smallest, largest : int
        Ids of ends of edges, of self-loops, too; −1 where there are none.
    shift : int
        Bin b has the ids from ``b << shift`` on.
    counts : array of int64
        Entries of the rows of each bin.
    """

    entries: int
    smallest: int
    largest: int
    shift: int
    counts: np.ndarray


def sort(run: Run, index: int, u: np.ndarray, v: np.ndarray) -> Sorted:
    """Write the run of some edges."""
    smallest = int(min(u.min(), v.min())) if len(u) else -1
    largest = int(max(u.max(), v.max())) if len(u) else -1
    rows, columns = entries_of(u, v)
    shift = max(0, (largest + 1).bit_length() - BINS.bit_length() + 1)
    counts = np.bincount(rows >> shift).astype(np.int64)
    save(run.runs(index), np.stack([rows, columns]).astype(np.int32 if largest < WIDE else np.int64))
    return Sorted(len(rows), smallest, largest, shift, counts)


def entries_of(u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of edges in both directions, sorted, each once, without self-loops."""
    real = u != v
    if not real.all():
        u, v = u[real], v[real]
    return once(np.concatenate([u, v]), np.concatenate([v, u]))


def once(rows: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Entries sorted by row and column, each once; the arrays given may be changed."""
    if not len(rows):
        return rows, columns
    first, width = int(rows.min()), int(columns.max()) + 1
    if (int(rows.max()) - first + 1) * width < 2**63:  # as one number each, which sorts faster and in place
        rows -= first
        rows *= width
        rows += columns
        rows.sort()
        keep = np.ones(len(rows), bool)
        np.not_equal(rows[1:], rows[:-1], out=keep[1:])
        entries = rows if keep.all() else rows[keep]
        return entries // width + first, entries % width
    order = np.lexsort((columns, rows))
    rows, columns = rows[order], columns[order]
    keep = np.ones(len(rows), bool)
    keep[1:] = (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])
    return rows[keep], columns[keep]


class Census:
    """Sums of what is known of runs.

    Attributes
    ----------
    entries : int
        An upper bound: entries that are in several runs count in each.
    smallest, largest : int
    """

    __slots__ = ("_counts", "_shift", "entries", "largest", "smallest")

    def __init__(self, runs: Iterable[Sorted] = ()) -> None:
        self.entries, self.smallest, self.largest = 0, -1, -1
        self._shift, self._counts = 0, np.zeros(BINS, np.int64)
        for run in runs:
            self.add(run)

    def add(self, run: Sorted) -> None:
        """Count one more."""
        self.entries += run.entries
        self.largest = max(self.largest, run.largest)
        if run.smallest >= 0:
            self.smallest = run.smallest if self.smallest < 0 else min(self.smallest, run.smallest)
        if run.shift > self._shift:
            self._counts = _coarser(self._counts, run.shift - self._shift)
            self._shift = run.shift
        counts = _coarser(run.counts, self._shift - run.shift)
        self._counts[: len(counts)] += counts

    def bounds(self, n: int, parts: int) -> np.ndarray:
        """Of ranges of ids with about equally many vertices and entries together: int64, shape (parts + 1,).

        Within a bin vertices count as alike.
        """
        edges = np.minimum(np.arange(BINS + 1, dtype=np.float64) * 2.0**self._shift, n)
        edges[-1] = max(n, edges[-1])
        work = np.concatenate([[0.0], np.cumsum(self._counts)]) + edges
        aims = work[-1] * np.arange(1, parts) / parts
        inner = np.ceil(np.interp(aims, work, edges)) if n else np.zeros(parts - 1)
        return np.concatenate([[0], np.minimum(inner, n), [n]]).astype(np.int64)


def _coarser(counts: np.ndarray, shift: int) -> np.ndarray:
    """Counts of bins that are 2 ** shift times as wide, as many as `counts` has where it has BINS of them."""
    if shift == 0:
        return counts
    starts = np.arange(0, len(counts), 1 << shift)
    wide = np.add.reduceat(counts, starts) if len(counts) else counts
    if len(counts) == BINS:
        wide = np.concatenate([wide, np.zeros(BINS - len(wide), np.int64)])
    return wide


def merge(run: Run, part: int, bounds: np.ndarray, runs: int) -> None:
    """Write the rows of a partition."""
    low, high = int(bounds[part]), int(bounds[part + 1])
    rows, columns = (np.concatenate(a) for a in zip(*_slices(run, runs, low, high), strict=True))
    rows, columns = once(rows, columns)
    indptr = np.searchsorted(rows, np.arange(low, high + 1)).astype(np.int64)
    save(run.indices(part), columns.astype(np.int32 if int(bounds[-1]) <= WIDE else np.int64))
    save(run.indptr(part), indptr)


def _slices(run: Run, runs: int, low: int, high: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rows and columns that each run has of a range of rows, int64."""
    yield np.zeros(0, np.int64), np.zeros(0, np.int64)
    for index in range(runs):
        reading = Reading(run.runs(index))
        count = reading.map.shape[1]
        a, b = np.searchsorted(reading.map[0], [low, high]).tolist() if count else (0, 0)
        yield tuple(reading.flat(k * count + a, k * count + b).astype(np.int64) for k in range(2))  # type: ignore[misc]
