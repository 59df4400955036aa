"""Entries grouped by column on CPU threads, in the order of the input. If the input is sorted by rows, this transposes.

This is a counting sort. Each thread counts its entries of each column. The counts determine where in each column the
entries of a thread begin, so that all threads write at the same time. If each thread has few columns, as in a mesh or
band in its own order, it uses only the pages of counts of these columns.

Otherwise many threads must add up many counts, and write each entry to another cache line, next to the entries of other
threads. Then entries are written twice: first to about 1024 ranges of columns, and then within each range, in the cache
of one thread. One half of the ranges follows the other. The buffer has 8 bytes per entry of a half.

The result is the same for any number of threads.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..base.device import in_bits, large_pages, threads_for, unsigned_view
from ..base.device.compiled import inner, njit
from ..base.device.intrinsics import fetch_add
from ..base.device.parallel import (
    barrier,
    even_ranges,
    launch,
    parallel,
    row_ranges,
    run_ranges,
    share,
    slots,
    take_range,
)
from . import checks

BITS, ROUNDS = 10, 2  # bits of the number of ranges of columns; how often entries are read
PARTS = 4  # ranges of rows per thread, on average
BLOCK = np.uint64(1024)  # entries that are read at a time
LINE = 8  # 8-byte words in a cache line
# Of a thread: the row of its first entry; its entries BEGIN … END − 1; its columns LOW … HIGH − 1; the number of
# entries in its share of the columns.
ROW, BEGIN, END, LOW, HIGH, COUNT = range(6)
ZERO, ONE, HALF = np.uint64(0), np.uint64(1), np.uint64(32)
MANY = 8  # threads from which on ranges of columns take less time than all columns at once
LOCAL = 4  # threads from which on each finds its first and last column
SAMPLE, OVERLAP = 64, 2  # sampled entries of a thread; most threads per column, on average, if threads have few columns


class Entries(NamedTuple):
    """Rows and columns of entries, int32 and in range."""

    first: Any  # the row of each entry, or offsets of rows
    second: Any  # the column of each entry
    by_rows: bool  # whether `first` has offsets
    fold: bool = False  # whether the larger end of each entry becomes its column
    diagonal: bool = True  # whether entries on the diagonal count


def transpose(indptr: Any, indices: Any, columns: int, threads: int | None = None) -> tuple[Any, Any]:
    """Return offsets and columns of the transpose of a canonical pattern, in the types of a `Pattern`."""
    return grouped(Entries(indptr, indices, by_rows=True), columns, repeats=True, threads=threads)


def grouped(entries: Entries, columns: int, repeats: bool, threads: int | None = None) -> tuple[Any, Any]:
    """Return offsets of columns, and the row of each entry; without `repeats`, adjacent equal rows become one."""
    m = len(entries.second)
    workers = threads_for(threads, m)
    if workers > 1 and not _is_local(entries.second, columns, workers):
        if workers >= MANY:
            return _by_ranges(*_shared(entries, workers), columns, repeats)
        workers = max(1, min(workers, m // max(columns, 1)))
    return _by_columns(*_shared(entries, workers), columns, repeats)


def _is_local(indices: Any, columns: int, workers: int) -> bool:
    """Whether each thread has few columns, according to a sample of its entries."""
    some = indices[np.linspace(0, max(len(indices) - 1, 0), SAMPLE * workers).astype(np.int64)].reshape(workers, SAMPLE)
    return int((some.max(axis=1) - some.min(axis=1)).sum()) <= OVERLAP * columns


def _shared(entries: Entries, workers: int) -> tuple[Entries, Any]:
    """Return entries in the types of the loops, and the range of each thread."""
    ranges, m = np.zeros((workers, LINE), np.uint64), len(entries.second)
    ranges[-1, END] = m
    if workers > 1:
        parts = even_ranges(m, workers)
        ranges[:, BEGIN], ranges[:, END] = parts[:-1], parts[1:]
        if entries.by_rows:
            ranges[:, ROW] = np.searchsorted(entries.first, parts[:-1], side="right") - 1
    return Entries(in_bits(entries.first), in_bits(entries.second), *entries[2:]), ranges


def _by_columns(source: Entries, ranges: Any, columns: int, repeats: bool) -> tuple[Any, Any]:
    """Sort by all columns at once."""
    m, workers = len(source.second), len(ranges)
    offsets = np.zeros(columns + 1, checks.offset_type(m))
    ends, out = unsigned_view(offsets)[1:], large_pages(m, np.int32)
    if workers == 1:
        _sort_alone(source, ranges[0], ends, unsigned_view(out))
    else:
        counts = np.zeros((workers - 1, columns), ends.dtype)  # the counts of the last thread become `ends`
        launch(_sort, workers, slots(LINE), source, ranges, counts, ends, unsigned_view(out))
    size = int(offsets[-1] if repeats else _squeeze(ZERO, ends, unsigned_view(out)))
    return (offsets, out) if size == m else (checks.offsets(offsets, size), out[:size].copy())


def _by_ranges(source: Entries, ranges: Any, columns: int, repeats: bool) -> tuple[Any, Any]:
    """Sort by ranges of columns, and then within each range."""
    m, workers, shift = len(source.second), len(ranges), max(0, max(columns - 1, 0).bit_length() - BITS)
    counts = np.zeros((workers, -(-columns // (1 << shift)) + LINE), np.uint64)
    launch(_tally_ranges, workers, slots(0), source, ranges, np.uint64(shift), counts)
    begins, steps = _plan(counts)
    size, most = int(begins[-1]), int(np.diff(begins[steps]).max())
    between, out = [large_pages(most, np.uint64)], large_pages(size, np.int32)
    offsets, sizes = np.zeros(columns + 1, checks.offset_type(m)), np.zeros(len(begins), np.int64)
    shared = slots(2 * ROUNDS * LINE)
    plan, made = (np.uint64(shift), steps, begins, repeats), (unsigned_view(offsets), unsigned_view(out), sizes[1:])
    launch(_exchange, workers, shared, source, (ranges, counts), plan, between[0], made)
    between.clear()
    return _joined(offsets, out, sizes, begins, shift, workers)


def _plan(counts: Any) -> tuple[Any, Any]:
    """Return where ranges of columns begin in the output, and the first range of each step; counts become cursors."""
    sums = np.cumsum(counts, axis=0)
    begins = np.zeros(counts.shape[1] - LINE + 1, np.int64)
    np.cumsum(sums[-1, :-LINE], out=begins[1:])
    counts[:] = sums - counts
    counts[:, :-LINE] += begins[:-1].astype(np.uint64)
    steps = np.searchsorted(begins, begins[-1] * np.arange(ROUNDS + 1) // ROUNDS)
    steps[-1] = len(begins) - 1
    return begins, steps


def _joined(offsets: Any, out: Any, sizes: Any, begins: Any, shift: int, workers: int) -> tuple[Any, Any]:
    """Return offsets and entries of all ranges of columns, closing gaps where `sizes` are smaller than the ranges."""
    after = np.cumsum(sizes)
    if after[-1] == len(out):
        return checks.offsets(offsets, len(out)), out
    whole, out = out, large_pages(int(after[-1]), np.int32)
    ends = np.minimum(np.arange(len(begins)) << shift, len(offsets) - 1)
    arrays = in_bits(whole), unsigned_view(out), begins, after, unsigned_view(offsets)[1:], ends
    run_ranges(_close, workers, *arrays)
    return checks.offsets(offsets, len(out)), out


@njit(cache=True, nogil=True, inline="always")
def _entry(entries: Any, row: Any, e: Any) -> Any:
    """Return the row of entry e (`row` or a later one), then its column and row, or its larger and smaller end."""
    first, second, by_rows, fold, _ = entries
    if by_rows:
        while np.uint64(first[row + ONE]) <= e:
            row += ONE
        r = np.uint32(row)
    else:
        r = first[e]
    c = second[e]
    if fold:
        return row, max(r, c), min(r, c)
    return row, c, r


@njit(cache=True, nogil=True)
def _sort_alone(entries: Any, own: Any, ends: Any, out: Any) -> None:
    """Do `_sort` on one thread, with half of the code to compile."""
    _tally(entries, own, ZERO, ends)
    at = ends.dtype.type(0)
    for c in range(np.uint64(ends.size)):
        count = ends[c]
        ends[c] = at
        at += count
    _scatter(entries, own, ends, out)


@parallel
def _sort(t: Any, shared: Any, entries: Any, ranges: Any, counts: Any, last: Any, out: Any) -> None:
    """Count the entries of thread t, compute where its share of the columns begin, and write its entries."""
    workers, at = len(ranges), np.uint64(0)
    own = last if t == workers - 1 else counts[t]
    _tally(entries, ranges[t], ZERO, own)
    ranges[t, HIGH] = last.size
    if workers >= LOCAL and not entries.fold:
        _range(entries, ranges[t])
    columns = share(t, workers, last.size)
    barrier(shared, 0, workers)
    ranges[t, COUNT] = _entries(counts, last, ranges, columns.start, columns.stop)
    barrier(shared, 0, 2 * workers)
    for before in range(t):
        at += ranges[before, COUNT]
    _begin(counts, last, ranges, columns.start, columns.stop, last.dtype.type(at))
    barrier(shared, 0, 3 * workers)
    _scatter(entries, ranges[t], own, out)


@inner()
def _tally(entries: Any, own: Any, shift: Any, counts: Any) -> None:
    """Count a thread's entries per range of columns."""
    diagonal, row, e, end, one = entries.diagonal, own[ROW], own[BEGIN], own[END], counts.dtype.type(1)
    if diagonal and not entries.fold:
        while e < end:
            counts[np.uint64(entries.second[e]) >> shift] += one
            e += ONE
    while e < end:
        row, c, r = _entry(entries, row, e)
        counts[np.uint64(c) >> shift] += counts.dtype.type(diagonal or c != r)
        e += ONE


