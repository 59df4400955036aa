"""Write a folder of a graph: arrays in pieces, rows in order, the header at the end.

It exists completely or not at all: it is written under another name in the same parent, synchronized, and renamed.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import uuid
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Self

import numpy as np

from ...base import imported_from
from ...base.errors import GraphError
from . import layout
from .layout import ENTRIES, FILES, FORMAT, HEADER, TYPES, VERSION, array_header, index_type, is_folder
from .reader import Folder

IN_USE = "the graph folder cannot be replaced: close its readers and delete their graphs, or choose another name"
LEFT = re.compile(r"\.DS_Store|\.[0-9a-f]{32}\.tmp")  # files that macOS makes, or a process that ends leaves


class Output:
    """A .npy file that is written in pieces; its length is known at the end. `dtype` is NumPy's text, as "<i4"."""

    name: str
    dtype: np.dtype[Any]

    def __init__(self, folder: Path, name: str, dtype: str) -> None:
        self.name, self.dtype, self._sums = name, np.dtype(dtype), list[int]()
        self._bytes = self._last = 0  # bytes written; the checksum of the incomplete block
        self._file: IO[bytes] = open(folder / f"{name}.npy", "wb")  # noqa: SIM115  (closed by `close`)
        self._file.write(array_header(self.dtype, 0))

    @property
    def count(self) -> int:
        """Number of elements written."""
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
        """Write the header, close the file, and return its entry in `graph.json`."""
        self._file.seek(0)
        self._file.write(array_header(self.dtype, self.count))
        to_disk(self._file)
        self._file.close()
        sums = [*self._sums, self._last] if self._bytes % layout.BLOCK else list(self._sums)
        return {"dtype": self.dtype.str, "elements": self.count, "checksums": sums}

    def close(self) -> None:
        """Close the file, complete or not."""
        with contextlib.suppress(OSError):  # a full disk could not store the last bytes
            self._file.close()


@imported_from("lagcolor.scale.disk")
class Writer:
    """A writer of a folder, rows in order; `publish` renames a temporary folder at the end.

    At the end of a ``with`` block, the temporary folder is removed if `publish` was not called.

    Parameters
    ----------
    path : path-like
        The folder to write.
    n : int
        Number of vertices.
    force : bool
        Replace an existing folder of this format.

    Raises
    ------
    FileExistsError
        `path` exists, and cannot be replaced, or has files that are not of the format.

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

    path: Path
    n: int

    def __init__(self, path: str | os.PathLike[str], n: int, *, force: bool = False) -> None:
        self.path, self.n, self._force = Path(os.path.realpath(path)), n, force
        check_target(self.path, force)
        self._temporary = hidden_sibling(self.path)
        self._temporary.mkdir()
        self._arrays: dict[str, Any] = {}
        self._indptr = Output(self._temporary, "indptr", "<i8")
        self._indices = Output(self._temporary, "indices", index_type(n))
        try:
            self._indptr.append(np.zeros(1, np.int64))
        except BaseException:
            self.__exit__()
            raise

    @property
    def rows(self) -> int:
        """Number of rows written."""
        return self._indptr.count - 1

    @property
    def entries(self) -> int:
        """Number of entries written."""
        return self._indices.count

    def append(self, lengths: Any, indices: Any) -> None:
        """Write the next rows.

        Parameters
        ----------
        lengths : array of integers, shape (rows,)
            Number of entries of each row.
        indices : array of integers, shape (entries,)
            Columns of the entries, strictly ascending in each row. Only `Folder.check` checks their order.

        Raises
        ------
        GraphError
            Lengths and columns do not fit together, or do not fit the graph.
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
        """Write a complete array of another name, one of `TYPES`."""
        out = Output(self._temporary, name, TYPES[name][0])
        try:
            for piece in pieces:
                out.append(piece)
            self._arrays[name] = out.finish()
        finally:
            out.close()

    def name(self, labels: Sequence[Any]) -> None:
        """Write the user's numbers (integers that fit int64) or names (anything else, as text) of all vertices.

        Parameters
        ----------
        labels : iterable
            A label per vertex.

        Raises
        ------
        GraphError
            The number of labels differs from the number of vertices.
        """
        if len(labels) != self.n:
            raise GraphError(f"{len(labels)} labels for {self.n} vertices")
        if all(type(label) is int and -(2**63) <= label < 2**63 for label in labels):
            self.extra("labels", iter([np.array(labels, np.int64)]))
            return
        try:
            names = [str(label).encode() for label in labels]
        except UnicodeEncodeError as e:
            what = "a folder has names in UTF-8, which cannot hold it: give the vertex another name"
            raise GraphError(f"the label {e.object!r} is no text: {what}") from e
        self.extra("names", iter([np.frombuffer(b"".join(names), np.uint8)]))
        self.extra("names_end", iter([np.cumsum([len(name) for name in names], dtype=np.int64)]))

    def publish(self, notes: dict[str, Any] | None = None) -> Folder:
        """Write the header, and rename the temporary folder to its final name.

        Parameters
        ----------
        notes : dict, optional
            Notes for `graph.json`.

        Returns
        -------
        Folder
            The opened folder.

        Raises
        ------
        GraphError
            Rows are missing.
        """
        if self.rows != self.n:
            raise GraphError(f"{self.rows} rows are fewer than the {self.n} vertices of the graph")
        arrays = {"indptr": self._indptr.finish(), "indices": self._indices.finish(), **self._arrays}
        return publish(self._temporary, self.path, self.n, arrays, notes or {}, self._force)

    def close(self) -> None:
        """Close the files; the temporary folder remains."""
        self._indptr.close()
        self._indices.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        shutil.rmtree(self._temporary, ignore_errors=True)


