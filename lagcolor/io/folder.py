"""A graph as a folder of arrays that are read where they lie, for graphs that fit in no memory.

    web.csr/
      graph.json             format, version, n, entries; of each array its type, size and checksums
      indptr.npy             int64, shape (n + 1,)
      indices.npy            int32, shape (entries,); int64 where n is 2³¹ or more
      labels.npy             int64, shape (n,): the user's numbers of the vertices, where they have others than 0 … n−1
      names.npy              uint8: names of the vertices in UTF-8, one after the other, where they have names
      names_end.npy          int64, shape (n,): where each name ends

The graph is canonical: symmetric, no self-loops, rows strictly rising. Arrays are plain .npy, little-endian, data from
byte 128 on. Checksums are CRC-32 of each 16 MiB of data. Equal graphs make equal folders, byte for byte.

`Folder` opens one, `Writer` makes one; it is there whole or not at all.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import shutil
import uuid
import zlib
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

import numpy as np

from semirings.limits import MOST_ROWS as MOST_VERTICES

from ..device.compiled import njit
from ..errors import FormatError, GraphError
from ..inputs.structure import Structure
from ..progress import stage

if TYPE_CHECKING:
    from ..graph import Graph

FORMAT, VERSION = "lagcolor csr", 1
HEADER = "graph.json"
DATA = 128  # bytes before the data of an array
BLOCK = 1 << 24  # bytes of data per checksum
WIDE = 2**31  # from so many vertices on their numbers take int64
ENTRIES = 1 << 22  # that are copied or checked at once
TYPES = {
    "indptr": ("<i8",),
    "indices": ("<i4", "<i8"),
    "labels": ("<i8",),
    "names": ("|u1",),
    "names_end": ("<i8",),
}


def is_folder(path: Path) -> bool:
    """Whether there is a graph in a folder of this format."""
    return path.is_dir() and (path / HEADER).exists()


class Folder:
    """A graph in a folder, opened: its arrays are mapped, and read as they are used.

    Attributes
    ----------
    path : Path
    n : int
        Number of vertices.
    entries : int
        Stored entries: two per undirected edge.
    indptr : array of int64, shape (n + 1,)
        Mapped, read-only.
    indices : array of int32 or int64, shape (entries,)
        Mapped, read-only.
    notes : dict
        What whoever made the folder says of it.

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

    def __init__(self, path: Path, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        self.path, self._header, self._arrays = path, header, arrays
        self.n, self.entries = int(header["n"]), int(header["entries"])
        self.indptr, self.indices = arrays["indptr"], arrays["indices"]
        self.notes: dict[str, Any] = header.get("notes", {})

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Open a folder and check what takes no reading: its files, their sizes and headers, both ends of `indptr`.

        Raises
        ------
        FormatError
            It is no such folder, or a file of it is missing or damaged.
        OSError
            A file cannot be opened.
        """
        path = Path(path)
        header = _read_header(path)
        arrays = {name: _mapped(path, name, about) for name, about in header["arrays"].items()}
        n, entries = header["n"], header["entries"]
        expected = {"indptr": n + 1, "indices": entries, "labels": n, "names_end": n}
        for name, array in arrays.items():
            if len(array) != expected.get(name, len(array)):
                what = f"{name}.npy has {len(array)} elements, and {HEADER} says that there are {expected[name]}"
                raise _damaged(path, what)
        indptr = arrays["indptr"]
        if int(indptr[0]) != 0 or int(indptr[-1]) != entries:
            what = f"indptr.npy goes from {int(indptr[0])} to {int(indptr[-1])}, not from 0 to {entries}"
            raise _damaged(path, what)
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
        """Whether the vertices have other numbers than 0 … n−1, or names."""
        return "labels" in self._arrays or "names" in self._arrays

    @property
    def labels(self) -> Sequence[Any] | None:
        """The user's numbers or names of the vertices, read into memory; None where these are 0 … n−1."""
        if "labels" in self._arrays:
            return self._arrays["labels"].tolist()
        if "names" not in self._arrays:
            return None
        text = self._arrays["names"].tobytes()
        ends = [0, *self._arrays["names_end"].tolist()]
        return [text[a:b].decode() for a, b in pairwise(ends)]

    def rows(self, begin: int, end: int) -> tuple[np.ndarray, np.ndarray]:
        """Offsets (from 0 on) and columns of the rows from `begin` to `end` − 1; columns are mapped, not copied."""
        offsets = np.asarray(self.indptr[begin : end + 1])
        first, last = int(offsets[0]), int(offsets[-1])
        if not 0 <= first <= last <= self.entries:
            raise _damaged(self.path, f"indptr.npy falls between rows {begin} and {end}")
        return offsets - first, self.indices[first:last]

    def blocks(self, entries: int = ENTRIES) -> Iterator[tuple[int, int]]:
        """Ranges of rows (begin, end) with up to so many entries and rows each, or a single longer row."""
        begin = 0
        while begin < self.n:
            near = np.asarray(self.indptr[begin : begin + entries + 1])
            end = begin + int(np.searchsorted(near, near[0] + entries, side="right")) - 1
            end = min(max(end, begin + 1), self.n)
            yield begin, end
            begin = end

    def check(self) -> None:
        """Check everything: checksums, that rows are strictly rising and in range, no self-loops, and symmetry.

        Reads the folder twice, in memory for a block; each entry and its mirror image are compared by a sum of hashes.

        Raises
        ------
        FormatError
            Names the file and the place in it.
        """
        self.check_sums()
        key = int.from_bytes(os.urandom(8), "little")
        balance, checking = 0, stage("checking", self.entries, "entries")
        for begin, end in self.blocks():
            balance = (balance + self.check_rows(begin, end, key)) % 2**64
            checking.at(int(self.indptr[end]))
        if balance:
            raise self._asymmetric()

    def check_rows(self, begin: int, end: int, key: int) -> int:
        """Check that some rows are strictly rising and in range, without self-loops.

        Parameters
        ----------
        begin, end : int
            The rows from `begin` to `end` − 1.
        key : int
            A random number under 2⁶⁴, for all rows the same.

        Returns
        -------
        int
            A sum of hashes of their entries: those of all rows are 0 in all (modulo 2⁶⁴) where each entry has its
            mirror image.

        Raises
        ------
        FormatError
            Names the file and the place in it.
        """
        offsets, indices = self.rows(begin, end)
        if (np.diff(offsets) < 0).any():
            raise _damaged(self.path, f"indptr.npy falls between rows {begin} and {end}")
        row, entry, sums = _check_rows(offsets, indices, begin, self.n, np.uint64(key))
        if row >= 0:
            raise self._malformed_entry(begin + row, int(entry))
        return int(sums)

    def check_sums(self) -> None:
        """Check that each block of each array is as it was written.

        Raises
        ------
        FormatError
            Names the file and the block that are not.
        """
        total, done = self.nbytes, 0
        reading = stage("checking", total, "bytes")
        for name, array in self._arrays.items():
            data, wanted = array.view(np.uint8), self._header["arrays"][name]["checksums"]
            for k in range(len(wanted)):
                block = data[k * BLOCK : (k + 1) * BLOCK]
                if zlib.crc32(block.data) != wanted[k]:
                    at = DATA + k * BLOCK
                    what = f"bytes {at} to {at + len(block)} of {name}.npy are not those that were written"
                    raise _damaged(self.path, what)
                done += len(block)
                reading.at(done)

    def _malformed_entry(self, v: int, entry: int) -> FormatError:
        begin = int(self.indptr[v])
        row = np.asarray(self.indices[begin : int(self.indptr[v + 1])])
        u = int(row[entry])
        why = "out of range" if not 0 <= u < self.n else "a self-loop" if u == v else "not above the one before"
        return _damaged(self.path, f"entry {entry} of row {v} in indices.npy is {u}, {why}")

    def _asymmetric(self) -> FormatError:
        """Of the first entry whose mirror image is missing, which takes a search for each."""
        v, u = _unmirrored(self.indptr, self.indices)
        return _damaged(self.path, f"row {v} has the entry {u}, and row {u} has no {v}")

    def __repr__(self) -> str:
        return f"<Folder {self.path}: {self.n:,} vertices, {self.n_edges:,} edges>"


@njit(cache=True, nogil=True)
def _check_rows(offsets, indices, first, n, key):
    # The sum over entries above the diagonal less that below, of hashes of (smaller, larger): 0 if and only if each has
    # its mirror image, but for a chance of 2⁻⁶⁴, as no entry is there twice.
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
def _unmirrored(indptr, indices):
    for v in range(len(indptr) - 1):
        for e in range(indptr[v], indptr[v + 1]):
            u = np.int64(indices[e])
            low, end = indptr[u], indptr[u + 1]
            while low < end:  # ends as the range halves
                middle = (low + end) // 2
                if indices[middle] < v:
                    low = middle + 1
                else:
                    end = middle
            if low == indptr[u + 1] or indices[low] != v:
                return v, u
    return np.int64(-1), np.int64(-1)


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
            self._file.write(_array_header(self.dtype, 0))
            return
        self._bytes, self._sums, self._last = state["bytes"], list(state["sums"]), state["last"]
        self._file = open(path, "r+b")  # noqa: SIM115
        if os.fstat(self._file.fileno()).st_size < DATA + self._bytes:
            self._file.close()
            raise _damaged(folder, f"{name}.npy is shorter than was written")
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
            piece = data[: BLOCK - self._bytes % BLOCK]
            self._last = zlib.crc32(piece, self._last)
            self._bytes += len(piece)
            if self._bytes % BLOCK == 0:
                self._sums.append(self._last)
                self._last = 0
            data = data[len(piece) :]

    def state(self) -> dict[str, Any]:
        """What is written for good: all so far, brought to the disk."""
        _to_disk(self._file)
        return {"bytes": self._bytes, "sums": list(self._sums), "last": self._last}

    def finish(self) -> dict[str, Any]:
        """Write the header, close the file, and give what `graph.json` says of it."""
        self._file.seek(0)
        self._file.write(_array_header(self.dtype, self.count))
        _to_disk(self._file)
        self._file.close()
        sums = [*self._sums, self._last] if self._bytes % BLOCK else list(self._sums)
        return {"dtype": self.dtype.str, "elements": self.count, "checksums": sums}

    def close(self) -> None:
        """Close the file, whatever is in it."""
        with contextlib.suppress(OSError):  # of bytes that a full disk has no room for
            self._file.close()


class Writer:
    """Writes a folder, rows in order; a temporary folder beside it is renamed at the end.

    As a context it takes the temporary folder away where `publish` was not called.

    Parameters
    ----------
    path : path-like
        Of the folder to make.
    n : int
        Number of vertices.
    replace : bool
        Replace a folder of this format that is there.
    temporary : path-like, optional
        The folder to write in, beside `path`; default: a new hidden one.
    state : dict, optional
        As `state` of a writer in the same temporary folder gave it, to go on from there.

    Raises
    ------
    FileExistsError
        There is something at `path`.

    Examples
    --------
    The path 0 – 1 – 2, in two blocks of rows:

    >>> from lagcolor.scale.disk import Writer
    >>> with Writer("path.csr", 3) as out:
    ...     out.append([1], [1])
    ...     out.append([2, 1], [0, 2, 1])
    ...     folder = out.publish()
    >>> folder.n, folder.entries
    (3, 4)
    """

    def __init__(
        self, path: str | os.PathLike[str], n: int, *, replace: bool = False,
        temporary: str | os.PathLike[str] | None = None, state: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self.path, self.n, self._replace = Path(os.path.realpath(path)), n, replace
        check_target(self.path, replace)
        self._temporary = beside(self.path) if temporary is None else Path(temporary)
        self._temporary.mkdir(exist_ok=temporary is not None)
        self._arrays: dict[str, Any] = {}
        self._indptr = Output(self._temporary, "indptr", "<i8", state and state["indptr"])
        self._indices = Output(
            self._temporary, "indices", "<i4" if n < WIDE else "<i8", state and state["indices"]
        )  # fmt: skip
        if state is not None:
            return
        try:
            self._indptr.append(np.zeros(1, np.int64))
        except BaseException:
            self.__exit__()
            raise

    @property
    def rows(self) -> int:
        """Rows written."""
        return self._indptr.count - 1

    @property
    def entries(self) -> int:
        """Entries written."""
        return self._indices.count

    def append(self, lengths: Any, indices: Any) -> None:
        """Write the next rows.

        Parameters
        ----------
        lengths : array of integers, shape (rows,)
            Entries of each.
        indices : array of integers, shape (entries,)
            Their columns, strictly rising in each row: `Folder.check` finds out, this does not.

        Raises
        ------
        GraphError
            Lengths and columns do not fit each other, or the graph.
        """
        lengths, indices = np.asarray(lengths, np.int64), np.asarray(indices)
        total = int(lengths.sum())
        if total != len(indices) or (len(lengths) and int(lengths.min()) < 0):
            raise GraphError(f"lengths of rows make {total} entries, and there are {len(indices)}")
        if self.rows + len(lengths) > self.n:
            raise GraphError(f"{self.rows + len(lengths)} rows are more than the {self.n} vertices of the graph")
        if len(indices) and not (int(indices.min()) >= 0 and int(indices.max()) < self.n):
            raise GraphError(f"a column is not among 0 … {self.n - 1}")
        begin = self.entries
        self._indices.append(indices)
        for k in range(0, len(lengths), ENTRIES):
            ends = begin + np.cumsum(lengths[k : k + ENTRIES])
            self._indptr.append(ends)
            begin = int(ends[-1])

    def extra(self, name: str, pieces: Iterator[np.ndarray]) -> None:
        """Write an array of another name, one of `TYPES`, whole."""
        out = Output(self._temporary, name, TYPES[name][0])
        try:
            for piece in pieces:
                out.append(piece)
            self._arrays[name] = out.finish()
        finally:
            out.close()

    def name(self, labels: Sequence[Any]) -> None:
        """Write the user's numbers (integers that fit int64) or names (anything else, as text) of all vertices.

        Raises
        ------
        GraphError
            There are more or fewer of them than vertices.
        """
        if len(labels) != self.n:
            raise GraphError(f"{len(labels)} labels for {self.n} vertices")
        if all(type(label) is int and -(2**63) <= label < 2**63 for label in labels):
            self.extra("labels", iter([np.array(labels, np.int64)]))
            return
        names = [str(label).encode() for label in labels]
        self.extra("names", iter([np.frombuffer(b"".join(names), np.uint8)]))
        self.extra("names_end", iter([np.cumsum([len(name) for name in names], dtype=np.int64)]))

    def state(self) -> dict[str, Any]:
        """What is on the disk for good, for a writer that goes on from here."""
        return {"indptr": self._indptr.state(), "indices": self._indices.state()}

    def publish(self, notes: dict[str, Any] | None = None) -> Folder:
        """Make the folder visible under its name, whole.

        Parameters
        ----------
        notes : dict, optional
            What to say of it in `graph.json`.

        Raises
        ------
        GraphError
            Rows are missing.
        """
        if self.rows != self.n:
            raise GraphError(f"{self.rows} rows are fewer than the {self.n} vertices of the graph")
        arrays = {"indptr": self._indptr.finish(), "indices": self._indices.finish(), **self._arrays}
        return publish(self._temporary, self.path, self.n, arrays, notes or {}, self._replace)

    def close(self) -> None:
        """Close the files; what was written stays in the temporary folder."""
        self._indptr.close()
        self._indices.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        shutil.rmtree(self._temporary, ignore_errors=True)


def read(path: Path, symmetrize: bool) -> Structure:
    """See `lagcolor.io.read`; checksums are checked, and the structure as that of any file."""
    folder = Folder.open(path)
    if folder.n > MOST_VERTICES:
        raise GraphError(
            f"{folder.n} vertices are more than the {MOST_VERTICES} that lagcolor can number in one graph in memory"
        )
    folder.check_sums()
    return Structure("csr", np.asarray(folder.indptr), np.asarray(folder.indices), folder.n, folder.labels)


def write(path: Path, G: Graph) -> None:
    """See `lagcolor.io.write`; a folder of this format that is there is replaced, nothing else is."""
    with Writer(path, G.n, replace=True) as out:
        for begin in range(0, G.n, ENTRIES):
            ends = G.indptr[begin : begin + ENTRIES + 1]
            out.append(np.diff(ends), G.indices[int(ends[0]) : int(ends[-1])])
        if G.labels is not None:
            out.name(list(G.labels))
        out.publish()


def publish(
    temporary: Path, path: Path, n: int, arrays: dict[str, Any], notes: dict[str, Any], replace: bool
) -> Folder:
    """Write the header of a folder whose arrays are written, and give it its name; `arrays` as `Output.finish` says."""
    header = {"format": FORMAT, "version": VERSION, "n": n, "entries": arrays["indices"]["elements"], "block": BLOCK}
    text = json.dumps({**header, "notes": notes, "arrays": arrays}, indent=1, sort_keys=True)
    with open(temporary / HEADER, "wb") as out:
        out.write(text.encode() + b"\n")
        _to_disk(out)
    move(temporary, path, replace)
    return Folder.open(path)


def check_target(path: Path, replace: bool, parameter: str = "replace") -> None:
    """Nothing, where a folder can be made at a path.

    Raises
    ------
    FileExistsError
        There is something: what is no folder of this format is never replaced.
    FileNotFoundError
        There is no folder to make it in.
    """
    if not path.parent.is_dir():
        raise FileNotFoundError(2, f"there is no folder {path.parent}", str(path))
    if os.path.lexists(path) and not (replace and is_folder(path)):
        graph = f"there is a graph already; pass {parameter}=True to replace it"
        what = graph if is_folder(path) else "there is something else, which is never replaced"
        raise FileExistsError(17, what, str(path))


def beside(path: Path, ending: str = "tmp") -> Path:
    """A new name for a hidden folder beside another."""
    return path.with_name(f".{path.name}.{uuid.uuid4().hex}.{ending}")


def move(source: Path, path: Path, replace: bool) -> None:
    """Rename a finished folder to its name, in place of one of this format if there is one."""
    sync_folder(source)
    old = None
    if replace and is_folder(path):
        old = beside(path, "old")
        os.rename(path, old)
    try:
        os.rename(source, path)
    except OSError:
        if old is not None:
            os.rename(old, path)
        raise
    sync_folder(path.parent)
    if old is not None:
        shutil.rmtree(old, ignore_errors=True)


def sync_folder(path: Path) -> None:
    """Bring the names in a folder to the disk, where the system can."""
    with contextlib.suppress(OSError):
        opened = os.open(path, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def _to_disk(out: IO[bytes]) -> None:
    out.flush()
    os.fsync(out.fileno())


def _array_header(dtype: np.dtype[Any], count: int) -> bytes:
    """The first `DATA` bytes of a .npy of one dimension, whatever its length."""
    text = f"{{'descr': '{dtype.str}', 'fortran_order': False, 'shape': ({count},), }}"
    return b"\x93NUMPY\x01\x00" + (DATA - 10).to_bytes(2, "little") + text.ljust(DATA - 11).encode() + b"\n"


def _damaged(path: Path, what: str) -> FormatError:
    return FormatError(f"{path}: damaged folder of a graph: {what}; make it anew")


def _read_header(path: Path) -> dict[str, Any]:
    """What `graph.json` says, with types as expected."""
    if not path.is_dir():
        if path.exists():
            raise FormatError(
                f"{path}: a file, and a graph that ends in .csr is a folder with {HEADER} in it; "
                "lagcolor.convert makes one of files of edges"
            )
        raise FileNotFoundError(2, "no such folder", str(path))
    try:
        header = json.loads((path / HEADER).read_bytes())
    except FileNotFoundError:
        raise FormatError(
            f"{path}: a folder without {HEADER}, so no graph; lagcolor.convert makes one of files of edges"
        ) from None
    except ValueError as e:
        raise _damaged(path, f"{HEADER} is no JSON ({e})") from e
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise FormatError(f"{path}: {HEADER} is not one of a graph's folder, whose format is {FORMAT!r}")
    if header.get("version") != VERSION or header.get("block") != BLOCK:
        raise FormatError(
            f"{path}: version {header.get('version')!r} of the folder, and this lagcolor reads version {VERSION}"
        )
    arrays = header.get("arrays")
    if not (_count(header.get("n")) and _count(header.get("entries")) and isinstance(arrays, dict)):
        raise _damaged(path, f"n, entries or arrays are missing in {HEADER}")
    for name in ("indptr", "indices"):
        if name not in arrays:
            raise _damaged(path, f"{HEADER} does not list {name}")
    for name, about in arrays.items():
        sound = isinstance(about, dict) and about.get("dtype") in TYPES.get(name, ()) and _count(about.get("elements"))
        if not sound or not isinstance(about.get("checksums"), list):
            raise _damaged(path, f"{HEADER} does not say what {name}.npy is like")
        size = about["elements"] * np.dtype(about["dtype"]).itemsize
        if len(about["checksums"]) != math.ceil(size / BLOCK):
            raise _damaged(path, f"{HEADER} has {len(about['checksums'])} checksums of {name}.npy for {size} bytes")
    if ("names" in arrays) != ("names_end" in arrays):
        raise _damaged(path, f"{HEADER} lists one of names and names_end without the other")
    return header


def _count(x: Any) -> bool:
    return type(x) is int and x >= 0


def _mapped(path: Path, name: str, about: dict[str, Any]) -> np.ndarray:
    file, dtype, count = path / f"{name}.npy", np.dtype(about["dtype"]), about["elements"]
    try:
        with open(file, "rb") as f:
            head, size = f.read(DATA), os.fstat(f.fileno()).st_size
    except FileNotFoundError:
        raise _damaged(path, f"there is no {name}.npy") from None
    if size != DATA + count * dtype.itemsize:
        raise _damaged(path, f"{name}.npy has {size} bytes, not {DATA + count * dtype.itemsize}")
    if head != _array_header(dtype, count):
        raise _damaged(path, f"{name}.npy does not begin as an array of {count} {dtype}")
    if count == 0:  # which cannot be mapped
        return np.frombuffer(b"", dtype)
    return np.memmap(file, dtype, mode="r", offset=DATA, shape=(count,)).view(np.ndarray)
