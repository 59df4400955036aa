"""Edges become sorted keys (source, target) of 64 bits, in both directions, and then the arrays of the folder.

NumPy sorts 8 M keys in place at 68 M per second with AVX-512, 25 M with AVX2 and 6 M without either. A radix sort of
11 bits per pass in compiled code sorted 10 to 15 M per second, and needed a second array.

All keys must be read to know which vertices occur. So a first pass writes these vertices and the ends of their rows. A
second pass writes the offsets of all vertices, or renumbers the vertices that occur if they are few.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from math import isqrt
from pathlib import Path
from typing import Any

import numpy as np

from ....base.device.compiled import njit
from ....base.errors import OptionError
from ....base.log import stage
from ....inputs.sizes import FAR_APART, FEW, OCCUR, warn_of_first
from ....io.folder import DATA, TYPES, Output, index_type
from .runs import Run

KEY = 8  # bytes of a key
HALF = np.uint64(32)
LOW = np.uint64(2**32 - 1)
MOST = 2**32  # bound of the ends of edges
LEAST = 64  # least keys of each run in memory while runs are merged
PIECE = 1 << 18  # keys, vertices or entries in memory at a time
OCCUR_FILE, ENDS = "labels", "indptr"  # arrays of the first pass: vertices that occur, and the ends of their rows


@njit(cache=True, nogil=True)
def fill(u: Any, v: Any, keys: Any, at: Any) -> Any:
    """Write both directions of edges from place `at` on; return the place after them."""
    for k in range(len(u)):
        a, b = np.uint64(u[k]), np.uint64(v[k])
        keys[at] = a << HALF | b
        at += 1
        if a != b:
            keys[at] = b << HALF | a
            at += 1
    return at


@njit(cache=True, nogil=True)
def _unique(keys: Any) -> Any:
    count = 0
    for k in range(len(keys)):
        if k == 0 or keys[k] != keys[count - 1]:
            keys[count] = keys[k]
            count += 1
    return count


def unique(keys: np.ndarray) -> np.ndarray:
    """Sort keys in place, and return them without repetitions."""
    keys.sort()
    return keys[: int(_unique(keys))]


def check_memory(capacity: int, runs: int, keys: int = 0) -> None:
    """Raise an OptionError if memory for `capacity` keys cannot merge these runs; `keys`: number of further keys."""
    if capacity >= 2 * LEAST * runs:
        return
    enough = isqrt(2 * LEAST * keys) + 2 * LEAST if keys else 2 * LEAST * runs
    what = f"about {keys // 2} edges" if keys else f"{runs} runs of edges"
    raise OptionError(f"memory is too little for {what}: pass memory='{-(-enough * 16 // 10**6)}MB' or more")


def merge(runs: list[Run], capacity: int) -> Iterator[tuple[np.ndarray, int]]:
    """Yield ascending ranges of all keys, each key once, and the number of keys read; the next range overwrites it.

    A buffer has the next keys of each run. A range ends at the least of the last keys of the buffers, so that no file
    has a smaller key. A range may end within a row, so that the number of neighbors of a vertex is not limited.
    """
    left = np.array([run.content["count"] for run in runs], np.int64)  # keys that are not in buffers yet
    check_memory(capacity, len(runs))
    read, begins, ends = np.zeros_like(left), np.zeros_like(left), np.zeros_like(left)
    buffers = np.empty((len(runs), min(capacity // (2 * len(runs)), int(left.max()))), np.uint64)
    size, out = buffers.shape[1], np.empty(buffers.size, np.uint64)
    while left.any() or (begins < ends).any():  # each turn empties at least one buffer
        for k in np.flatnonzero((left > 0) & (2 * (ends - begins) <= size)).tolist():
            filled = int(ends[k] - begins[k])
            buffers[k, :filled] = buffers[k, begins[k] : ends[k]]
            count = min(size - filled, int(left[k]))
            runs[k].read(KEY * int(read[k]), buffers[k, filled : filled + count])
            begins[k], ends[k] = 0, filled + count
            read[k] += count
            left[k] -= count
        more = np.flatnonzero(left)
        bound = buffers[more, ends[more] - 1].min() if len(more) else np.uint64(2**64 - 1)
        parts = []
        for k in np.flatnonzero(begins < ends).tolist():
            part = buffers[k, begins[k] : ends[k]]
            part = part[: np.searchsorted(part, bound, side="right")]
            begins[k] += len(part)
            parts.append(part)
        count = sum(map(len, parts))
        yield unique(np.concatenate(parts, out=out[:count])), count


@njit(cache=True, nogil=True)
def _split(keys: Any, row: Any, before: Any, rows: Any, ends: Any, columns: Any) -> Any:
    # A row ends where the next begins; the last row may continue in the next piece.
    closed = 0
    entries = 0
    for k in range(len(keys)):
        u = np.int64(keys[k] >> HALF)
        v = np.int64(keys[k] & LOW)
        if u != row:
            if row >= 0:
                rows[closed] = row
                ends[closed] = before + entries
                closed += 1
            row = u
        if u != v:
            columns[entries] = v
            entries += 1
    return row, closed, entries


@njit(cache=True, nogil=True)
def _spread(rows: Any, ends: Any, k: Any, vertex: Any, last: Any, out: Any) -> Any:
    filled = 0
    while k < len(rows) and filled < len(out):
        if vertex >= rows[k]:  # equal, because rows ascend
            last = ends[k]
            k += 1
        out[filled] = last
        filled += 1
        vertex += 1
    return k, vertex, last, filled


def write_array(folder: Path, name: str, pieces: Iterable[np.ndarray], dtype: str | None = None) -> dict[str, Any]:
    """Write an array of the folder from its pieces; return its entry in `graph.json`."""
    with contextlib.closing(Output(folder, name, dtype or TYPES[name][0])) as output:
        for piece in pieces:
            output.append(piece)
        return output.finish()


class RowArrays:
    """The arrays of the rows of all keys, in a folder; `n` is a lower bound of the number of vertices."""

    headers: dict[Any, Any]  # name of an array → its entry in `graph.json`

    def __init__(self, folder: Path, ranges: Iterable[np.ndarray], n: int) -> None:
        self._folder, row, entries = folder, -1, 0
        size = PIECE
        rows, ends, columns = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.uint32)
        types = {OCCUR_FILE: "<i8", ENDS: "<i8", "indices": index_type(n)}
        with contextlib.ExitStack() as stack:
            out = {name: stack.enter_context(contextlib.closing(Output(folder, name, t))) for name, t in types.items()}
            out[ENDS].append(np.zeros(1, np.int64))
            for keys in ranges:
                for begin in range(0, len(keys), PIECE):
                    piece = keys[begin : begin + PIECE]
                    row, closed, more = map(int, _split(piece, row, entries, rows, ends, columns))
                    entries += more
                    out[OCCUR_FILE].append(rows[:closed])
                    out[ENDS].append(ends[:closed])
                    out["indices"].append(columns[:more])
            if row >= 0:
                out[OCCUR_FILE].append(np.array([row]))
                out[ENDS].append(np.array([entries]))
            self.headers = {name: one.finish() for name, one in out.items()}

    @property
    def occur(self) -> int:
        """The number of vertices that occur in edges and self-loops."""
        return int(self.headers[OCCUR_FILE]["elements"])

    def far_apart(self, n: int) -> bool:
        """Whether few of n vertices occur, so that their numbers are labels."""
        return n > FEW and n > FAR_APART * self.occur

    def renumber(self, memory: int) -> None:
        """Renumber the vertices that occur in ascending order; `memory` is the number of bytes for a table."""
        occur = self.occur
        if 4 * occur > memory:
            raise OptionError(
                f"numbers of vertices are far apart, and renumbering {occur} of them takes {4 * occur} bytes of "
                f"memory: pass memory of more than {8 * occur}, or n for the number of vertices"
            )
        numbers, filled = np.empty(occur, np.uint32), 0
        for piece in self._pieces(OCCUR_FILE):
            numbers[filled : filled + len(piece)] = piece
            filled += len(piece)
        writing, done = stage("writing", self.headers["indices"]["elements"], "entries"), 0
        with contextlib.closing(Output(self._folder, "renumbered", "<i4")) as output:
            for piece in self._pieces("indices"):
                output.append(np.searchsorted(numbers, piece.astype(np.uint32)))  # of one type: no copy of the table
                done += len(piece)
                writing.at(done)
            self.headers["indices"] = output.finish()
        os.replace(self._folder / "renumbered.npy", self._folder / "indices.npy")

    def number(self, n: int, warn: bool) -> None:
        """Write the offsets of n vertices with their numbers; with `warn`, warn if these seem to count from 1."""
        self.headers["indptr"] = write_array(self._folder, "offsets", self._offsets(n, warn), "<i8")
        os.replace(self._folder / "offsets.npy", self._folder / "indptr.npy")
        (self._folder / f"{OCCUR_FILE}.npy").unlink()
        del self.headers[OCCUR_FILE]

    def _offsets(self, n: int, warn: bool) -> Iterator[np.ndarray]:
        """Yield parts of `indptr` for n vertices. A vertex that does not occur has no entries."""
        yield np.zeros(1, np.int64)
        vertex, last, piece, writing = 0, 0, np.empty(PIECE, np.int64), stage("writing", n, "vertices")
        after, first, second = 0, False, False  # vertices but 0 with an edge; whether 0 occurs, and 1 has an edge
        for rows, ends in zip(self._pieces(OCCUR_FILE), self._pieces(ENDS, 1), strict=True):
            has_edge = np.diff(ends, prepend=last) > 0
            after += int(np.count_nonzero(has_edge & (rows > 0)))
            first |= int(rows[0]) == 0
            second |= bool(has_edge[:2][rows[:2] == 1].any())
            k = 0
            while k < len(rows):  # each turn passes vertices
                k, vertex, last, filled = map(int, _spread(rows, ends, k, vertex, last, piece))
                yield piece[:filled]
                writing.at(vertex)
        if warn and vertex > 1 and not first and second and after >= OCCUR * (vertex - 1):
            warn_of_first(vertex, after)
        piece[:] = last
        for begin in range(vertex, n, PIECE):
            yield piece[: min(PIECE, n - begin)]

    def _pieces(self, name: str, begin: int = 0) -> Iterator[np.ndarray]:
        """Yield the elements of an array of the first pass, from element `begin` on, in pieces."""
        dtype, count = np.dtype(self.headers[name]["dtype"]), self.headers[name]["elements"]
        for k in range(begin, count, PIECE):
            yield np.fromfile(self._folder / f"{name}.npy", dtype, PIECE, offset=DATA + k * dtype.itemsize)
