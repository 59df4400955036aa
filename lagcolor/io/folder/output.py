"""An array of a folder that is written in pieces, with its checksums."""

from __future__ import annotations

import contextlib
import os
import zlib
from pathlib import Path
from typing import IO, Any

import numpy as np

from . import layout
from .layout import DATA, array_header, damaged
from .placing import to_disk


class Output:
    """An array that is written in pieces: .npy whose length is known at the end.

    Parameters
    ----------
    folder : Path
    name : str
    dtype : str
        As .npy has it: "<i4".
    state : dict, optional
        As `state` gave it, to go on from there; what was written after that is cut off.
    """

    def __init__(self, folder: Path, name: str, dtype: str, state: dict[str, Any] | None = None) -> None:
        self.name, self.dtype = name, np.dtype(dtype)
        self._bytes, self._sums, self._last = 0, [], 0  # of all; of full blocks; of the one that is not full
        path = folder / f"{name}.npy"
        if state is None:
            self._file: IO[bytes] = open(path, "wb")  # noqa: SIM115  (closed by `close`)
            self._file.write(array_header(self.dtype, 0))
            return
        self._bytes, self._sums, self._last = state["bytes"], list(state["sums"]), state["last"]
        self._file = open(path, "r+b")  # noqa: SIM115
        if os.fstat(self._file.fileno()).st_size < DATA + self._bytes:
            self._file.close()
            raise damaged(folder, f"{name}.npy is shorter than was written")
        self._file.truncate(DATA + self._bytes)
        self._file.seek(DATA + self._bytes)

    @property
    def count(self) -> int:
        """Elements written."""
        return self._bytes // self.dtype.itemsize

    def append(self, values: np.ndarray) -> None:
        """Write elements."""
        data = np.ascontiguousarray(values, self.dtype).view(np.uint8).data
        self._file.write(data)
        while len(data):
            piece = data[: layout.BLOCK - self._bytes % layout.BLOCK]
            self._last = zlib.crc32(piece, self._last)
            self._bytes += len(piece)
            if self._bytes % layout.BLOCK == 0:
                self._sums.append(self._last)
                self._last = 0
            data = data[len(piece) :]

    def state(self) -> dict[str, Any]:
        """What is written for good: all so far, brought to the disk."""
        to_disk(self._file)
        return {"bytes": self._bytes, "sums": list(self._sums), "last": self._last}

    def finish(self) -> dict[str, Any]:
        """Write the header, close the file, and give what `graph.json` says of it."""
        self._file.seek(0)
        self._file.write(array_header(self.dtype, self.count))
        to_disk(self._file)
        self._file.close()
        sums = [*self._sums, self._last] if self._bytes % layout.BLOCK else list(self._sums)
        return {"dtype": self.dtype.str, "elements": self.count, "checksums": sums}

    def close(self) -> None:
        """Close the file, whatever is in it."""
        with contextlib.suppress(OSError):  # of bytes that a full disk has no room for
            self._file.close()
