"""Searches with rules, for calls in which first-fit with `max_colors` leaves vertices without a color.

The first step checks whether any coloring can obey the rules: a vertex may have no color left, or more than
`max_colors` vertices may form a clique. Then `rows` yields attempts until a coloring is complete. Their effort depends
only on sizes: first-fit in three orders; DSATUR with lists, which is exact for two colors; ejection with lists from the
best of these; clause learning, which may also prove that no coloring obeys the rules; continued ejection.

The qualities balanced and best, and the algorithm exact, use these attempts with one color less than a complete
coloring, again after each success. With a time limit clause learning and ejection continue in turn until the limit or a
proof. After the limit, only a short ejection may begin.

The searches run on the CPU, on a copy of a graph on a GPU. Problems at two hops use the graph of conflicting pairs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, NoReturn

import numpy as np

from ..base import device as dev
from ..base.compile_clock import clock
from ..base.device import extremes
from ..base.errors import ColoringError
from ..base.log import Log
from ..engines.exact.certificates import clique_of
from ..engines.exact.clique import clique_size
from ..engines.exact.dsatur import dsatur_with_rules
from ..engines.exact.learning import Learning
from ..engines.greedy.rules import first_fit_with_capacities
from ..engines.greedy.tasks import first_fit_task
from ..engines.improve.lists import FOUND, NONE_EXISTS
from ..engines.improve.lists.ejection import Ejection, lower
from ..engines.improve.lists.leave_out import Effort, degrees_of
from ..graph.graph import Graph
from ..graph.nets import Structure
from ..graph.pattern import unsigned
from ..orders import Priorities
from ..problems.rules import Rules
from ..problems.rules.check import check_number
from ..problems.rules.reading import NamedVertices
from ..problems.task import NONE
from . import ANYTIME, COUNTS, UNSUITED, Attempt, Limit, Search, left_out, one, one_by_one
from .partial_colorings import MOST, ORDERS, fixed_of, instance
from .partial_colorings import best as best_partial

DSATUR, LEARNING, EJECTION = "dsatur", "learning", "ejection"  # attempts after the orders
LEAVE_OUT = "leave_out"  # the last attempt, even if no coloring obeys the rules
TURNS = 20  # turns of the relaxation of LEAVE_OUT
NAMED = 12  # vertices of a clique that a message names
READS, LEAST_READS = 64, 1 << 24  # entries that ejection reads: times the graph's entries, and at least
SHORT_READS = 32  # as READS, before clause learning
LEAST_TIMED = 1 << 19  # minimum of entries that ejection reads with a time limit
FEWER_READS, LEAST_FEWER = 8, 1 << 18  # as READS and LEAST_READS, for all ejections for fewer colors together
PAIRS, ENTRIES = 1 << 24, 1 << 21  # limits for balanced: of the graph of pairs, as MOST; entries for DSATUR
READ_SECONDS = 5e-8  # for best: maximum time per entry of the graph of pairs
COST = 40  # cost of an attempt at fewer colors other than ejection, as a multiple of the first coloring
# Limits of clause learning: vertices × colors with and without a time limit; conflicts without a time limit.
PAIRS_LIMITED, PAIRS_BEGUN, CONFLICTS = 1 << 22, 1 << 16, 20_000
STEPS = 1 << 23  # literals that clause learning propagates without a time limit
FIRST_TURN, LONGEST_TURN = 0.25, 30.0  # seconds of the first turn of clause learning and ejection; they double
BITS = 1 << 33  # limit of the bits of barred colors for DSATUR
TWO = "with two colors all choices are forced, up to exchanging the colors, and a vertex has no color left"
NO_COLORING = "an exhaustive search found none"
UNKNOWN = "none was found within the effort; whether there is one is unknown"
INTERRUPTED = "the search was interrupted; whether there is one is unknown"
NONE_YET = "no coloring that keeps the rules was found before the interrupt"
TOO_LARGE = "the graph of conflicting pairs is too large for other attempts; whether there is one is unknown"


def is_partial(colors: Any) -> bool:
    """Return whether any vertex has no color."""
    with dev.using(colors):
        return bool(len(colors)) and extremes.span(colors)[0] < 0


def complete(
    G: Structure, rules: Rules, first: tuple[str, Any], log: Log, seed: int, limit: Limit = COUNTS,
    leaves_out: bool = True,
) -> tuple[Any, str]:  # fmt: skip
    """Return a complete coloring and the attempt that found it; otherwise raise an error with a partial coloring."""
    name, colors = first
    with dev.using(colors):
        if not is_partial(colors):
            return noted(colors, log), ""
        log.notes.pop("tried", None)
        graph = G.on("cpu").conflict_graph(MOST)
        colors = dev.to_device(colors, "cpu").copy()
        if graph is None:
            over = rules.max_colors is not None and log.lower_bound > rules.max_colors
            raise failure(colors, rules, bound(log.lower_bound) if over else TOO_LARGE, G)
        task, until = RuleTask(rules.on("cpu")), limit.from_now().earlier() if leaves_out else limit
        search = Search(graph, log, seed, until, task=task)
        task.reads = LEAST_TIMED if limit.timed else max(READS * graph.m, LEAST_READS)
        task.first_reads = 0 if limit.timed else SHORT_READS * graph.m
        task.labels = G.labels
        search.keep(name, colors, left_out(colors), 0.0, Log())
        if "interrupted" not in log.notes:  # Ctrl-C ends the whole call
            with log.best_so_far():
                task.reason = why_impossible(search)
                last = Attempt(LEAVE_OUT, ANYTIME, partial(choose_left_out, limit.deadline(0.0)))
                one_by_one(search, chain(rows(search), (last,) if leaves_out or not limit.timed else ()))
        if search.n_colors:
            refuse(search, rules, G)
        if len(search.tried) > 1:
            lower(instance(graph, task.rules, search.colors, colors_of(search)), search.colors)
        found_by = search.tried[-1]["name"]
        found_by = f"first_fit ({found_by})" if found_by in ORDERS else found_by
        return noted(dev.to_device(search.colors, G.device), log), found_by


def choose_left_out(end: float, search: Search, _: float, log: Log) -> Any:
    """Leave out as few vertices as possible, unless the time `end` has passed."""
    effort = Effort(TURNS, READS, LEAST_READS, end)
    if effort.is_over:
        return UNSUITED
    return best_partial(search.G, search.task.rules, "fewest", search.seed, effort, log)[0]


def refuse(search: Search, rules: Rules, G: Structure) -> NoReturn:
    """Raise the error of a search that has found no coloring, with the best partial one."""
    task: RuleTask = search.task
    if "interrupted" in search.log.notes:
        raise KeyboardInterrupt(NONE_YET) from failure(search.colors, rules, INTERRUPTED, G)
    k = rules.max_colors or 0
    clique = clique_of(search.G, k + 1) if task.clique > k else None
    without = "".join(f"; {name}: {why}" for name, why in search.no_memory.items())
    raise failure(search.colors, rules, task.reason or UNKNOWN + without, G, clique)


def fewer(
    G: Structure, rules: Rules, colors: Any, log: Log, seed: int, limit: Limit = COUNTS, seconds: float = 0.0
) -> tuple[Any, str]:
    """Reduce the colors of a complete coloring until the limit; also return the attempt that saved the last color."""
    most, left = MOST if limit.timed or limit.conflicts is not None else PAIRS, limit.deadline(0.0) - clock()
    if limit.timed and left < math.inf:
        most = min(MOST, int(max(left, 0) / READ_SECONDS))
    if (graph := G.on("cpu").conflict_graph(most)) is None:
        log.notes["quality"] = "no attempts at fewer colors: the graph of conflicting pairs is too large"
    if graph is None or not graph.n:
        return colors, ""
    here = rules.on("cpu")
    task = RuleTask(here)
    search = Search(graph, log, seed, limit, task=task)
    task.small = limit.timed or graph.m <= ENTRIES
    task.reads = max(FEWER_READS * graph.m, LEAST_FEWER)
    task.first_reads = 0 if limit == COUNTS else SHORT_READS * graph.m  # exact may learn for long
    if limit.timed:  # as many as balanced reads, before the long turns
        task.first_reads = task.reads = int(min(task.reads, max(search.left, 0) / 2 / READ_SECONDS))
    best, found_by, search.first_seconds = dev.to_device(colors, "cpu").copy(), "", seconds
    with log.best_so_far(memory=True):
        limit_to_fewer(search, best)
        for row in rows(search):
            while search.fits(row.cost):  # each turn uses one color less
                one(search, row)
                if search.n_colors:
                    break
                best, found_by = search.colors, row.name
                limit_to_fewer(search, best)
    log.lower_bound = max(log.lower_bound, task.clique)
    if task.reason:
        log.notes["fewest"] = True
        if rules.fixed is rules.forbidden is None and not np.ndim(rules.capacity):  # all colors are equivalent
            log.lower_bound = extremes.largest(best) + 1
    if not search.tried:
        log.notes.pop("tried")
    if found_by:
        lower(instance(graph, here, best, here.enough(graph.n)), best)
    return noted(dev.to_device(best, G.device), log), found_by


def noted(colors: Any, log: Log) -> Any:
    """Return the colors; note the number of unused colors below the largest."""
    log.notes.pop("gaps", None)
    if gaps := extremes.largest(colors) + 1 - extremes.distinct(colors):
        log.notes["gaps"] = gaps
    return colors


def bound(least: int) -> str:
    """Return the reason that a lower bound above `max_colors` gives."""
    return f"every coloring has at least {least} colors"


def failure(
    colors: np.ndarray, rules: Rules, reason: str, G: Structure, clique: np.ndarray | None = None
) -> ColoringError:
    """Create the error with the best partial coloring, on the device of G, and a clique that proves it, by label."""
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


@dataclass
class RuleTask:
    """Rules of a search on the CPU, known facts about them, and the state of its attempts."""

    rules: Rules
    reason: str = ""  # why no coloring obeys them; "": unknown
    clique: int = 0  # size of the largest clique found; 0: not searched
    small: bool = True  # whether DSATUR is worth trying
    turn: float = math.inf  # seconds of a turn of clause learning or ejection
    reads: int = 0  # entries that ejections may read, regardless of time
    first_reads: int = 0  # entries of these that are read before clause learning
    # Learning and Ejection with the present number of colors; None: not begun
    learning: Any = None
    ejection: Any = None
    labels: Any = None  # sequence, optional: labels of the vertices, for messages


def colors_of(search: Search) -> int:
    """Return the number of colors that attempts use."""
    k: int = search.task.rules.enough(search.G.n)
    return k


def limit_to_fewer(search: Search, colors: np.ndarray) -> None:
    """Continue from a complete coloring with one color less, or set the reason why that is impossible."""
    task, k = search.task, extremes.largest(colors)
    task.rules, search.colors = replace(task.rules, max_colors=k), np.where(colors < k, colors, NONE)
    search.n_colors = left_out(search.colors)
    try:
        check_number(task.rules, NamedVertices(search.G.n, None))
    except ColoringError as e:
        task.reason = e.reason
    task.reason = task.reason or over_bound(search, k)


def why_impossible(search: Search) -> str:
    """Return why no coloring obeys the rules, if that is found; "": unknown."""
    G, task = search.G, search.task
    rules, k = task.rules, task.rules.max_colors or 0
    if k == colors_of(search):  # otherwise there are more colors than a list and neighbors can bar
        hopeless = degrees_of(unsigned(G), fixed_of(rules, G.n), rules.lists(G.n), k)[1]
        if len(v := np.flatnonzero(hopeless & (search.colors < 0))):
            name = NamedVertices(G.n, task.labels).text(int(v[0]))
            return f"{name} has no color left: the rules and its fixed neighbors exclude all colors"
    return over_bound(search, k)


def over_bound(search: Search, k: int) -> str:
    """Return a reason if a clique of more than k vertices is found, or a lower bound is above k; else ""."""
    task, deadline = search.task, search.deadline if search.limit.timed else None
    task.clique = task.clique or clique_size(search.G, k + 1, deadline)
    if task.clique > k:
        what = NamedVertices(search.G.n, task.labels).called
        return f"there is a clique of {k + 1} {what}, which needs as many colors"
    return bound(search.log.lower_bound) if search.log.lower_bound > k else ""


# ---- attempts --------------------------------------------------------------------------------------------------------


def rows(search: Search) -> Iterator[Attempt]:
    """Yield the attempts, until there is a reason why no coloring obeys the rules, or the time is over."""
    for order in ORDERS:
        yield Attempt(order, COST, partial(in_order, order), needs=is_open)
    yield Attempt(DSATUR, COST, saturate, needs=lambda s: is_open(s) and s.task.small and pairs(s) <= BITS)
    learns = pairs(search) <= (PAIRS_BEGUN if search.limit == COUNTS else PAIRS_LIMITED)
    learning = Attempt(LEARNING, 0, learn, needs=lambda s: learns and is_open(s), seconds=lambda s: s.task.turn)
    ejection = Attempt(EJECTION, ANYTIME, eject, needs=is_open, seconds=lambda s: s.task.turn)
    if learns and search.task.first_reads:
        yield ejection._replace(make=partial(eject, reads=search.task.first_reads), seconds=lambda s: 0.0)
    search.task.turn = FIRST_TURN if learns else math.inf
    while True:
        yield learning
        yield ejection
        if not search.limit.timed or not is_open(search) or search.over or EJECTION in search.no_memory:
            return
        search.task.turn = min(2 * search.task.turn, LONGEST_TURN)


def is_open(search: Search) -> bool:
    """Return whether a coloring may obey the rules, as far as known."""
    return not search.task.reason


def pairs(search: Search) -> int:
    """Return vertices times colors."""
    return search.G.n * colors_of(search)


def first_fit(G: Graph, rules: Rules, sequence: np.ndarray) -> np.ndarray:
    """Color by first-fit with rules, in an order, on the CPU; −1 if a vertex finds no color."""
    if rules.capacity is not None:
        return first_fit_with_capacities(G, rules, sequence)
    return first_fit_task(G, rules.task(G.max_degree), sequence)


def in_order(order: str, search: Search, _: float, log: Log) -> np.ndarray:
    """Color by first-fit with rules in a named order."""
    return first_fit(search.G, search.task.rules, Priorities.of(search.G, order, seed=None).sequence)


def saturate(search: Search, _: float, log: Log) -> np.ndarray:
    """Color by DSATUR with lists; with two colors a failure is a proof."""
    G, rules, k = search.G, search.task.rules, colors_of(search)
    colors = dsatur_with_rules(G, rules, Priorities.of(G, "largest_first", seed=None).sequence, k)
    if k <= 2 and rules.capacity is None and (colors < 0).any():
        search.task.reason = TWO
    return colors


def learn(search: Search, until: float, log: Log) -> np.ndarray:
    """Continue clause learning: with a time limit until a time, else for `CONFLICTS`."""
    task, limit = search.task, search.limit
    if task.learning is None or task.learning.entries != pairs(search):
        colors = fixed_of(task.rules, search.G.n).copy()
        task.learning = Learning(instance(search.G, task.rules, colors, colors_of(search)), colors, True)
    before = task.learning.conflicts
    if limit == COUNTS:
        outcome = task.learning.run(math.inf, CONFLICTS, task.learning.steps + STEPS)
    else:
        most = 2**62 if limit.conflicts is None else before + limit.conflicts
        outcome = task.learning.run(until if limit.timed else math.inf, most)
    if limit.conflicts is not None:
        search.limit = limit._replace(conflicts=limit.conflicts - (task.learning.conflicts - before))
    task.reason = NO_COLORING if outcome == NONE_EXISTS else ""
    return task.learning.colors.copy() if outcome == FOUND else search.colors


def eject(search: Search, until: float, log: Log, reads: int = 2**62) -> np.ndarray:
    """Continue ejection until it has read `reads` entries, and with a time limit until a time."""
    task = search.task
    if task.ejection is None or len(task.ejection.instance.spare) != colors_of(search):
        colors = search.colors.copy()
        graph = instance(search.G, task.rules, colors, colors_of(search))
        task.ejection = Ejection(graph, colors, task.rules.capacity is not None, search.seed)
    before = task.ejection.read
    colors = task.ejection.run(before + min(reads, task.reads), until if search.limit.timed else -math.inf)
    task.reads -= task.ejection.read - before
    return colors.copy()
