"""What acyclic coloring forbids: colors that would close a cycle of two colors.

Two neighbors of v of one color are then in one tree of these two colors. The trees are disjoint sets.

The paper looks into all trees around v and forbids their colors. While sets of colors fit in a word, colors are tried
from the least on instead, and only trees of the color that is tried are looked into, at neighbors that share their
color with another one. A vertex and a color of its neighbors are an element of a set, since all edges from one to the
other are in one tree. Elements of v have places in the row of v, as they come, with their colors in an array of bytes,
so that the tree of a neighbor is found without a look at its neighbors.

Past 64 colors the trees are as in the paper. There entries are the elements: one above the diagonal points at its
mirror image, and that at another entry of its tree or, at a root, at itself.

Traps: of two roots the larger element remains one, so that roots are near the vertices colored last.
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
GOLDEN, HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)  # of a multiplicative hash
SHIFT = np.uint64(1)  # two words per vertex: its color, and the colors of its neighbors


class Forest(NamedTuple):
    """Trees while sets of colors fit in a word."""

    # `tree` and `beside`: array, shape (m,): the element that each is under, and its color
    tree: np.ndarray
    beside: np.ndarray
    # array of int64, shape (places, 2): scratch space of `closes`: roots, and the turn that each is of. More than twice
    # as many places as a vertex has neighbors
    table: np.ndarray
    first: np.ndarray  # array, shape (64,): scratch space of `place`

    @classmethod
    def of(cls, G: Graph) -> Forest:
        """Without an element."""
        offset = np.dtype(f"u{G.indptr.itemsize}")
        table = np.full((2 << int(G.max_degree).bit_length(), 2), -1, np.int64)
        return cls(np.empty(G.m, offset), np.empty(G.m, np.uint8), table, np.zeros(64, offset))


class Joined(NamedTuple):
    """Trees of entries; per root the entry that last found it; per color an entry."""

    tree: np.ndarray
    visits: np.ndarray
    edges: np.ndarray

    @classmethod
    def of(cls, G: Graph) -> Joined:
        """Each edge a tree of its own, whose root is the entry below the diagonal."""
        offset = np.dtype(f"u{G.indptr.itemsize}")
        tree = mirror(G).view(offset)
        np.maximum(tree, np.arange(G.m, dtype=offset), out=tree)
        return cls(tree, np.full(G.m, G.m, offset), np.zeros(2 * (G.n + 1), offset))


@inner(forceinline=True)
def find(tree: Any, e: Any) -> Any:
    """Root of the tree of an entry; paths are halved."""
    up = tree[e]
    while up != e:
        over = tree[up]
        tree[e] = over
        e = over
        up = tree[e]
    return e


@inner(forceinline=True)
def union(tree: Any, e: Any, f: Any) -> None:
    """Make one tree of two."""
    a = find(tree, e)
    b = find(tree, f)
    if a < b:
        tree[a] = b
    else:
        tree[b] = a


@inner(forceinline=True)
def beside_two(indptr: Any, indices: Any, state: Any, v: Any, many: Any) -> Any:
    """Colors next to several neighbors of v whose color is in `many`: no others can close a cycle."""
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
def element(beside: Any, e: Any, c: Any) -> Any:
    """The element of a vertex, whose row begins at e, and a color of its neighbors."""
    while beside[e] != c:
        e += ONE32
    return e


@inner()
def closes(walk: Any, state: Any, forest: Any, turn: Any, v: Any, many: Any, free: Any) -> Any:
    """Whether the first of some colors on v would close a cycle with a color in `many`: two neighbors in one tree.

    A place of the hash table is free unless its second value is this turn, which is another number in every call.
    """
    indptr, indices, table = walk.indptr, walk.indices, forest.table
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
            root = np.int64(find(forest.tree, element(forest.beside, indptr[u], c)))
            at = (np.uint64(root) * GOLDEN >> HALF) & mask
            while table[at, 1] == turn and table[at, 0] != root:
                at = (at + ONE) & mask
            found = table[at, 1] == turn
            table[at, 0] = root
            table[at, 1] = turn
        e += ONE32
    return found


@inner(forceinline=True)
def place(walk: Any, state: Any, forest: Any, v: Any, color: Any, near: Any) -> None:
    """Give v a color, join the trees that it joins, and keep the colors around its neighbors."""
    indptr, indices = walk.indptr, walk.indices
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
                forest.beside[mine] = a
                forest.tree[mine] = mine
                seen |= bit
            if state[w | ONE] & color:
                union(forest.tree, mine, element(forest.beside, indptr[u], c))
            else:
                its = indptr[u] + popcount64(np.uint64(state[w | ONE]))
                forest.beside[its] = c
                forest.tree[its] = mine
                state[w | ONE] |= color
    at = np.uint64(v) << SHIFT
    state[at] = color
    state[at | ONE] = near


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


@njit(cache=True, nogil=True, inline="always")
def take_cycles(walk: Any, v: Any, e: Any, colors: Any, joined: Any, taken: Any, stamp: Any) -> None:
    """Forbid v the colors of the trees around its neighbor at entry e that were found by another entry, too."""
    start, end = walk.indptr[v], walk.indptr[v + ONE32]
    w = walk.indices[e]
    f = walk.indptr[w]
    while f < walk.indptr[w + ONE32]:
        c = colors[walk.indices[f]]
        if c >= 0 and taken[c] != stamp:
            root = find(joined.tree, f)
            if start <= joined.visits[root] < end and joined.visits[root] != e:
                taken[c] = stamp
            joined.visits[root] = e
        f += ONE32
