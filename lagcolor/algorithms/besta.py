"""Colorings in the order of approximate degeneracy: JP-ADG and DEC-ADG-ITR.

The order ADG (lagcolor/orders/approximate_degeneracy.py, ε = 0.01) removes vertices of at most (1 + ε) times the
average degree, all at once, in O(log n) rounds; no vertex has over 2(1 + ε)d earlier neighbors, for d the degeneracy.

JP-ADG is Jones–Plassmann in this order, with at most 2.02 d + 1 colors. A vertex takes its color once all its earlier
neighbors are colored, so the colors equal `first_fit`. Other orders are accepted, without the bound.

DEC-ADG-ITR is speculative first-fit on one removal round after another.

==========  =======================================================================================
level       round in which ADG removes a vertex; the vertices removed last are colored first
starts      first position of each level in the sequence; a level is a part in engines/rounds/first_fit.py
==========  =======================================================================================

A vertex has at most 2(1 + ε)d neighbors in its own and in later-removed levels. Its color is at most the number of its
colored neighbors, so there are at most 2(1 + ε)d + 1 colors. In JP-ADG chains of waiting vertices cross all levels;
here only levels wait for each other. The table counts for ε = 0.01 on an ideal machine on which all vertices of a
round choose at once (chain: the longest of `jp_adg`; looks: reads of an edge from each end; colors: of `dec_adg_itr`,
`jp_adg` and `speculative_vbbit`):

===============  ======  ======  =====  =====  ===============
graph            levels  rounds  chain  looks  colors
===============  ======  ======  =====  =====  ===============
r4_20            18      46      33     2.4    7, 7, 8
rmat20           14      50      170    2.8    14, 14, 23
rgg20            17      226     77     4.2    18, 18, 19
kron18           5       290     1708   16     271, 270, 323
social:1e6,10    9       88      344    3.2    58, 56, 80
===============  ======  ======  =====  =====  ===============

It is therefore useful for graphs with hubs on a GPU, on which all levels are one launch. `speculative_vbbit` in the
order approximate_degeneracy does not wait for levels and was worse: with a sixteenth of the vertices in flight it took
23 colors on rmat20, and 5 instead of 3 on road.

Proper, and ends: as `speculative_vbbit`, for each level. A vertex avoids the final colors of all earlier levels.

Reference: Besta, Carigiet, Janda, Vonarburg-Shmaria, Gianinazzi, Hoefler 2020, "High-performance parallel graph
coloring with strong guarantees on work, depth, and quality", SC20.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import device as dev
from ..base.device import threads_for_graph
from ..base.log import Log
from ..base.options import number
from ..engines.greedy.first_fit import first_fit
from ..engines.rounds.first_fit import speculate_parts
from ..engines.rounds.worklists import close_gaps
from ..graph.graph import Graph
from ..orders import Priorities
from ..orders.approximate_degeneracy import EPS, removal_rounds
from ..orders.by_key import by_key
from ..problems.registry import coloring


@coloring(
    "jp_adg",
    style="kernel",
    paper="Besta et al. 2020, JP-ADG",
    engines=("cpu", "cuda"),
    bound="Δ+1; 2.02 d + 1 in its own order",
    oracle="first_fit",
    deterministic=True,
    order="approximate_degeneracy",
    seed=0,
    needs="sequence",
    threaded=True,
)
def jp_adg(G: Graph, p: Priorities, log: Log, threads: int | None = None) -> Any:
    """Jones–Plassmann in the approximate degeneracy order: at most 2.02 d + 1 colors for degeneracy d."""
    return first_fit(G, p, log, threads)


@coloring(
    "dec_adg_itr",
    style="kernel",
    paper="Besta et al. 2020, DEC-ADG-ITR",
    engines=("cpu", "cuda"),
    bound="Δ+1; 2(1 + eps)d + 1",
    oracle=None,
    deterministic=False,
    order="natural",
    seed=None,
    needs=None,
    reads_order=False,
    threaded=True,
    options={"eps": f"a round removes vertices of at most 1 + eps times the average degree; >= 0, default {EPS}"},
)
def dec_adg_itr(G: Graph, p: Priorities, log: Log, eps: float = EPS, threads: int | None = None) -> Any:
    """Speculative first-fit level by level of the approximate degeneracy order; the time includes the order."""
    workers = threads_for_graph(threads, G, log)
    level, levels = removal_rounds(G, number("eps", eps))
    if levels > 1:
        sequence = by_key(G, level, levels, None)
        starts = _starts(G, level, sequence, levels)
    else:
        sequence, starts = G.xp.arange(G.n, dtype=np.int32), [0, G.n][: levels + 1]
    colors = speculate_parts(G, sequence, starts, log, workers)
    if G.on_gpu:
        close_gaps(G, colors)
    log.notes["levels"] = levels
    return colors


def _starts(G: Graph, level: Any, sequence: Any, levels: int) -> list[int]:
    """First position of each level in the sequence, the last removed level first, and the end."""
    xp = dev.cupy() if G.on_gpu else np
    falling = np.int32(levels - 1) - level[sequence]
    return xp.searchsorted(falling, xp.arange(levels + 1, dtype=np.int32)).tolist()
