"""Orders where each vertex depends on the earlier ones: by queues with a stack for each degree, in O(n + m).

Of several equals the last one put on its stack comes first. A vertex whose key changes goes on another stack, and the
entry that it leaves behind is skipped when it comes up.

**Smallest last**, exactly: remove a vertex of least degree, again and again; color in the reverse order. First-fit in
this order needs at most degeneracy + 1 colors. Only vertices at or below the *level*, the largest minimum so far, are
in the queue: above it a vertex costs one decrement for each lost neighbor and nothing else. When all stacks are empty,
the level rises to the least degree left, and one pass over the remaining vertices finds those that have it. They go on
the stack by tie order (id, or falling hash), so that the first one is removed last and colored first; later ones follow
in the order of removals, and within a removal in row order. The passes visit each vertex at most twice a level of its
core number. Degrees sit in the narrowest type that holds them and one flag for "removed": for a mesh of 10⁶ vertices
the array that every edge looks at fits in the L2 cache. A removed vertex has as many decrements to come as it has
neighbors left, so that the flag never goes away.

What lost (rgg20, vertices shuffled, against 200 to 220 ms): positions in one sorted array (Batagelj and Zaveršnik; it
orders by core, not exactly), 390 ms; every decrement pushed, not only those at the level, 460 ms; no prefetch, 300 ms;
prefetch of the offsets alone, 225 ms. First in, first out with prefetch is 10 to 30 % faster on shuffled graphs, but
takes 23 ms against 9 ms on a grid.

**Incidence degree**: next comes the vertex with the most neighbors that have already come. Vertices with no ordered
neighbor lie by largest first (ties of that: by seed), so that each component starts at its largest degree.

**Dynamic largest first**: next comes the vertex of largest degree among those that have not come yet. A stack is a
linked list, and each vertex waits on exactly one. A degree that falls is only written down; the vertex moves to the
stack of its true degree when it comes up on a higher one. The largest degree never rises, so one pass down the stacks
is enough. At the start vertices lie by tie order, the first on top.

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
    """Where stack d begins, d = 0 … top + 1, if a vertex enters each of the stacks 0 … its degree at most once.

    Stack d then never holds more than the vertices of degree ≥ d; all of them together hold n + m,
    and memory is only used for touched pages.
    """
    starts = np.zeros(top + 2, np.uint64)
    fill(degree, starts)
    return starts


@njit(cache=True, nogil=True)
def fill(degree: Any, starts: Any) -> None:
    """Write them over zeros."""
    for d in degree:
        starts[np.uint64(d) + np.uint64(1)] += np.uint64(1)
    at_least = np.uint64(degree.size)
    for d in range(starts.size - 1):
        exactly = starts[d + 1]
        starts[d + 1] = starts[d] + at_least
        at_least -= exactly


# ---- smallest last --------------------------------------------------------------------------------------------------


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


@inner()
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


@inner()
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


# ---- incidence degree -----------------------------------------------------------------------------------------------


def incidence_degree(G: Graph, seed: int | None) -> np.ndarray:
    """Each vertex has the most neighbors among those before it (Coleman and Moré 1983)."""
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
    """Reorder `sequence`; reversed in `stack`, it is the order of vertices that have no ordered neighbor."""
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
    """Each vertex has the largest degree among itself and those after it."""
    sequence = tie_order(np, G.n, seed)
    degree = G.degrees.view(np.uint32).copy()
    by_remaining_degree(*unsigned(G), degree, G.max_degree, sequence.view(np.uint32))
    return sequence


@njit(cache=True, nogil=True)
def by_remaining_degree(indptr: Any, indices: Any, degree: Any, max_degree: Any, sequence: Any) -> None:
    """Reorder `sequence`, which comes in with the tie order; `degree` is used up."""
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
                # Ordered neighbors lose 1 as well: each edge is counted off once from each end, so none goes under 0.
                for e in range(indptr[v], indptr[v + np.uint32(1)]):
                    degree[indices[e]] -= np.uint32(1)
            else:
                below[v] = heads[now]
                heads[now] = v
            v = following
