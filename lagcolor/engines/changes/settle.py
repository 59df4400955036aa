"""First-fit again where a change makes it necessary, on a CPU: vertices in their order, from a heap.

First-fit in an order is the only coloring in which each vertex has the least color that no earlier neighbor has. So
only a vertex whose row changed, or one of whose earlier neighbors got another color, can be wrong. The heap has those,
the earliest first: when a vertex is taken all earlier ones are right, so that each is colored once. Of the later
neighbors of a vertex whose color goes from a to b those are affected that have b, or a color over a.

==========  =============================================================
nets, net   CSR of a graph, or of vertices and nets
members, …  the same of nets and vertices, or None
closed      net v has vertex v as well
==========  =============================================================
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any

import numpy as np

from ...device.bits import mix32
from ...device.compiled import njit
from ...device.intrinsics import ctz64
from ...graph import Graph
from .cuda import settle_on_gpu
from .turns import BY_HASH, BY_PLACE, Turns

WORD = np.uint64(64)
ZERO, SHIFT = np.uint64(0), np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)


def settle(
    H: Any, turns: Turns, colors: Any, vertices: Any, most: int, free: int | None = None
) -> tuple[int, int] | None:
    """Make colors those of first-fit again, in place; the vertices visited, and the rounds that took.

    Parameters
    ----------
    H : Graph or Hops
    turns : Turns
    colors : array of int32, shape (n,)
        First-fit's but for what follows from `vertices`; −1 for a vertex that has none.
    vertices : array of int32
        Those whose neighborhoods changed, none twice.
    most : int
        Visits after which to give up.
    free : int, optional
        Vertices from here on keep their colors; None: no vertex does.

    Returns
    -------
    pair of int, or None
        None: given up; the colors mean nothing.
    """
    free = H.n if free is None else free
    if H.on_gpu:
        return settle_on_gpu(H, turns, colors, vertices, most, free)
    visited = from_heap(*arrays(H), *turns, colors, vertices, most, free)
    return None if visited < 0 else (visited, 1)


def arrays(H: Any) -> tuple[Any, Any, Any, Any, bool]:
    """A graph or vertices and nets as the loops take them."""
    if isinstance(H, Graph):
        return H.indptr, H.indices, None, None, False
    return H.nets.indptr, H.nets.indices, H.members.indptr, H.members.indices, H.closed


@njit(cache=True, nogil=True, inner=True)
def turn_of(v: Any, kind: Any, word: Any, place: Any) -> Any:
    """A number that is smaller for an earlier vertex; its low half is the vertex."""
    first = np.uint64(v)
    if kind == BY_HASH:
        first = LOW - mix32(np.uint32(v) ^ word)
    elif kind == BY_PLACE:
        first = np.uint64(place[v])
    return first << SHIFT | np.uint64(v)


@njit(cache=True, nogil=True)
def around(v: Any, nets: Any, net: Any, members: Any, member: Any, closed: Any, room: Any) -> Any:
    """All that constrain v, v itself and some twice among them: (how many, an array that begins with them)."""
    count = 0
    if members is None:
        size = nets[v + 1] - nets[v]
        if size > room.size:
            room = np.empty(2 * size, np.int32)
        for e in range(nets[v], nets[v + 1]):
            room[count] = net[e]
            count += 1
        return count, room
    own = 1 if closed else 0
    for i in range(nets[v + 1] - nets[v] + own):
        a = np.int64(v) if i == nets[v + 1] - nets[v] else np.int64(net[nets[v] + i])
        if count + members[a + 1] - members[a] + 1 > room.size:
            larger = np.empty(2 * (count + members[a + 1] - members[a] + 1), np.int32)
            for i in range(count):
                larger[i] = room[i]
            room = larger
        for e in range(members[a], members[a + 1]):
            room[count] = member[e]
            count += 1
        if closed:
            room[count] = a
            count += 1
    return count, room


@njit(cache=True, nogil=True)
def from_heap(
    nets: Any, net: Any, members: Any, member: Any, closed: Any, kind: Any, word: Any, place: Any, colors: Any,
    vertices: Any, most: Any, free: Any,
) -> Any:  # fmt: skip
    """Vertices in their order until no more is affected: how many that were, or −1 where they are more than `most`."""
    heap = [ZERO for _ in range(0)]
    for v in vertices:
        heappush(heap, turn_of(np.int64(v), kind, word, place))  # a sort takes seconds to compile
    room, visited, last = np.empty(64, np.int32), 0, ~ZERO
    while len(heap):
        mine = heappop(heap)
        if mine == last:
            continue
        if visited == most:
            return -1
        last = mine
        visited += 1
        v = np.int64(mine & LOW)
        count, room = around(v, nets, net, members, member, closed, room)
        old, new = np.int64(colors[v]), np.int64(least(room, count, mine, kind, word, place, colors))
        if old == new:
            continue
        colors[v] = new
        for i in range(count):
            u = np.int64(room[i])
            c = np.int64(colors[u])
            if u < free and u != v and (c == new or (c > old and old >= 0) or c < 0):
                turn = turn_of(u, kind, word, place)
                if turn > mine:
                    heappush(heap, turn)
    return visited


@njit(cache=True, nogil=True)
def least(room: Any, count: Any, mine: Any, kind: Any, word: Any, place: Any, colors: Any) -> Any:
    """The least color that none of the first `count` of `room` has that are earlier."""
    base = np.int64(0)
    while True:
        mask = ZERO
        for i in range(count):
            u = np.int64(room[i])
            k = np.uint64(np.int64(colors[u]) - base)
            if k < WORD and turn_of(u, kind, word, place) < mine:
                mask |= np.uint64(1) << k
        if ~mask != ZERO:
            return base + np.int64(ctz64(~mask))
        base += np.int64(64)
