"""A bit for each pair of vertices, for dense graphs: neighbors are counted 64 at a time.

U1 is a list. When a vertex joins the class, those that it moves to U2 are bits of `fresh`, and each vertex of the list
counts its neighbors among them. A class takes n / 64 words for each vertex of U1 and each vertex that joins.

The arrays are as in lists.py, except these: `keys` and `who` are the list, `state[HEAP]` is its length, and
`state[NEXT]` the vertex that joins next.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device.compiled import njit
from ...base.device.intrinsics import popcount64
from ...engines.improve.tabu.moves import fill
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from .lists import COLOR, HEAP, LEFT, LOW_HALF, NEXT, ONE, ONE32, OUT, SLICE, ZERO, RLFState, begin

SIX, LAST, HALF = np.uint64(6), np.uint64(63), np.uint64(32)


def pairs_of(G: Graph) -> tuple[np.ndarray, np.ndarray]:
    """The bits of each vertex's neighbors, a row for each; and a row for `fresh`."""
    words = -(-G.n // 64)
    pairs = np.zeros(G.n * words, np.uint64)
    fill(*unsigned(G), np.uint64(words), pairs)
    return pairs.reshape(G.n, words), np.empty(words, np.uint64)


@njit(cache=True, nogil=True)
def grow(indptr: Any, indices: Any, work: RLFState, pairs: Any, fresh: Any) -> Any:
    """Let classes grow for a slice of reads; whether all vertices have a color."""
    state, reads = work.state, ZERO
    while reads < SLICE:
        if state[HEAP] == 0:
            if not begin(work):
                return True
            for r in range(np.uint64(state[LEFT])):
                work.who[r], work.keys[r] = work.by_rank[r], LOW_HALF - r
            state[HEAP], state[NEXT] = state[LEFT], work.by_rank[work.begins[0]]
        reads += np.uint64(state[HEAP]) * np.uint64(fresh.size)
        join(indptr, indices, work, pairs, fresh)
    return False


@njit(cache=True, nogil=True)
def join(indptr: Any, indices: Any, work: RLFState, pairs: Any, fresh: Any) -> None:
    """Give the next vertex the color of the class, and find the one after it."""
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
