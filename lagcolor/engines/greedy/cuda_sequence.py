"""First-fit of any sequence of vertices on a GPU, around vertices that already have colors.

Warps take vertices in order, so that a vertex waits only for vertices that a running warp is coloring
(first_fit_sequence.cu shows that all of them end). There is no cooperative launch, and the host reads nothing back.

==========  =================================================================================
sequence    vertices in the order of coloring; None: all, by id
state       color, or 2³² − 1 − position of an uncolored vertex (first_fit.cuh), 4 bytes per vertex
listed      positions of the vertices of degree 64 and over
==========  =================================================================================

Device memory in addition to graph and sequence: 4 bytes per vertex, the colors themselves, and 4 for each vertex that
may have a degree of 64 or over, at most m/64 vertices.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import device as dev
from ...graph.graph import Graph

LOW, WARP = 64, 32  # degree from which a warp colors a vertex
SOURCE = dev.Source(__file__, "first_fit_sequence.cu", STATE_BITS=32, BLOCK=128, LOW=LOW)
PLACES = 4 * SOURCE.block  # positions that a block sets, and vertices whose degrees it reads
UNCOLORED = np.int32(-(2**31))  # a state later than all positions
NO_LIMIT = np.uint32(2**32 - 1)  # of colors
HEAD = 24  # bytes of `Head` in first_fit_sequence.cu


def first_fit_in_sequence(G: Graph, sequence: Any = None, colors: Any = None, limit: int | None = None) -> Any:
    """Return the colors of sequential first-fit; `colors`: initial colors, `limit`: number of allowed colors."""
    cp, n = dev.cupy(), G.n
    k = n if sequence is None else len(sequence)
    if colors is not None:
        state = cp.where(colors < 0, UNCOLORED, colors).view(np.uint32)
    else:
        state = cp.empty(n, np.uint32)
        if k < n:
            state.view(np.int32).fill(UNCOLORED)
    if k:
        _color(cp, G, sequence, k, NO_LIMIT if limit is None else np.uint32(limit), state)
    if n and (k < n or limit is not None):
        SOURCE.of(G.indptr).launch("hide_uncolored", n, np.int64(n), state)
    return state.view(np.int32)


def _color(cp: Any, G: Graph, sequence: Any, k: int, limit: Any, state: Any) -> None:
    run, grid = SOURCE.of(G.indptr), (-(-k // PLACES),)
    head, counts = cp.zeros(HEAD // 8, np.uint64), cp.empty(grid[0], np.int32)
    listed = cp.empty(min(k, G.m // LOW), np.int32)
    order, n = (0 if sequence is None else sequence), np.int64(k)
    if len(listed):
        run.launch("find_high", (-(-G.n // PLACES),), np.int64(G.n), G.indptr, head)
    run.launch("set_places", grid, n, order, 0, G.indptr, head, counts, state, 0)
    if len(listed):
        run.launch("list_high", grid, n, order, G.indptr, head, counts, listed, 0)
    m = np.int64(max(G.m, 1))
    args = (n, m, order, 0, listed, limit, G.indptr, G.indices, head, state, 0, 0)
    run.launch("color_in_sequence", k * WARP, *args, most=run.resident("color_in_sequence"))
