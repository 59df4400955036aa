"""Acyclic coloring by first-fit: each vertex in turn takes the least color that leaves an acyclic coloring.

A color is forbidden to v if a neighbor has it, or if it would close a cycle of two colors: two neighbors of one color
are then in one tree of these two colors. The trees are disjoint sets.

The paper looks into all trees around v and forbids their colors. `narrow`, for up to 32 colors and then, in words of 64
bits, up to 64, tries colors from the least on instead, and looks only into trees of the color that it tries, at
neighbors that share their color with another one; which colors are around a vertex is a word of it. A vertex and a
color beside it are an element of a set, since all edges from one to the other are in one tree. Elements of v have
places in the row of v, as they come, with their colors in an array of bytes, so that the tree of a neighbor is found
without a look at its neighbors.

From the first vertex that needs another color on, `wide` does as the paper. There entries are the elements: one above
the diagonal points at its mirror image, and that at another entry of its tree or, at a root, at itself.

Traps: of two roots the larger element remains one, so that roots are near the vertices colored last.

References
----------
Gebremedhin, Tarafdar, Manne, Pothen 2007, "New acyclic and star coloring algorithms with application to computing
Hessians", Algorithm 5.1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.graph import Graph
from ...core.registry import coloring
from ...core.result import Log
from ...device.compiled import njit
from ...device.intrinsics import ctz64, popcount64
from ...orders import Priorities
from ..greedy.sequential import ahead, unsigned
from ..star.first_fit import colors_of, palette, widened

ONE32 = np.uint32(1)
ZERO, ONE = np.uint64(0), np.uint64(1)
GOLDEN, HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)  # of a multiplicative hash
PAIR = np.uint64(1)  # as a shift: words of the state of a vertex are its color as a bit, and the colors beside it


@coloring(
    "first_fit",
    problem="acyclic",
    style="sequential",
    paper="Gebremedhin et al. 2007, Algorithm 5.1",
    engines=("cpu",),
    bound="Δ(Δ+1)/2+1",
    oracle="first_fit",
    deterministic=True,
    order="smallest_last",
    seed=None,
    needs="sequence",
)
def first_fit(G: Graph, p: Priorities, log: Log) -> np.ndarray:
    """Acyclic coloring: the least color that keeps the colored part acyclic."""
    colors = acyclic(G, p.sequence)
    log.round(active=G.n, colored=G.n, conflicts=0)
    return colors


def acyclic(G: Graph, sequence: np.ndarray, rows: int = 0, neutral: np.ndarray | None = None) -> np.ndarray:
    """First-fit acyclic colors, int32, in the order of `sequence`."""
    indptr, indices = unsigned(G)
    order, sides = np.ascontiguousarray(sequence).view(np.uint32), np.uint32(rows)
    tree, beside = np.empty(G.m, indptr.dtype), np.empty(G.m, np.uint8)
    state, first = np.zeros(2 * G.n, np.uint32), np.zeros(64, indptr.dtype)
    table = np.full((2 << int(G.max_degree).bit_length(), 2), -1, np.int64)
    done = narrow(indptr, indices, order, state, tree, beside, table, first, sides, neutral, 0)
    if done < len(order):
        state = widened(state)
        done = narrow(indptr, indices, order, state, tree, beside, table, first, sides, neutral, done)
    colors = colors_of(state, PAIR)
    del state, beside
    if done < len(order):
        visits = np.full(G.m, G.m, indptr.dtype)
        marks = np.zeros((3, 2 * (G.n + 1) if rows else G.n + 1), np.int32)
        edges = np.zeros(marks.shape[1], indptr.dtype)
        trees(indptr, indices, tree)
        join_colored(indptr, indices, colors, tree, marks[0], edges)
        wide(indptr, indices, order, colors, tree, visits, marks, edges, sides, done, neutral)
    return colors


@njit(cache=True, nogil=True, inline="always")
def find(tree: Any, e: Any) -> Any:
    """Root of the tree of an entry; paths are halved."""
    up = tree[e]
    while up != e:
        over = tree[up]
        tree[e] = over
        e = over
        up = tree[e]
    return e


@njit(cache=True, nogil=True, inline="always")
def union(tree: Any, e: Any, f: Any) -> None:
    """Make one tree of two."""
    a = find(tree, e)
    b = find(tree, f)
    if a < b:
        tree[a] = b
    else:
        tree[b] = a


@njit(cache=True, nogil=True)
def narrow(
    indptr: Any, indices: Any, sequence: Any, state: Any, tree: Any, beside: Any, table: Any, first: Any, rows: Any,
    neutral: Any, begin: Any,
) -> Any:  # fmt: skip
    """Color from position `begin` on while the bits of a word are enough; returns the first that needs more, or n.

    Words of the state of a vertex, 0 before it is colored: its color as a bit, and the colors beside it, which also
    neutral vertices have. `beside` has the color of each element of `tree`. `table` is the scratch space
    of `closes`, and `first` that of `place`.
    """
    n = np.uint64(sequence.size)
    i = np.uint64(begin)
    while i < n:
        ahead(indptr, indices, sequence, i)
        v = sequence[i]
        near = ZERO
        many = ZERO
        apart = ZERO
        e = indptr[v]
        while e < indptr[v + ONE32]:
            w = np.uint64(indices[e]) << PAIR
            bit = np.uint64(state[w])
            many |= near & bit
            near |= bit
            if neutral is not None and bit == ZERO:
                apart |= state[w | ONE]
            e += ONE32
        free = ~(near | apart) & palette(v, rows, state)
        if many:
            unsure = beside_two(indptr, indices, state, v, many)
            while free & (~free + ONE) & unsure:
                color = free & (~free + ONE)
                turn = np.int64(i) << 6 | np.int64(ctz64(color))
                if not closes(indptr, indices, state, tree, beside, table, turn, v, many, color):
                    break
                free ^= color
        if free == ZERO:
            return np.int64(i)
        place(indptr, indices, state, tree, beside, first, v, free & (~free + ONE), near, neutral)
        i += ONE
    return np.int64(n)


@njit(cache=True, nogil=True, inline="always")
def beside_two(indptr: Any, indices: Any, state: Any, v: Any, many: Any) -> Any:
    """Colors beside two or more of the neighbors of v whose color is in `many`: no others can close a cycle."""
    once = ZERO
    twice = ZERO
    e = indptr[v]
    while e < indptr[v + ONE32]:
        w = np.uint64(indices[e]) << PAIR
        if state[w] & many:
            twice |= once & state[w | ONE]
            once |= state[w | ONE]
        e += ONE32
    return twice


@njit(cache=True, nogil=True, inline="always")
def element(beside: Any, e: Any, c: Any) -> Any:
    """Of a vertex, whose row begins at e, and a color beside it."""
    while beside[e] != c:
        e += ONE32
    return e


@njit(cache=True, nogil=True)
def closes(
    indptr: Any, indices: Any, state: Any, tree: Any, beside: Any, table: Any, turn: Any, v: Any, many: Any,
    color: Any,
) -> Any:  # fmt: skip
    """Whether this color on v would close a cycle with a color in `many`: two neighbors in one tree.

    `table` is a hash table of roots, with more than twice as many places as v has neighbors; a place is free unless
    its second value is this turn, which is another number in every call.
    """
    mask = np.uint64(table.shape[0] - 1)
    c = ctz64(color)
    e = indptr[v]
    while e < indptr[v + ONE32]:
        u = indices[e]
        w = np.uint64(u) << PAIR
        if state[w] & many and state[w | ONE] & color:
            root = np.int64(find(tree, element(beside, indptr[u], c)))
            at = (np.uint64(root) * GOLDEN >> HALF) & mask
            while table[at, 1] == turn:
                if table[at, 0] == root:
                    return True
                at = (at + ONE) & mask
            table[at, 0] = root
            table[at, 1] = turn
        e += ONE32
    return False


@njit(cache=True, nogil=True, inline="always")
def place(
    indptr: Any, indices: Any, state: Any, tree: Any, beside: Any, first: Any, v: Any, color: Any, near: Any,
    neutral: Any,
) -> None:  # fmt: skip
    """Give v a color, join the trees that it joins, and keep the colors beside its neighbors."""
    c = ctz64(color)
    seen = ZERO
    start = indptr[v]
    e = start
    while e < indptr[v + ONE32]:
        u = indices[e]
        w = np.uint64(u) << PAIR
        bit = np.uint64(state[w])
        e += ONE32
        if bit:
            a = ctz64(bit)
            if seen & bit:
                mine = first[a]
            else:
                mine = start + popcount64(seen)
                first[a] = mine
                beside[mine] = a
                tree[mine] = mine
                seen |= bit
            if state[w | ONE] & color:
                union(tree, mine, element(beside, indptr[u], c))
            else:
                its = indptr[u] + popcount64(np.uint64(state[w | ONE]))
                beside[its] = c
                tree[its] = mine
                state[w | ONE] |= color
        elif neutral is not None and neutral[u]:
            state[w | ONE] |= color
    at = np.uint64(v) << PAIR
    state[at] = color
    state[at | ONE] = near


@njit(cache=True, nogil=True)
def trees(indptr: Any, indices: Any, tree: Any) -> None:
    """Each edge a tree of its own: the entry below the diagonal is its root, and the one above points there."""
    above = np.empty(indptr.size - 1, indptr.dtype)
    for v in range(indptr.size - 1):
        e = indptr[v]
        end = indptr[v + 1]
        while e < end and indices[e] < v:
            w = indices[e]
            tree[e] = e
            tree[above[w]] = e
            above[w] += ONE32
            e += ONE32
        above[v] = e


@njit(cache=True, nogil=True)
def join_colored(indptr: Any, indices: Any, colors: Any, tree: Any, last: Any, edges: Any) -> None:
    """Join the trees of edges that a vertex has to neighbors of one color; `last` is zero, before and after."""
    for v in range(colors.size):
        e = indptr[v]
        while colors[v] >= 0 and e < indptr[v + 1]:
            c = colors[indices[e]]
            if c >= 0:
                if last[c] == v + 1:
                    union(tree, e, edges[c])
                else:
                    last[c] = v + 1
                    edges[c] = e
            e += ONE32
    for i in range(last.size):
        last[i] = 0


@njit(cache=True, nogil=True)
def wide(
    indptr: Any, indices: Any, sequence: Any, colors: Any, tree: Any, visits: Any, marks: Any, edges: Any, rows: Any,
    first: Any, neutral: Any,
) -> None:  # fmt: skip
    """Color from position `first` on, with any number of colors.

    Rows of `marks` have, per color, the last vertex (+ 1, by position) that was forbidden it, saw it on a neighbor, and
    saw it on two. `visits` has, per root, the entry by which it was last found.
    """
    taken, near, many = marks[0], marks[1], marks[2]
    step = np.int64(2) if rows else np.int64(1)
    for i in range(first, sequence.size):
        v = sequence[i]
        stamp = np.int32(i + 1)
        start = indptr[v]
        end = indptr[v + ONE32]
        e = start
        while e < end:
            c = colors[indices[e]]
            e += ONE32
            if c >= 0:
                if near[c] == stamp:
                    many[c] = stamp
                near[c] = stamp
                taken[c] = stamp
        e = start
        while e < end:
            w = indices[e]
            alone = neutral is not None and neutral[w]
            if alone or (colors[w] >= 0 and many[colors[w]] == stamp):
                f = indptr[w]
                while f < indptr[w + ONE32]:
                    c = colors[indices[f]]
                    if alone and c >= 0:
                        taken[c] = stamp
                    elif c >= 0 and taken[c] != stamp:
                        root = find(tree, f)
                        if start <= visits[root] < end and visits[root] != e:
                            taken[c] = stamp
                        visits[root] = e
                    f += ONE32
            e += ONE32
        color = np.int64(1) if rows and v >= rows else np.int64(0)
        while taken[color] == stamp:
            color += step
        e = start
        while e < end:
            w = indices[e]
            a = colors[w]
            if a >= 0:
                if near[a] == stamp:
                    near[a] = -stamp
                    edges[a] = e
                else:
                    union(tree, e, edges[a])
                f = indptr[w]
                while f < indptr[w + ONE32] and colors[indices[f]] != color:
                    f += ONE32
                if f < indptr[w + ONE32]:
                    union(tree, e, f)
            e += ONE32
        colors[v] = color
