"""Rows that could not be colored as they were read, kept in a file until their turn comes.

Each block leaves a *run*: rows by rising place in the order, each with those neighbors alone that are earlier. When all
blocks were read, *windows* of the order are merged from all runs, as many rows at a time as fit in memory (the merge of
an external sort; Knuth, The Art of Computer Programming 3, 5.4). The rows of a window depend on earlier windows and on
each other alone.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from .cpu import Rows
from .reading import read_at

MERGED = 32  # bytes per row that a window takes in memory, beside its entries
PIECE = 1 << 22  # bytes that a thread writes at a time


class Run(NamedTuple):
    """Where the arrays of a run begin in the file, in bytes: places and ids (uint32), ends of rows (int64), entries."""

    rows: int
    places: int
    ids: int
    ends: int
    entries: int


class Part(NamedTuple):
    """Rows of one run, and their entries as the run counts them."""

    run: Run
    rows: slice
    entries: slice


@dataclass(frozen=True)
class Window:
    """Rows of the order that are colored at a time.

    Attributes
    ----------
    parts : list of Part
    rows, entries : int
        Of all.
    """

    parts: list[Part]
    rows: int
    entries: int


class Spill:
    """Runs in a temporary file without a name, which is gone when the process is.

    Parameters
    ----------
    folder : path-like
        Where to make the file; where that takes no files, the system's folder for temporary files.
    pool : ThreadPoolExecutor
        Writes.

    Attributes
    ----------
    rows, nbytes : int
        Kept so far.
    """

    itemsize = 1  # as an array of bytes, for `Feeder`

    def __init__(self, folder: Path, pool: ThreadPoolExecutor) -> None:
        self._folder, self._pool, self._runs = folder, pool, list[Run]()
        self._file: Any = None
        self.rows = self.nbytes = 0

    def reserve(self, rows: int, entries: int) -> Run:
        """Room for a run, which its owner writes."""
        if self._file is None:
            self._file = _temporary(self._folder)
        at = self.nbytes
        run = Run(rows, at, at + 4 * rows, at + 8 * rows, at + 16 * rows)
        self._runs.append(run)
        self.rows, self.nbytes = self.rows + rows, at + 16 * rows + -(-entries // 2) * 8
        with _explained(self._folder):
            os.truncate(self._file.fileno(), self.nbytes)
        return run

    def write(self, at: int, data: np.ndarray) -> None:
        """Write bytes to their place; any thread may."""
        left = data.view(np.uint8).data
        with _explained(self._folder):
            while left:
                count = _write_at(self._file.fileno(), left, at)
                left, at = left[count:], at + count

    def add(self, rows: Rows) -> None:
        """Keep what a block has left."""
        if not len(rows.ids):
            return
        run, todo = self.reserve(len(rows.ids), len(rows.entries)), []
        parts = (run.places, rows.places), (run.ids, rows.ids), (run.ends, np.cumsum(rows.counts))
        for at, array in (*parts, (run.entries, rows.entries)):
            data = np.ascontiguousarray(array).view(np.uint8)
            for k in range(0, len(data), PIECE):
                todo.append(self._pool.submit(self.write, at + k, data[k : k + PIECE]))
        for one in todo:
            one.result()

    def fill(self, begin: int, out: np.ndarray) -> None:
        """Read bytes; any thread may."""
        left = out.view(np.uint8).data
        while left:
            count = read_at(self._file.fileno(), left, begin)
            if not count:
                raise OSError("the temporary file of rows that wait was cut short")
            left, begin = left[count:], begin + count

    def windows(self, room: int) -> list[Window]:
        """Rows of all runs in the order, in as few windows as take up to `room` bytes each, or one row."""
        if self._file is None:
            return []
        data = np.memmap(self._file, np.uint8, "r").view(np.ndarray)
        runs = [_Keys.of(data, run) for run in self._runs]
        done, out = [0] * len(runs), []
        last = max(int(run.places[-1]) for run in runs)
        while left := [int(run.places[at]) for run, at in zip(runs, done, strict=True) if at < len(run.places)]:
            until = _cut(runs, done, min(left), last, room)
            stops = [int(np.searchsorted(run.places, until, side="right")) for run in runs]
            parts = [run.part(a, b) for run, a, b in zip(runs, done, stops, strict=True) if a < b]
            sizes = [(p.rows.stop - p.rows.start, p.entries.stop - p.entries.start) for p in parts]
            out.append(Window(parts, sum(rows for rows, _ in sizes), sum(entries for _, entries in sizes)))
            done = stops
        return out

    def merged(self, window: Window) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Ids, offsets and entries of a window, run by run, and the order of its rows."""
        ids, places = np.empty(window.rows, np.uint32), np.empty(window.rows, np.uint32)
        offsets, indices = np.zeros(window.rows + 1, np.int64), np.empty(window.entries, np.int32)
        row = entry = 0
        for run, rows, entries in window.parts:
            k, m = rows.stop - rows.start, entries.stop - entries.start
            self.fill(run.places + 4 * rows.start, places[row : row + k])
            self.fill(run.ids + 4 * rows.start, ids[row : row + k])
            self.fill(run.ends + 8 * rows.start, offsets[row + 1 : row + 1 + k])
            self.fill(run.entries + 4 * entries.start, indices[entry : entry + m])
            offsets[row + 1 : row + 1 + k] += entry - entries.start
            row, entry = row + k, entry + m
        return ids, offsets, indices, np.argsort(places, kind="stable").astype(np.uint32)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()


class _Keys(NamedTuple):
    """A run with its places and ends, which are mapped."""

    run: Run
    places: np.ndarray
    ends: np.ndarray

    @classmethod
    def of(cls, data: np.ndarray, run: Run) -> Self:
        places = data[run.places : run.places + 4 * run.rows].view(np.uint32)
        return cls(run, places, data[run.ends : run.ends + 8 * run.rows].view(np.int64))

    def begin(self, row: int) -> int:
        """Where the entries of a row begin."""
        return int(self.ends[row - 1]) if row else 0

    def part(self, a: int, b: int) -> Part:
        """Rows a … b − 1."""
        return Part(self.run, slice(a, b), slice(self.begin(a), self.begin(b)))


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    """An error about a file that has no name says what it is for."""
    try:
        yield
    except OSError as e:
        what = f"{e.strerror}: vertices that wait for their turn are kept here, and order='natural' has none"
        raise OSError(e.errno, what, str(folder)) from e


def _temporary(folder: Path) -> Any:
    """A file without a name."""
    try:
        return tempfile.TemporaryFile(dir=folder)
    except OSError:
        return tempfile.TemporaryFile()


def _write_at(file: int, data: memoryview, at: int) -> int:
    if hasattr(os, "pwrite"):
        return os.pwrite(file, data, at)
    os.lseek(file, at, os.SEEK_SET)
    return os.write(file, data)


def _cut(runs: list[_Keys], done: list[int], low: int, last: int, room: int) -> int:
    """The last place of a window that begins with `low`."""

    def taken(place: int) -> int:
        size = 0
        for run, at in zip(runs, done, strict=True):
            stop = int(np.searchsorted(run.places, place, side="right"))
            size += MERGED * (stop - at) + 4 * (run.begin(stop) - run.begin(at))
        return size

    high = last
    if taken(high) <= room:
        return high
    while high - low > 1:  # ends: the range halves
        middle = (low + high) // 2
        low, high = (middle, high) if taken(middle) <= room else (low, middle)
    return low
