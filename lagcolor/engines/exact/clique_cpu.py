"""A large clique on a CPU: see clique.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device.compiled import njit
from ...base.device.intrinsics import ctz64, popcount64
from ...base.log import before
from ...graph.graph import Graph
from ...graph.pattern import unsigned

FEW = 64  # candidates that one word has a bit for, as in clique.cu
MOST_READS = 1 << 25  # entries that the clique for a search by clauses reads before its last start: some 20 ms
# Starts of the highest color; the steps from them: a share of the entries, and a constant; what the first start may
# miss for others to be tried.
TOP, TOP_SHARE, TOP_LEAST, TOP_MISSES = 8, 4, 1 << 12, 3
ZERO, ONE, STRETCH = np.uint64(0), np.uint64(1), np.uint64(1024)
ONE32 = np.uint32(1)
BITS = np.append(ZERO, ONE << np.arange(FEW, dtype=np.uint64))  # of the places from 1 on


def largest(G: Graph, starts: Any, ends: Any, best: int, enough: int, deadline: float, steps: int) -> int:
    """The size of the largest clique from these starts; the clock is read after a number of steps."""
    graph, starts, place = unsigned(G), starts.view(np.uint32), np.zeros(G.n, np.uint8)
    room, masks = np.empty(int(np.diff(ends).max()), np.uint32), np.empty(FEW, np.uint64)
    at = np.zeros(3, np.int64)
    while True:  # each turn takes a step
        best, _ = largest_from(*graph, starts, best, enough, (at, room, masks, place), steps)
        if at[0] == len(starts) or best >= enough or not before(deadline):
            return int(best)


@njit(cache=True, nogil=True)
def largest_from(indptr: Any, indices: Any, starts: Any, best: Any, enough: Any, scratch: Any, budget: Any) -> Any:
    """The largest size so far, at least `best`, after a number of steps or a few more, and how many they were.

    `scratch`: `at`, where to go on (start, left, size); memory for the neighbors of a start; `masks` and `place`, which
    has zeros, as `among_few` has them. A start is given up where it cannot be larger than the best.
    """
    at, room, masks, place = scratch
    i, left, size = at[0], at[1], at[2]
    steps = np.int64(0)
    while i < len(starts) and best < enough and steps < budget:
        if size == 0:
            v = starts[i]
            begin = np.int64(indptr[v])
            left = np.int64(indptr[v + ONE32]) - begin
            for e in range(left):
                room[e] = indices[begin + e]
            size += 1
        steps += left + 1
        if left > FEW and size + left > best:
            left = keep(indptr, indices, heaviest(indptr, room, left), room, left)
            size += 1
            continue
        if size + left > best:
            more, read = among_few(indptr, indices, room, left, masks, place)
            best = max(best, size + more)
            steps += read
        i, size = i + 1, 0
    if size:
        best = max(best, size + (left > 0))  # any candidate may be taken
    at[0], at[1], at[2] = i, left, size
    return best, steps


@njit(cache=True, nogil=True)
def largest_at_top(indptr: Any, indices: Any, colors: Any, k: Any) -> Any:
    """Size of a clique around the first vertices of color k − 1 that have k − 1 neighbors; reads a share of the graph.

    Where it is k, no coloring has fewer colors: on 216 real graphs it is for 113 of the 116 where `clique_size`
    says so.
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
    at, room, masks = np.zeros(3, np.int64), np.empty(widest, np.uint32), np.empty(FEW, np.uint64)
    budget, k, scratch = indices.size // TOP_SHARE + TOP_LEAST, np.int64(k), (at, room, masks, np.zeros(n, np.uint8))
    best, steps = largest_from(indptr, indices, starts[:1], np.int64(2), k, scratch, budget)
    if at[0] == 1 and best + TOP_MISSES >= k:
        best, _ = largest_from(indptr, indices, starts[:count], best, k, scratch, budget - steps)
    return min(best, k)


