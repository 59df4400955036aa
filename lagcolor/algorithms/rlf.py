"""RLF, recursive largest first: one color class after the other, with as many edges at the class as possible.

A class begins with the vertex of largest degree. The next vertex is the one, of those that can join, with the most
neighbors that cannot. This leaves few edges for later classes. Degrees count neighbors without a color.

Symbols of the paper, for the current class:

==========  ==========================================================================================
U1          vertices without a color that may join the class
U2          vertices without a color that have a neighbor in it
==========  ==========================================================================================

Ties go to the vertex with the fewest neighbors in U1 (the paper's rule), then to the first in the order. All uncolored
neighbors of a vertex of U1 are in U1 or U2. Of two vertices with equally many neighbors in U2, the one of smaller
degree therefore has fewer in U1. So a rank by degree and order breaks all ties; it is fixed while a class grows.

By rows: a heap has the vertices of U1 with a neighbor in U2, by the number of these neighbors and the rank. A vertex
moves to U2 at most once per class, and its row is then read. This takes O(m k log n) for k colors, less in practice,
because later classes have fewer vertices.

By bits, for dense graphs: there is a bit for each pair of vertices, and U1 is a list. When a vertex joins the class,
the vertices that it moves to U2 are set in `fresh`, and each vertex of the list counts its neighbors among them, 64 at
a time. The colors are the same. 1,000 vertices with half of all edges take 3 ms, and 109 ms by rows.

==========  ==========================================================================================
place       position of a vertex in the heap plus 1; 0: in U1, no neighbor in U2; OUT: in U2, or colored
rank        position of a vertex in `by_rank`, the uncolored vertices at the start of the class
keys, who   the heap (by bits: the list): neighbors in U2 (upper 32 bits), complement of the rank (lower 32); the vertex
moved       vertices that move from U1 to U2 when a vertex joins the class
degree      number of neighbors without a color
left        vertices without a color, in the order
begins      next rank for each degree; once a class begins, `begins[0]` is the rank of its first vertex
state       sizes of `left` and of the heap, position in `by_rank` (by bits: next vertex to join), and the color
==========  ==========================================================================================

References
----------
Leighton 1979, "A graph coloring algorithm for large scheduling problems", Journal of Research of the National Bureau of
Standards 84(6), 489-506 (RLF).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..base.device.compiled import inner, njit
from ..base.device.intrinsics import popcount64
from ..base.log import Log
from ..engines.improve.tabu.moves import fill
from ..graph.graph import Graph
from ..graph.pattern import unsigned
from ..orders import Priorities
from ..problems.registry import coloring

DENSE = 32  # by bits is faster up to this number of pairs per stored entry
MOST_BITS = 1 << 31  # 256 MB
OUT = np.uint32(2**32 - 1)
ZERO, ONE, ONE32 = np.uint64(0), np.uint64(1), np.uint32(1)
SIX, LAST, HALF = np.uint64(6), np.uint64(63), np.uint64(32)
IN_U2, LOW_HALF = np.uint64(1 << 32), np.uint64(2**32 - 1)
LEFT, HEAP, NEXT, COLOR = range(4)  # of `state`
SLICE = 1 << 20  # entries read before the loop returns to Python, which can then raise KeyboardInterrupt


@coloring(
    "rlf",
    style="sequential",
    paper="Leighton 1979, RLF",
    engines=("cpu",),
    bound="Δ+1 (exact on bipartite graphs)",
    oracle=None,
    deterministic=True,
    order="natural",
    seed=None,
    needs="sequence",
)
def rlf(G: Graph, p: Priorities, log: Log) -> np.ndarray:
    """RLF: builds a color class at a time; next is the vertex with the most neighbors that cannot join."""
    work, pairs = RLFState.of(G, p), G.n * G.n
    dense = pairs <= min(DENSE * G.m, MOST_BITS)
    grow, more = (grow_by_bits, pairs_of(G)) if dense else (grow_by_rows, ())
    while not grow(*unsigned(G), work, *more):
        pass
    log.round(active=G.n, colored=G.n, conflicts=0)
    return work.colors


class RLFState(NamedTuple):
    """Arrays of the search, as the docstring of the module lists them."""

    colors: np.ndarray
    left: np.ndarray
    degree: np.ndarray
    place: np.ndarray
    rank: np.ndarray
    by_rank: np.ndarray
    keys: np.ndarray
    who: np.ndarray
    moved: np.ndarray
    begins: np.ndarray
    state: np.ndarray

    @classmethod
    def of(cls, G: Graph, p: Priorities) -> RLFState:
        """State before the first class."""
        n = G.n
        rank, by_rank, who, moved = (np.empty(n, np.uint32) for _ in range(4))
        return cls(
            np.full(n, -1, np.int32), p.sequence.astype(np.uint32), G.degrees.astype(np.uint32), np.full(n, OUT), rank,
            by_rank, np.empty(n, np.uint64), who, moved, np.empty(G.max_degree + 1, np.uint32),
            np.array([n, 0, n, -1], np.int64),
        )  # fmt: skip


@njit(cache=True, nogil=True)
def grow_by_rows(indptr: Any, indices: Any, work: RLFState) -> Any:
    """Grow classes for a slice of reads; True if all vertices have a color."""
    state, reads = work.state, ZERO
    while reads < SLICE:
        if state[HEAP] > 0:
            v = work.who[0]
            leave_heap(work, ZERO)
        else:
            while state[NEXT] < state[LEFT] and work.place[work.by_rank[state[NEXT]]] == OUT:
                state[NEXT] += 1
            if state[NEXT] < state[LEFT]:
                v = work.by_rank[state[NEXT]]
            elif begin(work):
                v = work.by_rank[work.begins[0]]
            else:
                return True
            reads += ONE
        reads += join_by_rows(indptr, indices, work, v)
    return False


@inner()
def begin(work: RLFState) -> Any:
    """Begin a class: put all uncolored vertices into U1 and rank them; False if there are none."""
    state, degree, left, begins, largest, count = work.state, work.degree, work.left, work.begins, np.uint32(0), ZERO
    for i in range(np.uint64(state[LEFT])):
        v = left[i]
        if work.colors[v] < 0:
            left[count] = v
            count += ONE
            largest = max(largest, degree[v])
    state[LEFT], state[NEXT] = count, 0
    if count == ZERO:
        return False
    state[COLOR] += 1
    begins[: np.uint64(largest) + ONE] = 0
    for i in range(count):
        begins[degree[left[i]]] += ONE32
    sum_ = np.uint32(0)
    for d in range(np.uint64(largest) + ONE):
        sum_, begins[d] = sum_ + begins[d], sum_
    first = begins[largest]
    for i in range(count):
        v = left[i]
        r = begins[degree[v]]
        begins[degree[v]] = r + ONE32
        work.by_rank[r], work.rank[v], work.place[v] = v, r, np.uint32(0)
    begins[0] = first
    return True


@inner()
def join_by_rows(indptr: Any, indices: Any, work: RLFState, v: Any) -> Any:
    """Color v, move its neighbors from U1 to U2, and update the heap; return the number of entries read."""
    place, keys, moved, count = work.place, work.keys, work.moved, ZERO
    work.colors[v], place[v] = work.state[COLOR], OUT
    reads = np.uint64(indptr[v + ONE32] - indptr[v])
    for e in range(indptr[v], indptr[v + ONE32]):
        u = indices[e]
        work.degree[u] -= ONE32
        if place[u] != OUT:
            if place[u] > 0:
                leave_heap(work, np.uint64(place[u] - ONE32))
            place[u], moved[count] = OUT, u
            count += ONE
    for i in range(count):
        w = moved[i]
        reads += np.uint64(indptr[w + ONE32] - indptr[w])
        for e in range(indptr[w], indptr[w + ONE32]):
            u = indices[e]
            if place[u] == 0:
                work.state[HEAP] += 1
                rise(work, np.uint64(work.state[HEAP] - 1), IN_U2 | (LOW_HALF - np.uint64(work.rank[u])), u)
            elif place[u] != OUT:
                at = np.uint64(place[u] - ONE32)
                rise(work, at, keys[at] + IN_U2, u)
    return reads


@inner()
def rise(work: RLFState, at: Any, key: Any, v: Any) -> None:
    """Put v into the heap at a position, and sift it up."""
    while at > ZERO:
        parent = (at - ONE) >> ONE
        if work.keys[parent] > key:
            break
        put(work, at, work.keys[parent], work.who[parent])
        at = parent
    put(work, at, key, v)


@inner()
def leave_heap(work: RLFState, at: Any) -> None:
    """Remove the entry at a position; the last entry fills the gap."""
    work.state[HEAP] -= 1
    size, keys = np.uint64(work.state[HEAP]), work.keys
    key, v = keys[size], work.who[size]
    if at == size:
        return
    while np.uint64(2) * at + ONE < size:
        child = np.uint64(2) * at + ONE
        if child + ONE < size and keys[child + ONE] > keys[child]:
            child += ONE
        if keys[child] < key:
            break
        put(work, at, keys[child], work.who[child])
        at = child
    rise(work, at, key, v)


@inner()
def put(work: RLFState, at: Any, key: Any, v: Any) -> None:
    """Write an entry of the heap and the place of its vertex."""
    work.keys[at], work.who[at], work.place[v] = key, v, np.uint32(at + ONE)


# ---- by bits ---------------------------------------------------------------------------------------------------------


def pairs_of(G: Graph) -> tuple[np.ndarray, np.ndarray]:
    """Bits of the neighbors of each vertex, a row per vertex; and a row for `fresh`."""
    words = -(-G.n // 64)
    pairs = np.zeros(G.n * words, np.uint64)
    fill(*unsigned(G), np.uint64(words), pairs)
    return pairs.reshape(G.n, words), np.empty(words, np.uint64)


@njit(cache=True, nogil=True)
def grow_by_bits(indptr: Any, indices: Any, work: RLFState, pairs: Any, fresh: Any) -> Any:
    """Grow classes for a slice of reads; True if all vertices have a color."""
    state, reads = work.state, ZERO
    while reads < SLICE:
        if state[HEAP] == 0:
            if not begin(work):
                return True
            for r in range(np.uint64(state[LEFT])):
                work.who[r], work.keys[r] = work.by_rank[r], LOW_HALF - r
            state[HEAP], state[NEXT] = state[LEFT], work.by_rank[work.begins[0]]
        reads += np.uint64(state[HEAP]) * np.uint64(fresh.size)
        join_by_bits(indptr, indices, work, pairs, fresh)
    return False


@inner()
def join_by_bits(indptr: Any, indices: Any, work: RLFState, pairs: Any, fresh: Any) -> None:
    """Color the next vertex of the class and find the one after it."""
    state, place, keys, who = work.state, work.place, work.keys, work.who
    v = np.uint64(state[NEXT])
    work.colors[v], place[v] = state[COLOR], OUT
    fresh[:] = ZERO
    for e in range(indptr[v], indptr[v + ONE]):
        u = np.uint64(indices[e])
        work.degree[u] -= ONE32
        if place[u] != OUT:
            place[u] = OUT
            fresh[u >> SIX] |= ONE << (u & LAST)
    count, best = ZERO, ZERO
    for i in range(np.uint64(state[HEAP])):
        u, near = who[i], ZERO
        if place[u] != OUT:
            for w in range(np.uint64(fresh.size)):
                near += popcount64(pairs[u, w] & fresh[w])
            key = keys[i] + (near << HALF)
            keys[count], who[count] = key, u
            count += ONE
            best = max(best, key)
    state[HEAP], state[NEXT] = count, work.by_rank[LOW_HALF - (best & LOW_HALF)] if count > ZERO else ZERO
