"""Star and acyclic colorings of a graph as algorithms of the registry."""

from __future__ import annotations

from typing import Any

from ...base.log import Log
from ...graph.graph import Graph
from ...orders import Priorities
from ...problems.registry import coloring
from .acyclic_cuda import speculative_acyclic
from .first_fit import acyclic, star
from .star_cuda import star_on_gpu

ROW: dict[str, Any] = {"deterministic": True, "seed": None, "needs": "sequence"}
EXACT = ROW | {"oracle": "first_fit"}
SUBSTITUTED = {"problem": "acyclic", "bound": "Δ(Δ+1)/2+1"}
PAPER = "Gebremedhin et al. 2007, Algorithm"


@coloring(
    "first_fit", problem="star", style="kernel", paper=f"{PAPER} 4.1", engines=("cpu", "cuda"), bound="Δ²+1",
    order="random_spread", **EXACT,
)  # fmt: skip
def star_coloring(G: Graph, p: Priorities, log: Log) -> Any:
    """Star coloring by first-fit: each vertex takes the least color that leaves a star coloring."""
    log.round(active=G.n, colored=G.n, conflicts=0, ms=None)
    if G.on_gpu:
        return star_on_gpu(G, None if p.is_natural else p.sequence, log=log)
    return star(G, p.sequence)


@coloring(
    "first_fit", style="sequential", paper=f"{PAPER} 5.1", engines=("cpu",), order="smallest_last",
    **SUBSTITUTED, **EXACT,
)  # fmt: skip
def acyclic_coloring(G: Graph, p: Priorities, log: Log) -> Any:
    """Acyclic coloring by first-fit: each vertex takes the least color that leaves an acyclic coloring."""
    colors = acyclic(G, p.sequence)
    log.round(active=G.n, colored=G.n, conflicts=0)
    return colors


@coloring(
    "speculative", style="kernel", paper=f"rounds after {PAPER} 5.1", engines=("cuda",),
    order="approximate_degeneracy", uneven="random", **SUBSTITUTED, **ROW,
)  # fmt: skip
def speculative(G: Graph, p: Priorities, log: Log) -> Any:
    """Acyclic coloring: many vertices at once take the least color that closes no cycle; some try again."""
    return speculative_acyclic(G, None if p.is_natural else p.sequence, log=log)