def publish(
    temporary: Path, path: Path, n: int, arrays: dict[str, Any], notes: dict[str, Any], replace: bool
) -> Folder:
    """Write the header of a folder after its arrays, and rename it; `arrays` has the results of `Output.finish`."""
    entries = arrays["indices"]["elements"]
    header = {"format": FORMAT, "version": VERSION, "n": n, "entries": entries, "block": layout.BLOCK}
    text = json.dumps({**header, "notes": notes, "arrays": arrays}, indent=1, sort_keys=True)
    with open(temporary / HEADER, "wb") as out:
        out.write(text.encode() + b"\n")
        to_disk(out)
    move(temporary, path, replace)
    return Folder.open(path)


def check_target(path: Path, force: bool) -> None:
    """Raise an error if a folder cannot be written at a path."""
    if not path.parent.is_dir():
        raise FileNotFoundError(2, f"there is no folder {path.parent}", str(path))
    if os.path.lexists(path) and not (force and is_folder(path)):
        graph = "there is a graph already; pass force=True to replace it"
        what = graph if is_folder(path) else "this is no graph folder, and is not replaced"
        raise FileExistsError(17, what, str(path))
    for name in sorted(os.listdir(path)) if path.is_dir() else ():
        if (name not in FILES or (path / name).is_dir()) and not LEFT.fullmatch(name):
            what = f"{name} in it is no file of the graph, and would be deleted: move it, or choose another folder"
            raise FileExistsError(17, what, str(path))


def hidden_sibling(path: Path, ending: str = "tmp") -> Path:
    """Return a new name for a hidden folder with the same parent."""
    return path.with_name(f".{path.name}.{uuid.uuid4().hex}.{ending}")


def move(source: Path, path: Path, replace: bool) -> None:
    """Rename a finished folder to its final name; with `replace`, in place of an existing folder of this format."""
    check_target(path, replace)  # files may have come since the first check
    sync_folder(source)
    old = None
    if replace and is_folder(path):
        old = hidden_sibling(path, "old")
        try:
            os.rename(path, old)
        except PermissionError as e:  # Windows renames no folder that has an open file
            raise PermissionError(e.errno, IN_USE, str(path)) from e
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
    """Synchronize the names in a folder to disk, if the system can."""
    with contextlib.suppress(OSError):
        opened = os.open(path, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def to_disk(out: IO[bytes]) -> None:
    """Synchronize a file to disk."""
    out.flush()
    os.fsync(out.fileno())
