"""Jones–Plassmann–Luby: in each round the local maxima of one priority among uncolored vertices take a new color.

==========  =====================================================================
p           priorities, a permutation; the same in every round
level       the color: the round when a vertex is a local maximum
==========  =====================================================================

A vertex is a local maximum in the round after the last of its earlier neighbors was one, so its color is one more than
the largest of theirs. On a CPU the vertices are colored in one pass in their order, on a GPU as soon as these neighbors
are (engines/rounds/independent_sets.cu).

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

from ..base.log import Log
from ..engines.rounds.independent_sets import independent_sets, log_sets
from ..engines.rounds.worklists import levels
from ..graph.graph import Graph
from ..graph.pattern import unsigned
from ..orders import Priorities
from ..problems.registry import coloring


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
    if G.on_gpu:
        colors, n_colors = independent_sets(G, p.p)
    else:
        colors = np.empty(G.n, np.int32)
        levels(*unsigned(G), p.sequence.view(np.uint32), p.p, colors)
        n_colors = int(colors.max(initial=-1)) + 1
    log_sets(log, G, colors, n_colors)
    return colors
