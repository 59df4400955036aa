"""Canonical CSR by sorts of 64-bit keys (row, column), without compiled code.

For the first, small inputs of a process: loading the loops of canonical_cpu.py takes as long as this takes for some
hundred thousand entries, and compiling them ten times as long. And for entries of far more vertices: the only array of
their number is the result's offsets.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import checks

Found = tuple[Any, Any, tuple[int, int] | None]
HALF = np.int64(32)
LOW = np.int64(2**32 - 1)


def is_canonical(indptr: Any, indices: Any) -> bool:
    """Whether the pattern is canonical; no index is trusted."""
    n = len(indptr) - 1
    if len(indices) and (int(indices.min()) < 0 or int(indices.max()) >= n):
        return False
    return _are_canonical(_keys(indptr, indices))


def _are_canonical(keys: Any) -> bool:
    """Whether keys rise, none is of the diagonal, and all have their mirror images."""
    return _rises(keys) and not (keys >> HALF == keys & LOW).any() and _is_symmetric(keys)


def from_edges(u: Any, v: Any, n: int) -> tuple[Any, Any]:
    """Canonical CSR of undirected edges; integers of any type, in range."""
    found = _presorted(u, v, n)
    if found is not None:
        return found
    keys = _pack(u, v)
    return _csr(_distinct(np.concatenate([keys, _mirrored(keys)])), n)


def union(indptr: Any, indices: Any, n: int) -> tuple[Any, Any]:
    """Canonical CSR of a pattern and its transpose, from rows in any order."""
    keys = _keys(indptr, indices)
    return _csr(_distinct(np.concatenate([keys, _mirrored(keys)])), n)


def from_coo(rows: Any, cols: Any, n: int) -> Found:
    """Canonical CSR of a matrix, and its first entry without a mirror image (None for a symmetric one)."""
    found = _presorted(rows, cols, n)
    return (*found, None) if found is not None else _judge(_distinct(_pack(rows, cols)), n)


def from_csr(indptr: Any, indices: Any, n: int, csc: bool) -> Found:
    """As `from_coo`, from rows in any order (`csc`: from columns)."""
    keys = _keys(indptr, indices)
    return _judge(_distinct(_mirrored(keys) if csc else keys), n)


def rows_rise(indptr: Any, indices: Any) -> bool:
    """Whether each row is sorted and has no duplicates."""
    return _rises(_keys(indptr, indices))


def transpose(indptr: Any, indices: Any, columns: int) -> tuple[Any, Any]:
    """The transpose of a matrix of any shape: rows sorted, without duplicates, with its diagonal."""
    return _csr(_unique(_mirrored(_keys(indptr, indices))), columns)


def entries(rows: Any, cols: Any, n_rows: int, n_columns: int) -> tuple[Any, Any]:
    """Canonical CSR of the entries of a matrix of any shape."""
    return _csr(_unique(_pack(rows, cols)), n_rows)


def _judge(keys: Any, n: int) -> Found:
    """CSR of sorted keys, or the first entry without a mirror image."""
    if _is_symmetric(keys):
        return *_csr(keys, n), None
    alone = int(keys[~np.isin(keys, _mirrored(keys))][0])
    return None, None, (alone >> 32, alone & 0xFFFFFFFF)


def _presorted(u: Any, v: Any, n: int) -> tuple[Any, Any] | None:
    """Entries that come row by row, as edge indices often do, may be canonical as they are."""
    if (u[1:] < u[:-1]).any() or not _are_canonical(_pack(u, v)):
        return None
    return _offsets(u, n), checks.int32(v)


def _pack(u: Any, v: Any) -> Any:
    """Keys of pairs, in range."""
    return (u.astype(np.int64) << HALF) | v.astype(np.int64)


def _keys(indptr: Any, indices: Any) -> Any:
    """Keys of the entries of a CSR."""
    return _pack(np.repeat(np.arange(len(indptr) - 1), np.diff(indptr)), indices)


def _mirrored(keys: Any) -> Any:
    return ((keys & LOW) << HALF) | (keys >> HALF)


def _rises(keys: Any) -> bool:
    return bool((keys[1:] > keys[:-1]).all())


def _is_symmetric(keys: Any) -> bool:
    """Whether sorted keys are those of a symmetric matrix."""
    return bool(np.array_equal(np.sort(_mirrored(keys)), keys))


def _distinct(keys: Any) -> Any:
    """Sorted keys without diagonal and repeats."""
    return _unique(keys[keys >> HALF != keys & LOW])


def _unique(keys: Any) -> Any:
    """Each key once, rising; `np.unique` looks numbers up in a table first, which takes many times as long."""
    keys = np.sort(keys)
    keep = np.ones(len(keys), bool)
    np.not_equal(keys[1:], keys[:-1], out=keep[1:])
    return keys[keep]


def _csr(keys: Any, n: int) -> tuple[Any, Any]:
    """CSR of n rows of sorted keys."""
    return _offsets(keys >> HALF, n), (keys & LOW).astype(np.int32)


def _offsets(rows: Any, n: int) -> Any:
    """Where each of n rows begins, of so many entries, whose rows rise."""
    indptr = np.zeros(n + 1, checks.offset_type(len(rows)))
    ends = np.append(np.flatnonzero(rows[1:] != rows[:-1]), len(rows) - 1)[: len(rows)]  # of each row that has entries
    indptr[rows[ends] + 1] = np.diff(ends, prepend=-1)
    return np.add.accumulate(indptr, dtype=indptr.dtype, out=indptr)
