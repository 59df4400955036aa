"""`jacobian` and `hessian`: choose the products that a pattern needs, by a coloring of its columns, rows, or both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..api.color import color
from ..api.request import ELSEWHERE, EVEN, RULES, Call, refuse, several
from ..api.result import Coloring, fewest
from ..api.session import LEAST
from ..base import device as dev
from ..base.compile_clock import clock
from ..base.device import limited
from ..base.errors import GraphError, OptionError
from ..base.options import DEFAULT_SEED, Owner, canonical_name, choice, flag, known, number, seed_of, text
from ..graph.graph import Graph
from ..graph.pattern import Pattern
from ..problems import PROBLEMS
from ..problems.registry import TABLES
from ..search import DEFAULT_LIMIT, QUALITIES
from ..search.attempts import FEW, LESS_TIME
from ..search.two_colored import HOST, ORDERS
from .compression import Compression
from .neutral import postprocessed
from .own_colors import of_colors

PARTITIONS = ("columns", "rows", "both", "auto")
DECOMPRESSIONS = ("direct", "substitution")
BOTH = {"direct": "star_bicoloring", "substitution": "acyclic_bicoloring"}
SYMMETRIC = {"direct": "star", "substitution": "acyclic"}
ON_CPU = f"colored on the CPU, in a copy of the pattern: {LESS_TIME}"
LONGEST = {"columns": ", one for each entry of the longest row", "rows": ", one for each entry of the longest column"}
PASSED = ("algorithm", "seed", "rng", "quality", "time_limit", "device", "verify", "trace", "progress")  # to `color`
OWN = {
    "jacobian": ("partition", "decompression", "order", "postprocess", "coloring", "threads", *PASSED),
    "hessian": ("decompression", "order", "postprocess", "coloring", "threads", "symmetrize", *PASSED),
}
# Names that automatic differentiation and other libraries have.
OTHERS = {**ELSEWHERE, "mode": "partition", "colors": "coloring"}
PASSES = {"fwd": "columns", "forward": "columns", "rev": "rows", "reverse": "rows"}


@limited
def jacobian(
    pattern: Any,
    partition: str = "columns",
    decompression: str = "direct",
    *,
    order: Any = None,
    postprocess: bool = True,
    coloring: Any = None,
    threads: int | None = None,
    **options: Any,
) -> Compression:
    """Compress a Jacobian of a known sparsity pattern: find few products from which it is recovered.

    Parameters
    ----------
    pattern : Pattern or matrix-like
        The sparsity pattern, m × n: anything that `Pattern.of` accepts. Stored entries count.
    partition : {"columns", "rows", "both", "auto"}
        The kind of products: ``A @ s``, ``w @ A``, or some of each. "auto" uses the kind with the fewest products. If
        two kinds need the same number, columns come before rows and rows before both, because reverse passes cost more
        than forward passes. A kind is skipped if a bound shows that it cannot be better. ``notes["partitions"]`` of the
        coloring has the numbers of products of the kinds that were colored, ``notes["choice"]`` the reason.
    decompression : {"direct", "substitution"}
        For products of both kinds. "direct": each entry is one number of the products. "substitution": an entry is a
        difference of such numbers, which needs fewer products and causes more rounding. With one kind of products the
        decompression is always direct.
    order : str, array, or tuple of str, optional
        See `lagcolor.color`. With `order`, no other order is tried. For "auto", a name or a tuple of names.
    postprocess : bool
        Remove colors that no entry needs. This never adds products. With products of both kinds, the entries in rows
        and columns of such a color are recovered from other products. With one kind, a color is removed only if all of
        its columns or rows are empty; a pattern without entries needs no product.
    coloring : array of integers, Coloring, or pair of arrays, optional
        Your own coloring: of columns, shape (n,); of rows, shape (m,); or of both, the pair (row_colors,
        column_colors). It is checked and used unchanged, even if some colors are not needed (`postprocess` has no
        effect). Colors number the products, 0 … k − 1 without gaps; a row or column with −1 is in no product. It can be
        combined with `partition` and `decompression` only.
    threads : int, optional
        The largest number of CPU threads; see `lagcolor.color`.
    **options
        Parameters of `lagcolor.color`: `algorithm`, `seed`, `rng`, `quality`, `time_limit`, `device`, `verify`,
        `trace`, `progress`, and options of the algorithm. The default quality is "balanced", which tries several
        orders. Several partitions or orders share the time limit. Rules (`fixed`, `forbidden`, `max_colors`,
        `capacity`, `weights`, `balance`, `equitable`) are not supported, because products are numbered 0 … k − 1 and
        unneeded colors are removed. ``lagcolor.color(pattern, problem="columns", fixed=…)`` obeys rules.

    Returns
    -------
    Compression
        The seeds of the products, and the methods that recover the matrix.

    Raises
    ------
    GraphError, OptionError, DeviceError
        See `lagcolor.color`. Rules are not supported.
    ColoringError
        An entry is not recovered with `coloring`. The message names the first one.

    See Also
    --------
    hessian : Compress a Hessian.
    fd_jacobian : A sparse Jacobian by finite differences.
    lagcolor.derivatives.jax.jacobian : A sparse Jacobian of a JAX function.

    References
    ----------
    Curtis, Powell, Reid 1974 (columns); Coleman, Verma 1998, and Montoison, Dalle, Gebremedhin 2025 (both).

    Examples
    --------
    Here the products are products with a matrix. For a function, each is a directional derivative.

    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> J = sp.diags_array([1.0, -2.0, 1.0], offsets=[0, 1, 2], shape=(1000, 1002), format="csr")
    >>> C = lagcolor.derivatives.jacobian(J)
    >>> B = J @ C.seeds()
    >>> B.shape
    (1000, 3)
    >>> float(abs(C.decompress(B) - J).max())
    0.0
    """
    partition = choice("partition", partition, PARTITIONS, elsewhere=PASSES)
    decompression = choice("decompression", decompression, DECOMPRESSIONS)
    postprocess = flag("postprocess", postprocess)
    _check("jacobian", options)
    if partition == "auto" and not (order is None or isinstance(order, str) or several(order)):
        raise OptionError(
            'partition="auto" colors columns, rows and both, so it needs an order by name, or a tuple of names: '
            "to pass priorities, name the partition"
        )
    several(order)  # an empty tuple is refused
    P = Pattern.of(pattern)
    if isinstance(P, Graph):  # a Jacobian has no implied diagonal
        P = Pattern(P.indptr, P.indices, P.columns, P.labels, P.column_labels)
    if coloring is not None:
        _alone(order, options, partition)
        return of_colors(P, partition, BOTH[decompression] if partition == "both" else partition, coloring)

    def colored(name: str, options: dict[str, Any]) -> Coloring:
        problem = BOTH[decompression] if name == "both" else name
        more = {"postprocess": postprocess} if name == "both" else {}
        result = _colored("jacobian", P, problem, order, options, more)
        if not postprocess or name == "both" or not _has_empty(result.graph, name):
            return result
        return postprocessed(result.graph, result, options.get("verify"))

    there, P = P, _where_it_is_fast(P, order, options)
    if partition == "auto":
        partition, coloring = _fewest(P, colored, options)
    else:
        coloring = colored(partition, options)
    if P is not there:
        _moved(coloring, there, ON_CPU)
    return Compression(coloring.graph, partition, coloring)


@limited
def hessian(
    pattern: Any,
    decompression: str = "direct",
    *,
    order: Any = None,
    postprocess: bool = True,
    coloring: Any = None,
    threads: int | None = None,
    **options: Any,
) -> Compression:
    """Compress a Hessian of a known sparsity pattern: find few products from which it is recovered.

    Parameters
    ----------
    pattern : Pattern or matrix-like
        The sparsity pattern, n × n and symmetric: anything that `Pattern.of` accepts. It includes the diagonal entries
        that can be nonzero. Stored entries count.
    decompression : {"direct", "substitution"}
        "direct": each entry is one number of the products (star coloring). "substitution": an entry is a difference of
        such numbers, which needs fewer products and causes more rounding (acyclic coloring).
    order : str, array, or tuple of str, optional
        See `lagcolor.color`. With several orders, the first one with the fewest products is used.
    postprocess : bool
        Remove colors that no entry needs. This never adds products. The vertices of these colors become neutral (−1). A
        diagonal entry needs the color of its vertex, so a full diagonal keeps all colors.
    coloring : array of integers or Coloring, shape (n,), optional
        Your own coloring. It is checked and used unchanged, even if some colors are not needed (`postprocess` has no
        effect). Colors number the products, 0 … k − 1 without gaps; a column with −1 is in no product. It can be
        combined with `decompression` and `symmetrize` only.
    threads : int, optional
        The largest number of CPU threads; see `lagcolor.color`.
    **options
        See `jacobian`. `symmetrize` adds the mirror images of entries that have none.

    Returns
    -------
    Compression
        The seeds of the products, and the methods that recover the matrix.

    Raises
    ------
    GraphError
        The pattern is not square or not symmetric. The message names the first entry without a mirror image.
    OptionError, DeviceError
        See `lagcolor.color`. Rules are not supported.
    ColoringError
        An entry is not recovered with `coloring`.

    See Also
    --------
    jacobian : Compress a Jacobian.
    lagcolor.derivatives.jax.hessian : A sparse Hessian of a JAX function.

    References
    ----------
    Coleman, Moré 1984; Coleman, Cai 1986; Gebremedhin, Manne, Pothen 2005; Gebremedhin, Tarafdar, Manne, Pothen 2007;
    Montoison, Dalle, Gebremedhin 2025 (neutral colors).

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> H = sp.diags_array([1.0, 4.0, 1.0], offsets=[-1, 0, 1], shape=(1000, 1000), format="csr")
    >>> C = lagcolor.derivatives.hessian(H)
    >>> float(abs(C.decompress(H @ C.seeds()) - H).max())
    0.0
    """
    decompression = choice("decompression", decompression, DECOMPRESSIONS)
    postprocess = flag("postprocess", postprocess)
    _check("hessian", options)
    tries = several(order)
    symmetrize = flag("symmetrize", options.pop("symmetrize", False))
    P = Pattern.of(pattern)
    if P.rows != P.columns:
        raise GraphError(f"a Hessian is square, and this pattern has shape {P.shape}")
    if symmetrize:
        S = P.to_scipy()
        P = Pattern.of(S + S.T).on(P.device)
    if coloring is not None:
        _alone(order, options)
        return of_colors(P, "symmetric", SYMMETRIC[decompression], coloring)
    there, P = P, _where_it_is_fast(P, order, options)
    G, problem = Graph.of(P), SYMMETRIC[decompression]
    if not postprocess:
        coloring = _colored("hessian", G, problem, order, options)
    else:  # the best of several orders is known after removing colors; only that result is checked
        unchecked = options | {"verify": False}
        names, parts = (order if tries else (order,)), _divided(unchecked, len(order) if tries else 1)
        found = list[Coloring]()
        for name, part in zip(names, parts, strict=True):
            found.append(_colored("hessian", G, problem, name, part))
            if "interrupted" in found[-1].notes:
                break
        if _searched(order, options) and P.m - G.m < G.n and G.m <= HOST:
            # If some diagonal entries are zero, a coloring with more colors may need fewer products.
            found += _single(G, problem, found[0], unchecked)
        found = [postprocessed(P.on(one.device), one, options.get("verify")) for one in found]
        coloring = fewest(found) if len(found) > 1 else found[0]
    if P is not there:
        P = there
        _moved(coloring, P if isinstance(P, Graph) else coloring.graph.on(P.device), ON_CPU)
    return Compression(P.on(coloring.device), "symmetric", coloring)


def _has_empty(P: Pattern, partition: str) -> bool:
    """Whether a pattern has an empty column (or row), whose color no entry needs."""
    lines = P.T if partition == "columns" else P  # the coloring has computed the transpose
    if not P.m or not lines.rows:
        return True
    return bool((lines.degree_extremes.least if P.on_gpu else lines.degrees.min()) == 0)


def _fewest(
    P: Pattern, colored: Callable[[str, dict[str, Any]], Coloring], options: dict[str, Any]
) -> tuple[str, Coloring]:
    """Return the partition with the fewest products, the first of equal ones, and its coloring.

    A partition is skipped if it cannot have fewer products than an earlier one, and after Ctrl-C.
    """
    names = PARTITIONS[:3]
    found: dict[str, Coloring] = {}
    needed: dict[str, int] = {}
    for name, part in zip(names, _divided(options, len(names)), strict=True):
        least = PROBLEMS[BOTH["direct"] if name == "both" else name].lower_bound(P) if P.m else 0
        ended = any("interrupted" in result.notes for result in found.values())
        if ended or (found and least >= min(result.n_colors for result in found.values())):
            needed[name] = least
            continue
        found[name] = colored(name, part)
    name = min(found, key=lambda name: found[name].n_colors)
    counts, notes = {name: result.n_colors for name, result in found.items()}, found[name].notes
    others = [f"{other} {count:,}" for other, count in counts.items() if other != name]
    others += [f"{other} at least {count:,}" for other, count in needed.items()]
    longest = LONGEST[name] if name != "both" and counts[name] == PROBLEMS[name].lower_bound(P) else ""
    notes["partitions"], notes["choice"] = counts, f"{name}: {counts[name]:,} products{longest}; {', '.join(others)}"
    return name, found[name]


def _single(G: Graph, problem: str, best: Coloring, options: dict[str, Any]) -> list[Coloring]:
    """Color in single orders on the CPU, so that all devices give the same colors; move them to `best`'s device."""
    here = {name: x for name, x in options.items() if name not in ("quality", "time_limit")} | {"device": "cpu"}
    found = [_colored("hessian", G.on("cpu"), problem, name, here) for name, _ in ORDERS[problem]]
    for one in found:
        _moved(one, best.graph)
    return found


