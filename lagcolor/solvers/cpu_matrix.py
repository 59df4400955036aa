"""Compiled loops on the matrix of a solver on a CPU, except factors and sweeps.

They arrange the triangles in the order of colors, and the entries in blocks. Each row is sorted by one thread, because
most rows are short; blocks are sorted by counting. Other loops gather values, and test whether each entry is the
conjugate of its mirror image; NumPy then finds the entry for the error.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semirings.sparse import offset_type

from ..base.device import LEAST_WORK, read_only, threads_for
from ..base.device.compiled import inner, njit
from ..base.device.intrinsics import store_relaxed
from ..base.device.parallel import even_ranges, launch, parallel, row_ranges, run_ranges, share, slots, take_range

PARTS = 4  # ranges of rows per thread, on average
SHORT = 128  # entries of a row up to which it is sorted by insertion
HALF, LOW = np.int64(32), np.int64(2**32 - 1)  # the halves of a key: the place of a column, and the entry in its row
FAULT, ONE = np.uint64(0), np.uint64(1)  # FAULT: a place in `shared`


def triangles(indptr: Any, indices: Any, order: Any, place: Any) -> tuple[Any, Any, Any]:
    """Return the diagonal and both triangles of a permuted matrix."""
    n, offset = len(order), offset_type(len(indices))
    below, above, diagonal = np.zeros(n + 1, offset), np.zeros(n + 1, offset), np.full(n, -1, offset)
    workers = threads_for(None, len(indices))
    matrix = even_ranges(n, workers * PARTS if workers > 1 else 1), indptr, indices, order, place
    run_ranges(_count, workers, *matrix, below, above, diagonal)
    for counts in (below, above):
        np.cumsum(counts, out=counts)
    parts = [(p, np.empty(int(p[-1]), np.int32), np.empty(int(p[-1]), offset)) for p in (below, above)]
    run_ranges(_fill, workers, *matrix, *parts[0], *parts[1])
    return diagonal, parts[0], parts[1]


def mirror(lower: Any, upper: Any) -> Any:
    """Return the place of (j, i) in the upper triangle for each entry (i, j) of the lower, −1 for none: int64."""
    out, workers = np.empty(len(lower.indices), np.int64), threads_for(None, len(lower.indices))
    parts = row_ranges(lower.indptr, workers)
    launch(_find_mirrors, workers, slots(0), parts, *lower[:2], *upper[:2], out)
    return out


@parallel
def _find_mirrors(t: Any, shared: Any, parts: Any, Lp: Any, Li: Any, Up: Any, Ui: Any, out: Any) -> None:
    """Search the sorted row j of the upper triangle for column i, for the entries of some rows i of the lower."""
    for i in range(parts[t], parts[t + 1]):
        for e in range(Lp[i], Lp[i + 1]):
            low, high = np.int64(Up[Li[e]]), np.int64(Up[Li[e] + 1])
            end = high
            while low < high:
                middle = (low + high) // 2
                if Ui[middle] < i:
                    low = middle + 1
                else:
                    high = middle
            out[e] = low if low < end and Ui[low] == i else -1


@parallel
def _count(
    t: Any, shared: Any, ends: Any, indptr: Any, indices: Any, order: Any, place: Any, below: Any, above: Any,
    diagonal: Any,
) -> None:  # fmt: skip
    """Count the entries of row i in both triangles, at place i + 1, and find its diagonal entry."""
    part = take_range(shared, ends)
    while part >= 0:
        for i in range(ends[part], ends[part + 1]):
            v, lower, upper = order[i], 0, 0
            for e in range(indptr[v], indptr[v + 1]):
                j = place[indices[e]]
                lower += j < i
                upper += j > i
                if j == i:
                    diagonal[i] = e
            below[i + 1], above[i + 1] = lower, upper
        part = take_range(shared, ends)


@parallel
def _fill(
    t: Any, shared: Any, ends: Any, indptr: Any, indices: Any, order: Any, place: Any, below: Any, Li: Any, Ls: Any,
    above: Any, Ui: Any, Us: Any,
) -> None:  # fmt: skip
    """Write columns of both triangles, sorted, and which entries of the matrix they are."""
    keys, part = np.empty(SHORT, np.int64), take_range(shared, ends)
    while part >= 0:
        for i in range(ends[part], ends[part + 1]):
            begin, end = np.int64(indptr[order[i]]), np.int64(indptr[order[i] + 1])
            if end - begin > keys.size:
                keys = np.empty(2 * (end - begin), np.int64)
            count = sorted_row(indices, place, i, begin, end, keys)
            lower, upper = below[i], above[i]
            for k in range(count):
                j, e = keys[k] >> HALF, begin + (keys[k] & LOW)
                if j < i:
                    Li[lower], Ls[lower] = j, e
                    lower += 1
                else:
                    Ui[upper], Us[upper] = j, e
                    upper += 1
        part = take_range(shared, ends)


@inner()
def sorted_row(indices: Any, place: Any, i: Any, begin: Any, end: Any, keys: Any) -> Any:
    """Write sorted keys of a row's entries off the diagonal: the column's place, then the entry; return the count."""
    count, short = 0, end - begin <= SHORT
    for e in range(begin, end):
        j = np.int64(place[indices[e]])
        if j == i:
            continue
        key, k = j << HALF | (e - begin), count
        while short and k > 0 and keys[k - 1] > key:
            keys[k] = keys[k - 1]
            k -= 1
        keys[k] = key
        count += 1
    if not short:
        keys[:count].sort()
    return count


@njit(cache=True, nogil=True)
def block_columns(indptr: Any, indices: Any, b: Any, seen: Any, out_indptr: Any, out: Any) -> None:
    """Write the block columns of each block row, unsorted, and ends of rows in `out_indptr`; `seen` is initially −1."""
    m = 0
    for v in range(len(out_indptr) - 1):
        for e in range(indptr[v * b], indptr[v * b + b]):
            j = indices[e] // b
            if seen[j] != v:
                seen[j] = v
                out[m] = j
                m += 1
        out_indptr[v + 1] = m


@njit(cache=True, nogil=True)
def block_places(
    indptr: Any, indices: Any, b: Any, block_indptr: Any, block_indices: Any, at: Any, places: Any
) -> None:  # fmt: skip
    """Write the place of each entry in the flat blocks of a canonical pattern."""
    for v in range(len(block_indptr) - 1):
        for k in range(block_indptr[v], block_indptr[v + 1]):
            at[block_indices[k]] = k
        for p in range(b):
            for e in range(indptr[v * b + p], indptr[v * b + p + 1]):
                j = indices[e] // b
                places[e] = (at[j] * b + p) * b + indices[e] - j * b


# ---- values ---------------------------------------------------------------------------------------------------------


def are(*arrays: Any) -> bool:
    """Whether these loops accept arrays: many values on a CPU, contiguous, and in native byte order."""
    return all(
        isinstance(x, np.ndarray) and x.size >= LEAST_WORK and x.flags.c_contiguous and x.dtype.isnative for x in arrays
    )


def take(values: Any, source: Any) -> Any:
    """Return ``values[source]``: some of an array's numbers or blocks."""
    if not are(values, source):
        return values[source]
    out = np.empty((len(source), *values.shape[1:]), values.dtype)
    numbers = [x if x.ndim == 1 else x.reshape(len(x), -1) for x in (values, out)]
    threads = threads_for(None, out.size)
    launch(_take, threads, slots(0), np.int64(threads), read_only(numbers[0]), read_only(source), numbers[1])
    return out


