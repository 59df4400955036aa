"""Colors that acyclic coloring forbids: they would close a cycle of two colors.

Color c closes a cycle at v if two neighbors of v, of one color d, are in one tree of c and d. Trees are disjoint sets.

The paper searches all trees around v and forbids their colors. As long as sets of colors fit in a word, this module
tries colors from the least on instead, and searches only trees of the tried color, at neighbors that share their color
with another neighbor. An element of a set is a vertex with a color of its neighbors, because all edges to these
neighbors are in one tree. Elements of v are stored in the row of v, in order of appearance, with their colors in an
array of bytes, so that the tree of a neighbor is found without reading its row.

With more than 64 colors the trees are as in the paper, and elements are entries. An entry above the diagonal points to
its mirror image, and this one to another entry of its tree or, at a root, to itself.

When two roots are united, the larger element stays a root, so that roots are near the vertices colored last.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...base.device.compiled import inner, njit
from ...base.device.intrinsics import ctz64, popcount64
from ...graph.graph import Graph
from .direct import mirror

ONE32 = np.uint32(1)
ZERO, ONE = np.uint64(0), np.uint64(1)
GOLDEN, HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)  # constants of a multiplicative hash
SHIFT = np.uint64(1)  # two words per vertex: its color, and the colors of its neighbors


class Forest(NamedTuple):
    """Trees for sets of colors that fit in a word."""

    # `tree` and `colors`: arrays, shape (m,): the element above each element, and the color of each element
    tree: np.ndarray
    colors: np.ndarray
    # array of int64, shape (places, 2): scratch space of `closes`: roots, and the call that wrote each. It has more
    # than twice as many places as a vertex has neighbors.
    table: np.ndarray
    first: np.ndarray  # array, shape (64,): scratch space of `place`

    @classmethod
    def of(cls, G: Graph) -> Forest:
        """Return a forest without elements."""
        offset = np.dtype(f"u{G.indptr.itemsize}")
        table = np.full((2 << int(G.max_degree).bit_length(), 2), -1, np.int64)
        return cls(np.empty(G.m, offset), np.empty(G.m, np.uint8), table, np.zeros(64, offset))


class Joined(NamedTuple):
    """Trees of entries; for each root the entry that found it last; for each color an entry."""

    tree: np.ndarray
    visits: np.ndarray
    edges: np.ndarray

    @classmethod
    def of(cls, G: Graph) -> Joined:
        """Return trees of one edge each, whose root is the entry below the diagonal."""
        offset = np.dtype(f"u{G.indptr.itemsize}")
        tree = mirror(G).view(offset)
        np.maximum(tree, np.arange(G.m, dtype=offset), out=tree)
        return cls(tree, np.full(G.m, G.m, offset), np.zeros(2 * (G.n + 1), offset))


@inner(forceinline=True)
def find(tree: Any, e: Any) -> Any:
    """Return the root of the tree of an entry; halve the path."""
    up = tree[e]
    while up != e:
        over = tree[up]
        tree[e] = over
        e = over
        up = tree[e]
    return e


@inner(forceinline=True)
def union(tree: Any, e: Any, f: Any) -> None:
    """Unite two trees."""
    a = find(tree, e)
    b = find(tree, f)
    if a < b:
        tree[a] = b
    else:
        tree[b] = a


@inner(forceinline=True)
def around_twice(indptr: Any, indices: Any, state: Any, v: Any, many: Any) -> Any:
    """Return the colors around two or more neighbors of v whose color is in `many`: only these can close a cycle."""
    once = ZERO
    twice = ZERO
    e = indptr[v]
    while e < indptr[v + ONE32]:
        w = np.uint64(indices[e]) << SHIFT
        if state[w] & many:
            twice |= once & state[w | ONE]
            once |= state[w | ONE]
        e += ONE32
    return twice


@inner(forceinline=True)
def element(colors: Any, e: Any, c: Any) -> Any:
    """Return the element of a vertex, whose row begins at e, and a color c of its neighbors."""
    while colors[e] != c:
        e += ONE32
    return e


@inner()
def closes(ordered: Any, state: Any, forest: Any, turn: Any, v: Any, many: Any, free: Any) -> Any:
    """Return whether the least color in `free` would close a cycle at v with a color in `many`.

    A place of the hash table is free unless its second value is `turn`, which differs in each call.
    """
    indptr, indices, table = ordered.indptr, ordered.indices, forest.table
    mask = np.uint64(table.shape[0] - 1)
    color = free & (~free + ONE)
    c = ctz64(color)
    turn |= np.int64(c)
    found = False
    e = indptr[v]
    while e < indptr[v + ONE32] and not found:
        u = indices[e]
        w = np.uint64(u) << SHIFT
        if state[w] & many and state[w | ONE] & color:
            root = np.int64(find(forest.tree, element(forest.colors, indptr[u], c)))
            at = (np.uint64(root) * GOLDEN >> HALF) & mask
            while table[at, 1] == turn and table[at, 0] != root:
                at = (at + ONE) & mask
            found = table[at, 1] == turn
            table[at, 0] = root
            table[at, 1] = turn
        e += ONE32
    return found


@inner(forceinline=True)
def place(ordered: Any, state: Any, forest: Any, v: Any, color: Any, near: Any) -> None:
    """Color v, unite the trees that it joins, and update the colors around its neighbors."""
    indptr, indices = ordered.indptr, ordered.indices
    c = ctz64(color)
    seen = ZERO
    start = indptr[v]
    e = start
    while e < indptr[v + ONE32]:
        u = indices[e]
        w = np.uint64(u) << SHIFT
        bit = np.uint64(state[w])
        e += ONE32
        if bit:
            a = ctz64(bit)
            if seen & bit:
                mine = forest.first[a]
            else:
                mine = start + popcount64(seen)
                forest.first[a] = mine
                forest.colors[mine] = a
                forest.tree[mine] = mine
                seen |= bit
            if state[w | ONE] & color:
                union(forest.tree, mine, element(forest.colors, indptr[u], c))
            else:
                its = indptr[u] + popcount64(np.uint64(state[w | ONE]))
                forest.colors[its] = c
                forest.tree[its] = mine
                state[w | ONE] |= color
    at = np.uint64(v) << SHIFT
    state[at] = color
    state[at | ONE] = near


@njit(cache=True, nogil=True)
def join_colored(indptr: Any, indices: Any, colors: Any, tree: Any, last: Any, edges: Any) -> None:
    """Unite the trees of edges from a vertex to neighbors of one color; `last` is zero before and after."""
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


@njit(cache=True, nogil=True, inline="always")
def take_cycles(ordered: Any, v: Any, e: Any, colors: Any, joined: Any, taken: Any, stamp: Any) -> None:
    """Forbid v the colors of trees at its neighbor of entry e that another entry of v has found, too."""
    start, end = ordered.indptr[v], ordered.indptr[v + ONE32]
    w = ordered.indices[e]
    f = ordered.indptr[w]
    while f < ordered.indptr[w + ONE32]:
        c = colors[ordered.indices[f]]
        if c >= 0 and taken[c] != stamp:
            root = find(joined.tree, f)
            if start <= joined.visits[root] < end and joined.visits[root] != e:
                taken[c] = stamp
            joined.visits[root] = e
        f += ONE32
