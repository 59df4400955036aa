"""Fewer colors of a star coloring or bicoloring on a CPU: a class gives its color up, and its vertices eject others.

Two vertices with the same color conflict if they are neighbors. They also conflict if they have a common neighbor w
such that either has another neighbor of the color of w, or w is neutral. A coloring without conflicts is a star
coloring, since the first and third vertex of a path of two colors conflict.

A vertex without a color takes the color whose conflicting vertices weigh least. These lose their color and wait. The
weight of a vertex is one more than the number of times that it ejected others. So vertices that are hard to color stay
in place. When none waits, a color is saved.

`beside` holds, for each entry (w, x), the number of neighbors of w with the color of x. It shows in one step whether x
has another neighbor of the color of w. A change of a color updates it in all rows around the vertex.

Progress: the work is limited by the number of entries that are read, and each step counts at least one.

References
----------
Nagata, Bräysy 2009, "A powerful route minimization heuristic for the vehicle routing problem with time windows" (the
weights); Blöchliger, Zufferey 2008, "A graph coloring heuristic using partial solutions and a reactive tabu scheme".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...base.device.bits import below
from ...base.device.compiled import njit
from ...graph.graph import Graph
from .direct import mirror

NEUTRAL, NONE = -1, -2  # colors: on purpose, and of a vertex that waits
AGAIN = 3  # weight of the color that a vertex has just lost
FAR = 1 << 62
SLICE = 1 << 18  # reads of a compiled call
ROW = 3  # reads that the beginning of a row counts as: it is seldom in the cache


class StarState(NamedTuple):
    """The graph and its colors; the vertices under `rows` have colors of their own."""

    indptr: np.ndarray
    indices: np.ndarray
    # `mirror` and `beside`: array, shape (m,): the place of (x, w) for each entry (w, x), and how many neighbors of w
    # have the color of x
    mirror: np.ndarray
    rows: int
    colors: np.ndarray
    beside: np.ndarray
    # `weight`, `lost`, `seen`: array, shape (n,): of each vertex; the color that it lost last; the step that last
    # found it in conflict
    weight: np.ndarray
    lost: np.ndarray
    seen: np.ndarray
    work: np.ndarray  # array of int64, shape (3,): entries read so far, the most, and the number of steps
    random: np.ndarray  # array of uint64, shape (1,)

    @classmethod
    def of(cls, G: Graph, colors: np.ndarray, k: int, rows: int, reads: int, seed: int) -> StarState:
        """Of `k` colors, which it changes in place."""
        beside = np.zeros(G.m, np.int32)
        count_beside(G.indptr, G.indices, colors, np.zeros(k, np.int32), beside)
        return cls(
            G.indptr, G.indices, mirror(G), rows, colors, beside, np.zeros(G.n, np.int32), np.zeros(G.n, np.int32),
            np.zeros(G.n, np.int64), np.array([0, reads, 0]), np.array([seed & (2**64 - 1)], np.uint64),
        )  # fmt: skip


class Palettes(NamedTuple):
    """The colors of each side, and how many; per color: weight of its conflicts, and neighbors of the vertex."""

    colors: np.ndarray
    sizes: np.ndarray
    costs: np.ndarray
    near: np.ndarray


def fewer_stars(
    G: Graph, colors: np.ndarray, rows: int = 0, least: int = 1, reads: int = 0, seed: int = 0,
    goes_on: Callable[[], bool] = lambda: True,
) -> np.ndarray:  # fmt: skip
    """Star colors, at most as many as in `colors` and at least `least`, found while a limited number of entries is
    read.

    The search ends when `goes_on`, which is called between slices of some milliseconds, returns False. Colors of the
    vertices under `rows` come first and belong to no other vertex; −1 is neutral and stays.
    """
    k = int(colors.max(initial=-1)) + 1
    best, colors = colors, colors.copy()
    sides = np.zeros((2, k), np.int32)
    r = int(colors[:rows].max(initial=-1)) + 1 if rows else k
    sides[0, :r], sides[1, : k - r] = np.arange(r), np.arange(r, k)
    palettes = Palettes(sides, np.array([r, k - r]), np.zeros(k, np.int64), np.zeros(k, np.int32))
    state = StarState.of(G, colors, k, rows, reads, seed)
    waiting, work = np.empty(G.n, np.int32), state.work
    while k > least and goes_on() and (count := int(dissolve(state, palettes, waiting))) >= 0:
        while count and work[0] <= work[1] and goes_on():
            count = int(color_again(state, palettes, waiting, count, min(work[0] + SLICE, work[1])))
        if count:
            break
        best, k = colors.copy(), k - 1
    names = np.append(np.arange(len(sides[0])), -1)
    used = np.unique(best[best >= 0])
    names[used] = np.arange(len(used))
    return names[best].astype(np.int32)


@njit(cache=True, nogil=True)
def count_beside(indptr: Any, indices: Any, colors: Any, number: Any, beside: Any) -> None:
    """Fill `beside`; `number` has a zero for each color, before and after."""
    for w in range(colors.size):
        for e in range(indptr[w], indptr[w + 1]):
            if colors[indices[e]] >= 0:
                number[colors[indices[e]]] += 1
        for e in range(indptr[w], indptr[w + 1]):
            if colors[indices[e]] >= 0:
                beside[e] = number[colors[indices[e]]]
        for e in range(indptr[w], indptr[w + 1]):
            if colors[indices[e]] >= 0:
                number[colors[indices[e]]] = 0


@njit(cache=True, nogil=True)
def dissolve(state: Any, palettes: Any, waiting: Any) -> Any:
    """Dissolve the smallest class; returns how many vertices are then `waiting` for other colors, −1 for no class."""
    colors = state.colors
    sizes = np.zeros(palettes.costs.size, np.int64)
    for v in range(colors.size):
        if colors[v] >= 0:
            sizes[colors[v]] += 1
    smallest: Any = np.int64(FAR)
    side, place = 0, 0
    for s in range(2):
        for i in range(palettes.sizes[s]):
            if sizes[palettes.colors[s, i]] < smallest and (palettes.sizes[s] > 1 or sizes[palettes.colors[s, i]] == 0):
                smallest, side, place = sizes[palettes.colors[s, i]], s, i
    if smallest == FAR:
        return -1
    color = palettes.colors[side, place]
    palettes.sizes[side] -= 1
    palettes.colors[side, place] = palettes.colors[side, palettes.sizes[side]]
    count = 0
    for v in range(colors.size):
        state.weight[v], state.lost[v] = 1, NONE
        if colors[v] == color:
            uncolor(state, v)
            waiting[count] = v
            count += 1
    return count


@njit(cache=True, nogil=True)
def color_again(state: Any, palettes: Any, waiting: Any, count: Any, most: Any) -> Any:
    """Color waiting vertices until none is left, or over `most` entries are read in all; returns how many are left."""
    while count and state.work[0] <= most:
        one = np.int64(below(state.random, count))
        v = waiting[one]
        count -= 1
        waiting[one] = waiting[count]
        color = cheapest(state, palettes, v)
        if palettes.costs[color]:
            state.weight[v] += 1
            count = eject(state, palettes, v, color, waiting, count)
        give(state, v, color)
    return count


@njit(cache=True, nogil=True)
def uncolor(state: Any, v: Any) -> None:
    """Take the color of v."""
    indptr, indices, colors = state.indptr, state.indices, state.colors
    c = colors[v]
    for e in range(indptr[v], indptr[v + 1]):
        w = indices[e]
        state.work[0] += indptr[w + 1] - indptr[w] + ROW
        for f in range(indptr[w], indptr[w + 1]):
            if colors[indices[f]] == c:
                state.beside[f] -= 1
    colors[v] = NONE


@njit(cache=True, nogil=True)
def give(state: Any, v: Any, color: Any) -> None:
    """Color v, which has no color."""
    indptr, indices, colors, beside = state.indptr, state.indices, state.colors, state.beside
    for e in range(indptr[v], indptr[v + 1]):
        w = indices[e]
        state.work[0] += indptr[w + 1] - indptr[w] + ROW
        number = 1
        for f in range(indptr[w], indptr[w + 1]):
            if colors[indices[f]] == color:
                beside[f] += 1
                number = beside[f]
        beside[state.mirror[e]] = number
    colors[v] = color


@njit(cache=True, nogil=True, inline="always")
def conflicts(state: Any, near: Any, v: Any, w: Any, f: Any) -> Any:
    """Whether v conflicts with a vertex x of its color by way of w, for the entry f = (w, x)."""
    a = state.colors[w]
    return state.indices[f] != v and (a == NEUTRAL or near[a] > 1 or state.beside[state.mirror[f]] > 1)


@njit(cache=True, nogil=True)
def cheapest(state: Any, palettes: Any, v: Any) -> Any:
    """The color whose conflicts with v weigh least, any of several; counts colors of neighbors."""
    indptr, indices, colors, seen = state.indptr, state.indices, state.colors, state.seen
    costs, near, work = palettes.costs, palettes.near, state.work
    costs[:] = 0
    near[:] = 0
    work[0] += 1 + costs.size
    work[2] += 1
    for e in range(indptr[v], indptr[v + 1]):
        w = indices[e]
        if colors[w] >= 0:
            near[colors[w]] += 1
            costs[colors[w]] += state.weight[w]
            seen[w] = work[2]
    for e in range(indptr[v], indptr[v + 1]):
        w = indices[e]
        if colors[w] == NONE:
            continue
        work[0] += indptr[w + 1] - indptr[w] + ROW
        for f in range(indptr[w], indptr[w + 1]):
            x = indices[f]
            if colors[x] >= 0 and seen[x] != work[2] and conflicts(state, near, v, w, f):
                seen[x] = work[2]
                costs[colors[x]] += state.weight[x]
    side = 1 if state.rows and v >= state.rows else 0
    least, ties, found = np.int64(FAR), 0, palettes.colors[side, 0]
    for i in range(palettes.sizes[side]):
        c = palettes.colors[side, i]
        cost = costs[c] + AGAIN if costs[c] and c == state.lost[v] else costs[c]
        if cost < least:
            least, ties, found = cost, 1, c
        elif cost == least:
            ties += 1
            if below(state.random, ties) == 0:
                found = c
    return found


@njit(cache=True, nogil=True)
def eject(state: Any, palettes: Any, v: Any, color: Any, waiting: Any, count: Any) -> Any:
    """Take the color of all vertices of it that conflict with v; returns how many vertices wait then."""
    indptr, indices, colors = state.indptr, state.indices, state.colors
    for e in range(indptr[v], indptr[v + 1]):
        w = indices[e]
        for f in range(indptr[w], indptr[w + 1]):
            x = indices[f]
            if colors[w] != NONE and colors[x] == color and conflicts(state, palettes.near, v, w, f):
                uncolor(state, x)
                state.lost[x] = color
                waiting[count] = x
                count += 1
    for e in range(indptr[v], indptr[v + 1]):
        w = indices[e]
        if colors[w] == color:
            uncolor(state, w)
            state.lost[w] = color
            waiting[count] = w
            count += 1
    return count
