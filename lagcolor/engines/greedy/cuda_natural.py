"""First-fit in the order of ids on a GPU, for degrees under 64: by position in a grid, else one thread per vertex.

lattice.py colors grids and stencils in natural order. first_fit_natural.cu colors other graphs. Compared with
cuda_sequence.py, which also colors in this order, it reads half of each row, finds the colors of its warp by id and has
a time limit: on an H200 fem27-128 takes 2.9 ms instead of 7.9, r4-2e23 0.56 instead of 0.80, a grid of
4100 x 4100 43 instead of 50; fd7-200 12.1 instead of 10.7.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import device as dev
from ...graph.graph import Graph
from ..improve.survey import survey
from .lattice import by_lattice

SOURCE = dev.Source(__file__, "first_fit_natural.cu", BLOCK=256)
BLOCKS = 8  # per multiprocessor
FOREVER = 2**62  # nanoseconds
LEAST = 1 << 16  # vertices from which a lattice is tried; smaller grids have short chains


def first_fit_natural(G: Graph, patience: float | None = None) -> Any:
    """Color in the order of ids, for degrees under 64. `patience`: skip lattices; return None after these seconds."""
    cp, n = dev.cupy(), G.n
    if n == 0:
        return cp.empty(0, np.int32)
    if patience is None and n >= LEAST and (colors := by_lattice(G, survey(G).row)) is not None:
        return colors
    colors, state, small = cp.empty(n, np.int32), cp.empty(n, np.uint8), cp.zeros(4, np.uint32)
    cp.cuda.runtime.memsetAsync(state.data.ptr, 0x80, n, cp.cuda.get_current_stream().ptr)
    run = SOURCE.of(G.indptr, STATE_BITS=8)
    limit, at = FOREVER if patience is None else int(patience * 1e9), small.data.ptr
    args = (n, G.m, limit, G.indptr, G.indices, at + 8, at, at + 12, state, colors, 0, 0)
    run.launch("color_natural", n, *args, most=BLOCKS * run.processors)
    return None if patience is not None and int(small[3]) else colors
