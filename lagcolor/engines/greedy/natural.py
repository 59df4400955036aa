"""Exact first-fit in the order of ids by threads that take ranges of ids in turn and share one state.

Earlier neighbors have smaller ids, so no array of positions is needed: a row is read up to the vertex itself. If a
neighbor in this part has no color yet, the vertex is deferred until the rest of its range is colored. Then the thread
waits for each uncolored neighbor.

======  ================================================================
state   code of each vertex: 0 while it has no color, then color + 1
bounds  first ids of the ranges, and n
shared  the next range, and a barrier
======  ================================================================

Progress: a vertex waits only for smaller ids. Ranges of smaller ids are taken earlier, and smaller ids of its own range
have colors by then. Threads that speculate (engines/rounds/first_fit.py) color such vertices at once, without a wait.

In the natural order of most meshes each vertex is a neighbor of the previous one. Threads cannot color such a chain
faster than one core. A sample of rows shows whether most vertices have a neighbor among the ids that are colored at the
same time. If so, all threads try the colors of a grid or stencil (lattice.py) and check them; one thread colors
other graphs.

======  ================================================================
line    vertices of a line of a lattice; `plane`: vertices of a plane
table   color of each place, 8 bits each, by whether x, y and z are odd
shared  whether a color is wrong (WRONG), and a barrier
======  ================================================================

References
----------
Welsh, Powell 1967, for first-fit. The ranges, the guess and its check were developed in this project.
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
ENTRIES = 1 << 13  # entries of a range, approximately
SAMPLES, GOLDEN = 256, np.uint64(0x9E3779B1)  # rows in the sample; the golden ratio as a fraction of 2³²
WRONG, GUESSED = np.uint64(0), 8  # in `shared` of a lattice, also of size SLOTS
ROW, LOOKED_AT = 63, 512  # entries of the longest row that is used; vertices in the middle that are searched for it
EIGHT, BYTE = np.uint64(8), np.uint64(255)


def first_fit_by_id(indptr: np.ndarray, indices: np.ndarray, workers: int) -> np.ndarray:
    """Return first-fit colors (int32) of a CSR graph in the order of ids; one thread colors a chain."""
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
    """Return the number of sampled vertices that have a neighbor among the previous `near` ids."""
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
def color_rest(indptr: Any, indices: Any, state: Any, deferred: Any, n_deferred: Any, shared: Any) -> None:
    """Color the deferred vertices of a range in order; wait for neighbors in other ranges."""
    for k in range(n_deferred):
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
        n_deferred = color_range(indptr, indices, state, np.uint32(bounds[c]), np.uint32(bounds[c + 1]), deferred, True)
        color_rest(indptr, indices, state, deferred, n_deferred, shared)
    barrier(shared, COLORED, 2 * workers)
    for v in own:
        colors[v] = np.int32(state[v]) - np.int32(1)


# ---- grids and stencils ----------------------------------------------------------------------------------------------


def by_lattice_on_cpu(indptr: np.ndarray, indices: np.ndarray, workers: int) -> np.ndarray | None:
    """Return the first-fit colors (int32) of a CSR graph by id, or None if the guess is wrong."""
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
    """Return the differences of ids in the longest row near the middle, or () if the row is longer than ROW."""
    offsets = indptr[n // 2 : n // 2 + LOOKED_AT].astype(np.int64)
    degrees = np.diff(offsets)
    if not degrees.size or degrees.max() > ROW:
        return ()
    at = int(degrees.argmax())
    row = indices[offsets[at] : offsets[at + 1]].astype(np.int64) - (n // 2 + at)
    return tuple(row.tolist())


@inner()
def set_colors(first: Any, stop: Any, line: Any, plane: Any, table: Any, colors: Any) -> None:
    """Set the colors of a range from the positions in the lattice."""
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
def are_first_fit(indptr: Any, indices: Any, first: Any, stop: Any, colors: Any) -> Any:
    """Return whether each vertex of a range has the smallest color that no neighbor of smaller id has."""
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
    """Set and check a share of the colors, in parts; stop if another thread has found a wrong color."""
    own = share(t, workers, colors.size)
    first, stop = np.int64(own.start), np.int64(own.stop)
    set_colors(first, stop, line, plane, table, colors)
    barrier(shared, GUESSED, workers)
    while first < stop:
        if load_relaxed(shared, WRONG) != 0:
            return
        end = min(first + LOOKED_AT, stop)
        if not are_first_fit(indptr, indices, first, end, colors):
            store_relaxed(shared, WRONG, 1)
        first = end
