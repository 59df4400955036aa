"""Sorted runs → rows of a graph: ranges of keys that fit in memory, each sorted and written to a file in turn.

Every so many keys of each run are a sample. A range reaches from one sample to another so far that, whatever lies
between samples, its keys have room in memory; so it may end within a row, and no vertex has too many neighbors.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ....core.errors import OptionError
from ....device.compiled import njit
from ....progress import stage
from .parts import File, New, Work
from .runs import HALF, KEY, LOW, unique

PIECE = 1 << 18  # keys that are split into rows and columns at once
SHARE = 4  # part of the room for keys that samples may take


def stride(room: int) -> int:
    """Every how many keys a sample is taken, where there is room for so many keys in a range."""
    return 1 << max(4, int(np.log2(max(room, 2) / 2) / 2))


def fits(room: int, runs: int, keys: int) -> bool:
    """Whether so many runs, of so many keys in all, are merged in room for so many keys."""
    every = stride(room)
    return 4 * runs * every <= room and keys // every + runs <= room // SHARE


def least(room: int, keys: int) -> int:
    """Room for how many keys is enough for so many in runs that fill it."""
    while not fits(room, -(-keys // room), keys):  # ends, as runs get fewer
        room *= 2
    return room


class Samples:
    """Where ranges of keys begin in each run."""

    def __init__(self, runs: list[File], room: int) -> None:
        self._runs, self._every = runs, stride(room)
        self._of: list[np.ndarray] = []
        step, one = self._every, np.empty(1, np.uint64)
        for run in runs:
            found: np.ndarray = np.empty(-(-run.content["count"] // step), np.uint64)
            for k in range(len(found)):
                run.read(k * step * KEY, one)
                found[k] = one[0]
            self._of.append(found)

    def bounds(self, room: int, first: int) -> np.ndarray:
        """Keys at which ranges begin, from a key on."""
        every = np.concatenate(self._of) if self._of else np.zeros(0, np.uint64)
        every = np.sort(every[every > np.uint64(first)])
        step = max(room // self._every - 2 * len(self._runs), 1)
        return np.concatenate([np.array([first], np.uint64), every[step::step]])

    def places(self, key: np.uint64) -> np.ndarray:
        """How many keys of each run are below a key: int64."""
        return np.array([self._place(k, key) for k in range(len(self._runs))], np.int64)

    def _place(self, k: int, key: np.uint64) -> int:
        below = int(np.searchsorted(self._of[k], key))
        if below == 0:
            return 0
        run, begin = self._runs[k], (below - 1) * self._every
        keys: np.ndarray = np.empty(min(self._every, run.content["count"] - begin), np.uint64)
        run.read(begin * KEY, keys)
        return begin + int(np.searchsorted(keys, key))


@njit(cache=True, nogil=True)
def _split(keys, row, before, rows, ends, columns):
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


class Piece(NamedTuple):
    """Some of a merged file: vertices (uint32) whose rows end here, entries (int64) up to there, columns (uint32)."""

    rows: np.ndarray
    ends: np.ndarray
    columns: np.ndarray


def pieces(files: list[File], columns: bool = True) -> Iterator[Piece]:
    """The pieces of merged files, in order. With ``columns=False`` their columns are empty."""
    sizes = np.empty(2, np.int64)
    for file in files:
        at = 0
        while at < file.size:  # each turn passes a piece
            file.read(at, sizes)
            closed, entries = sizes.tolist()
            one = Piece(np.empty(closed, "<u4"), np.empty(closed, "<i8"), np.empty(entries * columns, "<u4"))
            at += sizes.nbytes
            for array in one:
                file.read(at, array)
                at += array.nbytes
            at += 0 if columns else 4 * entries
            yield one


class Merge:
    """The graph of runs, written from where the last merged file ends; `state` is what later stages need to know."""

    def __init__(self, work: Work, runs: list[File], state: dict[str, Any]) -> None:
        self._work, self._runs = work, runs
        merged = work.files["merged"]
        about = merged[-1].content if merged else {"to": 0, "row": -1, "entries": 0}
        self._key, self._row, self._entries = about["to"], about["row"], about["entries"]
        self._state, self._needs = state, runs[-1].content["needs"]

    def run(self, room: int) -> None:
        """Merge all runs in memory for `room` keys, and a quarter more for samples."""
        lengths = np.array([run.content["count"] for run in self._runs], np.int64)
        total = int(lengths.sum())
        if not fits(room, len(self._runs), total):
            raise OptionError(
                f"too little memory to merge {total} keys: pass {least(room, total) // room} times as much"
            )
        samples = Samples(self._runs, room)
        bounds, keys = samples.bounds(room, self._key), np.empty(min(room, total), np.uint64)
        begins, merging = samples.places(np.uint64(self._key)), stage("merging", total * KEY, "bytes")
        for k in range(len(bounds)):
            last = k + 1 == len(bounds)
            ends = lengths if last else samples.places(bounds[k + 1])
            held = 0
            for run, begin, end in zip(self._runs, begins.tolist(), ends.tolist(), strict=True):
                run.read(begin * KEY, keys[held : held + end - begin])
                held += end - begin
            self._write(unique(keys[:held]), 2**64 if last else int(bounds[k + 1]), last)
            begins = ends
            merging.at(int(ends.sum()) * KEY)

    def _write(self, keys: np.ndarray, bound: int, last: bool) -> None:
        """A file of the rows of keys up to a bound; the last row stays open until the end."""
        size = min(PIECE, len(keys))
        rows, ends, columns = np.empty(size, np.uint32), np.empty(size, np.int64), np.empty(size, np.uint32)
        with self._work.new("merged") as out:
            for begin in range(0, len(keys), PIECE):
                piece = keys[begin : begin + PIECE]
                row, closed, entries = map(int, _split(piece, self._row, self._entries, rows, ends, columns))
                self._row, self._entries = row, self._entries + entries
                _append(out, Piece(rows[:closed], ends[:closed], columns[:entries]))
            if last and self._row >= 0:
                no = np.empty(0, np.uint32)
                _append(out, Piece(np.array([self._row], "<u4"), np.array([self._entries], "<i8"), no))
            content = {"from": self._key, "to": bound, "row": self._row, "entries": self._entries, "last": last}
            out.keep({**content, "needs": self._needs, "state": self._state})
        self._key = bound


def _append(out: New, piece: Piece) -> None:
    out.write(np.array([len(piece.rows), len(piece.columns)], np.int64))
    for array in piece:
        out.write(array)
