"""Large cliques on a CPU, found greedily: the algorithm of clique.py."""

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

FEW = 64  # number of candidates whose bits fit into a word, as in clique.cu
# For `largest_at_top`: starts; steps, as a share of the entries plus a constant; the other starts are only tried if the
# first start misses k by at most this number of vertices.
TOP, TOP_SHARE, TOP_LEAST, TOP_MISSES = 8, 4, 1 << 12, 3
ZERO, ONE, STRETCH = np.uint64(0), np.uint64(1), np.uint64(1024)
ONE32 = np.uint32(1)
BITS = np.append(ZERO, ONE << np.arange(FEW, dtype=np.uint64))  # bit of each place from 1 on
STATE = np.dtype([(name, np.int64) for name in ("start", "left", "size", "largest")])


class Growth(NamedTuple):
    """State and memory of a search from several starts."""

    at: Any  # one STATE: the present start, its remaining candidates, vertices taken; the largest size
    candidates: Any  # of the present start; `masks`: their adjacency in bits
    masks: Any
    place: Any  # a zero for each vertex
    taken: Any  # vertices of the present clique; `found`: of the largest
    found: Any


def growth(G: Graph, widest: int, largest: int) -> Growth:
    """Create a search for starts of up to `widest` candidates and cliques of more than `largest` vertices."""
    at, taken = np.zeros(1, STATE), np.empty((2, widest + 1), np.uint32)
    at["largest"] = largest
    return Growth(at, np.empty(widest, np.uint32), np.empty(FEW, np.uint64), np.zeros(G.n, np.uint8), *taken)


def largest(G: Graph, starts: Any, ends: Any, best: int, enough: int, deadline: float, steps: int) -> int:
    """Return the size of the largest clique from these starts; read the clock after a number of steps."""
    graph, starts, search = unsigned(G), starts.view(np.uint32), growth(G, int(np.diff(ends).max()), best)
    while True:  # each turn does at least one step
        largest_from(*graph, starts, search, enough, steps)
        best = int(search.at["largest"][0])
        if search.at["start"][0] == len(starts) or best >= enough or not before(deadline):
            return best


def cliques(G: Graph, starts: np.ndarray, size: int, end: float = math.inf) -> Iterator[np.ndarray]:
    """Yield the vertices of the clique from each start, int64, if more than `size`, until the time `end`."""
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
    """Do `grow`, called from Python."""
    return grow(indptr, indices, starts, search, enough, budget)


@inner()
def grow(indptr: Any, indices: Any, starts: Any, search: Any, enough: Any, budget: Any) -> Any:
    """Continue for about `budget` steps; return their number. Starts that cannot beat the best are skipped."""
    at, (_, candidates, masks, place, taken, found) = search.at[0], search
    i, left, size, best, steps = at.start, at.left, at.size, at.largest, np.int64(0)
    while i < len(starts) and best < enough and steps < budget:
        if size == 0:
            v = starts[i]
            begin = np.int64(indptr[v])
            left = np.int64(indptr[v + ONE32]) - begin
            for e in range(left):
                candidates[e] = indices[begin + e]
            taken[0], size = v, size + 1
        steps += left + 1
        if left > FEW and size + left > best:
            taken[size] = heaviest(indptr, candidates, left)
            left = keep(indptr, indices, taken[size], candidates, left)
            size += 1
            continue
        if size + left > best:
            steps += compare(indptr, indices, candidates, left, masks, place)
            best = keep_larger(taken, size + by_masks(masks, left, candidates, taken[size:]), found, best)
        i, size = i + 1, 0
    if size:
        if left:  # any candidate may be taken
            taken[size] = candidates[0]
        best = keep_larger(taken, size + (left > 0), found, best)
    at.start, at.left, at.size, at.largest = i, left, size, best
    return steps


@njit(cache=True, nogil=True, inline="always")
def keep_larger(taken: Any, size: Any, found: Any, best: Any) -> Any:
    """Copy the vertices of a clique if it is the largest so far; return the largest size."""
    if size > best:
        for i in range(size):
            found[i] = taken[i]
    return max(size, best)


