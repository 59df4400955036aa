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


@njit(cache=True, nogil=True)
def search_all(
    indptr: Any, indices: Any, colors: Any, offsets: Any, forbidden: Any, weights: Any, room: Any, alike: bool,
    reads: Any,
) -> Any:  # fmt: skip
    """Color the vertices that have no color, in place; FOUND, NONE_EXISTS, or UNKNOWN after reading so many entries."""
    n, k = colors.size, room.size
    seen, left, free = begin(indptr, indices, colors, offsets, forbidden, k)
    stack, nexts, tops = np.empty(free + 1, np.uint32), np.empty(free + 1, np.int64), np.empty(free + 1, np.int64)
    depth, read = 0, 0
    stack[0], nexts[0], tops[0] = tightest(colors, left), 0, largest(colors)
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
        tops[depth + 1] = max(tops[depth], c)
        depth += 1
        stack[depth], nexts[depth] = tightest(colors, left), 0
    return NONE_EXISTS


@njit(cache=True, nogil=True)
def begin(indptr: Any, indices: Any, colors: Any, offsets: Any, forbidden: Any, k: Any) -> Any:
    """`seen` and `left`, and how many vertices have no color."""
    n, free = colors.size, 0
    seen, left = np.zeros((n, k), np.int32), np.zeros(n, np.int32)
    for v in range(n):
        free += colors[v] < 0
        for e in range(indptr[v], indptr[v + 1]):
            if 0 <= colors[indices[e]] < k:
                seen[v, colors[indices[e]]] += 1
        for j in range(offsets[v], offsets[v + 1]):
            if forbidden[j] < k:
                seen[v, forbidden[j]] += 1
        for c in range(k):
            left[v] += seen[v, c] == 0
    return seen, left, free


@njit(cache=True, nogil=True, inner=True)
def change(indptr: Any, indices: Any, v: Any, c: Any, seen: Any, left: Any, by: Any) -> None:
    """The neighbors of v see color c once more (1), or once less (−1)."""
    for e in range(indptr[v], indptr[v + ONE32]):
        u = indices[e]
        left[u] -= seen[u, c] == 0
        seen[u, c] += by
        left[u] += seen[u, c] == 0


@njit(cache=True, nogil=True, inner=True)
def tightest(colors: Any, left: Any) -> Any:
    """The vertex without a color that has the fewest left, the first of several; 0 where all have one."""
    best, fewest = np.uint32(0), np.int64(2**31)
    for v in range(colors.size):
        if colors[v] < 0 and left[v] < fewest:
            best, fewest = np.uint32(v), np.int64(left[v])
    return best


@njit(cache=True, nogil=True)
def largest(colors: Any) -> Any:
    """The largest color, −1 without any."""
    top = np.int64(-1)
    for c in colors:
        top = max(top, np.int64(c))
    return top
