"""An opened folder of a graph: its arrays are mapped, read when they are used, and checked on request."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from ...base import imported_from
from ...base.device.compiled import njit
from ...base.log import stage
from . import layout
from .layout import DATA, ENTRIES, HEADER, damaged


@imported_from("lagcolor.scale.disk")
class Folder:
    """An opened graph in a folder: its arrays are mapped, and read when they are used.

    Attributes
    ----------
    path : Path
    n : int
        Number of vertices.
    entries : int
        Number of stored entries: two per undirected edge.
    indptr : array of int64, shape (n + 1,)
        Offsets of rows; mapped, read-only.
    indices : array of int32 or int64, shape (entries,)
        Neighbors; mapped, read-only.
    notes : dict
        Notes of the program that wrote the folder.

    Examples
    --------
    >>> lagcolor.io.write("wheel.csr", ([0, 0, 0, 1, 2], [1, 2, 3, 2, 3]))
    >>> folder = lagcolor.scale.disk.Folder.open("wheel.csr")
    >>> folder
    <Folder wheel.csr: 4 vertices, 5 edges>
    >>> folder.indices[folder.indptr[1]:folder.indptr[2]]
    array([0, 2], dtype=int32)
    >>> folder.check()
    """

    path: Path
    n: int
    entries: int
    indptr: np.ndarray
    indices: np.ndarray

    def __init__(self, path: Path, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        self.path, self._header, self._arrays = path, header, arrays
        self.n, self.entries = int(header["n"]), int(header["entries"])
        self.indptr, self.indices = arrays["indptr"], arrays["indices"]
        self.notes: dict[str, Any] = header.get("notes", {})

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Open a folder and check its files, their sizes and headers, and both ends of `indptr`, but not its data.

        Parameters
        ----------
        path : path-like
            The folder.

        Raises
        ------
        FormatError
            It is not a graph folder, or one of its files is missing or damaged.
        OSError
            A file cannot be opened.
        """
        path = Path(path)
        header = layout.read_header(path)
        arrays = {name: layout.mapped(path, name, about) for name, about in header["arrays"].items()}
        n, entries = header["n"], header["entries"]
        expected = {"indptr": n + 1, "indices": entries, "labels": n, "names_end": n}
        for name, array in arrays.items():
            if len(array) != expected.get(name, len(array)):
                what = f"{name}.npy has {len(array)} elements, and {HEADER} says that there are {expected[name]}"
                raise damaged(path, what)
        indptr = arrays["indptr"]
        if int(indptr[0]) != 0 or int(indptr[-1]) != entries:
            what = f"indptr.npy goes from {int(indptr[0])} to {int(indptr[-1])}, not from 0 to {entries}"
            raise damaged(path, what)
        return cls(path, header, arrays)

    @property
    def n_edges(self) -> int:
        """Number of undirected edges."""
        return self.entries // 2

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self._arrays.values())

    @property
    def has_labels(self) -> bool:
        """Whether the vertices have names, or numbers other than 0 … n−1."""
        return "labels" in self._arrays or "names" in self._arrays

    @property
    def labels(self) -> Sequence[Any] | None:
        """The labels of the vertices, read into memory and checked; None if these are 0 … n−1.

        Raises
        ------
        FormatError
            The labels are damaged.
        """
        if "labels" in self._arrays:
            sum(self._sums("labels"))
            return self._arrays["labels"].tolist()
        if "names" not in self._arrays:
            return None
        sum(self._sums("names", "names_end"))
        return self._names(self._arrays["names"].tobytes(), self._arrays["names_end"].tolist())

    def _names(self, text: bytes, ends: list[int]) -> list[str]:
        """Return the names that end at `ends` in a text; the ends must not fall, and the last is the text's end."""
        names, begin = [], 0
        if (last := ends[-1] if ends else 0) != len(text):
            raise damaged(self.path, f"names_end.npy goes up to {last}, and names.npy has {len(text)} bytes")
        for v, end in enumerate(ends):
            if end < begin:
                raise damaged(self.path, f"names_end.npy falls from {begin} to {end} at vertex {v}")
            try:
                names.append(text[begin:end].decode())
            except UnicodeDecodeError as e:
                at = begin + e.start
                raise damaged(self.path, f"the name of vertex {v} in names.npy is no UTF-8: byte {at}") from e
            begin = end
        return names

    def rows(self, begin: int, end: int) -> tuple[np.ndarray, np.ndarray]:
        """Return offsets (from 0 on) and columns of the rows from `begin` to `end` − 1; columns are not copied."""
        offsets = np.asarray(self.indptr[begin : end + 1])
        first, last = int(offsets[0]), int(offsets[-1])
        if not 0 <= first <= last <= self.entries:
            raise damaged(self.path, f"indptr.npy falls between rows {begin} and {end}")
        return offsets - first, self.indices[first:last]

    def blocks(self, entries: int = ENTRIES) -> Iterator[tuple[int, int]]:
        """Yield ranges of rows (begin, end) with up to `entries` entries and rows each, or a single longer row."""
        begin = 0
        while begin < self.n:
            near = np.asarray(self.indptr[begin : begin + entries + 1])
            end = begin + int(np.searchsorted(near, near[0] + entries, side="right")) - 1
            end = min(max(end, begin + 1), self.n)
            yield begin, end
            begin = end

    def check(self) -> None:
        """Check checksums, that rows are strictly ascending and in range, without self-loops, and symmetry.

        The folder is read twice, in memory for a block. A sum of hashes compares entries with their mirror images.

        Raises
        ------
        FormatError
            A check fails; the message names the file and the place in it.
        """
        self.check_sums()
        key = int.from_bytes(os.urandom(8), "little")
        balance, checking = 0, stage("checking", self.entries, "entries")
        for begin, end in self.blocks():
            balance = (balance + self.check_rows(begin, end, key)) % 2**64
            checking.at(int(self.indptr[end]))
        if balance:
            v, u = unmirrored(self.indptr, self.indices)  # a search per entry
            raise damaged(self.path, f"row {v} has the entry {u}, and row {u} has no {v}")

    def check_rows(self, begin: int, end: int, key: int) -> int:
        """Check that some rows are strictly ascending and in range, without self-loops.

        Parameters
        ----------
        begin, end : int
            The rows from `begin` to `end` − 1.
        key : int
            A random number under 2⁶⁴, the same for all rows.

        Returns
        -------
        int
            A sum of hashes of the entries. The sum over all rows is 0 (modulo 2⁶⁴) if each entry has its
            mirror image.

        Raises
        ------
        FormatError
            A check fails; the message names the file and the place in it.
        """
        offsets, indices = self.rows(begin, end)
        if (np.diff(offsets) < 0).any():
            raise damaged(self.path, f"indptr.npy falls between rows {begin} and {end}")
        row, entry, sums = checked(offsets, indices, begin, self.n, np.uint64(key))
        if row >= 0:
            v, u = begin + row, int(indices[offsets[row] + entry])
            why = "out of range" if not 0 <= u < self.n else "a self-loop" if u == v else "not above the one before"
            raise damaged(self.path, f"entry {entry} of row {v} in indices.npy is {u}, {why}")
        return int(sums)

    def check_sums(self) -> None:
        """Check the checksum of each block of each array.

        Raises
        ------
        FormatError
            A block is damaged; the message names the file and the block.
        """
        done, reading = 0, stage("checking", self.nbytes, "bytes")
        for name in self._arrays:
            for count in self._sums(name):
                done += count
                reading.at(done)

    def _sums(self, *names: str) -> Iterator[int]:
        """Check the blocks of some arrays one by one, and yield the bytes of each."""
        for name in names:
            data, wanted = self._arrays[name].view(np.uint8), self._header["arrays"][name]["checksums"]
            for k in range(len(wanted)):
                block = data[k * layout.BLOCK : (k + 1) * layout.BLOCK]
                if zlib.crc32(block.data) != wanted[k]:
                    at = DATA + k * layout.BLOCK
                    what = f"bytes {at} to {at + len(block)} of {name}.npy are not those that were written"
                    raise damaged(self.path, what)
                yield len(block)

    def __fspath__(self) -> str:
        """Return the path, so that an opened folder can be passed as a path."""
        return os.fspath(self.path)

    def __repr__(self) -> str:
        return f"<Folder {self.path}: {self.n:,} vertices, {self.n_edges:,} edges>"