@njit(cache=True, nogil=True)
def largest_at_top(indptr: Any, indices: Any, colors: Any, k: Any) -> Any:
    """Return the size, up to k, of a clique around vertices of color k − 1 with k − 1 neighbors, in limited work.

    `colors` may be shorter than n: it has the colors of the first vertices.
    """
    starts = np.empty(TOP, np.uint32)
    count, widest, v, n = 0, np.int64(0), ZERO, np.uint64(colors.size)
    while v < n and count < TOP:
        end, found = min(v + STRETCH, n), 0
        for u in range(v, end):  # without a branch, because most stretches do not contain this color
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
    candidates, masks = np.empty(widest, np.uint32), np.empty(FEW, np.uint64)
    taken, place = np.empty((2, widest + 1), np.uint32), filled(indptr.size - 1, 0, np.uint8)
    search = Growth(np.empty(1, STATE), candidates, masks, place, taken[0], taken[1])
    at, budget, k = search.at[0], indices.size // TOP_SHARE + TOP_LEAST, np.int64(k)
    at.start, at.left, at.size, at.largest = 0, 0, 0, 2
    steps = grow(indptr, indices, starts[:1], search, k, budget)
    if at.start == 1 and at.largest + TOP_MISSES >= k:
        grow(indptr, indices, starts[:count], search, k, budget - steps)
    return min(search.at[0].largest, k)


@njit(cache=True, nogil=True, inline="always")
def heaviest(indptr: Any, candidates: Any, left: Any) -> Any:
    """Return the first candidate of largest degree."""
    top, most = candidates[0], np.int64(-1)
    for u in candidates[:left]:
        degree = np.int64(indptr[u + ONE32]) - np.int64(indptr[u])
        if degree > most:
            top, most = u, degree
    return top


@inner()
def keep(indptr: Any, indices: Any, u: Any, candidates: Any, left: Any) -> Any:
    """Remove candidates that are not neighbors of u; return the number left. Both lists are sorted."""
    count = 0
    e, end = np.int64(indptr[u]), np.int64(indptr[u + ONE32])
    for i in range(left):
        w = candidates[i]
        step = 1
        while e + step < end and indices[e + step] <= w:  # exponential search, for rows much longer than the list
            e += step
            step *= 2
        while step > 1:
            step //= 2
            if e + step < end and indices[e + step] <= w:
                e += step
        if e < end and indices[e] == w:
            candidates[count] = w
            count += 1
    return count


@inner()
def compare(indptr: Any, indices: Any, candidates: Any, left: Any, masks: Any, place: Any) -> Any:
    """Write the adjacency of up to FEW candidates to `masks`; return the number of entries read."""
    read = np.int64(0)
    for i in range(left):
        place[candidates[i]] = i + 1
    for i in range(left):
        u, bits = candidates[i], ZERO
        e, end = np.int64(indptr[u]), np.int64(indptr[u + ONE32])
        read += min(end - e, 64 * left)
        if end - e > 64 * left:
            for j in range(left):
                bits |= np.uint64(has(indices, e, end, candidates[j])) << np.uint64(j)
        else:
            while e < end:  # without a branch, because it could not be predicted
                bits |= BITS[place[indices[e]]]
                e += 1
        masks[i] = bits
    for i in range(left):
        place[candidates[i]] = 0
    return read


@inner()
def by_masks(masks: Any, left: Any, candidates: Any, taken: Any) -> Any:
    """Return the size of a clique among few candidates, and write it to `taken`; steps maximize those that remain."""
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
                taken[size] = candidates[ctz64(todo)]
            todo &= todo - ONE
        here = rest
        size += 1
    return size


@inner()
def has(indices: Any, low: Any, high: Any, w: Any) -> Any:
    """Return whether w is in a sorted row."""
    while low < high:
        middle = (low + high) // 2
        if indices[middle] < w:
            low = middle + 1
        elif indices[middle] == w:
            return True
        else:
            high = middle
    return False
