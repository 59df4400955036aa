"""JP-ADG: Jones–Plassmann in the approximate degeneracy order, which bounds colors by the degeneracy of the graph.

The order (lagcolor/orders/approximate_degeneracy.py, ε = 0.01) removes vertices of at most (1 + ε) times the
average degree, all at once, in O(log n) rounds; no vertex has over 2(1 + ε)d earlier neighbors, for d the degeneracy.
First-fit in it takes at most 2.02 d + 1 colors. Another order loses that bound, and is colored in the same way.

A vertex takes its color as soon as its earlier neighbors have theirs: that is `first_fit`, here in this order.

References
----------
Besta, Carigiet, Janda, Vonarburg-Shmaria, Gianinazzi, Hoefler 2020, "High-performance parallel graph coloring
with strong guarantees on work, depth, and quality", SC20 (JP-ADG).
"""

from __future__ import annotations

from typing import Any

from ...base.log import Log
from ...engines.greedy.first_fit import first_fit
from ...graph.graph import Graph
from ...orders import Priorities
from ...problems.registry import coloring


@coloring(
    "jp_adg",
    style="kernel",
    paper="Besta et al. 2020, JP-ADG",
    engines=("cpu", "cuda"),
    bound="Δ+1; 2.02 d + 1 in its own order",
    oracle="first_fit",
    deterministic=True,
    order="approximate_degeneracy",
    seed=0,
    needs="sequence",
    threaded=True,
)
def jp_adg(G: Graph, p: Priorities, log: Log, threads: int | None = None) -> Any:
    """Jones–Plassmann in the approximate degeneracy order: at most 2.02 times the degeneracy, plus 1, colors."""
    return first_fit(G, p, log, threads)
