"""Checks of colorings on CPU threads that stop at the first fault; a plain verifier then names the faults.

No algorithm uses these loops. `neighbors_differ` is for distance 1, the others are for problems of patterns.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.device import LEAST_WORK, threads_for
from ..base.device.compiled import filled, inner, njit
from ..base.device.intrinsics import load_relaxed, store_relaxed
from ..base.device.parallel import even_ranges, parallel, row_ranges, run_ranges, stop_all, take_range
from ..graph.pattern import Pattern
from . import on_gpu
from .report import Report, fitting, narrowed

PARTS = 8  # ranges of rows per thread
ONE = np.uint64(1)
NEGATIVE = np.uint32(1 << 31)  # the least code of a negative color
Check = Callable[[Pattern, Any, int], bool]
# Pattern, colors as passed, colors as int32 → number of violations, and messages for the first.
Named = Callable[[Any, np.ndarray, np.ndarray], tuple[int, list[str]]]


def inspect(
    P: Pattern, colors: Any, n: int, checks: tuple[Check, Check] | None, named: Named, labels: Any, one: str = "vertex"
) -> Report:  # fmt: skip
    """Report on colors: `checks` (for CPU and GPU) look for any fault; `named` then lists the faults on a CPU."""
    if checks is not None:
        quick = on_gpu.checked if P.on_gpu else checked
        if found := quick(P, colors, n, checks[P.on_gpu]):
            return found
    array = dev.to_device(fitting(colors, n, one), "cpu")
    P = P._cached("verified on the CPU", partial(P.on, "cpu")) if P.on_gpu else P
    narrow = narrowed(array)
    # Colors are int32 and less than n. Vertices with negative colors constrain no other.
    proper = checks is not None and checks[0](P, dev.in_bits(narrow), int(narrow.max(initial=-1)) + 1)
    return Report.of(array, *((0, []) if proper else named(P, array, narrow)), labels=labels)


def checked(P: Pattern, colors: Any, n: int, check: Check) -> Report | None:
    """Report on a coloring without faults; None if it has faults or is not an int32 array. See `on_gpu.checked`."""
    colors = getattr(colors, "colors", colors)
    if type(colors) is not np.ndarray or colors.shape != (n,) or colors.dtype != np.int32 or not n:
        return None
    k = 1 + int((bits := dev.in_bits(colors)).max())
    if k > n:
        return None
    used = np.zeros(k, bool)
    used[colors] = True
    return Report(k) if used.all() and check(P, bits, k) else None


def neighbors_differ(indptr: Any, indices: Any, colors: Any) -> tuple[bool, int]:
    """True if no edge has two ends of one color; and the number of colors, 0 if there is any fault."""
    if len(indices) < LEAST_WORK:
        return differ_alone(indptr, indices, colors)
    used, workers = np.zeros(len(colors) + 1, np.uint8), threads_for(None, len(indices))
    proper = run_ranges(differ_parts, workers, indptr, indices, colors, used, row_ranges(indptr, workers * PARTS))
    k = int(np.count_nonzero(used))  # without a gap if the first k are in use
    return proper, k if proper and k < len(used) and np.count_nonzero(used[:k]) == k else 0


def columns(P: Pattern, colors: Any, k: int) -> bool:
    """True if no row has two columns of one color."""
    return _nets_differ(P, colors, k, closed=False)


def neighborhoods(P: Pattern, colors: Any, k: int) -> bool:
    """True if no two vertices among a vertex and its neighbors have one color."""
    return _nets_differ(P, colors, k, closed=True)


def _nets_differ(P: Pattern, colors: Any, k: int, closed: bool) -> bool:
    workers = threads_for(None, P.m)
    ends = row_ranges(P.indptr, workers * PARTS)
    nets = dev.in_bits(P.indptr), dev.in_bits(P.indices)
    return run_ranges(_nets, workers, *nets, colors, k, closed, ends)


def rows(P: Pattern, colors: Any, k: int) -> bool:
    """True if no column has two rows of one color; checks class by class that rows have no common column."""
    workers = max(1, min(threads_for(None, P.m), P.m // max(P.columns, 1)))  # each uses 4 bytes per column
    begins, order = np.zeros(k + 1, np.int64), np.empty(P.rows, np.uint32)
    pattern, weights = (dev.in_bits(P.indptr), dev.in_bits(P.indices)), np.zeros(k + 1, np.int64)
    _sort(pattern[0], colors, begins, weights, order)
    even = even_ranges(int(weights.sum()), workers * PARTS)
    ends = begins[np.unique(np.r_[0, np.searchsorted(np.cumsum(weights), even), k])]
    return run_ranges(_classes, workers, *pattern, colors, order, P.columns, ends)


def stars(G: Pattern, colors: Any, k: int) -> bool:
    """True if neighbors differ, and each edge is, at one of its ends, the only edge to a vertex of its other color."""
    workers = threads_for(None, G.m)
    ends, graph = row_ranges(G.indptr, workers * PARTS), (dev.in_bits(G.indptr), dev.in_bits(G.indices))
    alone = np.empty(G.m, np.uint8)
    differ = run_ranges(_alone, workers, *graph, colors, k, alone, ends)
    return differ and run_ranges(_mirrors, workers, *graph, alone, ends)


@parallel
def differ_parts(t: Any, shared: Any, indptr: Any, indices: Any, colors: Any, used: Any, ends: Any) -> None:
    """Check ranges of vertices until none is left; a conflict stops all threads."""
    part = take_range(shared, ends)
    while part >= 0:
        if not differ(indptr, indices, colors, used, np.uint64(ends[part]), np.uint64(ends[part + 1])):
            stop_all(shared)
        part = take_range(shared, ends)


@njit(cache=True, nogil=True)
def differ_alone(indptr: Any, indices: Any, colors: Any) -> Any:
    """Do `neighbors_differ` on one thread."""
    n, k, last = len(colors), 0, -1
    used = filled(n + 1, 0, np.uint8)
    proper = differ(indptr, indices, colors, used, np.uint64(0), np.uint64(n))
    for c in range(n + 1):
        if used[c]:
            k, last = k + 1, c
    return proper, k if proper and last + 1 == k <= n else 0


@inner()
def differ(indptr: Any, indices: Any, colors: Any, used: Any, first: Any, last: Any) -> bool:
    """True if no vertex of a range has a neighbor of its color. Set `used` to 1 at each color, at n for others."""
    n = np.uint64(len(colors))
    for u in range(first, last):
        c = colors[u]
        place = min(np.uint64(c), n)
        if load_relaxed(used, place) == 0:  # avoids writes to memory that all threads read
            store_relaxed(used, place, np.uint8(1))
        if c >= NEGATIVE:
            continue
        for e in range(np.uint64(indptr[u]), np.uint64(indptr[u + ONE])):
            if colors[indices[e]] == c:
                return False
    return True


@parallel
def _nets(t: Any, shared: Any, indptr: Any, indices: Any, colors: Any, k: Any, closed: Any, ends: Any) -> None:
    """Check ranges of nets; `seen` has the last net with each color under k, counted from 1. A fault stops all."""
    seen, part = filled(k, 0, np.uint32), take_range(shared, ends)
    while part >= 0:
        for net in range(np.uint64(ends[part]), np.uint64(ends[part + 1])):
            name = np.uint32(net + ONE)
            if closed and colors[net] < k:
                seen[colors[net]] = name
            for e in range(np.uint64(indptr[net]), np.uint64(indptr[net + ONE])):
                c = colors[indices[e]]
                if c >= k:
                    continue
                if seen[c] == name:
                    stop_all(shared)
                    return
                seen[c] = name
        part = take_range(shared, ends)


@njit(cache=True, nogil=True)
def _sort(indptr: Any, colors: Any, begins: Any, weights: Any, order: Any) -> None:
    """Sort rows by color; begins[c] and weights[c + 1], initially 0, become where color c begins, and its entries."""
    k = np.uint64(begins.size) - ONE  # codes from k on are no colors
    for row in range(np.uint64(colors.size)):
        c = np.uint64(colors[row])
        if c < k:
            begins[c + ONE] += 1
            weights[c + ONE] += np.int64(indptr[row + ONE]) - np.int64(indptr[row])
    for color in range(np.uint64(1), np.uint64(begins.size)):
        begins[color] += begins[color - ONE]
    for row in range(np.uint64(colors.size)):
        c = np.uint64(colors[row])
        if c < k:
            order[begins[c]] = row
            begins[c] += 1
    for color in range(begins.size - 1, 0, -1):
        begins[color] = begins[color - 1]
    begins[0] = 0


@parallel
def _classes(t: Any, shared: Any, indptr: Any, indices: Any, colors: Any, order: Any, columns: Any, ends: Any) -> None:
    """Check ranges of rows by color; `seen` has the last color in each column, counted from 1. A fault stops all."""
    seen, part = filled(columns, 0, np.uint32), take_range(shared, ends)
    while part >= 0:
        for k in range(np.uint64(ends[part]), np.uint64(ends[part + 1])):
            row = np.uint64(order[k])
            name = np.uint32(colors[row] + np.uint32(1))
            for e in range(np.uint64(indptr[row]), np.uint64(indptr[row + ONE])):
                if seen[indices[e]] == name:
                    stop_all(shared)
                    return
                seen[indices[e]] = name
        part = take_range(shared, ends)


@parallel
def _alone(t: Any, shared: Any, indptr: Any, indices: Any, colors: Any, k: Any, alone: Any, ends: Any) -> None:
    """Set `alone` for entries that are the only ones of their row with the color, or without; a conflict stops all.

    For each color, `first` has the position of its first entry in the current row, or an outdated position, which a
    comparison detects.
    """
    first, part = filled(k, 0, np.uint64), take_range(shared, ends)
    while part >= 0:
        for u in range(np.uint64(ends[part]), np.uint64(ends[part + 1])):
            begin, end = np.uint64(indptr[u]), np.uint64(indptr[u + ONE])
            for e in range(begin, end):
                c = colors[indices[e]]
                if c >= k or colors[u] >= k:
                    alone[e] = 1
                    continue
                if c == colors[u]:
                    stop_all(shared)
                    return
                one = first[c]
                if one >= begin and one < e and colors[indices[one]] == c:
                    alone[one] = alone[e] = 0
                else:
                    alone[e], first[c] = 1, e
        part = take_range(shared, ends)


@parallel
def _mirrors(t: Any, shared: Any, indptr: Any, indices: Any, alone: Any, ends: Any) -> None:
    """Stop all threads if neither an entry nor its mirror image is alone, or if it has no mirror image."""
    part = take_range(shared, ends)
    while part >= 0:
        for u in range(np.uint64(ends[part]), np.uint64(ends[part + 1])):
            for e in range(np.uint64(indptr[u]), np.uint64(indptr[u + ONE])):
                if not alone[e]:
                    low, high = np.uint64(indptr[indices[e]]), np.uint64(indptr[indices[e] + ONE])
                    while low + ONE < high:
                        middle = (low + high) >> ONE
                        if indices[middle] <= u:
                            low = middle
                        else:
                            high = middle
                    if low >= high or indices[low] != u or not alone[low]:
                        stop_all(shared)
                        return
        part = take_range(shared, ends)
