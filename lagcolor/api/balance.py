"""balance(x, coloring): move vertices between classes until the classes have nearly one size; and `equitable`."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..base import compile_clock as compiling
from ..base import device as dev
from ..base.device import limited
from ..base.errors import ColoringError, OptionError
from ..base.log import Log, listened, stage
from ..base.options import DEFAULT_SEED, Owner, Seed, flag, known, number, seed_of, stream, whole
from ..engines.balance.even import RATIO, Evenness, allowed_by, even_classes
from ..engines.balance.scheduled import even_out
from ..graph.nets import pairs
from ..graph.pattern import Pattern
from ..problems import DEFAULT, PROBLEMS, named
from ..problems.registry import TABLES
from ..problems.rules import RuleArguments, Rules
from .color import color
from .reduce import dense
from .request import ELSEWHERE, KEYWORDS, Call, refuse
from .result import Coloring
from .session import Clock, finished, graph_of, is_checked, made_for
from .warm_up import small_graph

BALANCING = ("balancing", None, "rounds")  # stage, total, unit


@listened
@limited
def balance(
    x: Any,
    coloring: Any,
    *,
    ratio: float = RATIO,
    rng: Any = None,
    seed: Seed = DEFAULT_SEED,
    fixed: Any = None,
    forbidden: Any = None,
    weights: Any = None,
    device: str | None = None,
    threads: int | None = None,
    symmetrize: bool = False,
    verify: bool | None = None,
    trace: bool = False,
    progress: Any = None,
) -> Coloring:
    """Move vertices between the classes of a proper coloring until the classes have nearly the same size.

    Rounds of single moves come first, then swaps of two colors. The call ends when the ratio is reached or no move
    helps.

    Parameters
    ----------
    x : Graph or graph-like
        The graph or matrix: anything that `Graph.of` accepts, or for a coloring of rows or columns, that `Pattern.of`
        accepts.
    coloring : Coloring, array of integers, shape (n,), or mapping from labels to colors
        A complete proper coloring, which is checked first. Without rules, gaps in the color numbers are closed. With
        rules, unused colors stay unused, and no vertex moves to a higher color if it can have a lower unused one. A
        Coloring keeps its own rules unless the call gives others.
    ratio : float, default: 1.05
        The target: the largest class is at most this times the smallest, or at most 1 larger. At least 1.
    rng : int, numpy.random.Generator, or any other argument of `numpy.random.default_rng`, optional
        Draws a number that replaces `seed`.
    seed : int, None or "default", optional
        Seed of the hashes that select the vertices to move. None and "default" count as 0.
    fixed : array of integers, Coloring or mapping, optional
        Vertices with a fixed color do not move; see `lagcolor.color`.
    forbidden : matrix of bool or mapping, optional
        Colors that vertices must not have; see `lagcolor.color`.
    weights : array of numbers or mapping, optional
        Balance the total weight of the classes instead of their sizes. Weights that are not whole numbers from 1 on are
        rounded down to multiples of 2⁻⁴⁰ of their sum.
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
        See `lagcolor.color`; the stage "balancing" counts rounds.

    Returns
    -------
    Coloring
        A coloring with the same number of colors, the same on every run and device. ``notes["balance"]`` has the ratio
        `before` and `after`, and whether the target was `reached`. Some graphs do not allow it: a connected bipartite
        graph has only one coloring with two colors, up to their names. The largest class never grows, and the smallest
        never shrinks. If `coloring` is a Coloring, `seconds` and `order_seconds` include its times.

    Raises
    ------
    ColoringError
        `coloring` is improper, incomplete or has the wrong length.
    OptionError
        The ratio is under 1 or the seed is not valid; or the constraints of the problem are not pairs (star,
        acyclic), or the graph of the conflicting pairs is too large.
    GraphError, FormatError, DeviceError
        See `lagcolor.color`.

    See Also
    --------
    equitable : Color with classes that differ by at most one vertex.
    color : Color a graph; its parameter `balance` does both in one call.

    References
    ----------
    Lu, Halappanavar, Chavarría-Miranda, Gebremedhin, Kalyanaraman 2015, "Balanced coloring for parallel computing
    applications".

    Examples
    --------
    >>> G = lagcolor.generate.rgg(12)
    >>> result = lagcolor.color(G)
    >>> even = lagcolor.balance(G, result)
    >>> even.n_colors == result.n_colors, bool(max(even.class_sizes) <= 1.05 * min(even.class_sizes))
    (True, True)
    """
    compiled = compiling.seconds()
    ratio, seed = number("ratio", ratio, 1.0), stream(seed_of(seed, rng))
    problem = PROBLEMS[made_for(coloring)]
    refuse("balance", Call({"problem": problem.name}, problem.name))
    verify = flag("verify", verify, none=True)
    G = graph_of(x, device, symmetrize, problem.name)
    log, wanted = Log(trace), Evenness(ratio)
    with dev.using(G.indices):
        rules = problem.rules(G, RuleArguments(fixed, forbidden, weights=weights)) or getattr(coloring, "rules", None)
        start = dense(G, coloring, "balanced") if rules is None else _ruled(G, coloring, rules)
        H = problem.structure(G)
        if G.on_gpu:
            _warm_up(G.device, G.indptr.dtype.char)
        allowed, log.stage = allowed_by(rules, G.device), stage(*BALANCING)
        with Clock(G) as watch:
            out = even_classes(H, start, wanted, log, seed=seed, allowed=allowed)
        more: dict[str, Any] = {"trace": log.rows, "notes": log.notes, "rules": rules, "problem": problem.name}
        result = Coloring(out, G, "balance", "given", seed, max(log.rounds, 1), **more)
        result.convert_seconds = G.convert_seconds
        finished(result, watch, compiled, is_checked(verify, G))
    result.notes["balance"]["seconds"] = result.seconds
    if isinstance(coloring, Coloring):
        result.algorithm, result.order = f"{coloring.algorithm} + balance", coloring.order
        result.seed, result.order_seconds = coloring.seed, coloring.order_seconds
        result.seconds += coloring.seconds
    return result


@limited
def equitable(x: Any, max_colors: int | None = None, *, threads: int | None = None, **more: Any) -> Coloring:
    """Color with `max_colors` colors so that no two classes differ by more than one vertex.

    Parameters
    ----------
    x : Graph or graph-like
        The graph or matrix: anything that `Graph.of` accepts, or for problems that are not symmetric, that `Pattern.of`
        accepts.
    max_colors : int, optional
        The number of classes. If it exceeds n, some are empty. Default: Δ + 1, where Δ is the largest degree.
    threads : int, optional
        The largest number of CPU threads; see `lagcolor.color`.
    **more
        Parameters of `lagcolor.color`.

    Returns
    -------
    Coloring
        An equitable coloring.

    Raises
    ------
    ColoringError
        No equitable coloring was found. This can only happen for ``max_colors ≤ Δ``. If a coloring was found that is
        not equitable, `partial` of the error has it.
    OptionError, GraphError, FormatError, DeviceError
        See `lagcolor.color`.

    See Also
    --------
    balance : Make the classes of a given coloring nearly equal.
    color : Color a graph.

    References
    ----------
    Kierstead, Kostochka, Mydlarz, Szemerédi 2010, "A fast algorithm for equitable coloring".

    Examples
    --------
    >>> sorted(lagcolor.equitable(lagcolor.generate.grid2d(10), 3).class_sizes.tolist())
    [33, 33, 34]
    """
    options = {option for table in TABLES.values() for row in table.values() for option in row.options}
    unknown = {name: value for name, value in more.items() if name not in KEYWORDS and known(name, options) is None}
    Owner("equitable", "", (), [name for name in KEYWORDS if name != "equitable"], ELSEWHERE).spelled(unknown)
    if "equitable" in more:
        raise OptionError("the classes of lagcolor.equitable are always equitable: leave the parameter equitable out")
    problem = named(more.get("problem", DEFAULT), more.get("distance"))
    G = graph_of(x, None, more.get("symmetrize", False), problem.name)
    n = problem.size(G)
    k = whole("max_colors", max_colors, 1 if n else 0, none=True)
    degree = pairs(problem.structure(G)).max_degree if problem.keeps_rules else 0  # else `color` refuses
    k = degree + (n > 0) if k is None else k
    result = color(G, max_colors=k, equitable=True, threads=threads, **more)
    if not result.notes["balance"]["reached"]:
        e = ColoringError(
            f"no equitable coloring with {k} colors was found: classes differ by "
            f"{result.notes['balance']['difference']}, in `partial` of this error; with max_colors ≥ Δ + 1 = "
            f"{degree + 1} there always is one"
        )
        e.partial, e.reason = result.colors, "none was found within the effort; whether there is one is unknown"
        if result.notes["balance"].get("none_exists"):
            e.reason = "an exhaustive search found that none is equitable"
        raise e
    return result


def _ruled(G: Pattern, colors: Any, rules: Rules) -> Any:
    """Check that colors are proper, complete and keep the rules; return them as int32 on the device of the graph."""
    problem = PROBLEMS[made_for(colors)]
    if rules.capacity is not None:
        refuse("balance", Call({"capacity": rules.capacity}))
    colors = getattr(colors, "colors", colors)
    problem.verify(G, colors, rules=rules)
    return G.xp.ascontiguousarray(dev.to_device(colors, G.device), dtype=np.int32)


@functools.cache
def _warm_up(device: str, offsets: str) -> None:
    """Balance a small graph, so that the reported seconds do not include the loading of CuPy's kernels."""
    small, ids = small_graph("path:70", device, offsets), np.arange(70)
    colors = np.where(ids % 2, 1, 2 * (ids % 4 == 0)).astype(np.int32)
    even_out(small, small.xp.asarray(colors), 4)