@inner()
def _range(entries: Any, own: Any) -> None:
    """Find the first column of a thread's entries, and the last + 1."""
    low, high = np.uint32(2**32 - 1), np.uint32(0)
    for e in range(own[BEGIN], own[END]):
        low, high = min(low, entries.second[e]), max(high, entries.second[e])
    own[LOW], own[HIGH] = low, np.uint64(high) + ONE


@parallel
def _tally_ranges(t: Any, shared: Any, entries: Any, ranges: Any, shift: Any, counts: Any) -> None:
    """Call `_tally` for thread t."""
    _tally(entries, ranges[t], shift, counts[t])


@inner()
def _entries(counts: Any, last: Any, ranges: Any, first: Any, end: Any) -> Any:
    """Return the number of entries in a range of columns."""
    total = np.uint64(0)
    for c in range(first, end):
        total += np.uint64(last[c])
    for t in range(counts.shape[0]):
        for c in range(max(first, ranges[t, LOW]), min(end, ranges[t, HIGH])):
            total += np.uint64(counts[t, c])
    return total


@inner()
def _begin(counts: Any, last: Any, ranges: Any, first: Any, end: Any, at: Any) -> None:
    """Replace counts per thread and column by where its entries begin, from `at` on; `last` is of the last thread."""
    some, number = np.empty(counts.shape[0], np.uint64), np.uint64(0)
    for t in range(counts.shape[0]):
        if ranges[t, LOW] < end and ranges[t, HIGH] > first:
            some[number] = t
            number += ONE
    for c in range(first, end):
        k = np.uint64(0)
        while k < number:  # `range` took twice as long for few steps
            count = counts[some[k], c]
            if count:  # pages without an entry of the thread are never written
                counts[some[k], c] = at
                at += count
            k += ONE
        count = last[c]
        last[c] = at
        at += count


