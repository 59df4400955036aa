"""Edges of arrays in files: .npy and Parquet, read from front to back, and files that `lagcolor.io` maps or reads."""

from __future__ import annotations

import bisect
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ....base.errors import GraphError
from ....base.log import without_listener
from ....inputs.canonical import Structure
from ....io import ecl, npz
from ....io.csr import checked
from ....io.files import malformed, name_of
from ....io.folder import Folder
from ....io.formats import FORMATS, function
from ....io.npy import head_of
from ....io.parquet import columns_of, opened
from .sources import Both, EdgeSource, MemoryShares, counted


def npy(path: Path, budget: MemoryShares) -> EdgeSource:
    """Return the source of an array of shape (m, 2), or (2, m); m = 2 is an error."""
    try:
        with open(path, "rb") as file:
            shape, fortran, dtype = head_of(file, os.fstat(file.fileno()).st_size)
            begin = file.tell()
    except ValueError as e:
        raise malformed(path, f"no readable .npy file ({e})") from e
    if len(shape) != 2 or 2 not in shape:
        raise malformed(path, f"edges are an array of shape (m, 2) or (2, m), not {shape}")
    if shape == (2, 2):
        write = f"lagcolor.io.write({path.stem + '.csr'!r}, "
        what = f"x = numpy.load({name_of(path)!r}), then {write}(x[:, 0], x[:, 1])) for rows, or {write}(x[0], x[1]))"
        raise malformed(path, f"an array of shape (2, 2) may have edges in its rows or its columns: {what} for columns")
    if dtype.kind not in "iuf":
        raise malformed(path, f"ends of edges must be whole numbers, not {dtype}")
    m = shape[0] * shape[1] // 2

    def part(first: int, count: int) -> np.ndarray:
        found = np.fromfile(path, dtype, count, offset=begin + first * dtype.itemsize)
        if len(found) < count:
            raise malformed(path, f"the file ends within its array of {2 * m} {dtype}")
        return found

    def ends(done: int) -> Iterator[Both]:
        for k in range(done, m, budget.edges):
            count = min(budget.edges, m - k)
            if fortran == (shape[1] == 2):  # all first ends are stored before all second ends
                yield part(k, count), part(m + k, count)
            else:
                both = part(2 * k, 2 * count).reshape(count, 2)
                yield both[:, 0], both[:, 1]

    return counted(path, m, ends)


def parquet(path: Path, columns: Sequence[str] | None, budget: MemoryShares) -> EdgeSource:
    """Return the source of two columns of a file: `columns`, or two columns with usual names of ends."""
    with opened(path) as file:
        schema, about = file.schema_arrow, file.metadata
        last = np.cumsum([about.row_group(k).num_rows for k in range(about.num_row_groups)], dtype=np.int64)
    names = columns_of(path, schema.names, columns)
    import pyarrow.types as types

    kinds = [schema.field(name).type for name in names]
    texts = [types.is_string(t) or types.is_large_string(t) or types.is_dictionary(t) for t in kinds]
    named = all(texts)
    for name, text, type_ in zip(names, texts, kinds, strict=True):
        if text != named or not (text or types.is_integer(type_) or types.is_floating(type_)):
            raise malformed(path, f"column {name!r} has {type_}, and ends of edges are whole numbers or names")

    def ends(done: int) -> Iterator[Both]:
        first = int(np.searchsorted(last, done, side="right"))  # the first group that is not completely read
        ahead = done - int(last[first - 1] if first else 0)  # rows of this group to skip
        how = {"row_groups": range(first, len(last)), "columns": names, "use_threads": False}
        with opened(path) as file:
            for batch in file.iter_batches(min(budget.edges, 1 << 20), **how):
                part, ahead = batch.slice(min(ahead, len(batch))), max(ahead - len(batch), 0)
                found = [part.column(name) for name in names]
                for name, end in zip(names, found, strict=True):
                    if end.null_count:
                        row = done + end.is_null().to_pylist().index(True)
                        raise malformed(path, f"column {name!r} has no value in row {row}")
                u, v = (end.to_pylist() if named else np.asarray(end.to_numpy(zero_copy_only=False)) for end in found)
                yield u, v
                done += len(u)

    return counted(path, about.num_rows, ends, named=named)


def arrays(path: Path, format: str, budget: MemoryShares, work: Path) -> EdgeSource:
    """Return the source of a matrix or a graph that `lagcolor.io` maps, or reads into memory."""
    with without_listener():
        found = _structure(path, format, work)
    if found.columns is not None:
        raise GraphError(found.no_graph)
    first, second, m = found.first, found.second, len(found.second)

    def pairs(done: int) -> Iterator[Both]:
        for k in range(done, m, budget.edges):
            yield first[k : k + budget.edges], second[k : k + budget.edges]

    def rows(done: int) -> Iterator[Both]:
        while done < m:  # each turn yields entries; the first row may be empty
            row = bisect.bisect_right(first, done) - 1
            begins = np.asarray(first[row : row + budget.edges + 1], np.int64)
            if (end := min(int(begins[-1]), m)) <= done:
                raise malformed(path, "the file has changed since it was opened")
            for k in range(done, end, budget.edges):
                entries = np.arange(k, min(k + budget.edges, end))
                yield np.searchsorted(begins, entries, side="right") - 1 + row, second[k : entries[-1] + 1]
            done = end

    matrix, check = found.kind != "edges", found.check
    declared = None if check is None else lambda entries, loops, edges: check(edges())
    ends = rows if found.kind in ("csr", "csc") else pairs
    return counted(path, m, ends, found.n, both=matrix, declared=declared)


def _structure(path: Path, format: str, work: Path) -> Structure:
    """Return the checked arrays of a file; an archive is unpacked to files in `work`."""
    if format == "npz":
        return npz.read(path, True, work)
    if format == "egr":
        if path.name.lower().endswith(".gz"):
            raise malformed(path, "a packed .egr is not converted: unpack it first")
        return ecl.read(path, True, copy=False)
    if format == "csr":
        graph = Folder.open(path)
        if graph.has_labels:
            what = "the vertices of this graph have labels, and a graph with labels is not converted again"
            raise malformed(path, what)
        graph.check_sums()
        return checked(path, graph.indptr, graph.indices, graph.n)
    found: Any = function(FORMATS[format].reader)(path, True)
    return found
