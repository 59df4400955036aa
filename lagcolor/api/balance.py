"""balance(x, colors): classes of nearly one size, with the same number of colors."""

from __future__ import annotations

from typing import Any

import numpy as np

from semirings.runtime import compile_clock as compiling

from .. import device as dev
from ..core.errors import ColoringError
from ..core.graph import Graph
from ..core.nets import pairs
from ..core.options import number, whole
from ..core.options import seed as whole_seed
from ..core.pattern import Pattern
from ..core.result import Coloring, Log
from ..engines.balance.even import RATIO, Evenness, allowed_by, even_classes
from ..engines.balance.rounds import even_out
from ..problems import DEFAULT, PROBLEMS, named
from ..progress import listened, stage
from ..rules import Given, Rules
from ..run.request import Call, given, refuse
from ..run.session import Work, finish, graph_of, made_for
from .color import color
from .reduce import dense

BALANCING = ("balancing", None, "rounds")  # a stage
_WARM: set[tuple[Any, ...]] = set()


@listened
def balance(
    x: Any,
    colors: Any,
    ratio: float = RATIO,
    *,
    seed: int = 0,
    fixed: Any = None,
    forbidden: Any = None,
    weights: Any = None,
    device: str | None = None,
    symmetrize: bool = False,
    verify: bool | None = None,
    trace: bool = False,
    progress: Any = None,
) -> Coloring:
    """Move vertices between the classes of a proper coloring until these are of nearly one size.

    Rounds of single moves come first, then ways through several classes and swaps of two colors, until the ratio is
    reached or nothing helps.

    Parameters
    ----------
    x : Graph or anything that `Graph.of` takes; of colorings of rows and columns, that `Pattern.of` takes
    colors : Coloring, array of integers, shape (n,), or mapping from labels to colors
        A complete proper coloring. It is checked first. Colors that no vertex has are closed up where there are no
        rules; else they stay unused, and no vertex moves up over one that it could take. A Coloring keeps the rules
        that it was made with, unless others are given.
    ratio : float
        The largest class is to be at most this times the smallest, or at most 1 larger; from 1 on.
    seed : int
        Of the hashes that say which vertices move.
    fixed, forbidden, weights : optional
        As for `lagcolor.color`: vertices with a fixed color stay, none takes a forbidden one, and classes are to be of
        one weight. Weights that are no whole numbers from 1 on count in parts of 2⁻⁴⁰ of their sum, rounded down.
    device, symmetrize, verify, trace
        As for `lagcolor.color`.
    progress : callable, True or None
        As for `lagcolor.color`; the stage "balancing" counts rounds.

    Returns
    -------
    Coloring
        With as many colors, the same on every run and device. ``notes["balance"]`` has the ratio `before` and `after`
        and whether it was `reached`, which no coloring may allow: two classes on the two sides of a connected bipartite
        graph are what they are. The largest class is never larger than before, nor the smallest smaller. Where a
        Coloring was given, `seconds` and `order_seconds` are those of both together.

    Raises
    ------
    ColoringError
        `colors` is improper, incomplete or of another length.
    OptionError
        A ratio under 1, or a seed that is none; a coloring whose constraints are not pairs (star, acyclic, both), or
        the graph of its pairs is too large.
    GraphError, FormatError, DeviceError
        As for `lagcolor.color`.

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
    ratio, seed = number("ratio", ratio, 1.0), whole_seed(seed)
    problem = PROBLEMS[made_for(colors)]
    apart = getattr(getattr(colors, "rules", None), "distances", None)
    refuse(Call("balance", given=given({"problem": problem.name, "distances": apart})))
    G = graph_of(x, device, symmetrize, problem.name)
    log, wanted = Log(trace), Evenness(ratio)

    def begin() -> Work:
        rules = problem.rules(G, Given(fixed, forbidden, weights=weights)) or getattr(colors, "rules", None)
        start = dense(G, colors, "balanced") if rules is None else _ruled(G, colors, rules)
        H = problem.structure(G)
        if G.on_gpu:
            _warm_up(G)
        allowed, log.stage = allowed_by(rules, G.device), stage(*BALANCING)

        def result(out: Any) -> Coloring:
            rounds = max(log.rounds, 1)
            more: dict[str, Any] = {"trace": log.rows, "notes": log.notes, "rules": rules, "problem": problem.name}
            made = Coloring(out, G, "balance", "given", seed, rounds, **more)
            made.convert_seconds = G.convert_seconds
            if isinstance(colors, Coloring):
                made.algorithm, made.order = f"{colors.algorithm} + balance", colors.order
                made.seed, made.order_seconds = colors.seed, colors.order_seconds
            return made

        return Work(G, lambda: even_classes(H, start, wanted, log, seed=seed, allowed=allowed), result)

    result = finish(G, begin, verify, compiled)
    result.notes["balance"]["seconds"] = result.seconds
    if isinstance(colors, Coloring):
        result.seconds += colors.seconds
    return result


def equitable(x: Any, k: int | None = None, **more: Any) -> Coloring:
    """Color with k colors so that no two classes differ by more than one vertex.

    Parameters
    ----------
    x : Graph or anything that `Graph.of` takes
    k : int, optional
        Number of colors, some of them unused where it is over n; default: Δ + 1, of the largest degree Δ.
    **more
        As for `lagcolor.color`.

    Returns
    -------
    Coloring

    Raises
    ------
    ColoringError
        None was found, which may be for ``k ≤ Δ`` alone. Where a coloring with k colors was found that is not
        equitable, `partial` of the error has it.
    OptionError, GraphError, FormatError, DeviceError
        As for `lagcolor.color`.

    References
    ----------
    Kierstead, Kostochka, Mydlarz, Szemerédi 2010, "A fast algorithm for equitable coloring".

    Examples
    --------
    >>> sorted(lagcolor.equitable(lagcolor.generate.grid2d(10), 3).class_sizes.tolist())
    [33, 33, 34]
    """
    problem = named(more.get("problem", DEFAULT))
    G = graph_of(x, None, more.get("symmetrize", False), problem.name)
    n = problem.size(G)
    k = whole("k", k, 1 if n else 0, of="colors", none=True)
    degree = pairs(problem.structure(G)).max_degree if problem.keeps_rules else 0  # else `color` refuses
    k = degree + (n > 0) if k is None else k
    result = color(G, max_colors=k, equitable=True, **more)
    if not result.notes["balance"]["reached"]:
        e = ColoringError(
            f"no equitable coloring with {k} colors was found: classes differ by "
            f"{result.notes['balance']['difference']}, in `partial` of this error; with k ≥ Δ + 1 = {degree + 1} "
            "there always is one"
        )
        e.partial, e.reason = result.colors, "none was found within the effort; whether there is one is unknown"
        if result.notes["balance"].get("none_exists"):
            e.reason = "an exhaustive search found that none is equitable"
        raise e
    return result


def _ruled(G: Pattern, colors: Any, rules: Rules) -> Any:
    """Colors as int32 on the graph's device, of a coloring that is proper, complete and keeps these rules."""
    problem = PROBLEMS[made_for(colors)]
    refuse(Call("balance", given=given({"capacity": rules.capacity})))
    colors = getattr(colors, "colors", colors)
    problem.verify(G, colors, rules=rules)
    return G.xp.ascontiguousarray(dev.to_device(colors, G.device), dtype=np.int32)


def _warm_up(G: Graph) -> None:
    """Balance a small graph first, so that loading CuPy's kernels is not in the reported seconds."""
    key = (G.device, G.indptr.dtype.char)
    if key in _WARM:
        return
    n = 70
    ids = np.arange(n)
    rows, columns = np.nonzero(abs(ids[:, None] - ids) == 1)
    indptr = np.searchsorted(rows, np.arange(n + 1)).astype(G.indptr.dtype)
    small = Graph(indptr, columns.astype(np.int32)).on(G.device)
    colors = np.where(ids % 2, 1, 2 * (ids % 4 == 0)).astype(np.int32)
    even_out(small, small.xp.asarray(colors), 4)
    _WARM.add(key)
