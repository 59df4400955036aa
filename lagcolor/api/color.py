"""color(x): the data flow of the whole library, in the order to read the code in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..base.device import limited
from ..base.log import listened
from ..base.options import DEFAULT_SEED, Seed, seed_of
from ..problems import DEFAULT
from . import place
from .request import Request, several
from .result import Coloring, fewest
from .session import Session, share


@listened
@limited
def color(
    x: Any,
    algorithm: str = "auto",
    order: Any = None,
    *,
    quality: str | None = None,
    time_limit: float | None = None,
    problem: str = DEFAULT,
    max_colors: int | None = None,
    rng: Any = None,
    device: str | Sequence[str] | None = None,
    verify: bool | None = None,
    distance: int | None = None,
    n: int | None = None,
    symmetrize: bool = False,
    fixed: Any = None,
    forbidden: Any = None,
    allowed: Any = None,
    capacity: Any = None,
    weights: Any = None,
    partial: str | None = None,
    balance: bool | float = False,
    equitable: bool = False,
    seed: Seed = DEFAULT_SEED,
    memory: int | str | None = None,
    threads: int | None = None,
    trace: bool = False,
    progress: Any = None,
    **options: Any,
) -> Coloring:
    """Color the vertices of a graph so that no edge joins two vertices of one color.

    >>> lagcolor.color([("a", "b"), ("b", "c")]).to_dict()
    {'a': 0, 'b': 1, 'c': 0}

    Other problems color rows, columns or edges, or set stronger conditions. The parameters are in four groups:

    - most calls: `algorithm`, `order`, `quality`, `time_limit`, `problem`, `max_colors`, `rng`, `device`, `verify`;
    - input: `distance`, `n`, `symmetrize`;
    - rules: `fixed`, `forbidden`, `allowed`, `capacity`, `weights`, `partial`, `balance`, `equitable`;
    - run: `seed`, `memory`, `threads`, `trace`, `progress`, and options of the algorithm by name.

    Parameters
    ----------
    x : Graph or graph-like
        The graph or matrix: anything that `Graph.of` accepts, such as a sparse matrix, a NetworkX, igraph or rustworkx
        graph, an array or table of edges, or a file name. If `problem` is not symmetric ("rows", "columns" …), anything
        that `Pattern.of` accepts.
    algorithm : str, default: "auto"
        A name in `lagcolor.ALGORITHMS`, or for another problem one that ``lagcolor list algorithms --problem NAME``
        prints. "auto" follows `quality`. The name of a NetworkX strategy selects the corresponding order, or DSATUR.
    order : str, array of shape (n,), mapping, callable, or tuple of str, optional
        A name in `lagcolor.ORDERS` or of a NetworkX strategy, or your own priorities. Vertices with larger priorities
        are colored earlier. A mapping gives priorities by label, or by number if vertices have no labels. A callable
        returns the priority of a label. With a tuple of names every order is tried, and the first coloring with
        the fewest colors is returned. Default: `order` of ``lagcolor.ALGORITHMS[algorithm]``.
    quality : {"fast", "balanced", "best"}, optional
        The effort of ``algorithm="auto"``. Default: "balanced"; "best" with `time_limit`; "fast" if the call names an
        algorithm, an order or rules, uses several GPUs, or sets `memory`.

        - "fast": one pass of `first_fit`. On ROCm it is `elementwise_min_color`, which gives the same colors.
        - "balanced": "fast", then tests for bipartite graphs, structured meshes and chordal graphs, and attempts with
          fewer colors that are limited by counts of work. Problems other than "distance1" try several orders.
        - "best": "balanced", then a search until `time_limit`, or until `lower_bound` of the result proves that no
          coloring has fewer colors. It returns the best coloring so far, also after Ctrl-C. The number of colors
          depends on the speed of the machine.

        "fast" and "balanced" give the same colors on every run and device, except for acyclic colorings of more than
        2²⁰ entries on a GPU, and if memory is short. A CPU colors a copy of a small input on a GPU; ``notes["on_cpu"]``
        gives the reason. ``notes["tried"]`` lists the attempts. All attempts keep the rules.
        With rules, "balanced" and "best" start from first-fit with the rules; if `max_colors` is the only one, they run
        as without rules. ``notes["quality"]`` says if the graph of the conflicting pairs is too large for any attempt.
    time_limit : float, optional
        Seconds for "best", default 1, and for ``algorithm="exact"``. Without `algorithm` and `quality` it selects
        "best". The limit counts from the start of the call and includes conversion, order and check. The time to load
        and compile code, `compile_seconds` of the result, extends it. The first coloring and its check are always
        completed. Several orders share the limit. With `balance` or `equitable` the search ends after 7/8 of it, and
        balancing has the rest.
    problem : str, default: "distance1"
        A name in `lagcolor.problems.PROBLEMS`, or "distance3", "distance4" … for vertices within three, four … edges.
        Rules refer to whatever is colored: for "edges" they refer to edges, which mappings name by pairs of ends.
    max_colors : int, optional
        Use only the colors 0 … max_colors − 1. If first-fit finds no color for a vertex, other orders, DSATUR and a
        local search are tried with limited effort; ``notes["tried"]`` lists them.
    rng : int, numpy.random.Generator, or any other argument of `numpy.random.default_rng`, optional
        Source of random choices (SPEC 7): it draws a number that is used as `seed`. The same number gives the same
        colors. Default: `seed`, so that equal calls give equal colors.
    device : str or list of str, optional
        "cpu", "cuda", "cuda:1" …; default: the device of `x`. With several GPUs of one host, ``"cuda:*"`` for all or a
        list of names, `first_fit` colors one graph, and each GPU owns a range of rows. The colors equal the result of
        "fast" and are returned on the device of `x`. Pass the result of `lagcolor.scale.gpus.distribute` to keep the
        parts on the GPUs.
    verify : bool, optional
        Check the result with the independent verifier, outside the timing. Default: for graphs of up to 10 M edges.

    Returns
    -------
    Coloring
        The colors (int32, on the device of `x`), their number, a lower bound, times and notes. The first call that
        needs code compiles or loads it. `compile_seconds` has the time that this takes; the other times do not include
        it.

    Other Parameters
    ----------------
    distance : int, optional
        The distance for ``problem="distance"``: ``distance=3`` means "distance3".
    n : int, optional
        The number of vertices, for edges given by numbers. It is needed if the last vertices have no edges; see
        `Graph.of`.
    symmetrize : bool
        Color the graph of A ∪ Aᵀ if the input is not symmetric, instead of raising an error.
    fixed : array of integers, shape (n,), Coloring, or mapping from vertices to colors, optional
        Colors that vertices must have. Vertices with −1, or not in the mapping, are free. A mapping has labels as keys,
        or numbers if the graph has no labels.
    forbidden : sparse or dense matrix of bool, shape (n, k), or mapping from vertices to lists of colors, optional
        Colors that vertices must not have.
    allowed : sparse or dense matrix of bool, shape (n, k), or mapping from vertices to lists of colors, optional
        Colors that vertices may have. A vertex without a list may have any color. The number of colors is `max_colors`;
        if every vertex has a list, it follows from the lists.
    capacity : number, or array of shape (k,), optional
        The largest total weight of the vertices of one color. An array gives one limit per color, and the number of
        colors is its length.
    weights : array of numbers, shape (n,), or mapping from vertices to numbers, optional
        Weights of the vertices, default 1. With ``partial="lightest"`` they are the cost of an uncolored vertex.
    partial : {"fewest", "lightest"}, optional
        Color as many vertices as possible with `max_colors` colors. Uncolored vertices have −1 and are listed in
        `uncolored` of the result: "fewest" minimizes their number, "lightest" their total cost. Fixed vertices keep
        their color. Swaps are limited by counts of entries, with a larger limit for "balanced" than for "fast", and by
        `time_limit` for "best". Without a proof that no coloring leaves out less, the search for a complete coloring
        also runs for "balanced", "best" and capacities, and the better coloring is returned. ``notes["partial"]`` has
        the cost, a lower bound, and whether the result is proven optimal.
    balance : bool or float
        After coloring, move vertices between colors as `lagcolor.balance` does, until the largest class is at most this
        ratio times the smallest (True: 1.05), or at most 1 larger. Fixed vertices stay, weights count, and no class
        exceeds its capacity. If this target is not reached and the call names no quality, one color is added. If it is
        still not reached, the colors of "fast" are balanced. ``notes["balance"]`` says what was reached; its key
        "added" or "quality" says that there are more colors.
    equitable : bool
        Balance until no two classes differ by more than one vertex. With `max_colors` there are max_colors classes, or
        n if that is less. If the number of classes exceeds the largest degree and no vertex is fixed or has forbidden
        colors, an equitable coloring is always found, but it may take long (Kierstead, Kostochka, Mydlarz, Szemerédi
        2010). ``notes["balance"]`` says whether it was found.
    seed : int, None or "default", optional
        Seed of the random choices, if `rng` is not passed. Ties of the order are broken by a hash of the seed and the
        vertex id. With None, the smaller vertex id comes first. "default" is `seed` of
        ``lagcolor.ALGORITHMS[algorithm]``. For other random choices, None counts as 0.
    memory : int or str, optional
        A limit in bytes, or text such as "4GB". `x` must be the path of a graph folder (see `lagcolor.io.write`), whose
        arrays are memory-mapped. The call allocates at most this much on the CPU, or on the GPU that `device` names.
        The operating system's file cache does not count. The colors equal the result of "fast". Only `first_fit` at
        distance 1 supports it, in orders that depend on ids and degrees, or an array; ``order="natural"`` is the
        fastest.
    threads : int, optional
        The largest number of CPU threads, for the input, the coloring and the check. Default: one per core, and fewer
        for small graphs. A named algorithm with parallel loops of its own starts this number of threads, also on a
        small graph. If there are fewer, ``notes["threads"]`` has their number. On a GPU it limits only CPU work.
    trace : bool
        Keep one row of statistics per round.
    progress : callable, True or None
        Receives a `lagcolor.base.progress.Progress` (stage, completed part, seconds left) at the start of each stage
        and about ten times a second. True shows a line on a terminal or in a notebook. An exception in the callable
        ends the call. KeyboardInterrupt has the same effect as Ctrl-C: the call returns the best coloring so far, if
        there is one.
    **options
        Options of the algorithm, listed in ``lagcolor.ALGORITHMS[algorithm].options``.

    Raises
    ------
    GraphError
        The input is not an undirected graph. The message names the first offending entry and the remedy.
    FormatError, OSError
        A file is malformed or cannot be opened.
    OptionError
        The problem, algorithm, order or an option is unknown, or the algorithm does not use an order or a seed.
    ColoringError
        The rules contradict each other, or no coloring that keeps them was found. `reason` of the error says which,
        `partial` is the best partial coloring, and `clique` has the vertices of a clique that needs more colors.
    DeviceError
        The call requests a GPU, and there is none.

    Warns
    -----
    NumberingWarning
        The vertices of edges seem to count from 1.
    CacheWarning
        Compiled code cannot be stored in the usual folder (once per process).

    See Also
    --------
    reduce : Lower the number of colors of a coloring.
    recolor : Update a coloring after the graph changed.
    balance : Make the sizes of the color classes equal.
    verify : Check a coloring.
    color_implicit : Color a graph whose edges a function computes.
    color_pairs : Color the contacts of a simulation.
    lagcolor.derivatives.jacobian : Compress a sparse Jacobian.

    Examples
    --------
    Color a matrix. Its diagonal does not count:

    >>> import scipy.sparse as sp
    >>> A = sp.diags_array([1.0, 2.0, 1.0], offsets=[-1, 0, 1], shape=(1000, 1000))
    >>> lagcolor.color(A, order="natural")
    <Coloring: 2 colors for 1,000 vertices and 999 edges, first_fit (natural, seed 0) on cpu, ...>

    Color the columns of a matrix so that columns of one color share no row, with one color fixed:

    >>> lagcolor.color(A, problem="columns", fixed={0: 2}).column_colors[:4]
    array([2, 0, 1, 2], dtype=int32)

    Convert a graph once to color it several times:

    >>> G = lagcolor.Graph.of(A)
    >>> [lagcolor.color(G, order="random", rng=seed).n_colors for seed in range(3)]
    [3, 3, 3]
    """
    request = Request(
        algorithm=algorithm, order=order, seed=seed if rng is None else seed_of(seed, rng), quality=quality,
        time_limit=time_limit, problem=problem, distance=distance, n=n, symmetrize=symmetrize, fixed=fixed,
        forbidden=forbidden, allowed=allowed, max_colors=max_colors, capacity=capacity, weights=weights,
        partial=partial, balance=balance, equitable=equitable, device=device, memory=memory, threads=threads,
        verify=verify, trace=trace, options=options,
    )  # fmt: skip
    if memory is not None:
        return place("folder").color(x, request)
    if several(order):
        return _fewest(x, request)
    return Session(request).color(x)


def _fewest(x: Any, request: Request) -> Coloring:
    """Of several orders the first coloring with the fewest colors; the input is converted once."""
    orders = request.order
    first, *_ = [request.again(order=order) for order in orders]  # all are refused before any work
    G, found = Session(first).input(x), []
    for i, order in enumerate(orders):
        limit = share(first, len(orders) - i)
        one = request.again(order=order, time_limit=limit, device=None, symmetrize=False, n=None)
        found.append(Session(one).color(G))
        if "interrupted" in found[-1].notes:
            break
    return fewest(found)
