"""The baseline of Che et al.: an independent set of local maxima of random values takes one color per round.

=============  ===========================================================
p              node_val: priorities, a permutation, so without ties
colors         color, −1 while uncolored
=============  ===========================================================

A vertex is colored one round after the latest of its larger neighbors, so the number of colors is the number of
vertices on the longest path of rising priorities; Δ + 1 does not bound it. The vertex of greatest priority of all that
are left is colored in every round, so rounds end.

References
----------
Che, Rodgers, Beckmann, Reinhardt 2015, "Graph Coloring on the GPU and Some Techniques to Improve Load
Imbalance", Algorithm 1.
"""

from __future__ import annotations

from typing import Any

from ...base.log import Log
from ...graph.graph import Graph
from ...orders import Priorities
from ...problems.registry import coloring
from .local_maxima import CheRounds, log_rounds

PAPER = "Che, Rodgers, Beckmann, Reinhardt 2015, Algorithm"


@coloring(
    "che_baseline",
    style="kernel",
    paper=f"{PAPER} 1",
    bound="rounds",
    passes=True,
    order="random",
    seed=0,
    needs="p",
)
def che_baseline(G: Graph, p: Priorities, log: Log) -> Any:
    """Local maxima of random values take one color per round."""
    state = CheRounds(G)
    log_rounds(log, G, state.colors, [("random", random_labelling(state, p))])
    return state.colors


def random_labelling(state: CheRounds, p: Priorities) -> int:
    """Rounds by the priorities `p` until all vertices have colors; how many."""
    rounds = 0
    while state.left:
        state.advance(p.p)
        rounds += 1
    return rounds
