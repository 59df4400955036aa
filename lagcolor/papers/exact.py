"""The chromatic number, with proof: clause learning, one color less at a time (engines/learning).

First-fit in the order asked for and ejection come first. Then it is decided whether one color less does, on the kernel
of the graph for so many colors, until it does not: that is the proof, and `lower_bound` of the result says so. After so
many `nodes` in all, which are the conflicts of the search, it ends without.

References
----------
Marques-Silva, Sakallah 1999, "GRASP: a search algorithm for propositional satisfiability"; Van Gelder 2008, "Another
look at graph coloring via propositional satisfiability".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.graph import Graph
from ..core.options import whole
from ..core.registry import coloring
from ..core.result import Log
from ..engines.greedy.sequential import first_fit, unsigned
from ..engines.lists import FOUND, NONE_EXISTS
from ..engines.proof import Proof
from ..engines.recolor import bipartite, clique_size, ejection
from ..orders import Priorities
from ..problems import DEFAULT, PROBLEMS

NODES = 10_000
MOST_ENTRIES = 1 << 22  # of the table of vertices and colors


@coloring(
    "exact",
    style="sequential",
    paper="Marques-Silva, Sakallah 1999, clause learning",
    engines=("cpu",),
    bound="Δ+1 (χ where the nodes suffice)",
    oracle=None,
    deterministic=True,
    order="largest_first",
    seed=0,
    needs="sequence",
    options={"nodes": f"of the search, its conflicts, in all; default {NODES}; without a limit until there is a proof"},
)
def exact(G: Graph, p: Priorities, log: Log, nodes: Any = NODES) -> np.ndarray:
    """Clause learning: the fewest colors, with proof, if the nodes suffice."""
    left = whole("nodes", nodes, 0, of="nodes", none=True)
    colors = first_fit(*unsigned(G), p.sequence.view(np.uint32))
    colors = ejection(G, colors, seed=p.seed or 0)
    least = PROBLEMS[DEFAULT].lower_bound(G)
    if G.m and int(colors.max()) > 1:
        two = bipartite(G)
        colors, least = (colors, 3) if two is None else (two, 2)
    least = max(least, clique_size(G, int(colors.max(initial=-1)) + 1))
    log.round(active=G.n, colored=G.n, conflicts=0)
    try:
        while (k := int(colors.max(initial=-1)) + 1) > least and (left is None or left > 0):
            proof = Proof(G, k - 1)
            if proof.entries > MOST_ENTRIES:
                break
            result = proof.run(conflicts=2**62 if left is None else left)
            left = None if left is None else left - proof.conflicts
            log.round(active=0, colored=0, conflicts=0, colors=k - 1, reached=result == FOUND)
            if result == NONE_EXISTS:
                least, log.certificate = k, proof.certificate
            elif result == FOUND:
                colors = proof.colors()
    except KeyboardInterrupt:
        log.notes["interrupted"] = True
    log.lower_bound = least
    return colors
