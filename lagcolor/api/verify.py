"""verify(x, colors): a coloring checked by the verifier of its problem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..core.errors import OptionError
from ..core.options import flag, number
from ..problems import DEFAULT, named
from ..rules import Given
from ..rules.reading import attribute

if TYPE_CHECKING:
    from ..problems.distance1 import Report
    from ..problems.report import Findings


def verify(
    x: Any, colors: Any, *, allow_uncolored: bool = False, errors: str = "raise", problem: str | None = None,
    k: int | None = None, fixed: Any = None, forbidden: Any = None, allowed: Any = None, max_colors: int | None = None,
    capacity: Any = None, weights: Any = None, distances: Any = None, balance: float | None = None,
    equitable: bool = False, memory: int | str | None = None,
) -> Report | Findings:  # fmt: skip
    """Check a coloring, on the device of the graph.

    Parameters
    ----------
    x : Graph or anything that `Graph.of` takes; of problems that are not symmetric, that `Pattern.of` takes
    colors : array of integers, shape (n,), a `Coloring`, or mapping from labels to colors
        0…k−1, −1 or not in the mapping: uncolored. Labels are numbers where the vertices have none. A Coloring is
        checked by the rules that it was made with, unless others are given.
    allow_uncolored : bool
        Accept −1.
    errors : {"raise", "return"}
    problem : str, optional
        A name in `lagcolor.problems.PROBLEMS`; default: that of the Coloring, "distance1" for an array.
    k : int, optional
        The distance, for ``problem="distance"``.
    fixed, forbidden, allowed, max_colors, capacity, weights, distances : optional
        Rules that the coloring is to keep, as for `lagcolor.color`. They are checked on the CPU.
    balance : float, optional
        The largest class is to be at most this times the smallest, or at most 1 larger; weights count. With rules
        classes are the colors in use.
    equitable : bool
        No two classes are to differ by more than one vertex; with `max_colors` there are so many classes, or n.
    memory : int or str, optional
        Bytes, or text such as "500MB": `x` is the path of a folder, whose arrays are memory maps. No more is allocated;
        a check takes a byte per vertex, and up to 52 where colors are not int32. For distance 1 without rules.

    Returns
    -------
    Report; of other problems than distance 1, Findings

    Raises
    ------
    ColoringError
        With ``errors="raise"``, when a vertex, edge or rule is at fault; always, when the array does not fit the graph.
    OptionError
        Unknown problem, `errors` is neither of the two, a rule that is malformed, or a ratio under 1.

    Examples
    --------
    >>> square = [0, 1, 2, 3], [1, 2, 3, 0]
    >>> lagcolor.verify(square, [0, 1, 0, 1]).n_colors
    2
    >>> lagcolor.verify(square, [0, 1, 1, 0])
    Traceback (most recent call last):
    lagcolor.core.errors.ColoringError: 2 conflicting edges, the first (0, 3): both have color 0
    >>> lagcolor.verify(square, [0, 1, 1, 0], errors="return").n_conflicts
    2
    """
    ratio, even = number("balance", balance, 1.0, none=True), flag("equitable", equitable)
    distances = distances if distances is None else attribute(x, distances)
    row = named(getattr(colors, "problem", DEFAULT) if problem is None else problem, k)
    given = Given(fixed, forbidden, max_colors, capacity, weights, allowed, distances)
    if memory is not None:
        for name in (*given.names, *(["balance"] if ratio is not None else []), *(["equitable"] if even else [])):
            raise OptionError(f"{name} is for graphs in memory: leave {name} out, or leave memory out")
        if row.name != DEFAULT:
            raise OptionError(f"memory is for problem={DEFAULT!r}: leave it out, and the graph is read into memory")
        from ..scale.disk import check

        return check.verify(x, colors, memory=memory, allow_uncolored=allow_uncolored, errors=errors)
    if isinstance(colors, Mapping):
        x = row.canonical(x)
        colors = row.by_label(x, colors)
    rules = getattr(colors, "rules", None)
    if given.names or rules is not None:
        x = row.canonical(x)
        rules = row.rules(x, given) or rules
    if ratio is None and not even:
        return row.verify(x, colors, allow_uncolored=allow_uncolored, errors=errors, rules=rules)
    from ..problems.balance import settled

    report = row.verify(x, colors, allow_uncolored=allow_uncolored, errors=errors, rules=rules)
    return settled(report, colors, ratio, even, rules, allow_uncolored, errors)
