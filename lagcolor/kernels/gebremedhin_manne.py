"""Gebremedhin–Manne: threads color as if alone; the few vertices that were colored blindly are mended after.

The three phases of the paper's Algorithm 2 (block-partition-based coloring), with two departures.

Phase 1 in natural order reads only the smaller neighbours, as sequential first-fit does. A vertex is
in danger exactly if one of them had no color yet, which it sees while it colors itself and notes: no
pass over the edges is needed to find the conflicts (phase 2), for every other edge was respected by
its larger end. In other orders phase 2 is the paper's.

The schedule follows the ids. Where few edges join the blocks (meshes and roads in their natural
numbering), each thread takes one block of n / threads vertices; where many do, threads take short
chunks in turn, so that only a few hundred vertices are ever in flight together.

Phase 3 is sequential: each vertex in danger that shares its color with a neighbour takes the least
free color. It ends, for it is one pass, and leaves no conflict: one end of each bad edge is in the list.

References
----------
Gebremedhin, Manne 2000, "Scalable parallel graph coloring algorithms", Concurrency: Practice and
Experience 12(12), Algorithm 2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from .. import threads as cpu_threads
from ..graph import Graph
from ..intrinsics import ctz64, fetch_add, load_relaxed, store_relaxed
from ..priorities import Priorities
from ..registry import coloring
from ..result import Log
from ..sequential.greedy import (
    NARROW_MAX,
    ONE,
    ONE32,
    THREE,
    ZERO,
    ahead,
    first_fit,
    flag_bytes,
    least_free,
    unsigned,
    wide_dtype,
    zero_based,
)  # fmt: skip

CHUNK = 512
SAMPLE = 1024  # rows looked at to choose the schedule
FEW = 0.02  # share of edges between blocks up to which blocks are taken
# Slots of `shared`: first position not taken; whether a mask was too narrow; number of vertices in danger.
NEXT, FULL, PENDING = np.uint64(0), np.uint64(1), np.uint64(2)


@coloring(
    "gebremedhin_manne",
    style="kernel",
    paper="Gebremedhin and Manne 2000, Algorithm 2",
    engines=("cpu",),
    bound="Δ+1",
    oracle=None,
    deterministic=False,
    order="natural",
    seed=None,
    needs="sequence",
    options={
        "threads": "CPU threads; default: one a core, or one alone for small graphs",
        "chunk": "vertices that a thread takes at a time; default: chosen from the share of edges between blocks",
    },
)
def gebremedhin_manne(
    G: Graph, p: Priorities, log: Log, threads: int | None = None, chunk: int | None = None
) -> np.ndarray:
    """Speculative parallel first-fit, then a sequential repair of the few conflicts."""
    indptr, indices = unsigned(G)
    sequence = None if p.is_natural else p.sequence.view(np.uint32)
    workers = cpu_threads.count(threads, G.m)
    if workers == 1:
        log.round(active=G.n, colored=G.n, conflicts=0, ms=None)
        return first_fit(indptr, indices, sequence, G.max_degree)
    block = -(-G.n // workers)
    if chunk is None:
        chunk = block if crossing(indptr, indices, sequence, np.uint32(block)) <= FEW else CHUNK
    scratch, pending = _speculate(indptr, indices, sequence, G.max_degree, workers, np.int64(max(chunk, 1)))
    mended = repair(indptr, indices, pending, scratch, flag_bytes(G.max_degree))
    log.round(active=G.n, colored=G.n - mended, conflicts=mended, ms=None)
    log.round(active=mended, colored=mended, conflicts=0, ms=None)
    return zero_based(scratch)


def _speculate(
    indptr: Any, indices: Any, sequence: Any, max_degree: int, workers: int, chunk: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Phases 1 and 2: color + 1 of each vertex, and the vertices in danger."""
    n = len(indptr) - 1
    scratch = np.zeros(n, np.uint8)
    pending = np.empty(n, np.uint32)
    shared = np.zeros(3, np.int64)
    graph = indptr, indices, sequence
    cpu_threads.run(lambda _: narrow_blind(*graph, scratch, pending, shared, chunk), workers)
    if shared[FULL]:
        # Start anew: pending vertices may be listed once only, and few graphs come here.
        scratch = scratch.astype(wide_dtype(max_degree))
        scratch[:] = 0
        shared[:] = 0
        cpu_threads.run(lambda _: wide_blind(*graph, scratch, flag_bytes(max_degree), pending, shared, chunk), workers)
    if sequence is not None:
        shared[:] = 0
        cpu_threads.run(lambda _: detect(indptr, indices, scratch, pending, shared), workers)
    return scratch, np.sort(pending[: shared[PENDING]])


