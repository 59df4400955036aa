"""ECL-GC on a CPU: visits of all vertices in their order until all have colors, or in step, for a trace."""

from __future__ import annotations

import numpy as np

from ...core.graph import Graph
from ...core.result import Log
from ...engines.greedy.sequential import unsigned
from ...engines.worklists import levels
from ...orders import Priorities
from .paper import State, color_by_visits
from .steps import WIDE_FROM, color_in_step

WORD = 64  # neighbors from which a word does not hold the possible colors


def run_cpu(G: Graph, p: Priorities, sc1: bool, sc2: bool, log: Log) -> np.ndarray:
    """Colors, int32, shape (n,)."""
    if G.n == 0:
        return np.empty(0, np.int32)
    state = State(*unsigned(G), p.p, WIDE_FROM if log.trace else WORD)
    sequence = p.sequence.view(np.uint32)
    if log.trace:
        level = np.empty(G.n, np.int32)
        levels(*unsigned(G), sequence, p.p, level)
        return color_in_step(state, int(level.max()) + 1, sequence, sc1, sc2, log)
    return color_by_visits(state, sequence, sc1, sc2)
