"""Colors of box lattices numbered row by row: the 9-point stencil in the plane, the 27-point stencil in space.

The row of one inner vertex v gives the strides: its neighbours are v + a + b · s + c · p with a, b, c from −1 to 1,
where s is the length of a row and p, a multiple of s, the size of a plane. A vertex's color is the parities of its
coordinates, in the plane one of 4 and in space one of 8. One pass over the edges sees whether that is proper: the graph
may have lost edges, or be joined at its ends where the sides are even, but an edge between two vertices of one color
rules it out.

The corners of a cell are pairwise neighbours (that is looked at, too), so nothing takes fewer colors. First-fit in the
order of ids gives the same colors on a lattice that is whole, but vertex after vertex: 5.8 ms on fem27-128 on an H200.

==========  ================================================================================
row read    of one of 1024 vertices all over the graph with 26 neighbours, else with 8: one launch
graph read  once, by a second launch
==========  ================================================================================
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np

from ... import device as dev
from ...core.graph import Graph
from ...device.pinned import Pinned

SOURCE = Path(__file__).with_suffix(".cu")
BLOCK, SAMPLES, GOLDEN = 256, 1024, 0x9E3779B1  # lattice.cu
GROUP = {2: 4, 3: 8}  # lattice.cu: lanes per row, by dimensions
DIMENSIONS = {8: 2, 26: 3}  # by the degree of an inner vertex
LEAST = {2: 4, 3: 11}  # stored entries per vertex, over which all lattices are: 3 × 3 has 40, 3 × 3 × 3 has 316


def lattice(G: Graph) -> tuple[Any, int] | None:
    """A coloring of a box lattice with as few colors as there can be."""
    if not any(LEAST[d] * G.n < G.m <= degree * G.n for degree, d in DIMENSIONS.items()):
        return None
    with dev.using(G.indices):
        v, row = (_sample_on_gpu if G.on_gpu else _sample)(G)
        sides = strides(v, row)
        if sides is None:
            return None
        colors = (_color_on_gpu if G.on_gpu else _color)(G, v, *sides)
    return None if colors is None else (colors, 2 ** DIMENSIONS[len(row)])


def strides(v: int, row: Any) -> tuple[int, int] | None:
    """Length of a row and, in space, rows of a plane (else 0), by v's sorted neighbours; None where they do not fit."""
    offsets = np.asarray(row, np.int64) - v
    if len(offsets) not in DIMENSIONS:
        return None
    later = offsets[len(offsets) // 2 :]  # 1, s − 1, s, s + 1, p − s − 1, p − s, p − s + 1, p − 1, p …
    s, p = int(later[2]), int(later[8]) if len(offsets) == 26 else 0
    if s < 3 or p % s or 0 < p < 3 * s:
        return None
    box = itertools.product((-1, 0, 1), repeat=DIMENSIONS[len(offsets)])
    expected = sorted(sum(a * b for a, b in zip(step, (1, s, p), strict=False)) for step in box if any(step))
    return (s, p // s) if offsets.tolist() == expected else None


def _sample(G: Graph) -> tuple[int, np.ndarray]:
    """An inner vertex and its row, which is empty where there is none."""
    places = np.arange(SAMPLES, dtype=np.uint32) * np.uint32(GOLDEN)
    some = (places.astype(np.uint64) * np.uint64(G.n) >> np.uint64(32)).astype(np.int64)
    rows, degrees = G.indptr[some], G.indptr[some + 1] - G.indptr[some]
    for degree in sorted(DIMENSIONS, reverse=True):
        for v, row in zip(some[degrees == degree].tolist(), rows[degrees == degree].tolist(), strict=True):
            columns = G.indices[row : row + degree]
            if (columns[degree // 2 - 1], columns[degree // 2]) == (v - 1, v + 1):
                return v, columns
    return 0, G.indices[:0]


def _color(G: Graph, corner: int, width: int, height: int) -> np.ndarray | None:
    ids = np.arange(G.n, dtype=np.int32)
    row = ids // width
    colors = ids % width & 1 | (row & 1) << 1
    if height:
        colors = ids % width & 1 | (row % height & 1) << 1 | (row // height & 1) << 2
    if (np.repeat(colors, np.diff(G.indptr)) == colors[G.indices]).any():
        return None
    cell = [
        corner + a + width * (b + height * c)
        for a, b, c in itertools.product((0, 1), (0, 1), (0, 1) if height else (0,))
    ]
    rows = (G.indices[G.indptr[u] : G.indptr[u + 1]] for u in cell)
    return colors if all(np.isin(cell, row).sum() == len(cell) - 1 for row in rows) else None


def _sample_on_gpu(G: Graph) -> tuple[int, np.ndarray]:
    sample = dev.kernel(SOURCE, "sample", OFFSET_BITS=8 * G.indptr.itemsize, DIMENSIONS=2)
    with Pinned.take(dev.cupy().cuda.runtime.getDevice(), 2 + max(DIMENSIONS)) as found:
        sample((1,), (BLOCK,), (np.int64(G.n), G.indptr, G.indices, found.ptr))
        found.launched()
        degree, v, *row = found.wait().tolist()
    return v, np.array(row[:degree], np.int32)


def _color_on_gpu(G: Graph, corner: int, width: int, height: int) -> Any | None:
    cp = dev.cupy()
    colors, dimensions = cp.empty(G.n, np.int32), 3 if height else 2
    kernel = dev.kernel(SOURCE, "color_lattice", OFFSET_BITS=8 * G.indptr.itemsize, DIMENSIONS=dimensions)
    sides = [np.uint32(x) for side in (width, height or 1) for x in _divisor(side)]
    with Pinned.take(cp.cuda.runtime.getDevice(), 1) as wrong:
        args = (np.int64(G.n), G.indptr, G.indices, *sides, np.uint32(corner), colors, wrong.ptr)
        kernel((-(-G.n * GROUP[dimensions] // BLOCK),), (BLOCK,), args)
        wrong.launched()
        return None if wrong.wait()[0] else colors


def _divisor(by: int) -> tuple[int, int, int]:
    """The number itself, a factor and a shift: x // by is (x · factor // 2³² + x) >> shift, for x under 2³¹."""
    shift = (by - 1).bit_length()
    return by, ((1 << 32) * ((1 << shift) - by)) // by + 1, shift