def members(G: Graph, start: int) -> np.ndarray:
    """The vertices that the search takes from a start, int64: it first, then in their order; on the CPU."""
    taken, room = [start], neighborhood(G, start)
    while len(room) > FEW:
        taken.append(int(room[np.argmax(G.degrees[room])]))
        room = np.intersect1d(room, neighborhood(G, taken[-1]), assume_unique=True)
    masks = [sum(1 << i for i in np.flatnonzero(np.isin(room, neighborhood(G, int(u)))).tolist()) for u in room]
    here = (1 << len(room)) - 1
    while here:
        i = max(range(len(room)), key=lambda i: (here >> i & 1, (masks[i] & here).bit_count()))
        taken.append(int(room[i]))
        here &= masks[i]
    return np.array(taken, np.int64)


def neighborhood(G: Graph, v: int) -> np.ndarray:
    """The neighbors of v."""
    return G.indices[int(G.indptr[v]) : int(G.indptr[v + 1])]


@njit(cache=True, nogil=True, inline="always")
def heaviest(indptr: Any, room: Any, left: Any) -> Any:
    """The candidate of largest degree, the first of several."""
    top, most = room[0], np.int64(-1)
    for u in room[:left]:
        degree = np.int64(indptr[u + ONE32]) - np.int64(indptr[u])
        if degree > most:
            top, most = u, degree
    return top


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def among_few(indptr: Any, indices: Any, room: Any, left: Any, masks: Any, place: Any) -> Any:
    """Size of a clique among up to FEW candidates, each step by the most neighbors that stay; entries read.

    `place` has a zero for each vertex.
    """
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
    return by_masks(masks, left), read


@njit(cache=True, nogil=True, inline="always")
def by_masks(masks: Any, left: Any) -> Any:
    """The same with the adjacency in bits."""
    size = 0
    here = ZERO
    for i in range(left):
        here |= ONE << np.uint64(i)
    while here != ZERO:  # each step takes a candidate, which is no neighbor of itself
        most, rest, todo = np.int64(-1), ZERO, here
        while todo != ZERO:
            stay = masks[ctz64(todo)] & here
            count = np.int64(popcount64(stay))
            if count > most:
                most, rest = count, stay
            todo &= todo - ONE
        here = rest
        size += 1
    return size


def large_clique(indptr: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Vertices of a clique, uint32, greedily from each of the vertices of large degree; one where there is no edge."""
    n = len(indptr) - 1
    if n == 0:
        return np.empty(0, np.uint32)
    starts = np.argsort(-np.diff(indptr.astype(np.int64)), kind="stable")[:64].astype(np.uint32)
    room, best = np.empty(n, np.uint32), np.empty(n, np.uint32)
    return best[: grow_cliques(indptr, indices, starts, np.full(n, -1, np.int64), room, best)].copy()


@njit(cache=True, nogil=True)
def grow_cliques(indptr: Any, indices: Any, starts: Any, marks: Any, room: Any, best: Any) -> Any:
    """From each start: take the candidate with the most neighbors among the candidates, and keep these.

    No further start after MOST_READS entries.
    """
    n, largest, mark, reads = np.int64(marks.size), np.int64(0), np.int64(0), np.int64(0)
    taken = np.empty(n, np.uint32)
    for s in starts:
        if reads > MOST_READS:
            break
        left = np.int64(indptr[s + ONE32] - indptr[s])
        for i in range(left):
            room[i] = indices[np.int64(indptr[s]) + i]
        taken[0] = s
        size = np.int64(1)
        while left > 0 and size + left > largest:
            mark += 1
            for i in range(left):
                marks[room[i]] = mark
            most, top = np.int64(-1), room[0]
            for i in range(left):
                beside = np.int64(0)
                reads += np.int64(indptr[room[i] + ONE32] - indptr[room[i]])
                for e in range(indptr[room[i]], indptr[room[i] + ONE32]):
                    beside += marks[indices[e]] == mark
                if beside > most:
                    most, top = beside, room[i]
            taken[size] = top
            size += 1
            left = keep_marked(indptr, indices, top, marks, mark, room)
        if size > largest:
            largest = size
            for i in range(size):
                best[i] = taken[i]
    return largest


@njit(cache=True, nogil=True)
def keep_marked(indptr: Any, indices: Any, v: Any, marks: Any, mark: Any, room: Any) -> Any:
    """Write the neighbors of v that have a mark to `room`; how many there are."""
    left = np.int64(0)
    for e in range(indptr[v], indptr[v + ONE32]):
        if marks[indices[e]] == mark:
            room[left] = indices[e]
            left += 1
    return left


@njit(cache=True, nogil=True)
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
