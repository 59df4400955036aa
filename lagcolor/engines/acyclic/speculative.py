"""Acyclic coloring in rounds: vertices whose earlier neighbors all have colors choose at once, and some try again.

First-fit (first_fit.py) cannot be had in parallel: which colors are left for a vertex depends on trees of two colors,
and these on vertices far away. Here a vertex is ready once its earlier neighbors have colors, as in first-fit of
distance 1, and the trees are those of the vertices that are done, wherever in the order they are. A round:

- choose: each ready vertex takes the least color c that closes no cycle with what was colored in earlier rounds. If it
  has neighbors of one color d in several trees of c and d, it would unite them, and claims each but the first of them;
  of several claims to a tree that of the earliest vertex holds. (Trees are in the order of their least vertices.)
- keep: a vertex whose claims all hold keeps its color; the others are ready again in the next round.

No cycle comes to be: vertices that are ready at once are no neighbors, so on a cycle of two colors the new ones
alternate with trees, at least two of each. The last of these trees is between two vertices, for neither of which it is
the first tree, so both have claimed it, and one has lost. The earliest ready vertex loses no claim, so each round
colors one. What is chosen depends on the state before the round alone, not on the schedule.

Where most of a graph is one long chain in the order, a CPU is faster, and colors it by first-fit (cuda.py).

At the end a last class of a few vertices is dissolved, if that can be done by coloring what is near anew (cuda.py).

Claims are kept in a hash table; vertices whose claims to different trees meet there may try again once more than they
had to. A neighbor that is neutral is claimed with the color itself.

References
----------
Gebremedhin, Tarafdar, Manne, Pothen 2007, Algorithm 5.1 (the condition, and sets of edges); Jones, Plassmann 1993
(which vertices are ready).
"""

from __future__ import annotations

from typing import Any

from ...core.graph import Graph
from ...core.registry import coloring
from ...core.result import Log
from ...orders import Priorities
from .cuda import speculative_acyclic


@coloring(
    "speculative",
    problem="acyclic",
    style="kernel",
    paper="rounds after Gebremedhin et al. 2007, Algorithm 5.1",
    engines=("cuda",),
    bound="Δ(Δ+1)/2+1",
    deterministic=True,
    order="approximate_degeneracy",
    seed=None,
    needs="sequence",
)
def speculative(G: Graph, p: Priorities, log: Log) -> Any:
    """Acyclic coloring: the least color that closes no cycle, of many vertices at once; conflicting ones try again."""
    return speculative_acyclic(G, None if p.is_natural else p.sequence, log=log)
