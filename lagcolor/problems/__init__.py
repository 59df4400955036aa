"""What a coloring must be: a row of `PROBLEMS` for each kind, and how it is checked.

A row names a module of this folder, or a class of it, with functions of the canonical input (`Graph` or `Pattern`),
from which nothing is imported before it is called:

- ``check(G, colors)`` shares no code with any algorithm; gives a `Report`;
- ``structure(G)``: what the algorithms take, such as `Nets`; distance 1 needs none, they take the graph itself;
- ``neighborhood(G, v)``, where the constraints are pairs: the vertices that constrain v, in plain NumPy, as defined;
- ``upper_bound(G)``, what first-fit never exceeds in any order; ``lower_bound(G)``, what every coloring has at least,
  as far as sizes alone say.
"""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..base import device as dev
from ..base.compile_clock import load
from ..base.errors import ColoringError, OptionError
from ..base.options import known, unknown, whole

if TYPE_CHECKING:
    from .report import Report
    from .rules import Given, Rules

__all__ = ["DEFAULT", "PROBLEMS", "Problem", "named"]


@dataclass(frozen=True)
class Problem:
    """One row of the table.

    Attributes
    ----------
    name : str
        What users write.
    meaning : str
        Who may not share a color, in a line.
    symmetric : bool
        Whether it is about a `Graph`; else about any `Pattern`.
    colored : tuple of {"vertices", "rows", "columns", "edges"}
        What gets colors, an array of the result for each.
    module : str
        A module of this folder, or a class of it: "two_hop.Rows".
    algorithms : tuple of str
        Modules of lagcolor that register its algorithms, if these are not searched for in all packages.
    default : str
        The algorithm that "auto" means.
    default_on_gpu : str
        The same for a graph on a GPU, where it is another one.
    conflicts : bool
        Its structure is a `Graph` whose edges are the pairs that may not share a color. Then the algorithms, qualities,
        rules and balance of distance 1 are its own.
    k : int, optional
        Of the class, where it serves many problems: the distance of "distance3" and so on.
    """

    name: str
    meaning: str
    symmetric: bool
    colored: tuple[str, ...]
    module: str
    algorithms: tuple[str, ...] = ()
    default: str = "first_fit"
    default_on_gpu: str = ""
    conflicts: bool = False
    k: int | None = None

    def auto(self, on_gpu: bool) -> str:
        """The algorithm of "auto" for a graph on a CPU or GPU."""
        return self.default_on_gpu or self.default if on_gpu else self.default

    @property
    def keeps_rules(self) -> bool:
        """Whether its constraints are pairs of vertices, which rules require."""
        return self.name in RULED or self.conflicts

    @property
    def is_graph(self) -> bool:
        """Whether its colorings are colorings of a graph, which have qualities and balance."""
        return self.name == DEFAULT or self.conflicts

    def size(self, G: Any) -> int:
        """The length of a coloring of a canonical graph or pattern: a color for each part of `colored`."""
        return sum(int(getattr(G, COUNTS[what])) for what in self.colored)

    def sizes(self, G: Any) -> dict[str, int]:
        """Numbers of colored and of constraining parts, by name."""
        if self.symmetric:
            return {"vertices": G.n, "edges": G.n_edges}
        return {"rows": G.rows, "columns": G.columns, "entries": G.m}

    def labels(self, G: Any) -> Any:
        """The labels of what is colored; None if these are 0, 1 …, or if both sides are colored."""
        if len(self.colored) > 1:
            return None
        if self.colored == ("edges",):
            return _functions(self.module, self.k).EdgeNames(G)
        return G.column_labels if self.colored == ("columns",) else G.labels

    def structure(self, G: Any) -> Any:
        """The structure that the algorithms take, for a canonical graph or pattern."""
        return G if self.name == DEFAULT else _functions(self.module, self.k).structure(G)

    def verify(
        self, x: Any, colors: Any, *, allow_uncolored: bool = False, errors: str = "raise", rules: Rules | None = None
    ) -> Report:
        """Check a coloring; see `lagcolor.verify`."""
        if type(errors) is not str or errors not in ("raise", "return"):
            raise OptionError(f"errors must be 'raise' or 'return', not {errors!r}")
        if self._is_of_others(colors):
            raise ColoringError(f"the coloring is of problem={colors.problem!r}, and {self._colors_others}")
        G = input_of(self, x)
        with dev.using(G.indices):
            report: Report = _functions(self.module, self.k).check(G, colors)
        if rules is None:
            return report.settled(allow_uncolored, errors)
        settled = load(".rules.check", __name__).settled
        checked: Report = settled(report, colors, rules, self.labels(G), allow_uncolored, errors)
        return checked

    def rules(self, G: Any, given: Given) -> Rules | None:
        """The rules of a call for a canonical graph or pattern, None without rules; see `Rules.of`."""
        from .rules import Rules

        if self._is_of_others(given.fixed):
            raise OptionError(f"fixed: the coloring is of problem={given.fixed.problem!r}, and {self._colors_others}")
        return Rules.of(given, self.size(G), self.labels(G), G.device) if given.names else None

    @property
    def _colors_others(self) -> str:
        return f"problem={self.name!r} colors {' and '.join(self.colored)}"

    def _is_of_others(self, colors: Any) -> bool:
        """Whether a Coloring is of edges, and this problem is not, or the other way round."""
        return hasattr(colors, "edge_colors") and (colors.edge_colors is None) == (self.colored == ("edges",))

    def by_label(self, G: Any, colors: Mapping[Any, Any]) -> Any:
        """Convert a mapping from labels to an array of colors.

        Parameters
        ----------
        G : Graph or Pattern
            The input, with its labels.
        colors : mapping
            Label → color.

        Returns
        -------
        array of int32
            The colors; −1 for labels that are not in the mapping.

        Raises
        ------
        ColoringError
            The mapping has an unknown vertex, or a color that is not a whole number from −1 on.
        """
        from .rules.reading import NamedVertices, by_name

        try:
            return by_name("colors", colors, NamedVertices(self.size(G), self.labels(G)))
        except OptionError as e:
            raise ColoringError(str(e)) from None

    def canonical(self, x: Any) -> Any:
        """Convert an input to a graph or a pattern."""
        return input_of(self, x)

    def neighborhood(self, G: Any, v: int) -> Any:
        """The vertices that constrain v, int32, in rising order."""
        return _functions(self.module, self.k).neighborhood(G, v)

    def upper_bound(self, G: Any) -> int:
        """Number of colors that first-fit never exceeds, in any order."""
        return _functions(self.module, self.k).upper_bound(G)

    def lower_bound(self, G: Any) -> int:
        """Number of colors that every coloring needs, from sizes alone."""
        return _functions(self.module, self.k).lower_bound(G)


