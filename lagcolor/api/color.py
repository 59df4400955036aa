"""color(x): the data flow of the whole library, in the order to read the code in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from semirings.runtime import compile_clock

from ..core.options import DEFAULT_SEED, Seed, flag, seed_of
from ..core.result import Coloring, fewest
from ..problems import DEFAULT
from ..progress import listened
from ..rules.reading import attribute
from ..run.request import Request, several
from ..run.session import Session, share


@listened
def color(
    x: Any,
    algorithm: str = "auto",
    order: Any = None,
    seed: Seed = DEFAULT_SEED,
    *,
    rng: Any = None,
    n: int | None = None,
    problem: str = DEFAULT,
    quality: str | None = None,
    time_limit: float | None = None,
    device: str | Sequence[str] | None = None,
    symmetrize: bool = False,
    verify: bool | None = None,
    trace: bool = False,
    fixed: Any = None,
    forbidden: Any = None,
    allowed: Any = None,
    max_colors: int | None = None,
    capacity: Any = None,
    weights: Any = None,
    distances: Any = None,
    partial: str | None = None,
    balance: bool | float = False,
    equitable: bool = False,
    memory: int | str | None = None,
    progress: Any = None,
    **options: Any,
) -> Coloring:
    """Color the vertices of a graph so that no edge joins two vertices of one color, or as another problem asks.

    Parameters
    ----------
    x : Graph or anything that `Graph.of` takes; for problems that are not symmetric, anything that `Pattern.of` takes
        scipy or cupyx sparse matrix, NetworkX or igraph graph, list of pairs, DataFrame, edge index, path, generator …
    algorithm : str
        A name in `lagcolor.ALGORITHMS`, or in ``lagcolor.core.registry.TABLES[problem]``; "auto" takes what `quality`
        needs. A name of NetworkX's strategies stands for that order, or DSATUR.
    order : str, array of shape (n,), mapping, callable, or tuple of str, optional
        A name in `lagcolor.ORDERS` or of NetworkX's strategies, or your own priorities: the larger is colored earlier.
        A mapping has them by label (by number, where vertices have no labels), a callable gives that of a label. Of
        several names each is tried, and the first with the fewest colors kept. Default: what the algorithm's registry
        row says.
    seed : int, None or "default", optional
        A number breaks ties of the order by a hash of it and the vertex id, None by vertex id, the smaller first.
        "default" takes the seed of the algorithm's registry row. Random choices other than ties take None as 0.
    rng : numpy.random.Generator, or what `numpy.random.default_rng` takes, optional
        Draws a number that takes the place of `seed`. The same numbers drawn, the same colors.
    n : int, optional
        Number of vertices of edges between numbers, of which the last may have no edge; as of `Graph.of`.
    problem : str
        A name in `lagcolor.problems.PROBLEMS`. Rules are of what it colors: for "edges" of edges, which mappings name
        by pairs of ends.
    quality : {"fast", "balanced", "best"}, optional
        For "auto". Default: "balanced", and "fast" where an algorithm, an order or rules are named, for several GPUs
        and for `memory`.
        "fast": one pass of `first_fit` (where CuPy is of ROCm `elementwise_min_color`, which has its colors, too).
        "balanced": that, tests for graphs of two colors, structured meshes and chordal graphs, and attempts at fewer
        colors, limited by counts of work; for problems other than distance1 several orders.
        Both give the same colors on every run and device, but for acyclic colorings of more than 2²⁰ entries on a GPU.
        A CPU colors a copy of small inputs on a GPU; for star and acyclic problems ``notes["on_cpu"]`` says why.
        "best": that, and then goes on until `time_limit`, or until no coloring can be better (`lower_bound` of the
        result), and returns the best so far, also on Ctrl-C. How many colors it finds depends on the machine.
        ``notes["tried"]`` of the result lists the attempts. With rules all attempts keep them; but for `max_colors`
        alone, both start from first-fit with these. ``notes["quality"]`` says where the graph of the conflicting pairs
        is too large for any attempt.
    time_limit : float, optional
        Seconds for "best", default 1, and for ``algorithm="exact"``, from the call on: conversion, order and check
        included. Loading and compiling code extends the limit by the time that it takes, which is `compile_seconds` of
        the result. The first coloring and its check are made whatever the limit; several orders share it. Not counted:
        `balance` and `equitable`, which follow.
    device : str or list of str, optional
        "cpu", "cuda", "cuda:1"; default: where `x` lives. Several GPUs of one host, ``"cuda:*"`` for all or a list of
        names, color one graph by `first_fit`, each the rows of a range of ids: the colors of "fast", which are then on
        the device where `x` lives. Pass what `lagcolor.scale.gpus.distribute` gives to leave the parts where they are.
    symmetrize : bool
        Color the graph of A ∪ Aᵀ where the input is not symmetric, instead of raising.
    verify : bool, optional
        Check the result with the independent verifier, outside the timing. Default: for graphs
        of up to 10 M edges.
    trace : bool
        Keep one row of statistics per round.
    fixed : array of integers, shape (n,), Coloring, or mapping from vertices to colors, optional
        Colors that vertices must have; −1, or not in the mapping: free. Vertices of a mapping are labels of the graph,
        or numbers where it has none.
    forbidden : sparse or dense boolean matrix, shape (n, k), or mapping from vertices to lists of colors, optional
        Colors that vertices may not have.
    allowed : like `forbidden`, optional
        Lists of the colors that vertices may have. The number of colors is `max_colors`; where every vertex has a list,
        it follows from the lists. A vertex without a list may have any color.
    max_colors : int, optional
        Only colors 0 … max_colors − 1. Where first-fit finds none for a vertex, other orders, DSATUR and a local search
        are tried, with an effort that ends; ``notes["tried"]`` of the result lists them.
    capacity : number, or array of shape (k,), optional
        The most that the vertices of a color may weigh together; an array has one per color, and there are k colors.
    weights : array of numbers, shape (n,), or mapping from vertices to numbers, optional
        Of the vertices; default: 1 each. With ``partial="lightest"`` the cost of leaving each without a color.
    distances : sparse or dense matrix, shape (n, n), mapping from pairs of vertices to numbers, or str, optional
        Of edges, whole numbers from 1 on: colors are frequencies, and those of neighbors differ by that at least, by 1
        where none is given. A matrix is symmetric, or has one triangle; a mapping has each edge once or twice. A str is
        the name of an edge attribute of a NetworkX graph. `n_colors` is the span, which the qualities make small. Goes
        with `fixed`, `forbidden`, `allowed` and `max_colors`; on a GPU a CPU colors a copy.
    partial : {"fewest", "lightest"}, optional
        Color as many vertices as possible with `max_colors` colors, and leave the fewest, or those of the least total
        cost, without a color: −1, and in `uncolored` of the result. Fixed vertices keep their color. Swaps are limited
        by counts of entries, more for "balanced" than for "fast", and for "best" by `time_limit`.
        ``notes["partial"]`` has the cost, a lower bound of the number or cost left out, and whether that proves the
        result to be the best.
    balance : bool or float
        Then move vertices between colors, as `lagcolor.balance` does, until the largest class is at most this times the
        smallest (True: 1.05), or at most 1 larger. Fixed vertices stay, weights count, no class gets over its capacity.
        Where this is not reached and no quality is named, the colors of "fast" are balanced, which may be more.
        ``notes["balance"]`` of the result says what was reached, and its ``"quality"`` that these colors were taken.
    equitable : bool
        The same until no two classes differ by more than one vertex; with `max_colors` there are so many classes, or n.
        Where these are more than the largest degree, and no vertex is fixed or has forbidden colors, it is always
        reached, if perhaps slowly (Kierstead, Kostochka, Mydlarz, Szemerédi 2010); ``notes["balance"]`` says whether it
        was.
    memory : int or str, optional
        Bytes, or text such as "4GB": `x` is the path of a folder (see `lagcolor.io.write`), whose arrays are memory
        maps. No more memory than that is allocated, on the CPU or the GPU that `device` says. Files that the system
        keeps in memory meanwhile do not count. The colors are those of "fast". For `first_fit` at
        distance 1 in orders that follow from ids and degrees, or an array; ``order="natural"`` is the quickest.
    progress : callable, True or None
        Gets a `lagcolor.progress.Progress` (stage, how much of it is done, seconds left) at the beginning of each stage
        and about ten times a second; True shows a line on a terminal. An exception that it raises ends the call;
        KeyboardInterrupt as Ctrl-C does, with the best so far where there is one.
    **options
        Options of the algorithm, as its registry row lists them.

    Returns
    -------
    Coloring
        The first call that needs code compiles or loads it. The time that this takes is in `compile_seconds` and in no
        other time of the result.

    Raises
    ------
    GraphError
        The input is no undirected graph; the message names the first offender and the remedy.
    FormatError, OSError
        A file is malformed, or cannot be opened.
    OptionError
        Unknown problem, algorithm, order or option; an order or seed for an algorithm that reads none.
    ColoringError
        Rules contradict each other, or no coloring was found that keeps them: `reason` of the error says which,
        `partial` has the best partial coloring, and `clique` the vertices of a clique that needs more colors.
    DeviceError
        A GPU was asked for and there is none.

    Warns
    -----
    NumberingWarning
        The vertices of edges seem to count from 1.
    RoundsWarning
        On a CPU only: the algorithm passes over the graph in each round, and would need very many rounds on this one.
    CacheWarning
        Compiled code can be kept nowhere; once a process.

    Examples
    --------
    A matrix, whose diagonal does not count:

    >>> import scipy.sparse as sp
    >>> A = sp.diags_array([1.0, 2.0, 1.0], offsets=[-1, 0, 1], shape=(1000, 1000))
    >>> result = lagcolor.color(A, order="natural")
    >>> result
    <Coloring: 2 colors for 1,000 vertices and 999 edges, first_fit (natural, seed 0) on cpu, ...>
    >>> result.colors[:4]
    array([0, 1, 0, 1], dtype=int32)

    Columns of a matrix that share no row, with a rule:

    >>> lagcolor.color(A, problem="columns", fixed={0: 2}).column_colors[:4]
    array([2, 0, 1, 2], dtype=int32)

    Many colorings of one graph convert it once:

    >>> G = lagcolor.Graph.of(A)
    >>> [lagcolor.color(G, order="random", seed=seed).n_colors for seed in range(3)]
    [3, 3, 3]
    """
    compiled = compile_clock.seconds()
    parameters = {
        "problem": problem, "algorithm": algorithm, "order": order, "seed": seed_of(seed, rng), "quality": quality,
        "time_limit": time_limit, "n": n, "device": device, "symmetrize": symmetrize, "fixed": fixed,
        "forbidden": forbidden, "allowed": allowed, "max_colors": max_colors, "capacity": capacity,
        "weights": weights, "distances": distances if distances is None else attribute(x, distances),
        "partial": partial, "balance": balance, "equitable": equitable,
    }  # fmt: skip
    if memory is not None:
        from ..scale.disk import coloring

        return coloring.color(x, parameters, options, memory=memory, verify=verify, trace=trace)
    verify = flag("verify", verify, none=True)
    if several(order):
        return _fewest(x, parameters, options, verify, trace)
    return Session(Request.of(parameters, options), trace).color(x, verify, compiled)


def _fewest(x: Any, parameters: dict[str, Any], options: dict[str, Any], verify: bool | None, trace: bool) -> Coloring:
    """Of several orders the first coloring with the fewest colors; the input is converted once."""
    orders = parameters["order"]
    first = Request.of({**parameters, "order": orders[0]}, options)
    G, found = Session(first).input(x), []
    once = {**parameters, "device": None, "symmetrize": False, "n": None}
    for i, order in enumerate(orders):
        limit = share(first, len(orders) - i)
        found.append(color(G, **{**once, "order": order, "time_limit": limit}, verify=verify, trace=trace, **options))
    return fewest(found)
