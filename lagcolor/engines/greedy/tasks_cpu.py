"""First-fit of some vertices around others that have their colors: on one core, or by threads that speculate.

Colors are written in place, as in problems/task.py. Those within 64 of the first allowed are bits of a word; where all
of those are taken, the row is read again for the next 64. (Whole graphs without a palette have loops of their own in
sequential.py and copies.py, which keep colors in a byte: rmat20 in natural order, a fifth to a quarter faster.)

Several threads color chunks and read whatever colors are there, in engines/rounds/ alone. A vertex that saw an earlier
neighbor without a color is a suspect.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device.bits import in_window, least_unmarked
from ...base.device.compiled import njit
from ...base.device.intrinsics import ctz64, fetch_add, load_relaxed, prefetch, store_relaxed
from ...base.device.parallel import launch, parallel, slots
from ...problems.task import NONE, PENDING, UNLIMITED
from .sequential import FAR, ONE, ONE32, TWO, ZERO, far_ahead

RANGE = 256  # entries of FORBIDDEN
NEXT, KEPT, SLOTS = np.uint64(0), np.uint64(8), 16  # of `shared`: the next place, the number of suspects; and its size


def color_in_chunks(
    graph: tuple[Any, Any], sequence: Any, colors: Any, workers: int, chunk: int, palette: Any = None,
    bits: bool = True, ranks: Any = None, suspects: Any = None, by_id: bool = False,
) -> int:  # fmt: skip
    """Color the vertices of `sequence` in place, with several `workers` by speculation; returns the number of suspects.

    Of two vertices the earlier one has the larger rank; None: the smaller id. `by_id`: a vertex reads its neighbors of
    smaller id alone. Without `bits` colors are marked in an array.
    """
    shared, forbidden = slots(SLOTS), None if bits else np.full((workers, RANGE), -1, np.int64)
    how = np.int64(max(1, chunk)), by_id
    launch(color_chunks, workers, shared, *graph, sequence, colors, palette, how, forbidden, ranks, suspects)
    return int(shared[int(KEPT)])


@parallel
def color_chunks(
    t: Any, shared: Any, indptr: Any, indices: Any, sequence: Any, colors: Any, palette: Any, how: Any,
    forbidden: Any, ranks: Any, suspects: Any,
) -> None:  # fmt: skip
    """Color chunks of the sequence until none is left.

    ``forbidden[t]`` holds at k the last look that saw the k-th color of a range; None: bits.
    """
    chunk, by_id = how
    n, width, looks = np.uint64(sequence.size), np.uint64(64 if forbidden is None else RANGE), 0
    while True:
        begin = np.uint64(fetch_add(shared, NEXT, chunk))
        if begin >= n:
            return
        for i in range(begin, min(begin + np.uint64(chunk), n)):
            far_ahead(indptr, indices, sequence, i, n)
            v, suspect = sequence[i], False
            color, limit = np.int32(0), np.int32(UNLIMITED)
            if palette is not None:
                palette_ahead(palette, sequence, i, n)
                color, limit = palette[0][v], palette[1][v]
            free = width
            while free == width:
                mask = ZERO
                looks += 1
                e, end = indptr[v], indptr[v + ONE32]
                while e < end:
                    u = indices[e]
                    if by_id and u >= v:
                        break
                    e += ONE32
                    c = load_relaxed(colors, np.uint64(u))
                    if c == PENDING:
                        suspect |= u < v if ranks is None else ranks[u] > ranks[v]
                    k = np.uint64(np.uint32(c - color))
                    if k < width:
                        if forbidden is None:
                            mask |= ONE << k
                        else:
                            forbidden[t, k] = looks
                if palette is not None:
                    for j in range(palette[2][v], palette[2][v + ONE32]):
                        mask |= in_window(palette[3][j], color)
                free = ctz64(~mask) if forbidden is None else least_unmarked(forbidden[t], looks, ZERO)
                color += np.int32(free)
            store_relaxed(colors, np.uint64(v), np.int32(color if color < limit else NONE))
            if suspects is not None and suspect:
                suspects[fetch_add(shared, KEPT, 1)] = v


@njit(cache=True, nogil=True, inline="always")
def palette_ahead(palette: Any, sequence: Any, i: Any, stop: Any) -> None:
    """As `far_ahead`, of the colors that later vertices may take."""
    far, near = sequence[min(i + TWO * FAR, stop - ONE)], sequence[min(i + FAR, stop - ONE)]
    prefetch(palette[0], far)
    prefetch(palette[1], far)
    prefetch(palette[2], far)
    prefetch(palette[3], np.uint64(palette[2][near]))
