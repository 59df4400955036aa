"""The structure of a colored matrix, computed on its GPU in a few passes over its pattern.

For a small matrix, a launch takes longer than its work, and a wait for the device as long as several launches. So each
pass over the rows is one kernel, and a kernel writes results for the host directly to its memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semirings.sparse import offset_type

from ...base import device as dev
from ...base.device import extremes
from ...graph.pattern import Pattern

SOURCE = dev.Source(__file__)
LONGEST = 1024  # entries of a row that are sorted by counting
NOTHING = np.uint64(0)  # a null pointer
GRID = 1024  # most blocks of `compare`
Graph = tuple[Any, Any]  # offsets and columns


def off_diagonal(P: Any) -> Graph | None:
    """Return a square pattern without its diagonal; None unless it is symmetric with a complete diagonal."""
    if P.m < P.rows or not P.rows:
        return None
    begin, found = dev.cupy().empty(P.rows + 1, P.indptr.dtype), dev.cupy().empty(P.m - P.rows, np.int32)
    nothing = NOTHING, np.int64(0), np.int32(4), NOTHING, NOTHING
    _, _, other = _inspect(P.indptr, P.indices, *nothing, begin, found)
    return None if other else _graph(begin, found)


def inspected(indptr: Any, indices: Any, data: Any, with_graph: bool) -> tuple[Pattern, Graph | None] | None:
    """Return a copy of a square matrix's pattern, and the result of `off_diagonal`, by one pass and one wait."""
    cp, n, m = dev.cupy(), len(indptr) - 1, len(indices)
    if not n or not m or (indices.dtype, indptr.dtype) != (np.int32, offset_type(m)) or len(data) != m:
        return None
    if not all(x.flags.c_contiguous for x in (indptr, indices, data)):
        return None
    copies = cp.empty(n + 1, indptr.dtype), cp.empty(m, np.int32)
    with_graph &= m >= n
    graph = (cp.empty(n + 1, indptr.dtype), cp.empty(m - n, np.int32)) if with_graph else (NOTHING, NOTHING)
    malformed, infinite, other = _inspect(indptr, indices, *_numbers(data), *copies, *graph)
    if malformed or infinite:
        return None
    return Pattern(*copies, n), None if other or not with_graph else _graph(*graph)


def same(P: Any, indptr: Any, indices: Any, data: Any) -> bool:
    """Whether arrays of equal lengths and types have the pattern P, and `data` has only finite numbers."""
    args = np.int64(P.rows), np.int64(P.m), indptr, indices, P.indptr, P.indices, *_numbers(data)
    run, _ = _rows(P.indptr, P.m, P.rows)
    return not run.read("compare", max(P.rows + 1, P.m), *args, count=3, most=GRID).any()


def _inspect(indptr: Any, indices: Any, *args: Any) -> list[int]:
    """Return faults of rows, of numbers, and of the pattern as a whole; 0 for none."""
    n, m = len(indptr) - 1, len(indices)
    run, threads = _rows(indptr, m, n)
    args = np.int32(n), np.int64(m), indptr, indices, *args
    faults: list[int] = run.read("inspect", threads, *args, count=3).tolist()
    return faults


