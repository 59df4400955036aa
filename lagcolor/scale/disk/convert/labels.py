"""Numbers of vertices that are too large for keys → 0 … n−1, in ascending order, by a table in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ....errors import OptionError
from .runs import PIECE, Run, Runs, Stored, ends


class Spool:
    """Edges in a file as they came, two int64 each.

    Parameters
    ----------
    path : Path
    size : int
        Bytes that are there already; what is after them is cut off.
    """

    def __init__(self, path: Path, size: int = 0) -> None:
        self.path, self.size = path, size
        self._file = open(path, "r+b" if size else "wb")  # noqa: SIM115  (closed by `close`)
        self._file.truncate(size)
        self._file.seek(size)

    def add(self, u: np.ndarray, v: np.ndarray) -> None:
        """Write edges."""
        data = np.column_stack([u, v]).astype("<i8", copy=False)
        self._file.write(data.data)
        self.size += data.nbytes

    def sync(self) -> None:
        """All so far is on the disk for good."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def pieces(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Both ends of the edges, piece by piece."""
        with open(self.path, "rb") as file:
            while data := file.read(16 * PIECE):
                u, v = np.frombuffer(data, "<i8").reshape(-1, 2).T
                yield u, v


def pieces(stored: Stored, runs: list[Run], spool: Spool) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Edges in runs, which were written before the first large number came, and in a spool."""
    for run in runs:
        for keys in stored.pieces(run):
            yield ends(keys)
    yield from spool.pieces()


def table(found: Iterator[tuple[np.ndarray, np.ndarray]], room: int) -> np.ndarray:
    """All numbers that occur, rising.

    Parameters
    ----------
    found : iterator of pairs of arrays
    room : int
        Bytes that they may take; making the table takes three times as many.

    Raises
    ------
    OptionError
        They take more.
    """
    all_of_them, new, held = np.zeros(0, np.int64), [], 0
    for u, v in found:
        new.append(np.unique(np.concatenate([u, v])))
        held += len(new[-1])
        if held * 8 > room // 2 and held > len(all_of_them) // 2:
            all_of_them, new, held = np.unique(np.concatenate([all_of_them, *new])), [], 0
        if 8 * len(all_of_them) > room:
            raise OptionError(
                f"vertices have numbers of 2³² and more, of which there are over {len(all_of_them)} different ones: a "
                f"table of them takes more than memory leaves for it: pass memory of more than {64 * len(all_of_them)}"
            )
    return np.unique(np.concatenate([all_of_them, *new]))


def numbered(found: Iterator[tuple[np.ndarray, np.ndarray]], labels: np.ndarray, runs: Runs, check: Any) -> None:
    """Edges by the places of their ends in a table, in runs; `check` is called after each piece."""
    for u, v in found:
        runs.add(np.searchsorted(labels, u), np.searchsorted(labels, v))
        check(len(u))
    runs.write()
