"""Sorted runs → rows of a graph: ranges of keys that fit in memory, each sorted and written in turn.

Every so many keys of each run are a sample. A range reaches from one sample to another so far that, whatever lies
between samples, its keys have room in memory; so it may end within a row, and no vertex has too many neighbors.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ....device.compiled import njit
from ....errors import OptionError
from ....io.folder import Output
from ....progress import stage
from .runs import HALF, KEY, LOW, Run, Stored, unique

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

    def __init__(self, stored: Stored, runs: list[Run], room: int) -> None:
        self._stored, self._runs, self._every = stored, runs, stride(room)
        self._of: list[np.ndarray] = []
        step, one = self._every, np.empty(1, np.uint64)
        for run in runs:
            found: np.ndarray = np.empty(-(-run.keys // step), np.uint64)
            for k in range(len(found)):
                stored.read(run.begin + k * step, one)
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
        keys: np.ndarray = np.empty(min(self._every, run.keys - begin), np.uint64)
        self._stored.read(run.begin + begin, keys)
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


class Merge:
    """The graph of runs, being written: vertices that occur, where their rows end, and columns.

    Parameters
    ----------
    folder : Path
        Where `rows`, `ends` and `indices` are written.
    dtype : str
        Of columns.
    state : dict, optional
        As `state` gave it, to go on from there.
    """

    def __init__(self, folder: Path, dtype: str, state: dict[str, Any] | None = None) -> None:
        outputs = {"rows": "<u4", "ends": "<i8", "indices": dtype}
        self._outputs = {name: Output(folder, name, of, state and state[name]) for name, of in outputs.items()}
        self._key: int = 0 if state is None else state["key"]
        self._row: int = -1 if state is None else state["row"]

    @property
    def entries(self) -> int:
        """Entries written."""
        return self._outputs["indices"].count

    def state(self) -> dict[str, Any]:
        """What is on the disk for good."""
        return {"key": self._key, "row": self._row, **{name: out.state() for name, out in self._outputs.items()}}

    def run(self, stored: Stored, runs: list[Run], room: int, after_range: Callable[[], None]) -> None:
        """Merge all runs, in memory for so many keys and a quarter more for samples.

        Raises
        ------
        OptionError
            There are too many runs for that.
        """
        total = sum(run.keys for run in runs)
        if not fits(room, len(runs), total):
            raise OptionError(
                f"too little memory to merge {total} keys: pass {least(room, total) // room} times as much"
            )
        samples = Samples(stored, runs, room)
        bounds, keys = samples.bounds(room, self._key), np.empty(min(room, total), np.uint64)
        begins, merging = samples.places(np.uint64(self._key)), stage("merging", total * KEY, "bytes")
        ends_of_all = np.array([run.keys for run in runs], np.int64)
        for k in range(len(bounds)):
            last = k + 1 == len(bounds)
            ends = ends_of_all if last else samples.places(bounds[k + 1])
            held = 0
            for run, begin, end in zip(runs, begins.tolist(), ends.tolist(), strict=True):
                stored.read(run.begin + begin, keys[held : held + end - begin])
                held += end - begin
            self._write(unique(keys[:held]))
            begins = ends
            if not last:
                self._key = int(bounds[k + 1])
                after_range()
            merging.at(int(ends.sum()) * KEY)

    def _write(self, keys: np.ndarray) -> None:
        size = min(PIECE, len(keys))
        rows, ends = np.empty(size, np.uint32), np.empty(size, np.int64)
        columns = np.empty(size, self._outputs["indices"].dtype)
        for begin in range(0, len(keys), PIECE):
            piece = keys[begin : begin + PIECE]
            row, closed, entries = _split(piece, self._row, self.entries, rows, ends, columns)
            self._row = int(row)
            self._outputs["rows"].append(rows[:closed])
            self._outputs["ends"].append(ends[:closed])
            self._outputs["indices"].append(columns[:entries])

    def finish(self) -> dict[str, Any]:
        """Close the last row and the arrays, and give what `graph.json` would say of them."""
        if self._row >= 0:
            self._outputs["rows"].append(np.array([self._row]))
            self._outputs["ends"].append(np.array([self.entries]))
        return {name: out.finish() for name, out in self._outputs.items()}

    def close(self) -> None:
        """Close the files, whatever is in them."""
        for out in self._outputs.values():
            out.close()
