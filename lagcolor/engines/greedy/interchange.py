"""First-fit with interchange: before a new color is opened, two colors are swapped where that frees one of them.

For a vertex that needs a new color, and a pair of colors (a, b): the vertices of these two colors that are connected to
a neighbor of color a. If no neighbor of color b is among them, the two colors are swapped there, and a is free.

    colors[v]        −1: none yet
    stamp, reached   marks of the present vertex, and of the present search: nothing is ever cleared

Cost: for each vertex that needs a new color up to k²/2 searches of two colors.

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
    """Colors, int32, of a CSR graph in the order of `sequence`; pairs of colors are tried in lexicographic order."""
    n = len(sequence)
    colors, stamp = np.full(n, -1, np.int32), np.full(max_degree + 2, -1, np.int64)
    _color(indptr, indices, sequence, colors, stamp, np.zeros(n, np.int64), np.empty(n, np.uint32))
    return colors


@njit(cache=True, nogil=True)
def _color(indptr: Any, indices: Any, sequence: Any, colors: Any, stamp: Any, reached: Any, queue: Any) -> None:
    """Fill `colors`; what else there is besides the graph and the order is scratch space."""
    highest = 0
    search = 0
    for i in range(sequence.size):
        v = sequence[i]
        for e in range(indptr[v], indptr[v + np.uint32(1)]):
            c = colors[indices[e]]
            if c >= 0:
                stamp[c] = i
        free = 0
        while stamp[free] == i:  # ends: there are more colors than neighbors
            free += 1
        if free > highest:
            free, search = swapped(indptr, indices, v, colors, highest, reached, queue, search)
        colors[v] = free
        if free > highest:
            highest = free


@inner()
def swapped(indptr: Any, indices: Any, v: Any, colors: Any, highest: Any, reached: Any, queue: Any, search: Any) -> Any:
    """The color that a swap frees for v, or the one above the highest; and the number of the last search."""
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
    """Number of vertices, to `queue`, that colors a and b connect to neighbors of color a; 0: to one of b, too."""
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