@njit(cache=True, nogil=True)
def checked(offsets: Any, indices: Any, first: Any, n: Any, key: Any) -> Any:
    """Return the row and the place in it of the first malformed entry, or −1, and a sum of hashes.

    Hashes of (smaller, larger) are added for entries above the diagonal, and subtracted for entries below it. No entry
    is there twice. So the sum over all rows is 0 if each has its mirror image, and otherwise with a chance of 2⁻⁶⁴.
    """
    sums = np.uint64(0)
    for k in range(len(offsets) - 1):
        v, last = np.int64(first + k), np.int64(-1)
        for e in range(offsets[k], offsets[k + 1]):
            u = np.int64(indices[e])
            if u <= last or u >= n or u == v:
                return k, e - offsets[k], sums
            last = u
            h = np.uint64(min(u, v)) * np.uint64(0x9E3779B97F4A7C15) + key
            h = (h ^ (h >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
            h = (h ^ (h >> np.uint64(32))) + np.uint64(max(u, v))
            h = (h ^ (h >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
            h = (h ^ (h >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
            h ^= h >> np.uint64(32)
            sums = sums + h if u > v else sums - h
    return -1, 0, sums


@njit(cache=True, nogil=True)
def unmirrored(indptr: Any, indices: Any) -> Any:
    """Return the first entry (row, column) without a mirror image, or −1, −1."""
    for v in range(len(indptr) - 1):
        for e in range(indptr[v], indptr[v + 1]):
            u = np.int64(indices[e])
            low, end = indptr[u], indptr[u + 1]
            while low < end:  # bisection: the range halves
                middle = (low + end) // 2
                if indices[middle] < v:
                    low = middle + 1
                else:
                    end = middle
            if low == indptr[u + 1] or indices[low] != v:
                return v, u
    return np.int64(-1), np.int64(-1)
