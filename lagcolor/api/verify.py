"""verify(x, coloring): check a coloring with the verifier of its problem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..base.device import limited
from ..base.errors import OptionError
from ..base.options import flag, number
from ..problems import DEFAULT, named
from ..problems.rules import RuleArguments
from . import place

if TYPE_CHECKING:
    from ..problems.report import Report


@limited
def verify(
    x: Any, coloring: Any, *, allow_uncolored: bool = False, errors: str = "raise", problem: str | None = None,
    distance: int | None = None, fixed: Any = None, forbidden: Any = None, allowed: Any = None,
    max_colors: int | None = None, capacity: Any = None, weights: Any = None, balance: float | None = None,
    equitable: bool = False, memory: int | str | None = None, threads: int | None = None,
) -> Report:  # fmt: skip
    """Check a coloring, on the device of the graph.

    Parameters
    ----------
    x : Graph or graph-like
        The graph or matrix: anything that `Graph.of` accepts, or for problems that are not symmetric, that `Pattern.of`
        accepts.
    coloring : Coloring, array of integers, shape (n,), or mapping from labels to colors
        The colors 0…k−1. Rules may cause gaps; other gaps are refused. Vertices with −1, or not in the mapping, are
        uncolored. Labels are numbers if the vertices have none. A Coloring is checked against its own rules, unless the
        call gives others.
    allow_uncolored : bool
        Accept −1.
    errors : {"raise", "return"}
        Raise an error for a wrong coloring, or return the report.
    problem : str, optional
        A name in `lagcolor.problems.PROBLEMS`. Default: the problem of the Coloring; "distance1" for an array.
    distance : int, optional
        The distance for ``problem="distance"``.
    fixed, forbidden, allowed, max_colors, capacity, weights : optional
        Rules that the coloring must keep; see `lagcolor.color`. They are checked on the CPU.
    balance : float, optional
        The largest class must be at most this times the smallest, or at most 1 larger; weights count. With rules, the
        classes are the colors in use.
    equitable : bool
        No two classes may differ by more than one vertex. With `max_colors` there are max_colors classes, or n if that
        is less.
    memory : int or str, optional
        A limit in bytes, or text such as "500MB". `x` must be the path of a graph folder, whose arrays are
        memory-mapped. The check takes one byte per vertex, and up to 52 if the colors are not int32. Only for distance
        1 without rules.
    threads : int, optional
        The largest number of CPU threads; see `lagcolor.color`.

    Returns
    -------
    Report
        The findings of the check.

    Raises
    ------
    ColoringError
        With ``errors="raise"``, a vertex, edge or rule is violated. Always raised if the array does not fit the graph.
    OptionError
        The problem or the value of `errors` is unknown, a rule is malformed, or the ratio is under 1.

    See Also
    --------
    color : Color a graph; its parameter `verify` checks the result.

    Examples
    --------
    >>> square = [0, 1, 2, 3], [1, 2, 3, 0]
    >>> lagcolor.verify(square, [0, 1, 0, 1]).n_colors
    2
    >>> lagcolor.verify(square, [0, 1, 1, 0])
    Traceback (most recent call last):
    lagcolor.ColoringError: not a valid coloring: 2 conflicting edges, the first (0, 3): both have color 0
    >>> lagcolor.verify(square, [0, 1, 1, 0], errors="return").n_conflicts
    2
    """
    ratio, even = number("balance", balance, 1.0, none=True), flag("equitable", equitable)
    allow_uncolored = flag("allow_uncolored", allow_uncolored)
    row = named(getattr(coloring, "problem", DEFAULT) if problem is None else problem, distance)
    wanted = RuleArguments(fixed, forbidden, max_colors, capacity, weights, allowed)
    if memory is not None:
        for name in (*wanted.names, *(["balance"] if ratio is not None else []), *(["equitable"] if even else [])):
            raise OptionError(f"{name} is for graphs in memory: leave {name} out, or leave memory out")
        if row.name != DEFAULT:
            raise OptionError(f"memory is for problem={DEFAULT!r}: leave it out, and the graph is read into memory")
        return place("folder check").verify(x, coloring, memory=memory, allow_uncolored=allow_uncolored, errors=errors)
    if isinstance(coloring, Mapping):
        x = row.canonical(x)
        coloring = row.by_label(x, coloring)
    rules = getattr(coloring, "rules", None)
    if wanted.names or rules is not None:
        x = row.canonical(x)
        rules = row.rules(x, wanted) or rules
    if ratio is None and not even:
        return row.verify(x, coloring, allow_uncolored=allow_uncolored, errors=errors, rules=rules)
    from ..problems.balance import check_sizes

    report = row.verify(x, coloring, allow_uncolored=allow_uncolored, errors=errors, rules=rules)
    return check_sizes(report, coloring, ratio, even, rules, allow_uncolored, errors)
