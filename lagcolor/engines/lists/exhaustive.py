"""All colorings with lists and capacities, by backtracking within an effort: finds one, or proves there is none.

The vertex with the fewest colors left comes next, the first of several. Where all colors above those in use are alike
(no lists, one capacity for all), only the least of them is tried.

========  ==============================================================================================================
seen      seen[v, c]: neighbors of v that have color c, one more if c is forbidden, and one more if its class has no
          room for v
left      how many colors of a vertex nobody has
extra     how many classes may still weigh 1 more than they have room for; the room of one that does is negative
stack     vertices in the order of choice; `nexts`, the next color to try of each
tops      the largest color in use before a vertex was chosen
========  ==============================================================================================================

References
----------
Randall-Brown 1972, "Chromatic scheduling and the chromatic number problem"; Brélaz 1979 for the order of vertices.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...device.compiled import njit
from . import FOUND, NONE_EXISTS, UNKNOWN, Instance

ONE32 = np.uint32(1)


class Table(NamedTuple):
    """What vertices see of their neighbors and of classes; `extra` is an array of one number."""

    seen: Any
    left: Any
    extra: Any


def search_all(instance: Instance, colors: np.ndarray, alike: bool, reads: int, larger: int = 0) -> int:
    """Color the vertices that have no color, in place; FOUND, NONE_EXISTS, or UNKNOWN after reading so many entries.

    `larger` classes may weigh 1 more than `room` says, where each vertex weighs 1.
    """
    n, k, room = len(colors), len(instance.room), instance.room
    extra = np.array([larger - np.count_nonzero(room < 0) if larger else 0])
    if larger and (room.min(initial=0) < -1 or extra[0] < 0):  # too many have these colors before
        return NONE_EXISTS
    seen = np.zeros((n, k), np.int32)
    _begin(instance, colors, seen)
    seen += room[None, :] + (extra[0] > 0) < instance.weights[:, None]
    table = Table(seen, np.count_nonzero(seen == 0, axis=1).astype(np.int32), extra)
    free = np.count_nonzero(colors < 0)
    stack, nexts, tops = np.empty(free + 1, np.uint32), np.empty(free + 1, np.int64), np.empty(free + 1, np.int64)
    tops[0] = colors.max(initial=-1)
    return int(_search(instance, colors, alike, np.int64(reads), table, (stack, nexts, tops)))


@njit(cache=True, nogil=True)
def _search(instance: Any, colors: Any, alike: bool, reads: Any, table: Any, choices: Any) -> Any:
    """The search of `search_all`; of `stack`, `nexts` and `tops` only the first top is there."""
    n, k = colors.size, instance.room.size
    stack, nexts, tops = choices
    free, depth, read = stack.size - 1, 0, 0
    stack[0], nexts[0] = tightest(colors, table.left), 0
    while depth >= 0:
        if depth == free:
            return FOUND
        if read > reads:
            return UNKNOWN
        v = stack[depth]
        if colors[v] >= 0:
            read += change(instance, v, colors[v], table, -1)
            colors[v] = -1
        c, end = nexts[depth], min(k, tops[depth] + 2) if alike else k
        while c < end and table.seen[v, c] > 0:
            c += 1
        read += n + k
        if c >= end:
            depth -= 1
            continue
        colors[v] = c
        read += change(instance, v, c, table, 1)
        nexts[depth] = c + 1
        tops[depth + 1] = c if c > tops[depth] else tops[depth]
        depth += 1
        stack[depth], nexts[depth] = tightest(colors, table.left), 0
    return NONE_EXISTS


@njit(cache=True, nogil=True)
def _begin(instance: Any, colors: Any, seen: Any) -> None:
    """How often each vertex sees each color, by its neighbors and its list."""
    k = seen.shape[1]
    for v in range(colors.size):
        for e in range(instance.indptr[v], instance.indptr[v + 1]):
            c = colors[instance.indices[e]]
            if 0 <= c < k:
                seen[v, c] += 1
        for j in range(instance.offsets[v], instance.offsets[v + 1]):
            if instance.forbidden[j] < k:
                seen[v, instance.forbidden[j]] += 1


@njit(cache=True, nogil=True)
def change(instance: Any, v: Any, c: Any, table: Any, by: Any) -> Any:
    """Vertex v enters class c (1) or leaves it (−1): its neighbors see that, and all others the room; the steps."""
    indptr, indices, room, weights = instance.indptr, instance.indices, instance.room, instance.weights
    seen, left, extra = table
    for e in range(indptr[v], indptr[v + ONE32]):
        see(indices[e], c, seen, left, by)
    before, more = room[c], extra[0] > 0
    room[c] -= by * weights[v]
    extra[0] += (before < 0) - np.int64(room[c] < 0)
    now, steps = extra[0] > 0, np.int64(indptr[v + ONE32] - indptr[v])
    for d in range(room.size):
        old = before if d == c else room[d]
        if old + more == room[d] + now:
            continue
        steps += weights.size
        for u in range(weights.size):
            closed, was = room[d] + now < weights[u], old + more < weights[u]
            if closed != was:
                see(u, d, seen, left, 1 if closed else -1)
    return steps


@njit(cache=True, nogil=True)
def see(u: Any, c: Any, seen: Any, left: Any, by: Any) -> None:
    """Vertex u sees color c once more (1), or once less (−1)."""
    left[u] -= seen[u, c] == 0
    seen[u, c] += by
    left[u] += seen[u, c] == 0


@njit(cache=True, nogil=True)
def tightest(colors: Any, left: Any) -> Any:
    """The vertex without a color that has the fewest left, the first of several; 0 where all have one."""
    best, fewest = np.uint32(0), np.int64(2**31)
    for v in range(colors.size):
        if colors[v] < 0 and left[v] < fewest:
            best, fewest = np.uint32(v), np.int64(left[v])
    return best
