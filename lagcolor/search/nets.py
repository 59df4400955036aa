"""Qualities of problems whose vertices conflict within nets: columns, rows, distance 2.

Every attempt is limited by counts of what it reads, and is the same on every device. A search ends where there are as
many colors as the largest net has vertices.

1. First-fit in orders that take one pass over the entries (`orders/two_hop_linear.py`): natural, `cyclic` and
   `by_net_sizes`.
2. Where two hops take few reads, what distance 1 has, on the graph of conflicts (`Nets.conflict_graph`): DSATUR and
   ejection. Of very few reads, the orders at two hops between. Else class after class of the best coloring.
3. For "best" the search of distance 1 until the limit, where that graph fits in memory; else other orders, and iterated
   greedy on the nets. A step begins only if it should end in time.

Natural order has chains of vertices that wait for each other, as long as a mesh is wide. On a GPU they take more time
than all else. So inputs over the budget of 2 begin with `cyclic`, which has none and takes fewer colors on meshes.
Natural order follows if the first vertices take no more colors in it than the largest net has vertices. Inputs under
the budget are colored on the CPU.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.compile_clock import stopwatch
from ..base.log import Log
from ..engines.exact.dsatur import dsatur
from ..engines.improve.classes import class_sizes, ranking
from ..engines.two_hop import windows
from ..graph.graph import Graph
from ..graph.nets import Nets
from ..graph.pattern import Pattern
from ..orders import Priorities
from ..orders.two_hop_linear import by_classes, by_net_sizes, cyclic
from ..problems.registry import Algorithm
from . import FAST, BestSoFar, Limit, attempts, kept, number_of, qualities

# Limits under which a CPU builds and colors the graph of conflicts: reads of two hops, and entries of the graph; each
# times vertices, since far reads miss the cache. Up to a sixteenth of the reads orders at two hops are tried as well.
READS, SPREAD_READS, ENTRIES, SPREAD_ENTRIES, FEW = 3 << 23, 5 * 10**11, 1 << 22, 2 * 10**11, 16
MOST_READS = 1 << 28  # for best: up to 1 GB for the graph
# Times for best, as multiples of the first coloring's, by what is read: order, pass, graph of conflicts, DSATUR.
ORDER, PASS, BUILD, DSATUR = 8, 4, 6, 10
READ_SECONDS = 5e-9  # of a read of the first coloring on a CPU, where that is on a GPU
PREFIX = 1 << 12  # vertices that tell whether the order of ids may take the fewest colors there are
PASSES = 5 << 19  # entries that passes of iterated greedy read together
MOST_PASSES, IDLE = 9, 3  # passes, and of them without fewer colors in a row
CLASSES = ("reverse", "largest", "random")  # orders of classes, in turn
# Orders at two hops, and their times by the vertices that they read.
ORDERS = {"largest_first": 4, "smallest_last": 20, "incidence_degree": 20, "random": 0}
WINDOW = windows.WINDOW


class NetSearch(BestSoFar):
    """The search in nets; `row` is first-fit in nets."""

    certificate: Any = None

    def __init__(self, H: Nets, row: Algorithm, log: Log, seed: int, limit: Limit | None) -> None:
        super().__init__(log, limit)
        self.H, self.row, self.seed, self.least, self.tried = H, row, seed, H.largest_net, log.notes["tried"]

    @property
    def ended(self) -> bool:
        """Whether no coloring has fewer colors, or the time is over."""
        return self.n_colors <= self.least or (self.colors is not None and self.left <= 0)

    @property
    def read_seconds(self) -> float:
        """Seconds of a read, as the first coloring takes on a CPU."""
        return READ_SECONDS if self.H.on_gpu else max(self.first_seconds, 1e-6) / max(self.H.m, 1)

    def fits(self, cost: float, reads: float = 0.0) -> bool:
        """Whether `cost` times the first coloring's time, and a number of reads, end before the deadline."""
        return self.colors is None or cost * self.first_seconds + reads * self.read_seconds < self.left

    def attempt(self, name: str, make: Callable[[], Any], as_many: bool = False) -> None:
        """Keep the colors that `make` returns, if any, where they are fewer, or other ones and `as_many`."""
        if self.ended or not self.fits(PASS if as_many else ORDER):
            return
        passed = stopwatch()
        if (colors := make()) is None:
            return
        k, seconds = number_of(colors), passed()
        if self.colors is None:
            self.first_seconds = seconds
        self.tried.append({"name": name, "colors": k, "ms": round(seconds * 1e3, 3)})
        self.log.round(active=self.H.n, colored=self.H.n, conflicts=0, attempt=name, colors=k, ms=seconds * 1e3)
        if k < self.n_colors + as_many:
            self.colors, self.n_colors = colors, k

    def first_fit(self, name: str, order: Callable[[], Any], as_many: bool = False) -> None:
        """First-fit in the order, or the sequence, that `order` makes; nothing where that is None."""

        def make() -> Any:
            found = order()
            if found is None:
                return None
            H: Any = self.H
            p = found if isinstance(found, Priorities) else Priorities(H, name, None, lambda *_: found)
            return self.row.run(self.H, p, Log())

        self.attempt(name, make, as_many)

    def further(self, G: Graph, best: bool) -> None:
        """The search of distance 1 on the graph of conflicts, from the best coloring on."""
        log = Log()
        log.stage = self.log.stage
        inner = attempts.Search(G, log, self.seed, self.limit if best else None)
        inner.p, inner.least = Priorities.of(G, "largest_first"), self.least
        inner.first_seconds, inner.first_colors = self.first_seconds * max(G.m / max(self.H.m, 1), 1.0), self.n_colors
        inner.colors, inner.n_colors = dev.to_device(self.colors, G.device), self.n_colors
        inner.by_id = any(row["name"] == FAST for row in self.tried)
        try:
            qualities.one_by_one(inner, qualities.BEST if best else qualities.BALANCED)
            if best:
                qualities.in_turn(inner)
        finally:
            self.tried.extend(log.notes["tried"])
            self.colors, self.n_colors, self.least = inner.colors, inner.n_colors, inner.least
            self.certificate = inner.certificate


