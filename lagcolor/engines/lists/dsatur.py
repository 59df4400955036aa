"""DSATUR with lists: the vertex with the fewest colors left takes the least of them that has room.

A vertex that has none left stays without a color, and constrains no other. Ties go to the order. Vertices wait in a
binary heap by (colors left, place in the order), which they only rise in.

==========  =====================================================================================
key         colors left to a vertex (upper 32 bits), and its place in the order (lower 32)
heap, at    vertices by key, and where each is in the heap, −1 once it has had its turn
==========  =====================================================================================

References
----------
Brélaz 1979, "New methods to color the vertices of a graph" (Dsatur), with the colors that are left to a vertex in place
of those around it: the same choice where all vertices may take the same colors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.graph import Graph
from ...device.compiled import njit
from ...device.intrinsics import ctz64, popcount64
from ...rules import Rules
from ..greedy.sequential import unsigned
from .barred import barred_colors

ZERO, ONE, SIX, LAST = np.uint64(0), np.uint64(1), np.uint64(6), np.uint64(63)
FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
ONE32 = np.uint32(1)


def dsatur_with_rules(G: Graph, rules: Rules, sequence: np.ndarray, k: int) -> np.ndarray:
    """Colors 0 … k − 1 of DSATUR around fixed vertices.

    Parameters
    ----------
    G : Graph
        On the CPU, and so are the arrays of the rules.
    rules : Rules
    sequence : array of int32, shape (n,)
        The order that ties go to, first colored first.
    k : int

    Returns
    -------
    array of int32, shape (n,)
        −1 where no color was left.
    """
    colors = np.full(G.n, -1, np.int32) if rules.fixed is None else rules.fixed.copy()
    free, room = sequence[colors[sequence] < 0].view(np.uint32), rules.room_left(colors, k)
    barred = barred_colors(*unsigned(G), colors, *rules.lists(G.n), k)
    scratch = np.empty(len(free), np.uint32), np.full(G.n, -1, np.int64), np.empty(G.n, np.uint64)
    saturate(*unsigned(G), free, colors, barred, rules.weight_of(G.n), room, *scratch)
    return colors


@njit(cache=True, nogil=True)
def saturate(
    indptr: Any, indices: Any, sequence: Any, colors: Any, barred: Any, weights: Any, room: Any,
    heap: Any, at: Any, key: Any,
) -> None:  # fmt: skip
    """Color the vertices of the sequence that find a color; `at`, −1 at first, has their places in the heap."""
    n = sequence.size
    for i in range(n):
        v = sequence[i]
        taken = ZERO
        for w in range(barred.shape[1]):
            taken += popcount64(barred[v, w])
        key[v] = ((np.uint64(64 * barred.shape[1]) - taken) << np.uint64(32)) | np.uint64(i)
        heap[i], at[v] = v, i
        rise(heap, at, key, i)
    while n > 0:  # each turn takes a vertex out of the heap
        n -= 1
        v = heap[0]
        at[v] = -1
        if n > 0:
            heap[0] = heap[n]
            at[heap[0]] = 0
            sink(heap, at, key, n)
        c = least_allowed(barred, v, room, weights[v])
        colors[v] = c
        if c < 0:
            continue
        room[c] -= weights[v]
        word, bit = np.uint64(c) >> SIX, ONE << (np.uint64(c) & LAST)
        for e in range(indptr[v], indptr[v + ONE32]):
            u = indices[e]
            if at[u] >= 0 and barred[u, word] & bit == ZERO:
                barred[u, word] |= bit
                key[u] -= ONE << np.uint64(32)
                rise(heap, at, key, at[u])


@njit(cache=True, nogil=True)
def least_allowed(barred: Any, v: Any, room: Any, weight: Any) -> Any:
    """The least color whose bit is 0, with room for a weight; −1 where there is none."""
    for w in range(barred.shape[1]):
        mask = ~barred[v, w]
        while mask != ZERO:
            c = (np.int64(w) << 6) + np.int64(ctz64(mask))
            if room[c] >= weight:
                return c
            mask &= mask - ONE
    return np.int64(-1)


@njit(cache=True, nogil=True)
def rise(heap: Any, at: Any, key: Any, i: Any) -> None:
    """Move the vertex of place i up to where it belongs."""
    v = heap[i]
    while i > 0 and key[heap[(i - 1) >> 1]] > key[v]:
        heap[i] = heap[(i - 1) >> 1]
        at[heap[i]] = i
        i = (i - 1) >> 1
    heap[i], at[v] = v, i


@njit(cache=True, nogil=True)
def sink(heap: Any, at: Any, key: Any, n: Any) -> None:
    """Move the first vertex down to where it belongs among the first n places."""
    v, i = heap[0], 0
    while 2 * i + 1 < n:
        child = 2 * i + 1
        if child + 1 < n and key[heap[child + 1]] < key[heap[child]]:
            child += 1
        if key[heap[child]] >= key[v]:
            break
        heap[i] = heap[child]
        at[heap[i]] = i
        i = child
    heap[i], at[v] = v, i
