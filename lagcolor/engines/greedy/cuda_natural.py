"""First-fit in the order of ids on a GPU, for degrees under 64: by place in a grid, else one thread per vertex.

Grids and stencils in their own order are colored by lattice.py. The kernel for all others, first_fit_natural.cu, is
apart from cuda_sequence.py, which colors in this order, too, since it reads half of each row, has colors of a warp by
place and a clock to give up by: on an H200 fem27-128 takes 2.9 ms in place of 7.9, r4-2e23 0.56 for 0.80, a grid of
4100 x 4100 43 for 50; fd7-200 12.1 for 10.7.
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
LEAST = 1 << 16  # vertices from which the place is looked at; smaller grids have short chains


def first_fit_natural(G: Graph, patience: float | None = None) -> Any:
    """Colors in the order of ids, for degrees under 64; with `patience` (seconds) no guess, and None after it."""
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
