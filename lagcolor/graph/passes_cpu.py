"""Passes over the entries of a graph on one core of a CPU: the ends of edges, and a bipartition (two_colors.py)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.device import unsigned_view
from ..base.device.compiled import njit

ZERO, ONE = np.uint64(0), np.uint64(1)


def ends(indptr: Any, indices: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends u < v of each edge, int32."""
    u, v = np.empty(len(indices) // 2, np.int32), np.empty(len(indices) // 2, np.int32)
    _list_ends(*map(unsigned_view, (indptr, indices, u, v)))
    return u, v


@njit(cache=True, nogil=True)
def _list_ends(indptr: Any, indices: Any, u: Any, v: Any) -> None:
    """Fill both arrays; a sorted row ends with the neighbors after its vertex."""
    at = ZERO
    for w in range(np.uint64(indptr.size - 1)):
        for e in range(indptr[w], indptr[w + ONE]):
            if indices[e] > w:
                u[at], v[at] = np.uint32(w), indices[e]
                at += ONE


@njit(cache=True, nogil=True)
def sides(indptr: Any, indices: Any, link: Any) -> bool:
    """Write each vertex's side to `link` (uint32; links as in two_colors.py); return False at the first odd cycle."""
    n, one = np.uint32(link.size), np.uint32(1)
    v = np.uint32(0)
    while v < n:
        mine = v << one  # root of v's tree and the side of v, in a register
        alone = True
        for e in range(indptr[v], indptr[v + one]):
            u = indices[e]
            if u > v:
                break
            other = link[u]
            side = one  # side of v relative to u
            while True:  # ends: an ancestor has a smaller number than its descendants
                above = link[other >> one]
                if above >> one == other >> one:
                    break
                above ^= other & one
                link[u] = above
                side ^= above & one
                u = above >> one
                other = link[u]
            other ^= side
            if alone:
                alone = False
            elif mine >> one == other >> one:
                if mine != other:
                    return False
                continue
            elif mine >> one > other >> one:
                link[mine >> one] = other ^ (mine & one)
            else:
                link[other >> one] = mine ^ (other & one)
                other = mine
            mine = other
        link[v] = mine
        v += one
    for w in range(link.size):  # ancestors come first, and have links to their root by now
        up = link[w]
        link[w] = link[up >> one] ^ (up & one) if up >> one != w else up
    for w in range(link.size):
        link[w] &= one
    return True
