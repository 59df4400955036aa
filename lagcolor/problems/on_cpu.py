"""Colorings on CPU threads, checked until the first fault; where there is one, a verifier says what it is.

No algorithm uses these loops. `neighbors_differ` is for distance 1, the others are for problems of patterns.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.device import LEAST_WORK, threads_for
from ..base.device.compiled import filled, njit
from ..base.device.intrinsics import load_relaxed, store_relaxed
from ..base.device.parallel import even_ranges, parallel, row_ranges, run_ranges, stop_all, take_range
from ..graph.pattern import Pattern
from . import on_gpu
from .report import Report, fitting, narrowed

PARTS = 8  # ranges of rows of a thread, on the average
ONE = np.uint64(1)
NEGATIVE = np.uint32(1 << 31)  # the least code of a negative color
Check = Callable[[Pattern, Any, int], bool]
# Of a pattern, the colors as they were given, and narrow: how many violations, and sentences on the first.
Named = Callable[[Any, np.ndarray, np.ndarray], tuple[int, list[str]]]


def inspect(
    P: Pattern, colors: Any, n: int, checks: tuple[Check, Check] | None, named: Named, labels: Any, one: str = "vertex"
) -> Report:  # fmt: skip
    """The report on colors: whether `checks`, for a CPU and a GPU, find no fault, or the faults by `named` on a CPU."""
    if checks is not None:
        quick = on_gpu.checked if P.on_gpu else checked
        if found := quick(P, colors, n, checks[P.on_gpu]):
            return found
    given = dev.to_device(fitting(colors, n, one), "cpu")
    P = P._cached("verified on the CPU", partial(P.on, "cpu")) if P.on_gpu else P
    narrow = narrowed(given)
    # Colors are int32 under their number. Vertices with negative ones constrain no other.
    proper = checks is not None and checks[0](P, dev.in_bits(narrow), int(narrow.max(initial=-1)) + 1)
    return Report.of(given, *((0, []) if proper else named(P, given, narrow)), labels=labels)


def checked(P: Pattern, colors: Any, n: int, check: Check) -> Report | None:
    """The findings of a coloring without fault, as `on_gpu.checked`: None where it has one, or is no array of int32."""
    colors = getattr(colors, "colors", colors)
    if type(colors) is not np.ndarray or colors.shape != (n,) or colors.dtype != np.int32 or not n:
        return None
    k = 1 + int((bits := dev.in_bits(colors)).max())
    if k > n:
        return None
    used = np.zeros(k, bool)
    used[colors] = True
    return Report(k) if used.all() and check(P, bits, k) else None


def neighbors_differ(indptr: Any, indices: Any, colors: Any, used: Any) -> bool:
    """Whether no edge has two ends of one color; `used` gets a 1 for each color, or for none, n."""
    if len(indices) < LEAST_WORK:
        return differ(indptr, indices, colors, used, np.uint64(0), np.uint64(len(colors)))
    workers = threads_for(None, len(indices))
    return run_ranges(_differ_parts, workers, indptr, indices, colors, used, row_ranges(indptr, workers * PARTS))


def columns(P: Pattern, colors: Any, k: int) -> bool:
    """Whether no row has two columns of one color."""
    return _nets_differ(P, colors, k, closed=False)


def neighborhoods(P: Pattern, colors: Any, k: int) -> bool:
    """Whether no vertex has two of one color among itself and its neighbors."""
    return _nets_differ(P, colors, k, closed=True)


def _nets_differ(P: Pattern, colors: Any, k: int, closed: bool) -> bool:
    workers = threads_for(None, P.m)
    ends = row_ranges(P.indptr, workers * PARTS)
    nets = dev.in_bits(P.indptr), dev.in_bits(P.indices)
    return run_ranges(_nets, workers, *nets, colors, k, closed, ends)


def rows(P: Pattern, colors: Any, k: int) -> bool:
    """Whether no column has two rows of one color: of each class, whether its rows have no column in common."""
    workers = max(1, min(threads_for(None, P.m), P.m // max(P.columns, 1)))  # 4 bytes per column for each
    begins, order = np.zeros(k + 1, np.int64), np.empty(P.rows, np.uint32)
    pattern, weights = (dev.in_bits(P.indptr), dev.in_bits(P.indices)), np.zeros(k + 1, np.int64)
    _sort(pattern[0], colors, begins, weights, order)
    even = even_ranges(int(weights.sum()), workers * PARTS)
    ends = begins[np.unique(np.r_[0, np.searchsorted(np.cumsum(weights), even), k])]
    return run_ranges(_classes, workers, *pattern, colors, order, P.columns, ends)


def stars(G: Pattern, colors: Any, k: int) -> bool:
    """Whether neighbors differ, and each edge is at one of its ends the only one to a vertex of that color."""
    workers = threads_for(None, G.m)
    ends, graph = row_ranges(G.indptr, workers * PARTS), (dev.in_bits(G.indptr), dev.in_bits(G.indices))
    alone = np.empty(G.m, np.uint8)
    differ = run_ranges(_alone, workers, *graph, colors, k, alone, ends)
    return differ and run_ranges(_mirrors, workers, *graph, alone, ends)


@parallel
def _differ_parts(t: Any, shared: Any, indptr: Any, indices: Any, colors: Any, used: Any, ends: Any) -> None:
    """The ranges that this thread takes; a conflict stops all."""
    part = take_range(shared, ends)
    while part >= 0:
        if not differ(indptr, indices, colors, used, np.uint64(ends[part]), np.uint64(ends[part + 1])):
            stop_all(shared)
        part = take_range(shared, ends)


@njit(cache=True, nogil=True)
def differ(indptr: Any, indices: Any, colors: Any, used: Any, first: Any, last: Any) -> bool:
    """Whether no vertex of a range has a neighbor of its color; see `neighbors_differ`."""
    n = np.uint64(len(colors))
    for u in range(first, last):
        c = colors[u]
        place = min(np.uint64(c), n)
        if load_relaxed(used, place) == 0:  # few writes to what all threads read
            store_relaxed(used, place, np.uint8(1))
        if c >= NEGATIVE:
            continue
        for e in range(np.uint64(indptr[u]), np.uint64(indptr[u + ONE])):
            if colors[indices[e]] == c:
                return False
    return True


@parallel
def _nets(t: Any, shared: Any, indptr: Any, indices: Any, colors: Any, k: Any, closed: Any, ends: Any) -> None:
    """Look at ranges of nets; `seen` has the last net with each color under k, counted from 1. A fault stops all."""
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
    """Rows by color, where each color begins, and its entries, one place on; `begins` and `weights` hold zeros."""
    k = np.uint64(begins.size) - ONE  # and what is larger are no colors
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
    """Look at ranges of rows by color; `seen` has the last color in each column, counted from 1. A fault stops all."""
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
    """Whether each entry is the only one of its row to a vertex of that color, or of none; a conflict stops all.

    For each color, `first` has the place of its first entry in the present row. It may be out of date: it is compared.
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
    """Stop all where an entry that is not alone has a mirror image that is not, or none."""
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
