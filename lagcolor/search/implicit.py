"""Qualities of graphs whose edges are computed.

==========  ==========================================================================================================
balanced    first-fit in several orders, iterated greedy from the best of these, and ejection if the conflict graph
            needs at most 128 MB
best        as balanced with 512 MB, then the search of qualities.py on the conflict graph until `time_limit`, or if
            that graph does not fit, iterated greedy. On Ctrl-C the best result so far
==========  ==========================================================================================================

Passes of iterated greedy are first-fit, and need no stored edges. Steps on the conflict graph run on the CPU. On 89 to
5,000 strings EJECTION passes per color saved 82 to 85 % of the colors that four passes saved, in 15 % of their time. If
there is a graph, ejection saves more in the time of PASSES than further passes of iterated greedy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count, takewhile
from typing import Any

from ..base import device as dev
from ..base.compile_clock import importing, stopwatch
from ..base.log import Log
from ..engines.implicit import ComputedGraph
from ..engines.improve import ejections
from ..engines.improve.classes import by_class, class_sizes, next_ranking
from ..graph.graph import Graph
from ..orders import Priorities
from . import Attempt, Limit, Search, while_fewer

PASSES, PATIENCE = 16, 4  # of iterated greedy: passes, and passes in a row that save no color
EJECTION = 1 / 4  # passes over the conflict graph per color
LARGE = 1 << 24  # on conflict graphs with more entries, best spends half of its time on iterated greedy
GRAPH = 200  # maximum time to build the conflict graph, as a multiple of the time of first-fit


def run(
    G: ComputedGraph, orders: Sequence[Priorities], log: Log, quality: str, seed: int, limit: Limit
) -> tuple[Any, Priorities]:
    """Color with quality "balanced" or "best"; also return the order whose first-fit had the fewest colors."""
    best = quality == "best"
    search = Search(G, log, seed, limit if best else None, 2)  # if first-fit needs two colors, one is not enough
    search.p = orders[0]
    search.run(rows(search, orders, best))
    return search.best, search.p


def rows(search: Search, orders: Sequence[Priorities], best: bool) -> Iterator[Attempt]:
    """Yield first-fit in each order, iterated greedy, and attempts on the stored graph."""
    for p in orders:
        before = search.n_colors
        yield first_fit(p.name, p)
        search.p = p if search.n_colors < before else search.p
        search.result()
    yield from while_fewer(search, map(one_pass, range(PASSES)), PATIENCE)
    G = search.G.graph if not search.ended and search.fits(GRAPH) else None
    if best and (G is None or G.m > LARGE):
        share = 1.0 if G is None else 1 / 2
        yield from takewhile(lambda _: search.fits(1, share) and not search.no_memory, map(one_pass, count(PASSES)))
    if G is not None:
        yield from on_graph(G, best)


def first_fit(name: str, order: Priorities | Callable[[Search], Any]) -> Attempt:
    """Create an attempt: first-fit in an order or a sequence. Its time replaces the time of the first coloring."""

    def make(search: Search, *_: Any) -> Any:
        sequence = order.sequence if isinstance(order, Priorities) else order(search)
        passed = stopwatch()
        colors = search.G.first_fit(sequence)
        search.first_seconds = passed()
        return colors

    return Attempt(name, 1, make, ties=True)


def one_pass(i: int) -> Attempt:
    """Create an attempt: pass `i` of iterated greedy, first-fit class after class of the last coloring."""

    def in_classes(search: Search) -> Any:
        _, rank = next_ranking(class_sizes(search.G, search.colors), search.seed, i)
        return by_class(search.G, search.colors, rank)

    return first_fit("iterated_greedy", in_classes)


def on_graph(G: Graph, best: bool) -> Iterator[Attempt]:
    """Yield ejection on the conflict graph, and for best its search until the limit."""

    def ejection(search: Search, until: float, log: Log) -> Any:
        colors = dev.to_device(search.colors, "cpu")
        end = until if best else None
        found = ejections.ejection(G, colors, passes=EJECTION, deadline=end, seed=search.seed, least=2, log=log)
        return dev.to_device(found, search.G.device)

    def search_in_graph(search: Search, _: float, log: Log) -> Any:
        with importing():
            from .qualities import run as search_on

        colors = dev.to_device(search.colors, "cpu")
        p = Priorities.of(G, -colors)  # by class: its first coloring has no more colors
        return dev.to_device(search_on(G, p, log, "best", search.seed, search.limit), search.G.device)

    yield Attempt("ejection", 1, ejection, ties=True)
    if best:
        yield Attempt("best", 1, search_in_graph, ties=True)
