"""First-fit of a `Task` on CPU threads.

One loop serves one thread and several: colors are written in place, as in problems/task.py. Threads take chunks of the
sequence in turn, and a vertex waits for its earlier neighbors that other threads are coloring. Colors within 64 of the
first allowed are bits of a word; where all of those are taken, the row is read again for the others, which are marked
in an array. (Whole graphs without a palette have loops of their own in sequential.py and copies.py, which keep colors
in a byte: rmat20 in natural order, a fifth to a quarter faster.)

Progress: the first vertex of the sequence without a color waits for none.

=========  ============================================================================
place      position of each active vertex in the sequence; others are not read
marks      marks[k] is the position of the last vertex that saw color first + k
=========  ============================================================================
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device import threads_for
from ...base.device.bits import in_window, least_unmarked
from ...base.device.compiled import njit
from ...base.device.intrinsics import ctz64, fetch_add, load_relaxed, prefetch, store_relaxed
from ...base.device.parallel import launch, look_again, parallel, slots
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...problems.task import NONE, PENDING, UNLIMITED, Palette
from .sequential import FAR, ONE, ONE32, TWO, ZERO, far_ahead

CHUNK = 256  # vertices that a thread takes at a time
FEW = 5  # threads, below which one is faster: two take 1.0 to 3.5 times as long
WORD = np.uint64(64)


def color_sequence(G: Graph, sequence: Any, colors: Any, palette: Palette | None, threads: int | None) -> None:
    """Color the vertices of `sequence` in place."""
    graph, n = unsigned(G), len(sequence)
    workers = threads_for(threads, G.m * n // max(G.n, 1))
    workers = 1 if workers < FEW else workers
    place = np.empty(G.n if workers > 1 else 0, np.int32)  # an array also where it is not read: one compiled loop
    if workers > 1:
        place[sequence] = np.arange(n, dtype=np.int32)
    room = G.max_degree + 1 + (int(np.diff(palette.offsets).max(initial=0)) if palette else 0)
    given, chunk = None if palette is None else tuple(palette), np.int64(CHUNK if workers > 1 else max(n, 1))
    launch(color_chunks, workers, slots(1), graph, sequence.view(np.uint32), place, colors, given, (room, chunk))


@parallel
def color_chunks(
    _: Any, taken: Any, graph: Any, sequence: Any, place: Any, colors: Any, palette: Any, sizes: Any
) -> None:
    """Color chunks of the sequence until none is left; `place` empty: there is no other thread."""
    (indptr, indices), (room, chunk) = graph, sizes
    n, marks = np.uint64(sequence.size), np.full(room, -1, np.int32)
    alone = place.size == 0
    while True:
        begin = np.uint64(fetch_add(taken, ZERO, chunk))
        if begin >= n:
            return
        for i in range(begin, min(begin + np.uint64(chunk), n)):
            far_ahead(indptr, indices, sequence, i, n)
            v = sequence[i]
            first, limit = np.int64(0), np.int64(UNLIMITED)
            if palette is not None:
                palette_ahead(palette, sequence, i, n)
                first, limit = np.int64(palette[0][v]), np.int64(palette[1][v])
            mask = ZERO
            e = indptr[v]
            end = indptr[v + ONE32]
            while e < end:
                u = indices[e]
                e += ONE32
                c = load_relaxed(colors, np.uint64(u))
                if c == PENDING and not alone and place[u] < i:
                    c = settled(colors, u, taken)
                mask |= in_window(c, first)
            if palette is not None:
                for j in range(palette[2][v], palette[2][v + ONE32]):
                    mask |= in_window(palette[3][j], first)
            if ~mask != ZERO:
                color = first + np.int64(ctz64(~mask))
            else:
                color = first + farther(indptr, indices, v, colors, palette, first, marks, np.int32(i))
            store_relaxed(colors, np.uint64(v), np.int32(color if color < limit else NONE))


@njit(cache=True, nogil=True, inline="always")
def palette_ahead(palette: Any, sequence: Any, i: Any, stop: Any) -> None:
    """As `far_ahead`, of the colors that later vertices may take."""
    far, near = sequence[min(i + TWO * FAR, stop - ONE)], sequence[min(i + FAR, stop - ONE)]
    prefetch(palette[0], far)
    prefetch(palette[1], far)
    prefetch(palette[2], far)
    prefetch(palette[3], np.uint64(palette[2][near]))


@njit(cache=True, nogil=True)
def settled(colors: Any, u: Any, shared: Any) -> Any:
    """The color of u, as soon as the thread that is coloring it has one."""
    looks, c = 0, load_relaxed(colors, np.uint64(u))
    while c == PENDING:
        looks = look_again(looks, shared)
        c = load_relaxed(colors, np.uint64(u))
    return c


@njit(cache=True, nogil=True)
def farther(indptr: Any, indices: Any, v: Any, colors: Any, palette: Any, first: Any, marks: Any, mine: Any) -> Any:
    """The least color allowed to v, less `first`, where it is 64 or more; all earlier neighbors have theirs."""
    room = np.uint64(marks.size)
    e = indptr[v]
    end = indptr[v + ONE32]
    while e < end:
        k = np.uint64(np.int64(load_relaxed(colors, np.uint64(indices[e]))) - first)
        if k < room:
            marks[k] = mine
        e += ONE32
    if palette is not None:
        for j in range(palette[2][v], palette[2][v + ONE32]):
            k = np.uint64(np.int64(palette[3][j]) - first)
            if k < room:
                marks[k] = mine
    return np.int64(least_unmarked(marks, mine, WORD))  # the bitmap has one more than neighbors and forbidden colors
