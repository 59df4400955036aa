"""Coloring of one more edge with k colors, by fans and alternating paths, on one core.

Edge (u, v) has no color yet. A fan at u begins with v. It grows by neighbors x of u: edge (u, x) has a color that is
free at a member, its parent. The colors of the edges from a member up to v can be shifted by one edge: then the edge of
that member is uncolored. Three cases end the fan:

1. A color is free at u and at a member. The colors are shifted, and the member's edge gets that color.
2. Color a is free at u, d at a member w, and the path from w with edges of colors a, d, a … does not end at u. The two
   colors are exchanged on the path, and a becomes free at w: case 1. The path does not end at a member before w,
   either: d would be free there, and the same path would have been flipped from there.
3. The fan cannot grow, and each such path ends at u.

With Δ + 1 colors case 3 does not occur (Vizing; Misra and Gries): each member has a free color, so two members have one
in common, and at most one of their paths ends at u. In a bipartite graph with Δ colors the path from v does not end at
u (Kőnig): it has an even number of edges if it ends on the side of v.

In case 3 the edge of a random member becomes the uncolored edge, and the next fan is at that member. First the member
gets another free color, by a flip of its path of this color and a random color. Without this flip one or two edges of
regular graphs often remain uncolored.

=========  ===========================================================================
member     vertices of the fan, v first; `edge`: their edges to u; `color`: colors of these
parent     places in `member`; NONE for v
seen       per vertex: number of the last fan that contains it
=========  ===========================================================================

References
----------
Vizing 1964, "On an estimate of the chromatic class of a p-graph"; Kőnig 1916, "Über Graphen und ihre Anwendung auf
Determinantentheorie und Mengenlehre"; Misra, Gries 1992, "A constructive proof of Vizing's theorem".
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...base.device.bits import below
from ...base.device.compiled import inner, njit
from ...base.device.intrinsics import prefetch
from .table import HALF, NONE, ONE, ZERO, Table, common_free, edge_of, next_free, place, put, take

NEAR, FAR = np.uint64(4), np.uint64(12)  # edges between a prefetch and its use: tables, their offsets


class Fan(NamedTuple):
    """Arrays of a fan. `counts`: number of fans and of path edges so far; `random`: state of `below`."""

    member: np.ndarray
    edge: np.ndarray
    color: np.ndarray
    parent: np.ndarray
    seen: np.ndarray
    counts: np.ndarray
    random: np.ndarray

    @classmethod
    def of(cls, n: int, max_degree: int, seed: int) -> Fan:
        """Allocate the arrays."""
        member, edge, color, parent = (np.empty(max_degree + 1, np.uint32) for _ in range(4))
        counts, random = np.zeros(2, np.uint64), np.array([seed], np.uint64)
        return cls(member, edge, color, parent, np.zeros(n, np.uint64), counts, random)


@inner()
def ends_at(table: Table, w: Any, a: Any, d: Any, most: Any, counts: Any) -> Any:
    """Return the last vertex of the path from w with colors a, d, a …; NONE after `most` edges. d is free at w."""
    v, e, length = w, edge_of(table, w, a), ZERO
    while e != NONE and length < most:
        v ^= np.uint64(table.across[e])
        a, d = d, a
        e = edge_of(table, v, a)
        length += ONE
    counts[1] += length
    return v if e == NONE else NONE


@inner()
def flip(table: Table, w: Any, a: Any, d: Any) -> None:
    """Exchange the colors of the path from w with colors a, d, a …; d is free at w, a is not."""
    e = edge_of(table, w, a)
    take(table, w, a)
    put(table, w, d, e)
    v = w
    while True:  # ends: a path does not repeat a vertex
        v ^= np.uint64(table.across[e])
        at = place(table, v, d)
        f = table.slots[at] & NONE
        if f == NONE:
            take(table, v, a)
            put(table, v, d, e)
            return
        table.slots[place(table, v, a)] = a << HALF | f
        table.slots[at] = d << HALF | e
        e, a, d = f, d, a


@inner()
def shift(table: Table, fan: Fan, u: Any, i: Any, c: Any) -> None:
    """Shift colors from member i up to the first member; edge i gets color c (NONE: no color)."""
    while True:  # ends at the first member
        old, w = np.uint64(fan.color[i]), np.uint64(fan.member[i])
        if old != NONE:
            take(table, u, old)
            take(table, w, old)
        if c != NONE:
            put(table, u, c, np.uint64(fan.edge[i]))
            put(table, w, c, np.uint64(fan.edge[i]))
        if fan.parent[i] == NONE:
            return
        c, i = old, np.uint64(fan.parent[i])


@inner()
def grow(table: Table, fan: Fan, u: Any, i: Any, count: Any, k: Any, most: Any) -> Any:
    """Add neighbors of u whose edges have a color that is free at member i; return the new number of members."""
    w = np.uint64(fan.member[i])
    d = next_free(table, w, ZERO, k)
    while d != NONE and count < most:
        f = edge_of(table, u, d)
        x = u ^ np.uint64(table.across[f])
        if fan.seen[x] != fan.counts[0]:
            fan.seen[x] = fan.counts[0]
            fan.member[count], fan.edge[count], fan.color[count], fan.parent[count] = x, f, d, i
            count += ONE
        d = next_free(table, w, d + ONE, k)
    return count


@inner()
def try_fan(table: Table, fan: Fan, u: Any, v: Any, e: Any, k: Any, limits: Any) -> Any:
    """Color edge e = (u, v) by a fan at u; return 0, or the number of members. `limits`: members, path, all paths."""
    most, length, until = limits
    fan.counts[0] += ONE
    fan.counts[1] += ONE
    fan.member[0], fan.edge[0], fan.color[0], fan.parent[0] = v, e, NONE, NONE
    fan.seen[v] = fan.counts[0]
    a = next_free(table, u, ZERO, k)
    i, count = ZERO, ONE
    while i < count and fan.counts[1] < until:
        w = np.uint64(fan.member[i])
        c = common_free(table, u, w, k)
        if c != NONE:
            shift(table, fan, u, i, c)
            return ZERO
        d = next_free(table, w, ZERO, k)
        while d != NONE and fan.counts[1] < until:
            end = ends_at(table, w, a, d, length, fan.counts)
            if end != u and end != NONE:
                flip(table, w, a, d)
                shift(table, fan, u, i, a)
                return ZERO
            d = next_free(table, w, d + ONE, k)
        count = grow(table, fan, u, i, count, k, most)
        i += ONE
    return count


@inner()
def insert(table: Table, fan: Fan, u: Any, v: Any, e: Any, k: Any, limits: Any) -> Any:
    """Color edge e = (u, v), and return NONE or the edge left uncolored. `limits`: members, path, fans, all paths."""
    most, length, fans, until = limits
    c = common_free(table, u, v, k)
    if c != NONE:
        put(table, u, c, e)
        put(table, v, c, e)
        return NONE
    for _ in range(fans):
        count = try_fan(table, fan, u, v, e, k, (most, length, until))
        if count == ZERO:
            return NONE
        if fan.counts[1] >= until:
            break
        i = below(fan.random, count)
        if i != ZERO:
            shift(table, fan, u, i, NONE)
        e, u, v = np.uint64(fan.edge[i]), np.uint64(fan.member[i]), u
        a, b = next_free(table, u, ZERO, k), below(fan.random, k)
        if edge_of(table, u, b) != NONE:
            flip(table, u, b, a)
    return e


@njit(cache=True, nogil=True)
def insert_all(table: Table, fan: Fan, edges: Any, at: Any, k: Any, limits: Any, steps: Any) -> Any:
    """Color the edges of `todo` from place `at` on, until all are done or paths had `steps` more edges.

    `edges`: the ends of all edges, and `todo`. `limits`: members of a fan, edges of a path, fans, and edges that paths
    of the last edge may have beyond `steps`.
    Edges that remain uncolored are moved to the front. Return their number, and the next place.
    """
    (ends, todo), (left, at) = edges, at
    until, (most, length, fans, beyond) = fan.counts[1] + steps, limits
    last = np.uint64(ends.shape[0] - 1)
    while at < todo.size and fan.counts[1] < until:
        far, near = np.uint64(ends[min(at + FAR, last), 1]), np.uint64(ends[min(at + NEAR, last), 1])
        prefetch(table.begin, far)
        prefetch(table.words, far)
        prefetch(table.slots, table.begin[near])
        prefetch(table.used, table.words[near])
        e = np.uint64(todo[at])
        out = insert(
            table, fan, np.uint64(ends[e, 0]), np.uint64(ends[e, 1]), e, k, (most, length, fans, until + beyond)
        )
        if out != NONE:
            todo[left] = out
            left += ONE
        at += ONE
        fan.counts[1] += ONE
    return left, at