def _where_it_is_fast(P: Pattern, order: Any, options: dict[str, Any]) -> Pattern:
    """Return a copy on the CPU if P is small, on a GPU, and no option names a device or an algorithm; else P."""
    by_name = order is None or isinstance(order, str) or several(order)
    named = known(options.get("algorithm", "auto"), ["auto"]) is None or options.get("device") is not None
    return P._lent_to_cpu() if P.on_gpu and P.m <= FEW and by_name and not named else P


def _moved(coloring: Coloring, graph: Pattern, why: str = "") -> None:
    """Move the colors to the device of their graph or pattern; `why`: the reason for coloring on the CPU."""
    if why:
        coloring.notes.setdefault("on_cpu", why)
    coloring.colors, coloring.graph = dev.to_device(coloring.colors, graph.device), graph


def _searched(order: Any, options: dict[str, Any]) -> bool:
    """Whether the call tries several orders that it does not name."""
    named = order is not None or canonical_name(options.get("algorithm", "auto"), ["auto"]) != "auto"
    return not named and options.get("quality") != "fast"


def _divided(options: dict[str, Any], calls: int) -> Iterator[dict[str, Any]]:
    """Yield the options of each call, for calls that share a time limit."""
    begun, limit = clock(), options.get("time_limit")
    if options.get("quality") == "best" and limit is None:
        limit = DEFAULT_LIMIT
    for left in range(calls, 0, -1):
        yield options if limit is None else options | {"time_limit": max((begun + limit - clock()) / left, LEAST)}