def run(H: Nets, p: Priorities, log: Log, quality: str, seed: int, limit: Limit, row: Algorithm) -> Any:
    """Color with quality "balanced" or "best"; `p` is the order of the first coloring, which `row` makes."""
    best, budget = quality == "best", min(READS, SPREAD_READS // max(H.n, 1))
    small = H.reads(budget) <= budget
    here = H.on("cpu") if small else H
    search = NetSearch(here, row, log, seed, limit if best else None)
    try:
        with kept(log, lambda: search.colors is not None):
            linear(search, p if here is H else p.on("cpu"), small)
            if small or best:
                through_graph(search, budget, best)
    finally:
        log.lower_bound, log.certificate = max(log.lower_bound, search.least), search.certificate
    return dev.to_device(search.colors, H.device)


def linear(search: NetSearch, p: Priorities, small: bool) -> None:
    """Orders that take one pass over the entries; `p` first, but for long chains."""
    H = search.H
    if small or not p.is_natural:
        search.first_fit(FAST, lambda: p)
        search.first_fit("cyclic", lambda: cyclic(H, search.n_colors))
    else:
        search.first_fit("cyclic", lambda: cyclic(H))
        search.first_fit(FAST, lambda: p if may_be_optimal(H) else None)
    search.first_fit("net_sizes", lambda: by_net_sizes(H, spread=not small))
    if not small:
        passes(search, PASSES)


def passes(search: NetSearch, entries: int) -> None:
    """Iterated greedy while passes find fewer colors; `entries`: what they read together, at most."""
    each, idle = search.H.m * (1 + search.n_colors // WINDOW), 0
    for i in range(min(entries // max(each, 1), MOST_PASSES)):
        if idle == IDLE:
            break
        idle = 0 if one_pass(search, i) else idle + 1


def one_pass(search: NetSearch, i: int) -> bool:
    """First-fit class after class of the last coloring, which is kept if it has as few colors; whether it has fewer."""
    before = search.n_colors
    order = CLASSES[i % len(CLASSES)]

    def sequence() -> Any:
        sizes = class_sizes(search.H, search.colors)
        return by_classes(search.H, search.colors, ranking(order, sizes, search.seed + i))

    search.first_fit("iterated_greedy", sequence, as_many=True)
    return search.n_colors < before


def may_be_optimal(H: Nets) -> bool:
    """Whether first-fit of the first vertices by id takes at most as many colors as the largest net has vertices."""
    P, n = H.of_vertices, min(H.n, PREFIX)
    with dev.using(P.indices):
        indptr = dev.to_device(P.indptr[: n + 1], "cpu").astype(np.int64)
        net = dev.to_device(P.indices[: int(indptr[-1])], "cpu")
    if H.closed:  # each is in the net of its number, too
        net, indptr = np.insert(net, indptr[1:], np.arange(n, dtype=np.int32)), indptr + np.arange(n + 1)
    used, net = np.unique(net, return_inverse=True)
    first = Nets(Pattern(indptr, net.astype(np.int32), len(used)))
    return number_of(windows.first_fit(first)) <= H.largest_net


def through_graph(search: NetSearch, budget: int, best: bool) -> None:
    """What distance 1 has, on the graph of conflicts; without it orders at two hops for best, and iterated greedy."""
    H, few = search.H, FEW * search.H.reads(budget) <= budget
    if search.ended:
        return
    reads = int(min(MOST_READS, search.left / BUILD / search.read_seconds)) if best else budget
    G = H.conflict_graph(reads, None if best else min(ENTRIES, SPREAD_ENTRIES // max(H.n, 1)))
    if G is not None and G.m > attempts.SMALL and search.fits(0, DSATUR * G.m):  # `further` tries it on small ones
        search.attempt("dsatur", lambda: dev.to_device(dsatur(G, Priorities.of(G, "largest_first"), Log()), H.device))
    if few or (best and G is None):
        in_orders(search)
    if search.ended:
        return  # type: ignore[unreachable]  # attempts change it
    if G is not None:
        return search.further(G.on(H.device), best)
    if not best:
        return passes(search, PASSES)
    i = 0
    while not search.ended and search.fits(PASS):  # type: ignore[redundant-expr]  # ends by the clock
        one_pass(search, i)
        i += 1


def in_orders(search: NetSearch) -> None:
    """First-fit in orders that take two hops, and in random order."""
    H, reads = search.H, search.H.reads(MOST_READS)
    for order, each in ORDERS.items():
        if search.fits(ORDER, each * reads):
            search.first_fit(order, lambda order=order: Priorities.of(H, order))  # type: ignore[misc]
