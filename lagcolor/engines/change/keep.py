"""Repair of a coloring with few changes: of each conflicting pair one vertex gets another color.

The vertices to change are a vertex cover of the conflicting pairs: greedily those with the most pairs; then redundant
vertices are removed. They get the least color that no neighbor has, in the order of ids.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device.compiled import njit
from ...graph.nets import Structure, csr
from .incremental import BY_PLACE, ROWS_BLOCK, Change, Neighbors, Turns, first_fit_again, kernels, members_at, nets_of

PAIRS = 4096  # initial capacity for conflicting pairs


def keep(H: Structure, colors: Any, vertices: Any = None) -> tuple[Any, Any]:
    """Repair the colors, perhaps in place; return them and the vertices (int32) that got a new color."""
    xp = H.xp
    with dev.using(H.indices):
        chosen = xp.asarray(np.array(cover(conflicts(H, colors, vertices)), np.int32))
        active = xp.sort(xp.concatenate([chosen, xp.flatnonzero(colors < 0).astype(np.int32)]))
        colors[active] = -1
        place = xp.zeros(H.n, np.int32)  # all other vertices are earlier
        place[active] = xp.arange(1, len(active) + 1, dtype=np.int32)
        turns = Turns(BY_PLACE, np.uint32(0), place)
        return first_fit_again(H, turns, Change(colors, active), share=None).colors, active


def cover(pairs: np.ndarray) -> list[int]:
    """Return a small vertex cover of the pairs: vertices with most pairs first, ties by largest id."""
    near: dict[int, set[int]] = defaultdict(set)
    for a, b in pairs.tolist():
        near[a].add(b)
        near[b].add(a)
    left = {v: len(others) for v, others in near.items()}
    heap = [(-count, -v) for v, count in left.items()]
    heapq.heapify(heap)
    chosen: dict[int, None] = {}
    while heap:
        count, v = heapq.heappop(heap)
        v = -v
        if v in chosen or left[v] == 0:
            continue
        if -count != left[v]:
            heapq.heappush(heap, (-left[v], -v))
            continue
        chosen[v] = None
        for u in near[v]:
            left[u] -= 1
    for v in list(chosen):
        if all(u in chosen for u in near[v]):
            del chosen[v]
    return sorted(chosen)


def conflicts(H: Structure, colors: Any, vertices: Any) -> np.ndarray:
    """Return conflicting pairs with one of `vertices` (None: all), some twice: int32, shape (pairs, 2)."""
    xp, n, size = H.xp, H.n if vertices is None else len(vertices), PAIRS
    while n:
        pairs = xp.empty((size, 2), np.int32)
        if H.on_gpu:  # a group of threads for each vertex
            count = xp.zeros(1, np.uint32)
            args = (np.int64(n), 0 if vertices is None else vertices, *csr(H, 0), colors, np.uint32(size), pairs, count)
            kernels(H).launch("conflicts", n * 32, *args, block=ROWS_BLOCK)
            found = int(count[0])
        else:
            every = np.arange(n, dtype=np.int32) if vertices is None else vertices
            found = pairs_of_one_color(Neighbors.of(H), colors, every, vertices is None, pairs)
        if found <= size:
            return dev.to_device(pairs[:found], "cpu")
        size = found
    return np.empty((0, 2), np.int32)


@njit(cache=True, nogil=True)
def pairs_of_one_color(a: Any, colors: Any, vertices: Any, each: Any, out: Any) -> Any:
    """Count conflicting pairs with one of `vertices`; `each`: every pair once. Store as many as fit in `out`."""
    count = 0
    for v in vertices:
        if colors[v] < 0:
            continue
        start, end = nets_of(v, a)
        for i in range(start, end):
            first, last = members_at(v, i, end, a)
            for e in range(first, last):
                u = a.member[e]
                if u == v or colors[u] != colors[v] or (each and u < v):
                    continue
                if count < out.shape[0]:
                    out[count, 0], out[count, 1] = v, u
                count += 1
    return count
