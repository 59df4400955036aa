"""First-fit star coloring of a graph on a GPU: vertices are drawn in their order, each by a warp, as in star.cu.

==========  ==================================================================
sequence    vertices, first colored first; None: by id
place       of each vertex in it; None: its id; NEUTRAL of a neutral one, LATER of others that are not in it
color       the result; 2³² − 1 before a vertex has one
head        how many vertices have been drawn
==========  ==================================================================

Device memory beside the graph: 4 bytes per vertex by id, else 8.

A vertex looks at all vertices around each neighbor, and waits for the earlier ones. So the neighbors of a hub are
colored one after the other, each after a look at all of them; and in an order like that of a grid's ids few vertices
are ready at a time: of a window of eight lines eight vertices, and the other warps wait. There a CPU colors, which
keeps sets of up to 64 colors instead; with more of them it walks as far.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ... import device as dev
from ...core.graph import Graph
from ...core.pattern import entries_of
from ...core.result import Log
from ...device.compiled import njit
from .first_fit import star

SOURCE = Path(__file__).with_name("star.cu")
BLOCK, WARP = 128, 32
GROUPS = (4, 8, 32)  # lanes that look around one neighbor
NEUTRAL, LATER = 2**31 - 1, 2**31 - 2  # of `place`: more than there are vertices
WINDOW = 8192  # places of the order that are looked at, about as many as a large GPU has warps
# A step of a chain takes some 3 µs on one H200, more where degrees are larger. Milliseconds by id there / on a CPU, and
# vertices ready at a time: grid2d:1000 395 / 44, 8; band100k 8,800 / 7; the 27-point stencil of 128³ 6,550 / 466;
# rgg:18 377 / 92, 146. In orders with more it is the GPU: rgg:18 in random runs of ids 13, 482.
READY = 256
CROWDED = 2000  # mean, over the entries, of the degrees of their ends: 10 to 50 for meshes and R-MAT graphs


def star_on_gpu(
    G: Graph, sequence: Any = None, rows: int = 0, neutral: Any = None, log: Log | None = None
) -> Any:  # fmt: skip
    """`star` of a graph on the current device; where hubs or chains would hold it up, by a CPU with up to 64 colors."""
    reasons = {}
    if float((G.degrees.astype(np.float64) ** 2).sum()) > CROWDED * G.m:
        reasons["hubs"] = "the neighbors of a hub are one chain"
    elif ready_at_a_time(G, sequence) < READY:
        reasons["chain"] = "in this order few vertices can be colored at a time"
    if reasons:
        order = np.arange(G.n, dtype=np.int32) if sequence is None else sequence.get()
        without = None if neutral is None else neutral.get()
        colors = star(Graph.on(G, "cpu"), order, rows, without, limited=True)
        if colors is not None:
            if log is not None:
                for key, why in reasons.items():
                    log.notes[key] = f"colored on the CPU, in a copy of the graph: {why}"
            return G.xp.asarray(colors)
    return first_fit_star(G, sequence, rows, neutral)


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


def ready_at_a_time(G: Graph, sequence: Any = None) -> float:
    """Vertices per step of the longest chain of neighbors, each earlier than the next, in the middle of an order.

    Chains over two or three edges, for which a vertex waits as well, are not counted.
    """
    xp, n = G.xp, G.n if sequence is None else len(sequence)
    if n < 4 * WINDOW:
        return float("inf")
    window, place = xp.arange(n // 2, n // 2 + WINDOW), xp.full(G.n, -1, np.int32)
    if sequence is not None:
        window = sequence[window]
    place[window] = xp.arange(WINDOW, dtype=np.int32)
    index, columns = entries_of(G, window)
    return WINDOW / longest_chain(WINDOW, dev.to_device(index, "cpu"), dev.to_device(place[columns], "cpu"))


@njit(cache=True, nogil=True)
def longest_chain(n: Any, row: Any, places: Any) -> Any:
    """Vertices of the longest path through rising places below n; places of each row's entries, row by row."""
    length = np.ones(n, np.int64)
    longest = np.int64(1)
    for e in range(row.size):
        if 0 <= places[e] < row[e]:
            length[row[e]] = max(length[row[e]], length[places[e]] + 1)
            longest = max(longest, length[row[e]])
    return longest
