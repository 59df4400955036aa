"""Sequential first-fit of vertices in nets, in the time of one hop: each net keeps the colors that it has, as bits.

A vertex reads one word per net that it is in, takes the least color that is in none of them, and sets its bit in each.
So neither the other vertices of a net nor their colors are looked at: O(n + m) instead of the two-hop neighborhoods,
8 bytes per net, and no squared graph.

A word has the 64 colors of a window. A vertex that finds all of them taken is left for the next pass, over the next 64
colors. That is first-fit: a vertex colored later has no color of this window, and only such colors matter in it. The
cost is the entries of each vertex times one more than its color / 64.

=========  ==========================================================================
taken      colors of the window that a net has; of a closed net without that of its own vertex
left       vertices for the next pass, in their order; it may be `sequence` itself
=========  ==========================================================================

Where nets are closed, a vertex also reads the word of its own net, where its neighbors have left their colors. It need
not add its own color there, for those who would read it there find it in their own words.

Kokkos Kernels' serial code (COLORING_D2_SERIAL) does the same with 32 colors per word, in the order of ids.

Words are read by relaxed loads, although one thread has them, for a compiler would gather those of a row into a vector,
and a gather waits for the stores of the vertex before (1000 × 1000 grid: 15.4 ms for 10.4).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.nets import Nets
from ...device.compiled import njit
from ...device.intrinsics import ctz64, load_relaxed, prefetch, store_relaxed
from ..greedy.sequential import unsigned

ONE32 = np.uint32(1)
ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)
WINDOW = 64  # colors of a word
NEAR, FAR = np.uint64(4), np.uint64(16)  # vertices between a prefetch and its use: of words of nets, of rows


def first_fit(nets: Nets, sequence: Any = None) -> np.ndarray:
    """First-fit colors."""
    P = nets.of_vertices
    indptr, indices = unsigned(P)
    colors, left = np.empty(nets.n, np.int32), np.empty(nets.n, np.uint32)
    taken = np.zeros(P.columns, np.uint64)
    order = None if sequence is None else sequence.view(np.uint32)
    count, base = color_window(indptr, indices, order, 0, 1, nets.n, nets.closed, 0, taken, colors, left), 0
    while count:  # ends: a pass colors at least the first vertex that is left, whose words are 0
        base += WINDOW
        clear(indptr, indices, left, count, nets.closed, taken)
        count = color_window(indptr, indices, left, 0, 1, count, nets.closed, base, taken, colors, left)
    return colors


@njit(cache=True, nogil=True)
def color_window(
    indptr: Any, indices: Any, sequence: Any, first: Any, step: Any, count: Any, closed: bool, base: Any, taken: Any,
    colors: Any, left: Any,
) -> Any:  # fmt: skip
    """Color those of `count` vertices that find a color base … base + 63; returns how many are left.

    Vertices are the first of the sequence; without one, first, first + step …, in either direction.
    """
    kept = ZERO
    for i in range(np.uint64(count)):
        if sequence is None:
            v = np.uint32(first + step * np.int64(i))
        else:
            v = sequence[i]
            ahead(indptr, indices, sequence, i, np.uint64(count) - ONE, taken)
        begin, end = indptr[v], indptr[v + ONE32]
        mask = load_relaxed(taken, np.uint64(v)) if closed else ZERO
        e = begin
        while e < end:
            mask |= load_relaxed(taken, np.uint64(indices[e]))
            e += ONE32
        if ~mask == ZERO:
            left[kept] = v
            kept += ONE
            continue
        color = ctz64(~mask)
        bit = ONE << color
        e = begin
        while e < end:
            net = np.uint64(indices[e])
            store_relaxed(taken, net, load_relaxed(taken, net) | bit)
            e += ONE32
        colors[v] = np.int32(base) + np.int32(color)
    return np.int64(kept)


@njit(cache=True, nogil=True)
def clear(indptr: Any, indices: Any, vertices: Any, count: Any, closed: bool, taken: Any) -> None:
    """No color is taken in the nets of the first `count` vertices; the words of others are not read again."""
    entries = np.uint64(0)
    for i in range(count):
        v = vertices[i]
        entries += np.uint64(indptr[v + ONE32] - indptr[v])
    if entries >= np.uint64(taken.size):
        for net in range(taken.size):
            taken[net] = ZERO
        return
    for i in range(count):
        v = vertices[i]
        if closed:
            taken[v] = ZERO
        for e in range(indptr[v], indptr[v + ONE32]):
            taken[indices[e]] = ZERO


@njit(cache=True, nogil=True, inline="always")
def ahead(indptr: Any, indices: Any, sequence: Any, i: Any, last: Any, taken: Any) -> None:
    """Prefetch offsets and rows of vertices to come, and the words of the nearest one's nets."""
    prefetch(indptr, sequence[min(i + TWO * FAR, last)])
    prefetch(indices, np.uint64(indptr[sequence[min(i + FAR, last)]]))
    u = sequence[min(i + NEAR, last)]
    for e in range(indptr[u], indptr[u + ONE32]):
        prefetch(taken, np.uint64(indices[e]))
