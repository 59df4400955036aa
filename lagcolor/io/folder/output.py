"""An array of a folder that is written in pieces, with its checksums."""

from __future__ import annotations

import contextlib
import zlib
from pathlib import Path
from typing import IO, Any

import numpy as np

from . import layout
from .layout import array_header
from .placing import to_disk


class Output:
    """An array that is written in pieces: .npy whose length is known at the end; `dtype` as there ("<i4")."""

    name: str
    dtype: np.dtype[Any]

    def __init__(self, folder: Path, name: str, dtype: str) -> None:
        self.name, self.dtype, self._sums = name, np.dtype(dtype), list[int]()
        self._bytes = self._last = 0  # bytes of all; the checksum of the block that is not full
        self._file: IO[bytes] = open(folder / f"{name}.npy", "wb")  # noqa: SIM115  (closed by `close`)
        self._file.write(array_header(self.dtype, 0))

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
        with contextlib.suppress(OSError):  # bytes that a full disk could not store
            self._file.close()
