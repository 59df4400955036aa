"""Colorings in the order of approximate degeneracy: JP-ADG and DEC-ADG-ITR.

The order ADG (lagcolor/orders/approximate_degeneracy.py, ε = 0.01) removes vertices of at most (1 + ε) times the
average degree, all at once, in O(log n) rounds; no vertex has over 2(1 + ε)d earlier neighbors, for d the degeneracy.

JP-ADG is Jones–Plassmann in that order: at most 2.02 d + 1 colors. A vertex takes its color as soon as its earlier
neighbors have theirs, which is `first_fit`. Another order loses the bound, and is colored in the same way.

DEC-ADG-ITR is speculative first-fit of one removal round after another.

==========  =======================================================================================
level       the round when ADG removes a vertex; the last removed are colored first
starts      where each level begins in the sequence: a part (engines/rounds/first_fit.py)
==========  =======================================================================================

A vertex has at most 2(1 + ε)d neighbors in its own level and in those removed later, and takes a color no greater than
the number of neighbors that have one: 2(1 + ε)d + 1 colors at most. JP-ADG follows chains of vertices that wait for
each other through all levels; here only levels wait. Counted for ε = 0.01, with all vertices of a round choosing at
once, as no machine does (chain: the longest of `jp_adg`; looks: at an edge, from each of its ends; colors: of
dec_adg_itr, `jp_adg` and `speculative_vbbit`):

===============  ======  ======  =====  =====  ===============
graph            levels  rounds  chain  looks  colors
===============  ======  ======  =====  =====  ===============
r4_20            18      46      33     2.4    7, 7, 8
rmat20           14      50      170    2.8    14, 14, 23
rgg20            17      226     77     4.2    18, 18, 19
kron18           5       290     1708   16     271, 270, 323
social:1e6,10    9       88      344    3.2    58, 56, 80
===============  ======  ======  =====  =====  ===============

So it is for graphs with hubs on a GPU, where all levels are one launch. What lost: `speculative_vbbit` in the order
approximate_degeneracy, which does not wait for levels: with a sixteenth of the vertices in flight at once 23 colors on
rmat20, 5 on road for 3.

Proper and ends: as `speculative_vbbit`, level by level; a vertex avoids the colors of all earlier levels, which stay.

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
    """Jones–Plassmann in the approximate degeneracy order: at most 2.02 times the degeneracy, plus 1, colors."""
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
    options={"eps": f"how much over the average degree a round of removal takes, from 0 on; default {EPS}"},
)
def dec_adg_itr(G: Graph, p: Priorities, log: Log, eps: float = EPS, threads: int | None = None) -> Any:
    """Speculative first-fit level by level of the approximate degeneracy order, whose time is included."""
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
    """Where each level begins in the sequence, the last removed first, and the end."""
    xp = dev.cupy() if G.on_gpu else np
    falling = np.int32(levels - 1) - level[sequence]
    return xp.searchsorted(falling, xp.arange(levels + 1, dtype=np.int32)).tolist()
