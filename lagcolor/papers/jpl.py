"""Jones–Plassmann–Luby: in each round the local maxima of one priority among uncolored vertices take a new color.

==========  =====================================================================
p           priorities, a permutation; the same in every round
level       the color: the round in which a vertex is a local maximum
==========  =====================================================================

GPU: round by round, many rounds in one launch (engines/independent_sets). One launch
per color was slower (kron_g500-logn21 takes 4347 colors).

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

from ..core.graph import Graph
from ..core.registry import coloring
from ..core.result import Log
from ..device.compiled import njit
from ..engines.greedy.sequential import ONE32, ahead, unsigned
from ..engines.independent_sets import GpuRounds, random_labelling
from ..orders import Priorities


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
    if not log.trace:
        log.rounds += n_colors
    elif G.n:
        left = G.n
        for colored in G.xp.bincount(colors).tolist():
            log.round(active=left, colored=colored, conflicts=0, ms=None)
            left -= colored
    return colors


def _gpu(G: Graph, p: Priorities) -> tuple[Any, int]:
    state = GpuRounds(G)
    random_labelling(state, p)
    return state.colors, state.n_colors


def _cpu(G: Graph, p: Priorities) -> tuple[np.ndarray, int]:
    colors = np.empty(G.n, np.int32)
    levels(*unsigned(G), p.sequence.view(np.uint32), p.p, colors)
    return colors, int(colors.max(initial=-1)) + 1


@njit(cache=True, nogil=True)
def levels(indptr: Any, indices: Any, sequence: Any, p: Any, colors: Any) -> None:
    """The round of each vertex: one more than the largest of its earlier neighbors."""
    for i in range(sequence.size):
        ahead(indptr, indices, sequence, np.uint64(i))
        v = sequence[i]
        level = np.int32(-1)
        for e in range(indptr[v], indptr[v + ONE32]):
            u = indices[e]
            if p[u] > p[v]:
                level = max(level, colors[u])
        colors[v] = level + np.int32(1)
