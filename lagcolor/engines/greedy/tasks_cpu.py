"""First-fit of a `Task` on one core.

Colors are written in place, as in problems/task.py. Those within 64 of the first allowed are bits of a word; where all
of those are taken, the row is read again for the others, which are marked in an array: marks[k] is the position of the
last vertex that saw color first + k. (Whole graphs without a palette have loops of their own in sequential.py and
copies.py, which keep colors in a byte: rmat20 in natural order, a fifth to a quarter faster.)

Several threads color chunks and read whatever colors are there, in engines/rounds/repair.py alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device.bits import in_window, least_unmarked
from ...base.device.compiled import njit
from ...base.device.intrinsics import ctz64, fetch_add, load_relaxed, prefetch, store_relaxed
from ...base.device.parallel import launch, parallel, slots
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...problems.task import NONE, UNLIMITED, Palette
from .sequential import FAR, ONE, ONE32, TWO, ZERO, far_ahead

WORD = np.uint64(64)


def color_sequence(G: Graph, sequence: Any, colors: Any, palette: Palette | None) -> None:
    """Color the vertices of `sequence` in place."""
    room = G.max_degree + 1 + (int(np.diff(palette.offsets).max(initial=0)) if palette else 0)
    given, chunk = None if palette is None else tuple(palette), np.int64(max(len(sequence), 1))
    launch(color_chunks, 1, slots(1), unsigned(G), sequence.view(np.uint32), colors, given, (room, chunk))


@parallel
def color_chunks(_: Any, taken: Any, graph: Any, sequence: Any, colors: Any, palette: Any, sizes: Any) -> None:
    """Color chunks of the sequence until none is left."""
    (indptr, indices), (room, chunk) = graph, sizes
    n, marks = np.uint64(sequence.size), np.full(room, -1, np.int32)
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
                mask |= in_window(load_relaxed(colors, np.uint64(indices[e])), first)
                e += ONE32
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
