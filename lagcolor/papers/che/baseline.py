"""The baseline of Che et al.: an independent set of local maxima of random values takes one color per round.

The paper's two loops over whole rows are the default, `schedule="paper"` (paper_schedule.py). The library's schedule,
"worklist", on a GPU, keeps lists of the vertices left and continues along each row from where it stopped, thousands of
rounds in one launch (engines/independent_sets): same rounds, same colors.

=============  ===========================================================
p              node_val: priorities, a permutation, so without ties
colors         color, −1 while uncolored
=============  ===========================================================

A vertex is colored one round after the latest of its larger neighbours, so the number of colors is that of vertices
on the longest path of rising priorities; Δ + 1 does not bound it. The vertex of greatest priority of all that are
left is colored in every round, so rounds end.

References
----------
Che, Rodgers, Beckmann, Reinhardt 2015, "Graph Coloring on the GPU and Some Techniques to Improve Load
Imbalance", Algorithm 1.
"""

from __future__ import annotations

from typing import Any

from ...core.graph import Graph
from ...core.options import choice
from ...core.registry import LISTS, coloring
from ...core.result import Log
from ...engines.independent_sets import GpuRounds, random_labelling
from ...orders import Priorities
from .paper_schedule import PaperRounds
from .trace import log_rounds

PAPER = "Che, Rodgers, Beckmann, Reinhardt 2015, Algorithm"
Rounds = GpuRounds | PaperRounds
SCHEDULES: dict[str, type[Rounds]] = {"paper": PaperRounds, "worklist": GpuRounds}
OPTIONS = {
    "schedule": "GPU: paper (default), two loops over all vertices and whole rows, one thread per vertex; worklist, "
    "lists of the vertices left, rows searched on from where they stopped; changes no color",
}


@coloring(
    "che_baseline",
    style="kernel",
    paper=f"{PAPER} 1",
    bound="rounds",
    passes=True,
    chain=1,
    cost=LISTS,
    instead="jpl",
    order="random",
    seed=0,
    needs="p",
    options=OPTIONS,
)
def che_baseline(G: Graph, p: Priorities, log: Log, schedule: str = "paper") -> Any:
    """Local maxima of random values take one color per round."""
    state = rounds_on(G, schedule)
    rounds = random_labelling(state, p)
    log_rounds(log, G, state.colors, [("random", rounds)])
    return state.colors


def rounds_on(G: Graph, schedule: str) -> Rounds:
    """The rounds of a schedule on the graph's device, before the first; a CPU has the paper's only."""
    rounds = SCHEDULES[choice("schedule", schedule, tuple(SCHEDULES))]
    return rounds(G) if G.on_gpu else PaperRounds(G)
