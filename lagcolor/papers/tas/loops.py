"""The loops of Taş, Kaya and Saule's rounds: what one thread does, in chunks that all of them take in turn.

`hops` are the rows of vertices, the rows of nets, and whether these are closed: then net e has vertex e as well.
`of_nets` are the latter two. Colors are read and written by relaxed atomics while other threads give some.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device.compiled import njit
from ...device.intrinsics import fetch_add, load_relaxed, store_relaxed
from ...device.pool import on_all

CHUNK = 64
FIRST_FIT, B1, B2 = 0, 1, 2
ZERO, ONE = np.uint64(0), np.uint32(1)
LARGEST, NEXT = 0, 1  # what a thread keeps for B1 and B2: its largest color, and where B2 goes on


@njit(cache=True, nogil=True)
def most_near(nets: Any, net: Any, members: Any, closed: bool) -> Any:
    """The largest sum, over the nets of a vertex, of the other vertices in them."""
    most = np.int64(0)
    for v in range(np.uint32(nets.size - 1)):
        near = np.int64(members[v + ONE] - members[v]) if closed else np.int64(0)
        for e in range(nets[v], nets[v + ONE]):
            near += np.int64(members[net[e] + ONE] - members[net[e]]) - (0 if closed else 1)
        if near > most:
            most = near
    return most


@njit(cache=True, nogil=True)
def color_vertices(t: Any, shared: Any, work: Any, hops: Any, colors: Any, room: Any, choose: Any) -> None:
    """Each vertex of `work` takes a color that none in its nets is seen to have; `room` is for their marks."""
    (nets, net), (members, member), closed = hops
    seen, own = np.zeros(room, np.uint32), np.zeros(2, np.int64)
    while True:
        begin = fetch_add(shared, ZERO, CHUNK)
        if begin >= work.size:
            return
        for i in range(np.uint64(begin), np.uint64(min(begin + CHUNK, work.size))):
            v = work[i]
            if closed:
                mark_net(v, v, members, member, True, colors, seen)
            for e in range(nets[v], nets[v + ONE]):
                mark_net(net[e], v, members, member, closed, colors, seen)
            store_relaxed(colors, np.uint64(v), np.int32(chosen(seen, v, choose, own)))


@njit(cache=True, nogil=True, inline="always")
def mark_net(e: Any, v: Any, members: Any, member: Any, closed: bool, colors: Any, seen: Any) -> None:
    """Mark the colors of a net's vertices, but for v, as seen by v."""
    if closed and e != v:
        c = load_relaxed(colors, np.uint64(e))
        if c >= 0:
            seen[c] = v + ONE
    for f in range(members[e], members[e + ONE]):
        u = member[f]
        c = load_relaxed(colors, np.uint64(u))
        if u != v and c >= 0:
            seen[c] = v + ONE


@njit(cache=True, nogil=True)
def chosen(seen: Any, v: Any, choose: Any, own: Any) -> Any:
    """A color that v has not seen, and what the thread keeps of it."""
    if choose == B1 and v % np.uint32(2) == 0:
        c = own[LARGEST]
        while c >= 0 and seen[c] == v + ONE:
            c -= 1
        if c < 0:
            c = least(seen, v, own[LARGEST] + 1)
    elif choose == B2:
        c = least(seen, v, own[NEXT])
        if c > own[LARGEST]:
            c = least(seen, v, 0)
    else:
        c = least(seen, v, 0)
    if c > own[LARGEST]:
        own[LARGEST] = c
    third = own[LARGEST] // np.int64(3) + 1
    own[NEXT] = c + 1 if c < third else third
    return c


@njit(cache=True, nogil=True, inline="always")
def least(seen: Any, v: Any, first: Any) -> Any:
    """The least color from `first` on that v has not seen; the bitmap has one more than it can see."""
    c = np.int64(first)
    while c < seen.size and seen[c] == v + ONE:
        c += 1
    return c


