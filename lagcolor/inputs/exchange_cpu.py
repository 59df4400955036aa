"""Entries grouped by column on CPU threads, in the order of the input: the transpose, where that is by rows.

A counting sort of all columns at once writes each entry to another cache line, next to what other threads write, and
takes a counter per column and thread. Here entries go twice: first to about 1024 ranges of columns, where each
thread counts its own entries, and then within each range, in the cache of one thread. This is done for one half of the
ranges after the other. What is in between are 8 bytes per entry of a half. What comes out is the same for any number of
threads.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..base.device import large_pages
from ..base.device.compiled import njit
from ..base.device.intrinsics import fetch_add
from ..base.device.parallel import barrier, even_ranges, launch, parallel, row_ranges, run_ranges, slots, take_range
from . import checks

BITS, ROUNDS = 10, 2  # of the number of ranges of columns; how often entries are read
PARTS = 4  # ranges of rows of a thread, on the average
BLOCK = np.uint64(1024)  # entries that are read at a time
LINE = 8  # 8-byte words in a cache line
ONE, HALF = np.uint64(1), np.uint64(32)
MANY = 4  # threads from which on this takes less time than a counting sort by one, or by few


class Entries(NamedTuple):
    """Rows and columns of entries, int32 and in range."""

    first: Any  # the row of each entry, or offsets of rows
    second: Any
    by_rows: bool  # whether they are offsets
    fold: bool  # whether each entry goes from its larger end to its smaller, whatever the input has
    diagonal: bool  # whether it counts


def grouped(entries: Entries, columns: int, workers: int, repeats: bool) -> tuple[Any, Any]:
    """Offsets of columns, and the row of each entry; `repeats` in a column are next to each other where not kept."""
    m, shift = len(entries.second), max(0, max(columns - 1, 0).bit_length() - BITS)
    parts = even_ranges(m, workers)
    rows = np.searchsorted(entries.first, parts[:-1], side="right") - 1 if entries.by_rows else parts
    source = entries._replace(first=checks.in_bits(entries.first), second=checks.in_bits(entries.second))
    counts = np.zeros((workers, -(-columns // (1 << shift)) + LINE), np.uint64)
    ranges = np.stack([rows[:workers], parts[:-1], parts[1:]], axis=1).astype(np.uint64)
    launch(_tally, workers, slots(0), source, ranges, np.uint64(shift), counts)
    begins, steps = _plan(counts)
    size, most = int(begins[-1]), int(np.diff(begins[steps]).max())
    between, out = [large_pages(most, np.uint64)], large_pages(size, np.int32)
    offsets, kept = np.zeros(columns + 1, checks.offset_type(m)), np.zeros(len(begins), np.int64)
    shared = slots(2 * ROUNDS * LINE)
    plan, made = (np.uint64(shift), steps, begins, repeats), (_out(offsets), _out(out), kept[1:])
    launch(_exchange, workers, shared, source, (ranges, counts), plan, between[0], made)
    between.clear()
    return _joined(offsets, out, kept, begins, shift, workers)


def _plan(counts: Any) -> tuple[Any, Any]:
    """Where ranges of columns begin in the output, and the first range of each step; counts become cursors."""
    sums = np.cumsum(counts, axis=0)
    begins = np.zeros(counts.shape[1] - LINE + 1, np.int64)
    np.cumsum(sums[-1, :-LINE], out=begins[1:])
    counts[:] = sums - counts
    counts[:, :-LINE] += begins[:-1].astype(np.uint64)
    steps = np.searchsorted(begins, begins[-1] * np.arange(ROUNDS + 1) // ROUNDS)
    steps[-1] = len(begins) - 1
    return begins, steps


def _joined(offsets: Any, out: Any, kept: Any, begins: Any, shift: int, workers: int) -> tuple[Any, Any]:
    """The same without what ranges of columns have not kept."""
    after = np.cumsum(kept)
    if after[-1] == len(out):
        return checks.offsets(offsets, len(out)), out
    whole, out = out, large_pages(int(after[-1]), np.int32)
    ends = np.minimum(np.arange(len(begins)) << shift, len(offsets) - 1)
    arrays = checks.in_bits(whole), _out(out), begins, after, _out(offsets)[1:], ends
    run_ranges(_close, workers, *arrays)
    return checks.offsets(offsets, len(out)), out


def _out(a: Any) -> Any:
    """The same, to write to."""
    return a.view(f"u{a.itemsize}")


@njit(cache=True, nogil=True, inline="always")
def _entry(entries: Any, row: Any, e: Any) -> Any:
    """The row that entry e is in (`row` or one of the next), its column, and its row again, or its ends if folded."""
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


@parallel
def _tally(t: Any, shared: Any, entries: Any, ranges: Any, shift: Any, counts: Any) -> None:
    """Count a thread's entries per range of columns; `ranges` has the row of the first one, that, and the end."""
    diagonal, row, begin, end, own = entries.diagonal, ranges[t, 0], ranges[t, 1], ranges[t, 2], counts[t]
    for e in range(begin, end):
        row, c, r = _entry(entries, row, e)
        own[np.uint64(c) >> shift] += np.uint64(diagonal or c != r)


@parallel
def _exchange(t: Any, shared: Any, entries: Any, own: Any, plan: Any, between: Any, made: Any) -> None:
    """Write entries of some ranges of columns to `between`, and sort each range from there; then the next ranges."""
    (ranges, cursors), (shift, steps, begins, repeats), (offsets, out, kept) = own, plan, made
    diagonal = entries.diagonal
    row, begin, end = ranges[t, 0], ranges[t, 1], ranges[t, 2]
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
            _settle(between[a - base : b - base], columns, a, row_ends, out)
            kept[bucket] = b - a if repeats else _squeeze(a, row_ends, out)
            bucket = low + np.uint64(fetch_add(shared, np.uint64((2 * step + 1) * LINE), 1))
        barrier(shared, 2 * step * LINE, 2 * workers)


@njit(cache=True, nogil=True)
def _settle(entries: Any, columns: Any, at: Any, ends: Any, out: Any) -> None:
    """Sort the entries of a range of columns by column, to where it begins."""
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
    """Drop repeats within the sorted rows of a range, in place; returns how many entries are left."""
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


def mirrored(upper: tuple[Any, Any], workers: int) -> tuple[Any, Any]:
    """A sorted strict upper triangle and its transpose."""
    n = len(upper[0]) - 1
    lower = grouped(Entries(*upper, by_rows=True, fold=False, diagonal=True), n, workers, repeats=True)
    m = 2 * len(upper[1])
    indptr, indices = np.zeros(n + 1, checks.offset_type(m)), large_pages(m, np.int32)
    ends = row_ranges(lower[0], workers * PARTS)
    arrays = [checks.in_bits(a) for a in (*lower, *upper)]
    run_ranges(_join_rows, workers, *arrays, _out(indptr)[1:], _out(indices), ends)
    return indptr, indices


@parallel
def _join_rows(
    t: Any, shared: Any, lower_ptr: Any, lower: Any, upper_ptr: Any, upper: Any, row_ends: Any, out: Any, ends: Any
) -> None:  # fmt: skip
    """Rows of two patterns, one after the other."""
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
    """Move ranges of rows to where the ones before end."""
    part = take_range(shared, ends)
    while part >= 0:
        begin, to, size = np.uint64(begins[part]), np.uint64(after[part]), np.uint64(after[part + 1] - after[part])
        out[to : to + size] = whole[begin : begin + size]
        for i in range(np.uint64(ends[part]), np.uint64(ends[part + 1])):
            row_ends[i] -= begin - to
        part = take_range(shared, ends)