@inner()
def _scatter(entries: Any, own: Any, places: Any, out: Any) -> None:
    """Write the row of each entry of a thread to the next place of its column."""
    first, second, by_rows, fold, diagonal = entries
    row, e, end, one = own[ROW], own[BEGIN], own[END], places.dtype.type(1)
    while e < end:
        stop = min(end, np.uint64(first[row + ONE])) if by_rows else end
        while e < stop:
            c, r = second[e], np.uint32(row) if by_rows else first[e]
            if fold:
                c, r = max(r, c), min(r, c)
            if diagonal or c != r:
                at = places[c]
                out[at] = r
                places[c] = at + one
            e += ONE
        row += ONE


@parallel
def _exchange(t: Any, shared: Any, entries: Any, own: Any, plan: Any, between: Any, made: Any) -> None:
    """In each step, write the entries of some ranges of columns to `between`, and sort each range from there."""
    (ranges, cursors), (shift, steps, begins, repeats), (offsets, out, sizes) = own, plan, made
    diagonal = entries.diagonal
    row, begin, end = ranges[t, ROW], ranges[t, BEGIN], ranges[t, END]
    cursor, workers, some = cursors[t], len(cursors), np.empty(BLOCK, np.uint64)
    for step in range(steps.size - 1):
        low, high = np.uint64(steps[step]), np.uint64(steps[step + 1])
        base, here, e = np.uint64(begins[low]), row, begin
        while e < end:
            stop, found = min(e + BLOCK, end), np.uint64(0)
            while e < stop:
                here, c, r = _entry(entries, here, e)
                some[found] = np.uint64(c) << HALF | np.uint64(r)
                found += np.uint64(((np.uint64(c) >> shift) - low < high - low) & (diagonal | (c != r)))  # no branch
                e += ONE
            for k in range(found):
                bucket = some[k] >> (HALF + shift)
                between[cursor[bucket] - base] = some[k]
                cursor[bucket] += ONE
        barrier(shared, 2 * step * LINE, workers)
        bucket = low + np.uint64(fetch_add(shared, np.uint64((2 * step + 1) * LINE), 1))
        while bucket < high:
            a, b = np.uint64(begins[bucket]), np.uint64(begins[bucket + ONE])
            columns = bucket << shift
            width = min(ONE << shift, np.uint64(offsets.size) - ONE - columns)
            row_ends = offsets[columns + ONE : columns + ONE + width]
            _sort_range(between[a - base : b - base], columns, a, row_ends, out)
            sizes[bucket] = b - a if repeats else _squeeze(a, row_ends, out)
            bucket = low + np.uint64(fetch_add(shared, np.uint64((2 * step + 1) * LINE), 1))
        barrier(shared, 2 * step * LINE, 2 * workers)