@njit(cache=True, nogil=True)
def color_nets(t: Any, shared: Any, count: Any, of_nets: Any, colors: Any, room: Any, largest: Any) -> None:
    """Each net colors its vertices that have no color, or one it has seen, with the largest it has not seen."""
    (members, member), closed = of_nets
    seen, again = np.zeros(room, np.uint32), np.empty(largest, np.uint32)
    while True:
        begin = fetch_add(shared, ZERO, CHUNK)
        if begin >= count:
            return
        for e in range(np.uint32(begin), np.uint32(min(begin + CHUNK, count))):
            first, stop = np.int64(members[e]) - closed, np.int64(members[e + ONE])
            left = 0
            for f in range(first, stop):
                u = e if f < np.int64(members[e]) else member[f]
                c = load_relaxed(colors, np.uint64(u))
                if c >= 0 and seen[c] != e + ONE:
                    seen[c] = e + ONE
                else:
                    again[left] = u
                    left += 1
            c = stop - first - 1
            for k in range(left):
                while seen[c] == e + ONE:  # ends: fewer colors below the size are seen than vertices have kept theirs
                    c -= 1
                store_relaxed(colors, np.uint64(again[k]), np.int32(c))
                c -= 1


@njit(cache=True, nogil=True)
def find_in_vertices(t: Any, shared: Any, work: Any, hops: Any, colors: Any, lost: Any) -> None:
    """Which of `work` have the color of a vertex of smaller id in one of their nets; no color changes meanwhile."""
    (nets, net), (members, member), closed = hops
    while True:
        begin = fetch_add(shared, ZERO, CHUNK)
        if begin >= work.size:
            return
        for i in range(np.uint64(begin), np.uint64(min(begin + CHUNK, work.size))):
            v = work[i]
            lost[i] = closed and in_net(v, v, members, member, True, colors)
            e = nets[v]
            while e < nets[v + ONE] and not lost[i]:
                lost[i] = in_net(net[e], v, members, member, closed, colors)
                e += ONE


@njit(cache=True, nogil=True, inline="always")
def in_net(e: Any, v: Any, members: Any, member: Any, closed: bool, colors: Any) -> Any:
    """Whether a vertex of a net has the color of v and a smaller id."""
    found = closed and e < v and colors[e] == colors[v]
    f = members[e]
    while f < members[e + ONE] and member[f] < v and not found:  # rows rise
        found = colors[member[f]] == colors[v]
        f += ONE
    return found


@njit(cache=True, nogil=True)
def clear_in_nets(t: Any, shared: Any, count: Any, of_nets: Any, colors: Any, room: Any) -> None:
    """Each net takes away colors that it has seen before."""
    (members, member), closed = of_nets
    seen = np.zeros(room, np.uint32)
    while True:
        begin = fetch_add(shared, ZERO, CHUNK)
        if begin >= count:
            return
        for e in range(np.uint32(begin), np.uint32(min(begin + CHUNK, count))):
            for f in range(np.int64(members[e]) - closed, np.int64(members[e + ONE])):
                u = np.uint64(e if f < np.int64(members[e]) else member[f])
                c = load_relaxed(colors, u)
                if c < 0:
                    continue
                if seen[c] == e + ONE:
                    store_relaxed(colors, u, np.int32(-1))
                seen[c] = e + ONE


@njit(cache=True, nogil=True)
def color_vertices_on_all(team: Any, *args: Any) -> Any:
    """`color_vertices` on a team of pool.py."""
    return on_all(color_vertices, team, args)


@njit(cache=True, nogil=True)
def color_nets_on_all(team: Any, *args: Any) -> Any:
    """`color_nets` on a team of pool.py."""
    return on_all(color_nets, team, args)


@njit(cache=True, nogil=True)
def find_in_vertices_on_all(team: Any, *args: Any) -> Any:
    """`find_in_vertices` on a team of pool.py."""
    return on_all(find_in_vertices, team, args)


@njit(cache=True, nogil=True)
def clear_in_nets_on_all(team: Any, *args: Any) -> Any:
    """`clear_in_nets` on a team of pool.py."""
    return on_all(clear_in_nets, team, args)
