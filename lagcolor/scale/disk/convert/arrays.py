"""Edges of arrays in files, read from front to back: .npy, .npz, .egr, and folders of graphs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ....core.errors import GraphError
from ....inputs.canonical import Structure
from ....io.files import malformed
from ....io.folder import DATA, Folder
from ....io.formats import read as read_whole
from ....io.npy import Archive, Head, archive, head_of
from ....progress import unheard
from .sources import Budget, Chunk, Source, checked

NAMES = {"csr": ("indptr", "indices"), "csc": ("indptr", "indices"), "coo": ("row", "col")}  # by format of save_npz


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


def array_of(path: Path, file: Path) -> tuple[Array, Head]:
    """The array of a .npy file, flat, and its header; `path` is what messages name."""
    try:
        with open(file, "rb") as opened:
            head = head_of(opened, os.fstat(opened.fileno()).st_size)
            return Array(path, file, opened.tell(), head.dtype, int(np.prod(head.shape, dtype=object))), head
    except ValueError as e:
        raise malformed(path, f"no readable .npy file ({e})") from e


class Npy(Source):
    """An array of shape (m, 2), a row per edge; or (2, m), where m is not 2."""

    edges: Any

    def __init__(self, path: Path, budget: Budget, n: int | None) -> None:
        super().__init__(path)
        self._ends, head = array_of(path, path)
        if len(head.shape) != 2 or 2 not in head.shape:
            raise malformed(path, f"edges are an array of shape (m, 2), not {head.shape}")
        if head.dtype.kind not in "iuf":
            raise malformed(path, f"ends of edges must be whole numbers, not {head.dtype}")
        self._m, self._step, self._most = self._ends.length // 2, budget.edges, n
        self.edges = self._m
        # Ends of an edge lie side by side, or all first ends before all second ones.
        self._apart = head.fortran_order == (head.shape[1] == 2)

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
    """Entries of a square matrix in two arrays: rows, or where rows (or columns) begin, and columns."""

    both = True
    n: Any
    edges: Any
    size: int

    def __init__(self, path: Path, budget: Budget, n: int, rows: Array, columns: Array, pointers: bool) -> None:
        super().__init__(path)
        self._step, self.n, self._m, self._pointers = budget.edges, n, columns.length, pointers
        self._rows, self._columns, self.edges = rows, columns, columns.length
        if path.is_dir():
            self.size = 4 * self._m

    def chunks(self, at: dict[str, int] | None, alone: bool) -> Iterator[Chunk]:
        """See `Source`."""
        first, done = (0, 0) if at is None else (at["row"], at["edges"])
        for u, row in self._by_pointers(first, done) if self._pointers else self._by_rows(done):
            ends = checked(self.path, u, self._columns.read(done, len(u)), done, self.n)
            done += len(u)
            yield Chunk(*ends, {"edges": done, "row": row}, self.size * done // self._m)

    def _by_rows(self, done: int) -> Iterator[tuple[np.ndarray, int]]:
        """Rows of the next entries."""
        for first in range(done, self._m, self._step):
            yield self._rows.read(first, min(self._step, self._m - first)), 0

    def _by_pointers(self, first: int, done: int) -> Iterator[tuple[np.ndarray, int]]:
        """Rows of the next entries, the first row being known, and a row from which the reading can go on."""
        n, begin = self._rows.length - 1, int(self._rows.read(0, 1)[0])
        if begin != 0:
            raise malformed(self.path, f"indptr[0] must be 0, not {begin}")
        for row in range(first, n, self._step):
            begins = self._rows.read(row, min(self._step, n - row) + 1).astype(np.int64)
            falls = np.flatnonzero(begins[1:] < begins[:-1])
            if len(falls):
                k = int(falls[0])
                raise malformed(self.path, f"indptr decreases: indptr[{row + k}] = {begins[k]}, then {begins[k + 1]}")
            if int(begins[-1]) > self._m:
                raise malformed(self.path, f"indptr goes up to {int(begins[-1])}, but there are {self._m} indices")
            while done < begins[-1]:  # each turn passes entries
                count = min(self._step, int(begins[-1]) - done)
                yield np.searchsorted(begins, np.arange(done, done + count), side="right") - 1 + row, row
                done += count
        if (last := int(self._rows.read(n, 1)[0])) != self._m:
            raise malformed(self.path, f"indptr ends with {last}, but there are {self._m} indices")


class Whole(Source):
    """A file that is read as `lagcolor.io` reads it, in memory: DIMACS binary, dense Matrix Market."""

    n: Any
    edges: Any

    def __init__(self, path: Path, format: str, budget: Budget) -> None:
        super().__init__(path)
        with unheard():
            found = read_whole(path, True, format)
        assert isinstance(found, Structure)  # a matrix or a graph, and no table
        self._found = found
        if self._found.columns is not None:
            raise GraphError(self._found.no_graph)
        self._step, self.n, self.edges = budget.edges, self._found.n, len(self._found.first)

    def chunks(self, at: dict[str, int] | None, alone: bool) -> Iterator[Chunk]:
        """See `Source`."""
        m = int(self.edges)
        for k in range(0 if at is None else at["edges"], m, self._step):
            end = min(k + self._step, m)
            u, v = (np.asarray(a[k:end], np.int64) for a in (self._found.first, self._found.second))
            yield Chunk(u, v, {"edges": end}, self.size * end // m)


def npz(path: Path, budget: Budget, work: Path) -> Source:
    """An archive of `scipy.sparse.save_npz` (csr, csc or coo), or of indptr, indices and n; its arrays are unpacked."""
    try:
        with archive(path) as arrays:
            form = np.ravel(arrays["format"]).astype("U")[0] if "format" in arrays.names else "csr"
            if form not in NAMES:
                raise malformed(path, f"a matrix in the format {form!r}: convert it, as in save_npz(path, A.tocsr())")
            n = _side(path, arrays)
            rows, columns = (_unpacked(path, arrays, name, work) for name in NAMES[form])
    except GraphError:
        raise
    except ValueError as e:
        raise malformed(path, f"no readable .npz archive of a graph ({e})") from e
    if form != "coo" and rows.length != n + 1:
        raise malformed(path, f"indptr must have {n + 1} entries, one more than vertices, not {rows.length}")
    return Entries(path, budget, n, rows, columns, form != "coo")


def _side(path: Path, arrays: Archive) -> int:
    """The number of vertices that an archive declares."""
    name = next((name for name in ("shape", "n") if name in arrays.names), None)
    if name is None:
        raise malformed(path, "no array 'n' or 'shape' with the number of vertices")
    sides = arrays[name].ravel() if arrays.shape(name) in ((), (1,), (2,)) else np.empty(0)
    if sides.dtype.kind not in "iu" or int(sides.min()) < 0:
        raise malformed(path, f"{name!r} must be one or two whole numbers, and none is negative")
    rows, columns = int(sides[0]), int(sides[-1])
    if rows != columns:
        raise GraphError(f"rectangular: a {rows} × {columns} matrix is no graph, which has as many rows as columns")
    return rows


def _unpacked(path: Path, arrays: Archive, name: str, work: Path) -> Array:
    """An array of whole numbers, unpacked to a file."""
    if name not in arrays.names:
        raise malformed(path, f"no array '{name}': expected indptr, indices and n, or a file of scipy's save_npz")
    shape, file = arrays.shape(name), work / f"unpacked-{len(list(work.glob('unpacked-*')))}"
    arrays.unpack(name, file)
    array, head = array_of(path, file)
    if head.dtype.kind not in "iu" or len(shape) != 1:
        raise malformed(path, f"'{name}' must hold whole numbers, not {head.dtype} of shape {shape}")
    return array


def egr(path: Path, budget: Budget) -> Source:
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


def folder(path: Path, budget: Budget) -> Source:
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