@inner()
def _sort_range(entries: Any, columns: Any, at: Any, ends: Any, out: Any) -> None:
    """Sort the entries of a range of columns by column, to `out` from `at` on."""
    for k in range(np.uint64(entries.size)):
        ends[(entries[k] >> HALF) - columns] += ends.dtype.type(1)
    for c in range(np.uint64(ends.size)):
        count = ends[c]
        ends[c] = at
        at += count
    for k in range(np.uint64(entries.size)):
        c = (entries[k] >> HALF) - columns
        out[ends[c]] = np.uint32(entries[k])
        ends[c] += ends.dtype.type(1)


@njit(cache=True, nogil=True)
def _squeeze(begin: Any, ends: Any, out: Any) -> Any:
    """Drop repeats within the sorted rows of a range, in place; return the number of entries left."""
    at = start = begin
    for c in range(np.uint64(ends.size)):
        end = np.uint64(ends[c])
        for e in range(start, end):
            if e == start or out[e] != out[e - ONE]:
                out[at] = out[e]
                at += ONE
        start = end
        ends[c] = at
    return at - begin


def mirrored(upper: tuple[Any, Any]) -> tuple[Any, Any]:
    """Return the union of a sorted strict upper triangle and its transpose."""
    n, m, workers = len(upper[0]) - 1, 2 * len(upper[1]), threads_for(None, len(upper[1]))
    indptr, indices = np.zeros(n + 1, checks.offset_type(m)), large_pages(m, np.int32)
    made = unsigned_view(indptr)[1:], unsigned_view(indices)
    if workers < MANY:
        _mirror(in_bits(upper[0]), in_bits(upper[1]), *made)
        return indptr, indices
    lower = transpose(*upper, n)
    run_ranges(_join_rows, workers, *map(in_bits, (*lower, *upper)), *made, row_ranges(lower[0], workers * PARTS))
    return indptr, indices


@njit(cache=True, nogil=True)
def _mirror(upper_ptr: Any, upper: Any, ends: Any, out: Any) -> None:
    """Write both directions by one thread, which needs less memory than the transpose."""
    at, one = ends.dtype.type(0), ends.dtype.type(1)
    for i in range(np.uint64(ends.size)):
        ends[i] = upper_ptr[i + ONE] - upper_ptr[i]
    for e in range(np.uint64(upper.size)):
        ends[upper[e]] += one
    for i in range(np.uint64(ends.size)):
        count = ends[i]
        ends[i] = at
        at += count
    for i in range(np.uint64(ends.size)):  # earlier rows have written all entries left of the diagonal
        for e in range(np.uint64(upper_ptr[i]), np.uint64(upper_ptr[i + ONE])):
            out[ends[upper[e]]] = i
            ends[upper[e]] += one
            out[ends[i]] = upper[e]
            ends[i] += one


@parallel
def _join_rows(
    t: Any, shared: Any, lower_ptr: Any, lower: Any, upper_ptr: Any, upper: Any, row_ends: Any, out: Any, ends: Any
) -> None:  # fmt: skip
    """Write each row of two patterns, first of the lower, then of the upper."""
    part = take_range(shared, ends)
    while part >= 0:
        first, last = np.uint64(ends[part]), np.uint64(ends[part + 1])
        at = np.uint64(lower_ptr[first]) + np.uint64(upper_ptr[first])
        for i in range(first, last):
            for e in range(np.uint64(lower_ptr[i]), np.uint64(lower_ptr[i + ONE])):
                out[at] = lower[e]
                at += ONE
            for e in range(np.uint64(upper_ptr[i]), np.uint64(upper_ptr[i + ONE])):
                out[at] = upper[e]
                at += ONE
            row_ends[i] = at
        part = take_range(shared, ends)


@parallel
def _close(t: Any, shared: Any, whole: Any, out: Any, begins: Any, after: Any, row_ends: Any, ends: Any) -> None:
    """Move each range of rows to the end of the range before."""
    part = take_range(shared, ends)
    while part >= 0:
        begin, to, size = np.uint64(begins[part]), np.uint64(after[part]), np.uint64(after[part + 1] - after[part])
        out[to : to + size] = whole[begin : begin + size]
        for i in range(np.uint64(ends[part]), np.uint64(ends[part + 1])):
            row_ends[i] -= begin - to
        part = take_range(shared, ends)
