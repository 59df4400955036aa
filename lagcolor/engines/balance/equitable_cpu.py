"""Classes that reach a small one: loops of equitable.py and chains.py, on one core.

A vertex is *movable* to a class that has no neighbor of it, and a class *reaches* another where one of its vertices is
movable there, or to a class that reaches it. Vertices of color −1 are not there, and a vertex that is `lazy` has no
edges.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...base.device.compiled import njit

ONE32 = np.uint32(1)


class Partial(NamedTuple):
    """A graph without some edges, and a coloring of some vertices, which changes in place."""

    indptr: Any
    indices: Any
    colors: Any
    lazy: Any


class Ways(NamedTuple):
    """What `reach` has found, its stamp for each vertex, and scratch space.

    ``via[c]``: the next class on the way from c, c itself for the small one, −1 where c does not reach it;
    ``mover[c]``: a vertex that is movable there.
    """

    via: Any
    mover: Any
    marks: Any
    stamp: Any
    offsets: Any
    members: Any
    queue: Any

    @classmethod
    def room(cls, n: int, k: int) -> Ways:
        """For n vertices and k classes."""
        marks, stamp = np.zeros(n, np.int64), np.zeros(1, np.int64)
        via, mover, queue = (np.empty(k, np.int64) for _ in range(3))
        return cls(via, mover, marks, stamp, np.empty(k + 1, np.int64), np.empty(n, np.int64), queue)


@njit(cache=True, nogil=True)
def by_class(colors: Any, k: Any, offsets: Any, members: Any, at: Any) -> None:
    """``members[offsets[c]:offsets[c + 1]]``: the vertices of color c, rising; `at` is scratch space."""
    for c in range(k + 1):
        offsets[c] = 0
    for c in colors:
        if c >= 0:
            offsets[c + 1] += 1
    for c in range(k):
        offsets[c + 1] += offsets[c]
    for c in range(k):
        at[c] = offsets[c]
    for v in range(colors.size):
        c = colors[v]
        if c >= 0:
            members[at[c]] = v
            at[c] += 1


@njit(cache=True, nogil=True)
def mark_neighbors(g: Any, ways: Any, c: Any) -> None:
    """Put a fresh stamp on all vertices with a neighbor in class c."""
    ways.stamp[0] += 1
    for i in range(ways.offsets[c], ways.offsets[c + 1]):
        w = ways.members[i]
        if g.lazy[w]:
            continue
        for e in range(g.indptr[w], g.indptr[w + ONE32]):
            u = g.indices[e]
            if not g.lazy[u]:
                ways.marks[u] = ways.stamp[0]


@njit(cache=True, nogil=True)
def reach(g: Any, active: Any, keep: Any, small: Any, goal: Any, ways: Any) -> None:
    """Breadth-first search, backwards from class `small`, among classes that are active.

    It moves the first vertex that it may, not one to `keep`. It stops where `goal` reaches (−1: no goal).
    """
    via, mover, marks, offsets, members, queue = (
        ways.via, ways.mover, ways.marks, ways.offsets, ways.members, ways.queue,
    )  # fmt: skip
    k = active.size
    by_class(g.colors, k, offsets, members, queue)
    for c in range(k):
        via[c] = -1
    via[small] = small
    queue[0] = small
    head, tail = 0, 1
    while head < tail and (goal < 0 or via[goal] < 0):
        d = queue[head]
        head += 1
        mark_neighbors(g, ways, d)
        for c in range(k):
            if active[c] and via[c] < 0:
                for i in range(offsets[c], offsets[c + 1]):
                    y = members[i]
                    if marks[y] != ways.stamp[0] and not keep[y]:
                        via[c] = d
                        mover[c] = y
                        queue[tail] = c
                        tail += 1
                        break


@njit(cache=True, nogil=True)
def shift(colors: Any, via: Any, mover: Any, large: Any) -> None:
    """One vertex of each class on the way from `large` moves to the next class."""
    c = large
    while via[c] != c:
        colors[mover[c]] = via[c]
        c = via[c]


@njit(cache=True, nogil=True)
def digraph(g: Any, place: Any, seen: Any, out: Any) -> None:
    """``out[i, j]``: a vertex of the i-th of some classes is movable to the j-th; ``place[c]``: number of c, or −1.

    `out` is False at first, and `seen` −1.
    """
    indptr, indices, colors, lazy = g
    size = seen.size
    for v in range(colors.size):
        if colors[v] < 0 or place[colors[v]] < 0:
            continue
        i = place[colors[v]]
        if not lazy[v]:
            for e in range(indptr[v], indptr[v + ONE32]):
                u = indices[e]
                if not lazy[u] and colors[u] >= 0 and place[colors[u]] >= 0:
                    seen[place[colors[u]]] = v
        for j in range(size):
            if seen[j] != v and i != j:
                out[i, j] = True


def terminal(movable: np.ndarray, root: int) -> np.ndarray:
    """The classes below one, U, in the tree of dominators of the ways to `root`, where that is as deep as can be.

    Without U none of them reaches the root; without any one of them all others do.
    """
    rows = np.zeros((7, len(movable)), np.int64)
    rows[0], rows[1], out = -1, -1, np.zeros(len(movable), np.bool_)
    _terminal(movable, root, tuple(rows), out)
    return out


@njit(cache=True, nogil=True)
def _terminal(movable: Any, root: Any, scratch: Any, out: Any) -> None:
    """Fill `out`; of the scratch space the first two arrays are −1, the others 0."""
    parent, dominator, depth, after, order, stack, at = scratch
    size = movable.shape[0]
    # Depth-first from the root against the moves, for an order where a class comes after all classes that reach it
    #
    stack[0], top, done = root, 1, 0
    parent[root] = root
    while top > 0:
        d = stack[top - 1]
        while at[d] < size and (not movable[at[d], d] or parent[at[d]] >= 0):
            at[d] += 1
        if at[d] == size:
            after[d], order[done] = done, d
            done += 1
            top -= 1
        else:
            parent[at[d]] = d
            stack[top] = at[d]
            top += 1
    dominator[root] = root
    changed = True
    while changed:  # each turn moves some dominators up the tree, and none down
        changed = False
        for t in range(done - 2, -1, -1):
            c = order[t]
            new = -1
            for d in range(size):
                if movable[c, d] and dominator[d] >= 0:
                    if new < 0:
                        new = d
                    else:
                        a = d
                        while a != new:
                            while after[a] < after[new]:
                                a = dominator[a]
                            while after[new] < after[a]:
                                new = dominator[new]
            if dominator[c] != new:
                dominator[c] = new
                changed = True
    deepest = root
    for t in range(done - 1, -1, -1):
        c = order[t]
        if c != root:
            depth[c] = depth[dominator[c]] + 1
            if depth[c] > depth[deepest]:
                deepest = c
    for c in range(size):
        out[c] = c != root and dominator[c] == dominator[deepest]


@njit(cache=True, nogil=True)
def solo_edges(g: Any, inside: Any, outside: Any, count: Any, only: Any, zs: Any, ys: Any) -> Any:
    """Pairs (z, y): y, of a class `outside`, has no neighbor but z in z's class, which is `inside`.

    Returns how many there are, and writes as many as fit; `count` is zero, before and after.
    """
    indptr, indices, colors, lazy = g
    found = 0
    for y in range(colors.size):
        if colors[y] < 0 or not outside[colors[y]] or lazy[y]:
            continue
        for e in range(indptr[y], indptr[y + ONE32]):
            u = indices[e]
            if not lazy[u] and colors[u] >= 0 and inside[colors[u]]:
                count[colors[u]] += 1
                only[colors[u]] = u
        for e in range(indptr[y], indptr[y + ONE32]):
            u = indices[e]
            if lazy[u] or colors[u] < 0 or not inside[colors[u]]:
                continue
            if count[colors[u]] == 1:
                if found < zs.size:
                    zs[found], ys[found] = only[colors[u]], y
                found += 1
            count[colors[u]] = 0
    return found


@njit(cache=True, nogil=True)
def free_class(g: Any, v: Any, allowed: Any, taken: Any) -> Any:
    """The first class that is allowed, is not v's own and has no neighbor of v, −1 where there is none.

    `taken`, −1 at first, has the vertex that found a class taken.
    """
    indptr, indices, colors, lazy = g
    for e in range(indptr[v], indptr[v + ONE32]):
        u = indices[e]
        if not lazy[u] and colors[u] >= 0:
            taken[colors[u]] = v
    for c in range(allowed.size):
        if allowed[c] and taken[c] != v and c != colors[v]:
            return c
    return -1


@njit(cache=True, nogil=True)
def exchange(g: Any, zs: Any, ys: Any, classes: Any, pairs_first: Any, taken: Any, beside: Any) -> Any:
    """z, y and a class of some that z is movable to; or z, y, −1, and y has a non-neighbor among z's solo neighbors.

    In the second case z is movable to none. Pairs are sorted by z; −1 three times: there is neither.
    `taken` (per class) and `beside` (per vertex) are −1 at first.
    """
    for turn in range(2):
        begin = 0
        while begin < zs.size:
            z, end = zs[begin], begin
            while end < zs.size and zs[end] == z:
                end += 1
            to = free_class(g, z, classes, taken)
            if to >= 0 and pairs_first == (turn == 1):
                return z, ys[begin], to
            if to < 0 and pairs_first == (turn == 0):
                for i in range(begin, end):
                    y = ys[i]
                    for e in range(g.indptr[y], g.indptr[y + ONE32]):
                        beside[g.indices[e]] = y
                    for j in range(i + 1, end):
                        if beside[ys[j]] != y:
                            return z, y, -1
            begin = end
    return -1, -1, -1
