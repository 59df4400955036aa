"""Jones–Plassmann–Luby: in each round the local maxima of one priority among uncolored vertices take a new color.

==========  =====================================================================
p           priorities, a permutation; the same in every round
level       the color: the round when a vertex is a local maximum
==========  =====================================================================

GPU: round by round, many rounds in one launch (jpl.cu). One launch per color was slower (kron_g500-logn21 takes 4347
colors).

CPU: a vertex is a local maximum in the round after the last of its earlier neighbors was one, so its color is one more
than the largest of theirs, and the vertices are colored in one pass in their order.

References
----------
Luby 1986, "A simple parallel algorithm for the maximal independent set problem", SIAM J. Comput. 15(4).
Jones, Plassmann 1993, "A parallel graph coloring heuristic", SIAM J. Sci. Comput. 14(3).
Naumov, Castonguay, Cohen 2015, "Parallel graph coloring with applications to the incomplete-LU factorization on
the GPU", NVIDIA technical report NVR-2015-001 (JPL).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import device as dev
from ..base.log import Log
from ..engines.rounds.independent_sets import log_sets
from ..engines.rounds.worklists import levels
from ..graph.graph import Graph
from ..graph.pattern import unsigned
from ..orders import Priorities
from ..problems.registry import coloring

SOURCE = dev.Source(__file__, BLOCK=512)
WARP = 32
MANY = 1 << 14  # rounds of one launch
TOGETHER = 2  # blocks a multiprocessor: with more, the blocks of a round of few vertices wait longer for each other


@coloring(
    "jpl",
    style="kernel",
    paper="Naumov, Castonguay, Cohen 2015, JPL",
    engines=("cpu", "cuda"),
    bound="rounds",
    oracle=None,
    deterministic=True,
    order="random",
    seed=0,
    needs="p",
)
def jpl(G: Graph, p: Priorities, log: Log) -> Any:
    """Local maxima of one random priority take one color per round (Jones, Plassmann and Luby)."""
    colors, n_colors = _gpu(G, p) if G.on_gpu else _cpu(G, p)
    log_sets(log, G, colors, n_colors)
    return colors


def _gpu(G: Graph, p: Priorities) -> tuple[Any, int]:
    cp = dev.cupy()
    run, blocks = SOURCE.of(G.indptr), 0
    colors, cursor = cp.full(G.n, -1, np.int32), cp.empty(G.n, G.indptr.dtype)
    on_device, left, n_colors = cp.array([G.n, 0], np.int64), G.n, 0
    lists: tuple[Any, ...] = ()

    def args(blocks: int) -> tuple[Any, ...]:
        nonlocal lists
        if not n_colors:
            warps = blocks * (run.block // WARP)
            room = WARP * -(-G.n // (WARP * warps))
            lists = cp.empty(warps * room, np.uint64), room, cp.empty(warps, np.int32)
        graph = (G.indptr, G.indices, p.p, colors, cursor)
        return *graph, *lists, cp.zeros(3, np.uint64), on_device, G.n, int(n_colors == 0), MANY

    while left:  # the uncolored vertex of highest priority takes a color in each round
        # Lists go from launch to launch, and so does the number of blocks.
        blocks = run.cooperative("jpl_rounds", blocks * run.block or G.n, args, most=TOGETHER, least=blocks or 1)
        left, n_colors = on_device.tolist()
    return colors, n_colors


def _cpu(G: Graph, p: Priorities) -> tuple[np.ndarray, int]:
    colors = np.empty(G.n, np.int32)
    levels(*unsigned(G), p.sequence.view(np.uint32), p.p, colors)
    return colors, int(colors.max(initial=-1)) + 1
