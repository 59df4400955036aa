"""reduce(x, colors): fewer colors from any proper coloring."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from semirings import compiling

from . import device as dev
from . import names
from .engines.recolor.classes import ORDERS, iterated_greedy
from .engines.recolor.ejections import ejection
from .engines.recolor.exchange import heuristics
from .errors import ColoringError, OptionError
from .graph import Graph
from .options import SEEDS, choice, number, whole
from .orders import Priorities
from .problems import DEFAULT, PROBLEMS
from .problems import verify as check
from .registry import ALGORITHMS
from .result import Coloring, Log
from .timing import is_checked, timed

KEYWORDS = ("method", "device", "symmetrize", "verify", "trace")
MOST_PASSES = 1e9  # beyond is for ever


class Option(NamedTuple):
    """What an option means, and ``check(name, value)``, which gives the value to use or raises an OptionError."""

    meaning: str
    check: Callable[[str, Any], Any]


@dataclass(frozen=True)
class Method:
    """One way to reduce: ``run(G, colors, log=…, **options)``, and its options."""

    run: Callable[..., Any]
    options: dict[str, Option]


_SEED = Option("a number; same seed, same colors", partial(whole, high=SEEDS))
_LIMIT = Option("seconds after which to end with the best so far", partial(number, of="seconds", none=True))
METHODS = {
    "heuristics": Method(heuristics, {}),
    "iterated_greedy": Method(
        iterated_greedy,
        {
            "rounds": Option(
                "passes; default 20, or as many as time_limit has room for", partial(whole, of="passes", none=True)
            ),
            "time_limit": _LIMIT,
            "order": Option(
                "of the classes: mix, reverse, largest, smallest, random", partial(choice, among=("mix", *ORDERS))
            ),
            "seed": _SEED,
            "threads": Option("CPU threads; default: one per core where that pays", partial(whole, low=1, none=True)),
        },
    ),
    "ejection": Method(
        ejection,
        {
            "passes": Option(
                "how long to try for a color: reads in times the graph's entries, default 4; None: for ever",
                partial(number, high=MOST_PASSES, none=True),
            ),
            "time_limit": _LIMIT,
            "least": Option("stop at this many colors", partial(whole, of="colors")),
            "seed": _SEED,
        },
    ),
}
_WARM: set[tuple[Any, ...]] = set()


def reduce(
    x: Any,
    colors: Any,
    *,
    method: str = "heuristics",
    device: str | None = None,
    symmetrize: bool = False,
    verify: bool | None = None,
    trace: bool = False,
    **options: Any,
) -> Coloring:
    """Lower the number of colors of a proper coloring, whatever made it.

    Parameters
    ----------
    x : Graph or anything that `Graph.of` takes
    colors : Coloring, array of integers, shape (n,), or mapping from labels to colors
        A complete proper coloring. It is checked first; colors that no vertex has are closed up.
    method : {"heuristics", "iterated_greedy", "ejection"}
        `heuristics`: heuristics 1 and 2 of Alabandi and Burtscher, to a fixed point.
        `iterated_greedy`: Culberson's; options `rounds`, `time_limit`, `order`, `seed`, `threads`.
        `ejection`: vertices of the highest color take lower ones and eject neighbours (PartialCol in parallel
        rounds); saves the most colors per second; options `passes`, `time_limit`, `least`, `seed`.
    device, symmetrize, verify, trace
        As for `lagcolor.color`.
    **options
        Options of the method.

    Returns
    -------
    Coloring
        With no more colors; ``notes`` has `colors_before` and `reduction_seconds`. Where a Coloring was given,
        `seconds` and `order_seconds` are those of both together, and its `lower_bound` stays if it is of this graph.
        Without `time_limit` the same on every run and device. Ctrl-C ends it early with the best so far, and
        ``notes["interrupted"]`` says so.

    Raises
    ------
    ColoringError
        `colors` is improper, incomplete or of another length.
    OptionError
        Unknown method or option, or a value that an option cannot take; before any work.
    GraphError, FormatError, DeviceError
        As for `lagcolor.color`.

    Examples
    --------
    Colors of any tool, if they are proper:

    >>> G = lagcolor.generate.queen(8)
    >>> result = lagcolor.color(G)
    >>> result.n_colors, lagcolor.reduce(G, result).n_colors
    (15, 12)
    >>> lagcolor.reduce(G, range(64)).n_colors  # from a color for each vertex
    11
    """
    method, row, options = _method(method, options)
    if (problem := getattr(colors, "problem", DEFAULT)) != DEFAULT:
        raise OptionError(
            f"reduce is for colorings of {DEFAULT}, and this one is of {problem}: pass other orders to color"
        )
    if getattr(colors, "rules", None) is not None:
        raise OptionError(
            "reduce keeps no rules, and this coloring was made with some: pass max_colors=k to color for fewer colors, "
            "or reduce(x, result.colors) to drop the rules"
        )
    G = x if isinstance(x, Graph) else Graph.of(x, symmetrize=symmetrize)
    if device is not None:
        G = G.on(device)
    with dev.using(G.indices):
        return _reduce(G, colors, method, row, verify, Log(trace), options)


def _method(name: str, options: dict[str, Any]) -> tuple[str, Method, dict[str, Any]]:
    """The name and the row of a method, and its options checked."""
    found = names.known(name, METHODS)
    if found is None:
        raise OptionError(names.unknown("method", name, METHODS))
    row = METHODS[found]
    given = names.spelled(found, row.options, options, KEYWORDS)
    return found, row, {option: row.options[option].check(f"{option} of {found}", x) for option, x in given.items()}


def dense(G: Graph, colors: Any, done: str = "reduced") -> Any:
    """Checked colors as int32 on the graph's device, 0…k−1 all in use; `done`: what is to be done to them.

    Raises
    ------
    ColoringError
        The coloring is improper or incomplete, or does not fit the graph.
    """
    if isinstance(colors, Mapping):
        colors = PROBLEMS[DEFAULT].by_label(G, colors)
    report = check(G, colors, errors="return")
    faults = [f for f in report.problems() if not f.startswith("colors are not 0")]
    if faults:
        raise ColoringError(
            f"only a proper coloring can be {done}, and this one is not: {'; '.join(faults)}; "
            "lagcolor.color makes a proper one"
        )
    colors = dev.to_device(getattr(colors, "colors", colors), G.device)
    with dev.using(G.indices):
        if report.gaps:
            _, colors = G.xp.unique(colors, return_inverse=True)
        return G.xp.ascontiguousarray(colors, dtype=np.int32)


def _reduce(
    G: Graph, colors: Any, method: str, row: Method, verify: bool | None, log: Log, options: dict[str, Any]
) -> Coloring:
    """`reduce` with the graph's device as the current one."""
    compiled = compiling.seconds()
    start = dense(G, colors)
    if G.on_gpu:
        _warm_up(G, method, row)
    begun = time.perf_counter()
    out, seconds = timed(G, lambda: _run(G, start, row, begun, log, options))
    notes = {"colors_before": _count(start), "reduction_seconds": seconds, **log.notes}
    result = Coloring(
        out, G, method, "given", options.get("seed"), max(log.rounds, 1), seconds,
        convert_seconds=G.convert_seconds, trace=log.rows, notes=notes,
    )  # fmt: skip
    if isinstance(colors, Coloring):
        result.algorithm, result.order, result.seed = f"{colors.algorithm} + {method}", colors.order, colors.seed
        result.seconds, result.order_seconds = seconds + colors.seconds, colors.order_seconds
        if colors.lower_bound > result.lower_bound and _same(G, colors.graph):
            result.lower_bound = colors.lower_bound
    if is_checked(verify, G):
        result.verify()
    result.compile_seconds = compiling.seconds() - compiled
    return result


