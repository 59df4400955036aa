"""A large clique, greedily: no coloring has fewer colors than a clique has vertices, so that a search may end there.

From each of some vertices: the candidates are its neighbours; take one, keep of the candidates its neighbours, and so
on until none is left. While there are many candidates the one of largest degree is taken, the smallest id of several;
the last FEW are compared by bit masks, and the one with the most neighbours among them is taken. That finds a row of a
queens' board, the cell of a stencil and the core of most power-law graphs; how far it is from the largest clique is
unknown.

It begins in each of SPREAD stretches of ids at the vertex of largest degree, the largest degrees first, and with as
many of these as have one 64th of the graph's entries as candidates. The size found is the same on CPU and GPU: a
start that cannot beat the best so far is given up, which does not change the largest.

==========  ============================================================================================================
best        size of the largest clique so far
enough      size at which to end: nothing larger is of use
room        candidates of the present start; on a GPU of all starts, twice, since a filter writes to the other half
==========  ============================================================================================================

Device memory: 8 bytes a candidate, so an eighth of a byte an entry or a quarter of a megabyte, and 4 bytes a vertex.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from .. import device as dev
from ..compiled import njit
from ..graph import Graph
from ..intrinsics import ctz64
from ..sequential.greedy import unsigned
from .exchange_cpu import ones

SOURCE = Path(__file__).with_suffix(".cu")
BLOCK, FEW = 128, 64  # clique.cu: threads of a block; candidates that one word has a bit for
SPREAD, SHARE, LEAST = 1024, 64, 1 << 15  # starts; graph's entries by candidates; candidates that are always allowed
AT_ONCE = 1 << 11  # candidates between two looks at the clock
ZERO, ONE = np.uint64(0), np.uint64(1)
ONE32 = np.uint32(1)


def clique_size(G: Graph, enough: int = 2**31 - 1, deadline: float | None = None) -> int:
    """Number of vertices of a clique, at least 2 where there is an edge.

    Parameters
    ----------
    G : Graph
    enough : int
        A size at which to stop.
    deadline : float, optional
        Moment of `time.perf_counter` at which to end with what there is, on a CPU.

    Returns
    -------
    int
        The same on CPU and GPU, and on every run without a deadline.
    """
    least = min(G.n, 1 + (G.m > 0))
    if G.m == 0 or least >= enough:
        return least
    with dev.using(G.indices):
        starts, candidates = starts_of(G)
        if len(starts) == 0:
            return least
        if G.on_gpu:
            return _on_gpu(dev.cupy(), G, starts, candidates, least, enough)
        return _on_cpu(G, starts, candidates, least, enough, deadline)


def starts_of(G: Graph) -> tuple[np.ndarray, np.ndarray]:
    """Where to begin, int32 and int64 on the CPU: vertices, and how many candidates those before each have."""
    xp, size = G.xp, -(-G.n // SPREAD)
    degrees = xp.zeros((-(-G.n // size), size), np.int32)
    degrees.reshape(-1)[: G.n] = xp.diff(G.indptr)
    at = degrees.argmax(1)
    largest = xp.take_along_axis(degrees, at[:, None], 1)[:, 0]
    if G.on_gpu:
        at, largest = dev.cupy().asnumpy(at), dev.cupy().asnumpy(largest)
    starts, largest = (at + size * np.arange(len(at))).astype(np.int32), largest.astype(np.int64)
    most = max(G.m // SHARE, LEAST)
    fitting = np.flatnonzero((largest > 0) & (largest <= most))
    order = fitting[np.argsort(-largest[fitting], kind="stable")]
    before = np.append(0, np.cumsum(largest[order]))
    count = int(np.searchsorted(before, most, side="right")) - 1
    return starts[order[:count]], before[: count + 1]


def _on_cpu(G: Graph, starts: Any, before: Any, best: int, enough: int, deadline: float | None) -> int:
    graph, done = unsigned(G), 0
    room = np.empty(int(np.diff(before).max()), np.uint32)
    while done < len(starts) and best < enough and not (done and deadline and time.perf_counter() > deadline):
        end = max(int(np.searchsorted(before, before[done] + AT_ONCE, side="right")) - 1, done + 1)
        best = int(largest_from(*graph, starts[done:end].view(np.uint32), best, enough, room))
        done = end
    return best


def _on_gpu(cp: Any, G: Graph, starts: Any, before: Any, best: int, enough: int) -> int:
    """A block a start, in one launch."""
    total = int(before[-1])
    room, found = cp.empty(2 * total, np.int32), cp.full(1, best, np.int32)
    kernel = dev.kernel(SOURCE, "grow", OFFSET_BITS=8 * G.indptr.itemsize)
    args = (G.indptr, G.indices, cp.asarray(starts), cp.asarray(before), room, np.int64(total), found, np.int64(enough))
    kernel((len(starts),), (BLOCK,), args)
    return int(found[0])


@njit(cache=True, nogil=True)
def largest_from(indptr: Any, indices: Any, starts: Any, best: Any, enough: Any, room: Any) -> Any:
    """The largest size from these starts, or `best`."""
    masks = np.empty(FEW, np.uint64)
    for v in starts:
        if best >= enough:
            break
        best = max(best, grow(indptr, indices, v, best, room, masks))
    return best


@njit(cache=True, nogil=True)
def grow(indptr: Any, indices: Any, v: Any, best: Any, room: Any, masks: Any) -> Any:
    """Size of a clique from v; less, or anything up to `best`, where it cannot be larger than that."""
    begin = np.int64(indptr[v])
    left = np.int64(indptr[v + ONE32]) - begin
    room[:left] = indices[begin : begin + left]
    size = 1
    while left > FEW:
        if size + left <= best:
            return size
        left = keep(indptr, indices, heaviest(indptr, room, left), room, left)
        size += 1
    if size + left <= best:
        return size
    return size + among_few(indptr, indices, room, left, masks)


@njit(cache=True, nogil=True)
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
    """Keep the neighbours of u among the candidates; returns how many. Both are sorted."""
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
def among_few(indptr: Any, indices: Any, room: Any, left: Any, masks: Any) -> Any:
    """Size of a clique among up to FEW candidates, each step by the most neighbours that stay."""
    for i in range(left):
        u, bits = room[i], ZERO
        j = 0
        e, end = np.int64(indptr[u]), np.int64(indptr[u + ONE32])
        if end - e > 64 * left:
            for j in range(left):
                bits |= np.uint64(has(indices, e, end, room[j])) << np.uint64(j)
        else:
            while e < end and j < left:
                if indices[e] == room[j]:
                    bits |= ONE << np.uint64(j)
                    e += 1
                    j += 1
                elif indices[e] < room[j]:
                    e += 1
                else:
                    j += 1
        masks[i] = bits
    return by_masks(masks, left)


@njit(cache=True, nogil=True)
def by_masks(masks: Any, left: Any) -> Any:
    """The same with the adjacency in bits."""
    size = 0
    here = ZERO
    for i in range(left):
        here |= ONE << np.uint64(i)
    while here != ZERO:  # each step takes a candidate, which is no neighbour of itself
        most, rest, todo = -1, ZERO, here
        while todo != ZERO:
            stay = masks[ctz64(todo)] & here
            count = ones(stay)
            if count > most:
                most, rest = count, stay
            todo &= todo - ONE
        here = rest
        size += 1
    return size


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
