"""The structure of a colored matrix, made on its GPU in a few passes over its pattern."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from semirings.limits import offset_type

from ... import device as dev

SOURCE = Path(__file__).parent / "structure.cu"
BLOCK = 256
LONGEST = 1024  # entries of a row that are sorted by counting


def off_diagonal(P: Any) -> tuple[Any, Any] | None:
    """Offsets and columns of a square pattern without its diagonal; None unless it is symmetric and has all of that."""
    cp, n = dev.cupy(), P.rows
    if P.m < n or not n:
        return None
    other, indptr = cp.zeros(1, np.int32), cp.zeros(n + 1, P.indptr.dtype)
    indices = cp.empty(P.m - n, np.int32)
    grid, how = _rows(P, n)
    dev.kernel(SOURCE, "off_diagonal", **how)(*grid, (np.int32(n), P.indptr, P.indices, indptr, indices, other))
    return None if int(other[0]) else (indptr.astype(offset_type(len(indices)), copy=False), indices)


def _rows(P: Any, rows: int) -> tuple[tuple[tuple[int], tuple[int]], dict[str, Any]]:
    """Grid and macros of a kernel with a group of lanes per row of a pattern."""
    lanes = int(min(32, 1 << max(P.m // rows - 1, 0).bit_length()))
    how = {"OFFSET_BITS": 8 * P.indptr.itemsize, "LANES": lanes, "SOURCE": "int"}
    return ((-(-rows * lanes // BLOCK),), (BLOCK,)), how


def triangles(P: Any, order: Any, place: Any) -> tuple[Any, tuple[Any, ...], tuple[Any, ...]] | None:
    """Both triangles of a permuted pattern, and where its diagonal is; None where rows are too long for this way.

    Parameters
    ----------
    P : Pattern
        Square.
    order, place : array of int32, shape (n,)
        The row at each place, and the place of each row.

    Returns
    -------
    diagonal : array of int32 or int64, shape (n,)
        Which entry of P is the diagonal's of each place; −1 for none.
    lower, upper : tuple of indptr, indices, source
        As in `Triangle`.
    """
    cp, n = dev.cupy(), P.rows
    if not n or dev.largest(cp.diff(P.indptr)) > LONGEST:
        return None
    source = np.dtype(np.int64 if P.m >= 1 << 31 else np.int32)
    grid, how = _rows(P, n)
    how["SOURCE"] = "int" if source == np.int32 else "long long"
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
    """Offsets and columns of the b × b blocks of a pattern, and where in their numbers each of its entries is.

    Parameters
    ----------
    entries : Pattern
        Canonical; b divides its rows.
    b : int
    """
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
    grid, how = _rows(entries, entries.rows)
    args = (np.int32(entries.rows), np.int32(b), entries.indptr, entries.indices, offsets, columns, scatter, other)
    dev.kernel(SOURCE, "full_blocks", **how)(*grid, args)
    return None if int(other[0]) else (offsets.astype(offset_type(len(columns)), copy=False), columns, scatter)
