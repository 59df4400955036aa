"""First-fit star coloring of a graph on a GPU: teams take vertices in order (star.cu).

A team is a warp, or a block if there are hubs.

==========  ==================================================================
sequence    vertices in the order of coloring; None: by id
place       position of each vertex in it; None: its id; NEUTRAL for neutral vertices, LATER for others not in it
color       colors; 2³² − 1 for uncolored vertices
head        number of vertices taken so far
==========  ==================================================================

Device memory in addition to the graph: 4 bytes per vertex by id, else 8.

A vertex reads all vertices around each neighbor, and waits for the earlier ones. So the neighbors of a hub are
colored one after the other, and each reads all of them. If a hub has a large share of all paths of two edges, a CPU
colors. In some orders few vertices are ready at a time: in a grid by id one vertex per line of a window, and the other
teams wait. Then a CPU colors, too, but only with up to 64 colors: with more it must read as many hops.
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
NEUTRAL, LATER = 2**31 - 1, 2**31 - 2  # values of `place` over all positions
WINDOW = 8192  # positions that are examined, approximately the number of warps of a large GPU
# A step of a chain takes about 3 µs on one H200, more with larger degrees. Milliseconds by id on it / on a CPU, and
# vertices ready at a time: grid2d:1000 395 / 44, 8; band100k 8,800 / 7; the 27-point stencil of 128³ 6,550 / 466;
# rgg:18 377 / 92, 146. With more the GPU is faster: rgg:18 in random runs of ids 13, 482.
READY = 256
HUB = 128  # smallest degree of a hub
# Paths of two edges around the largest hub are one chain. A GPU colors if there are paths for this number of chains:
# one H200 takes 6 to 60 times as long as a CPU at 5 to 25 (Kronecker, Barabási–Albert graphs), and less from 400 on.
PARALLEL = 100


def star_on_gpu(G: Graph, sequence: Any, rows: int = 0, neutral: Any = None, *, log: Log) -> Any:
    """Return star colors of a graph on the current device; by a CPU if hubs or chains would make the GPU slow."""
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
    """Return the colors of sequential first-fit."""
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
    """Return the lanes per neighbor: at least half of the mean degree, up to a warp."""
    return next((lanes for lanes in GROUPS if G.m <= 2 * lanes * G.n), GROUPS[-1])


def ready_at_a_time(G: Graph, sequence: Any = None) -> float:
    """Return the vertices per step of the longest chain of adjacent vertices in the middle of an order."""
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
    """Return the vertices of the longest path of ascending positions below n; `places`: positions of entries."""
    length = np.ones(n, np.int64)
    longest = np.int64(1)
    for e in range(row.size):
        if 0 <= places[e] < row[e]:
            length[row[e]] = max(length[row[e]], length[places[e]] + 1)
            longest = max(longest, length[row[e]])
    return longest
