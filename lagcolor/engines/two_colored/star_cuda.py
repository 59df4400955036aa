"""First-fit star coloring of a graph on a GPU: vertices are drawn in their order, each by a team, as in star.cu.

A team is a warp, or a block where there are hubs.

==========  ==================================================================
sequence    vertices, first colored first; None: by id
place       of each vertex in it; None: its id; NEUTRAL of a neutral one, LATER of others that are not in it
color       the result; 2³² − 1 before a vertex has one
head        how many vertices have been drawn
==========  ==================================================================

Device memory in addition to the graph: 4 bytes per vertex by id, else 8.

A vertex looks at all vertices around each neighbor, and waits for the earlier ones. So the neighbors of a hub are
colored one after the other, each after a look at all of them: where that is a large part of all walks of two edges, a
CPU colors. In some orders few vertices are ready at a time: of eight lines of a grid by id eight
vertices, and the other teams wait. There a CPU colors as well, but with up to 64 colors: with more of them it
walks as far.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device.compiled import njit
from ...base.log import Log
from ...graph.graph import Graph
from ...graph.pattern import entries_of
from ...problems.task import UNLIMITED
from .first_fit import star
from .stars import WORD

SOURCE = dev.Source(__file__, "star.cu")
WARP, BLOCK, LARGE_BLOCK = 32, 128, 256
GROUPS = (4, 8, 32)  # lanes that look around one neighbor
NEUTRAL, LATER = 2**31 - 1, 2**31 - 2  # of `place`: more than there are vertices
WINDOW = 8192  # places of the order that are looked at, about as many as a large GPU has warps
# A step of a chain takes some 3 µs on one H200, more where degrees are larger. Milliseconds by id there / on a CPU, and
# vertices ready at a time: grid2d:1000 395 / 44, 8; band100k 8,800 / 7; the 27-point stencil of 128³ 6,550 / 466;
# rgg:18 377 / 92, 146. In orders with more it is the GPU: rgg:18 in random runs of ids 13, 482.
READY = 256
HUB = 128  # neighbors of a hub, at least
# Of the walks of two edges, those around the largest hub are one chain. Of how many such chains a GPU is faster: on one
# H200 it takes 6 to 60 times as long as a CPU at 5 to 25 (Kronecker, Barabási–Albert graphs), and less from 400 on.
PARALLEL = 100


def star_on_gpu(G: Graph, sequence: Any, rows: int = 0, neutral: Any = None, *, log: Log) -> Any:
    """`star` of a graph on the current device; where hubs or chains would hold it up, by a CPU with up to 64 colors."""
    why, most = {}, UNLIMITED
    if G.max_degree >= HUB and G.degree_extremes.squares < PARALLEL * G.max_degree**2:
        why = {"hubs": "the neighbors of a hub are one chain"}
    elif ready_at_a_time(G, sequence) < READY:
        why, most = {"chain": "in this order few vertices can be colored at a time"}, WORD
    if why:
        order = np.arange(G.n, dtype=np.int32) if sequence is None else sequence.get()
        without = None if neutral is None else neutral.get()
        colors = star(Graph.on(G, "cpu"), order, rows, without, most)
        if colors is not None:
            log.notes |= {key: f"colored on the CPU, in a copy of the graph: {text}" for key, text in why.items()}
            return G.xp.asarray(colors)
    return first_fit_star(G, sequence, rows, neutral)


def first_fit_star(G: Graph, sequence: Any = None, rows: int = 0, neutral: Any = None) -> Any:
    """Colors of sequential first-fit."""
    cp, n = dev.cupy(), G.n if sequence is None else len(sequence)
    color = cp.full(G.n, -1, np.int32)
    if n == 0:
        return color
    team, block = (LARGE_BLOCK, LARGE_BLOCK) if G.max_degree >= HUB else (WARP, BLOCK)
    run, place, order = SOURCE.of(G.indptr, BLOCK=block, TEAM=team, GROUP=_group(G)), 0, 0
    if sequence is not None:
        order, place = sequence, cp.full(G.n, LATER, np.int32)
        if neutral is not None:
            place[neutral] = NEUTRAL
        run.launch("set_places", n, np.int64(n), order, np.uint32(0), place)
    head = cp.zeros(1, np.uint32)
    args = (np.int64(n), order, place, G.indptr, G.indices, np.int32(rows), head, color.view(np.uint32))
    run.launch("color_stars", n * team, *args, most=run.resident("color_stars"))
    return color


def _group(G: Graph) -> int:
    """Lanes per neighbor: half of a mean degree, at least."""
    return next((lanes for lanes in GROUPS if G.m <= 2 * lanes * G.n), GROUPS[-1])


def ready_at_a_time(G: Graph, sequence: Any = None) -> float:
    """Vertices per step of the longest chain of neighbors in the middle of an order (not over two or three edges)."""
    xp, n = G.xp, G.n if sequence is None else len(sequence)
    if n < 4 * WINDOW:
        return float("inf")
    window, place = xp.arange(n // 2, n // 2 + WINDOW, dtype=np.int32), xp.full(G.n, -1, np.int32)
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