def _same(G: Graph, H: Graph) -> bool:
    """Whether they have the same edges: a coloring may be of a graph with more of them, whose bounds are others."""
    if G is H:
        return True
    if (G.n, G.m) != (H.n, H.m):
        return False
    H = H.on(G.device)
    return bool(G.xp.array_equal(G.indptr, H.indptr)) and bool(G.xp.array_equal(G.indices, H.indices))


def _count(colors: Any) -> int:
    return int(colors.max()) + 1 if len(colors) else 0


def _run(G: Graph, colors: Any, row: Method, begun: float, log: Log, options: dict[str, Any]) -> Any:
    options = dict(options)
    limit = options.pop("time_limit", None)
    if limit is not None:
        options["deadline"] = begun + limit
    # More than any greedy coloring has: first-fit brings it there at once.
    first = ALGORITHMS["first_fit"]
    if G.n and int(colors.max()) >= PROBLEMS[first.problem].upper_bound(G):
        colors = first.run(G, Priorities.of(G, -colors), Log())
    return row.run(G, colors, log=log, **options)


def _warm_up(G: Graph, method: str, row: Method) -> None:
    """Reduce a small graph first, so that compiling or loading the code is not in the reported seconds.

    Ctrl-C ends all here: there is no best so far.
    """
    key = (method, G.device, G.indptr.dtype.char)
    if key in _WARM:
        return
    limits = {"iterated_greedy": {"rounds": 1}, "ejection": {"least": 3}}.get(method, {})
    n = 70  # colors enough for the loops for many colors too
    ids = np.arange(n, dtype=np.int32)
    for near in (1, n) if method != "ejection" else (1,):  # a path, a clique
        rows, columns = np.nonzero((abs(ids[:, None] - ids) <= near) & (ids[:, None] != ids))
        indptr = np.searchsorted(rows, np.arange(n + 1)).astype(G.indptr.dtype)
        small = Graph(indptr, columns.astype(np.int32)).on(G.device)
        log = Log()
        row.run(small, small.xp.asarray(ids), log=log, **limits)
        if log.notes.get("interrupted"):
            raise KeyboardInterrupt
    _WARM.add(key)
