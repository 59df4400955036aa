"""Heuristics 1 and 2 on one core: one pass; symbols as in exchange.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device.compiled import njit
from ...device.intrinsics import ctz64

ZERO, ONE = np.uint64(0), np.uint64(1)
ONE32 = np.uint32(1)
WORD = 64
NONE = np.int32(2**31 - 1)


@njit(cache=True, nogil=True)
def neighbourhood(indptr: Any, indices: Any, colors: Any, hic: Any, first: Any, h: Any, w: Any, parent: Any) -> Any:
    """Find H and W, and unite members of H with a common neighbour; returns their sizes.

    `first` is NONE everywhere on entry; places in H grow, so that whoever comes first is the least.
    """
    n_h, n_w = 0, 0
    for v in range(colors.size):
        if colors[v] == hic:
            h[n_h] = v
            parent[n_h] = n_h
            n_h += 1
    for i in range(n_h):
        v = h[i]
        for e in range(indptr[v], indptr[v + ONE32]):
            u = indices[e]
            if first[u] == NONE:
                first[u] = i
                w[n_w] = u
                n_w += 1
            else:
                a, b = root(parent, first[u]), root(parent, i)
                parent[max(a, b)] = min(a, b)
    for i in range(n_h):
        parent[i] = parent[parent[i]]  # roots come first
    return n_h, n_w


@njit(cache=True, nogil=True, inline="always")
def root(parent: Any, i: Any) -> Any:
    """The root of a place, halving its path."""
    while parent[i] != parent[parent[i]]:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return parent[i]


@njit(cache=True, nogil=True)
def forbid(indptr: Any, indices: Any, colors: Any, w: Any, first: Any, parent: Any, free: Any, matrix: Any) -> None:
    """Take the colors around each vertex of W out of its set's row, and into the matrix."""
    rows = free.shape[1]
    for i in range(w.size):
        u = w[i]
        c = colors[u]
        near = c < matrix.shape[0]
        if near:
            matrix[c, c] = True
        mask = ZERO
        for e in range(indptr[u], indptr[u + ONE32]):
            d = colors[indices[e]]
            if d < WORD:
                mask |= ONE << np.uint64(d)
            if near and d < matrix.shape[0]:
                matrix[c, d] = True
        if c < rows:
            free[parent[first[u]], c] &= ~mask


@njit(cache=True, nogil=True)
def least_pair(matrix: Any) -> Any:
    """x and y of heuristic 1, or −1 twice."""
    for x in range(matrix.shape[0]):
        for y in range(matrix.shape[0]):
            if not matrix[x, y]:
                return x, y
    return -1, -1


@njit(cache=True, nogil=True)
def give_way(indptr: Any, indices: Any, colors: Any, w: Any, first: Any, parent: Any, free: Any, left: Any) -> None:
    """What is left of `free`, of which `left` is a copy: of two adjacent choices the weaker loses the stronger's."""
    rows = free.shape[1]
    for i in range(w.size):
        u = w[i]
        c = colors[u]
        if c >= rows:
            continue
        s = parent[first[u]]
        mine = free[s, c]
        lost = ZERO
        for e in range(indptr[u], indptr[u + ONE32]):
            x = indices[e]
            d = colors[x]
            if first[x] == NONE or d >= rows:
                continue
            t = parent[first[x]]
            if t != s and stronger(free[t, d], t, mine, s):
                lost |= free[t, d]
        left[s, c] &= ~lost


@njit(cache=True, nogil=True, inline="always")
def stronger(a: Any, s: Any, b: Any, t: Any) -> Any:
    """Whether set s with colors a prevails over set t with colors b: by number of colors, then by place."""
    more = ones(a) - ones(b)
    return more > 0 or (more == 0 and s < t)


@njit(cache=True, nogil=True, inline="always")
def ones(x: Any) -> Any:
    """Number of bits set."""
    x -= (x >> ONE) & np.uint64(0x5555555555555555)
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(cache=True, nogil=True)
def move_pair(colors: Any, h: Any, w: Any, x: Any, y: Any) -> None:
    """Heuristic 1: W leaves x for y, H takes x."""
    for i in range(w.size):
        if colors[w[i]] == x:
            colors[w[i]] = y
    for i in range(h.size):
        colors[h[i]] = x


@njit(cache=True, nogil=True)
def move_sets(colors: Any, h: Any, w: Any, first: Any, parent: Any, left: Any, choice: Any) -> Any:
    """Heuristic 2: each set takes its least color that W can leave; returns how many of H have. `choice`: −1."""
    rows = left.shape[1]
    moved = 0
    for i in range(h.size):
        s = parent[i]
        if s == i:
            for c in range(rows):
                if left[i, c] != ZERO:
                    choice[i] = c
                    break
        if choice[s] >= 0:
            colors[h[i]] = choice[s]
            moved += 1
    for i in range(w.size):
        u = w[i]
        s = parent[first[u]]
        if choice[s] >= 0 and colors[u] == choice[s]:
            colors[u] = ctz64(left[s, choice[s]])
    return moved


@njit(cache=True, nogil=True)
def clear(first: Any, w: Any) -> None:
    """NONE again for all of W."""
    for i in range(w.size):
        first[w[i]] = NONE