def _check(function: str, options: dict[str, Any]) -> None:
    """Refuse options that `color` accepts only without products; remove options that request nothing."""
    # The options that differ from their defaults.
    found = {n: x for n, x in options.items() if n == "problem" or not (x is None or (n in EVEN and x is False))}
    refuse(function, Call(found))
    flag("verify", options.get("verify"), none=True)
    if "rng" in options:  # drawn once, for all colorings of a call
        options["seed"] = seed_of(options.get("seed", DEFAULT_SEED), options.pop("rng"))
    if "quality" in options:
        options["quality"] = choice("quality", options["quality"], QUALITIES, none=True)
    number("time_limit", options.get("time_limit"), of="seconds", none=True, over=True)
    for name in (*RULES, *EVEN):
        options.pop(name, None)


def _alone(order: Any, options: dict[str, Any], partition: str = "") -> None:
    """Refuse options that choose colors, if the caller passes the colors."""
    if partition == "auto":
        raise OptionError('partition="auto" chooses what is colored, and coloring= has colors of one kind: name it')
    others = [name for name, x in ({"order": order} | options).items() if x is not None]
    if others:
        raise OptionError(f"{others[0]} does not go with coloring=, which is used unchanged: leave one of the two out")


def _colored(
    function: str, P: Pattern, problem: str, order: Any, options: dict[str, Any], more: Mapping[str, Any] | None = None
) -> Coloring:
    """Color the pattern; on the CPU if the algorithm does not run on the pattern's device.

    `function` is the public function, called with `options`; `more` are further options of the algorithm.
    """
    algorithm = canonical_name(text("algorithm", options.get("algorithm", "auto")), ["auto"])
    row = TABLES[problem][PROBLEMS[problem].auto(P.on_gpu) if algorithm == "auto" else algorithm]
    others = {name: value for name, value in options.items() if name not in PASSED}
    whose = "" if algorithm == "auto" else row.name
    own = Owner(function, whose, row.options, OWN[function], OTHERS, listed=True).spelled(others)
    how = {name: options[name] for name in PASSED if name in options}
    how |= {**own, **(more or {}), "order": order, "problem": problem}
    if P.on_gpu and "cuda" not in row.engines and "device" not in options:
        result = color(P, **how | {"device": "cpu"})
        _moved(result, P)
        result.notes["device"] = f"{problem} was colored on the CPU: {row.name} does not run on a GPU"
        return result
    return color(P, **how)
