"""First-fit by id of grids and stencils on CPU threads: the guess of lattice.py, written and checked by all of them.

====== ===================================================================
line   vertices of a line; `plane`: vertices of a plane
table  color of each place, 8 bits each, by whether x, y and z are odd
shared whether these are not the colors (WRONG), and a barrier
====== ===================================================================

References
----------
Welsh, Powell 1967, for first-fit. The guess and its check are this project's own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device import large_pages
from ...base.device.compiled import njit
from ...base.device.intrinsics import load_relaxed, store_relaxed
from ...base.device.parallel import barrier, launch, parallel, share, slots
from .lattice import guess

WRONG, GUESSED, SLOTS = np.uint64(0), 8, 16  # of `shared`
ROW, LOOKED_AT = 63, 512  # the largest row, and vertices in the middle among which it is looked for
ONE, ONE32 = np.uint64(1), np.uint32(1)
EIGHT, BYTE = np.uint64(8), np.uint64(255)


def by_lattice_on_cpu(indptr: np.ndarray, indices: np.ndarray, workers: int) -> np.ndarray | None:
    """Colors of first-fit by id, int32, of a CSR graph; None where the guess is not they."""
    n = len(indptr) - 1
    found = guess(_row(indptr, indices, n))
    if found is None:
        return None
    line, plane, table = found
    colors, shared = large_pages(n, np.int32), slots(SLOTS)
    sizes = np.int64(min(line, n)), np.int64(plane or n)
    launch(guess_and_check, workers, shared, indptr, indices, *sizes, np.uint64(table), colors, np.int64(workers))
    return None if shared[int(WRONG)] else colors


def _row(indptr: np.ndarray, indices: np.ndarray, n: int) -> tuple[int, ...]:
    """What the neighbors of a vertex in the middle add to its id, of the one with most; empty where these are many."""
    offsets = indptr[n // 2 : n // 2 + LOOKED_AT].astype(np.int64)
    degrees = np.diff(offsets)
    if not degrees.size or degrees.max() > ROW:
        return ()
    at = int(degrees.argmax())
    row = indices[offsets[at] : offsets[at + 1]].astype(np.int64) - (n // 2 + at)
    return tuple(row.tolist())


@njit(cache=True, nogil=True)
def set_colors(first: Any, stop: Any, line: Any, plane: Any, table: Any, colors: Any) -> None:
    """The colors of a range by their places."""
    x, y, z = first % line, first % plane // line, first // plane
    while first < stop:
        place = np.uint64((y & 1) << 1 | (z & 1) << 2)
        both = table >> EIGHT * place
        even, odd = np.int32(both & BYTE), np.int32(both >> EIGHT & BYTE)
        end = min(stop, first + line - x)
        for v in range(np.uint64(first), np.uint64(end)):
            colors[v] = odd if (np.int64(v) - first + x) & 1 else even
        first, x, y = end, 0, y + 1
        if y * line == plane:
            y, z = 0, z + 1


@njit(cache=True, nogil=True)
def are_by_id(indptr: Any, indices: Any, first: Any, stop: Any, colors: Any) -> Any:
    """Whether each vertex of a range has the least color that no neighbor of a smaller id has."""
    for v in range(np.uint32(first), np.uint32(stop)):
        taken = np.uint64(0)
        e, end = indptr[v], indptr[v + ONE32]
        while e < end and indices[e] < v:
            taken |= ONE << np.uint64(colors[indices[e]])
            e += ONE32
        color = np.uint64(colors[v])
        if taken & ((ONE << (color + ONE)) - ONE) != (ONE << color) - ONE:
            return False
    return True


@parallel
def guess_and_check(
    t: Any, shared: Any, indptr: Any, indices: Any, line: Any, plane: Any, table: Any, colors: Any, workers: Any
) -> None:  # fmt: skip
    """A share of the vertices, in parts between which it is looked whether another thread has found a wrong color."""
    own = share(t, workers, colors.size)
    first, stop = np.int64(own.start), np.int64(own.stop)
    set_colors(first, stop, line, plane, table, colors)
    barrier(shared, GUESSED, workers)
    while first < stop:
        if load_relaxed(shared, WRONG) != 0:
            return
        end = min(first + LOOKED_AT, stop)
        if not are_by_id(indptr, indices, first, end, colors):
            store_relaxed(shared, WRONG, 1)
        first = end
