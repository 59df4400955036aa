"""reduce(x, coloring): lower the number of colors of a proper coloring.

A time limit counts from the start of the call. It reserves time for the last check; the first check gives the estimate.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..base import compile_clock as compiling
from ..base import device as dev
from ..base import options as names
from ..base.compile_clock import clock, importing
from ..base.device import extremes, limited
from ..base.errors import ColoringError, OptionError
from ..base.log import SECONDS, Log, listened, stage
from ..base.options import choice, number, whole
from ..engines.improve.classes import ORDERS, iterated_greedy
from ..engines.improve.ejections import ejection
from ..graph.graph import Graph
from ..graph.nets import pairs
from ..graph.pattern import Pattern
from ..inputs.arrays import as_array
from ..orders import Priorities
from ..problems import DEFAULT as DISTANCE1
from ..problems import PROBLEMS
from ..problems.registry import ALGORITHMS
from .request import ELSEWHERE, Call, refuse
from .result import Coloring
from .session import Clock, finished, graph_of, is_checked, made_for
from .verify import verify as check
from .warm_up import small_graph

KEYWORDS = ("method", "seed", "rng", "time_limit", "device", "threads", "symmetrize", "verify", "trace", "progress")
DEFAULT = "ejection"  # method
MOST_PASSES = 1e9  # larger numbers are no limit
RESERVE = 1.5  # times the first check: time reserved for the last check
PASS = 6  # times the first check: estimate of a pass of iterated greedy


class Option(NamedTuple):
    """The meaning of an option, and ``check(name, value)``, which returns the value to use or raises an OptionError."""

    meaning: str
    check: Callable[[str, Any], Any]


@dataclass(frozen=True)
class Method:
    """A method: ``run(G, colors, log=…, **options)``, its options, and whether it reads `seed` and `threads`."""

    run: Callable[..., Any]
    options: dict[str, Option]
    seeded: bool = True
    threaded: bool = False


def heuristics(G: Graph, colors: Any, **how: Any) -> Any:
    """Heuristics 1 and 2 of Alabandi and Burtscher."""
    with importing():
        from ..algorithms.ecl_gc import heuristics as paper

    return paper.heuristics(G, colors, **how)


METHODS = {
    DEFAULT: Method(
        ejection,
        {
            "passes": Option(
                "work per color, in reads of all entries; default 4; None: no limit",
                partial(number, high=MOST_PASSES, none=True),
            ),
            "least": Option("stop at this many colors", partial(whole, of="colors")),
        },
    ),
    "iterated_greedy": Method(
        iterated_greedy,
        {
            "rounds": Option(
                "passes; default 20; with time_limit, until the limit", partial(whole, of="passes", none=True)
            ),
            "order": Option(
                "order of the classes: mix, reverse, largest, smallest, random", partial(choice, among=("mix", *ORDERS))
            ),
        },
        threaded=True,
    ),
    "heuristics": Method(heuristics, {}, seeded=False),
}


@listened
@limited
def reduce(
    x: Any,
    coloring: Any,
    *,
    method: str = DEFAULT,
    rng: Any = None,
    seed: names.Seed = names.DEFAULT_SEED,
    time_limit: float | None = None,
    device: str | None = None,
    threads: int | None = None,
    symmetrize: bool = False,
    verify: bool | None = None,
    trace: bool = False,
    progress: Any = None,
    **options: Any,
) -> Coloring:
    """Lower the number of colors of a proper coloring from any source.

    Parameters
    ----------
    x : Graph or graph-like
        The graph or matrix: anything that `Graph.of` accepts, or for a coloring of rows or columns, that `Pattern.of`
        accepts.
    coloring : Coloring, array of integers, shape (n,), or mapping from labels to colors
        A complete proper coloring, which is checked first. Gaps in the color numbers are closed.
    method : {"ejection", "iterated_greedy", "heuristics"}
        "ejection": vertices of the highest color take lower ones and eject neighbors (PartialCol in parallel rounds).
        It saves the most colors per second. Options: `passes`, `least`. "iterated_greedy": Culberson's method.
        Options: `rounds`, `order`. "heuristics": heuristics 1 and 2 of Alabandi and Burtscher,
        repeated until nothing changes.
    rng : int, numpy.random.Generator, or any other argument of `numpy.random.default_rng`, optional
        Draws a number that replaces `seed`.
    seed : int, None or "default", optional
        Seed of "ejection" and "iterated_greedy". None and "default" count as 0.
    time_limit : float, optional
        Seconds from the start of the call, including conversion and both checks. The time to load and compile code
        extends it. Default: `ejection` ends after its `passes`, `iterated_greedy` after its `rounds`.
    device : str, optional
        Where to compute; see `lagcolor.color`.
    threads : int, optional
        The largest number of CPU threads; see `lagcolor.color`.
    symmetrize : bool
        Use A ∪ Aᵀ if the input is not symmetric.
    verify : bool, optional
        Check the result. Default: for graphs of up to 10 M edges.
    trace : bool
        Keep one row of statistics per round.
    progress : callable, True or None
        See `lagcolor.color`.
    **options
        Options of the method.

    Returns
    -------
    Coloring
        A coloring with at most as many colors. ``notes`` has `colors_before` and `reduction_seconds`. If `coloring` is
        a Coloring, `seconds` and `order_seconds` include its times, and the result has its `lower_bound` if the graph
        is the same. Without `time_limit` the result is the same on every run and device. Ctrl-C ends the call early
        with the best coloring so far, and ``notes["interrupted"]`` says so.

    Raises
    ------
    ColoringError
        `coloring` is improper, incomplete or has the wrong length.
    OptionError
        The method or an option is unknown, or an option has a value that it does not accept. This is checked first.
    GraphError, FormatError, DeviceError
        See `lagcolor.color`.

    See Also
    --------
    color : Color a graph; its parameter `quality` includes such methods.
    balance : Make the sizes of the color classes equal.

    Examples
    --------
    The coloring may come from any tool, if it is proper:

    >>> G = lagcolor.generate.queen(8)
    >>> result = lagcolor.color(G, quality="fast")
    >>> result.n_colors, lagcolor.reduce(G, result).n_colors
    (15, 10)
    >>> lagcolor.reduce(G, range(64)).n_colors  # from a color for each vertex
    10
    """
    compiled, begun = compiling.seconds(), clock()
    method, row, options = _method(method, options)
    if (drawn := names.resolve(names.seed_of(seed, rng), None)) is not None:
        if not row.seeded:
            raise OptionError(f"{method} makes no random choices: leave seed and rng out")
        options["seed"] = drawn
    if threads is not None and row.threaded:
        options["threads"] = threads
    limit = number("time_limit", time_limit, of="seconds", none=True)
    problem = PROBLEMS[made_for(coloring)]
    notes, rules = getattr(coloring, "notes", {}), getattr(coloring, "rules", None)
    made = {"problem": problem.name, "uncolored": notes.get("uncolored") or None, "rules": rules}
    refuse("reduce", Call({name: value for name, value in made.items() if value is not None}, problem.name))
    verify = names.flag("verify", verify, none=True)
    G, log, until = graph_of(x, device, symmetrize, problem.name), Log(trace), None if limit is None else begun + limit
    checked = is_checked(verify, G)
    with dev.using(G.indices):
        if G.on_gpu:
            with compiling.clocked():
                _warm_up(method, G.device, G.indptr.dtype.char)
        passed, now = compiling.stopwatch(), clock()
        start = dense(G, coloring)
        seconds = passed()  # the estimate of the last check
        H = pairs(problem.structure(G))
        deadline = None if until is None else until - (RESERVE * seconds if checked else 0.0)
        if deadline is not None and method == "iterated_greedy":
            options["expected"] = PASS * seconds
        if until is None or until == math.inf:
            log.stage = stage("reducing", unit="rounds")
        else:
            log.stage = stage("reducing", max(until - now, 0.0), SECONDS)
        with Clock(G) as watch:
            out = _run(H, start, row, deadline, log, options)
        result = Coloring(
            out, G, method, "given", options.get("seed"), max(log.rounds, 1), convert_seconds=G.convert_seconds,
            trace=log.rows, notes={"colors_before": extremes.largest(start) + 1, **log.notes}, problem=problem.name,
        )  # fmt: skip
        if isinstance(coloring, Coloring):  # the result has its algorithm, order, times and bound, too
            result.algorithm, result.order = f"{coloring.algorithm} + {result.algorithm}", coloring.order
            result.seed, result.order_seconds = coloring.seed, coloring.order_seconds
            if coloring.lower_bound > result.lower_bound and _same(result.graph, coloring.graph):
                result.lower_bound, result._certificate = coloring.lower_bound, coloring._certificate
        finished(result, watch, compiled, checked)
    result.notes["reduction_seconds"] = result.seconds
    if isinstance(coloring, Coloring):
        result.seconds += coloring.seconds
    return result


def _method(name: str, options: dict[str, Any]) -> tuple[str, Method, dict[str, Any]]:
    """The name and the row of a method, and its checked options."""
    found = names.known(name, METHODS)
    if found is None:
        raise OptionError(names.unknown("method", name, METHODS))
    row = METHODS[found]
    chosen = names.Owner("reduce", found, row.options, KEYWORDS, ELSEWHERE).spelled(options)
    return found, row, {option: row.options[option].check(f"{option} of {found}", x) for option, x in chosen.items()}


def dense(G: Pattern, colors: Any, done: str = "reduced") -> Any:
    """Check colors, and convert them to int32 without gaps on the device of the graph; `done`: the next step."""
    if isinstance(colors, Mapping):
        colors = PROBLEMS[DISTANCE1].by_label(G, colors)
    report, array = check(G, colors, errors="return"), getattr(colors, "colors", colors)
    array = dev.to_device(array if (found := as_array(array)) is None else found, G.device)
    with dev.using(G.indices):
        large = bool(report.out_of_range) and int(array.min()) >= 0  # a gap before colors from n on
    if large:
        report = replace(report, out_of_range=[])
    faults = [f for f in report.problems() if not f.startswith("colors are not 0")]
    if faults:
        raise ColoringError(
            f"only a proper coloring can be {done}, and this one is not: {'; '.join(faults)}; "
            "lagcolor.color makes a proper one"
        )
    with dev.using(G.indices):
        if large or report.gaps:
            _, array = G.xp.unique(array, return_inverse=True)
        return G.xp.ascontiguousarray(array, dtype=np.int32)


def _same(G: Pattern, H: Pattern) -> bool:
    """Whether two patterns have the same entries; a bound of one is else no bound of the other."""
    if G is H:
        return True
    if (G.shape, G.m) != (H.shape, H.m):
        return False
    H = H.on(G.device)
    return bool(G.xp.array_equal(G.indptr, H.indptr)) and bool(G.xp.array_equal(G.indices, H.indices))


def _run(G: Graph, colors: Any, row: Method, deadline: float | None, log: Log, options: dict[str, Any]) -> Any:
    # With more colors than any first-fit coloring has, first-fit is the fastest reduction.
    first = ALGORITHMS["first_fit"]
    if G.n and extremes.largest(colors) >= PROBLEMS[first.problem].upper_bound(G):
        colors = first.run(G, Priorities.of(G, -colors), Log())
    return row.run(G, colors, deadline=deadline, log=log, **options)


@functools.cache
def _warm_up(method: str, device: str, offsets: str) -> None:
    """Reduce small graphs, so that the reported seconds do not include the loading of CuPy's kernels.

    Ctrl-C ends the call, because there is no result yet.
    """
    limits = {"iterated_greedy": {"rounds": 1}, "ejection": {"least": 3}}.get(method, {})
    ids = np.arange(70, dtype=np.int32)  # more than 64 colors, to compile the loops for many colors
    for spec in ("path:70", "clique:70") if method != "ejection" else ("path:70",):
        small, log = small_graph(spec, device, offsets), Log()
        METHODS[method].run(small, small.xp.asarray(ids), log=log, **limits)
        if log.notes.get("interrupted"):
            raise KeyboardInterrupt
    dense(small, ids)
