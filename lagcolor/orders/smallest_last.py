"""Smallest last, exactly: remove a vertex of least degree, again and again; color in the reverse order.

First-fit in this order needs at most degeneracy + 1 colors.

The queue. Only vertices at or below the *level*, the largest minimum so far, are in it, one stack a
degree: above it a vertex costs one decrement a lost neighbor and nothing else. A vertex whose
degree falls goes on the stack of its new degree, and what it leaves behind on its old one is skipped when
it comes up. When all stacks are empty, the level rises to the least degree left, and one pass over
the remaining vertices finds those that have it.

Which of several vertices of least degree goes first: the last one put on its stack. When the level rises,
vertices go on the stack by tie order (id, or falling hash), so that the first one is removed
last and colored first; later ones follow in the order of removals, and within a removal in row order.

Cost: O(n + m); the passes visit each vertex at most twice a level of its core number.

Degrees sit in the narrowest type that holds them and one flag for "removed": for a mesh of 10⁶
vertices the array that every edge looks at fits in the L2 cache. A removed vertex has as many
decrements to come as it has neighbors left, so that the flag never goes away.

What lost (rgg20, vertices shuffled, against 200 to 220 ms): positions in one sorted array (Batagelj and
Zaveršnik; it orders by core, not exactly), 390 ms; every decrement pushed, not only those at the level, 460 ms; no
prefetch, 300 ms; prefetch of the offsets alone, 225 ms. First in, first out with prefetch is 10 to 30 % faster on
shuffled graphs, but takes 23 ms against 9 ms on a grid.

References
----------
Matula, Beck 1983, "Smallest-last ordering and clustering and graph coloring algorithms".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.device.compiled import njit
from ..base.device.intrinsics import prefetch
from ..graph.graph import Graph
from ..graph.pattern import unsigned
from .stacks import stack_starts
from .ties import tie_order

ZERO, ONE = np.uint64(0), np.uint64(1)
TWO, FOUR = np.uint64(2), np.uint64(4)


def smallest_last(G: Graph, seed: int | None) -> np.ndarray:
    """Each vertex has the least degree among itself and those before it (Matula and Beck 1983)."""
    return remove_all(G, seed)[0]


def degeneracy(G: Graph) -> int:
    """The largest k such that some subgraph has least degree k; 0 for a graph without edges."""
    return remove_all(G.on("cpu"), None)[1]


def remove_all(G: Graph, seed: int | None) -> tuple[np.ndarray, int]:
    """The order and the degeneracy."""
    if G.n == 0:
        return np.empty(0, np.int32), 0
    word = narrowest(G.max_degree)
    flag = word(1 << (8 * word().itemsize - 1))
    degree = G.degrees.astype(word)
    live = tie_order(np, G.n, seed).view(np.uint32)
    sequence = np.empty(G.n, np.int32)
    starts = stack_starts(degree, G.max_degree)
    stack = np.empty(int(starts[-1]) + 1, np.uint32)  # `enter` writes one past the top
    level = remove_by_degree(*unsigned(G), degree, flag, starts, starts.copy(), stack, live, sequence.view(np.uint32))
    return sequence, int(level)


def narrowest(max_degree: int) -> type[np.unsignedinteger]:
    """The narrowest unsigned type that holds a degree and a flag."""
    return np.uint8 if max_degree < 2**7 else np.uint16 if max_degree < 2**15 else np.uint32


@njit(cache=True, nogil=True)
def remove_by_degree(
    indptr: Any, indices: Any, degree: Any, flag: Any, starts: Any, tops: Any, stack: Any, live: Any, sequence: Any
) -> Any:  # fmt: skip
    """Fill `sequence` from its end; returns the degeneracy. `degree` and `live` are used up."""
    left = np.uint64(sequence.size)
    n_live = left
    level = ZERO
    found = ZERO
    while left > ZERO:
        n_live, higher = enter(level, degree, flag, live, n_live, stack, tops)
        if tops[level] == starts[level]:
            level = higher
            continue
        found = level
        d = level
        while d <= level:
            if tops[d] == starts[d]:
                d += ONE
                continue
            at = tops[d] - ONE
            tops[d] = at
            v = stack[at]
            if np.uint64(degree[v]) != d:  # removed, or waiting on a lower stack
                continue
            if at >= starts[d] + FOUR:
                prefetch(indptr, np.uint64(stack[at - FOUR]))
                prefetch(indices, np.uint64(indptr[stack[at - TWO]]))
            degree[v] |= flag
            left -= ONE
            sequence[left] = v
            d = lose(indptr, indices, v, degree, level, d, stack, tops)
        level += ONE
    return found


@njit(cache=True, nogil=True)
def enter(level: Any, degree: Any, flag: Any, live: Any, n_live: Any, stack: Any, tops: Any) -> Any:
    """Stack the vertices of degree `level`; returns how many higher ones stay in `live`, and their least."""
    here = degree.dtype.type(level)
    top = tops[level]
    kept = ZERO
    least = flag
    for i in range(n_live):
        v = live[i]
        d = degree[v]
        stack[top] = v
        live[kept] = v
        top += np.uint64(d == here)
        higher = (d > here) & (d < flag)
        kept += np.uint64(higher)
        if higher:
            least = min(least, d)
    tops[level] = top
    return kept, np.uint64(least)


@njit(cache=True, nogil=True)
def lose(indptr: Any, indices: Any, v: Any, degree: Any, level: Any, d: Any, stack: Any, tops: Any) -> Any:
    """Take 1 from each neighbor of v, stack those at or below the level; returns the least stack to look at."""
    limit = degree.dtype.type(level)
    for e in range(indptr[v], indptr[v + np.uint32(1)]):
        u = indices[e]
        new = degree[u] - degree.dtype.type(1)
        degree[u] = new
        if new <= limit:
            prefetch(indptr, np.uint64(u))
            at = tops[new]
            stack[at] = u
            tops[new] = at + ONE
            d = min(d, np.uint64(new))
    return d
