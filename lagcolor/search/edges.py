"""Qualities of edge colorings, on the CPU.

1. Fans and alternating paths, for Δ colors and then for Δ + 1 (`engines/edges/coloring.py`). A component with 2 r + 1
   vertices and more than Δ r edges has no coloring with Δ colors, because each class has at most r of its edges.
2. For small graphs the search of distance 1, on the graph of conflicting edges. It may prove that Δ colors are not
   enough. For "best" it continues until the limit.
3. For "best" on larger graphs fans again, with other random choices, until the limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.log import Log, before, stage
from ..engines.edges.coloring import EdgeColoring, graph_of, overfull
from ..graph.nets import Nets
from ..orders import Priorities
from ..problems.certificates import OVERFULL, Certificate
from ..problems.registry import Algorithm
from . import UNSUITED, Attempt, Limit, Search
from .attempts import SMALL
from .nets import ORDER, on_conflicts
from .nets import reason_for_cpu as reason_for_cpu

FANS = "fans"


def run(H: Nets, p: Priorities, log: Log, quality: str, seed: int, limit: Limit, row: Algorithm) -> Any:
    """Color with quality "balanced" or "best"; fans color the edges in the order `p`."""
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
    search.p = p
    return dev.to_device(search.run(rows(search, EdgeColoring(here, G, seed), best)), H.device)


def rows(search: Search, edges: EdgeColoring, best: bool) -> Iterator[Attempt]:
    """Yield fans, the rows of distance 1 if the graph of conflicts is small, and for best fans repeatedly."""
    H = search.G
    shown = search.log.stage if best else stage("coloring", H.n, "edges")

    def first(search: Search, *_: Any) -> np.ndarray:
        """Color with at most Δ + 1 colors."""
        edges.complete(search.least, None if search.p.is_natural else dev.to_device(search.p.sequence, "cpu"), shown)
        return edges.colors

    def again(search: Search, until: float, _: Log) -> Any:
        """Color with one color less, until the deadline."""
        return edges.colors if edges.lower(search.n_colors - 1, lambda: before(until)) else UNSUITED

    yield Attempt(FANS, 0, first)
    search.result()
    if not search.over and H.reads(SMALL) <= SMALL and (G := H.conflict_graph(SMALL)) is not None:
        yield from on_conflicts(search, G, best)
    while best and not search.no_memory and search.fits(ORDER):
        yield Attempt(FANS, ORDER, again)
