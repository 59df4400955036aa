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

from typing import Any

import numpy as np

from ...core.nets import Structure, csr
from ...device.bits import mix32
from ...device.compiled import njit
from ...device.heaps import pop, push
from ...device.intrinsics import ctz64
from .cuda import settle_on_gpu
from .turns import BY_HASH, BY_PLACE, Turns

WORD = np.uint64(64)
ZERO, SHIFT = np.uint64(0), np.uint64(32)
ROOM = 64  # of neighbors, at first
PUSHED, FILLED, VISITED, LAST = range(4)  # how far `from_heap` has come
LOW = np.uint64(0xFFFFFFFF)


def settle(H: Structure, turns: Turns, colors: Any, vertices: Any, most: int) -> tuple[int, int] | None:
    """Make colors those of first-fit again, in place; the vertices visited, and the rounds that took."""
    if H.on_gpu:
        return settle_on_gpu(H, turns, colors, vertices, most)
    arrays = csr(H)
    heap, room = np.empty(max(2 * len(vertices), ROOM), np.uint64), np.empty(ROOM, np.int32)
    state = np.array([0, 0, 0, -1])
    while (needs := int(from_heap(*arrays, *turns, colors, vertices, most, heap, room, state))) > 0:
        if needs > len(room):
            room = np.empty(2 * needs, np.int32)
        if state[FILLED] + needs > len(heap):
            heap = np.concatenate([heap, np.empty(len(heap) + needs, np.uint64)])
    return None if needs < 0 else (int(state[VISITED]), 1)


@njit(cache=True, nogil=True)
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
    """How many constrain v, v itself and some twice among them; `room` begins with them, if it has room for all."""
    start, end = np.int64(nets[v]), np.int64(nets[v + 1])
    count = np.int64(0)
    if members is None:
        count = end - start
        if count <= room.size:
            for e in range(start, end):
                room[e - start] = net[e]
        return count
    own = np.int64(1) if closed else np.int64(0)
    for i in range(start, end + own):
        a = np.int64(v) if i == end else np.int64(net[i])
        first, size = np.int64(members[a]), np.int64(members[a + 1] - members[a])
        if count + size + own <= room.size:
            for e in range(size):
                room[count + e] = member[first + e]
            if closed:
                room[count + size] = a
        count += size + own
    return count


@njit(cache=True, nogil=True)
def from_heap(
    nets: Any, net: Any, members: Any, member: Any, closed: Any, kind: Any, word: Any, place: Any, colors: Any,
    vertices: Any, most: Any, heap: Any, room: Any, state: Any,
) -> Any:  # fmt: skip
    """Vertices in their order until no more is affected: 0, or −1 where they are more than `most`.

    Or how many places `room`, or the heap beyond what is in it, must have to go on. Arrays grow in Python, as code that
    makes some takes longest to compile. `state` has how far it has come.
    """
    while state[PUSHED] < vertices.size:
        push(heap, state[FILLED], turn_of(np.int64(vertices[state[PUSHED]]), kind, word, place))
        state[PUSHED] += 1
        state[FILLED] += 1
    while state[FILLED]:
        mine = pop(heap, state[FILLED])
        state[FILLED] -= 1
        if mine == np.uint64(state[LAST]):
            continue
        v = np.int64(mine & LOW)
        count = around(v, nets, net, members, member, closed, room)
        if count > room.size or state[FILLED] + count > heap.size:
            push(heap, state[FILLED], mine)
            state[FILLED] += 1
            return count
        if state[VISITED] == most:
            return -1
        state[LAST] = np.int64(mine)
        state[VISITED] += 1
        old, new = np.int64(colors[v]), np.int64(least(room, count, mine, kind, word, place, colors))
        if old == new:
            continue
        colors[v] = new
        for i in range(count):
            u = np.int64(room[i])
            c = np.int64(colors[u])
            if u != v and (c == new or (c > old and old >= 0) or c < 0):
                turn = turn_of(u, kind, word, place)
                if turn > mine:
                    push(heap, state[FILLED], turn)
                    state[FILLED] += 1
    return 0


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
