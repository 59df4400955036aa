"""count_colorings(x): how many colorings keep rules, up to a limit; whether there is just one."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from .. import device as dev
from ..core.errors import ColoringError, OptionError
from ..core.options import number, whole
from ..engines.lists import FOUND, NONE_EXISTS
from ..problems import DEFAULT, input_of, named
from ..rules import Given
from ..runtime.compile_clock import clock

PAIRS = 1 << 26  # of vertices and colors


@dataclass(frozen=True, eq=False)
class ColoringCount:
    """The result of `count_colorings`.

    Attributes
    ----------
    count : int
        Number of colorings found, at most the limit.
    complete : bool
        Whether there are no others. False if the limit or the time ended the search.
    colorings : list of arrays of int32, shape (n,)
        The colorings, on the device of the input. A color may be unused.

    Examples
    --------
    >>> import lagcolor
    >>> lagcolor.count_colorings(lagcolor.generate.path(3), max_colors=2, fixed={0: 1}).unique
    True
    """

    count: int
    complete: bool
    colorings: list[Any]

    @property
    def unique(self) -> bool:
        """Whether there is exactly one coloring."""
        return self.count == 1 and self.complete


def count_colorings(
    x: Any, *, limit: int = 2, time_limit: float | None = None, problem: str = DEFAULT, symmetrize: bool = False,
    fixed: Any = None, forbidden: Any = None, allowed: Any = None, max_colors: int | None = None, capacity: Any = None,
    weights: Any = None,
) -> ColoringCount:  # fmt: skip
    """Count the colorings that keep rules, up to a limit.

    With the default limit of 2 the result says whether a coloring is unique. Colorings that differ only in the names of
    colors count as different. The search uses clause learning and runs on the CPU, on one thread. It takes about 100
    bytes per pair of a vertex and a color, and refuses more than 2²⁶ pairs.

    Parameters
    ----------
    x : Graph or graph-like
        The graph or matrix: anything that `Graph.of` accepts, or for problems that are not symmetric, that `Pattern.of`
        accepts.
    limit : int, default: 2
        The number of colorings after which the search ends.
    time_limit : float, optional
        Seconds. The time to load and compile code extends it. Preparing the search is always completed, and takes
        seconds if the number of vertices times `max_colors` is over 10⁷. Default: no limit.
    problem : str, default: "distance1"
        "distance1", "distance2", "columns" or "rows".
    symmetrize : bool
        Use A ∪ Aᵀ if the input is not symmetric.
    fixed, forbidden, allowed, max_colors, capacity, weights : optional
        Rules; see `lagcolor.color`. They must limit the number of colors: `max_colors`, `allowed` with a list for each
        vertex, or `capacity` with an entry for each color.

    Returns
    -------
    ColoringCount
        The number of colorings, the colorings, and whether there are others.

    Raises
    ------
    OptionError
        A rule is malformed, the number of colors is unlimited or too large, or the problem supports no rules.
    MemoryError
        The number of pairs that constrain each other is too large.

    See Also
    --------
    color : Find one coloring that keeps rules.

    Examples
    --------
    >>> import lagcolor
    >>> lagcolor.count_colorings(lagcolor.generate.cycle(5), max_colors=3, limit=100).count
    30
    """
    row, most = named(problem), whole("limit", limit, 1)
    seconds = number("time_limit", time_limit, of="seconds", none=True, over=True)
    if not row.keeps_rules:
        raise OptionError(f"count_colorings is for problems whose constraints are pairs, and {problem!r} has others")
    until = math.inf if seconds is None else clock() + seconds
    G = input_of(row, x, symmetrize)
    given = Given(fixed, forbidden, max_colors, capacity, weights, allowed)
    rules = row.rules(G, given)
    if rules is None or rules.max_colors is None:
        raise OptionError(
            "count_colorings: the number of colors is open: pass max_colors, or allowed with a list for every vertex"
        )
    from ..rules.attempts import MOST, exhaustive
    from ..rules.contradictions import check

    try:
        check(rules, G, row)
    except ColoringError:
        return ColoringCount(0, True, [])
    vertices, k = row.size(G), rules.max_colors
    if max(vertices, 1) * k > PAIRS:
        raise OptionError(
            f"count_colorings: {vertices:,} vertices times {k:,} colors are over {PAIRS:,} pairs, and each takes "
            "about 100 bytes: pass a smaller max_colors, or fewer vertices"
        )
    if (graph := row.structure(G).on("cpu").conflict_graph(MOST)) is None:
        raise MemoryError("count_colorings: the pairs that constrain each other are too many")
    search, found = exhaustive(graph, rules.on("cpu"), k), list[Any]()
    while (outcome := search.run(until)) == FOUND:
        colors = dev.to_device(search.colors.copy(), G.device)
        report: Any = replace(row.verify(G, colors, errors="return", rules=rules), gaps=0)
        if faults := report.problems():
            raise ColoringError("not a coloring that keeps its rules: " + "; ".join(faults))
        found.append(colors)
        if len(found) == most or clock() > until:
            break
        search.exclude()
    return ColoringCount(len(found), outcome == NONE_EXISTS, found)
