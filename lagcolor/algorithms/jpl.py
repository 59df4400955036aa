"""Jones–Plassmann–Luby: in each round the local maxima of one priority among uncolored vertices take a new color.

==========  =====================================================================
p           priorities, a permutation; fixed in all rounds
level       round in which a vertex is a local maximum, its color
==========  =====================================================================

GPU: many rounds in one launch (jpl.cu). One launch per color was slower (kron_g500-logn21 takes 4347 colors).

CPU: a vertex is a local maximum in the round after its last earlier neighbor was one. Its color is therefore one more
than the largest color of its earlier neighbors, and one pass in the order of the vertices computes all colors.

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
MANY = 1 << 14  # largest number of rounds in a launch
TOGETHER = 2  # blocks per multiprocessor: more blocks wait longer for each other in rounds of few vertices


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
            capacity = WARP * -(-G.n // (WARP * warps))
            lists = cp.empty(warps * capacity, np.uint64), capacity, cp.empty(warps, np.int32)
        graph = (G.indptr, G.indices, p.p, colors, cursor)
        return *graph, *lists, cp.zeros(3, np.uint64), on_device, G.n, int(n_colors == 0), MANY

    while left:  # the uncolored vertex of highest priority takes a color in each round
        # All launches use the same lists, so they also have the same number of blocks.
        blocks = run.cooperative("jpl_rounds", blocks * run.block or G.n, args, most=TOGETHER, least=blocks or 1)
        left, n_colors = on_device.tolist()
    return colors, n_colors


def _cpu(G: Graph, p: Priorities) -> tuple[np.ndarray, int]:
    colors = np.empty(G.n, np.int32)
    levels(*unsigned(G), p.sequence.view(np.uint32), p.p, colors)
    return colors, int(colors.max(initial=-1)) + 1
