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

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..base import device as dev
from ..base.compile_clock import clock, importing, stopwatch
from ..base.device import extremes
from ..base.log import Log
from ..engines import improve as recolor
from ..engines.improve.classes import by_class, class_sizes, next_ranking
from ..graph.graph import Graph
from ..orders import Priorities
from . import Limit

PASSES, PATIENCE = 16, 4  # of iterated greedy, and of them those in a row that save nothing
EJECTION = 1 / 4  # passes over the conflict graph for each color
LARGE = 1 << 24  # entries of a conflict graph from which best takes half of its time for iterated greedy
GRAPH = 200  # time of making the conflict graph, as a multiple of a first-fit, at most


class ImplicitSearch:
    """The best coloring found so far; each attempt gets a row of ``notes["tried"]``."""

    vertices: Any
    log: Log
    seed: int
    limit: Limit | None
    n_colors: int
    pass_seconds: float

    def __init__(self, vertices: Any, log: Log, seed: int, limit: Limit | None) -> None:
        self.vertices, self.log, self.seed, self.limit = vertices, log, seed, limit
        self.colors: Any = None  # the last with as few colors as `best`, the first such
        self.best: Any = None
        self.n_colors = 2**31
        self.order: Priorities | None = None  # of the first-fit that the others began with
        self.pass_seconds = 0.0  # of the last first-fit
        log.notes["tried"] = []

    def fits(self, cost: float = 1.0, share: float = 1.0) -> bool:
        """Whether fewer colors may exist, and so many first-fits end within a share of the limit."""
        if self.limit is None or self.n_colors <= 2:  # where first-fit takes two colors, one is not enough
            return self.n_colors > 2
        begun = self.limit.begun
        return clock() + cost * self.pass_seconds < begun + share * (self.deadline - begun)

    @property
    def deadline(self) -> float:
        """Moment at which to end."""
        return math.inf if self.limit is None else self.limit.deadline(self.pass_seconds)

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
        """First-fit in a sequence."""
        passed = stopwatch()
        fewer = self.keep(name, lambda log: self.vertices.first_fit(sequence))
        self.pass_seconds = passed()
        return fewer

    def pass_over_classes(self, i: int) -> bool:
        """Pass i of iterated greedy."""
        _, rank = next_ranking(class_sizes(self.vertices, self.colors), self.seed, i)
        return self.fit("iterated_greedy", by_class(self.vertices, self.colors, rank))


def run(
    vertices: Any, orders: Sequence[Priorities], log: Log, quality: str, seed: int, limit: Limit
) -> tuple[Any, Priorities]:
    """Color `Vertices` with quality "balanced" or "best"; also the order whose first-fit had the fewest colors."""
    search = ImplicitSearch(vertices, log, seed, limit if quality == "best" else None)
    try:
        with log.best_so_far(lambda: search.best is not None):
            for p in orders:
                if search.order is None or search.fits():
                    search.order = p if search.fit(p.name, p.sequence) else search.order
            passes = iterate(search)
            G = vertices.graph if search.fits(GRAPH) else None
            if quality == "best" and (G is None or G.m > LARGE):
                iterate(search, passes, 1.0 if G is None else 1 / 2)
            if G is not None and search.fits():
                on_graph(search, G, quality)
    except MemoryError as e:  # what is found stays
        if search.best is None:
            raise
        log.notes["memory"] = f"a further attempt ran out of memory: {e}"
    return search.best, search.order or orders[0]


def iterate(search: ImplicitSearch, first: int = 0, share: float | None = None) -> int:
    """Passes of iterated greedy from number `first` on, for a share of the limit; the number of the next."""
    idle, i = 0, first
    while (share or (i < PASSES and idle < PATIENCE)) and search.fits(1.0, share or 1.0):
        idle = 0 if search.pass_over_classes(i) else idle + 1
        i += 1
    return i


def on_graph(search: ImplicitSearch, G: Graph, quality: str) -> None:
    """Ejection on the conflict graph, and for best its search until the limit."""
    device = search.vertices.device
    end = search.deadline if quality == "best" else None

    def ejection(log: Log) -> Any:
        colors = dev.to_device(search.colors, "cpu")
        found = recolor.ejection(G, colors, passes=EJECTION, deadline=end, seed=search.seed, least=2, log=log)
        return dev.to_device(found, device)

    search.keep("ejection", ejection)
    if quality != "best" or not search.fits():
        return
    with importing():
        from .qualities import run as search_on

    # By class: its first coloring has no more colors.
    colors = dev.to_device(search.colors, "cpu")
    p = Priorities.of(G, -colors)
    search.keep("best", lambda log: dev.to_device(search_on(G, p, log, "best", search.seed, search.limit), device))
