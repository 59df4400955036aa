"""Coloring problems: a row of `PROBLEMS` for each, and its verifier.

A row names a module of this folder, or a class in it. The module is imported at first use. It has functions of the
canonical input (`Graph` or `Pattern`):

- ``check(G, colors)`` returns a `Report`, and shares no code with any algorithm;
- ``structure(G)`` returns the input of the algorithms, such as `Nets`; distance 1 has none, and uses the graph;
- ``neighborhood(G, v)``, if the constraints are pairs, returns the vertices that constrain v, in plain NumPy;
- ``upper_bound(G)`` is the number of colors that first-fit never exceeds, in any order; ``lower_bound(G)`` is a number
  of colors that every coloring needs, from sizes alone.
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
    from .rules import RuleArguments, Rules

__all__ = ["DEFAULT", "PROBLEMS", "Problem", "named"]


@dataclass(frozen=True)
class Problem:
    """A coloring problem, a row of `PROBLEMS`.

    Attributes
    ----------
    name : str
        Name of the problem, as `lagcolor.color` accepts it.
    meaning : str
        The vertices, rows, columns or edges that may not share a color, in a line.
    symmetric : bool
        True if the input is a `Graph`, False if it is any `Pattern`.
    colored : tuple of {"vertices", "rows", "columns", "edges"}
        The parts that have colors; a result has an array for each.
    module : str
        Module of `lagcolor.problems`, or a class in it, such as "two_hop.Rows".
    algorithms : tuple of str
        Modules of lagcolor that register algorithms of the problem, unless all packages are searched.
    default : str
        Algorithm that "auto" selects.
    default_on_gpu : str
        Algorithm that "auto" selects for a graph on a GPU, if it is a different one.
    conflicts : bool
        True if the structure of the problem is a `Graph` whose edges are the pairs that may not share a color. The
        problem then has the algorithms, qualities, rules and balance of distance 1.
    k : int, optional
        Argument of a class that serves several problems: the distance, for "distance3" and so on.
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
        """Name of the algorithm that "auto" selects for a graph on a CPU or GPU."""
        return self.default_on_gpu or self.default if on_gpu else self.default

    @property
    def keeps_rules(self) -> bool:
        """True if the constraints are pairs of vertices, which rules require."""
        return self.name in RULED or self.conflicts

    @property
    def is_graph(self) -> bool:
        """True if colorings are colorings of a graph, which have qualities and balance."""
        return self.name == DEFAULT or self.conflicts

    def size(self, G: Any) -> int:
        """Length of a coloring of a canonical graph or pattern, over all parts of `colored`."""
        return sum(int(getattr(G, COUNTS[what])) for what in self.colored)

    def sizes(self, G: Any) -> dict[str, int]:
        """Sizes of a canonical graph or pattern by name: vertices and edges, or rows, columns and entries."""
        if self.symmetric:
            return {"vertices": G.n, "edges": G.n_edges}
        return {"rows": G.rows, "columns": G.columns, "entries": G.m}

    def labels(self, G: Any) -> Any:
        """Labels of the colored parts; None if they are 0, 1, …, or if both rows and columns are colored."""
        if len(self.colored) > 1:
            return None
        if self.colored == ("edges",):
            return _functions(self.module, self.k).EdgeNames(G)
        return G.column_labels if self.colored == ("columns",) else G.labels

    def structure(self, G: Any) -> Any:
        """Convert a canonical graph or pattern to the input of the algorithms."""
        return G if self.name == DEFAULT else _functions(self.module, self.k).structure(G)

    def verify(
        self, x: Any, colors: Any, *, allow_uncolored: bool = False, errors: str = "raise", rules: Rules | None = None
    ) -> Report:
        """Check a coloring; see `lagcolor.verify`."""
        if type(errors) is not str or errors not in ("raise", "return"):
            raise OptionError(f"errors must be 'raise' or 'return', not {errors!r}")
        if self._is_of_others(colors):
            raise ColoringError(f"the coloring is for problem={colors.problem!r}, but {self._colors_others}")
        G = input_of(self, x)
        with dev.using(G.indices):
            report: Report = _functions(self.module, self.k).check(G, colors)
        if rules is None:
            return report.or_raise(allow_uncolored, errors)
        check_rules = load(".rules.check", __name__).check_rules
        checked: Report = check_rules(report, colors, rules, self.labels(G), allow_uncolored, errors)
        return checked

    def rules(self, G: Any, arguments: RuleArguments) -> Rules | None:
        """Convert the rules of a call for a canonical graph or pattern; None without rules. See `Rules.of`."""
        from .rules import Rules

        if self._is_of_others(arguments.fixed):
            raise OptionError(
                f"fixed: the coloring is for problem={arguments.fixed.problem!r}, but {self._colors_others}"
            )
        return Rules.of(arguments, self.size(G), self.labels(G), G.device) if arguments.names else None

    @property
    def _colors_others(self) -> str:
        return f"problem={self.name!r} colors {' and '.join(self.colored)}"

    def _is_of_others(self, colors: Any) -> bool:
        """True if a Coloring colors edges and this problem does not, or vice versa."""
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
        """Vertices that constrain v: int32, in increasing order."""
        return _functions(self.module, self.k).neighborhood(G, v)

    def upper_bound(self, G: Any) -> int:
        """Number of colors that first-fit never exceeds, in any order."""
        return _functions(self.module, self.k).upper_bound(G)

    def lower_bound(self, G: Any) -> int:
        """Number of colors that every coloring needs, from sizes alone."""
        return _functions(self.module, self.k).lower_bound(G)


@functools.cache
def _functions(module: str, k: int | None) -> Any:
    """Object with the functions of a problem: its module, or an instance of its class."""
    name, _, kind = module.partition(".")
    made = load(f".{name}", __name__)
    return getattr(made, kind)(*(() if k is None else (k,))) if kind else made


DEFAULT = "distance1"
COUNTS = {"vertices": "rows", "rows": "rows", "columns": "columns", "edges": "n_edges"}  # attributes with sizes
_SUBMODULES = {"balance", "hessian"}  # further checks for users
RULED = ("distance1", "distance2", "distance3", "columns", "rows", "edges")
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
    """Problems by name; distances over 3 are created at first use, and not listed."""

    def __missing__(self, name: str) -> Problem:
        found = re.fullmatch(r"distance[-_ ]?([1-9]\d*)", name.strip().lower())
        if found is None:
            raise KeyError(name)
        k = int(found[1])
        row = self["distance3"]
        return replace(row, name=f"distance{k}", meaning=f"two vertices within {k} edges", k=k)


PROBLEMS: Mapping[str, Problem] = _Problems({row.name: row for row in _TABLE})


def input_of(problem: Problem, x: Any, symmetrize: bool = False, n: int | None = None) -> Any:
    """Convert an input to a canonical graph or pattern; parallel edges are an error if edges are colored."""
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
            raise OptionError(f"problem={name!r} needs a distance, as in problem='distance3'")
        name = f"distance{whole('distance', distance, 1)}"
    elif distance is not None:
        raise OptionError(
            f"distance={distance!r} is for problem='distance', not for {name!r}: pass that problem, or leave "
            "distance out"
        )
    try:
        return PROBLEMS[known(name, PROBLEMS) or name]
    except (KeyError, AttributeError, TypeError):
        raise OptionError(unknown("problem", name, PROBLEMS)) from None


def __getattr__(name: str) -> Any:
    """Module of this folder, imported at first use."""
    if name not in _SUBMODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f".{name}", __name__)
