"""Exact first-fit in the order of ids by threads that take ranges of ids in turn, on one state that all of them share.

An earlier neighbor has a smaller id, so no vertex needs a mark that says when its turn is: a row is read up to the
vertex itself, and a neighbor in it without a code has no color yet. Then the vertex is deferred until its range is
done, and waits for each such neighbor.

======  ================================================================
state   code of each vertex: 0 before it has a color, else color + 1
bounds  first ids of the ranges, and n
shared  the next range, and a barrier
======  ================================================================

Progress: a vertex waits for smaller ids alone. Their ranges are taken earlier; smaller ids in its own range have colors
by then. Threads that speculate (engines/rounds/first_fit.py) color such vertices at once, without a wait.

In most meshes as they are numbered each vertex is a neighbor of the one before: a chain, which threads only lengthen.
So a sample of rows says whether most have a neighbor among the ids that are colored at the same time. Of these meshes
grids and stencils are guessed (lattice.py), written and checked by all threads; one thread colors the others.

======  ================================================================
line    vertices of a line of a lattice; `plane`: of a plane
table   color of each place, 8 bits each, by whether x, y and z are odd
shared  whether these are not the colors (WRONG), and a barrier
======  ================================================================

References
----------
Welsh, Powell 1967, for first-fit. The ranges, the guess and its check are this project's own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device import large_pages
from ...base.device.compiled import inner, njit
from ...base.device.intrinsics import ctz64, fetch_add, load_relaxed, store_relaxed
from ...base.device.parallel import SELDOM, barrier, launch, look_again, parallel, row_ranges, share, slots
from .lattice import guess
from .sequential import LAST, ONE, ONE32, ZERO, by_id_type, color_range, far_code, first_fit

NEXT, COLORED, SLOTS = np.uint64(0), 8, 16  # the next range, a barrier, and the size of `shared`
ENTRIES = 1 << 13  # of a range, about
SAMPLES, GOLDEN = 256, np.uint64(0x9E3779B1)  # rows that are looked at; the golden ratio as a fraction of 2³²
WRONG, GUESSED = np.uint64(0), 8  # of `shared` of a lattice, which is as large
ROW, LOOKED_AT = 63, 512  # the largest row, and vertices in the middle among which it is looked for
EIGHT, BYTE = np.uint64(8), np.uint64(255)


def first_fit_by_id(indptr: np.ndarray, indices: np.ndarray, workers: int) -> np.ndarray:
    """First-fit colors, int32, of a CSR graph in the order of ids; on one thread where the order is one chain."""
    n, m = len(indptr) - 1, len(indices)
    if workers == 1 or n == 0:
        return first_fit(indptr, indices, None)
    parts = max(1, min(n, m // ENTRIES))
    if 2 * chained(indptr, indices, np.uint32(min(n, -(-n // parts) * workers))) > SAMPLES:
        colors = by_lattice_on_cpu(indptr, indices, workers)
        return first_fit(indptr, indices, None) if colors is None else colors
    state, colors = large_pages(n, by_id_type(m)), large_pages(n, np.int32)
    shared, bounds = slots(SLOTS), row_ranges(indptr, parts)
    launch(color_ranges, workers, shared, indptr, indices, bounds, state, colors, np.int64(workers))
    return colors


@njit(cache=True, nogil=True)
def chained(indptr: Any, indices: Any, near: Any) -> Any:
    """How many of some vertices from all over the graph have a neighbor among the `near` ids before."""
    count = 0
    for i in range(np.uint64(SAMPLES)):
        v = np.uint32(np.uint64(np.uint32(i * GOLDEN)) * np.uint64(indptr.size - 1) >> np.uint64(32))
        low, high = indptr[v], indptr[v + ONE32]
        while low < high:  # the first neighbor after v
            middle = low + ((high - low) >> ONE32)
            if indices[middle] < v:
                low = middle + ONE32
            else:
                high = middle
        count += low > indptr[v] and v - indices[low - ONE32] < near
    return count


@inner()
def color_rest(indptr: Any, indices: Any, state: Any, deferred: Any, held: Any, shared: Any) -> None:
    """Color the deferred vertices of a range in order, each after its neighbors in other ranges."""
    for k in range(held):
        v, mask = deferred[k], ONE
        e = indptr[v]
        while e < indptr[v + ONE32] and indices[e] < v:
            u = np.uint64(indices[e])
            code = np.uint64(load_relaxed(state, u))
            while code == ZERO:
                look_again(SELDOM, shared)
                code = np.uint64(load_relaxed(state, u))
            mask |= ONE << min(code, LAST)
            e += ONE32
        code = ctz64(~mask)
        if code >= LAST:
            code = far_code(indptr, indices, state, v)
        store_relaxed(state, np.uint64(v), code)


@parallel
def color_ranges(
    t: Any, shared: Any, indptr: Any, indices: Any, bounds: Any, state: Any, colors: Any, workers: Any
) -> None:  # fmt: skip
    """Clear a share of the state, color ranges until none is left, and publish a share of the colors."""
    deferred = np.empty(np.max(bounds[1:] - bounds[:-1]), np.uint32)
    own = share(t, workers, state.size)
    for v in own:
        state[v] = 0
    barrier(shared, COLORED, workers)
    while True:
        c = fetch_add(shared, NEXT, 1)
        if c >= bounds.size - 1:
            break
        held = color_range(indptr, indices, state, np.uint32(bounds[c]), np.uint32(bounds[c + 1]), deferred, True)
        color_rest(indptr, indices, state, deferred, held, shared)
    barrier(shared, COLORED, 2 * workers)
    for v in own:
        colors[v] = np.int32(state[v]) - np.int32(1)


# ---- grids and stencils ----------------------------------------------------------------------------------------------


def by_lattice_on_cpu(indptr: np.ndarray, indices: np.ndarray, workers: int) -> np.ndarray | None:
    """Colors of first-fit by id, int32, of a CSR graph; None if the guess is wrong."""
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
    """What the neighbors of a vertex in the middle add to its id, of the one with most; empty if these are many."""
    offsets = indptr[n // 2 : n // 2 + LOOKED_AT].astype(np.int64)
    degrees = np.diff(offsets)
    if not degrees.size or degrees.max() > ROW:
        return ()
    at = int(degrees.argmax())
    row = indices[offsets[at] : offsets[at + 1]].astype(np.int64) - (n // 2 + at)
    return tuple(row.tolist())


@inner()
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


@inner()
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
