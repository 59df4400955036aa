"""Qualities of graphs whose edges are computed.

==========  ==========================================================================================================
balanced    first-fit in each of several orders, iterated greedy from the fewest colors on, and ejection where the
            conflict graph takes at most 128 MB
best        the same with 512 MB, then the search of qualities.py on the conflict graph until `time_limit`; where that
            graph does not fit, iterated greedy. On Ctrl-C the best so far
==========  ==========================================================================================================

Passes of iterated greedy are first-fit, and need no stored edge. All limits but `time_limit` are counts, so balanced
gives the same colors on every run and device. What needs the conflict graph runs on the CPU, for vertices on a GPU,
too.

On 89 to 5,000 strings (Hamiltonians, random and local ones) EJECTION of a pass for each color saved 82 to 85 % of the
colors that four passes saved, in 15 % of their time. Where there is a graph, it saves more in the time of PASSES than
further passes of iterated greedy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..base import device as dev
from ..base.compile_clock import importing, stopwatch
from ..base.log import Log
from ..engines import improve as recolor
from ..engines.implicit import ComputedGraph
from ..engines.improve.classes import by_class, class_sizes, next_ranking
from ..graph.graph import Graph
from ..orders import Priorities
from . import Limit, Search

PASSES, PATIENCE = 16, 4  # of iterated greedy, and of them those in a row that save nothing
EJECTION = 1 / 4  # passes over the conflict graph for each color
LARGE = 1 << 24  # entries of a conflict graph from which best takes half of its time for iterated greedy
GRAPH = 200  # time of making the conflict graph, as a multiple of a first-fit, at most


def run(
    G: ComputedGraph, orders: Sequence[Priorities], log: Log, quality: str, seed: int, limit: Limit
) -> tuple[Any, Priorities]:
    """Color with quality "balanced" or "best"; also the order whose first-fit had the fewest colors."""
    best, order = quality == "best", orders[0]
    search = Search(G, log, seed, limit if best else None, 2)  # where first-fit takes two colors, one is not enough
    with log.best_so_far(lambda: search.colors is not None, memory=True):
        for p in orders:
            if not search.ended and search.fits(1):
                order = p if fit(search, p.name, p.sequence) else order
                search.result()
        passes = iterate(search)
        stored = G.graph if not search.ended and search.fits(GRAPH) else None
        if best and (stored is None or stored.m > LARGE):
            iterate(search, passes, 1.0 if stored is None else 1 / 2)
        if stored is not None and not search.ended and search.fits(1):
            on_graph(search, stored, best)
    return search.best, order


def attempt(search: Search, name: str, make: Callable[[Log], Any]) -> bool:
    """Go on from the colors that `make` returns unless they are more; whether they are fewer."""
    before = search.n_colors
    try:
        search.attempt(name, make, before + 1)
    finally:
        if fewer := search.n_colors < before:
            search.best = search.colors
    return fewer


def fit(search: Search, name: str, sequence: Any) -> bool:
    """First-fit in a sequence. Its time replaces the time of the first coloring."""
    passed = stopwatch()
    fewer = attempt(search, name, lambda _: search.G.first_fit(sequence))
    search.first_seconds = passed()
    return fewer


def iterate(search: Search, first: int = 0, share: float | None = None) -> int:
    """Passes of iterated greedy from number `first` on, for a share of the limit; the number of the next."""
    idle, i = 0, first
    while (share or (i < PASSES and idle < PATIENCE)) and search.fits(1, share or 1.0):
        if search.ended or search.no_memory:
            break
        _, rank = next_ranking(class_sizes(search.G, search.colors), search.seed, i)
        idle = 0 if fit(search, "iterated_greedy", by_class(search.G, search.colors, rank)) else idle + 1
        i += 1
    return i


def on_graph(search: Search, G: Graph, best: bool) -> None:
    """Ejection on the conflict graph, and for best its search until the limit."""
    device, end = search.G.device, search.deadline if best else None

    def ejection(log: Log) -> Any:
        colors = dev.to_device(search.colors, "cpu")
        found = recolor.ejection(G, colors, passes=EJECTION, deadline=end, seed=search.seed, least=2, log=log)
        return dev.to_device(found, device)

    attempt(search, "ejection", ejection)
    if not best or search.ended or not search.fits(1):
        return
    with importing():
        from .qualities import run as search_on

    def search_in_graph(log: Log) -> Any:
        colors = dev.to_device(search.colors, "cpu")
        p = Priorities.of(G, -colors)  # by class: its first coloring has no more colors
        return dev.to_device(search_on(G, p, log, "best", search.seed, search.limit), device)

    attempt(search, "best", search_in_graph)
