"""Canonical CSR on the GPU: radix sorts of 64-bit keys (row, column), and a few passes.

Edges are sorted twice, as their upper triangle and as its transpose, with one key per edge. One sort of both directions
would need twice the memory. If a lookup of each entry's mirror image finds the input canonical, it is not copied.

Memory in addition to input and output, for m edges: the keys and the sort's copy of them, 16 m bytes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import device as dev
from ..base.device.extremes import extremes
from . import checks

Found = tuple[Any, Any, tuple[int, int] | None]
SOURCE, IS_CANONICAL = (dev.Source(__file__, f"{name}.cu") for name in ("canonical", "is_canonical"))
TILE, MOST = 2048, 2048  # is_canonical.cu: entries of a block at a time; most blocks
NOTHING = 2**64 - 1  # as in canonical.cu


def is_canonical_unchecked(indptr: Any, indices: Any, n: int) -> bool:
    """Whether unchecked arrays are a canonical CSR of n rows, of types that is_canonical.cu reads."""
    fit = all(
        dev.is_cupy(a) and a.ndim == 1 and a.dtype.kind == "i" and a.itemsize >= 4 and a.flags.c_contiguous
        for a in (indptr, indices)
    )
    return fit and len(indptr) == n + 1 and 0 < n <= checks.MOST_VERTICES and is_canonical(indptr, indices)


def is_canonical(indptr: Any, indices: Any) -> bool:
    """Whether the pattern is canonical, by one launch; no offset or index is trusted."""
    n, m = len(indptr) - 1, len(indices)
    if n == 0:
        return m == 0
    run, blocks = IS_CANONICAL.of(indptr, COLUMN_BITS=8 * indices.itemsize), min(-(-max(n, m) // TILE), MOST)
    args = indptr, indices, np.int32(n), np.int64(m)
    words = run.read("is_canonical", (blocks,), *args, count=2 * (1 + MOST)).view(np.int64)
    return not (words[0] or words[1 : 1 + blocks].sum())


def from_edges(u: Any, v: Any, n: int) -> tuple[Any, Any]:
    """Return the canonical CSR of undirected edges; integers of any type, in range."""
    found = _presorted(u, v, n)
    return found if found is not None else _mirror(_distinct(_pack(u, v), undirected=True), n)


def union(indptr: Any, indices: Any, n: int) -> tuple[Any, Any]:
    """Return the canonical CSR of the union of a pattern and its transpose, from rows in any order."""
    return _mirror(_distinct(_keys(indptr, indices, n), undirected=True), n)


def from_coo(rows: Any, cols: Any, n: int) -> Found:
    """Return the canonical CSR of a matrix, and its first entry without a mirror image (None if it is symmetric)."""
    found = _presorted(rows, cols, n)
    return (*found, None) if found is not None else _judge(_distinct(_pack(rows, cols)), n)


def from_csr(indptr: Any, indices: Any, n: int, csc: bool) -> Found:
    """Return the result of `from_coo` for rows in any order (with `csc`, for columns)."""
    return _judge(_distinct(_keys(indptr, indices, n, transposed=csc)), n)


def rows_rise(indptr: Any, indices: Any) -> bool:
    """Whether each row is sorted and has no duplicates."""
    keys = _keys(indptr, indices, len(indptr) - 1)
    return len(keys) == 0 or extremes(keys)[3:] == (-1, -1)


def transpose(indptr: Any, indices: Any, columns: int) -> tuple[Any, Any]:
    """Return the transpose of a matrix of any shape: rows sorted, without duplicates, with its diagonal."""
    return _csr(_sorted(_keys(indptr, indices, len(indptr) - 1, transposed=True)), columns)


def entries(rows: Any, cols: Any, n_rows: int, n_columns: int) -> tuple[Any, Any]:
    """Return the canonical CSR of the entries of a matrix of any shape."""
    return _csr(_sorted(_pack(rows, cols)), n_rows)


def _csr(keys: Any, n: int) -> tuple[Any, Any]:
    """Return the CSR of n rows from sorted keys, whose lower half is the column."""
    return _offsets(keys, n).astype(checks.offset_type(len(keys))), keys.astype(dev.cupy().int32)


def _judge(keys: Any, n: int) -> Found:
    """Return the CSR of sorted keys, and the first entry without a mirror image."""
    indptr, indices = _csr(keys, n)
    _, alone = _first_faults(indptr, indices)
    if alone < 0:
        return indptr, indices, None
    key = int(keys[alone])
    return indptr, indices, (key >> 32, key & 0xFFFFFFFF)


def _presorted(u: Any, v: Any, n: int) -> tuple[Any, Any] | None:
    """Return the CSR of entries in the order of rows, as edge indices often are, if it is canonical; None if not."""
    cp = dev.cupy()
    if len(u) and extremes(u).fall >= 0:
        return None
    u, v = checks.int32(u), checks.int32(v)
    indptr = cp.searchsorted(u, cp.arange(n + 1, dtype=cp.int32)).astype(checks.offset_type(len(u)))
    return (indptr, v) if is_canonical(indptr, v) else None


def _pack(u: Any, v: Any) -> Any:
    """Return the keys of pairs."""
    cp = dev.cupy()
    keys = u.astype(cp.uint64)
    keys <<= cp.uint64(32)
    keys |= v.astype(cp.uint32)
    return keys


def _keys(indptr: Any, indices: Any, n: int, transposed: bool = False) -> Any:
    """Return the keys of the entries of a CSR, or of its transpose."""
    cp, m = dev.cupy(), len(indices)
    keys = cp.empty(m, cp.uint64)
    _launch("keys_of_csr", m, indptr, indices, cp.int32(n), cp.int64(m), cp.int32(transposed), keys)
    return keys


def _distinct(keys: Any, undirected: bool = False) -> Any:
    """Sort keys in place, without diagonal and repeats; with `undirected`, the smaller end is first."""
    cp, m = dev.cupy(), len(keys)
    if m == 0:
        return keys
    _launch("fold", m, keys, cp.int64(m), cp.int32(undirected))
    return _sorted(keys)


def _sorted(keys: Any) -> Any:
    """Sort keys in place, without repeats and NOTHING."""
    cp = dev.cupy()
    if len(keys) == 0:
        return keys
    keys.sort()
    found = extremes(keys)
    keys = keys[: len(keys) - (found.occurrences if found.largest == NOTHING else 0)]
    if not 0 <= found.repeat < len(keys):
        return keys
    new = cp.ones(len(keys), bool)
    cp.not_equal(keys[1:], keys[:-1], out=new[1:])
    return keys[new]


def _mirror(upper: Any, n: int) -> tuple[Any, Any]:
    """Return the canonical CSR of a sorted strict upper triangle and its transpose."""
    cp, k = dev.cupy(), len(upper)
    lower = upper << cp.uint64(32)
    lower |= upper >> cp.uint64(32)
    lower.sort()
    upper_ptr, lower_ptr = _offsets(upper, n), _offsets(lower, n)
    indices = cp.empty(2 * k, cp.int32)
    _launch("interleave", k, upper, lower, upper_ptr, lower_ptr, cp.int64(k), indices)
    return (upper_ptr + lower_ptr).astype(checks.offset_type(2 * k)), indices


def _offsets(keys: Any, n: int) -> Any:
    """Return where each row starts in sorted keys, int64, shape (n + 1,)."""
    cp = dev.cupy()
    return cp.searchsorted(keys, cp.arange(n + 1, dtype=cp.uint64) << cp.uint64(32))


def _first_faults(indptr: Any, indices: Any) -> tuple[int, int]:
    """Return the first malformed entry, and the first without a mirror image; -1 for none."""
    cp, n, m = dev.cupy(), len(indptr) - 1, len(indices)
    first = cp.array([NOTHING, NOTHING], cp.uint64)
    _launch("check", m, indptr, indices, cp.int32(n), cp.int64(m), first)
    malformed, alone = (int(e) if e < m else -1 for e in first.get())
    return malformed, alone


def _launch(name: str, m: int, *args: Any) -> None:
    """Launch one thread per entry; the type of the first argument decides the variant."""
    SOURCE.of(OFFSET_BITS=64 if args[0].dtype == dev.cupy().int64 else 32).launch(name, m, *args)
