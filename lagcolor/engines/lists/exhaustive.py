"""All colorings with lists and capacities, by backtracking within an effort: finds one, or proves there is none.

The vertex with the fewest colors left comes next, the first of several. Where all colors above those in use are alike
(no lists, one capacity for all), only the least of them is tried.

========  =======================================================================
seen      seen[v, c]: neighbors of v that have color c, one more if c is forbidden
left      how many colors of a vertex nobody has
stack     vertices in the order of choice; `nexts`, the next color to try of each
tops      the largest color in use before a vertex was chosen
========  =======================================================================

References
----------
Randall-Brown 1972, "Chromatic scheduling and the chromatic number problem"; Brélaz 1979 for the order of vertices.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device.compiled import njit

ONE32 = np.uint32(1)
FOUND, NONE_EXISTS, UNKNOWN = 1, 0, -1


def search_all(
    indptr: Any, indices: Any, colors: Any, offsets: Any, forbidden: Any, weights: Any, room: Any, alike: bool,
    reads: Any,
) -> int:  # fmt: skip
    """Color the vertices that have no color, in place; FOUND, NONE_EXISTS, or UNKNOWN after reading so many entries."""
    n, k = len(colors), len(room)
    seen = np.zeros((n, k), np.int32)
    _begin(indptr, indices, colors, offsets, forbidden, seen)
    left, free = np.count_nonzero(seen == 0, axis=1).astype(np.int32), np.count_nonzero(colors < 0)
    scratch = np.empty(free + 1, np.uint32), np.empty(free + 1, np.int64), np.empty(free + 1, np.int64)
    scratch[2][0] = colors.max(initial=-1)
    return int(_search(indptr, indices, colors, weights, room, alike, reads, seen, left, free, *scratch))


@njit(cache=True, nogil=True)
def _search(
    indptr: Any, indices: Any, colors: Any, weights: Any, room: Any, alike: bool, reads: Any, seen: Any, left: Any,
    free: Any, stack: Any, nexts: Any, tops: Any,
) -> Any:  # fmt: skip
    """The search of `search_all`, of whose `stack`, `nexts` and `tops` only the first top is there."""
    n, k = colors.size, room.size
    depth, read = 0, 0
    stack[0], nexts[0] = tightest(colors, left), 0
    while depth >= 0:
        if depth == free:
            return FOUND
        if read > reads:
            return UNKNOWN
        v = stack[depth]
        if colors[v] >= 0:
            change(indptr, indices, v, colors[v], seen, left, -1)
            room[colors[v]] += weights[v]
            colors[v] = -1
        c, end = nexts[depth], min(k, tops[depth] + 2) if alike else k
        while c < end and (seen[v, c] > 0 or room[c] < weights[v]):
            c += 1
        read += np.int64(indptr[v + ONE32] - indptr[v]) + k + n
        if c >= end:
            depth -= 1
            continue
        colors[v] = c
        room[c] -= weights[v]
        change(indptr, indices, v, c, seen, left, 1)
        nexts[depth] = c + 1
        tops[depth + 1] = c if c > tops[depth] else tops[depth]
        depth += 1
        stack[depth], nexts[depth] = tightest(colors, left), 0
    return NONE_EXISTS


@njit(cache=True, nogil=True)
def _begin(indptr: Any, indices: Any, colors: Any, offsets: Any, forbidden: Any, seen: Any) -> None:
    """How often each vertex sees each color, by its neighbors and its list."""
    k = seen.shape[1]
    for v in range(colors.size):
        for e in range(indptr[v], indptr[v + 1]):
            if 0 <= colors[indices[e]] < k:
                seen[v, colors[indices[e]]] += 1
        for j in range(offsets[v], offsets[v + 1]):
            if forbidden[j] < k:
                seen[v, forbidden[j]] += 1


@njit(cache=True, nogil=True)
def change(indptr: Any, indices: Any, v: Any, c: Any, seen: Any, left: Any, by: Any) -> None:
    """The neighbors of v see color c once more (1), or once less (−1)."""
    for e in range(indptr[v], indptr[v + ONE32]):
        u = indices[e]
        left[u] -= seen[u, c] == 0
        seen[u, c] += by
        left[u] += seen[u, c] == 0


@njit(cache=True, nogil=True)
def tightest(colors: Any, left: Any) -> Any:
    """The vertex without a color that has the fewest left, the first of several; 0 where all have one."""
    best, fewest = np.uint32(0), np.int64(2**31)
    for v in range(colors.size):
        if colors[v] < 0 and left[v] < fewest:
            best, fewest = np.uint32(v), np.int64(left[v])
    return best
