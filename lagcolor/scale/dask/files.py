"""Files of a run: whole or not there, and read with their checksums.

Tasks on several machines share one folder. Each file is written under another name and renamed, so that a task that is
run twice, or dies in between, leaves either no file or a whole one, and a second one of the same content replaces the
first. A file is an array as `numpy.save` writes it, followed by a CRC-32 per block, the size of a block and a mark:
`numpy.load` reads it as any other, and `read` checks the blocks that it takes entries from.
"""

from __future__ import annotations

import json
import math
import mmap
import threading
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from ...core.errors import FormatError
from ...io.files import atomic
from ...io.json_text import JSONError, parsed

BLOCK = 1 << 16  # bytes that have a checksum together
MARK = b"lagcolor"
# CPython 3.11 parses Python in one thread at a time only (its issue 106905), and NumPy parses headers as Python.
HEADERS = threading.Lock()
BEGINNING = b"\x93NUMPY\x01\x00"  # .npy of version 1.0


def save(path: Path, array: np.ndarray) -> None:
    """Write an array with its checksums; the folder is made if need be."""
    array = np.ascontiguousarray(array)
    data = array.reshape(-1).view(np.uint8).data if array.size else memoryview(b"")
    sums = [zlib.crc32(data[at : at + BLOCK]) for at in range(0, len(data), BLOCK)]
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic(path) as out:
        np.lib.format.write_array(out, array, version=(1, 0), allow_pickle=False)
        out.write(np.array(sums, "<u4").tobytes())
        out.write(np.array([BLOCK], "<u4").tobytes() + MARK)


def save_record(path: Path, record: dict[str, Any]) -> None:
    """Write a dictionary as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic(path) as out:
        out.write(json.dumps(record).encode())


def load_record(path: Path) -> dict[str, Any]:
    """What `save_record` wrote."""
    try:
        record = parsed(path.read_bytes())
    except JSONError as e:
        raise damaged(path, str(e)) from e
    if not isinstance(record, dict):
        raise damaged(path, "no record")
    return record


class Reading:
    """An array in a file, of which parts are read.

    Parameters
    ----------
    path : Path

    Attributes
    ----------
    map : array
        Mapped to memory; what is read of it directly is not checked.

    Raises
    ------
    FormatError
        The file is cut short, or no such file at all.
    """

    __slots__ = ("_block", "_sums", "map", "path")

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with open(path, "rb") as f:
                data = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)
            data.seek(len(BEGINNING))
            with HEADERS:
                shape, _, dtype = np.lib.format.read_array_header_1_0(data)  # type: ignore[arg-type]
            begin, size = data.tell(), dtype.itemsize * math.prod(shape)
            self._block = int.from_bytes(data[-len(MARK) - 4 : -len(MARK)], "little")
            blocks = -(-size // self._block)
            sound = (
                data[: len(BEGINNING)] == BEGINNING
                and data[-len(MARK) :] == MARK
                and begin + size + 4 * blocks + 4 + len(MARK) == len(data)
            )
            self.map = np.frombuffer(data, dtype, math.prod(shape), begin if size else 0).reshape(shape)
            self._sums = np.frombuffer(data, "<u4", blocks, begin + size if blocks else 0)
        except FileNotFoundError:
            raise
        except Exception as e:  # NumPy parses a header as Python, and raises what that raises
            raise damaged(path, f"{type(e).__name__}: {e}") from e
        if not sound:
            raise damaged(path, "its beginning or its end is missing")

    def flat(self, start: int, stop: int) -> np.ndarray:
        """A copy of the entries from `start` to `stop` of the array as one row."""
        size = self.map.itemsize
        data = self.map.reshape(-1).view(np.uint8) if self.map.size else np.zeros(0, np.uint8)
        if stop > start:
            for b in range(start * size // self._block, -(-stop * size // self._block)):
                if zlib.crc32(data[b * self._block : (b + 1) * self._block].data) != self._sums[b]:
                    raise damaged(self.path, f"bytes {b * self._block:,} and on are not those that were written")
        return np.array(data[start * size : stop * size]).view(self.map.dtype)

    def at(self, places: np.ndarray) -> np.ndarray:
        """Copies of the entries at some places of the array as one row."""
        if not len(places):
            return np.zeros(0, self.map.dtype)
        each = self._block // self.map.itemsize
        for b in np.unique(places // each).tolist():
            self.flat(b * each, min((b + 1) * each, self.map.size))
        return np.asarray(self.map.reshape(-1)[places])


def mapped(path: str | Path) -> np.ndarray:
    """The array of any .npy, mapped where it has entries; errors as of `numpy.load`."""
    with HEADERS:
        try:
            found: np.ndarray = np.load(path, mmap_mode="r", allow_pickle=False)
        except ValueError:  # an array without entries cannot be mapped
            found = np.load(path, allow_pickle=False)
            if found.size:
                raise
    return found


def load(path: Path) -> np.ndarray:
    """A whole array."""
    reading = Reading(path)
    return reading.flat(0, reading.map.size).reshape(reading.map.shape)


def damaged(path: Path, what: str) -> FormatError:
    """The error for a file of a run that is not as it was written."""
    return FormatError(f"{path}: damaged ({what}): delete the folder of the run, {path.parent.parent}, and start again")
