"""Qualities of colorings of edges, on the CPU.

1. Fans and alternating paths, for Δ colors and then for Δ + 1 (`engines/edges/coloring.py`). A connected part with
   2 r + 1 vertices and more than Δ r edges has no coloring with Δ colors, as each class has at most r of its edges.
2. For small graphs the search of distance 1, on the graph of the conflicting edges. It may prove that Δ colors do not
   suffice. For "best" it goes on until the limit.
3. For "best" on larger graphs fans again, with other random choices, until the limit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import device as dev
from ..base.log import Log, Stage, before, stage
from ..engines.edges.coloring import EdgeColoring, graph_of, overfull
from ..graph.nets import Nets
from ..orders import Priorities
from ..problems.certificates import OVERFULL, Certificate
from ..problems.registry import Algorithm
from . import UNSUITED, Limit, Search
from .attempts import SMALL
from .nets import ORDER, on_conflicts

FANS = "fans"


def run(H: Nets, p: Priorities, log: Log, quality: str, seed: int, limit: Limit, row: Algorithm) -> Any:
    """Color with quality "balanced" or "best"; fans take the edges in the order `p`."""
    best, here = quality == "best", H.on("cpu")
    search = Search(here, log, seed, limit if best else None, H.largest_net)
    if not H.n:
        return row.run(H, p, log)
    if H.on_gpu:
        log.notes["on_cpu"] = "colored on the CPU, in a copy of the graph: fans and alternating paths have no GPU code"
    G = graph_of(here)
    if len(found := overfull(here, G)):
        search.least += 1
        log.certificate = Certificate(OVERFULL, search.least, found)
    edges = EdgeColoring(here, G, seed)
    try:
        with log.best_so_far(lambda: search.colors is not None, memory=True):
            shown = log.stage if best else stage("coloring", H.n, "edges")
            search.attempt(FANS, lambda _: first(edges, search.least, p, shown))
            search.result()
            if not search.over:
                conflicts(search, best)
            while best and not (search.ended or search.no_memory) and search.fits(ORDER):
                search.attempt(FANS, lambda _: again(edges, search))
    finally:
        log.lower_bound = max(log.lower_bound, search.least)
        log.certificate = search.certificate or log.certificate
    return dev.to_device(search.colors, H.device)


def first(edges: EdgeColoring, k: int, p: Priorities, shown: Stage) -> np.ndarray:
    """At most Δ + 1 colors."""
    edges.complete(k, None if p.is_natural else dev.to_device(p.sequence, "cpu"), shown)
    return edges.colors


def again(edges: EdgeColoring, search: Search) -> Any:
    """One color less, until the deadline."""
    return edges.colors if edges.lower(search.n_colors - 1, lambda: before(search.deadline)) else UNSUITED


def conflicts(search: Search, best: bool) -> None:
    """The search of distance 1, where the graph of conflicts is small."""
    if search.G.reads(SMALL) <= SMALL and (G := search.G.conflict_graph(SMALL)) is not None:
        on_conflicts(search, G, best)
