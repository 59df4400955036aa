"""The structure of a colored matrix, made on its GPU in a few passes over its pattern.

Of a small matrix a launch takes longer than what it does, and a wait for the device as long as several launches: what
passes over the same rows is one kernel, and what the host must know comes by way of `Pinned`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from semirings.sparse import offset_type

from ...base import device as dev
from ...base.device import extremes
from ...base.device.pinned import Pinned
from ...graph.pattern import Pattern

SOURCE = Path(__file__).parent / "structure.cu"
BLOCK = 256
LONGEST = 1024  # entries of a row that are sorted by counting
NOTHING = np.uint64(0)  # as an address
GRID = 1024  # blocks that compare
Graph = tuple[Any, Any]  # offsets and columns


def off_diagonal(P: Any) -> Graph | None:
    """Offsets and columns of a square pattern without its diagonal; None unless it is symmetric and has all of that."""
    if P.m < P.rows or not P.rows:
        return None
    begin, found = dev.cupy().empty(P.rows + 1, P.indptr.dtype), dev.cupy().empty(P.m - P.rows, np.int32)
    nothing = NOTHING, np.int64(0), np.int32(4), NOTHING, NOTHING
    _, _, other = _inspect(P.indptr, P.indices, *nothing, begin, found)
    return None if other else _graph(begin, found)


def inspected(indptr: Any, indices: Any, data: Any, with_graph: bool) -> tuple[Pattern, Graph | None] | None:
    """The pattern of a square matrix, copied, and as in `off_diagonal`: one pass, one wait."""
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
    """Whether arrays of their lengths and types have the pattern P, and data only finite numbers."""
    args = np.int64(P.rows), np.int64(P.m), indptr, indices, P.indptr, P.indices, *_numbers(data)
    _, how = _rows(P.indptr, P.m, P.rows)
    blocks = min(-(-max(P.rows + 1, P.m) // BLOCK), GRID)
    return not any(_faults(dev.kernel(SOURCE, "compare", **how), ((blocks,), (BLOCK,)), args))


def _inspect(indptr: Any, indices: Any, *args: Any) -> list[int]:
    n, m = len(indptr) - 1, len(indices)
    grid, how = _rows(indptr, m, n)
    return _faults(dev.kernel(SOURCE, "inspect", **how), grid, (np.int32(n), np.int64(m), indptr, indices, *args))


def _faults(kernel: Any, grid: tuple[Any, Any], args: tuple[Any, ...]) -> list[int]:
    """What a kernel says of rows, of numbers, and of the pattern as a whole: 0 where it is as it should be."""
    with Pinned.take(dev.cupy().cuda.runtime.getDevice(), 3) as faults:
        kernel(*grid, (*args, faults.ptr))
        faults.launched()
        return faults.wait().tolist()


def _numbers(data: Any) -> tuple[Any, Any, Any]:
    """An array as real numbers of a size in bytes, and their count."""
    parts = 2 if data.dtype.kind == "c" else 1
    return data, np.int64(data.size * parts), np.int32(data.itemsize // parts)


def _graph(begin: Any, found: Any) -> Graph:
    return begin.astype(offset_type(len(found)), copy=False), found


def _rows(indptr: Any, m: int, rows: int) -> tuple[tuple[tuple[int], tuple[int]], dict[str, Any]]:
    """Grid and macros of a kernel with a group of lanes per row of a pattern."""
    lanes = int(min(32, 1 << max(m // rows - 1, 0).bit_length()))
    how = {"OFFSET_BITS": 8 * indptr.itemsize, "LANES": lanes, "SOURCE": "int"}
    return ((-(-rows * lanes // BLOCK),), (BLOCK,)), how


def keys(P: Any, colors: Any, long_from: int, hub_from: int, window_bits: int) -> tuple[Any, Any, Any, Any]:
    """The sort keys of rows in slices.py, and entries of each row before, on and after its diagonal."""
    cp, n = dev.cupy(), P.rows
    grid, how = _rows(P.indptr, P.m, n)
    source, how["SOURCE"] = source_type(P.m)
    found, below, above, diagonal = (cp.empty(n, t) for t in (np.int64, np.int32, np.int32, source))
    numbers = np.int32(long_from), np.int32(hub_from), np.int32(window_bits)
    args = (np.int32(n), P.indptr, P.indices, colors, *numbers, diagonal, below, above, found)
    dev.kernel(SOURCE, "keys", **how)(*grid, args)
    return found, below, above, diagonal


def source_type(m: int) -> tuple[Any, str]:
    """The type of numbers of m entries, for NumPy and for kernels."""
    return (np.dtype(np.int64), "long long") if m >= 1 << 31 else (np.dtype(np.int32), "int")


def triangles(P: Any, order: Any, place: Any) -> tuple[Any, tuple[Any, ...], tuple[Any, ...]] | None:
    """Both triangles of a permuted pattern, and where its diagonal is; None where rows are too long for this way."""
    cp, n = dev.cupy(), P.rows
    if not n or extremes.largest(cp.diff(P.indptr)) > LONGEST:
        return None
    grid, how = _rows(P.indptr, P.m, n)
    source, how["SOURCE"] = source_type(P.m)
    given = np.int32(n), P.indptr, P.indices, order, place
    offsets = [cp.zeros(n + 1, P.indptr.dtype) for _ in range(2)]
    diagonal = cp.empty(n, source)
    dev.kernel(SOURCE, "lengths", **how)(*grid, (*given, offsets[0][1:], offsets[1][1:], diagonal))
    offsets = [cp.cumsum(x, dtype=x.dtype) for x in offsets]
    sizes = dev.to_device(cp.stack([x[-1] for x in offsets]), "cpu").tolist()
    parts = [(cp.empty(size, np.int32), cp.empty(size, source)) for size in sizes]
    dev.kernel(SOURCE, "entries", **how)(*grid, (*given, *offsets, *parts[0], *parts[1]))
    lower, upper = ((x.astype(offset_type(m), copy=False), *p) for x, m, p in zip(offsets, sizes, parts, strict=True))
    return diagonal, lower, upper


def mirror(lower: Any, upper: Any) -> Any:
    """Where in `upper` the mirror image of each entry of `lower` is, −1 for nowhere: int64, shape (m,)."""
    n, m = len(lower.indptr) - 1, len(lower.indices)
    found = dev.cupy().empty(m, np.int64)
    if m:
        lanes = int(min(32, 1 << (m // n).bit_length()))
        how = {"OFFSET_BITS": 8 * lower.indptr.itemsize, "LANES": lanes, "SOURCE": "int"}
        args = (np.int32(n), lower.indptr, lower.indices, upper.indptr.astype(lower.indptr.dtype, copy=False))
        dev.kernel(SOURCE, "mirror", **how)((-(-n * lanes // BLOCK),), (BLOCK,), (*args, upper.indices, found))
    return found


def blocks(entries: Any, b: int) -> tuple[Any, Any, Any]:
    """Offsets and columns of the b × b blocks of a pattern, and where in their numbers each of its entries is."""
    if entries.m and (found := _full_blocks(entries, b)) is not None:
        return found
    cp, n = dev.cupy(), entries.rows // b
    how = {"OFFSET_BITS": 8 * entries.indptr.itemsize, "LANES": 1, "SOURCE": "int"}
    kernel, at = dev.kernel(SOURCE, "blocks", **how), cp.empty(max(n * b, 1), entries.indptr.dtype)
    offsets = cp.zeros(n + 1, entries.indptr.dtype)
    given = np.int32(n), np.int32(b), entries.indptr, entries.indices, at
    if n:
        kernel((-(-n // BLOCK),), (BLOCK,), (*given, offsets, np.uint64(0), np.uint64(0)))
    offsets = cp.cumsum(offsets, dtype=offsets.dtype)
    columns, scatter = cp.empty(int(offsets[-1]), np.int32), cp.empty(entries.m, np.int64)
    if len(columns):
        kernel((-(-n // BLOCK),), (BLOCK,), (*given, offsets, columns, scatter))
    return offsets.astype(offset_type(len(columns)), copy=False), columns, scatter


def _full_blocks(entries: Any, b: int) -> tuple[Any, Any, Any] | None:
    """The same where all blocks have all of their entries, in one pass; None where not."""
    cp, n = dev.cupy(), entries.rows // b
    if entries.m % (b * b):
        return None
    other, offsets = cp.zeros(1, np.int32), cp.zeros(n + 1, entries.indptr.dtype)
    columns, scatter = cp.empty(entries.m // b**2, np.int32), cp.empty(entries.m, np.int64)
    grid, how = _rows(entries.indptr, entries.m, entries.rows)
    args = (np.int32(entries.rows), np.int32(b), entries.indptr, entries.indices, offsets, columns, scatter, other)
    dev.kernel(SOURCE, "full_blocks", **how)(*grid, args)
    return None if int(other[0]) else (offsets.astype(offset_type(len(columns)), copy=False), columns, scatter)
