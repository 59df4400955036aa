"""Maximal independent sets one after the other: the remaining vertex of least degree joins, its neighbors wait.

First-fit in this order gives each set a color, because a vertex that waited has a neighbor in every earlier set.
Degrees count neighbors that are neither in a set nor waiting.

References
----------
Kosowski, Manuszewski 2004, "Classical coloring of graphs", greedy independent sets.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.device.compiled import inner, njit
from ..base.device.heaps import pop, push
from ..graph.graph import Graph
from .ties import tie_order


def independent_sets(G: Graph, seed: int | None) -> np.ndarray:
    """Vertices set by set, each set in the order of joining; ties of degrees by `seed`."""
    ties = tie_order(np, G.n, seed)
    rank, sequence = np.empty(G.n, np.int64), np.empty(G.n, np.int32)
    rank[ties] = np.arange(G.n)
    outside = np.diff(G.indptr).astype(np.int64)
    heap = np.empty(G.n + G.m, np.int64)  # a vertex enters once per set, and when its degree decreases
    set_after_set(
        G.indptr, G.indices, ties, rank, np.zeros(G.n, np.uint8), outside, np.empty(G.n, np.int64), heap, sequence
    )
    return sequence


@njit(cache=True, nogil=True)
def set_after_set(
    indptr: Any, indices: Any, ties: Any, rank: Any, state: Any, outside: Any, degree: Any, heap: Any, sequence: Any
) -> None:  # fmt: skip
    """Fill `sequence`; of vertices of equal degree the earlier in `ties` joins.

    `state` is LEFT, WAITS, IN (a set), or JUST (changes from LEFT to WAITS). `outside`: number of neighbors in no set.

    Progress: each set contains at least one of the remaining vertices.
    """
    n = ties.size
    done = 0
    while done < n:
        filled = 0
        for v in range(n):
            if state[v] != IN:
                state[v] = LEFT
                degree[v] = outside[v]
                push(heap, filled, degree[v] * n + rank[v])
                filled += 1
        left = filled
        while left > 0:
            key = pop(heap, filled)
            filled -= 1
            v = ties[key % n]
            if state[v] != LEFT or degree[v] != key // n:  # an outdated entry
                continue
            state[v] = IN
            sequence[done] = v
            done += 1
            left -= 1
            begin, end = indptr[v], indptr[v + 1]
            for e in range(begin, end):
                outside[indices[e]] -= 1
                if state[indices[e]] == LEFT:
                    state[indices[e]] = JUST
                    left -= 1
            for e in range(begin, end if left > 0 else begin):
                if state[indices[e]] == JUST:
                    state[indices[e]] = WAITS
                    filled = lose(indptr, indices, indices[e], state, degree, rank, heap, filled)


LEFT, WAITS, IN, JUST = np.uint8(0), np.uint8(1), np.uint8(2), np.uint8(3)


@inner()
def lose(indptr: Any, indices: Any, w: Any, state: Any, degree: Any, rank: Any, heap: Any, filled: Any) -> Any:
    """Subtract w, which now waits, from the degrees of its remaining neighbors; return the size of the heap."""
    n = rank.size
    for e in range(indptr[w], indptr[w + 1]):
        u = indices[e]
        if state[u] == LEFT:
            degree[u] -= 1
            push(heap, filled, degree[u] * n + rank[u])
            filled += 1
    return filled
