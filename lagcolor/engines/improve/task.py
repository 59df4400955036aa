"""Ejections with rules: fixed vertices, lists, and capacities of classes.

`ejections_cpu.py` calls these functions. If the task is None, numba compiles no code for them. A vertex does not take a
color that its list or a fixed neighbor bars. If a class is full, its oldest vertices are ejected, too. One thread does
all rounds.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...base.device.compiled import inner, njit

ONE, ONE32 = np.uint64(1), np.uint32(1)
BARRED = np.uint32(2**32 - 1)  # as a cost


class EjectionTask(NamedTuple):
    """Rules (`lists.Instance`), and the arrays that rounds change."""

    rules: Any
    tight: bool  # whether capacities count
    any_fixed: bool  # whether any vertex is fixed
    best: Any  # coloring with the fewest uncolored vertices
    freed: Any  # per code: total weight of the neighbors that have it
    # doubly linked lists of the free vertices of each color: links per vertex, ends per color
    newer: Any
    older: Any
    newest: Any
    oldest: Any


@inner()
def restrict(task: Any, w: Any, v: Any, k: Any) -> Any:
    """Bar colors to v, and add the cost of freeing capacity to the others; return the number of entries read."""
    if task is None:
        return np.int64(0)
    cost, low, begin, end = w.cost, (ONE << w.half) - ONE, w.indptr[v], w.indptr[v + ONE32]
    if task.tight:
        task.freed[:] = 0
    for e in range(begin, end if task.tight or task.any_fixed else begin):
        u = w.indices[e]
        code = np.uint64(w.state[u]) & low
        if task.rules.fixed[u]:
            cost[code] = BARRED
        elif task.tight and code > 0:
            task.freed[code] += task.rules.weights[u]
            w.wish[u] = -2 - np.int64(v)  # marks a neighbor of v for `count_capacity`; u has a color, hence no wish
    offsets = task.rules.offsets
    for j in range(offsets[v], offsets[v + ONE32]):
        if task.rules.forbidden[j] < k:
            cost[task.rules.forbidden[j] + 1] = BARRED
    read = np.int64(offsets[v + ONE32] - offsets[v])
    for c in range(k if task.tight else 0):
        if cost[c + 1] != BARRED:
            read += count_capacity(task, w, v, c)
    return read


@inner()
def count_capacity(task: Any, w: Any, v: Any, c: Any) -> Any:
    """Add the cost of ejecting the oldest vertices of a class that are not neighbors of v; return the steps."""
    weights, steps, total, u = task.rules.weights, 0, np.int64(w.cost[c + 1]), task.oldest[c]
    lacking = weights[v] - task.rules.spare[c] - task.freed[c + 1]
    while u >= 0 and lacking > 0:
        steps += 1
        if w.wish[u] != -2 - np.int64(v):
            lacking -= weights[u]
            total += np.int64(np.uint64(w.state[u]) >> w.half)
        u = task.newer[u]
    w.cost[c + 1] = BARRED if lacking > 0 else np.uint32(min(total, np.int64(BARRED) - 1))
    return steps


@njit(cache=True, nogil=True)
def link_all(task: Any, colors: Any) -> None:
    """Fill the empty lists of the free vertices of each color."""
    for v in range(colors.size if task.tight else 0):
        if 0 <= colors[v] < task.newest.size and not task.rules.fixed[v]:
            link(task, v, colors[v])


@inner()
def link(task: Any, v: Any, c: Any) -> None:
    """Add v to class c as its newest vertex."""
    task.newer[v], task.older[v] = -1, task.newest[c]
    if task.newest[c] >= 0:
        task.newer[task.newest[c]] = v
    else:
        task.oldest[c] = v
    task.newest[c] = v


@inner()
def leave(task: Any, u: Any, code: Any) -> None:
    """Remove u from the class of its former color."""
    if task is None:
        return
    c = np.int64(code) - 1
    task.rules.spare[c] += task.rules.weights[u]
    if not task.tight:
        return
    newer, older = task.newer[u], task.older[u]
    if newer >= 0:
        task.older[newer] = older
    else:
        task.newest[c] = older
    if older >= 0:
        task.newer[older] = newer
    else:
        task.oldest[c] = newer


@inner()
def keep(task: Any, w: Any) -> Any:
    """Save the present colors as the best; return the work."""
    if task is None:
        return np.int64(0)
    low = (ONE << w.half) - ONE
    for v in range(task.best.size):
        if not task.rules.fixed[v]:
            task.best[v] = np.int64(np.uint64(w.state[v]) & low) - 1
    return np.int64(task.best.size >> 3)
