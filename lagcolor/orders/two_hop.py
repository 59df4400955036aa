"""Orders by degrees at distance 2: the number of other vertices that share a net with a vertex, each counted once.

As in the literature on distance 2 and partial distance 2, these are the orders by degree of the squared graph, or of
the graph of columns that share a row. This graph is never stored. Largest first counts degrees once. The dynamic orders
take one vertex after the other by its key, and change the keys of the vertices that share a net with it by 1:

======================  =================  ====================  ================  =============
order                   initial key        taken next            others change by  filled from
======================  =================  ====================  ================  =============
smallest_last           two-hop degree     one of the least      −1                the end
dynamic_largest_first   two-hop degree     one of the largest    −1                the beginning
incidence_degree        0                  one of the largest    +1                the beginning
======================  =================  ====================  ================  =============

The vertices of a key are a doubly linked list. A vertex whose key changes moves to the front of its new list, so that
of equal vertices the last one changed is taken. Neighbors change before vertices at distance two. Initially vertices
are in tie order (id, or decreasing hash), so that the first of them is colored first; smallest_last takes it last. For
incidence_degree they are in the order largest first. Time: the sizes of the nets of all vertices; memory: 24 bytes per
vertex.

On a five-point grid smallest_last and incidence_degree give 5 colors at distance 2, the optimum. If neighbors changed
last, or each together with the net around it, both would give 7.

References
----------
Coleman, Moré 1983, "Estimation of sparse Jacobian matrices and graph coloring problems"; Gebremedhin, Nguyen, Patwary,
Pothen 2013, "ColPack: software for graph coloring and related problems in scientific computing", Section 3.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import device as dev
from ..base.device import extremes, threads_for, unsigned_view
from ..base.device.compiled import filled, inner, njit
from ..base.device.intrinsics import fetch_add
from ..base.device.parallel import launch, parallel, slots
from ..graph.nets import Nets, csr, offsets_of
from .by_key import by_key
from .ties import tie_order

NONE = np.int32(-1)
TAKEN = np.int32(-1)
ONE = np.uint32(1)
CHUNK = 1024  # vertices that a thread takes at a time
SOURCE = dev.Source(__file__, "two_hop_degrees.cu", BLOCK=128)
WARP = 32
MANY = 512  # threads that count around a vertex with many entries in its nets
SLOTS = (256, 2048)  # sizes of a warp's table
GROUPS = (4, 8, 32)  # lanes that read a net


def largest_first(nets: Nets, seed: int | None) -> Any:
    """Vertices with the most other vertices in their nets first."""
    key = degrees(nets)
    return by_key(nets, key, extremes.largest(key, empty=0), seed)


def smallest_last(nets: Nets, seed: int | None) -> np.ndarray:
    """Smallest last on a CPU: of itself and all earlier vertices, each shares nets with the fewest of them."""
    return _taken(nets, degrees(nets), tie_order(np, nets.n, seed)[::-1], largest=False, change=-1)[::-1].copy()


def dynamic_largest_first(nets: Nets, seed: int | None) -> np.ndarray:
    """Dynamic largest first on a CPU: of itself and all later vertices, each shares nets with the most of them."""
    return _taken(nets, degrees(nets), tie_order(np, nets.n, seed), largest=True, change=-1)


def incidence_degree(nets: Nets, seed: int | None) -> np.ndarray:
    """Incidence degree on a CPU: of itself and all later vertices, each shares nets with the most earlier ones."""
    return _taken(nets, np.zeros(nets.n, np.int32), largest_first(nets, seed), largest=True, change=1)


def degrees(nets: Any) -> Any:
    """Number of other vertices that share a net with each vertex, or neighbors in a graph: int32, shape (n,)."""
    if nets.hops == 1:
        return nets.degrees
    if nets.on_gpu:
        return _degrees_on_gpu(nets)
    out, workers = np.empty(nets.n, np.int32), threads_for(None, nets.m)
    launch(count_others, workers, slots(1), *_views(nets), nets.closed, np.int64(CHUNK), out)
    return out


def _degrees_on_gpu(nets: Nets) -> Any:
    """`degrees` on a GPU: a warp or a block per vertex (two_hop_degrees.cu); 8 bytes per vertex with the result."""
    cp, n = dev.cupy(), nets.n
    out, many = cp.empty(n, np.int32), cp.empty(n, np.int32)
    if n == 0:
        return out
    mean = nets.m / max(nets.of_vertices.columns, 1)
    around = nets.members.degree_extremes.squares / n if nets.m else 0  # mean number of entries in a vertex's nets
    slots = SLOTS[0] if 2 * around <= SLOTS[0] else SLOTS[1]
    group = next((lanes for lanes in GROUPS if mean <= 2 * lanes), GROUPS[-1])
    run, args = SOURCE.of(offsets_of(nets), SLOTS=slots, GROUP=group), (np.int64(n), *csr(nets))
    length, head = cp.zeros(1, np.uint32), cp.zeros(1, np.uint32)
    run.launch("count_few", n * WARP, *args, out, many, length, most=8 * run.resident("count_few"))
    blocks = run.resident("count_many", block=MANY)
    run.launch("count_many", (blocks,), *args, many, length, head, out, block=MANY)
    return out


def _taken(nets: Nets, key: np.ndarray, ties: np.ndarray, largest: bool, change: int) -> np.ndarray:
    """Vertices in the order of taking. Overwrites `key`."""
    top = int(key.max(initial=0)) if change < 0 else nets.n
    sequence = np.empty(nets.n, np.int32)
    take_all(*_views(nets), nets.closed, key, np.ascontiguousarray(ties), top, largest, np.int32(change), sequence)
    return sequence


def _views(nets: Nets) -> tuple[Any, Any, Any, Any]:
    """CSR arrays of nets and members as unsigned integers."""
    a, b, c, d = map(unsigned_view, csr(nets)[:4])
    return a, b, c, d


@parallel
def count_others(
    t: Any, shared: Any, nets: Any, net: Any, members: Any, member: Any, closed: Any, chunk: Any, out: Any
) -> None:  # fmt: skip
    """Count the other vertices that share a net with each vertex, in chunks of vertices until none is left."""
    n = np.uint64(out.size)
    seen_by = filled(np.int64(n), NONE, np.int32)
    while True:
        begin = np.uint64(fetch_add(shared, np.uint64(0), chunk))
        if begin >= n:
            return
        for v in range(begin, min(begin + np.uint64(chunk), n)):
            out[v] = others(nets, net, members, member, closed, np.uint32(v), seen_by, None)


@njit(cache=True, nogil=True)
def take_all(
    nets: Any, net: Any, members: Any, member: Any, closed: bool, key: Any, ties: Any, top: Any, largest: bool,
    change: Any, sequence: Any,
) -> None:  # fmt: skip
    """Fill `sequence`; keys are 0 … `top`, and TAKEN (−1) for vertices in it."""
    n = np.uint64(key.size)
    heads = filled(top + 1, NONE, np.int32)
    after, before = np.empty(n, np.int32), np.empty(n, np.int32)
    for v in ties[::-1]:
        first = heads[key[v]]
        after[v], before[v] = first, NONE
        if first != NONE:
            before[first] = v
        heads[key[v]] = v
    seen_by, near = filled(np.int64(n), NONE, np.int32), np.empty(n + np.uint64(1), np.uint32)
    at = np.int64(top) if largest and change < 0 else np.int64(0)  # incidence degree begins with all keys at 0
    for i in range(n):
        while heads[np.uint64(at)] == NONE:  # ends: n − i vertices are in lists that `at` has not passed
            at += -1 if largest else 1
        v = heads[np.uint64(at)]
        following = after[np.uint64(v)]
        heads[np.uint64(at)] = following
        if following != NONE:
            before[np.uint64(following)] = NONE
        key[np.uint64(v)] = TAKEN
        sequence[i] = v
        count = others(nets, net, members, member, closed, np.uint32(v), seen_by, near)
        moved = False
        for j in range(count):
            u = np.uint64(near[np.uint64(j)])
            k = key[u]
            if k == TAKEN:
                continue
            moved = True
            a, b = after[u], before[u]
            if b == NONE:
                heads[np.uint64(k)] = a
            else:
                after[np.uint64(b)] = a
            if a != NONE:
                before[np.uint64(a)] = b
            k += change
            key[u] = k
            first = heads[np.uint64(k)]
            after[u], before[u] = first, NONE
            if first != NONE:
                before[np.uint64(first)] = np.int32(u)
            heads[np.uint64(k)] = np.int32(u)
        # Keys change by one, so the next vertex is at most one list back.
        if moved and change > 0:
            at += 1
        elif moved and not largest and at > 0:
            at -= 1


@inner()
def others(nets: Any, net: Any, members: Any, member: Any, closed: bool, v: Any, seen_by: Any, near: Any) -> Any:
    """Count the other vertices in the nets of v, each once; write them to `near` unless it is None."""
    me = np.int32(v)
    seen_by[v] = me
    count = np.uint64(0)
    end = nets[v + ONE]
    if closed:
        e = nets[v]
        while e < end:
            w = net[e]
            e += ONE
            if near is not None:
                near[count] = w
            count += np.uint64(seen_by[w] != me)
            seen_by[w] = me
    e = nets[v]
    while e < end:
        w = net[e]
        e += ONE
        k, last = members[w], members[w + ONE]
        while k < last:
            u = member[k]
            k += ONE
            if near is not None:
                near[count] = u
            count += np.uint64(seen_by[u] != me)
            seen_by[u] = me
    return count
