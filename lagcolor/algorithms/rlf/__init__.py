"""RLF, recursive largest first: one color class after the other, with as many edges at the class as possible.

A class begins with the vertex of largest degree. Of the vertices that may still join it, the one with the most
neighbors that may not is next, so that few edges are left for the classes that follow. Degrees count vertices without a
color: vertices of former classes are removed.

Symbols of the paper, for the class at hand:

==========  ==========================================================================================
U1          vertices without a color that may join the class
U2          vertices without a color that have a neighbor in it
==========  ==========================================================================================

Of equal vertices that with the fewest neighbors in U1 is next (the paper's rule), then the first in the order. A vertex
of U1 has all its neighbors without a color in U1 or U2. Of two with as many neighbors in U2, the one of smaller degree
therefore has fewer in U1, so that a rank by degree and order breaks all ties, and stays while a class grows.

lists.py reads rows, and keeps the vertices of U1 with a neighbor in U2 in a heap. bits.py has a bit for each pair of
vertices, for dense graphs. They give the same colors.

References
----------
Leighton 1979, "A graph coloring algorithm for large scheduling problems", Journal of Research of the National Bureau of
Standards 84(6), 489-506 (RLF).
"""

from __future__ import annotations

import numpy as np

from ...base.log import Log
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...orders import Priorities
from ...problems.registry import coloring
from . import bits, lists

DENSE = 32  # bits of pairs for one entry, up to which they are quicker
MOST_BITS = 1 << 31  # 256 MB


@coloring(
    "rlf",
    style="sequential",
    paper="Leighton 1979, RLF",
    engines=("cpu",),
    bound="Δ+1 (exact on bipartite graphs)",
    oracle=None,
    deterministic=True,
    order="natural",
    seed=None,
    needs="sequence",
)
def rlf(G: Graph, p: Priorities, log: Log) -> np.ndarray:
    """RLF: a color class at a time, always the vertex with the most neighbors that cannot join."""
    work, pairs = lists.RLFState.of(G, p), G.n * G.n
    dense = pairs <= min(DENSE * G.m, MOST_BITS)
    grow, more = (bits.grow, bits.pairs_of(G)) if dense else (lists.grow, ())
    while not grow(*unsigned(G), work, *more):
        pass
    log.round(active=G.n, colored=G.n, conflicts=0)
    return work.colors
