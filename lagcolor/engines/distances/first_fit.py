"""First-fit with distances in an order, and by saturation.

Each free vertex in turn takes the least frequency that is not forbidden to it and has the distance d(u, v) at least
from the frequency of every colored neighbor u, fixed ones included. A colored neighbor bars an interval of 2d − 1
frequencies. With all distances 1 these are the colors of sequential first-fit.

By saturation the next vertex is the one to which most frequencies under a span are barred, then the one with the
largest sum of distances, then the first (DSATUR with intervals in place of colors).

References
----------
Brélaz 1979, "New methods to color the vertices of a graph"; Malaguti, Toth 2008, "An evolutionary approach for
bandwidth multicoloring problems", which colors in such orders.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device.compiled import njit
from ...progress import pause
from . import Instance

ONE32 = np.uint32(1)
SLICE = 1 << 16  # vertices of a compiled call


def first_fit(instance: Instance, sequence: np.ndarray | None, limit: int) -> np.ndarray:
    """Frequencies under `limit` in the order of `sequence` (None: of numbers), −1 where none is left."""
    colors, n = instance.fixed.copy(), instance.n
    sequence = np.arange(n, dtype=np.int32) if sequence is None else sequence
    barred = np.empty((2, most_barred(instance)), np.int64)
    for begin in range(0, n, SLICE):
        pause()
        _first_fit(instance, sequence[begin : begin + SLICE].view(np.uint32), limit, barred, colors)
    return colors


def most_barred(instance: Instance) -> int:
    """Intervals that are barred to a vertex, at most."""
    degree = np.diff(instance.indptr.astype(np.int64)).max(initial=0)
    return int(degree + np.diff(instance.offsets).max(initial=0))


def sums_of(instance: Instance) -> np.ndarray:
    """The sum of the distances of each vertex, int64."""
    before = np.concatenate([[0], np.cumsum(instance.distances, dtype=np.int64)])
    return before[instance.indptr[1:]] - before[instance.indptr[:-1]]


@njit(cache=True, nogil=True)
def _first_fit(instance: Any, sequence: Any, limit: Any, barred: Any, colors: Any) -> None:
    for v in sequence:
        if colors[v] < 0:
            count = bar(instance, v, colors, barred)
            c = least(barred[0, :count], barred[1, :count])
            if c < limit:
                colors[v] = c


@njit(cache=True, nogil=True)
def bar(instance: Any, v: Any, colors: Any, barred: Any) -> Any:
    """The intervals that are barred to v, their begins and ends; returns how many."""
    indptr, indices, distances, _, offsets, forbidden = instance
    count = 0
    for e in range(indptr[v], indptr[v + ONE32]):
        c = np.int64(colors[indices[e]])
        if c >= 0:
            barred[0, count], barred[1, count] = c - distances[e] + 1, c + distances[e]
            count += 1
    for j in range(offsets[v], offsets[v + ONE32]):
        barred[0, count], barred[1, count] = forbidden[j], np.int64(forbidden[j]) + 1
        count += 1
    return count


@njit(cache=True, nogil=True)
def least(begins: Any, ends: Any) -> Any:
    """The least number from 0 on that is in none of the intervals [begin, end)."""
    c = np.int64(0)
    for i in np.argsort(begins):
        if begins[i] > c:
            break
        c = max(c, ends[i])
    return c


def by_saturation(instance: Instance, limit: int) -> np.ndarray:
    """Frequencies under `limit`, −1 where none is left; takes n · limit entries of memory."""
    bars = np.zeros((instance.n, limit), np.bool_)
    colors = np.full(instance.n, -1, np.int32)
    _by_saturation(instance, sums_of(instance), bars, np.zeros(instance.n, np.int64), colors)
    return colors


@njit(cache=True, nogil=True)
def _by_saturation(instance: Any, sums: Any, bars: Any, count: Any, colors: Any) -> None:
    """`count` has how many frequencies are barred to a vertex; −1 where it is done, whether it has one or not."""
    fixed, offsets, forbidden = instance.fixed, instance.offsets, instance.forbidden
    n, limit = np.uint32(fixed.size), bars.shape[1]
    for u in range(n):
        for j in range(offsets[u], offsets[u + ONE32]):
            if forbidden[j] < limit:
                bars[u, forbidden[j]] = True
                count[u] += 1
    for u in range(n):
        if fixed[u] >= 0:
            count[u] = -1
            take(instance, bars, count, u, fixed[u], colors)
    for _ in range(n):
        v: Any = np.uint32(0)
        found = False
        for u in range(n):
            more = not found or count[u] > count[v] or (count[u] == count[v] and sums[u] > sums[v])
            if count[u] >= 0 and more:
                v, found = u, True
        if not found:
            break
        count[v] = -1
        c = 0
        while c < limit and bars[v, c]:
            c += 1
        if c < limit:
            take(instance, bars, count, v, c, colors)


@njit(cache=True, nogil=True)
def take(instance: Any, bars: Any, count: Any, v: Any, c: Any, colors: Any) -> None:
    """Give v a frequency, and bar to its neighbors what is too close."""
    indptr, indices, distances = instance.indptr, instance.indices, instance.distances
    colors[v] = c
    for e in range(indptr[v], indptr[v + ONE32]):
        u, d = indices[e], np.int64(distances[e])
        if count[u] < 0:
            continue
        for b in range(max(c - d + 1, 0), min(c + d, bars.shape[1])):
            if not bars[u, b]:
                bars[u, b] = True
                count[u] += 1
