"""The graph of the vertices that share a net, on one core of a CPU.

Nets with the same vertices say the same, and one of them is read: a matrix of finite elements with d unknowns per node
has d rows of each pattern, and its nets are then read in 1 / d of the time. Equal nets have equal hashes; nets of equal
hashes are compared vertex by vertex.

==========  ==================================================================
first       whether a net is the first of those with its vertices
seen_by     of each vertex, the last one whose row has it
table       nets by hash, open addressing; EMPTY where there is none
==========  ==================================================================
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..device.bits import mix32
from ..device.compiled import njit
from ..device.intrinsics import prefetch
from .graph import Graph
from .pattern import Pattern

EMPTY = np.uint32(2**32 - 1)
ONE, ONE32, ZERO, HALF = np.uint64(1), np.uint32(1), np.uint64(0), np.uint64(32)
NEAR, FAR = np.uint64(4), np.uint64(8)  # vertices between a prefetch and its use: of nets, of their offsets
OTHER = np.uint64(0x9E3779B9)  # makes a second hash of an id


def distinct(members: Any, member: Any, closed: bool) -> np.ndarray:
    """Whether each net is the first of those with the same vertices."""
    number = len(members) - 1
    first, hashes = np.empty(number, np.bool_), np.empty(number, np.uint64)
    table = np.full(1 << max(2 * number - 1, 1).bit_length(), EMPTY, np.uint32)
    find_distinct(members, member, closed, hashes, table, first)
    return first


def graph_of_pairs(
    arrays: tuple[np.ndarray, ...], closed: bool, first: np.ndarray | None, most: int
) -> Graph | None:  # fmt: skip
    """The graph, None where it has more entries than `most`; `first`: nets that are read, None for all."""
    n = len(arrays[0]) - 1
    indptr, indices = np.zeros(n + 1, np.int64), np.empty(most + n + 1, np.int32)  # memory not written is not taken
    seen_by = np.full(n, EMPTY, np.uint32)
    if not fill(*arrays, closed, first, most, seen_by, indptr.view(np.uint64), indices.view(np.uint32)):
        return None
    rows = Pattern(indptr, indices[: int(indptr[-1])], n).T  # of a symmetric pattern: itself, sorted
    return Graph(rows.indptr, rows.indices)


@njit(cache=True, nogil=True)
def find_distinct(members: Any, member: Any, closed: bool, hashes: Any, table: Any, first: Any) -> None:
    """Fill `first`."""
    mask = np.uint64(table.size - 1)
    for net in range(np.uint64(first.size)):
        h = hash_of(np.uint64(net)) if closed else ZERO
        for e in range(members[net], members[net + ONE]):
            h += hash_of(np.uint64(member[e]))
        hashes[net] = h
        at = (h ^ (h >> HALF)) & mask
        first[net] = True
        while table[at] != EMPTY:  # ends: half of the table is empty
            other = np.uint64(table[at])
            if hashes[other] == h and are_equal(members, member, closed, other, np.uint64(net)):
                first[net] = False
                break
            at = (at + ONE) & mask
        if first[net]:
            table[at] = np.uint32(net)


@njit(cache=True, nogil=True)
def hash_of(v: Any) -> Any:
    """64 bits."""
    return (mix32(v) << HALF) | mix32(v ^ OTHER)


@njit(cache=True, nogil=True)
def are_equal(members: Any, member: Any, closed: bool, a: Any, b: Any) -> Any:
    """Whether two nets have the same vertices; closed ones then have each other's, which need not be entries."""
    i, j, end, last = members[a], members[b], members[a + ONE], members[b + ONE]
    if end - i != last - j:
        return False
    own = 0
    while i < end or j < last:
        if closed and i < end and np.uint64(member[i]) == b:
            i += ONE32
            own += 1
        elif closed and j < last and np.uint64(member[j]) == a:
            j += ONE32
            own += 1
        elif i >= end or j >= last or member[i] != member[j]:
            return False
        else:
            i += ONE32
            j += ONE32
    return own == 2 or not closed


@njit(cache=True, nogil=True)
def fill(
    nets: Any, net: Any, members: Any, member: Any, closed: bool, first: Any, most: Any, seen_by: Any, indptr: Any,
    indices: Any,
) -> Any:  # fmt: skip
    """Rows of the graph, not sorted; False where there are more entries than `most`.

    Each place is written before it is known whether it counts. A row has fewer than n entries.
    """
    at, last = ZERO, np.uint64(indptr.size - 2)
    for v in range(np.uint64(indptr.size - 1)):
        me = np.uint32(v)
        seen_by[v] = me
        far, near = min(v + FAR, last), min(v + NEAR, last)
        for e in range(nets[far], nets[far + ONE]):
            prefetch(members, np.uint64(net[e]))
        for e in range(nets[near], nets[near + ONE]):
            prefetch(member, np.uint64(members[np.uint64(net[e])]))
        if closed and (first is None or first[v]):
            at = add(members, member, np.uint64(v), me, seen_by, indices, at)
        for e in range(nets[v], nets[v + ONE]):
            w = np.uint64(net[e])
            if first is not None and not first[w]:
                continue
            if closed:
                indices[at] = np.uint32(w)
                at += np.uint64(seen_by[w] != me)
                seen_by[w] = me
            at = add(members, member, w, me, seen_by, indices, at)
        indptr[v + ONE] = at
        if at > np.uint64(most):
            return False
    return True


@njit(cache=True, nogil=True)
def add(members: Any, member: Any, w: Any, me: Any, seen_by: Any, indices: Any, at: Any) -> Any:
    """Add the vertices of a net that were not seen; returns where the next one goes."""
    for e in range(members[w], members[w + ONE]):
        u = np.uint64(member[e])
        indices[at] = np.uint32(u)
        at += np.uint64(seen_by[u] != me)
        seen_by[u] = me
    return at
