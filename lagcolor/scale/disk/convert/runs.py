"""Edges in memory until there are enough for a file: as sorted keys (source, target) of 64 bits, both directions.

NumPy sorts 8 M keys at 68 M per second with AVX-512, 25 M with AVX2 and 6 M without either, in place; a radix sort of
11 bits per pass in compiled code took 10 to 15 M per second, and a second array.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ....device.compiled import njit
from .parts import File, New

KEY = 8  # bytes
HALF = np.uint64(32)
LOW = np.uint64(2**32 - 1)
MOST = 2**32  # ends of edges are below


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
    """Edges as keys; both ends of an edge are below `MOST`.

    Parameters
    ----------
    room : int
        Keys of a run.
    full : callable
        Called when the buffer is full. It creates a file and calls `into`, which writes the keys.
    """

    form = "keys"

    def __init__(self, room: int, full: Callable[[], None]) -> None:
        self._keys: np.ndarray = np.empty(room, np.uint64)
        self._held, self._full = 0, full

    @property
    def held(self) -> int:
        """Numbers held: keys, or ends of edges."""
        return self._held

    def has_room(self, edges: int) -> bool:
        """Whether this number of edges fits into the buffer."""
        return self._held + 2 * edges <= len(self._keys)

    def add(self, u: np.ndarray, v: np.ndarray) -> None:
        """Add edges to the buffer; call `full` whenever it is full."""
        most = max(len(self._keys) // 2, 1)
        for begin in range(0, len(u), most):
            a, b = u[begin : begin + most], v[begin : begin + most]
            if not self.has_room(len(a)):
                self._full()
            self._fill(a, b)

    def _fill(self, u: np.ndarray, v: np.ndarray) -> None:
        self._held = int(_fill(u, v, self._keys, self._held))

    def into(self, out: New) -> dict[str, Any]:
        """Write what is held, sorted, each key once; how it is there."""
        keys = unique(self._keys[: self._held])
        out.write(keys)
        self._held = 0
        return {"form": self.form, "count": len(keys)}


class Pairs(Runs):
    """Edges with numbers of any size, as they come, two int64 each."""

    form = "pairs"

    def _fill(self, u: np.ndarray, v: np.ndarray) -> None:
        ends = self._keys.view(np.int64)[self._held : self._held + 2 * len(u)]
        ends[::2], ends[1::2] = u, v
        self._held += len(ends)

    def into(self, out: New) -> dict[str, Any]:
        """Write what is held; how it is there."""
        out.write(self._keys[: self._held])
        count, self._held = self._held // 2, 0
        return {"form": self.form, "count": count}


def edges(file: File) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Both ends of the edges of a file, each edge once, piece by piece: int64."""
    count = file.content["count"]
    if file.content["form"] == "pairs":
        for pairs in file.pieces("<i8", 2 * count):
            yield pairs[::2], pairs[1::2]
        return
    for keys in file.pieces("<u8", count):
        u, v = keys >> HALF, keys & LOW
        once = u <= v
        yield u[once].astype(np.int64), v[once].astype(np.int64)
