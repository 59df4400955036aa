"""First-fit with interchange: before a vertex opens a new color, try to free a color by swapping two colors.

For each pair of colors (a, b), search the vertices of these colors from the neighbors of color a. If the search reaches
no neighbor of color b, swap the two colors on the vertices that it reached. Then a is free.

    colors[v]        color, or −1 for none
    stamp, reached   number of the last vertex, and of the last search, that marked an entry; never cleared

Cost: up to k²/2 searches for each vertex that needs a new color.

References
----------
Matula, Marble, Isaacson 1972, "Graph coloring algorithms"; as in Sysło, Deo, Kowalik 1983, "Discrete optimization
algorithms with Pascal programs", pp. 415 ff.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device.compiled import inner, njit


def with_interchange(indptr: np.ndarray, indices: np.ndarray, sequence: np.ndarray, max_degree: int) -> np.ndarray:
    """Return colors (int32) of a CSR graph in the order of `sequence`; color pairs are tried in lexicographic order."""
    n = len(sequence)
    colors, stamp = np.full(n, -1, np.int32), np.full(max_degree + 2, -1, np.int64)
    _color(indptr, indices, sequence, colors, stamp, np.zeros(n, np.int64), np.empty(n, np.uint32))
    return colors


@njit(cache=True, nogil=True)
def _color(indptr: Any, indices: Any, sequence: Any, colors: Any, stamp: Any, reached: Any, queue: Any) -> None:
    """Fill `colors`; `stamp`, `reached` and `queue` are scratch space."""
    highest = 0
    search = 0
    for i in range(sequence.size):
        v = sequence[i]
        for e in range(indptr[v], indptr[v + np.uint32(1)]):
            c = colors[indices[e]]
            if c >= 0:
                stamp[c] = i
        free = 0
        while stamp[free] == i:  # ends, because there are more colors than neighbors
            free += 1
        if free > highest:
            free, search = swapped(indptr, indices, v, colors, highest, reached, queue, search)
        colors[v] = free
        if free > highest:
            highest = free


@inner()
def swapped(indptr: Any, indices: Any, v: Any, colors: Any, highest: Any, reached: Any, queue: Any, search: Any) -> Any:
    """Return the color that a swap frees for v, or highest + 1; and the number of the last search."""
    for a in range(highest):
        for b in range(a + 1, highest + 1):
            search += 1
            count = connected(indptr, indices, v, colors, a, b, reached, queue, search)
            if count == 0:
                continue
            for i in range(count):
                colors[queue[i]] = a + b - colors[queue[i]]
            return a, search
    return highest + 1, search


@inner()
def connected(
    indptr: Any, indices: Any, v: Any, colors: Any, a: Any, b: Any, reached: Any, queue: Any, search: Any
) -> Any:
    """Search from v's neighbors of color a; return the number in `queue`, 0 if it reaches a neighbor of color b."""
    count = 0
    for e in range(indptr[v], indptr[v + np.uint32(1)]):
        u = indices[e]
        if colors[u] == a:
            reached[u] = search
            queue[count] = u
            count += 1
    at = 0
    while at < count:  # each vertex enters once
        w = queue[at]
        at += 1
        other = a + b - colors[w]
        for e in range(indptr[w], indptr[w + np.uint32(1)]):
            u = indices[e]
            if colors[u] == other and reached[u] != search:
                reached[u] = search
                queue[count] = u
                count += 1
    for e in range(indptr[v], indptr[v + np.uint32(1)]):
        u = indices[e]
        if colors[u] == b and reached[u] == search:
            return 0
    return count
