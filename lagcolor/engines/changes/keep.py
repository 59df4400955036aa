"""A proper coloring again with few changes: of each pair of one color one vertex gets another color.

Vertices to change are a cover of the edges between vertices of one color: those with the most such edges first, and
then none whose edges others cover. They get the least color that no neighbor has, in the order of their ids.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from typing import Any

import numpy as np

from ... import device as dev
from ...core.nets import Structure, csr
from ...core.task import Task
from ...device.compiled import njit
from ..greedy.tasks import first_fit_task
from .cuda import conflicts_on_gpu
from .settle import ROOM, around, least
from .turns import BY_ID


def keep(H: Structure, colors: Any, vertices: Any = None) -> Any:
    """Make colors proper again, in place; the vertices (int32) that got another color, or their first."""
    xp = H.xp
    with dev.using(H.indices):
        pairs = conflicts_on_gpu(H, colors, vertices) if H.on_gpu else _conflicts(H, colors, vertices)
        chosen = xp.asarray(np.array(cover(pairs), np.int32))
        active = xp.concatenate([chosen, xp.flatnonzero(colors < 0).astype(np.int32)])
        if len(active):
            _color(H, colors, xp.sort(active))
        return active


def cover(pairs: np.ndarray) -> list[int]:
    """Vertices of which each pair has one, few of them: those of most pairs first, and of equal ones the largest id."""
    near: dict[int, set[int]] = defaultdict(set)
    for a, b in pairs.tolist():
        near[a].add(b)
        near[b].add(a)
    left = {v: len(around) for v, around in near.items()}
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


def _conflicts(H: Structure, colors: np.ndarray, vertices: Any) -> np.ndarray:
    arrays = csr(H)
    every = np.arange(H.n, dtype=np.int32) if vertices is None else vertices
    room, pairs, count, begin = np.empty(ROOM, np.int32), np.empty((ROOM, 2), np.int32), 0, 0
    while begin < len(every):
        begin, count, needs = pairs_of_one_color(*arrays, colors, every, vertices is None, begin, room, pairs, count)
        if needs > len(room):
            room = np.empty(2 * needs, np.int32)
        if count + needs > len(pairs):
            pairs = np.concatenate([pairs, np.empty((len(pairs) + needs, 2), np.int32)])
    return pairs[:count]


@njit(cache=True, nogil=True)
def pairs_of_one_color(
    nets: Any, net: Any, members: Any, member: Any, closed: Any, colors: Any, vertices: Any, each: Any, begin: Any,
    room: Any, out: Any, count: Any,
) -> Any:  # fmt: skip
    """Pairs of one color with a vertex of `vertices`; `each`: these are all, and the smaller id tells of a pair.

    Goes on from position `begin` and pair `count`; returns where it is, and how many places it must find to go on.
    """
    for k in range(begin, vertices.size):
        v = vertices[k]
        if colors[v] < 0:
            continue
        size = around(np.int64(v), nets, net, members, member, closed, room)
        if size > room.size or count + size > out.shape[0]:
            return k, count, size
        for i in range(size):
            u = room[i]
            if u == v or colors[u] != colors[v] or (each and u < v):
                continue
            out[count, 0], out[count, 1] = v, u
            count += 1
    return vertices.size, count, np.int64(0)


def _color(H: Any, colors: Any, active: Any) -> None:
    """First-fit of the active vertices around the others, in place."""
    if H.hops == 1:
        colors[:] = first_fit_task(H, Task(active=active, fixed=colors))
        return
    host, rows = (H.on("cpu") if H.on_gpu else H), dev.to_device(colors, "cpu")
    rows = rows if H.on_gpu else colors
    rows[dev.to_device(active, "cpu")] = -1
    active, room, begin = dev.to_device(active, "cpu"), np.empty(ROOM, np.int32), 0
    while begin < len(active):
        begin, needs = _first_fit(*csr(host), rows, active, begin, room, np.empty(0, np.int32))
        room = np.empty(2 * needs, np.int32)
    if H.on_gpu:
        colors[:] = H.xp.asarray(rows)


@njit(cache=True, nogil=True)
def _first_fit(
    nets: Any, net: Any, members: Any, member: Any, closed: Any, colors: Any, active: Any, begin: Any, room: Any,
    none: Any,
) -> Any:  # fmt: skip
    """The least color that no vertex around has, for each in turn; where it stopped for lack of room, and how much."""
    last = ~np.uint64(0)
    for k in range(begin, active.size):
        v = np.int64(active[k])
        count = around(v, nets, net, members, member, closed, room)
        if count > room.size:
            return k, count
        colors[v] = least(room, count, last, BY_ID, np.uint32(0), none, colors)
    return active.size, np.int64(0)
