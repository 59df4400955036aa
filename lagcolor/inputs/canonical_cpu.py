"""Canonical CSR on CPU threads: counting sorts, since transposing a CSR sorts its rows.

If rows are sorted already, only the diagonal is removed. Edges become an upper triangle (smaller end → larger end) by
two counting sorts, which is then mirrored: three scattered writes per edge, where sorting both directions would take
four. A matrix is transposed once, which sorts it. If a scan then finds it symmetric, the transpose is the result.
transpose_cpu.py has the counting sort.

Comparison sorts (np.unique of 64-bit keys) and scipy's COO → CSR take longer, as measured.

Compiled functions receive indices as uint32 (no test for negative subscripts) and inputs as read-only arrays, so that
each compiles once. They trust that `checks` has checked their input.
"""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.device import threads_for
from ..base.device.compiled import inner, njit
from ..base.device.parallel import even_ranges, parallel, row_ranges, run_ranges, stop_all, take_range
from ..base.log import stage
from . import checks
from .transpose_cpu import Entries, grouped, mirrored

PART, CACHED = 1 << 20, 1 << 23  # entries of a part of a scan in graphs of over CACHED entries, too many for caches
Found = tuple[Any, Any, tuple[int, int] | None]
SMALL = 1 << 16  # entries up to which a single compiled call is faster
PARTS = 4  # ranges of rows per thread, on average


