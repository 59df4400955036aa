"""First-fit star coloring on a GPU: vertices are drawn in their order, each by a warp, as in first_fit.cu.

==========  ==================================================================
sequence    vertices, first colored first; None: by id
place       of each vertex in it; None: its id; NEUTRAL of a neutral one, LATER of others that are not in it
color       the result; 2³² − 1 before a vertex has one
head        how many vertices have been drawn
==========  ==================================================================

Device memory beside the graph: 4 bytes per vertex by id, else 8.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ... import device as dev
from ...core.graph import Graph

SOURCE = Path(__file__).with_name("first_fit.cu")
BLOCK, WARP = 128, 32
GROUPS = (4, 8, 32)  # lanes that look around one neighbor


NEUTRAL, LATER = 2**31 - 1, 2**31 - 2  # of `place`: more than there are vertices


def first_fit_star(G: Graph, sequence: Any = None, rows: int = 0, neutral: Any = None) -> Any:
    """Colors of sequential first-fit."""
    cp, n = dev.cupy(), G.n if sequence is None else len(sequence)
    color = cp.full(G.n, -1, np.int32)
    if n == 0:
        return color
    macros = {"OFFSET_BITS": 8 * G.indptr.itemsize, "BLOCK": BLOCK, "GROUP": _group(G)}
    place, order = 0, 0
    if sequence is not None:
        order, place = sequence, cp.full(G.n, LATER, np.int32)
        if neutral is not None:
            place[neutral] = NEUTRAL
        set_places = dev.kernel(SOURCE, "set_places", **macros)
        set_places((-(-n // BLOCK),), (BLOCK,), (np.int64(n), order, np.uint32(0), place))
    stars = dev.kernel(SOURCE, "color_stars", **macros)
    running = max(1, stars.resident(BLOCK)) * dev.processors(cp.cuda.runtime.getDevice())
    blocks = min(-(-n // (BLOCK // WARP)), running)
    head = cp.zeros(1, np.uint32)
    args = (np.int64(n), order, place, G.indptr, G.indices, np.int32(rows), head, color.view(np.uint32))
    stars((blocks,), (BLOCK,), args)
    return color


def _group(G: Graph) -> int:
    """Lanes per neighbor: half of a mean degree, at least."""
    return next((lanes for lanes in GROUPS if G.m <= 2 * lanes * G.n), GROUPS[-1])
