"""What is done where first-fit with rules leaves vertices without a color: `max_colors` are too few for it.

The first step checks whether any coloring can keep the rules: a vertex may have no color left to it, or more than
`max_colors` vertices may be a clique. If neither is found, other colorings are tried, one after the other, until one is
complete, each with an effort that depends on sizes alone, so that the result is the same on every run and device:

1. first-fit in the orders natural, largest_first and smallest_last;
2. DSATUR with lists, which is exact for two colors: a vertex with one color left comes before all others, and where
   there is none, both colors of the next vertex are alike, for no vertex of its part has a color or a list;
3. ejection with lists, which goes on from the best of these, for a short time;
4. clause learning, limited by conflicts and steps, which may also prove that no coloring keeps the rules;
5. ejection again, from where it was.

The qualities balanced and best, and the algorithm exact, go on from a complete coloring. They take each of these
attempts with one color less than it has, again after each success. Ejection is limited by entries read. With a time
limit clause learning and ejection go on in turn, each from where it was, until the limit or a proof ends them, and
choosing the vertices to leave out has a share of the time. No attempt but a short ejection begins after the limit.

All of it runs on the CPU, of a copy of a graph on a GPU. Of problems at two hops the graph of the conflicting pairs is
made for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...base import device as dev
from ...base.compile_clock import clock
from ...base.device import extremes
from ...base.errors import ColoringError
from ...base.log import Log
from ...engines.exact.certificates import clique_of
from ...engines.exact.clique import clique_size
from ...engines.exact.dsatur import dsatur_with_rules
from ...engines.exact.learning import Learning
from ...engines.greedy.capacities import first_fit_with_capacities
from ...engines.greedy.tasks import first_fit_task
from ...engines.improve.lists import FOUND, NONE_EXISTS, Instance, without_colors
from ...engines.improve.lists.ejection import Ejection
from ...engines.improve.lists.leave_out import Effort
from ...engines.improve.lists.lower import lower
from ...graph.graph import Graph
from ...graph.nets import Structure
from ...graph.pattern import unsigned
from ...orders import Priorities
from ...problems.rules import Rules
from ...problems.rules.contradictions import check_number
from ...problems.rules.reading import NamedVertices
from ...problems.task import NONE
from .. import kept
from .partial import best as best_partial

ORDERS = ("natural", "largest_first", "smallest_last")
MOST = 1 << 26  # entries of the graph of conflicting pairs, counted in each net: up to half a gigabyte
DSATUR, LEARNING, EJECTION = "dsatur", "learning", "ejection"  # attempts after the orders
LEAVE_OUT = "leave_out"  # the last one, also where it is known that no coloring keeps the rules
TURNS = 20  # of its relaxation
NAMED = 12  # vertices of a clique that a message names
READS, LEAST_READS = 64, 1 << 24  # entries that ejection reads: a multiple of the graph's entries, and at least
SHORT_READS = 32  # the same before clause learning
LEAST_TIMED = 1 << 19  # entries that ejection reads at least with a time limit
LAST = 1 / 8  # of the time that is left, for choosing the vertices to leave out
FEWER_READS, LEAST_FEWER = 8, 1 << 18  # entries read by all ejections for fewer colors together, as `READS`
PAIRS, ENTRIES = 1 << 24, 1 << 21  # for balanced: as MOST; entries up to which DSATUR looks for fewer colors
READ_SECONDS = 5e-8  # of an entry of that graph, at most, for best
COST = 40  # time of an attempt of best for fewer colors but ejection, as a multiple of the first coloring's
# Vertices times colors up to which clause learning begins, with a time limit and without; conflicts without one.
PAIRS_LIMITED, PAIRS_BEGUN, CONFLICTS = 1 << 22, 1 << 16, 20_000
STEPS = 1 << 23  # literals that it propagates without a time limit
FIRST_TURN, LONGEST_TURN = 0.25, 30.0  # seconds of the first turn of clause learning and ejection; they double
BITS = 1 << 33  # of the colors barred to vertices; DSATUR is left out where there would be more
TWO = "with two colors all choices are forced, or free to exchange, and they end at a vertex with none left"
NO_COLORING = "an exhaustive search found none"
UNKNOWN = "none was found within the effort; whether there is one is unknown"
INTERRUPTED = "the search was interrupted; whether there is one is unknown"
NONE_YET = "no coloring that keeps the rules was found before the interrupt"
TOO_LARGE = "the graph of conflicting pairs is too large for other attempts; whether there is one is unknown"


class Budget(NamedTuple):
    """Limits of clause learning and ejection other than counts: a moment, and conflicts in all."""

    until: float = -math.inf
    conflicts: int | None = None
    leaves_out: bool = True  # whether vertices to leave out are chosen last, with a time limit

    @property
    def timed(self) -> bool:
        """Whether a moment is the limit."""
        return self.until > -math.inf

    def earlier(self) -> Budget:
        """The same without the time for choosing the vertices to leave out."""
        if not self.leaves_out:
            return self
        now = clock()
        return self._replace(until=self.until - LAST * (self.until - now)) if now < self.until < math.inf else self


COUNTS = Budget()


def is_partial(colors: Any) -> bool:
    """Whether vertices have no color."""
    with dev.using(colors):
        return bool(len(colors)) and extremes.span(colors)[0] < 0


def complete(
    G: Structure, rules: Rules, first: tuple[str, Any], log: Log, seed: int, budget: Budget = COUNTS
) -> tuple[Any, str]:
    """The colors of an algorithm, where all vertices have one; else the colors of the first attempt that finds all.

    With a moment attempts end then; ejection reads `LEAST_TIMED` entries at least.
    """
    name, colors = first
    with dev.using(colors):
        if not is_partial(colors):
            return noted(colors, log), ""
        search = _attempt(G, rules, (name, dev.to_device(colors, "cpu").copy()), log, seed, budget)
        found_by = search.tried[-1]["name"]
        found_by = f"first_fit ({found_by})" if found_by in ORDERS else found_by
        return noted(dev.to_device(search.colors, G.device), log), found_by


def fewer(
    G: Structure, rules: Rules, colors: Any, log: Log, seed: int, budget: Budget = COUNTS, seconds: float = 0.0
) -> tuple[Any, str]:
    """Fewer colors than a complete coloring has, by attempts limited by counts; and which attempt saved the last one.

    With a moment ejection goes on until then, and the others begin where COST times `seconds` end in time.
    """
    until, limited = budget.until, budget.timed
    most = MOST if limited or budget.conflicts is not None else PAIRS
    if limited and until < math.inf:
        most = min(MOST, int(max(until - clock(), 0) / READ_SECONDS))
    if (graph := G.on("cpu").conflict_graph(most)) is None:
        log.notes["quality"] = "no attempts at fewer colors: the graph of conflicting pairs is too large"
    if graph is None or not graph.n:
        return colors, ""
    here = rules.on("cpu")
    search = RuleSearch(graph, here, log, budget, tried=log.notes.get("tried", []))
    search.reads = max(FEWER_READS * graph.m, LEAST_FEWER)
    search.first_reads = 0 if budget == COUNTS else SHORT_READS * graph.m  # exact may learn for long
    if limited:  # as many as balanced reads, before the long turns
        search.first_reads = search.reads = int(min(search.reads, max(until - clock(), 0) / 2 / READ_SECONDS))
    best, found_by = dev.to_device(colors, "cpu").copy(), ""
    with kept(log):
        goes_on = search.limit_to_fewer(best)
        for name, make in search.steps(seed) if goes_on else ():
            late = name not in (LEARNING, EJECTION) and clock() + COST * seconds > until
            if late if limited else name == DSATUR and graph.m > ENTRIES:
                continue
            while goes_on and search.attempt(name, make):  # each turn has fewer colors
                best, found_by = search.colors, name
                goes_on = search.limit_to_fewer(best)
            if not goes_on:
                break
    log.lower_bound = max(log.lower_bound, search.clique)
    if search.reason:
        log.notes["fewest"] = True
        if rules.fixed is rules.forbidden is None and not np.ndim(rules.capacity):  # numbers of colors say all
            log.lower_bound = extremes.largest(best) + 1
    if found_by:
        search.rules, search.colors = here, best
        search.lower()
    return noted(dev.to_device(best, G.device), log), found_by


def noted(colors: Any, log: Log) -> Any:
    """The colors; notes say how many under the largest are unused."""
    log.notes.pop("gaps", None)
    if gaps := extremes.largest(colors) + 1 - extremes.distinct(colors):
        log.notes["gaps"] = gaps
    return colors


def _attempt(
    G: Structure, rules: Rules, first: tuple[str, np.ndarray], log: Log, seed: int, budget: Budget
) -> RuleSearch:
    """A search with colors of all vertices, on the CPU; or the error, with what there is on the device of `G`."""
    here, graph = rules.on("cpu"), G.on("cpu").conflict_graph(MOST)
    if graph is None:
        over = rules.max_colors is not None and log.lower_bound > rules.max_colors
        raise failure(first[1], rules, bound(log.lower_bound) if over else TOO_LARGE, G)
    reads = LEAST_TIMED if budget.timed else max(READS * graph.m, LEAST_READS)
    short = 0 if budget.timed else SHORT_READS * graph.m
    search = RuleSearch(graph, here, log, budget.earlier(), reads=reads, first_reads=short, labels=G.labels)
    search.keep(*first, 0.0)
    if "interrupted" not in log.notes:  # Ctrl-C ends the call, not one search of it
        with log.best_so_far():
            search.reason = search.why_impossible()
            for name, make in search.steps(seed) if not search.reason else ():
                if name == EJECTION or not search.is_late:
                    search.attempt(name, make)
            effort = Effort(TURNS, READS, LEAST_READS, latest=budget.until if budget.timed else math.inf)
            if budget.leaves_out and not effort.is_over:
                search.attempt(LEAVE_OUT, lambda: best_partial(graph, here, "fewest", seed, effort, log)[0])
    if search.left and "interrupted" in log.notes:
        raise KeyboardInterrupt(NONE_YET) from failure(search.colors, rules, INTERRUPTED, G)
    if search.left:
        k = rules.max_colors or 0
        clique = clique_of(graph, k + 1) if search.clique > k else None
        raise failure(search.colors, rules, search.reason or UNKNOWN, G, clique)
    if len(search.tried) > 1:
        search.lower()
    return search


def bound(least: int) -> str:
    """A lower bound over `max_colors` as a reason."""
    return f"every coloring has at least {least} colors"


def failure(
    colors: np.ndarray, rules: Rules, reason: str, G: Structure, clique: np.ndarray | None = None
) -> ColoringError:
    """The error with the best partial coloring, on the device of G, and with a clique that proves it, by label."""
    found = None if clique is None else [v if G.labels is None else G.labels[v] for v in clique.tolist()]
    which = "" if found is None else f": {', '.join(map(repr, found[:NAMED]))}{', …' if len(found) > NAMED else ''}"
    what = NamedVertices(len(colors), G.labels).called
    none = rules.no_coloring(proven=reason not in (UNKNOWN, INTERRUPTED, TOO_LARGE))
    e = ColoringError(
        f"{rules.limit}: {none}: {reason}{which}. The best partial coloring "
        f"(`partial` of the error) leaves {int((colors < 0).sum())} of {len(colors)} {what} without a color"
    )
    e.partial, e.reason, e.clique = dev.to_device(colors, G.device), reason, found
    return e


def first_fit(G: Graph, rules: Rules, sequence: np.ndarray) -> np.ndarray:
    """First-fit with rules, in an order, on the CPU; −1 where it finds no color."""
    if rules.capacity is not None:
        return first_fit_with_capacities(G, rules, sequence)
    return first_fit_task(G, rules.task(G.max_degree), sequence)


def instance(G: Graph, rules: Rules, colors: np.ndarray, k: int) -> Instance:
    """A graph on the CPU with its rules, for k colors; `room` is what these colors leave."""
    fixed = np.zeros(G.n, bool) if rules.fixed is None else rules.fixed >= 0
    return Instance(*unsigned(G), fixed, *rules.lists(G.n), rules.weight_of(G.n), rules.room_left(colors, k))


def exhaustive(G: Graph, rules: Rules, k: int, alike: bool = False) -> Learning:
    """Clause learning for the colorings with k colors that keep the rules; `alike` as for `Learning`."""
    colors = np.full(G.n, NONE, np.int32) if rules.fixed is None else rules.fixed.copy()
    return Learning(instance(G, rules, colors, k), colors, alike)


@dataclass
class RuleSearch:
    """The best partial coloring so far, on the CPU."""

    G: Graph
    rules: Rules
    log: Log
    budget: Budget = COUNTS  # its conflicts are those that are left
    colors: Any = None  # array of int32, shape (n,)
    left: int = 2**31  # vertices without a color
    reason: str = ""  # why no coloring keeps the rules; "" for unknown
    reads: int = 0  # entries that ejections may read, whatever the time
    first_reads: int = 0  # the part of them that is read before clause learning
    clique: int = 0  # vertices of the largest clique that was found; 0: none was looked for
    tried: list[dict[str, Any]] = field(default_factory=list)
    # `learning` and `walk`: Learning, Ejection: with the present number of colors; None: not begun
    learning: Any = None
    walk: Any = None
    labels: Any = None  # sequence, optional: of the vertices, for messages

    @property
    def is_late(self) -> bool:
        """Whether there is a time limit, and it is over."""
        return self.budget.timed and clock() > self.budget.until

    def keep(self, name: str, colors: np.ndarray, seconds: float) -> None:
        """Keep colors where they leave fewer vertices."""
        left = int(np.count_nonzero(colors < 0))
        self.tried.append({"name": name, "uncolored": left, "ms": round(seconds * 1e3, 3)})
        self.log.notes["tried"] = self.tried
        if left < self.left:
            self.colors, self.left = colors, left

    def attempt(self, name: str, make: Callable[[], np.ndarray]) -> bool:
        """Keep the colors that `make` returns, unless there is a complete coloring already; whether there is one."""
        if self.left:
            self.log.stage.at()
            begun = clock()
            colors = make()
            self.keep(name, colors, clock() - begun)
        return not self.left

    def steps(self, seed: int) -> Iterator[tuple[str, Callable[[], np.ndarray]]]:
        """The attempts in turn, until one of them has a reason why no coloring keeps the rules, or the time is over."""
        for order in ORDERS:
            yield order, partial(self._first_fit, order)
        if self.G.n * self.k <= BITS:
            yield DSATUR, self._saturate
        learns = self.G.n * self.k <= (PAIRS_BEGUN if self.budget == COUNTS else PAIRS_LIMITED)
        turn = FIRST_TURN if learns else math.inf
        if not self.reason and learns and self.first_reads:
            yield EJECTION, partial(self._eject, seed, 0.0, self.first_reads)
        if not self.reason and learns:
            yield LEARNING, partial(self._learn, turn)
        if not self.reason:
            yield EJECTION, partial(self._eject, seed, turn)
        while self.budget.timed and self.left and not self.reason and not self.is_late:
            turn = min(2 * turn, LONGEST_TURN)
            if learns:
                yield LEARNING, partial(self._learn, turn)
            if not self.reason:
                yield EJECTION, partial(self._eject, seed, turn)

    def limit_to_fewer(self, colors: np.ndarray) -> bool:
        """Go on from a complete coloring with one color less than it has; whether that may do."""
        k = extremes.largest(colors)
        self.rules, self.colors = replace(self.rules, max_colors=k), np.where(colors < k, colors, NONE)
        self.left = int(np.count_nonzero(self.colors < 0))
        try:
            check_number(self.rules, NamedVertices(self.G.n, None))
        except ColoringError as e:
            self.reason = e.reason
        self.reason = self.reason or self.clique_over(k) or self._bound_over(k)
        return not self.reason

    @property
    def k(self) -> int:
        """Colors that attempts use."""
        return self.rules.enough(self.G.n)

    def why_impossible(self) -> str:
        """Why no coloring keeps the rules, as far as found; "" for unknown."""
        k = self.rules.max_colors or 0
        if k == self.k:  # else there are more colors than a list and neighbors bar
            v = without_colors(unsigned(self.G), self.colors, self.fixed, self.rules.lists(self.G.n), k)
            if v >= 0:
                said = NamedVertices(self.G.n, self.labels).said(v)
                return f"{said} has no color left that rules allow it and no fixed neighbor has"
        return self.clique_over(k) or self._bound_over(k)

    def _bound_over(self, k: int) -> str:
        """That a bound is over k, if it is."""
        least = self.log.lower_bound
        return bound(least) if least > k else ""

    def clique_over(self, k: int) -> str:
        """That there is a clique of over k vertices, if one is found."""
        deadline = self.budget.until if self.budget.timed else None
        self.clique = self.clique or clique_size(self.G, k + 1, deadline)
        what = NamedVertices(self.G.n, self.labels).called
        return f"there is a clique of {k + 1} {what}, which needs as many colors" if self.clique > k else ""

    @property
    def fixed(self) -> np.ndarray:
        """Fixed colors, −1 for none."""
        return np.full(self.G.n, NONE, np.int32) if self.rules.fixed is None else self.rules.fixed

    def _first_fit(self, order: str) -> np.ndarray:
        return first_fit(self.G, self.rules, Priorities.of(self.G, order, seed=None).sequence)

    def _saturate(self) -> np.ndarray:
        sequence = Priorities.of(self.G, "largest_first", seed=None).sequence
        colors = dsatur_with_rules(self.G, self.rules, sequence, self.k)
        if self.k <= 2 and self.rules.capacity is None and (colors < 0).any():
            self.reason = TWO
        return colors

    def _instance(self, colors: np.ndarray) -> Instance:
        """The graph with its rules; `room` is what these colors leave."""
        return instance(self.G, self.rules, colors, self.k)

    def _learn(self, seconds: float) -> np.ndarray:
        """Clause learning, from where it was: for some seconds with a time limit, else for `CONFLICTS`."""
        if self.learning is None or self.learning.entries != self.G.n * self.k:
            self.learning = exhaustive(self.G, self.rules, self.k, alike=True)
        budget, before = self.budget, self.learning.conflicts
        until = min(clock() + seconds, budget.until) if budget.timed else math.inf
        if budget == COUNTS:
            outcome = self.learning.run(until, CONFLICTS, self.learning.steps + STEPS)
        else:
            most = 2**62 if budget.conflicts is None else before + budget.conflicts
            outcome = self.learning.run(until, most)
        if budget.conflicts is not None:
            self.budget = budget._replace(conflicts=budget.conflicts - (self.learning.conflicts - before))
        self.reason = NO_COLORING if outcome == NONE_EXISTS else ""
        return self.learning.colors.copy() if outcome == FOUND else self.colors

    def _eject(self, seed: int, seconds: float, reads: int = 2**62) -> np.ndarray:
        """Ejection, from where it was: until it has read so many of its entries, and with a time limit some seconds."""
        if self.walk is None or len(self.walk.instance.room) != self.k:
            colors = self.colors.copy()
            self.walk = Ejection(self._instance(colors), colors, self.rules.capacity is not None, seed)
        before = self.walk.read
        colors = self.walk.run(before + min(reads, self.reads), min(clock() + seconds, self.budget.until))
        self.reads -= self.walk.read - before
        return colors.copy()

    def lower(self) -> None:
        """Lower the colors where rules allow it, so that gaps are those that rules cause."""
        lower(self._instance(self.colors), self.colors)
