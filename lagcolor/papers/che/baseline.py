"""The baseline of Che et al.: an independent set of local maxima of random values takes one color a round.

The paper's two loops, a thread a vertex over its whole row, are `schedule="paper"` (paper_schedule.py). By default the
same rounds keep lists of the vertices left and go on along each row from where they stopped, hundreds of rounds in
one launch (rounds_gpu.py, rounds_cpu.py): same rounds, same colors.

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

from ...device import threads as cpu_threads
from ...errors import OptionError
from ...graph import Graph
from ...orders import Priorities
from ...registry import coloring
from ...result import Log
from .paper_schedule import PaperRounds
from .rounds_cpu import CpuRounds
from .rounds_gpu import GpuRounds
from .trace import log_rounds

PAPER = "Che, Rodgers, Beckmann, Reinhardt 2015, Algorithm"
MANY = 1 << 14  # rounds of one launch
OPTIONS = {
    "schedule": "worklist: lists of the vertices left, rows searched on from where they stopped (default); paper: "
    "two loops over all vertices and whole rows, a thread a vertex; changes no color",
    "threads": "CPU threads of the schedule worklist; default: one a core where that pays, else one",
}
Rounds = CpuRounds | GpuRounds | PaperRounds


@coloring(
    "che_baseline",
    style="kernel",
    paper=f"{PAPER} 1",
    engines=("cpu", "cuda"),
    bound="rounds",
    passes=True,
    chain=1,
    instead="jpl",
    oracle=None,
    deterministic=True,
    order="random",
    seed=0,
    needs="p",
    options=OPTIONS,
)
def che_baseline(G: Graph, p: Priorities, log: Log, schedule: str = "worklist", threads: int | None = None) -> Any:
    """Local maxima of random values take one color a round."""
    state = rounds_on(G, schedule, threads, log)
    rounds = random_labelling(state, p)
    log_rounds(log, G, state.colors, [("random", rounds)])
    return state.colors


def rounds_on(G: Graph, schedule: str, threads: int | None, log: Log) -> Rounds:
    """The rounds of a schedule on the graph's device, before the first.

    Raises
    ------
    OptionError
        There is no such schedule, or `threads` is no whole number from 1 on.
    """
    workers = cpu_threads.for_graph(threads, G, log)
    if schedule == "paper":
        return PaperRounds(G)
    if schedule == "worklist":
        return GpuRounds(G) if G.on_gpu else CpuRounds(G, min(workers, max(G.n, 1)))
    raise OptionError(f"schedule must be 'worklist' or 'paper', not {schedule!r}")


def random_labelling(state: Rounds, p: Priorities, rounds: int = 0) -> int:
    """Randomization-based labelling, of which so many rounds are done, until all vertices have colors; the rounds."""
    while state.left:
        rounds += state.advance(p.p, fresh=rounds == 0, rounds=MANY)
    return rounds