def _numbers(data: Any) -> tuple[Any, Any, Any]:
    """Return an array, the count of its real numbers, and their size in bytes."""
    parts = 2 if data.dtype.kind == "c" else 1
    return data, np.int64(data.size * parts), np.int32(data.itemsize // parts)


def _graph(begin: Any, found: Any) -> Graph:
    return begin.astype(offset_type(len(found)), copy=False), found


def _rows(indptr: Any, m: int, rows: int, source: str = "int") -> tuple[Any, int]:
    """Return the kernels with a group of lanes per row of a pattern, and the threads for all rows."""
    lanes = int(min(32, 1 << max(m // rows - 1, 0).bit_length()))
    return SOURCE.of(indptr, LANES=lanes, SOURCE=source), rows * lanes


def keys(P: Any, colors: Any, long_from: int, hub_from: int, window_bits: int) -> tuple[Any, Any, Any, Any]:
    """Return for each row its sort key for slices.py, its entries in earlier and in later colors, and its diagonal."""
    cp, n = dev.cupy(), P.rows
    source, name = source_type(P.m)
    run, threads = _rows(P.indptr, P.m, n, name)
    found, below, above, diagonal = (cp.empty(n, t) for t in (np.int64, np.int32, np.int32, source))
    numbers = np.int32(long_from), np.int32(hub_from), np.int32(window_bits)
    args = (np.int32(n), P.indptr, P.indices, colors, *numbers, diagonal, below, above, found)
    run.launch("keys", threads, *args)
    return found, below, above, diagonal


def source_type(m: int) -> tuple[Any, str]:
    """Return the type for the numbers of m entries, for NumPy and for kernels."""
    return (np.dtype(np.int64), "long long") if m >= 1 << 31 else (np.dtype(np.int32), "int")


def triangles(P: Any, order: Any, place: Any) -> tuple[Any, tuple[Any, ...], tuple[Any, ...]] | None:
    """Return the diagonal and both triangles of a permuted pattern; None if a row is too long for these kernels."""
    cp, n = dev.cupy(), P.rows
    if not n or extremes.largest(cp.diff(P.indptr)) > LONGEST:
        return None
    source, name = source_type(P.m)
    run, threads = _rows(P.indptr, P.m, n, name)
    common = np.int32(n), P.indptr, P.indices, order, place
    offsets = [cp.zeros(n + 1, P.indptr.dtype) for _ in range(2)]
    diagonal = cp.empty(n, source)
    run.launch("lengths", threads, *common, offsets[0][1:], offsets[1][1:], diagonal)
    offsets = [cp.cumsum(x, dtype=x.dtype) for x in offsets]
    sizes = dev.to_device(cp.stack([x[-1] for x in offsets]), "cpu").tolist()
    parts = [(cp.empty(size, np.int32), cp.empty(size, source)) for size in sizes]
    run.launch("entries", threads, *common, *offsets, *parts[0], *parts[1])
    lower, upper = ((x.astype(offset_type(m), copy=False), *p) for x, m, p in zip(offsets, sizes, parts, strict=True))
    return diagonal, lower, upper


def mirror(lower: Any, upper: Any) -> Any:
    """Return the place in `upper` of the mirror image of each entry of `lower`, −1 for none: int64, shape (m,)."""
    n, m = len(lower.indptr) - 1, len(lower.indices)
    found = dev.cupy().empty(m, np.int64)
    if m:
        lanes = int(min(32, 1 << (m // n).bit_length()))
        args = (np.int32(n), lower.indptr, lower.indices, upper.indptr.astype(lower.indptr.dtype, copy=False))
        run = SOURCE.of(lower.indptr, LANES=lanes, SOURCE="int")
        run.launch("mirror", n * lanes, *args, upper.indices, found)
    return found


def blocks(entries: Any, b: int) -> tuple[Any, Any, Any]:
    """Return offsets and columns of the b × b blocks of a pattern, and the place of each entry in the flat blocks."""
    if entries.m and (found := _full_blocks(entries, b)) is not None:
        return found
    cp, n = dev.cupy(), entries.rows // b
    run, at = SOURCE.of(entries.indptr, LANES=1, SOURCE="int"), cp.empty(max(n * b, 1), entries.indptr.dtype)
    offsets = cp.zeros(n + 1, entries.indptr.dtype)
    common = np.int32(n), np.int32(b), entries.indptr, entries.indices, at
    run.launch("blocks", n, *common, offsets, np.uint64(0), np.uint64(0))
    offsets = cp.cumsum(offsets, dtype=offsets.dtype)
    columns, scatter = cp.empty(int(offsets[-1]), np.int32), cp.empty(entries.m, np.int64)
    if len(columns):
        run.launch("blocks", n, *common, offsets, columns, scatter)
    return offsets.astype(offset_type(len(columns)), copy=False), columns, scatter


def _full_blocks(entries: Any, b: int) -> tuple[Any, Any, Any] | None:
    """Return the results of `blocks` by one pass, if all blocks have all of their entries; None otherwise."""
    cp, n = dev.cupy(), entries.rows // b
    if entries.m % (b * b):
        return None
    other, offsets = cp.zeros(1, np.int32), cp.zeros(n + 1, entries.indptr.dtype)
    columns, scatter = cp.empty(entries.m // b**2, np.int32), cp.empty(entries.m, np.int64)
    run, threads = _rows(entries.indptr, entries.m, entries.rows)
    args = (np.int32(entries.rows), np.int32(b), entries.indptr, entries.indices, offsets, columns, scatter, other)
    run.launch("full_blocks", threads, *args)
    return None if int(other[0]) else (offsets.astype(offset_type(len(columns)), copy=False), columns, scatter)
