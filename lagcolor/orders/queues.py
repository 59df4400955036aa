"""Orders in which each vertex depends on earlier vertices: queues with a stack per degree, in O(n + m).

Of vertices with equal keys, the last one pushed comes first. A vertex whose key changes is pushed on another stack, and
its old entry is skipped when it is popped.

**Smallest last**, exactly: repeatedly remove a vertex of least degree, and color in the reverse order. First-fit in
this order needs at most degeneracy + 1 colors. The *level* is the largest minimum degree so far, and the queue has only
vertices of degree up to it; other vertices cost one decrement per removed neighbor. When all stacks are empty, the
level becomes the least remaining degree, and a pass over the remaining vertices pushes the vertices of this degree by
tie order (id, or decreasing hash). The first is therefore removed last and colored first. Later vertices are pushed in
the order of removals, and within a removal in row order. The passes visit each vertex at most twice per level of its
core number. Degrees have the narrowest type for them and a flag for "removed", so the array that every edge reads fits
in the L2 cache for a mesh of 10⁶ vertices. A removed vertex is decremented once for each remaining neighbor, so its
flag stays.

Slower alternatives (rgg20, vertices shuffled; 200 to 220 ms here): positions in one sorted array (Batagelj and
Zaveršnik; it orders by core, not exactly), 390 ms; pushes for all decrements, not only at the level, 460 ms; no
prefetch, 300 ms; prefetch of offsets only, 225 ms. First in, first out with prefetch is 10 to 30 % faster on shuffled
graphs, but takes 23 ms instead of 9 ms on a grid.

**Incidence degree**: next is the vertex with the most ordered neighbors. Vertices without ordered neighbors are in the
order largest first (ties by seed), so each component starts at its largest degree.

**Dynamic largest first**: next is the vertex of largest degree among the remaining vertices. Stacks are linked lists,
and each vertex is on exactly one. A decreased degree is only stored; the vertex moves to the stack of its degree when
it is popped from a higher one. The largest degree never increases, so one pass down the stacks is enough. Initially
vertices are in tie order, the first on top.

References
----------
Matula, Beck 1983, "Smallest-last ordering and clustering and graph coloring algorithms"; Coleman, Moré 1983,
"Estimation of sparse Jacobian matrices and graph coloring problems"; Gebremedhin, Nguyen, Patwary, Pothen 2013,
"ColPack: software for graph coloring and related problems in scientific computing" (dynamic largest first).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.device.compiled import filled, inner, njit
from ..base.device.intrinsics import prefetch
from ..graph.graph import Graph
from ..graph.pattern import unsigned
from .degree import largest_first
from .ties import tie_order

ZERO, ONE = np.uint64(0), np.uint64(1)
TWO, FOUR = np.uint64(2), np.uint64(4)
DONE = np.uint32(1 << 31)  # flag of an ordered vertex, above any count
NONE = np.uint32(0xFFFFFFFF)


def stack_starts(degree: np.ndarray, top: int) -> np.ndarray:
    """Start of each stack d = 0 … top + 1, if a vertex enters each of the stacks 0 … its degree at most once.

    Stack d then has at most the vertices of degree ≥ d. All stacks together have n + m entries, and only touched pages
    use memory.
    """
    starts = np.zeros(top + 2, np.uint64)
    fill(degree, starts)
    return starts


@njit(cache=True, nogil=True)
def fill(degree: Any, starts: Any) -> None:
    """Write the start of each stack to an array of zeros."""
    for d in degree:
        starts[np.uint64(d) + np.uint64(1)] += np.uint64(1)
    at_least = np.uint64(degree.size)
    for d in range(starts.size - 1):
        exactly = starts[d + 1]
        starts[d + 1] = starts[d] + at_least
        at_least -= exactly


# ---- smallest last --------------------------------------------------------------------------------------------------


def smallest_last(G: Graph, seed: int | None) -> np.ndarray:
    """Smallest last: each vertex has the least degree among itself and earlier vertices (Matula and Beck 1983)."""
    return remove_all(G, seed)[0]


def degeneracy(G: Graph) -> int:
    """Largest k such that some subgraph has minimum degree k; 0 for a graph without edges."""
    return remove_all(G.on("cpu"), None)[1]


def remove_all(G: Graph, seed: int | None) -> tuple[np.ndarray, int]:
    """Smallest-last sequence and degeneracy."""
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
    """Narrowest unsigned type for a degree and a flag."""
    return np.uint8 if max_degree < 2**7 else np.uint16 if max_degree < 2**15 else np.uint32


@njit(cache=True, nogil=True)
def remove_by_degree(
    indptr: Any, indices: Any, degree: Any, flag: Any, starts: Any, tops: Any, stack: Any, live: Any, sequence: Any
) -> Any:  # fmt: skip
    """Fill `sequence` from its end; return the degeneracy. Overwrites `degree` and `live`."""
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


@inner()
def enter(level: Any, degree: Any, flag: Any, live: Any, n_live: Any, stack: Any, tops: Any) -> Any:
    """Push the vertices of degree `level`; return the number of higher ones, which stay in `live`, and their least."""
    here = degree.dtype.type(level)
    top = tops[level]
    n_higher = ZERO
    least = flag
    for i in range(n_live):
        v = live[i]
        d = degree[v]
        stack[top] = v
        live[n_higher] = v
        top += np.uint64(d == here)
        higher = (d > here) & (d < flag)
        n_higher += np.uint64(higher)
        if higher:
            least = min(least, d)
    tops[level] = top
    return n_higher, np.uint64(least)


@inner()
def lose(indptr: Any, indices: Any, v: Any, degree: Any, level: Any, d: Any, stack: Any, tops: Any) -> Any:
    """Subtract 1 from each neighbor of v, push neighbors up to the level; return the least stack to pop from."""
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


# ---- incidence degree -----------------------------------------------------------------------------------------------


def incidence_degree(G: Graph, seed: int | None) -> np.ndarray:
    """Incidence degree: each vertex has the most neighbors among earlier vertices (Coleman and Moré 1983)."""
    if G.n == 0:
        return np.empty(0, np.int32)
    starts = stack_starts(G.degrees.view(np.uint32), G.max_degree)
    sequence = largest_first(G, seed)
    stack = np.empty(int(starts[-1]), np.uint32)
    stack[: G.n] = sequence[::-1]
    by_incidence(*unsigned(G), starts, starts.copy(), stack, np.zeros(G.n, np.uint32), sequence.view(np.uint32))
    return sequence


@njit(cache=True, nogil=True)
def by_incidence(
    indptr: Any, indices: Any, starts: Any, tops: Any, stack: Any, count: Any, sequence: Any
) -> None:  # fmt: skip
    """Reorder `sequence`, the order of vertices without ordered neighbors; `stack` begins with it, reversed."""
    n = np.uint64(sequence.size)
    tops[0] = n
    done = ZERO
    d = ZERO
    while done < n:
        if tops[d] == starts[d]:
            d -= ONE
            continue
        tops[d] -= ONE
        v = stack[tops[d]]
        if np.uint64(count[v]) != d:  # ordered, or waiting on a higher stack
            continue
        count[v] = DONE
        sequence[done] = v
        done += ONE
        for e in range(indptr[v], indptr[v + np.uint32(1)]):
            u = indices[e]
            if count[u] < DONE:
                new = count[u] + np.uint32(1)
                count[u] = new
                stack[tops[new]] = u
                tops[new] += ONE
                d = max(d, np.uint64(new))
                prefetch(indptr, np.uint64(u))


# ---- dynamic largest first ------------------------------------------------------------------------------------------


def dynamic_largest_first(G: Graph, seed: int | None) -> np.ndarray:
    """Dynamic largest first: each vertex has the largest degree among itself and later vertices."""
    sequence = tie_order(np, G.n, seed)
    degree = G.degrees.view(np.uint32).copy()
    by_remaining_degree(*unsigned(G), degree, G.max_degree, sequence.view(np.uint32))
    return sequence


@njit(cache=True, nogil=True)
def by_remaining_degree(indptr: Any, indices: Any, degree: Any, max_degree: Any, sequence: Any) -> None:
    """Reorder `sequence`, initially in tie order. Overwrites `degree`."""
    heads = filled(max_degree + 1, NONE, np.uint32)
    below = np.empty(sequence.size, np.uint32)
    for v in sequence[::-1]:
        below[v] = heads[degree[v]]
        heads[degree[v]] = v
    done = np.uint64(0)
    for d in range(max_degree, -1, -1):
        v = heads[np.uint64(d)]
        while v != NONE:
            following = below[v]
            now = degree[v]
            if np.uint64(now) == np.uint64(d):
                sequence[done] = v
                done += np.uint64(1)
                # Ordered neighbors lose 1 as well. Each edge is subtracted once at each end, so no degree is negative.
                for e in range(indptr[v], indptr[v + np.uint32(1)]):
                    degree[indices[e]] -= np.uint32(1)
            else:
                below[v] = heads[now]
                heads[now] = v
            v = following