def hermitian(T: Any, mirror: Any, lower: Any, upper: Any, diagonal: Any) -> bool:
    """Whether a matrix of numbers is Hermitian in the sense of `ic0.check_hermitian`; `T` is its lower triangle."""
    size = np.sqrt(abs(diagonal))
    arrays = map(read_only, (T.indptr, T.indices, mirror, lower, upper, diagonal, size))
    most = size.dtype.type(float(np.finfo(lower.dtype).eps) ** 0.5)
    threads, shared = threads_for(None, lower.size), slots(1)
    launch(_find_asymmetry, threads, shared, np.int64(threads), *arrays, most)
    return not shared[FAULT]


@parallel
def _take(t: Any, shared: Any, threads: Any, values: Any, source: Any, out: Any) -> None:
    """Gather a share of values."""
    for i in share(t, threads, len(source)):
        at = np.uint64(source[i])
        if values.ndim == 1:  # the compiler keeps only one branch
            out[i] = values[at]
        else:
            for k in range(np.uint64(values.shape[1])):
                out[i, k] = values[at, k]


@parallel
def _find_asymmetry(
    t: Any, shared: Any, threads: Any, indptr: Any, indices: Any, mirror: Any, lower: Any, upper: Any,
    diagonal: Any, size: Any, most: Any,
) -> None:  # fmt: skip
    """Find an entry that is not the conjugate of its mirror image."""
    for i in share(t, threads, len(size)):
        if abs(diagonal[i] - np.conj(diagonal[i])) > most * size[i] * size[i]:
            store_relaxed(shared, FAULT, 1)
            return
        for e in range(np.uint64(indptr[i]), np.uint64(indptr[i + ONE])):
            off = abs(lower[e] - np.conj(upper[np.uint64(mirror[e])]))
            if off > most * size[i] * size[np.uint64(indices[e])]:
                store_relaxed(shared, FAULT, 1)
                return
