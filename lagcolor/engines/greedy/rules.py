"""First-fit with rules in an order: each free vertex in turn takes the least color that no rule and no neighbor bars.

Fixed and forbidden colors and their number are a `Task` (tasks.py), on one core and on a GPU. With capacities the color
of a vertex depends on all vertices before it, neighbors or not (capacities.py), so that a graph on a GPU is copied to
the CPU.

Two shortcuts give the same colors faster. A limit of the number of colors that no vertex reaches changes nothing, so
that first-fit without it is tried first. On a CPU small fixed colors are codes in bytes, as in sequential.py, which
colors the free vertices around them (1000 × 1000 grid, a tenth fixed: 27 ms by that, 85 ms by tasks.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device import extremes
from ...base.log import Log
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...orders import Priorities
from ...problems.rules import MOST_COLORS, Rules
from .capacities import first_fit_with_capacities
from .sequential import BASE, LAST, narrow, publish
from .tasks import first_fit_task


def first_fit_with_rules(G: Graph, p: Priorities, log: Log, rules: Rules, without_rules: Callable[[], Any]) -> Any:
    """Colors of sequential first-fit with rules, color for color on every device."""
    if rules.capacity is None and rules.forbidden is None:
        colors = without_rules() if rules.fixed is None else _around_small(G, p, rules.fixed)
        most = MOST_COLORS if rules.max_colors is None else rules.max_colors
        if colors is not None and extremes.largest(colors) < most:
            return colors
    order = None if p.is_natural else p.sequence
    if rules.capacity is None:
        return first_fit_task(G, rules.task(G.max_degree), order)
    if not G.on_gpu:
        return first_fit_with_capacities(G, rules, order)
    log.notes["capacity"] = "kept on the CPU, of a copy of the graph: first-fit with capacities is sequential"
    order = None if order is None else dev.to_device(order, "cpu")
    return dev.to_device(first_fit_with_capacities(G.on("cpu"), rules.on("cpu"), order), G.device)


def _around_small(G: Graph, p: Priorities, fixed: Any) -> Any:
    """First-fit around fixed colors; None on a GPU, or where some color does not fit into a word of bits."""
    if G.on_gpu or extremes.largest(fixed) > int(LAST - BASE):
        return None
    state = np.where(fixed < 0, 0, fixed + int(BASE)).astype(np.uint8)
    free = p.sequence[state[p.sequence] == 0].view(np.uint32)
    if narrow(*unsigned(G), free, state, np.empty_like(state), 0, len(free))[0] < len(free):
        return None
    return publish(state, np.empty(G.n, np.int32))
