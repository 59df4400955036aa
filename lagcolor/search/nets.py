"""Qualities of problems whose vertices conflict within nets: columns, rows, distance 2.

Counts of reads limit every attempt, and the result is the same on every device. A search ends if the number of colors
equals the size of the largest net.

1. First-fit in orders that need one pass over the entries: natural, `cyclic` and `by_net_sizes`.
2. If two hops need few reads: DSATUR and the rows of distance 1 on the graph of conflicts; with very few reads also
   orders at two hops, before these rows. Otherwise iterated greedy.
3. For "best" the search of distance 1 until the limit, if that graph fits into memory; otherwise other orders, and
   iterated greedy on the nets. A step begins only if it should end in time.

In natural order, chains of vertices that wait for each other are as long as a mesh is wide, and take more time on a GPU
than all other steps. So inputs above the budget of step 2 begin with `cyclic`. Natural order follows if the first
vertices need no more colors in it than the size of the largest net. Inputs within the budget are colored on the CPU.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count, takewhile
from typing import Any

from ..base import device as dev
from ..base.log import Log
from ..engines.exact.dsatur import dsatur
from ..engines.improve.classes import by_class, class_sizes, ranking
from ..engines.two_hop import windows
from ..graph.graph import Graph
from ..graph.nets import Nets
from ..graph.pattern import Pattern, unsigned
from ..orders import Priorities
from ..orders.two_hop_linear import by_net_sizes, cyclic
from ..problems import Problem
from ..problems.registry import Algorithm
from . import FAST, UNSUITED, Attempt, Limit, Search, attempts, number_of, qualities, while_fewer

# Limits of the graph of conflicts on a CPU: reads of two hops, and entries; and of their products with the number of
# vertices, because distant reads miss the cache. Up to 1 / FEW of the reads, orders at two hops are tried as well.
READS, SPREAD_READS, ENTRIES, SPREAD_ENTRIES, FEW = 3 << 23, 5 * 10**11, 1 << 22, 2 * 10**11, 16
MOST_READS = 1 << 28  # for best; the graph takes up to 1 GB
# Costs for best, as multiples of the first coloring's, in proportion to reads: order, pass, graph of conflicts, DSATUR.
ORDER, PASS, BUILD, DSATUR = 8, 4, 6, 10
READ_SECONDS = 5e-9  # estimated time of a read on a CPU, if the first coloring is on a GPU
PREFIX = 1 << 12  # number of vertices that show whether the order of ids may be optimal
PASSES = 5 << 19  # entries that all passes of iterated greedy read together
MOST_PASSES, IDLE = 9, 3  # limits: passes, and passes in a row that save no color
CLASSES = ("reverse", "largest", "random")  # orders of classes, in turn
# Orders at two hops, and their costs in proportion to reads.
ORDERS = {"largest_first": 4, "smallest_last": 20, "incidence_degree": 20, "random": 0}
WINDOW = windows.WINDOW


def reason_for_cpu(_: Problem, G: Any, quality: str) -> str:
    """Return why a CPU colors an input that is on a GPU; "" if it does not."""
    return attempts.LESS_TIME if quality == "balanced" and G.m <= attempts.FEW else ""


def run(H: Nets, p: Priorities, log: Log, quality: str, seed: int, limit: Limit | None, row: Algorithm) -> Any:
    """Color with quality "balanced" or "best"; `p` is the order of the first coloring, which `row` makes."""
    budget = min(READS, SPREAD_READS // max(H.n, 1))
    small = H.reads(budget) <= budget
    here = H.on("cpu") if small else H
    search = Search(here, log, seed, limit if quality == "best" else None, H.largest_net)
    search.p = p if here is H else p.on("cpu")
    return dev.to_device(search.run(rows(search, quality == "best", small, budget, row)), H.device)


def rows(search: Search, best: bool, small: bool, budget: int, row: Algorithm) -> Iterator[Attempt]:
    """Yield orders of one pass; for small inputs and for best also attempts at two hops."""
    yield from linear(search, small, row)
    search.result()
    if (small or best) and not search.over:
        yield from through_graph(search, budget, best, row)


def first_fit(row: Algorithm, name: str, order: Callable[[Nets], Any], cost: float = ORDER) -> Attempt:
    """Create an attempt: first-fit in the order, or the sequence, that `order` returns; unsuited if that is None."""

    def make(search: Search, _: float, log: Log) -> Any:
        H = search.G
        found = order(H)
        if found is None:
            return UNSUITED
        p = found if isinstance(found, Priorities) else Priorities(H, name, None, lambda *_: found)
        return row.run(H, p, Log())

    return Attempt(name, cost, make)


def linear(search: Search, small: bool, row: Algorithm) -> Iterator[Attempt]:
    """Yield orders of one pass over the entries. The order of the call is first, unless its chains are long."""
    p = search.p
    if small or not p.is_natural:
        yield first_fit(row, FAST, lambda _: p)
        yield first_fit(row, "cyclic", lambda H: cyclic(H, search.n_colors))
    else:
        yield first_fit(row, "cyclic", cyclic)
        yield first_fit(row, FAST, lambda H: p if may_be_optimal(H) else None)
    yield first_fit(row, "net_sizes", lambda H: by_net_sizes(H, spread=not small))
    if not small:
        yield from passes(search, row)


def passes(search: Search, row: Algorithm) -> Iterator[Attempt]:
    """Yield passes of iterated greedy, while they find fewer colors and have read fewer than `PASSES` entries."""
    each = search.G.m * (1 + search.n_colors // WINDOW)
    rows = (one_pass(search, row, i) for i in range(min(PASSES // max(each, 1), MOST_PASSES)))
    yield from while_fewer(search, rows, IDLE)


def one_pass(search: Search, row: Algorithm, i: int) -> Attempt:
    """Create an attempt: first-fit class after class of the last coloring."""
    order = CLASSES[i % len(CLASSES)]

    def sequence(H: Nets) -> Any:
        return by_class(H, search.colors, ranking(order, class_sizes(H, search.colors), search.seed + i))

    return first_fit(row, "iterated_greedy", sequence, PASS)._replace(ties=True)


def through_graph(search: Search, budget: int, best: bool, row: Algorithm) -> Iterator[Attempt]:
    """Yield the rows of distance 1 on the graph of conflicts; if it is too large, orders and iterated greedy."""
    H, few = search.G, FEW * search.G.reads(budget) <= budget
    reads = int(min(MOST_READS, search.left / BUILD / read_seconds(search))) if best else budget
    G = H.conflict_graph(reads, None if best else min(ENTRIES, SPREAD_ENTRIES // max(H.n, 1)))
    yield from on_nets(search, G, few or (best and G is None), row)
    if G is None and best:
        goes_on = takewhile(lambda _: search.fits(PASS) and not search.no_memory, count())
        yield from (one_pass(search, row, i) for i in goes_on)
    elif G is None:
        yield from passes(search, row)
    elif not search.over:
        yield from on_conflicts(search, G.on(H.device), best)


def on_nets(search: Search, G: Graph | None, in_orders: bool, row: Algorithm) -> Iterator[Attempt]:
    """Yield DSATUR on the graph of conflicts `G`, and first-fit in orders at two hops and in random order."""
    H = search.G
    if G is not None and G.m > attempts.SMALL:  # `on_conflicts` tries it on small ones
        yield Attempt("dsatur", max(ORDER, cost_of(search, DSATUR * G.m)), lambda *_: by_saturation(G, H))
    reads = H.reads(MOST_READS) if in_orders else 0
    for order, each in ORDERS.items() if in_orders else ():
        cost = ORDER + cost_of(search, each * reads)
        yield first_fit(row, order, partial(Priorities.of, order=order), cost)


def by_saturation(G: Graph, H: Nets) -> Any:
    """Color by DSATUR on the graph of conflicts of nets."""
    return dev.to_device(dsatur(G, Priorities.of(G, "largest_first"), Log()), H.device)


def on_conflicts(search: Search, G: Graph, best: bool) -> Iterator[Attempt]:
    """Yield the rows of distance 1, on the graph of conflicts."""
    search.first_seconds *= max(G.m / max(search.G.m, 1), 1.0)
    search.G, search.p, search.is_small = G, Priorities.of(G, "largest_first"), G.m <= attempts.SMALL
    search.first_colors, search.colors = search.n_colors, dev.to_device(search.colors, G.device)
    search.by_id = any(tried["name"] == FAST for tried in search.tried)
    yield from qualities.BEST if best else qualities.BALANCED
    if best:
        qualities.in_turn(search)


def read_seconds(search: Search) -> float:
    """Return the seconds per read, estimated from the first coloring on a CPU."""
    return READ_SECONDS if search.G.on_gpu else max(search.first_seconds, 1e-6) / max(search.G.m, 1)


def cost_of(search: Search, reads: float) -> float:
    """Return the time of these reads as a multiple of the time of the first coloring."""
    return reads * read_seconds(search) / max(search.first_seconds, 1e-6)


def may_be_optimal(H: Nets) -> bool:
    """Return whether first-fit of the first vertices by id needs at most as many colors as the largest net."""
    P, n = H.of_vertices, min(H.n, PREFIX)
    with dev.using(P.indices):
        indptr = dev.to_device(P.indptr[: n + 1], "cpu")
        indices = dev.to_device(P.indices[: int(indptr[-1])], "cpu")
    first = unsigned(Pattern(indptr, indices, P.columns))
    return number_of(windows.color(*first, None, P.columns, H.closed, 1)) <= H.largest_net
