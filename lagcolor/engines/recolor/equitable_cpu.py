"""Classes that reach a small one: loops of equitable.py and chains.py, on one core.

A vertex is *movable* to a class in which it has no neighbor, and a class *reaches* another where one of its vertices is
movable there, or to a class that reaches it. Vertices of color −1 are not there, and a vertex that is `lazy` has no
edges.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device.compiled import njit

ONE32 = np.uint32(1)


@njit(cache=True, nogil=True, inner=True)
def by_class(colors: Any, k: Any, offsets: Any, members: Any) -> None:
    """``members[offsets[c]:offsets[c + 1]]``: the vertices of color c, rising."""
    offsets[:] = 0
    for c in colors:
        if c >= 0:
            offsets[c + 1] += 1
    for c in range(k):
        offsets[c + 1] += offsets[c]
    at = offsets[:-1].copy()
    for v in range(colors.size):
        c = colors[v]
        if c >= 0:
            members[at[c]] = v
            at[c] += 1


@njit(cache=True, nogil=True, inner=True)
def mark_neighbors(
    indptr: Any, indices: Any, lazy: Any, offsets: Any, members: Any, c: Any, marks: Any, stamp: Any
) -> None:
    """Put the stamp on all vertices beside class c."""
    for i in range(offsets[c], offsets[c + 1]):
        w = members[i]
        if lazy[w]:
            continue
        for e in range(indptr[w], indptr[w + ONE32]):
            u = indices[e]
            if not lazy[u]:
                marks[u] = stamp


@njit(cache=True, nogil=True)
def reach(
    indptr: Any, indices: Any, colors: Any, lazy: Any, active: Any, keep: Any, small: Any, goal: Any, via: Any,
    mover: Any, marks: Any, stamp: Any,
) -> Any:  # fmt: skip
    """Breadth-first search, backwards from class `small`, among classes that are active.

    ``via[c]``: the next class on the way from c, c itself for `small`, −1 where c does not reach it; ``mover[c]``: a
    vertex that is movable there, the first, not one to `keep`. Stops where `goal` reaches (−1: no goal). Returns a
    fresh stamp.
    """
    k = active.size
    offsets, members = np.zeros(k + 1, np.int64), np.empty(colors.size, np.int64)
    by_class(colors, k, offsets, members)
    via[:] = -1
    via[small] = small
    queue = np.empty(k, np.int64)
    queue[0] = small
    head, tail = 0, 1
    while head < tail and (goal < 0 or via[goal] < 0):
        d = queue[head]
        head += 1
        mark_neighbors(indptr, indices, lazy, offsets, members, d, marks, stamp)
        for c in range(k):
            if active[c] and via[c] < 0:
                for i in range(offsets[c], offsets[c + 1]):
                    y = members[i]
                    if marks[y] != stamp and not keep[y]:
                        via[c] = d
                        mover[c] = y
                        queue[tail] = c
                        tail += 1
                        break
        stamp += 1
    return stamp


@njit(cache=True, nogil=True)
def shift(colors: Any, via: Any, mover: Any, large: Any) -> None:
    """One vertex of each class on the way from `large` moves to the next class."""
    c = large
    while via[c] != c:
        colors[mover[c]] = via[c]
        c = via[c]


@njit(cache=True, nogil=True)
def digraph(indptr: Any, indices: Any, colors: Any, lazy: Any, place: Any, size: Any) -> Any:
    """``out[i, j]``: a vertex of the i-th of some classes is movable to the j-th; ``place[c]``: number of c, or −1."""
    out = np.zeros((size, size), np.bool_)
    seen = np.full(size, -1, np.int64)
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
    return out


@njit(cache=True, nogil=True)
def terminal(movable: Any, root: Any) -> Any:
    """The classes below one, U, in the tree of dominators of the ways to `root`, where that is as deep as can be.

    Without U none of them reaches the root; without any one of them all others do.
    """
    size = movable.shape[0]
    parent, dominator, depth = np.full(size, -1, np.int64), np.full(size, -1, np.int64), np.zeros(size, np.int64)
    after, order, stack, at = (
        np.zeros(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.zeros(size, np.int64),
    )
    # Depth-first from the root against the moves, for an order in which a class comes after all that it is reached
    # through.
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
    out = np.zeros(size, np.bool_)
    for c in range(size):
        out[c] = c != root and dominator[c] == dominator[deepest]
    return out


@njit(cache=True, nogil=True)
def solo_edges(indptr: Any, indices: Any, colors: Any, lazy: Any, inside: Any, outside: Any) -> Any:
    """Pairs (z, y): y, of a class `outside`, has no neighbor but z in z's class, which is `inside`; two arrays."""
    k = inside.size
    count, only = np.zeros(k, np.int64), np.zeros(k, np.int64)
    room = 16
    zs, ys = np.empty(room, np.int64), np.empty(room, np.int64)
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
                if found == room:
                    zs, ys = np.concatenate((zs, zs)), np.concatenate((ys, ys))
                    room *= 2
                zs[found], ys[found] = only[colors[u]], y
                found += 1
            count[colors[u]] = 0
    return zs[:found], ys[:found]


@njit(cache=True, nogil=True)
def free_class(indptr: Any, indices: Any, colors: Any, lazy: Any, v: Any, allowed: Any) -> Any:
    """The first class that is allowed, is not v's own and has no neighbor of v, −1 where there is none."""
    taken = np.zeros(allowed.size, np.bool_)
    for e in range(indptr[v], indptr[v + ONE32]):
        u = indices[e]
        if not lazy[u] and colors[u] >= 0:
            taken[colors[u]] = True
    for c in range(allowed.size):
        if allowed[c] and not taken[c] and c != colors[v]:
            return c
    return -1


@njit(cache=True, nogil=True)
def exchange(
    indptr: Any, indices: Any, colors: Any, lazy: Any, zs: Any, ys: Any, classes: Any, pairs_first: Any
) -> Any:  # fmt: skip
    """z, y and a class of some that z is movable to; or z, y, −1, and y has a non-neighbor among z's solo neighbors.

    In the second case z is movable to none. Pairs are sorted by z; −1 three times: there is neither.
    """
    beside = np.full(colors.size, -1, np.int64)
    for turn in range(2):
        begin = 0
        while begin < zs.size:
            z, end = zs[begin], begin
            while end < zs.size and zs[end] == z:
                end += 1
            to = free_class(indptr, indices, colors, lazy, z, classes)
            if to >= 0 and pairs_first == (turn == 1):
                return z, ys[begin], to
            if to < 0 and pairs_first == (turn == 0):
                for i in range(begin, end):
                    y = ys[i]
                    for e in range(indptr[y], indptr[y + ONE32]):
                        beside[indices[e]] = y
                    for j in range(i + 1, end):
                        if beside[ys[j]] != y:
                            return z, y, -1
            begin = end
    return -1, -1, -1
