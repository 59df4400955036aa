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
from ..base.device import extremes
from ..base.log import Log
from ..engines import improve as recolor
from ..engines.implicit import ComputedGraph
from ..engines.improve.classes import by_class, class_sizes, next_ranking
from ..graph.graph import Graph
from ..orders import Priorities
from . import BestSoFar, Limit, kept

PASSES, PATIENCE = 16, 4  # of iterated greedy, and of them those in a row that save nothing
EJECTION = 1 / 4  # passes over the conflict graph for each color
LARGE = 1 << 24  # entries of a conflict graph from which best takes half of its time for iterated greedy
GRAPH = 200  # time of making the conflict graph, as a multiple of a first-fit, at most


class ImplicitSearch(BestSoFar):
    """The search in a graph with computed edges. Of its colors `best` are the first with as few, `colors` the last."""

    best: Any = None
    order: Priorities | None = None  # of the first-fit that the others began with
    least: int  # where first-fit takes two colors, one is not enough

    def __init__(self, G: ComputedGraph, log: Log, seed: int, limit: Limit | None) -> None:
        super().__init__(log, limit)
        self.G, self.seed, self.least = G, seed, 2

    def keep(self, name: str, make: Callable[[Log], Any]) -> bool:
        """Keep the colors that `make` returns unless they are more; whether they are fewer."""
        log, passed, before = Log(), stopwatch(), self.n_colors
        colors = make(log)
        k = 1 + extremes.largest(colors)
        row = {"name": name, "colors": k, "ms": round(passed() * 1e3, 3)}
        self.log.notes["tried"] += log.notes.get("tried", [row])
        if k <= before:
            self.colors, self.n_colors, self.best = colors, k, colors if k < before else self.best
        if log.notes.get("interrupted"):
            raise KeyboardInterrupt
        return k < before

    def fit(self, name: str, sequence: Any) -> bool:
        """First-fit in a sequence. Its time replaces the time of the first coloring."""
        passed = stopwatch()
        fewer = self.keep(name, lambda log: self.G.first_fit(sequence))
        self.first_seconds = passed()
        return fewer

    def pass_over_classes(self, i: int) -> bool:
        """Pass i of iterated greedy."""
        _, rank = next_ranking(class_sizes(self.G, self.colors), self.seed, i)
        return self.fit("iterated_greedy", by_class(self.G, self.colors, rank))


def run(
    G: ComputedGraph, orders: Sequence[Priorities], log: Log, quality: str, seed: int, limit: Limit
) -> tuple[Any, Priorities]:
    """Color with quality "balanced" or "best"; also the order whose first-fit had the fewest colors."""
    best = quality == "best"
    search = ImplicitSearch(G, log, seed, limit if best else None)
    with kept(log, lambda: search.best is not None):
        for p in orders:
            if search.order is None or (not search.ended and search.fits(1)):
                search.order = p if search.fit(p.name, p.sequence) else search.order
        passes = iterate(search)
        stored = G.graph if not search.ended and search.fits(GRAPH) else None
        if best and (stored is None or stored.m > LARGE):
            iterate(search, passes, 1.0 if stored is None else 1 / 2)
        if stored is not None and not search.ended and search.fits(1):
            on_graph(search, stored, best)
    return search.best, search.order or orders[0]


def iterate(search: ImplicitSearch, first: int = 0, share: float | None = None) -> int:
    """Passes of iterated greedy from number `first` on, for a share of the limit; the number of the next."""
    idle, i = 0, first
    while (share or (i < PASSES and idle < PATIENCE)) and not search.ended and search.fits(1, share or 1.0):
        idle = 0 if search.pass_over_classes(i) else idle + 1
        i += 1
    return i


def on_graph(search: ImplicitSearch, G: Graph, best: bool) -> None:
    """Ejection on the conflict graph, and for best its search until the limit."""
    device, end = search.G.device, search.deadline if best else None

    def ejection(log: Log) -> Any:
        colors = dev.to_device(search.colors, "cpu")
        found = recolor.ejection(G, colors, passes=EJECTION, deadline=end, seed=search.seed, least=2, log=log)
        return dev.to_device(found, device)

    search.keep("ejection", ejection)
    if not best or search.ended or not search.fits(1):
        return
    with importing():
        from .qualities import run as search_on

    # By class: its first coloring has no more colors.
    colors = dev.to_device(search.colors, "cpu")
    p = Priorities.of(G, -colors)
    search.keep("best", lambda log: dev.to_device(search_on(G, p, log, "best", search.seed, search.limit), device))
