"""A large clique on a CPU: see clique.py."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ...base.device.compiled import filled, inner, njit
from ...base.device.intrinsics import ctz64, popcount64
from ...base.log import before
from ...graph.graph import Graph
from ...graph.pattern import unsigned

FEW = 64  # candidates that one word has a bit for, as in clique.cu
# Starts of the highest color; the steps from them: a share of the entries, and a constant; what the first start may
# miss for others to be tried.
TOP, TOP_SHARE, TOP_LEAST, TOP_MISSES = 8, 4, 1 << 12, 3
ZERO, ONE, STRETCH = np.uint64(0), np.uint64(1), np.uint64(1024)
ONE32 = np.uint32(1)
BITS = np.append(ZERO, ONE << np.arange(FEW, dtype=np.uint64))  # of the places from 1 on
STATE = np.dtype([(name, np.int64) for name in ("start", "left", "size", "largest")])


class Growth(NamedTuple):
    """A search from several starts: where it continues, its memory, and the largest clique so far."""

    at: Any  # one STATE: the present start, its candidates left, vertices taken; the largest size
    room: Any  # candidates; `masks`: their adjacency in bits
    masks: Any
    place: Any  # a zero for each vertex
    taken: Any  # vertices of the present clique; `found`: of the largest
    found: Any


def growth(G: Graph, widest: int, largest: int) -> Growth:
    """A search that has not begun, for starts of up to `widest` candidates and cliques of over `largest` vertices."""
    at, taken = np.zeros(1, STATE), np.empty((2, widest + 1), np.uint32)
    at["largest"] = largest
    return Growth(at, np.empty(widest, np.uint32), np.empty(FEW, np.uint64), np.zeros(G.n, np.uint8), *taken)


def largest(G: Graph, starts: Any, ends: Any, best: int, enough: int, deadline: float, steps: int) -> int:
    """The size of the largest clique from these starts; the clock is read after a number of steps."""
    graph, starts, search = unsigned(G), starts.view(np.uint32), growth(G, int(np.diff(ends).max()), best)
    while True:  # each turn takes a step
        largest_from(*graph, starts, search, enough, steps)
        best = int(search.at["largest"][0])
        if search.at["start"][0] == len(starts) or best >= enough or not before(deadline):
            return best


def cliques(G: Graph, starts: np.ndarray, size: int, end: float = math.inf) -> Iterator[np.ndarray]:
    """The vertices of the clique from each start, int64, if they are over `size`, until a moment."""
    graph, search = unsigned(G), growth(G, int(G.degrees[starts].max(initial=0)), size)
    for i in range(len(starts)):
        if not before(end):
            return
        search.at[0] = 0, 0, 0, size
        largest_from(*graph, starts[i : i + 1].view(np.uint32), search, 2**31, 2**62)
        if (found := int(search.at["largest"][0])) > size:
            yield search.found[:found].astype(np.int64)


@njit(cache=True, nogil=True)
def largest_from(indptr: Any, indices: Any, starts: Any, search: Any, enough: Any, budget: Any) -> Any:
    """Continue for a number of steps or a few more, which are returned; starts that cannot lead are given up."""
    at, (_, room, masks, place, taken, found) = search.at[0], search
    i, left, size, best, steps = at.start, at.left, at.size, at.largest, np.int64(0)
    while i < len(starts) and best < enough and steps < budget:
        if size == 0:
            v = starts[i]
            begin = np.int64(indptr[v])
            left = np.int64(indptr[v + ONE32]) - begin
            for e in range(left):
                room[e] = indices[begin + e]
            taken[0], size = v, size + 1
        steps += left + 1
        if left > FEW and size + left > best:
            taken[size] = heaviest(indptr, room, left)
            left = keep(indptr, indices, taken[size], room, left)
            size += 1
            continue
        if size + left > best:
            steps += compare(indptr, indices, room, left, masks, place)
            best = keep_larger(taken, size + by_masks(masks, left, room, taken[size:]), found, best)
        i, size = i + 1, 0
    if size:
        if left:  # any candidate may be taken
            taken[size] = room[0]
        best = keep_larger(taken, size + (left > 0), found, best)
    at.start, at.left, at.size, at.largest = i, left, size, best
    return steps


@njit(cache=True, nogil=True, inline="always")
def keep_larger(taken: Any, size: Any, found: Any, best: Any) -> Any:
    """Copy the vertices of a clique that is larger than the largest; returns the largest size."""
    if size > best:
        for i in range(size):
            found[i] = taken[i]
    return max(size, best)


@njit(cache=True, nogil=True)
def largest_at_top(indptr: Any, indices: Any, colors: Any, k: Any) -> Any:
    """Size, up to k, of a clique around the first vertices of color k − 1 with k − 1 neighbors, in limited work.

    The first vertices alone may have colors.
    """
    starts = np.empty(TOP, np.uint32)
    count, widest, v, n = 0, np.int64(0), ZERO, np.uint64(colors.size)
    while v < n and count < TOP:
        end, found = min(v + STRETCH, n), 0
        for u in range(v, end):  # without a branch, since most stretches have no such color
            found += colors[u] == np.int32(k - 1)
        while found and v < end and count < TOP:
            if colors[v] == k - 1:
                degree = np.int64(indptr[v + ONE]) - np.int64(indptr[v])
                if degree >= k - 1:
                    starts[count] = v
                    count += 1
                    widest = max(widest, degree)
            v += ONE
        v = end
    if count == 0:
        return np.int64(min(k, 2))
    room, masks, taken = np.empty(widest, np.uint32), np.empty(FEW, np.uint64), np.empty((2, widest + 1), np.uint32)
    search = Growth(np.empty(1, STATE), room, masks, filled(indptr.size - 1, 0, np.uint8), taken[0], taken[1])
    at, budget, k = search.at[0], indices.size // TOP_SHARE + TOP_LEAST, np.int64(k)
    at.start, at.left, at.size, at.largest = 0, 0, 0, 2
    steps = largest_from(indptr, indices, starts[:1], search, k, budget)
    if at.start == 1 and at.largest + TOP_MISSES >= k:
        largest_from(indptr, indices, starts[:count], search, k, budget - steps)
    return min(search.at[0].largest, k)


@njit(cache=True, nogil=True, inline="always")
def heaviest(indptr: Any, room: Any, left: Any) -> Any:
    """The candidate of largest degree, the first of several."""
    top, most = room[0], np.int64(-1)
    for u in room[:left]:
        degree = np.int64(indptr[u + ONE32]) - np.int64(indptr[u])
        if degree > most:
            top, most = u, degree
    return top


@inner()
def keep(indptr: Any, indices: Any, u: Any, room: Any, left: Any) -> Any:
    """Keep the neighbors of u among the candidates; returns how many. Both are sorted."""
    kept = 0
    e, end = np.int64(indptr[u]), np.int64(indptr[u + ONE32])
    for i in range(left):
        w = room[i]
        step = 1
        while e + step < end and indices[e + step] <= w:  # by growing steps, for rows much longer than the candidates
            e += step
            step *= 2
        while step > 1:
            step //= 2
            if e + step < end and indices[e + step] <= w:
                e += step
        if e < end and indices[e] == w:
            room[kept] = w
            kept += 1
    return kept


@inner()
def compare(indptr: Any, indices: Any, room: Any, left: Any, masks: Any, place: Any) -> Any:
    """Write the adjacency of up to FEW candidates to `masks`; entries read."""
    read = np.int64(0)
    for i in range(left):
        place[room[i]] = i + 1
    for i in range(left):
        u, bits = room[i], ZERO
        e, end = np.int64(indptr[u]), np.int64(indptr[u + ONE32])
        read += min(end - e, 64 * left)
        if end - e > 64 * left:
            for j in range(left):
                bits |= np.uint64(has(indices, e, end, room[j])) << np.uint64(j)
        else:
            while e < end:  # without a branch on what is there, since none could be foreseen
                bits |= BITS[place[indices[e]]]
                e += 1
        masks[i] = bits
    for i in range(left):
        place[room[i]] = 0
    return read


@inner()
def by_masks(masks: Any, left: Any, room: Any, taken: Any) -> Any:
    """Size of a clique among few candidates, each step by the most neighbors that stay; its vertices to `taken`."""
    size, here = 0, ZERO
    for i in range(left):
        here |= ONE << np.uint64(i)
    while here != ZERO:  # each step takes a candidate, which is no neighbor of itself
        most, rest, todo = np.int64(-1), ZERO, here
        while todo != ZERO:
            stay = masks[ctz64(todo)] & here
            count = np.int64(popcount64(stay))
            if count > most:
                most, rest = count, stay
                taken[size] = room[ctz64(todo)]
            todo &= todo - ONE
        here = rest
        size += 1
    return size


@inner()
def has(indices: Any, low: Any, high: Any, w: Any) -> Any:
    """Whether w is in a sorted row."""
    while low < high:
        middle = (low + high) // 2
        if indices[middle] < w:
            low = middle + 1
        elif indices[middle] == w:
            return True
        else:
            high = middle
    return False
