"""Tight cliques: their vertices may have as many colors together as they are, so that each color occurs in them.

Cliques are grown from edges that are in none so far, as in clique.py, from the common neighbors. Of the cells of a
Sudoku that finds the rows, columns and blocks. A clique is given up as soon as it cannot have as many vertices as one
of its first two has colors, and the search for cliques ends after a number of steps.

References
----------
Hall 1935, "On representatives of subsets"; Régin 1994, "A filtering algorithm for constraints of difference in CSPs".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....base.device.compiled import njit
from ..clique_cpu import growth, largest_from

ONE32 = np.uint32(1)
READS = 1 << 26  # steps


@njit(cache=True, nogil=True)
def tight_cliques(t: Any, reads: Any) -> Any:
    """Vertices of tight cliques, the bounds of each, and whether a clique has more vertices than colors."""
    indptr, indices, n = t.indptr, t.indices, t.left.size
    covered, near = np.zeros(indices.size, np.bool_), np.full(n, -1, np.int64)
    search, start = growth(n, n), np.zeros(1, np.uint32)
    at, room, taken, place = search.at[0], search.room, search.taken, search.place
    members, bounds = np.empty(indices.size, np.int32), np.empty(indices.size // 2 + 1, np.int64)
    end, number, bounds[0] = np.int64(0), np.int64(0), 0
    for i in range(n):
        v = np.uint32(i)
        for e in range(indptr[v], indptr[v + ONE32]):
            near[indices[e]] = v
        for e in range(indptr[v], indptr[v + ONE32]):
            u = indices[e]
            enough = np.int64(max(t.left[v], t.left[u]))
            if u < v or covered[e] or enough > n or reads <= 0:
                continue
            left = np.int64(0)
            for f in range(indptr[u], indptr[u + ONE32]):
                if near[indices[f]] == v and t.left[indices[f]] <= n:
                    room[left] = indices[f]
                    left += 1
            taken[0], taken[1] = v, u
            at.start, at.left, at.size, at.largest = 0, left, 2, enough - 1  # as if begun before
            reads -= np.int64(indptr[u + ONE32] - indptr[u])
            reads -= largest_from(indptr, indices, start, search, n + 1, reads)
            if at.largest < enough:
                continue
            clique = search.found[: at.largest]
            cover(t, clique, place, covered)
            open_colors = union(t, clique)
            if clique.size > open_colors:
                return members[:0], bounds[:1], True
            if clique.size == open_colors and end + clique.size <= members.size:
                for w in clique:
                    members[end] = w
                    end += 1
                number += 1
                bounds[number] = end
    return members[:end], bounds[: number + 1], False


@njit(cache=True, nogil=True)
def cover(t: Any, clique: Any, place: Any, covered: Any) -> None:
    """The edges of a clique need no other."""
    for v in clique:
        place[v] = 1
    for v in clique:
        for e in range(t.indptr[v], t.indptr[v + ONE32]):
            if place[t.indices[e]]:
                covered[e] = True
    for v in clique:
        place[v] = 0


@njit(cache=True, nogil=True)
def union(t: Any, clique: Any) -> Any:
    """How many colors the vertices of a clique may have together."""
    count = 0
    for c in range(t.k):
        for v in clique:
            if t.value[np.int64(v) * t.k + c] >= 0:
                count += 1
                break
    return count
