"""algorithm="auto": three qualities, from less time to fewer colors.

==========  ==========================================================================================================
fast        deterministic first-fit: `first_fit`, the same colors on a CPU and a GPU
balanced    fast and the rows of `BALANCED`, limited by counts of work. A CPU tries natural order, a clique, two colors
            and, after natural order, smallest last before fast, since these may end the search. A GPU tries two colors,
            unless a sample shows an odd cycle, and natural order of grids, or launches ejection together with fast
best        fast, then the rows of `BEST`, then `LONG` and `LOCAL` in turn until `time_limit`; on Ctrl-C the best so far
==========  ==========================================================================================================

The search ends with two colors, with three if two are not enough, with the size of a clique, or with a proof by clause
learning; `Log.lower_bound` is the proved bound. Fast and balanced give the same colors on every run and device.

The limit of best counts from the start of `color`, including conversion, minus the time reserved for the check. An
attempt that checks the clock may begin at any time before. An attempt that cannot be interrupted begins only if it
should end in time, estimated from the first coloring. Loading and compiling code extends the limit.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from ..base import device as dev
from ..base.compile_clock import clock
from ..base.device import extremes
from ..base.log import Log
from ..engines.greedy import lattice
from ..engines.greedy.cuda import prepare
from ..engines.greedy.lattice import by_lattice
from ..engines.improve import ejections, survey
from ..graph import two_colors
from ..graph.graph import Graph
from ..orders import Priorities
from ..problems import Problem
from ..problems.registry import ALGORITHMS, Algorithm
from . import DEFAULT_LIMIT, FAST, Attempt, Limit, Search, attempts, one_by_one
from .attempts import has_mesh, in_graph, in_order, seen

SPREAD = "largest_first_spread"

LEAST = 1e-4  # minimum seconds of the first ejection of best
# Costs as multiples of the time of the first coloring: two colors, the order of ids, ejections limited by work, classes
# of twins, the uninterruptible part of a clique (the choice of its starts, one step), a pass of iterated greedy, the
# core of a graph.
TWO, ORDER, BY_WORK, CLASSES, CLIQUE, PASS, CORE = 2, 2, 2, 6, 1, 6, 8
# Seconds of a turn; the first turns are short, since another search may succeed at once where this one fails.
LEAST_TURN, FIRST_TURN, LONGEST_TURN = 0.02, 1.0, 60.0
DENSE = 1 / 20  # share of the pairs of vertices that are neighbors
SMALL, LIKELY = 128, 1.0  # up to SMALL vertices, or in sparse graphs, a proof is likely: its share of the time
EXACT_FROM = 0.002  # minimum seconds of a turn for a proof
# HEAD is first in dense graphs, where it saves the most colors. Its share grows after it has saved a color, and is
# halved after each turn without success as long as it has never saved one.
HEAD_LEADS, HEAD_LEADS_ON_GPU, HEAD_LAGS, HEAD_LEAST = 8.0, 32.0, 1.0, 0.125
HEAD_ON_GPU = True  # on dense graphs


def is_dense(search: Search) -> bool:
    return search.G.m > DENSE * search.G.n**2


def an_eighth(search: Search) -> float:
    """Return an eighth of the remaining time, but at least the time of the first coloring."""
    return min(max(search.left / 8, search.first_seconds, LEAST), LONGEST_TURN)


OPTIMAL = Attempt("bipartite", TWO, attempts.two_colors, needs=lambda s: s.least < 3 and s.G.n > 0)
NATURAL = Attempt(
    "natural", ORDER, attempts.natural, needs=lambda s: not s.by_id and (s.is_small or has_mesh(s)), ties=True
)
BY_ID = Attempt("natural", ORDER, attempts.best_by_id, needs=lambda s: s.few and not s.is_small)
PEELED = Attempt("smallest_last", 30, attempts.smallest_last, needs=attempts.is_local)
TWINS = Attempt("twins", CLASSES, attempts.twins, needs=attempts.has_twins)
TOP = Attempt("clique", 0, attempts.clique_at_top, "cpu", lambda s: s.colors is not None and s.n_colors != s.looked_at)
EJECTION = Attempt("ejection", BY_WORK, attempts.ejection_by_work, needs=lambda s: not s.ejected)
BEFORE = BY_ID, NATURAL, TOP, OPTIMAL, PEELED, TOP  # on a CPU; with two colors, by id equals by union-find
BALANCED = (
    OPTIMAL,
    NATURAL,
    PEELED,
    TOP,
    TWINS,
    EJECTION,
    TOP,
    Attempt("chordal", ORDER, attempts.chordal, "cpu", lambda s: s.is_small),
    Attempt("dsatur", 40, attempts.dsatur, "cpu", lambda s: s.is_small, share=1 / 2),
    EJECTION,
)
# Best begins with the rows of balanced, so it never ends with more colors. Orders must fit into half of the limit,
# since they may take 1.7 times their cost.
BEST = (
    *BALANCED,
    Attempt("ejection", 0, attempts.ejection, seconds=an_eighth),
    Attempt("clique", CLIQUE, attempts.clique, seconds=lambda s: s.left / 4),
    Attempt("exact", CORE, attempts.exact, "cpu", seconds=an_eighth, share=1 / 2),
    Attempt("natural", ORDER, attempts.natural, "cpu", lambda s: not s.by_id, share=1 / 2),
    Attempt("chordal", 2 * ORDER, attempts.chordal, "cpu", lambda s: not s.is_small, share=1 / 2),
    Attempt("ejection", 0, attempts.ejection),
    Attempt("dsatur", 40, attempts.dsatur, "cpu", lambda s: not s.is_small, share=1 / 2),
    Attempt("smallest_last", 30, attempts.smallest_last, "cpu", lambda s: not s.peeled, share=1 / 2),
    Attempt("incidence_degree", 30, in_order("greedy", "incidence_degree"), "cpu", share=1 / 2),
    Attempt("largest_first_spread, seed 1", 2, in_order(FAST, SPREAD, 1), "gpu", share=1 / 2),
    Attempt("largest_first_spread, seed 2", 2, in_order(FAST, SPREAD, 2), "gpu", share=1 / 2),
)
# Searches in turn. Iterated greedy changes the classes without new colors, which is a new start for ejection.
LONG = (
    Attempt("exact", CORE, attempts.exact, "cpu", share=0.25),
    Attempt("head", CORE, attempts.head, needs=lambda s: not s.G.on_gpu or (is_dense(s) and HEAD_ON_GPU), share=2.0),
)
LOCAL = (
    Attempt("iterated_greedy", PASS, attempts.iterated_greedy, ties=True),
    Attempt("ejection", 0, partial(attempts.ejection, passes=None)),
)


def reason_for_cpu(problem: Problem, G: Graph, quality: str) -> str:
    """Return why a CPU colors a graph that is on a GPU; "" if it does not."""
    few = quality == "balanced" and not problem.conflicts and attempts.has_few_entries(G)
    return attempts.LESS_TIME if few else ""


def run(
    G: Graph, p: Priorities, log: Log, quality: str = "balanced", seed: int = 0, limit: Limit | None = None,
    row: Algorithm | None = None,
) -> Any:  # fmt: skip
    """Color with quality "balanced" or "best"; `p` is the order of the first coloring, which `row` makes.

    A MemoryError is raised if the first coloring runs out of memory. Later attempts that run out of memory are skipped.
    """
    best = quality == "best"
    search = in_graph(G, log, seed, (limit or Limit(clock(), DEFAULT_LIMIT)) if best else None, p)
    row = row or ALGORITHMS[FAST]
    try:
        if search.is_small and not best:  # faster than deferring Ctrl-C
            begin(search, row)
            one_by_one(search, BALANCED)
        else:
            with log.best_so_far(lambda: search.colors is not None):
                begin(search, row)
                one_by_one(search, BEST if best else BALANCED)
                if best:
                    in_turn(search)
    except KeyboardInterrupt:
        if search.colors is None:
            raise
        log.notes["interrupted"] = True
    finally:
        log.lower_bound, log.certificate = search.least, search.certificate
    return search.colors


def begin(search: Search, row: Algorithm) -> None:
    """Make the first coloring, after attempts that may end the search; on a GPU with ejections, or on a CPU copy."""
    G = search.G
    if search.p.name == "user":
        search.p.sequence  # noqa: B018  # an invalid order is an error, even if another order ends the search
    if G.on_gpu and search.few:
        return on_host(search, row)
    if G.on_gpu and G.m and not dev.is_rocm():
        prepare(G, programs)
    first = partial(row.run, G, search.p)
    if not G.on_gpu:
        one_by_one(search, BEFORE if search.limit.seconds in (None, math.inf) else (BY_ID,))
    elif search.left > 0:
        if has_mesh(search):
            search.colors_by_id = by_lattice(G, seen(search).row)
        one_by_one(search, (NATURAL, OPTIMAL) if search.limit.timed else (NATURAL, OPTIMAL, PEELED))
    if not search.ended and not attempts.first_and_ejection(search, first):
        search.attempt(FAST, first, search.n_colors + search.is_small)
        first_row = search.tried[-1]
        search.first_seconds = first_row["ms"] / 1e3
        search.first_colors = first_row["colors"] or search.n_colors
        if search.colors is None:
            raise MemoryError(f"{FAST}: {search.no_memory[FAST]}")
        search.ejected = search.ejected and search.n_colors < search.first_colors


def programs(bits: int) -> tuple[Any, ...]:
    """Return the kernels that a GPU launches before and after the first coloring, by the bits of an offset."""
    named = (survey, "survey"), (two_colors, "hang"), (lattice, "set_colors"), (ejections, "save_colors")
    extreme = extremes.SOURCE.of(TYPE="int", STEPS=0), "extremes"
    return extreme, *((module.SOURCE.of(OFFSET_BITS=bits), name) for module, name in named)


def on_host(search: Search, row: Algorithm) -> None:
    """Run balanced on a CPU copy; other steps on a GPU may precede or follow."""
    G, p = search.G, search.p
    search.G = host = G._lent_to_cpu()
    search.p = p.on("cpu") if p.name == "user" else Priorities.of(host, p.name, seed=p.seed)
    try:
        begin(search, row)
        one_by_one(search, BALANCED)
    finally:  # after an interrupt, too, the colors are on the device of the graph
        search.G = G
        if search.colors is not None:
            search.colors = dev.to_device(search.colors, G.device)


def in_turn(search: Search) -> None:
    """Run the unlimited searches in turn, for longer each time; in sparse graphs proofs and HEAD are last."""
    dense, seed, turn, led = is_dense(search), search.seed, 0, False
    rows = [row for row in ((*LONG, *LOCAL) if dense else (*LOCAL, *reversed(LONG))) if row.suits(search)]
    shares = {row.name: row.share for row in rows}
    shares |= {} if dense else {"head": HEAD_LAGS}
    shares |= {"exact": LIKELY} if search.G.n <= SMALL or not dense else {}
    while not search.ended:
        rows = [row for row in rows if row.name not in search.no_memory and search.fits(row.cost)]
        if not rows:
            break
        search.seed = (seed + turn) % 2**64
        longest = min(FIRST_TURN * 2 ** min(turn, 10), LONGEST_TURN)
        for row in rows:
            if search.ended or not search.fits(row.cost):  # type: ignore[redundant-expr]  # attempts change it
                continue
            name, part = row.name, shares[row.name] / sum(shares[row.name] for row in rows)
            seconds = min(search.left * (part if name == "head" else min(part, 1 / 4)), longest * shares[name])
            if name == "exact" and seconds < EXACT_FROM:
                continue
            until, before = min(clock() + max(seconds, LEAST_TURN), search.deadline), search.n_colors
            search.attempt(name, partial(row.make, search, until), search.n_colors + row.ties)
            if search.n_colors < before and name != "exact":
                leads = HEAD_LEADS_ON_GPU if search.G.on_gpu else HEAD_LEADS
                led, shares["head"] = led or name == "head", leads if name == "head" else HEAD_LAGS
            elif name == "head" and not led:
                shares["head"] = max(shares["head"] / 2, HEAD_LEAST)
        turn += 1
