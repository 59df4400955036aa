"""Edges of arrays in files, read from front to back: .npy, .npz, .egr, and folders of graphs."""

from __future__ import annotations

import contextlib
import math
import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ....core.errors import GraphError
from ....io.files import malformed
from ....io.folder import Folder
from .sources import Chunk, Room, Source, checked


class Sequence:
    """An array in a file, read in pieces.

    Parameters
    ----------
    path : Path
    file : binary file
        At the first element.
    dtype : dtype
    count : int
        Elements.
    """

    def __init__(self, path: Path, file: Any, dtype: Any, count: int) -> None:
        self._path, self._file, self.dtype, self.count = path, file, np.dtype(dtype), count

    def read(self, count: int) -> np.ndarray:
        """The next elements."""
        data = bytearray()
        with readable(self._path, ".npz archive of a graph"):
            while wanted := count * self.dtype.itemsize - len(data):  # each turn reads, or the file has ended
                if not (piece := self._file.read(wanted)):
                    raise malformed(self._path, f"the file ends within its array of {self.count} {self.dtype}")
                data += piece
        return np.frombuffer(data, self.dtype)

    def skip(self, count: int) -> None:
        """Past the next elements."""
        if isinstance(self._file, zipfile.ZipExtFile):
            while count > 0:  # falls by a piece each time
                self.read(min(count, 1 << 18))
                count -= 1 << 18
        else:
            self._file.seek(count * self.dtype.itemsize, os.SEEK_CUR)


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

    def __init__(self, path: Path, room: Room, n: int | None) -> None:
        super().__init__(path)
        with open(path, "rb") as file:
            shape, columns, self._dtype = header(path, file)
            self._begin = file.tell()
        if len(shape) != 2 or 2 not in shape:
            raise malformed(path, f"edges are an array of shape (m, 2), not {shape}")
        if self._dtype.kind not in "iuf":
            raise malformed(path, f"ends of edges must be whole numbers, not {self._dtype}")
        self._m, self._room, self._most = shape[0] if shape[1] == 2 else shape[1], room, n
        # Ends of an edge lie side by side, or all first ends before all second ones.
        self._apart = columns if shape[1] == 2 else not columns
        self.edges = self._m
        needed = self._begin + 2 * self._m * self._dtype.itemsize
        if self.size < needed:
            raise malformed(path, f"an array of shape {shape} takes {needed} bytes, and the file has {self.size}")

    def chunks(self, at: dict[str, int] | None, alone: bool) -> Iterator[Chunk]:
        """See `Source`."""
        first = 0 if at is None else at["edges"]
        with contextlib.ExitStack() as stack:
            ends = []
            for skipped in (first, self._m + first) if self._apart else (2 * first,):
                file = stack.enter_context(open(self.path, "rb"))
                file.seek(self._begin)
                ends.append(Sequence(self.path, file, self._dtype, 2 * self._m))
                ends[-1].skip(skipped)
            while first < self._m:  # each turn reads edges
                count = min(self._room.edges, self._m - first)
                if self._apart:
                    u, v = (end.read(count) for end in ends)
                else:
                    u, v = ends[0].read(2 * count).reshape(count, 2).T
                u, v = checked(self.path, u, v, first, self._most)
                first += count
                yield Chunk(u, v, {"edges": first}, self.size * first // self._m)


class Entries(Source):
    """Entries of a square matrix in two arrays: of coordinates, or compressed rows or columns.

    Parameters
    ----------
    path : Path
    n, entries : int
    pointers : bool
        The first array is where rows begin, n + 1 of it.
    open_ : callable
        ``open_(stack)`` gives both arrays from their beginnings on.
    """

    def __init__(
        self, path: Path, room: Room, n: int, entries: int, pointers: bool,
        open_: Callable[[contextlib.ExitStack], tuple[Sequence, Sequence]],
    ) -> None:  # fmt: skip
        super().__init__(path)
        self.both = True
        self._room, self.n, self._m, self._pointers, self._open = room, n, entries, pointers, open_
        self.edges = entries
        if path.is_dir():
            self.size = entries * 4

    def chunks(self, at: dict[str, int] | None, alone: bool) -> Iterator[Chunk]:
        """See `Source`."""
        with contextlib.ExitStack() as stack:
            first, second = self._open(stack)
            yield from (self._rows if self._pointers else self._coordinates)(first, second, at)

    def _coordinates(self, rows: Sequence, columns: Sequence, at: dict[str, int] | None) -> Iterator[Chunk]:
        done = 0 if at is None else at["edges"]
        rows.skip(done)
        columns.skip(done)
        while done < self._m:  # each turn reads entries
            count = min(self._room.edges, self._m - done)
            u, v = checked(self.path, rows.read(count), columns.read(count), done, self.n)
            done += count
            yield Chunk(u, v, {"edges": done, "row": 0}, self.size * done // self._m)

    def _rows(self, pointers: Sequence, columns: Sequence, at: dict[str, int] | None) -> Iterator[Chunk]:
        assert self.n is not None
        row, done = (0, 0) if at is None else (at["row"], at["edges"])
        pointers.skip(row)
        columns.skip(done)
        last = pointers.read(1).astype(np.int64)
        if row == 0 and int(last[0]) != 0:
            raise malformed(self.path, f"indptr[0] must be 0, not {int(last[0])}")
        while row < self.n:  # each turn passes rows
            count = min(self._room.edges, self.n - row)
            begins = np.concatenate([last, pointers.read(count).astype(np.int64)])
            falls = np.flatnonzero(begins[1:] < begins[:-1])
            if len(falls):
                k = int(falls[0])
                raise malformed(self.path, f"indptr decreases: indptr[{row + k}] = {begins[k]}, then {begins[k + 1]}")
            if int(begins[-1]) > self._m:
                raise malformed(self.path, f"indptr goes up to {int(begins[-1])}, but there are {self._m} indices")
            while done < int(begins[-1]):  # each turn reads entries
                k = min(self._room.edges, int(begins[-1]) - done)
                u = np.searchsorted(begins, np.arange(done, done + k), side="right") - 1 + row
                u, v = checked(self.path, u, columns.read(k), done, self.n)
                done += k
                yield Chunk(u, v, {"edges": done, "row": row}, self.size * done // max(self._m, 1))
            row, last = row + count, begins[-1:]
        if done != self._m:
            raise malformed(self.path, f"indptr ends with {done}, but there are {self._m} indices")


def npz(path: Path, room: Room, n: int | None) -> Source:
    """An archive of `scipy.sparse.save_npz` (csr, csc or coo), or of indptr, indices and n."""
    with readable(path, ".npz archive of a graph"), zipfile.ZipFile(path) as archive:
        about = {name.removesuffix(".npy"): _member(path, archive, name) for name in archive.namelist()}
        small = {name: _few(path, archive, name) for name in ("format", "shape", "n") if name in about}
    form = bytes(small["format"][:1].tobytes()).decode("latin-1").rstrip("\0") if "format" in small else "csr"
    arrays = {"csr": ("indptr", "indices"), "csc": ("indptr", "indices"), "coo": ("row", "col")}.get(form)
    if arrays is None:
        raise malformed(path, f"a matrix in the format {form!r}: convert it, as in save_npz(path, A.tocsr())")
    for name in arrays:
        if name not in about:
            raise malformed(path, f"no array '{name}': expected indptr, indices and n, or a file of scipy's save_npz")
        if about[name][2].kind not in "iu" or len(about[name][0]) != 1:
            raise malformed(path, f"'{name}' must hold whole numbers, not {about[name][2]} of shape {about[name][0]}")
    sides = small.get("shape", small.get("n"))
    if sides is None:
        raise malformed(path, "no array 'n' or 'shape' with the number of vertices")
    if sides.dtype.kind not in "iu" or int(sides.min()) < 0:
        raise malformed(path, f"'n' or 'shape' must be one or two whole numbers, not {sides!r}")
    rows, columns = int(sides.ravel()[0]), int(sides.ravel()[-1])
    if rows != columns:
        raise GraphError(f"rectangular: a {rows} × {columns} matrix is no graph, which has as many rows as columns")
    if form != "coo" and about["indptr"][0] != (rows + 1,):
        raise malformed(path, f"indptr must have {rows + 1} entries, one more than vertices, not {about['indptr'][0]}")

    def both(stack: contextlib.ExitStack) -> tuple[Sequence, Sequence]:
        archive = stack.enter_context(zipfile.ZipFile(path))
        first, second = (stack.enter_context(archive.open(f"{name}.npy")) for name in arrays)
        return _sequence(path, first), _sequence(path, second)

    return Entries(path, room, rows, about[arrays[1]][0][0], form != "coo", both)


def _few(path: Path, archive: zipfile.ZipFile, name: str) -> np.ndarray:
    """An array of one or two elements."""
    with archive.open(f"{name}.npy") as file:
        sequence = _sequence(path, file)
        if not 1 <= sequence.count <= 2:
            raise malformed(path, f"'{name}' must have one or two elements, not {sequence.count}")
        return sequence.read(sequence.count)


def _member(path: Path, archive: zipfile.ZipFile, name: str) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    with archive.open(name) as file:
        about = header(path, file)
        needed, size = file.tell() + math.prod(about[0]) * about[2].itemsize, archive.getinfo(name).file_size
        if size < needed:
            raise malformed(path, f"'{name}' has an array of shape {about[0]}, {needed} bytes, and there are {size}")
        return about


def _sequence(path: Path, file: Any) -> Sequence:
    shape, _, dtype = header(path, file)
    return Sequence(path, file, dtype, math.prod(shape))


def egr(path: Path, room: Room, n: int | None) -> Source:
    """ECL's binary CSR; see lagcolor/io/ecl.py."""
    if path.name.lower().endswith(".gz"):
        raise malformed(path, "a packed .egr is not converted: unpack it first")
    size = os.stat(path).st_size
    counts = np.fromfile(path, "<i4", 2)
    if len(counts) != 2 or int(counts.min()) < 0:
        raise malformed(path, "an .egr file starts with two counts, 8 bytes, neither negative")
    rows, m = (int(x) for x in counts)
    if size not in (sizes := [4 * (3 + rows + m), 4 * (3 + rows + 2 * m)]):
        raise malformed(
            path,
            f"{rows} vertices and {m} edges take {sizes[0]} bytes, or {sizes[1]} with weights, and this has {size}",
        )

    def both(stack: contextlib.ExitStack) -> tuple[Sequence, Sequence]:
        return (
            _from(path, stack, 8, "<i4", rows + 1),
            _from(path, stack, 8 + 4 * (rows + 1), "<i4", m),
        )

    return Entries(path, room, rows, m, True, both)


def folder(path: Path, room: Room, n: int | None) -> Source:
    """A graph that was converted before, to which others are added."""
    graph = Folder.open(path)
    if graph.has_labels:
        raise malformed(path, "the vertices of this graph have labels, and a graph with labels is not converted again")
    graph.check_sums()

    def both(stack: contextlib.ExitStack) -> tuple[Sequence, Sequence]:
        return (
            _from(path / "indptr.npy", stack, 128, graph.indptr.dtype, graph.n + 1),
            _from(path / "indices.npy", stack, 128, graph.indices.dtype, graph.entries),
        )

    return Entries(path, room, graph.n, graph.entries, True, both)


def _from(path: Path, stack: contextlib.ExitStack, begin: int, dtype: Any, count: int) -> Sequence:
    file = open(path, "rb")  # noqa: SIM115  (closed by `stack`)
    stack.callback(file.close)
    file.seek(begin)
    return Sequence(path, file, dtype, count)


SOURCES: dict[str, Callable[[Path, Room, int | None], Source]] = {"npy": Npy, "npz": npz, "egr": egr, "csr": folder}
