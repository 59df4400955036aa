"""Sorted runs: both directions of edges as keys (source, target) of 64 bits, sorted in memory, then on disk.

NumPy sorts 8 M keys at 68 M per second with AVX-512, 25 M with AVX2 and 6 M without either, in place; a radix sort of
11 bits per pass in compiled code took 10 to 15 M per second, and a second array.
"""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ....device.compiled import njit
from ....errors import FormatError

KEY = 8  # bytes
HALF = np.uint64(32)
LOW = np.uint64(2**32 - 1)
MOST = 2**32  # ends of edges are below
PIECE = 1 << 17  # keys


class Run(NamedTuple):
    """A run: where it begins in the file, its keys, and their CRC-32."""

    begin: int
    keys: int
    checksum: int


@njit(cache=True, nogil=True)
def _fill(u, v, keys, at):
    for k in range(len(u)):
        a, b = np.uint64(u[k]), np.uint64(v[k])
        keys[at] = a << HALF | b
        at += 1
        if a != b:
            keys[at] = b << HALF | a
            at += 1
    return at


@njit(cache=True, nogil=True)
def _unique(keys):
    count = 0
    for k in range(len(keys)):
        if k == 0 or keys[k] != keys[count - 1]:
            keys[count] = keys[k]
            count += 1
    return count


def unique(keys: np.ndarray) -> np.ndarray:
    """The keys that are different, rising, in place."""
    keys.sort()
    return keys[: int(_unique(keys))]


class Runs:
    """Runs in a file; edges are held until there are enough for a run.

    Parameters
    ----------
    path : Path
        Of the file.
    room : int
        Keys of a run.
    runs : list of Run
        Those that are in the file already; what is after them is cut off.

    Raises
    ------
    FormatError
        These are damaged.
    """

    def __init__(self, path: Path, room: int, runs: list[Run]) -> None:
        self.path, self.runs = path, list(runs)
        self._keys: np.ndarray = np.empty(room, np.uint64)
        self._held = 0
        self._file = open(path, "r+b" if runs else "wb")  # noqa: SIM115  (closed by `close`)
        for run in runs:
            check(path, run)
        self._file.truncate(self.size)
        self._file.seek(self.size)

    @property
    def size(self) -> int:
        """Bytes in the file."""
        return sum(run.keys for run in self.runs) * KEY

    @property
    def held(self) -> int:
        """Keys that are in no run yet."""
        return self._held

    def has_room(self, edges: int) -> bool:
        """Whether so many edges can be added to those held."""
        return self._held + 2 * edges <= len(self._keys)

    def add(self, u: np.ndarray, v: np.ndarray) -> None:
        """Hold edges, of which both ends are below `MOST`; write runs where there is no room for them."""
        most = max(len(self._keys) // 2, 1)
        for begin in range(0, len(u), most):
            a, b = u[begin : begin + most], v[begin : begin + most]
            if not self.has_room(len(a)):
                self.write()
            self._held = int(_fill(a, b, self._keys, self._held))

    def write(self) -> None:
        """A run of what is held, on the disk for good."""
        if not self._held:
            return
        keys = unique(self._keys[: self._held])
        data = keys.view(np.uint8).data
        self.runs.append(Run(self.size // KEY, len(keys), zlib.crc32(data)))
        self._file.write(data)
        self._file.flush()
        os.fsync(self._file.fileno())
        self._held = 0

    def close(self) -> None:
        """Close the file and let go of the memory."""
        self._keys = np.empty(0, np.uint64)
        self._file.close()


def check(path: Path, run: Run) -> None:
    """Raise a FormatError where a run in a file is not as it was written."""
    found = 0
    for keys in Stored(path).pieces(run):
        found = zlib.crc32(keys.view(np.uint8).data, found)
    if found != run.checksum:
        raise FormatError(f"{path}: what an earlier conversion left is damaged: start afresh with restart=True")


class Stored:
    """Runs in a file, for reading."""

    def __init__(self, path: Path) -> None:
        self._file: Any = open(path, "rb", buffering=0)  # noqa: SIM115  (closed by `close`)

    def read(self, begin: int, into: np.ndarray) -> None:
        """Keys from one of the file on, as many as there is room for."""
        self._file.seek(begin * KEY)
        data, done = into.view(np.uint8).data, 0
        while done < len(data):  # each turn reads, or the file is damaged
            count = self._file.readinto(data[done:])
            if not count:
                raise FormatError(f"{self._file.name}: a file of a conversion is cut short: start afresh")
            done += count

    def pieces(self, run: Run) -> Any:
        """The keys of a run, piece by piece; a piece is gone when the next is read."""
        into = np.empty(min(PIECE, run.keys), np.uint64)
        for begin in range(0, run.keys, PIECE):
            piece = into[: min(PIECE, run.keys - begin)]
            self.read(run.begin + begin, piece)
            yield piece

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def ends(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both ends of the edges of keys, each edge once: int64."""
    u, v = keys >> HALF, keys & LOW
    once = u <= v
    return u[once].astype(np.int64), v[once].astype(np.int64)
