"""Partial colorings: the fewest vertices, or a set of the least cost, are left without a color.

On the CPU, of a copy of a graph on a GPU; problems at two hops use the graph of the conflicting pairs. With
capacities, first-fit in several orders and ejection go before; these count vertices.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import device as dev
from ..core.errors import OptionError
from ..core.graph import Graph
from ..core.nets import Structure
from ..core.result import Log
from ..engines.greedy.rooms import first_fit_in_rooms
from ..engines.greedy.sequential import unsigned
from ..engines.lists import Instance
from ..engines.lists.ejection import Ejection
from ..engines.lists.leave_out import Effort, LeaveOut
from ..engines.lists.lower import lower
from ..engines.lists.simplify import select
from ..orders import Priorities
from . import Rules

PARTIAL = ("fewest", "lightest")
MOST = 1 << 26  # as of attempts.py
ORDERS = ("natural", "largest_first", "smallest_last")
EFFORT = {"fast": Effort(4, 16, 1 << 18), "balanced": Effort(20, 64, 1 << 22), "best": Effort(50, 16, 1 << 18)}


def leave_out(
    G: Structure, rules: Rules, kind: str, log: Log, seed: int, quality: str, until: float = -math.inf
) -> Any:
    """Colors that keep the rules, −1 for the vertices left out; notes say how many, at what cost, and whether least."""
    graph = G.on("cpu").conflict_graph(MOST)
    if graph is None:
        raise OptionError("partial: the graph of conflicting pairs is too large for it")
    colors, bound = best(graph, rules.on("cpu"), kind, seed, EFFORT[quality]._replace(until=until), log)
    out = colors < 0
    note: dict[str, Any] = {"least": kind, "lower_bound": bound}
    if kind == "lightest" and rules.weights is not None:
        note["cost"] = rules.weights[out].sum().item()
    note["proved"] = note.get("cost", int(out.sum())) <= bound
    log.notes |= {"uncolored": int(out.sum()), "partial": note}
    if dev.device_of(colors) != G.device:
        log.notes["on_cpu"] = "a CPU chooses the vertices that are left out, in a copy of the graph"
    return dev.to_device(colors, G.device)


def best(G: Graph, rules: Rules, kind: str, seed: int, effort: Effort, log: Log) -> tuple[np.ndarray, float]:
    """Colors, and what is left out of any partial coloring at least, in vertices or cost, as far as known.

    With a time limit Ctrl-C ends the search.
    """
    k, n = rules.enough(G.n), G.n
    fixed = np.full(n, -1, np.int32) if rules.fixed is None else rules.fixed
    if rules.capacity is not None:
        return _in_rooms(G, rules, fixed, seed, effort, log), 0
    cost = rules.weights if kind == "lightest" and rules.weights is not None else np.ones(n, np.int64)
    search = LeaveOut(G, k, fixed, rules.lists(n), cost, seed)
    try:
        search.run(effort)
    except KeyboardInterrupt:
        if effort.until == -math.inf:
            raise
        log.notes["interrupted"] = True
    bound = search.bound
    return _settled(G, rules, fixed, search.colors(), k), int(bound) if cost.dtype.kind in "iu" else bound


def _settled(G: Graph, rules: Rules, fixed: np.ndarray, colors: np.ndarray, k: int) -> np.ndarray:
    """Lower colors, so that no gap is left that rules do not cause, and then those that become free, until none is."""
    lists, weights = rules.lists(G.n), np.ones(G.n)
    graph = unsigned(G)
    while True:  # each turn but the last colors a vertex
        lower(Instance(*graph, fixed >= 0, *lists, weights, np.full(k, np.inf)), colors)
        out = np.flatnonzero(colors < 0).astype(np.uint32)
        select(graph, out, lists, np.full(k, -1, np.int64), colors)
        if (colors[out] < 0).all():
            return colors


def _in_rooms(G: Graph, rules: Rules, fixed: np.ndarray, seed: int, effort: Effort, log: Log) -> np.ndarray:
    """The colors of first-fit with capacities in several orders, bettered by ejection."""
    k, starts = rules.enough(G.n), []
    for order in ORDERS:
        starts.append(first_fit_in_rooms(G, rules, Priorities.of(G, order, None).sequence))
    colors = min(starts, key=lambda colors: int(np.count_nonzero(colors < 0))).copy()

    def instance() -> Instance:
        room = rules.room_left(colors, k)
        return Instance(*unsigned(G), fixed >= 0, *rules.lists(G.n), rules.weight_of(G.n), room)

    timed, walk = effort.until > -math.inf, Ejection(instance(), colors, True, seed)
    try:
        walk.run(effort.least if timed else max(effort.share * G.m, effort.least), effort.until)
    except KeyboardInterrupt:
        if not timed:
            raise
        log.notes["interrupted"] = True
    colors = walk.run(0).copy()
    lower(instance(), colors)
    return colors
