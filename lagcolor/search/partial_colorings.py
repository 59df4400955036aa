"""Partial colorings: the fewest vertices, or a set of the least cost, are left without a color.

The searches run on the CPU, on a copy of a graph on a GPU. Problems at two hops use the graph of conflicting pairs.
With capacities, first-fit in several orders and ejection from the best of them minimize the number of vertices.

The search for a complete coloring also ends with a partial coloring. Unless the result is proved optimal, both are
compared, so that `partial` never leaves out more vertices than the error without it. Both share a time limit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.compile_clock import clock
from ..base.errors import OptionError
from ..base.log import Log
from ..engines.exact.clique import starts_of
from ..engines.exact.clique_cpu import cliques
from ..engines.exact.k_core import select
from ..engines.greedy.rules import first_fit_with_capacities
from ..engines.improve.lists import Instance
from ..engines.improve.lists.ejection import Ejection, lower
from ..engines.improve.lists.leave_out import Effort, LeaveOut
from ..graph.graph import Graph
from ..graph.nets import Structure
from ..graph.pattern import unsigned
from ..orders import Priorities
from ..problems.rules import ROUNDING, Rules

MOST = 1 << 26  # limit of entries of the graph of conflicting pairs, counted per net: up to half a gigabyte
CLIQUES = 64  # maximum number of cliques for the lower bound
SHARE = 1 / 8  # share of the remaining time for the lower bound
ORDERS = ("natural", "largest_first", "smallest_last")
EFFORT = {
    "fast": Effort(4, 16, 1 << 18),
    "balanced": Effort(20, 64, 1 << 22),
    "best": Effort(50, 16, 1 << 18, timed=True),
}


Others = Callable[[], Any]  # returns the partial coloring of the search for a complete one, −1 for no color


def leave_out(G: Structure, rules: Rules, kind: str, log: Log, seed: int, effort: Effort, others: Others | None) -> Any:
    """Return colors that obey the rules, −1 for vertices left out; notes have number, cost and lower bound."""
    graph = G.on("cpu").conflict_graph(MOST)
    if graph is None:
        raise OptionError("partial: the graph of conflicting pairs is too large for it")
    here = rules.on("cpu")
    colors, bound = best(graph, here, kind, seed, effort.part(1 - SHARE), log, others)
    out, costs = colors < 0, _costs(here, kind, graph.n)
    note: dict[str, Any] = {"least": kind}
    if kind == "lightest" and rules.weights is not None:
        note["cost"] = rules.weights[out].sum().item()
    least = note.get("cost", int(out.sum()))
    if bound < least and "interrupted" not in log.notes:
        bound = max(bound, _bound_of_cliques(graph, here, costs, effort.end))
    note |= {"lower_bound": bound, "proved": least <= bound}
    log.notes |= {"uncolored": int(out.sum()), "partial": note}
    if dev.device_of(colors) != G.device:
        log.notes["on_cpu"] = "a CPU chooses the vertices that are left out, in a copy of the graph"
    return dev.to_device(colors, G.device)


def best(
    G: Graph, rules: Rules, kind: str, seed: int, effort: Effort, log: Log, others: Others | None = None
) -> tuple[np.ndarray, float]:
    """Return colors, and a lower bound of the vertices or the cost that any partial coloring leaves out."""
    k, costs, fixed, other = rules.enough(G.n), _costs(rules, kind, G.n), fixed_of(rules, G.n), None
    search = LeaveOut(G, k, fixed, rules.lists(G.n), costs, seed, effort.end)
    if rules.capacity is not None:
        with log.best_so_far():  # the bound is valid with capacities, too
            turns = effort.turns if others else 0
            search.run(Effort(turns, 0, 0, effort.part(1 / 2).end))
        least = max(int(search.bound), _bound_of_capacities(rules, fixed, k))
        return _with_capacities(G, rules, seed, effort, log, others, least), least
    with log.best_so_far():
        log.stage.at()
        search.run(effort.part(1 / 2) if others else effort)
        if others is not None and not search.proved.all():
            other = np.array(dev.to_device(others(), "cpu"))
            if effort.timed and clock() < effort.end and "interrupted" not in log.notes:
                search.run(effort)
    found = [_lowered(G, rules, colors, k) for colors in (search.colors(), other) if colors is not None]
    bound = search.bound
    return min(found, key=lambda colors: _left(colors, costs)), int(bound) if costs.dtype.kind in "iu" else bound


def _costs(rules: Rules, kind: str, n: int) -> np.ndarray:
    """Return the cost of leaving each vertex out."""
    return rules.weights if kind == "lightest" and rules.weights is not None else np.ones(n, np.int64)


def fixed_of(rules: Rules, n: int) -> np.ndarray:
    """Return the fixed colors, −1 for none."""
    return np.full(n, -1, np.int32) if rules.fixed is None else rules.fixed


def instance(G: Graph, rules: Rules, colors: np.ndarray, k: int) -> Instance:
    """Create an instance of a graph with its rules, for k colors; `spare` is the capacity that these colors leave."""
    fixed, spare = fixed_of(rules, G.n) >= 0, rules.free_capacity(colors, k)
    return Instance(*unsigned(G), fixed, *rules.lists(G.n), rules.weight_of(G.n), spare)


def _left(colors: np.ndarray, costs: np.ndarray) -> tuple[Any, int]:
    """Return cost and number of the uncolored vertices."""
    out = colors < 0
    return costs[out].sum(), int(out.sum())


def _bound_of_capacities(rules: Rules, fixed: np.ndarray, k: int) -> int:
    """Return a lower bound of the vertices left out, from the total capacity, filled with the lightest vertices."""
    left, free = np.maximum(rules.free_capacity(fixed, k), 0), fixed < 0
    if rules.weights is None:
        return max(int(free.sum()) - int(min(np.floor(left).sum(), len(fixed))), 0)
    weights = np.cumsum(np.sort(rules.weight_of(len(fixed))[free]))
    return int(np.count_nonzero(weights > left.sum() * (1 + ROUNDING)))


def _bound_of_cliques(G: Graph, rules: Rules, costs: np.ndarray, end: float = math.inf) -> Any:
    """Return a lower bound of the cost: disjoint cliques each leave out all but k vertices, the cheapest free ones."""
    k, fixed = rules.enough(G.n), fixed_of(rules, G.n)
    found = cliques(G, starts_of(G)[0], k, end) if G.m else ()
    used, total = np.zeros(G.n, np.bool_), costs[:0].sum().item()
    for clique in sorted(found, key=len, reverse=True)[:CLIQUES]:
        left = clique[~used[clique]]
        if len(left) > k:
            used[left] = True
            total += np.sort(costs[left[fixed[left] < 0]])[: len(left) - k].sum().item()
    return total


def _lowered(G: Graph, rules: Rules, colors: np.ndarray, k: int) -> np.ndarray:
    """Move vertices to lower colors, and color vertices that now have a free color, until nothing changes."""
    while True:  # each turn but the last colors a vertex
        lower(instance(G, rules, colors, k), colors)
        out = np.flatnonzero(colors < 0).astype(np.uint32)
        select(unsigned(G), out, rules.lists(G.n), np.full(k, -1, np.int64), colors)
        if (colors[out] < 0).all():
            return colors


def _with_capacities(
    G: Graph, rules: Rules, seed: int, effort: Effort, log: Log, others: Others | None, bound: int
) -> np.ndarray:
    """Return the best colors of first-fit with capacities in several orders, or of `others`, improved by ejection."""
    k = rules.enough(G.n)
    starts = [first_fit_with_capacities(G, rules, Priorities.of(G, order, seed=None).sequence) for order in ORDERS]
    proved = min(int(np.count_nonzero(colors < 0)) for colors in starts) <= bound
    with log.best_so_far():
        if others is not None and not proved and "interrupted" not in log.notes:
            starts.append(dev.to_device(others(), "cpu"))
    colors = min(starts, key=lambda colors: int(np.count_nonzero(colors < 0))).copy()
    if not (proved or "interrupted" in log.notes):
        search = Ejection(instance(G, rules, colors, k), colors, True, seed)
        reads = effort.least if effort.timed else max(effort.share * G.m, effort.least)
        with log.best_so_far():
            search.run(reads, effort.end if effort.timed else -math.inf, effort.end)
        colors = search.run(0).copy()
    lower(instance(G, rules, colors, k), colors)
    return colors
