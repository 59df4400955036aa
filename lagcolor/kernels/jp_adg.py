"""JP-ADG: Jones–Plassmann in the approximate degeneracy order, which bounds colors by the degeneracy of the graph.

The order (lagcolor/priorities/approximate_degeneracy.py, ε = 0.01) removes vertices of at most (1 + ε) times the
average degree, all at once, in O(log n) rounds; no vertex has over 2(1 + ε)d earlier neighbours, for d the degeneracy.
First-fit in it takes at most 2.02 d + 1 colors. In any other order this is `jones_plassmann`.

References
----------
Besta, Carigiet, Janda, Vonarburg-Shmaria, Gianinazzi, Hoefler 2020, "High-performance parallel graph coloring
with strong guarantees on work, depth, and quality", SC20 (JP-ADG).
"""

from __future__ import annotations

from typing import Any

from ..graph import Graph
from ..priorities import Priorities
from ..registry import coloring
from ..result import Log
from .jones_plassmann import jones_plassmann


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
    needs="p",
    options={"threads": "CPU threads; default: one a core where that pays, else one"},
)
def jp_adg(G: Graph, p: Priorities, log: Log, threads: int | None = None) -> Any:
    """Jones–Plassmann in the approximate degeneracy order: at most 2.02 times the degeneracy, plus 1, colors."""
    return jones_plassmann(G, p, log, threads)