@functools.cache
def _functions(module: str, k: int | None) -> Any:
    """What has the functions of a problem: its module, or an object of its class."""
    name, _, kind = module.partition(".")
    made = load(f".{name}", __name__)
    return getattr(made, kind)(*(() if k is None else (k,))) if kind else made


DEFAULT = "distance1"
COUNTS = {"vertices": "rows", "rows": "rows", "columns": "columns", "edges": "n_edges"}  # attributes of what is colored
_SUBMODULES = {"balance", "hessian"}  # with checks of their own, for users
RULED = ("distance1", "distance2", "columns", "rows", "edges")
_TWO_HOP = ("engines.two_hop.first_fit", "algorithms.exact")
_SYMMETRIC = ("engines.two_colored.symmetric",)
_BOTH = ("engines.two_colored.bicoloring", "engines.two_colored.partition")
_TABLE = (
    Problem("distance1", "two vertices that an edge joins", True, ("vertices",), "distance1"),
    Problem(
        "distance2", "two vertices at a distance of one or two", True, ("vertices",), "two_hop.Distance2", _TWO_HOP,
    ),
    Problem(
        "distance3", "two vertices within three edges; distance4 and so on alike", True,
        ("vertices",), "distance.Within", conflicts=True, k=3,
    ),
    Problem("columns", "two columns with an entry in the same row", False, ("columns",), "two_hop.Columns", _TWO_HOP),
    Problem("rows", "two rows with an entry in the same column", False, ("rows",), "two_hop.Rows", _TWO_HOP),
    Problem("edges", "two edges with a common end", True, ("edges",), "edges", (_TWO_HOP[0], "algorithms.exact")),
    Problem(
        "star", "two vertices that an edge joins, nor a path on four vertices two colors alone", True, ("vertices",),
        "symmetric.Star", _SYMMETRIC,
    ),
    Problem(
        "acyclic", "two vertices that an edge joins, nor a cycle two colors alone", True, ("vertices",),
        "symmetric.Acyclic", _SYMMETRIC, default_on_gpu="speculative",
    ),
    Problem(
        "star_bicoloring", "rows or columns among which an entry would not be alone in either direction", False,
        ("rows", "columns"), "bicoloring.Star", _BOTH, "fewest",
    ),
    Problem(
        "acyclic_bicoloring", "rows or columns among which an entry could not be found by substitution", False,
        ("rows", "columns"), "bicoloring.Acyclic", _BOTH, "fewest", "fewest_speculative",
    ),
)  # fmt: skip


class _Problems(dict[str, Problem]):
    """By name; distances over 3 are created when they are named, and not listed."""

    def __missing__(self, name: str) -> Problem:
        found = re.fullmatch(r"distance[-_ ]?([1-9]\d*)", name.strip().lower())
        if found is None:
            raise KeyError(name)
        k = int(found[1])
        row = self["distance3"]
        return replace(row, name=f"distance{k}", meaning=f"two vertices within {k} edges", k=k)


PROBLEMS: Mapping[str, Problem] = _Problems({row.name: row for row in _TABLE})


def input_of(problem: Problem, x: Any, symmetrize: bool = False, n: int | None = None) -> Any:
    """The canonical graph or pattern of an input; where edges are colored, parallel ones are an error."""
    if not problem.symmetric:
        return load("..graph.pattern", __name__).Pattern.of(x)
    return load("..graph.graph", __name__).graph_of(x, symmetrize, n, simple=problem.colored == ("edges",))


def named(name: str, distance: int | None = None) -> Problem:
    """Return the problem with a name.

    Parameters
    ----------
    name : str
        A name in `PROBLEMS`, or "distance".
    distance : int, optional
        The distance for the name "distance".

    Returns
    -------
    Problem
        The row of the problem.

    Raises
    ------
    OptionError
        There is no such problem, or `distance` is passed with another name.

    Examples
    --------
    >>> lagcolor.problems.named("distance", distance=3).name
    'distance3'
    """
    if distance is None and type(name) is str and name in PROBLEMS:
        return PROBLEMS[name]
    if known(name, ("distance",)):
        if distance is None:
            raise OptionError(f"problem={name!r} needs a distance: write problem='distance3', or pass distance=3")
        name = f"distance{whole('distance', distance, 1)}"
    elif distance is not None:
        raise OptionError(
            f"distance={distance!r} is for problem='distance', not for {name!r}: pass it, or leave distance out"
        )
    try:
        return PROBLEMS[known(name, PROBLEMS) or name]
    except (KeyError, AttributeError, TypeError):
        raise OptionError(unknown("problem", name, PROBLEMS)) from None


def __getattr__(name: str) -> Any:
    """A module of this folder, imported at first use."""
    if name not in _SUBMODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f".{name}", __name__)
