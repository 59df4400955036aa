"""What rules add to rounds of ejections: fixed vertices, lists, and what a class may weigh.

`ejections_cpu.py` calls these functions. For a task of None numba leaves them out. A vertex does not take a color that
its list or a fixed neighbor bars. If a class is full, the vertices that have been in it the longest are ejected, too.
One thread has all rounds.

==============  ========================================================================================================
best            colors of the fewest vertices without one
any_fixed       whether there are fixed vertices
freed           per code: what the neighbors that have it weigh
newer … oldest  of capacities: doubly linked lists of the free vertices of each color; else empty
==============  ========================================================================================================
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...base.device.compiled import njit

ONE, ONE32 = np.uint64(1), np.uint32(1)
BARRED = np.uint32(2**32 - 1)  # as a cost


class EjectionTask(NamedTuple):
    """`fixed` to `room` as of `lists.Instance`; the others as above."""

    any_fixed: bool
    fixed: Any
    offsets: Any
    forbidden: Any
    weights: Any
    room: Any
    best: Any
    freed: Any
    newer: Any
    older: Any
    newest: Any
    oldest: Any


@njit(cache=True, nogil=True)
def link_all(task: Any, colors: Any) -> None:
    """Fill the lists of the free vertices of each color, which are empty."""
    for v in range(colors.size if task.newest.size else 0):
        if 0 <= colors[v] < task.newest.size and not task.fixed[v]:
            link(task, v, colors[v])


@njit(cache=True, nogil=True)
def link(task: Any, v: Any, c: Any) -> None:
    """Put v in front of class c."""
    task.newer[v], task.older[v] = -1, task.newest[c]
    if task.newest[c] >= 0:
        task.newer[task.newest[c]] = v
    else:
        task.oldest[c] = v
    task.newest[c] = v


@njit(cache=True, nogil=True)
def unlink(task: Any, v: Any, c: Any) -> None:
    """Take v out of class c."""
    newer, older = task.newer[v], task.older[v]
    if newer >= 0:
        task.older[newer] = older
    else:
        task.newest[c] = older
    if older >= 0:
        task.newer[older] = newer
    else:
        task.oldest[c] = newer


@njit(cache=True, nogil=True)
def restrict(task: Any, w: Any, v: Any, k: Any) -> Any:
    """Bar colors to v, and add what it costs to free capacity; returns how many other entries were read."""
    if task is None:
        return np.int64(0)
    cost, low, tight = w.cost, (ONE << w.half) - ONE, task.newest.size > 0
    if tight:
        task.freed[:] = 0
    for e in range(w.indptr[v], w.indptr[v + ONE32] if tight or task.any_fixed else w.indptr[v]):
        u = w.indices[e]
        code = np.uint64(w.state[u]) & low
        if task.fixed[u]:
            cost[code] = BARRED
        elif tight:
            task.freed[code] += task.weights[u]
    for j in range(task.offsets[v], task.offsets[v + ONE32]):
        if task.forbidden[j] < k:
            cost[task.forbidden[j] + 1] = BARRED
    read = np.int64(task.offsets[v + ONE32] - task.offsets[v])
    for c in range(k if tight else 0):
        if cost[c + 1] != BARRED:
            read += count_room(task, w, v, c)
    return read


@njit(cache=True, nogil=True)
def count_room(task: Any, w: Any, v: Any, c: Any) -> Any:
    """Add the cost of ejecting the oldest vertices of a class that are no neighbors of v; returns the steps."""
    steps, total, u = 0, np.int64(w.cost[c + 1]), task.oldest[c]
    lacking = task.weights[v] - task.room[c] - task.freed[c + 1]
    while u >= 0 and lacking > 0:
        steps += 1
        if not beside(w.indptr, w.indices, v, u):
            lacking -= task.weights[u]
            total += np.int64(np.uint64(w.state[u]) >> w.half)
        u = task.newer[u]
    w.cost[c + 1] = BARRED if lacking > 0 else np.uint32(min(total, np.int64(BARRED) - 1))
    return steps


@njit(cache=True, nogil=True)
def beside(indptr: Any, indices: Any, v: Any, u: Any) -> Any:
    """Whether u is in the row of v, which is sorted."""
    low, high = np.int64(indptr[v]), np.int64(indptr[v + ONE32])
    while low < high:
        middle = (low + high) >> 1
        if np.int64(indices[middle]) < u:
            low = middle + 1
        else:
            high = middle
    return low < np.int64(indptr[v + ONE32]) and np.int64(indices[low]) == u


@njit(cache=True, nogil=True)
def fits(task: Any, v: Any, code: Any) -> Any:
    """Whether v fits into a class without ejecting others than its neighbors."""
    if task is None:
        return True
    return task.newest.size == 0 or task.room[code - ONE] >= task.weights[v]


@njit(cache=True, nogil=True)
def enter(task: Any, v: Any, code: Any) -> None:
    """Vertex v takes a color."""
    if task is not None:
        c = np.int64(code) - 1
        task.room[c] -= task.weights[v]
        if task.newest.size > 0:
            link(task, v, c)


@njit(cache=True, nogil=True)
def leave(task: Any, u: Any, code: Any) -> None:
    """Vertex u loses its color."""
    if task is not None:
        c = np.int64(code) - 1
        task.room[c] += task.weights[u]
        if task.newest.size > 0:
            unlink(task, u, c)


@njit(cache=True, nogil=True)
def keep(task: Any, w: Any) -> Any:
    """The colors are the best; returns the work."""
    if task is None:
        return np.int64(0)
    low = (ONE << w.half) - ONE
    for v in range(task.best.size):
        if not task.fixed[v]:
            task.best[v] = np.int64(np.uint64(w.state[v]) & low) - 1
    return np.int64(task.best.size >> 3)
