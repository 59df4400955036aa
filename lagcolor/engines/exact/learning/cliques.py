"""Tight cliques: their vertices may have as many colors together as they are, so that each color occurs in them.

Cliques are grown from edges that are in none so far: take the common neighbor that has the most neighbors among the
others, and so on. Of the cells of a Sudoku that finds the rows, columns and blocks. A clique is given up as soon as it
cannot have as many vertices as one of its vertices has colors, and the search for cliques ends after a number of
entries.

References
----------
Hall 1935, "On representatives of subsets"; Régin 1994, "A filtering algorithm for constraints of difference in CSPs".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....base.device.compiled import njit
from ..clique_cpu import keep_marked

ONE32 = np.uint32(1)
READS = 1 << 26


@njit(cache=True, nogil=True)
def tight_cliques(t: Any, reads: Any) -> Any:
    """Vertices of tight cliques, the bounds of each, and whether a clique has more vertices than colors."""
    indptr, indices, n = t.indptr, t.indices, t.left.size
    covered, marks, near = np.zeros(indices.size, np.bool_), np.full(n, -1, np.int64), np.full(n, -1, np.int64)
    clique, room, colors = np.empty(n, np.int32), np.empty(n, np.uint32), np.full(t.k, -1, np.int64)
    members, bounds, ends, number = np.empty(1024, np.int32), np.zeros(64, np.int64), np.int64(0), np.int64(0)
    mark = np.int64(0)
    for i in range(n):
        v = np.uint32(i)
        for e in range(indptr[v], indptr[v + ONE32]):
            near[indices[e]] = v
        for e in range(indptr[v], indptr[v + ONE32]):
            u = indices[e]
            enough = max(t.left[v], t.left[u])
            if u < v or covered[e] or enough > n or reads <= 0:
                continue
            left = np.int64(0)
            for f in range(indptr[u], indptr[u + ONE32]):
                if near[indices[f]] == v and t.left[indices[f]] <= n:
                    room[left] = indices[f]
                    left += 1
            reads -= np.int64(indptr[u + ONE32] - indptr[u]) + 1
            clique[0], clique[1] = v, u
            size, mark, read = grow(t, clique, room, left, enough, (marks, mark))
            reads -= read
            if size < enough:
                continue
            cover(t, clique[:size], marks, mark, covered)
            mark += 1
            open_colors = union(t, clique[:size], colors, mark)
            if size > open_colors:
                return members[:0], bounds[:1], True
            if size == open_colors:
                while ends + size > members.size:
                    members = np.append(members, members)
                if number + 2 > bounds.size:
                    bounds = np.append(bounds, bounds)
                members[ends : ends + size] = clique[:size]
                ends, number = ends + size, number + 1
                bounds[number] = ends
    return members[:ends], bounds[: number + 1], False


@njit(cache=True, nogil=True)
def grow(t: Any, clique: Any, room: Any, left: Any, enough: Any, at: Any) -> Any:
    """Add candidates (`room`) to a clique of two vertices; its size, 0 where it has not enough; marks and reads."""
    indptr, indices = t.indptr, t.indices
    marks, mark = at
    size, read = np.int64(2), np.int64(0)
    while left > 0 and size + left >= enough:
        mark += 1
        for i in range(left):
            marks[room[i]] = mark
        most, top = np.int64(-1), room[0]
        for i in range(left):
            w, beside = room[i], np.int64(0)
            for e in range(indptr[w], indptr[w + ONE32]):
                beside += marks[indices[e]] == mark
            read += np.int64(indptr[w + ONE32] - indptr[w])
            if beside > most:
                most, top = beside, w
            if beside == left - 1:  # of all others
                break
        clique[size] = top
        size += 1
        left = keep_marked(indptr, indices, top, marks, mark, room)
        enough = max(enough, np.int64(t.left[top]))
    return size if size >= enough else np.int64(0), mark, read


@njit(cache=True, nogil=True)
def cover(t: Any, clique: Any, marks: Any, mark: Any, covered: Any) -> None:
    """The edges of a clique need no other."""
    for v in clique:
        marks[v] = mark + 1
    for i in clique:
        v = np.uint32(i)
        for e in range(t.indptr[v], t.indptr[v + ONE32]):
            if marks[t.indices[e]] == mark + 1:
                covered[e] = True


@njit(cache=True, nogil=True)
def union(t: Any, clique: Any, colors: Any, mark: Any) -> Any:
    """How many colors the vertices of a clique may have together."""
    count = 0
    for v in clique:
        for c in range(t.k):
            if t.value[np.int64(v) * t.k + c] >= 0 and colors[c] != mark:
                colors[c] = mark
                count += 1
    return count
