"""The graph of the vertices that share a net, on one core of a CPU.

Nets with the same vertices give the same pairs, so only one of them is read: a matrix of finite elements with d
unknowns per node has d rows of each pattern, and reading its nets then takes 1 / d of the time. Equal nets have equal
hashes; nets of equal hashes are compared vertex by vertex.

Vertices are processed by id, the order of the vertices in each net. A net is read from the present vertex on, so that
each pair is found at its earlier vertex, with half of the reads. `mirror` makes sorted rows from the pairs.

==========  ==================================================================
first       whether a net is the first one with its vertices
table       nets by hash, open addressing; EMPTY for a free entry
later       for each net, the begin of its remaining vertices
seen_by     for each vertex, the last vertex whose row has it
pairs       later vertices that share a net with each vertex; `ends`: their ends
==========  ==================================================================
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from semirings.sparse import offset_type

from ..base.device import large_pages, unsigned_view
from ..base.device.bits import mix32
from ..base.device.compiled import inner, njit
from ..base.device.intrinsics import prefetch
from .graph import Graph

EMPTY = np.uint32(2**32 - 1)
ONE, ONE32, ZERO, HALF = np.uint64(1), np.uint32(1), np.uint64(0), np.uint64(32)
NEAR, FAR = np.uint64(4), np.uint64(8)  # vertices between a prefetch and its use: of nets, of their offsets
OTHER = np.uint64(0x9E3779B9)  # makes a second hash of an id


def distinct(members: Any, member: Any, closed: bool) -> np.ndarray:
    """Return whether each net is the first one with its vertices."""
    number = len(members) - 1
    first, hashes = np.empty(number, np.bool_), np.empty(number, np.uint64)
    table = np.full(1 << max(2 * number - 1, 1).bit_length(), EMPTY, np.uint32)
    find_distinct(members, member, closed, hashes, table, first)
    return first


class DistinctPairs(NamedTuple):
    """Nets and state of a pass over the vertices by id."""

    nets: np.ndarray
    net: np.ndarray
    members: np.ndarray
    member: np.ndarray
    closed: bool
    later: np.ndarray
    seen_by: np.ndarray


def graph_of_pairs(
    arrays: tuple[np.ndarray, ...], closed: bool, first: np.ndarray | None, most: int
) -> Graph | None:  # fmt: skip
    """Return the graph, or None if it has more entries than `most`; `first`: nets that are read (None: all)."""
    nets, net, members, member = arrays
    n = len(nets) - 1
    ends, pairs = np.zeros(n + 1, np.uint64), np.empty(most // 2 + n + 1, np.uint32)  # only written pages take memory
    scan = DistinctPairs(nets, net, members, member, closed, members[:-1].copy(), np.full(n, EMPTY, np.uint32))
    if not fill(scan, first, most // 2, ends, pairs):
        return None
    m = 2 * int(ends[-1])
    indptr, indices = np.zeros(n + 1, offset_type(m)), large_pages(m, np.int32)
    mirror(ends, pairs, unsigned_view(indptr)[1:], unsigned_view(indices))
    return Graph(indptr, indices)


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


@inner()
def hash_of(v: Any) -> Any:
    """Return a hash of 64 bits."""
    return (mix32(v) << HALF) | mix32(v ^ OTHER)


@inner()
def are_equal(members: Any, member: Any, closed: bool, a: Any, b: Any) -> Any:
    """Return whether two nets have the same vertices; closed nets also have the vertices of their numbers."""
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
def fill(scan: DistinctPairs, first: Any, most: Any, ends: Any, pairs: Any) -> Any:
    """List the later vertices that share a net with each vertex, unsorted; return False if there are more than `most`.

    Each entry is written before the test whether it counts, without a branch. A row has fewer than n entries.
    """
    nets, net, at, last = scan.nets, scan.net, ZERO, np.uint64(ends.size - 2)
    for v in range(np.uint64(ends.size - 1)):
        me = np.uint32(v)
        far, near = min(v + FAR, last), min(v + NEAR, last)
        for e in range(nets[far], nets[far + ONE]):
            prefetch(scan.members, np.uint64(net[e]))
            prefetch(scan.later, np.uint64(net[e]))
        for e in range(nets[near], nets[near + ONE]):
            prefetch(scan.member, np.uint64(scan.later[np.uint64(net[e])]))
        if scan.closed and (first is None or first[v]):
            at = add(scan, np.uint64(v), np.uint32(0), me, pairs, at)
        for e in range(nets[v], nets[v + ONE]):
            w = np.uint64(net[e])
            if first is not None and not first[w]:
                continue
            if scan.closed and w > v:
                pairs[at] = np.uint32(w)
                at += np.uint64(scan.seen_by[w] != me)
                scan.seen_by[w] = me
            at = add(scan, w, ONE32, me, pairs, at)
        ends[v + ONE] = at
        if at > np.uint64(most):
            return False
    return True


@inner()
def add(scan: DistinctPairs, w: Any, own: Any, me: Any, pairs: Any, at: Any) -> Any:
    """Add the later unseen vertices of a net, after the first `own` ones; return the next free position."""
    begin = scan.later[w] + own
    scan.later[w] = begin
    for e in range(begin, scan.members[w + ONE]):
        u = np.uint64(scan.member[e])
        pairs[at] = np.uint32(u)
        at += np.uint64(scan.seen_by[u] != me)
        scan.seen_by[u] = me
    return at


@njit(cache=True, nogil=True)
def mirror(ends: Any, pairs: Any, at: Any, indices: Any) -> None:
    """Write sorted rows, and their ends to `at`: the earlier vertices, then the later ones, from the rows of these."""
    n, sum_, begin = np.uint64(at.size), at.dtype.type(0), at.dtype.type(0)
    for e in range(ends[n]):
        at[pairs[e]] += at.dtype.type(1)
    for v in range(n):
        count = at[v] + at.dtype.type(ends[v + ONE] - ends[v])
        at[v] = sum_
        sum_ += count
    for v in range(n):
        for e in range(ends[v], ends[v + ONE]):
            u = np.uint64(pairs[e])
            indices[at[u]] = np.uint32(v)
            at[u] += at.dtype.type(1)
    for v in range(n):
        end = at[v]
        for e in range(begin, end):
            u = np.uint64(indices[e])
            indices[at[u]] = np.uint32(v)
            at[u] += at.dtype.type(1)
        begin = end + at.dtype.type(ends[v + ONE] - ends[v])
