"""Edges of arrays in files, read from front to back: .npy, .npz, .egr, and folders of graphs."""

from __future__ import annotations

import contextlib
import math
import os
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ....core.errors import GraphError
from ....io.files import malformed
from ....io.folder import DATA, Folder
from .sources import Budget, Chunk, Source, checked


class Array(NamedTuple):
    """An array of one dimension in a file: where its elements begin, in bytes, and how many there are."""

    path: Path  # that messages name
    file: Path
    begin: int
    dtype: np.dtype[Any]
    length: int

    def read(self, first: int, count: int) -> np.ndarray:
        """Some elements."""
        found = np.fromfile(self.file, self.dtype, count, offset=self.begin + first * self.dtype.itemsize)
        if len(found) < count:
            raise malformed(self.path, f"the file ends within its array of {self.length} {self.dtype}")
        return found


@contextlib.contextmanager
def readable(path: Path, what: str) -> Iterator[None]:
    """Errors of NumPy and zipfile, which raise a dozen types for damaged files, as a FormatError."""
    try:
        yield
    except (GraphError, MemoryError):
        raise
    except Exception as e:
        if isinstance(e, OSError) and e.errno is not None:
            raise
        raise malformed(path, f"no readable {what} ({e})") from e


def header(path: Path, file: Any) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, whether columns are contiguous, and type of an array in .npy; the file is at its first element then."""
    with readable(path, ".npy file"):
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, columns, dtype = read(file)
    if dtype.hasobject:
        raise malformed(path, "an array of objects, not of whole numbers")
    if any(side < 0 for side in shape):
        raise malformed(path, f"an array of shape {shape}")
    return shape, columns, dtype


class Npy(Source):
    """An array of shape (m, 2), a row per edge; or (2, m), where m is not 2."""

    def __init__(self, path: Path, budget: Budget, n: int | None) -> None:
        super().__init__(path)
        with open(path, "rb") as file:
            shape, columns, dtype = header(path, file)
            begin = file.tell()
        if len(shape) != 2 or 2 not in shape:
            raise malformed(path, f"edges are an array of shape (m, 2), not {shape}")
        if dtype.kind not in "iuf":
            raise malformed(path, f"ends of edges must be whole numbers, not {dtype}")
        self._m, self._step, self._most = shape[0] if shape[1] == 2 else shape[1], budget.edges, n
        # Ends of an edge lie side by side, or all first ends before all second ones.
        self._apart = columns if shape[1] == 2 else not columns
        self._ends, self.edges = Array(path, path, begin, dtype, 2 * self._m), self._m
        needed = begin + 2 * self._m * dtype.itemsize
        if self.size < needed:
            raise malformed(path, f"an array of shape {shape} takes {needed} bytes, and the file has {self.size}")

    def chunks(self, at: dict[str, int] | None, alone: bool) -> Iterator[Chunk]:
        """See `Source`."""
        for first in range(0 if at is None else at["edges"], self._m, self._step):
            count = min(self._step, self._m - first)
            if self._apart:
                u, v = (self._ends.read(before + first, count) for before in (0, self._m))
            else:
                u, v = self._ends.read(2 * first, 2 * count).reshape(count, 2).T
            u, v = checked(self.path, u, v, first, self._most)
            yield Chunk(u, v, {"edges": first + count}, self.size * (first + count) // self._m)


class Entries(Source):
    """Entries of a square matrix in two arrays: of coordinates, or where rows (or columns) begin, and columns."""

    both = True

    def __init__(self, path: Path, budget: Budget, n: int, rows: Array, columns: Array, pointers: bool) -> None:
        super().__init__(path)
        self._step, self.n, self._m, self._pointers = budget.edges, n, columns.length, pointers
        self._rows, self._columns, self.edges = rows, columns, columns.length
        if path.is_dir():
            self.size = 4 * self._m

    def chunks(self, at: dict[str, int] | None, alone: bool) -> Iterator[Chunk]:
        """See `Source`."""
        begin, done = (0, 0) if at is None else (at["row"], at["edges"])
        for row, end, first_ends in self._by_rows(begin) if self._pointers else [(0, self._m, self._rows.read)]:
            while done < end:  # each turn reads entries
                k = min(self._step, end - done)
                ends = first_ends(done, k), self._columns.read(done, k)
                done += k
                yield Chunk(
                    *checked(self.path, *ends, done - k, self.n), {"edges": done, "row": row},
                    self.size * done // self._m,
                )  # fmt: skip

    def _by_rows(self, row: int) -> Iterator[tuple[int, int, Callable[[int, int], np.ndarray]]]:
        """Pieces of rows from one on: the first row, where entries end, and what gives rows of entries."""
        n, last = self._rows.length - 1, self._rows.read(row, 1).astype(np.int64)
        if row == 0 and int(last[0]) != 0:
            raise malformed(self.path, f"indptr[0] must be 0, not {int(last[0])}")
        while row < n:  # each turn passes rows
            count = min(self._step, n - row)
            begins = np.concatenate([last, self._rows.read(row + 1, count).astype(np.int64)])
            falls = np.flatnonzero(begins[1:] < begins[:-1])
            if len(falls):
                k = int(falls[0])
                raise malformed(self.path, f"indptr decreases: indptr[{row + k}] = {begins[k]}, then {begins[k + 1]}")
            if int(begins[-1]) > self._m:
                raise malformed(self.path, f"indptr goes up to {int(begins[-1])}, but there are {self._m} indices")

            def rows_of(done: int, k: int, begins: np.ndarray = begins, row: int = row) -> np.ndarray:
                return np.searchsorted(begins, np.arange(done, done + k), side="right") - 1 + row

            yield row, int(begins[-1]), rows_of
            row, last = row + count, begins[-1:]
        if int(last[0]) != self._m:
            raise malformed(self.path, f"indptr ends with {int(last[0])}, but there are {self._m} indices")


def _npz(path: Path, budget: Budget, work: Path) -> Source:
    """An archive of `scipy.sparse.save_npz` (csr, csc or coo), or of indptr, indices and n; its arrays are unpacked."""
    what = ".npz archive of a graph"
    with readable(path, what), zipfile.ZipFile(path) as archive:
        about = {name.removesuffix(".npy"): _member(path, archive, name) for name in archive.namelist()}
        small = {name: _few(path, archive, name, about[name]) for name in ("format", "shape", "n") if name in about}
        form = bytes(small["format"][:1].tobytes()).decode("latin-1").rstrip("\0") if "format" in small else "csr"
        names = {"csr": ("indptr", "indices"), "csc": ("indptr", "indices"), "coo": ("row", "col")}.get(form)
        if names is None:
            raise malformed(path, f"a matrix in the format {form!r}: convert it, as in save_npz(path, A.tocsr())")
        for name in names:
            if name not in about:
                raise malformed(
                    path, f"no array '{name}': expected indptr, indices and n, or a file of scipy's save_npz"
                )
            shape, _, dtype = about[name]
            if dtype.kind not in "iu" or len(shape) != 1:
                raise malformed(path, f"'{name}' must hold whole numbers, not {dtype} of shape {shape}")
        n = _side(path, small)
        if form != "coo" and about["indptr"][0] != (n + 1,):
            raise malformed(path, f"indptr must have {n + 1} entries, one more than vertices, not {about['indptr'][0]}")
        rows, columns = (_unpacked(path, archive, name, work) for name in names)
    return Entries(path, budget, n, rows, columns, form != "coo")


def _side(path: Path, small: Mapping[Any, np.ndarray]) -> int:
    """The number of vertices that an archive declares."""
    sides = small.get("shape", small.get("n"))
    if sides is None:
        raise malformed(path, "no array 'n' or 'shape' with the number of vertices")
    if sides.dtype.kind not in "iu" or int(sides.min()) < 0:
        raise malformed(path, f"'n' or 'shape' must be one or two whole numbers, not {sides!r}")
    rows, columns = int(sides.ravel()[0]), int(sides.ravel()[-1])
    if rows != columns:
        raise GraphError(f"rectangular: a {rows} × {columns} matrix is no graph, which has as many rows as columns")
    return rows


def _few(path: Path, archive: zipfile.ZipFile, name: str, about: Any) -> np.ndarray:
    """An array of one or two elements."""
    if not 1 <= math.prod(about[0]) <= 2:
        raise malformed(path, f"'{name}' must have one or two elements, not {math.prod(about[0])}")
    with archive.open(f"{name}.npy") as file:
        header(path, file)
        return np.frombuffer(file.read(), about[2])


def _member(path: Path, archive: zipfile.ZipFile, name: str) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """The header of an array, which its size must fit."""
    with archive.open(name) as file:
        about = header(path, file)
        needed, size = file.tell() + math.prod(about[0]) * about[2].itemsize, archive.getinfo(name).file_size
        if size < needed:
            raise malformed(path, f"'{name}' has an array of shape {about[0]}, {needed} bytes, and there are {size}")
        return about


def _unpacked(path: Path, archive: zipfile.ZipFile, name: str, work: Path) -> Array:
    """An array, unpacked to a folder of its own; zipfile compares its checksum."""
    folder = work / f"unpacked-{len(list(work.glob('unpacked-*')))}"
    file = Path(archive.extract(f"{name}.npy", folder))
    with open(file, "rb") as opened:
        shape, _, dtype = header(path, opened)
        return Array(path, file, opened.tell(), dtype, math.prod(shape))


def _egr(path: Path, budget: Budget) -> Source:
    """ECL's binary CSR; see lagcolor/io/ecl.py."""
    if path.name.lower().endswith(".gz"):
        raise malformed(path, "a packed .egr is not converted: unpack it first")
    size = os.stat(path).st_size
    counts = np.fromfile(path, "<i4", 2)
    if len(counts) != 2 or int(counts.min()) < 0:
        raise malformed(path, "an .egr file starts with two counts, 8 bytes, neither negative")
    n, m = (int(x) for x in counts)
    if size not in (sizes := [4 * (3 + n + m), 4 * (3 + n + 2 * m)]):
        what = f"{n} vertices and {m} edges take {sizes[0]} bytes, or {sizes[1]} with weights, and this has {size}"
        raise malformed(path, what)
    int32 = np.dtype("<i4")
    rows, columns = Array(path, path, 8, int32, n + 1), Array(path, path, 8 + 4 * (n + 1), int32, m)
    return Entries(path, budget, n, rows, columns, True)


def _folder(path: Path, budget: Budget) -> Source:
    """A graph that was converted before, to which others are added."""
    graph = Folder.open(path)
    if graph.has_labels:
        raise malformed(path, "the vertices of this graph have labels, and a graph with labels is not converted again")
    graph.check_sums()
    rows, columns = (
        Array(path, path / f"{name}.npy", DATA, array.dtype, len(array))
        for name, array in (("indptr", graph.indptr), ("indices", graph.indices))
    )
    return Entries(path, budget, graph.n, rows, columns, True)


def source(path: Path, format: str, budget: Budget, n: int | None, work: Path) -> Source:
    """The source of a file of arrays."""
    if format == "npy":
        return Npy(path, budget, n)
    if format == "npz":
        return _npz(path, budget, work)
    return _egr(path, budget) if format == "egr" else _folder(path, budget)
