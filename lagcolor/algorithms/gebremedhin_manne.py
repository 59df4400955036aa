"""Gebremedhin–Manne: threads color without waiting; the few vertices in conflict are then colored again.

engines/rounds/repair.py has the three phases of the paper's Algorithm 2 (block-partition-based coloring). Two things
differ. In natural order phase 2 only reads the rows of a few vertices. If many edges join the blocks, threads take
short chunks in turn instead of a block each. There is no GPU version; `ipgc` speculates again instead.

References
----------
Gebremedhin, Manne 2000, "Scalable parallel graph coloring algorithms", Concurrency: Practice and
Experience 12(12), Algorithm 2.
"""

from __future__ import annotations

from typing import Any

from ..base.device import threads_for_graph
from ..base.log import Log
from ..base.options import whole
from ..engines.rounds.repair import first_fit_then_repair
from ..graph.graph import Graph
from ..orders import Priorities
from ..problems.registry import coloring


@coloring(
    "gebremedhin_manne",
    style="kernel",
    paper="Gebremedhin and Manne 2000, Algorithm 2",
    engines=("cpu",),
    bound="Δ+1",
    deterministic=False,
    order="natural",
    seed=None,
    needs="sequence",
    threaded=True,
    options={
        "chunk": "number of vertices that a thread takes at a time; default: from the share of edges between blocks",
    },
)
def gebremedhin_manne(G: Graph, p: Priorities, log: Log, threads: int | None = None, chunk: int | None = None) -> Any:
    """Speculative parallel first-fit, then a sequential repair of the few conflicts."""
    chunk = whole("chunk", chunk, 1, none=True)
    return first_fit_then_repair(G, p, log, threads_for_graph(threads, G, log), chunk)
