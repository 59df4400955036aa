"""Orders by degrees at distance 2: how many other vertices share a net with one, each counted once.

As the literature defines them for partial distance 2 and for distance 2: the orders by degree of the squared graph, or
of the graph of columns that share a row, which is never stored. Largest first counts once. The dynamic orders take one
vertex after the other by a key that changes by 1 for each vertex that shares a net with it and has not been taken:

======================  =================  ====================  ================  =============
order                   key at first       taken is              others change by  filled from
======================  =================  ====================  ================  =============
smallest_last           two-hop degree     one of the least      −1                the end
dynamic_largest_first   two-hop degree     one of the largest    −1                the beginning
incidence_degree        0                  one of the largest    +1                the beginning
======================  =================  ====================  ================  =============

The vertices of a key are a doubly linked list. A vertex whose key changes goes to the front of its new list, so that of
several equals the last one changed is taken. Those with no change so far lie by tie order (id, or falling hash), for
incidence_degree by largest first. Time: the sizes of the nets of all vertices; memory: 20 bytes per vertex.

References
----------
Coleman, Moré 1983, "Estimation of sparse Jacobian matrices and graph coloring problems"; Gebremedhin, Nguyen, Patwary,
Pothen 2013, "ColPack: software for graph coloring and related problems in scientific computing", Section 3.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..device.compiled import njit
from ..hops import Hops
from .by_key import by_key
from .ties import tie_order

NONE = np.int32(-1)
TAKEN = np.int32(-1)


def largest_first(H: Hops, seed: int | None) -> Any:
    """Most other vertices in its nets first.

    Parameters
    ----------
    H : Hops
        On the CPU.
    seed : int or None

    Returns
    -------
    array of int32, shape (n,)
        First colored first.
    """
    key = degrees(H)
    return by_key(H, key, int(key.max(initial=0)), seed)


def smallest_last(H: Hops, seed: int | None) -> np.ndarray:
    """Each vertex shares nets with the fewest of those before it, of itself and those; as `largest_first`."""
    return _taken(H, degrees(H), tie_order(np, H.n, seed), largest=False, change=-1)[::-1].copy()


def dynamic_largest_first(H: Hops, seed: int | None) -> np.ndarray:
    """Each vertex shares nets with the most of those after it, of itself and those; as `largest_first`."""
    return _taken(H, degrees(H), tie_order(np, H.n, seed), largest=True, change=-1)


def incidence_degree(H: Hops, seed: int | None) -> np.ndarray:
    """Each vertex shares nets with the most of those before it, of itself and those after; as `largest_first`."""
    return _taken(H, np.zeros(H.n, np.int32), largest_first(H, seed), largest=True, change=1)


def degrees(H: Hops) -> np.ndarray:
    """Other vertices that share a net with each, counted once: int32, shape (n,).

    Parameters
    ----------
    H : Hops
        On the CPU.
    """
    return count_others(*_views(H), H.closed)


def _taken(H: Hops, key: np.ndarray, ties: np.ndarray, largest: bool, change: int) -> np.ndarray:
    """Vertices as they are taken; `key` is used up."""
    top = int(key.max(initial=0)) if change < 0 else H.n
    sequence = np.empty(H.n, np.int32)
    take_all(*_views(H), H.closed, key, np.ascontiguousarray(ties), top, largest, np.int32(change), sequence)
    return sequence


def _views(H: Hops) -> list[np.ndarray]:
    """The CSR arrays of nets and members, unsigned, which numba indexes without a wrap-around test."""
    nets, members = H.nets, H.members
    arrays = (nets.indptr, nets.indices, members.indptr, members.indices)
    return [a.view(f"u{a.itemsize}") for a in arrays]


@njit(cache=True, nogil=True)
def count_others(nets: Any, net: Any, members: Any, member: Any, closed: bool) -> Any:
    """How many different vertices share a net with each vertex, itself not counted."""
    n = nets.size - 1
    out = np.empty(n, np.int32)
    seen_by = np.full(n, NONE, np.int32)
    for v in range(n):
        seen_by[v] = v
        count = 0
        for e in range(nets[v], nets[v + 1]):
            if closed and seen_by[net[e]] != v:
                seen_by[net[e]] = v
                count += 1
            for k in range(members[net[e]], members[net[e] + np.uint32(1)]):
                u = member[k]
                if seen_by[u] != v:
                    seen_by[u] = v
                    count += 1
        out[v] = count
    return out


@njit(cache=True, nogil=True)
def take_all(
    nets: Any, net: Any, members: Any, member: Any, closed: bool, key: Any, ties: Any, top: Any, largest: bool,
    change: Any, sequence: Any,
) -> None:  # fmt: skip
    """Fill `sequence`; keys are 0 … `top`, and TAKEN (−1) of a vertex that is in it."""
    n = key.size
    heads = np.full(top + 1, NONE, np.int32)
    after, before = np.empty(n, np.int32), np.empty(n, np.int32)
    for v in ties[::-1]:
        _push(heads, after, before, key[v], v)
    seen_by = np.full(n, NONE, np.int32)
    at = top if largest and change < 0 else 0  # incidence degree begins with all keys at 0
    step = -1 if largest else 1
    for i in range(n):
        while heads[at] == NONE:  # ends: `n - i` vertices are in lists, and `at` has passed none of them
            at += step
        v = heads[at]
        _remove(heads, after, before, key[v], v)
        key[v] = TAKEN
        sequence[i] = v
        seen_by[v] = v
        lost = False
        for e in range(nets[v], nets[v + 1]):
            w = net[e]
            if closed and seen_by[w] != v:
                seen_by[w] = v
                lost |= _move(heads, after, before, key, np.int32(w), change)
            for k in range(members[w], members[w + np.uint32(1)]):
                u = member[k]
                if seen_by[u] != v:
                    seen_by[u] = v
                    lost |= _move(heads, after, before, key, np.int32(u), change)
        # Keys move by one, so that the next to be taken is at most one list further back.
        if lost and change > 0:
            at += 1
        elif lost and not largest and at > 0:
            at -= 1


@njit(cache=True, nogil=True, forceinline=True)
def _move(heads: Any, after: Any, before: Any, key: Any, u: Any, change: Any) -> bool:
    """Change the key of a vertex that has not been taken; whether there was one to change."""
    k = key[u]
    if k == TAKEN:
        return False
    _remove(heads, after, before, k, u)
    key[u] = k + change
    _push(heads, after, before, k + change, u)
    return True


@njit(cache=True, nogil=True, forceinline=True)
def _push(heads: Any, after: Any, before: Any, k: Any, u: Any) -> None:
    h = heads[k]
    after[u] = h
    before[u] = NONE
    if h != NONE:
        before[h] = u
    heads[k] = u


@njit(cache=True, nogil=True, forceinline=True)
def _remove(heads: Any, after: Any, before: Any, k: Any, u: Any) -> None:
    a, b = after[u], before[u]
    if b == NONE:
        heads[k] = a
    else:
        after[b] = a
    if a != NONE:
        before[a] = b
