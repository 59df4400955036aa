"""Sorted keys → the arrays of the folder.

Which vertices occur is known when all keys have passed. The ends of their rows are written in a first pass. In a second
one they become the offsets of all vertices; or, where the vertices that occur are few, they get new numbers.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ....base.device.compiled import njit
from ....base.errors import OptionError
from ....base.log import stage
from ....inputs.sizes import FAR_APART, FEW, OCCUR, warn_of_first
from ....io.folder import DATA, TYPES, Output, index_type
from .keys import HALF, LOW

PIECE = 1 << 18  # keys, vertices or entries that are in memory at once
OCCUR_FILE, ENDS = "labels", "indptr"  # arrays of the first pass: vertices that occur, and the ends of their rows


@njit(cache=True, nogil=True)
def _split(keys: Any, row: Any, before: Any, rows: Any, ends: Any, columns: Any) -> Any:
    # A row ends where the next begins; the last one stays open.
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
        if vertex >= rows[k]:  # equal, as rows rise
            last = ends[k]
            k += 1
        out[filled] = last
        filled += 1
        vertex += 1
    return k, vertex, last, filled


def write_array(folder: Path, name: str, pieces: Iterable[np.ndarray], dtype: str | None = None) -> dict[str, Any]:
    """Write an array of the folder, of its pieces; what `graph.json` says of it."""
    with contextlib.closing(Output(folder, name, dtype or TYPES[name][0])) as output:
        for piece in pieces:
            output.append(piece)
        return output.finish()


class RowArrays:
    """The arrays of the rows of all keys, in a folder; `n` is the number of vertices as far as it is known."""

    headers: dict[Any, Any]  # by name of an array what `graph.json` says of it

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
        """How many vertices occur in edges, self-loops included."""
        return int(self.headers[OCCUR_FILE]["elements"])

    def far_apart(self, n: int) -> bool:
        """Whether they are few of n, so that their numbers are labels."""
        return n > FEW and n > FAR_APART * self.occur

    def renumber(self, room: int) -> None:
        """Number the vertices that occur by their places; `room` is the number of bytes for a table."""
        occur = self.occur
        if 4 * occur > room:
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
        """Keep the numbers of n vertices; warn where they seem to count from 1, if `warn`."""
        self.headers["indptr"] = write_array(self._folder, "offsets", self._offsets(n, warn), "<i8")
        os.replace(self._folder / "offsets.npy", self._folder / "indptr.npy")
        (self._folder / f"{OCCUR_FILE}.npy").unlink()
        del self.headers[OCCUR_FILE]

    def _offsets(self, n: int, warn: bool) -> Iterator[np.ndarray]:
        """Parts of `indptr` for n vertices. A vertex that does not occur has no entries."""
        yield np.zeros(1, np.int64)
        vertex, last, piece, writing = 0, 0, np.empty(PIECE, np.int64), stage("writing", n, "vertices")
        after, first, second = 0, False, False  # vertices but 0 that have an edge; whether 0 occurs, and 1 has an edge
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
        """The elements of an array of the first pass from one on, piece by piece."""
        dtype, count = np.dtype(self.headers[name]["dtype"]), self.headers[name]["elements"]
        for k in range(begin, count, PIECE):
            yield np.fromfile(self._folder / f"{name}.npy", dtype, PIECE, offset=DATA + k * dtype.itemsize)
