"""The baseline of Che et al.: an independent set of local maxima of random values takes one color a round.

The paper's two loops, a thread a vertex over its whole row, are `schedule="paper"` (che_paper.py). By default the
same rounds keep lists of the vertices left and go on along each row from where they stopped, hundreds of rounds in
one launch (che_gpu.py, che_cpu.py): same rounds, same colors.

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

from .. import threads as cpu_threads
from ..graph import Graph
from ..priorities import Priorities
from ..registry import coloring
from ..result import Log
from .che_cpu import CpuRounds
from .che_gpu import GpuRounds
from .che_trace import log_rounds

PAPER = "Che, Rodgers, Beckmann, Reinhardt 2015, Algorithm"
MANY = 1 << 14  # rounds of one launch


@coloring(
    "che_baseline",
    style="kernel",
    paper=f"{PAPER} 1",
    engines=("cpu", "cuda"),
    bound="rounds",
    oracle=None,
    deterministic=True,
    order="random",
    seed=0,
    needs="p",
    options={"threads": "CPU threads; default: one a core where that pays, else one"},
)
def che_baseline(G: Graph, p: Priorities, log: Log, threads: int | None = None) -> Any:
    """Local maxima of random values take one color a round."""
    state = rounds_on(G, threads)
    rounds = random_labelling(state, p)
    log_rounds(log, G, state.colors, [("random", rounds)])
    return state.colors


def rounds_on(G: Graph, threads: int | None) -> CpuRounds | GpuRounds:
    """The rounds of the graph's device, before the first."""
    workers = cpu_threads.count(threads, G.m)
    return GpuRounds(G) if G.on_gpu else CpuRounds(G, min(workers, max(G.n, 1)))


def random_labelling(state: CpuRounds | GpuRounds, p: Priorities) -> int:
    """Randomization-based labelling until all vertices have colors; the rounds."""
    rounds = 0
    while state.left:
        rounds += state.advance(p.p, ties=False, fresh=rounds == 0, rounds=MANY)
    return rounds
