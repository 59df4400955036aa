"""Edges of arrays in files, read from front to back: .npy, .npz, .egr, and folders of graphs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ....core.errors import GraphError
from ....inputs.canonical import Structure
from ....io import ecl
from ....io.files import malformed
from ....io.folder import Folder
from ....io.formats import read as read_whole
from ....io.npy import Archive, Head, archive, head_of
from ....progress import unheard
from .sources import Both, Budget, Source, counted, in_steps

NAMES = {"csr": ("indptr", "indices"), "csc": ("indptr", "indices"), "coo": ("row", "col")}  # by format of save_npz


class Array(NamedTuple):
    """An array in a file, flat: where its elements begin, in bytes."""

    path: Path  # that messages name
    file: Path
    begin: int
    head: Head

    @classmethod
    def of(cls, path: Path, file: Path) -> Array:
        """The array of a .npy file."""
        try:
            with open(file, "rb") as opened:
                head = head_of(opened, os.fstat(opened.fileno()).st_size)
                return cls(path, file, opened.tell(), head)
        except ValueError as e:
            raise malformed(path, f"no readable .npy file ({e})") from e

    @property
    def length(self) -> int:
        """How many elements there are."""
        return int(np.prod(self.head.shape, dtype=object))

    def read(self, first: int, count: int) -> np.ndarray:
        """Some elements."""
        dtype = self.head.dtype
        found = np.fromfile(self.file, dtype, count, offset=self.begin + first * dtype.itemsize)
        if len(found) < count:
            raise malformed(self.path, f"the file ends within its array of {self.length} {dtype}")
        return found


def npy(path: Path, budget: Budget) -> Source:
    """An array of shape (m, 2), a row per edge; or (2, m), where m is not 2."""
    array = Array.of(path, path)
    shape, fortran, dtype = array.head
    if len(shape) != 2 or 2 not in shape:
        raise malformed(path, f"edges are an array of shape (m, 2), not {shape}")
    if dtype.kind not in "iuf":
        raise malformed(path, f"ends of edges must be whole numbers, not {dtype}")
    m = array.length // 2

    def side_by_side(first: int, count: int) -> Both:
        u, v = array.read(2 * first, 2 * count).reshape(count, 2).T
        return u, v

    def apart(first: int, count: int) -> Both:
        return array.read(first, count), array.read(m + first, count)

    both = apart if fortran == (shape[1] == 2) else side_by_side
    return counted(path, m, in_steps(m, budget.edges, both))


def csr(path: Path, budget: Budget, n: int, indptr: Array, indices: Array) -> Source:
    """Rows (or columns) of a square matrix, by where each begins."""
    m = indices.length
    if indptr.length != n + 1:
        raise malformed(path, f"indptr must have {n + 1} entries, one more than vertices, not {indptr.length}")
    begin, end = (int(indptr.read(k, 1)[0]) for k in (0, n))
    if begin != 0:
        raise malformed(path, f"indptr[0] must be 0, not {begin}")
    if end != m:
        raise malformed(path, f"indptr ends with {end}, but there are {m} indices")

    def ends(done: int) -> Iterator[Both]:
        for row in range(0, n, budget.edges):
            begins = indptr.read(row, min(budget.edges, n - row) + 1).astype(np.int64)
            falls = np.flatnonzero(begins[1:] < begins[:-1])
            if len(falls):
                k = int(falls[0])
                raise malformed(path, f"indptr decreases: indptr[{row + k}] = {begins[k]}, then {begins[k + 1]}")
            while done < min(int(begins[-1]), m):  # each turn passes entries
                count = min(budget.edges, int(begins[-1]) - done, m - done)
                rows = np.searchsorted(begins, np.arange(done, done + count), side="right") - 1 + row
                yield rows, indices.read(done, count)
                done += count

    return counted(path, m, ends, n, both=True)


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
    if form != "coo":
        return csr(path, budget, n, rows, columns)
    m = columns.length
    ends = in_steps(m, budget.edges, lambda k, count: (rows.read(k, count), columns.read(k, count)))
    return counted(path, m, ends, n, both=True)


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
    file = work / f"unpacked-{len(list(work.glob('unpacked-*')))}"
    arrays.unpack(name, file)
    array = Array.of(path, file)
    if array.head.dtype.kind not in "iu" or len(array.head.shape) != 1:
        raise malformed(path, f"'{name}' must hold whole numbers, not {array.head.dtype} of shape {array.head.shape}")
    return array


def egr(path: Path, budget: Budget) -> Source:
    """ECL's binary CSR; see lagcolor/io/ecl.py."""
    if path.name.lower().endswith(".gz"):
        raise malformed(path, "a packed .egr is not converted: unpack it first")
    with open(path, "rb") as file:
        n, m = ecl.counts(path, file.read(8), os.stat(path).st_size)
    parts = ((8, n + 1), (8 + 4 * (n + 1), m))
    indptr, indices = (Array(path, path, at, Head((length,), False, np.dtype("<i4"))) for at, length in parts)
    return csr(path, budget, n, indptr, indices)


def folder(path: Path, budget: Budget) -> Source:
    """A graph that was converted before, to which others are added."""
    graph = Folder.open(path)
    if graph.has_labels:
        raise malformed(path, "the vertices of this graph have labels, and a graph with labels is not converted again")
    graph.check_sums()
    return csr(path, budget, graph.n, *(Array.of(path, path / f"{name}.npy") for name in ("indptr", "indices")))


def whole(path: Path, budget: Budget, format: str) -> Source:
    """A file that is read as `lagcolor.io` reads it, in memory: DIMACS binary, dense Matrix Market."""
    with unheard():
        found = read_whole(path, True, format)
    assert isinstance(found, Structure)  # a matrix or a graph, and no table
    if found.columns is not None:
        raise GraphError(found.no_graph)
    u, v = found.first, found.second
    ends = in_steps(len(u), budget.edges, lambda k, count: (u[k : k + count], v[k : k + count]))
    return counted(path, len(u), ends, found.n)


READERS: Any = {"npy": npy, "egr": egr, "csr": folder}