@njit(cache=True)
def crossing(indptr: Any, indices: Any, sequence: Any, block: Any) -> Any:
    """Share of the edges of some sampled vertices that lead to another block of ids; 1 in other orders."""
    n = indptr.size - 1
    if sequence is not None:
        return 1.0
    seen = crossed = 0
    for k in range(min(SAMPLE, n)):
        v = np.uint32(k * n // min(SAMPLE, n))
        for e in range(indptr[v], indptr[v + ONE32]):
            seen += 1
            crossed += indices[e] // block != v // block
    return crossed / max(seen, 1)


@njit(cache=True, nogil=True)
def narrow_blind(indptr: Any, indices: Any, sequence: Any, scratch: Any, pending: Any, shared: Any, chunk: Any) -> None:
    """Phase 1 with one-word masks; sets FULL and stops where a vertex needs a color over 62."""
    n = np.uint64(scratch.size)
    while load_relaxed(shared, FULL) == 0:
        first = np.uint64(fetch_add(shared, NEXT, chunk))
        if first >= n:
            return
        for i in range(first, min(first + np.uint64(chunk), n)):
            if sequence is None:
                v = np.uint32(i)
            else:
                ahead(indptr, indices, sequence, i)
                v = sequence[i]
            mask = ONE
            blind = False
            e = indptr[v]
            end = indptr[v + ONE32]
            while e < end:
                u = indices[e]
                e += ONE32
                if sequence is None and u >= v:
                    break
                c = load_relaxed(scratch, np.uint64(u))
                if sequence is None:
                    blind |= c == scratch.dtype.type(0)
                mask |= ONE << np.uint64(c)
            bit = ctz64(~mask)
            if bit > NARROW_MAX:
                store_relaxed(shared, FULL, 1)
                return
            store_relaxed(scratch, np.uint64(v), scratch.dtype.type(bit))
            if blind:
                pending[fetch_add(shared, PENDING, 1)] = v


@njit(cache=True, nogil=True)
def wide_blind(
    indptr: Any, indices: Any, sequence: Any, scratch: Any, words: Any, pending: Any, shared: Any, chunk: Any
) -> None:
    """Phase 1 with a flag a color; `words` is this thread's own."""
    n = np.uint64(scratch.size)
    flags = words.view(np.uint8)
    while True:
        first = np.uint64(fetch_add(shared, NEXT, chunk))
        if first >= n:
            return
        for i in range(first, min(first + np.uint64(chunk), n)):
            if sequence is None:
                v = np.uint32(i)
            else:
                ahead(indptr, indices, sequence, i)
                v = sequence[i]
            e = indptr[v]
            end = indptr[v + ONE32]
            top = np.uint64(end - e) + ONE  # first-fit never passes degree + 1
            for w in range((top >> THREE) + ONE):
                words[w] = ZERO
            flags[0] = 1
            blind = False
            while e < end:
                u = indices[e]
                e += ONE32
                if sequence is None and u >= v:
                    break
                c = np.uint64(load_relaxed(scratch, np.uint64(u)))
                if sequence is None:
                    blind |= c == ZERO
                flags[c if c <= top else ZERO] = 1
            store_relaxed(scratch, np.uint64(v), scratch.dtype.type(least_free(words)))
            if blind:
                pending[fetch_add(shared, PENDING, 1)] = v


@njit(cache=True, nogil=True)
def detect(indptr: Any, indices: Any, scratch: Any, pending: Any, shared: Any) -> None:
    """Phase 2: note the larger end of each edge whose ends share a color."""
    n = np.uint64(scratch.size)
    while True:
        first = np.uint64(fetch_add(shared, NEXT, CHUNK))
        if first >= n:
            return
        for v in range(np.uint32(first), np.uint32(min(first + np.uint64(CHUNK), n))):
            for e in range(indptr[v], indptr[v + ONE32]):
                u = indices[e]
                if u >= v:
                    break
                if scratch[u] == scratch[v]:
                    pending[fetch_add(shared, PENDING, 1)] = v
                    break


@njit(cache=True)
def repair(indptr: Any, indices: Any, pending: Any, scratch: Any, words: Any) -> Any:
    """Phase 3: give each listed vertex that is in conflict the least free color; returns how many were."""
    flags = words.view(np.uint8)
    mended = 0
    for v in pending:
        e = indptr[v]
        end = indptr[v + ONE32]
        top = np.uint64(end - e) + ONE
        for w in range((top >> THREE) + ONE):
            words[w] = ZERO
        flags[0] = 1
        conflict = False
        while e < end:
            c = np.uint64(scratch[indices[e]])
            conflict |= c == np.uint64(scratch[v])
            flags[c if c <= top else ZERO] = 1
            e += ONE32
        if conflict:
            scratch[v] = least_free(words)
            mended += 1
    return mended