def is_canonical(indptr: Any, indices: Any, threads: int | None = None, parts: int | None = None) -> bool:
    """Whether the pattern is canonical, by a scan that reads each entry at most twice; no index is trusted.

    Threads scan `parts` ranges of rows. Entries within a range are matched one by one. For entries between two ranges,
    hashes with a secret random key are summed up. With one part the answer is exact. With more parts, an asymmetric
    matrix is missed with a probability of about 10⁻¹⁷, if the hashes behave as random numbers.
    """
    workers = threads_for(threads, len(indices))
    if parts is None:
        parts = workers * -(-len(indices) // (workers * PART)) if len(indices) > CACHED else workers
    pattern = dev.in_bits(indptr), dev.in_bits(indices)
    cursor = dev.unsigned_view(np.empty(len(indptr) - 1, indptr.dtype))
    if parts == 1:
        return bool(_match_rows(*pattern, cursor, np.uint64(0), np.uint64(len(cursor)), np.uint64(0))[0])
    ends, key, sums = row_ranges(indptr, parts), np.uint64(secrets.randbits(64)), np.zeros(workers, np.uint64)
    return run_ranges(_match_parts, workers, *pattern, cursor, ends, key, sums) and not sums.sum()


def pattern_at_once(indptr: Any, indices: Any, rows: int, columns: int) -> tuple[Any, Any] | None:
    """Return unchecked arrays themselves if they are a small canonical pattern of the usual types, or None."""
    if not _is_usual(indptr, indices, rows):
        return None
    pattern = dev.in_bits(indptr), dev.in_bits(indices)
    fits = int(pattern[1].max(initial=0)) < columns <= checks.MOST_VERTICES or not len(indices)
    return (indptr, indices) if fits and _is_sound(*pattern) and _rows_rise(*pattern) else None


def at_once(indptr: Any, indices: Any, n: int) -> tuple[Any, Any] | None:
    """Return the canonical CSR of unchecked arrays of a small symmetric matrix of the usual types, or None."""
    if not _is_usual(indptr, indices, n):
        return None
    pattern, cursor, size = (dev.in_bits(indptr), dev.in_bits(indices)), np.empty(n, np.uint32), np.uint64(n)
    if not _is_sound(*pattern):
        return None
    if _match_rows(*pattern, cursor, np.uint64(0), size, np.uint64(0))[0]:
        return indptr, indices
    offsets, out = np.empty(n + 1, np.uint32), np.empty(len(indices), np.uint32)
    left = int(_without_diagonal(*pattern, offsets, out))
    pattern = dev.in_bits(offsets), dev.in_bits(out[:left])
    if left < 0 or not _match_rows(*pattern, cursor, np.uint64(0), size, np.uint64(0))[0]:
        return None
    return offsets.view(np.int32), out[:left].view(np.int32).copy()


def _is_usual(indptr: Any, indices: Any, rows: int) -> bool:
    """Whether a pattern is small, and its arrays are contiguous int32."""
    if len(indices) > SMALL or len(indptr) != rows + 1:
        return False
    for a in (indptr, indices):
        if type(a) is not np.ndarray or a.ndim != 1 or a.dtype != np.int32 or not a.flags.c_contiguous:
            return False
    return True


def from_edges(u: Any, v: Any, n: int) -> tuple[Any, Any]:
    """Return the canonical CSR of undirected edges; integers of any type, in range."""
    u, v = checks.int32(u), checks.int32(v)
    passes = stage("converting", 7, "passes")
    found = _by_rows(u, v, n)
    if found is not None and is_canonical(*found):
        return found
    by_larger_end = grouped(Entries(u, v, by_rows=False, fold=True, diagonal=False), n, repeats=True)
    passes.at(2)
    del u, v
    upper = transpose(*by_larger_end, n, diagonal=False)
    passes.at(5)
    del by_larger_end
    return mirrored(upper)


def union(indptr: Any, indices: Any, n: int) -> tuple[Any, Any]:
    """Return the canonical CSR of the union of a pattern and its transpose, from rows in any order."""
    found = without_diagonal(indptr, indices)
    if found is not None and found[1] is not indices and is_canonical(*found):
        return found
    del found
    entries = Entries(indptr, indices, by_rows=True, fold=True, diagonal=False)
    return mirrored(transpose(*grouped(entries, n, repeats=True), n, diagonal=False))


def from_coo(rows: Any, cols: Any, n: int) -> Found:
    """Return the canonical CSR of a matrix, and its first entry without a mirror image (None if it is symmetric)."""
    rows, cols = checks.int32(rows), checks.int32(cols)
    found = _by_rows(rows, cols, n)
    if found is not None:
        return (*found, None) if is_canonical(*found) else from_csr(*found, n, csc=False)
    passes = stage("converting", 6, "passes")
    by_column = grouped(Entries(rows, cols, by_rows=False, diagonal=False), n, repeats=True)
    passes.at(2)
    found = transpose(*by_column, n, diagonal=False)
    passes.at(5)
    return _judge(*found, n)


def from_csr(indptr: Any, indices: Any, n: int, csc: bool) -> Found:
    """Return the result of `from_coo` for rows in any order (with `csc`, for columns)."""
    passes = stage("converting", 4, "passes")
    if (found := without_diagonal(indptr, indices)) is not None:
        return _judge(*found, n, transposed=csc)
    found = transpose(indptr, indices, n, diagonal=False)
    passes.at(3)
    return _judge(*found, n, transposed=not csc)


def without_diagonal(indptr: Any, indices: Any, threads: int | None = None) -> tuple[Any, Any] | None:
    """Return sorted rows without their diagonal, or the input if it has none; None if a row is not sorted."""
    workers = threads_for(threads, len(indices))
    ends = row_ranges(indptr, workers * PARTS if workers > 1 else 1)
    pattern, found = (dev.in_bits(indptr), dev.in_bits(indices)), np.zeros(len(ends), np.int64)
    if not run_ranges(_count_diagonal, workers, *pattern, found[1:], ends):
        return None
    before = np.cumsum(found)
    if not before[-1]:
        return indptr, indices
    m = len(indices) - int(before[-1])
    offsets, out = np.zeros(len(indptr), indptr.dtype), dev.large_pages(m, np.int32)
    written = dev.unsigned_view(offsets[1:]), dev.unsigned_view(out)
    run_ranges(_copy_rows, workers, *pattern, before, *written, ends)
    return checks.offsets(offsets, m), out


def rows_rise(indptr: Any, indices: Any) -> bool:
    """Whether each row is sorted and has no duplicates."""
    return bool(_rows_rise(dev.in_bits(indptr), dev.in_bits(indices)))


def transpose(indptr: Any, indices: Any, columns: int, diagonal: bool = True) -> tuple[Any, Any]:
    """Return the transpose of a matrix of any shape: rows sorted, without duplicates, with or without the diagonal."""
    return grouped(Entries(indptr, indices, by_rows=True, diagonal=diagonal), columns, repeats=False)


def entries(rows: Any, cols: Any, n_rows: int, n_columns: int) -> tuple[Any, Any]:
    """Return the canonical CSR of the entries of a matrix of any shape."""
    return transpose(*grouped(Entries(rows, cols, by_rows=False), n_columns, repeats=True), n_rows)


def _judge(indptr: Any, indices: Any, n: int, transposed: bool = False) -> Found:
    """Return a sorted pattern and its first entry without a mirror image, in its transpose if `transposed`."""
    if is_canonical(indptr, indices):
        return indptr, indices, None
    this, other = (indptr, indices), transpose(indptr, indices, n, diagonal=False)
    if transposed:
        this, other = other, this
    i, j = _first_alone(*map(dev.in_bits, (*this, *other)))
    return indptr, indices, (int(i), int(j))


def _by_rows(u: Any, v: Any, n: int) -> tuple[Any, Any] | None:
    """Return the CSR of entries that are in the order of rows, as edge indices often are; None for others."""
    workers, m = threads_for(None, len(u)), len(u)
    ends, indptr = even_ranges(m, workers * PARTS if workers > 1 else 1), np.zeros(n + 1, checks.offset_type(m))
    if not run_ranges(_begin_rows, workers, dev.in_bits(u), dev.unsigned_view(indptr), ends):
        return None
    if m:
        indptr[int(u[-1]) + 1 :] = m
    return indptr, v


@parallel
def _match_parts(t: Any, shared: Any, indptr: Any, indices: Any, cursor: Any, ends: Any, key: Any, sums: Any) -> None:
    """Sum up the hashes of entries between parts: the sum over all threads is 0 if these entries are symmetric."""
    total = np.uint64(0)
    part = take_range(shared, ends)
    while part >= 0:
        fits, found = _match_rows(indptr, indices, cursor, np.uint64(ends[part]), np.uint64(ends[part + 1]), key)
        if not fits:
            stop_all(shared)
        total += found
        part = take_range(shared, ends)
    sums[t] = total


@njit(cache=True, nogil=True)
def _match_rows(indptr: Any, indices: Any, cursor: Any, first: Any, last: Any, key: Any) -> tuple[bool, Any]:
    """Scan rows in order: the mirror image of entry (i, j), j > i, must be the next unmatched entry of row j.

    When the scan reaches row i, the entries before `cursor[i]` are matched, and all others must be above the diagonal.
    The scan also finds a row that was matched beyond its end. An entry (i, j) between parts adds h(i) h(j) above
    the diagonal, and subtracts it below. If the sum is 0, each of them almost certainly has its mirror image.
    """
    n, m, zero, one = np.uint64(len(cursor)), np.uint64(len(indices)), np.uint64(0), np.uint64(1)
    total, i = zero, first
    while i < last:  # columns before the part
        e, end, rest, least = np.uint64(indptr[i]), np.uint64(indptr[i + one]), zero, zero
        while first and e < end and indices[e] < first:
            j = np.uint64(indices[e])
            if j < least:
                return False, total
            rest -= _hash(j, key)
            least = j + one
            e += one
        cursor[i] = e
        if rest != zero:
            total += _hash(i, key) * rest
        i += one
    i = first
    while i < last:
        e, end, rest, least = np.uint64(cursor[i]), np.uint64(indptr[i + one]), zero, i + one
        if e > end:
            return False, total
        while e < end:
            j = np.uint64(indices[e])
            if j < least:
                return False, total
            if j >= last:
                break
            at = np.uint64(cursor[j])
            cursor[j] = at + one
            if at >= m or indices[at] != i:
                return False, total
            least = j + one
            e += one
        while e < end:  # columns after the part
            j = np.uint64(indices[e])
            if j < least or j >= n:
                return False, total
            rest += _hash(j, key)
            least = j + one
            e += one
        if rest != zero:
            total += _hash(i, key) * rest
        i += one
    return True, total


@njit(cache=True, nogil=True)
def _is_sound(indptr: Any, indices: Any) -> bool:
    """Whether offsets never fall, from 0 to the number of entries."""
    fits = indptr[0] == 0 and indptr[indptr.size - 1] == indices.size
    for i in range(indptr.size - 1):
        fits &= indptr[i] <= indptr[i + 1]
    return fits


@njit(cache=True, nogil=True)
def _without_diagonal(indptr: Any, indices: Any, offsets: Any, out: Any) -> Any:
    """Write rows without their diagonal; return their number of entries, or −1 if a row is not sorted."""
    at, one, n = np.uint64(0), np.uint64(1), np.uint64(indptr.size - 1)
    offsets[0] = 0
    for i in range(n):
        least = np.uint64(0)
        for e in range(np.uint64(indptr[i]), np.uint64(indptr[i + one])):
            j = np.uint64(indices[e])
            if j < least or j >= n:
                return np.int64(-1)
            out[at] = j
            at += np.uint64(j != i)
            least = j + one
        offsets[i + one] = at
    return np.int64(at)


@inner()
def _hash(j: Any, key: Any) -> Any:
    """MurmurHash3's mixing of 64 bits, without its first step, which only changes the key."""
    j = (j ^ key) * np.uint64(0xFF51AFD7ED558CCD)
    j = (j ^ j >> np.uint64(33)) * np.uint64(0xC4CEB9FE1A85EC53)
    return j ^ j >> np.uint64(33)


@parallel
def _count_diagonal(t: Any, shared: Any, indptr: Any, indices: Any, found: Any, ends: Any) -> None:
    """Count the rows with a diagonal entry in each part; a row that is not sorted stops all threads."""
    part = take_range(shared, ends)
    while part >= 0:
        count, one = np.uint64(0), np.uint64(1)
        for i in range(np.uint64(ends[part]), np.uint64(ends[part + 1])):
            least = np.uint64(0)
            for e in range(np.uint64(indptr[i]), np.uint64(indptr[i + one])):
                j = np.uint64(indices[e])
                if j < least:
                    stop_all(shared)
                    return
                count += np.uint64(j == i)
                least = j + one
        found[part] = count
        part = take_range(shared, ends)


@parallel
def _copy_rows(t: Any, shared: Any, indptr: Any, indices: Any, before: Any, row_ends: Any, out: Any, ends: Any) -> None:
    """Copy rows without the diagonal; `before` counts the diagonal entries of earlier parts."""
    part, one = take_range(shared, ends), np.uint64(1)
    while part >= 0:
        at = np.uint64(indptr[ends[part]]) - np.uint64(before[part])
        for i in range(np.uint64(ends[part]), np.uint64(ends[part + 1])):
            begin, end = np.uint64(indptr[i]), np.uint64(indptr[i + one])
            if begin < end:
                for e in range(begin, end - one):  # no branch: a skipped entry is overwritten by the next one
                    out[at] = indices[e]
                    at += np.uint64(indices[e] != i)
                if indices[end - one] != i:
                    out[at] = indices[end - one]
                    at += one
            row_ends[i] = at
        part = take_range(shared, ends)


@parallel
def _begin_rows(t: Any, shared: Any, rows: Any, indptr: Any, ends: Any) -> None:
    """Write where rows begin, from the row of each entry; a row less than the row before stops all threads."""
    part, one = take_range(shared, ends), np.uint64(1)
    while part >= 0:
        begin = np.uint64(ends[part])
        begun = np.uint64(rows[begin - one]) if begin else np.uint64(0)
        for e in range(begin, np.uint64(ends[part + 1])):
            row = np.uint64(rows[e])
            if row < begun:
                stop_all(shared)
                return
            while begun < row:
                begun += one
                indptr[begun] = e
        part = take_range(shared, ends)


@njit(cache=True, nogil=True)
def _rows_rise(indptr: Any, indices: Any) -> bool:
    end = np.uint64(0)
    for i in range(len(indptr) - 1):
        begin, end = end, np.uint64(indptr[i + 1])
        for e in range(begin, end):
            if e > begin and indices[e] <= indices[e - np.uint64(1)]:
                return False
    return True


@njit(cache=True, nogil=True)
def _first_alone(indptr: Any, indices: Any, other_ptr: Any, other: Any) -> tuple[Any, Any]:
    """Return the first entry of a sorted pattern that is missing in another; (-1, -1) if there is none."""
    for i in range(len(indptr) - 1):
        f, last = np.uint64(other_ptr[i]), np.uint64(other_ptr[i + 1])
        for e in range(indptr[i], indptr[i + 1]):
            while f < last and other[f] < indices[e]:
                f += np.uint64(1)
            if f >= last or other[f] != indices[e]:
                return i, np.int64(indices[e])
    return -1, -1
