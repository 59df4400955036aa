"""Coloring: the result of `color`."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import __version__, imported_from
from ..base import device as dev
from ..base.device import extremes
from ..base.errors import GraphError, MissingPackageError
from ..base.log import Log, stage
from ..base.messages import counted, table
from ..graph.classes import ColorClasses, counted_colors
from ..graph.pattern import Pattern
from ..orders import Priorities
from ..problems import DEFAULT, PROBLEMS
from ..problems.balance import check_sizes
from ..problems.rules import Rules
from ..problems.rules.check import check_left_out

if TYPE_CHECKING:
    from ..problems.certificates import Certificate
    from ..problems.report import Report

NOTED = 0.05  # seconds to compile and load code, from which on the repr has them

FACTS = (
    "n_colors", "n_used", "lower_bound", "certificate", "rounds", "seconds", "order_seconds", "convert_seconds",
    "compile_seconds", "verified",
)  # fmt: skip


@imported_from("lagcolor")
@dataclass(repr=False, eq=False)
class Coloring(ColorClasses):
    """The result of a call: the colors, times and notes.

    Attributes
    ----------
    colors : array of int32, shape (n,)
        0…k−1, or −1 for an uncolored vertex, on the device of the input. For a bicoloring, the colors of the rows,
        0…r−1, and then the colors of the columns, r…k−1; −1 is neutral.
    graph : Graph, or Pattern for problems that are not symmetric
        The colored graph or matrix.
    algorithm, order : str
        The algorithm and the order.
    problem : str
        A name in `lagcolor.problems.PROBLEMS`.
    seed : int or None
        The seed of the order.
    rounds : int
        Rounds of a parallel algorithm; 1 for a sequential one. `jones_plassmann` on a CPU works without rounds and
        reports 1. With ``trace=True`` it runs in rounds on one core, and reports their number.
    seconds : float
        The time of the coloring alone (device events on a GPU).
    order_seconds, convert_seconds : float
        The time to compute the order, and to convert the input to a canonical graph.
    compile_seconds : float
        The time to compile code or to load it from the cache, and to import modules, during the call. The other times
        do not include it.
    verified : bool
        Whether the verifier has checked these colors.
    lower_bound : int
        A number of colors that every coloring of this graph needs: 0 without vertices, 1 without edges, else 2, or more
        if the search has proven more (3 for an odd cycle, the size of a clique). If it equals `n_used`, no coloring has
        fewer colors; otherwise a better coloring may exist. With rules it refers to colorings that keep them, and with
        `capacity` it is at least the total weight divided by the largest capacity.
        ``quality="balanced"`` searches for cliques on a CPU. ``"best"`` searches longer, and also for a proof by clause
        learning on kernels of graphs, as ``algorithm="exact"`` does.
    trace : list of dict
        One row per round, with ``trace=True``: round, active (vertices without a color before it), colored, conflicts,
        ms (None if a round has no time of its own).
    notes : dict
        Further information. With rules, ``"gaps"`` is the number of unused colors under the largest. ``"on_cpu"`` says
        why a CPU colored a graph on a GPU. With ``partial=``, ``"uncolored"`` is the number of uncolored vertices, and
        ``"partial"`` has their cost, a lower bound, and whether this proves that the cost is minimal.
    rules : Rules or None
        The rules that the coloring keeps, in canonical form. `verify` also checks them.

    See Also
    --------
    lagcolor.color : Color a graph.

    Examples
    --------
    >>> result = lagcolor.color(lagcolor.generate.cycle(5), order="natural")
    >>> result.n_colors, result.class_sizes, result.verified
    (3, array([2, 2, 1]), True)
    >>> result.classes()[1]  # the vertices of color 1
    array([1, 3], dtype=int32)
    >>> result.to_dict()
    {0: 0, 1: 1, 2: 0, 3: 1, 4: 2}
    """

    colors: Any
    graph: Any
    algorithm: str
    order: str
    seed: int | None = None
    rounds: int = 1
    seconds: float = 0.0
    order_seconds: float = 0.0
    convert_seconds: float = 0.0
    verified: bool = False
    lower_bound: int = 0
    trace: list[dict[str, Any]] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)
    problem: str = DEFAULT
    rules: Rules | None = None
    compile_seconds: float = 0.0
    _certificate: Certificate | None = field(default=None, repr=False)
    _check: Callable[[Any, Any], Any] | None = field(
        default=None, init=False, repr=False
    )  # the check of a graph in parts
    _parts: tuple[str, str] = field(default=("rows", "columns"), init=False)  # names of rows and columns in reprs
    _n_colors: int | None = field(default=None, init=False)

    @classmethod
    def _of(
        cls, colors: Any, G: Pattern, name: str, p: Priorities, log: Log, seconds: tuple[float, float, float],
        problem: str = DEFAULT, rules: Rules | None = None,
    ) -> Coloring:  # fmt: skip
        """Make the result of a run of its colors, order and log, and the seconds of coloring, order and conversion."""
        return cls(
            colors, G, name, p.name, p.seed, max(log.rounds, 1), *seconds, lower_bound=log.lower_bound,
            trace=log.rows, notes=log.notes, problem=problem, rules=rules, _certificate=log.certificate,
        )  # fmt: skip

    def __post_init__(self) -> None:
        least = 0 if self.rules is None else self.rules.least_colors(len(self.colors))
        self.lower_bound = max(self.lower_bound, least, PROBLEMS[self.problem].lower_bound(self.graph))

    @property
    def optimal(self) -> bool:
        """Whether no coloring has fewer colors: `lower_bound` is `n_used`, and no vertex is uncolored."""
        return self.n_used <= self.lower_bound and not self.notes.get("uncolored")

    @property
    def certificate(self) -> Certificate:
        """The proof that no coloring has fewer than `lower_bound` colors; see `lagcolor.problems.certificates.check`.

        An exhaustive search stores its kernel. A clique or an odd cycle is computed at the first use, on the CPU. A
        bound that follows from rules other than `max_colors` has no proof: the kind is None.
        """
        known = self._certificate
        if known is None and self.rules is not None and not self.rules.limit_number_alone:
            from ..problems.certificates import Certificate

            return Certificate(None, self.lower_bound, np.empty(0, np.int64))
        if known is None or known.k != self.lower_bound:
            from ..engines.exact.certificates import certificate_of

            known = self._certificate = certificate_of(self.problem, self.graph, self.lower_bound)
        return known

    @property
    def _sizes(self) -> dict[str, int]:
        """Numbers of vertices and edges, or of rows, columns and entries, with the names of a mesh."""
        rows, columns = self._parts
        names = {"rows": rows, "columns": columns}
        return {names.get(what, what): size for what, size in PROBLEMS[self.problem].sizes(self.graph).items()}

    def verify(self) -> Report:
        """Check the colors with the verifier of the problem, which shares no code with the algorithms.

        Returns
        -------
        Report
            The findings of the check.

        Raises
        ------
        ColoringError
            The colors are improper or incomplete, break a rule, or are less balanced than ``notes["balance"]`` says.
            Vertices that the algorithm left uncolored on purpose are no error.
        """
        stage("checking")
        if self._check is not None:
            report = self._check(self.graph, self.colors)
            self.verified = True
            return report
        left = "uncolored" in self.notes
        report = PROBLEMS[self.problem].verify(self.graph, self.colors, allow_uncolored=left, rules=self.rules)
        if "balance" in self.notes:
            report = with_evenness(report, self, left)
        if "partial" in self.notes:
            weights = self.rules and self.rules.weights
            check_left_out(self.colors, weights, self.notes["uncolored"], self.notes["partial"])
        self.verified = True
        if self.rules is None and getattr(report, "gaps", None) == 0:
            self._n_colors = report.n_colors
        return report

    @property
    def uncolored(self) -> list[Any]:
        """The uncolored vertices: labels, or numbers if the input has no labels."""
        out, labels = np.flatnonzero(self.to_numpy() < 0).tolist(), PROBLEMS[self.problem].labels(self.graph)
        return out if labels is None else [labels[v] for v in out]

    @property
    def fixed(self) -> Any:
        """Mask of vertices with a fixed color: bool, shape (n,), on the device of the colors; None without `fixed`."""
        if self.rules is None or self.rules.fixed is None:
            return None
        with dev.using(self.colors):
            return dev.to_device(self.rules.fixed, self.device) >= 0

    @property
    def class_weights(self) -> Any:
        """Total weight of each color 0 … n_colors − 1, on the CPU; `class_sizes` without `weights=`.

        Raises
        ------
        ColoringError
            The largest color is too large for an array; see `class_sizes`.
        """
        if self.rules is None or self.rules.weights is None:
            return dev.to_device(self.class_sizes, "cpu")
        self._refuse_many_classes("class_weights")
        colors, weights = self.to_numpy(), self.rules.weights
        loads = np.bincount(colors[colors >= 0], weights[colors >= 0], self.n_colors)
        return loads.astype(weights.dtype)

    @property
    def row_colors(self) -> Any:
        """Colors of the rows, int32, 0…r−1; None if the problem does not color rows."""
        what = PROBLEMS[self.problem].colored
        if "rows" not in what:
            return None
        return self.colors if what == ("rows",) else self.colors[: self.graph.rows]

    @property
    def column_colors(self) -> Any:
        """Colors of the columns, int32, 0…c−1; None if the problem does not color columns."""
        what = PROBLEMS[self.problem].colored
        if "columns" not in what:
            return None
        if what == ("columns",):
            return self.colors
        with dev.using(self.colors):
            rows, columns = self.colors[: self.graph.rows], self.colors[self.graph.rows :]
            below = extremes.largest(rows) + 1
            return dev.module_of(self.colors).where(columns < 0, columns, columns - np.int32(below))

    @property
    def edges(self) -> tuple[Any, Any] | None:
        """The ends u < v of each edge, int32, in the order of the rows of the graph; None if edges are not colored.

        They are on the device of the graph.
        """
        return self.graph.edges if PROBLEMS[self.problem].colored == ("edges",) else None

    @property
    def edge_colors(self) -> Any:
        """Colors of `edges`, int32, in the same order; None if edges are not colored."""
        return self.colors if PROBLEMS[self.problem].colored == ("edges",) else None

    def to_dict(self) -> dict[Any, int]:
        """Return a mapping from vertex labels to colors.

        Vertices without labels have their number as the key. For a pattern, the keys are row or column labels. For
        edges, the keys are pairs (u, v) of the labels or numbers of their ends.

        Returns
        -------
        dict
            Label → color.

        Raises
        ------
        GraphError
            Two vertices have the same label, or both rows and columns are colored.
        """
        labels, colors = self._labels(), self.to_numpy().tolist()
        out = dict(zip(labels, colors, strict=True))
        if len(out) < len(colors):
            twice, _ = Counter(labels).most_common(1)[0]
            raise GraphError(f"label {twice!r} names more than one vertex: use to_numpy(), by vertex number")
        return out

    def to_frame(self) -> Any:
        """Return a table of labels and colors, as saved in .csv files.

        Returns
        -------
        pandas.DataFrame
            The columns "vertex", with labels or numbers, and "color"; for edges "u", "v" and "color". A row per vertex
            or edge, in the order of `colors`.

        Raises
        ------
        MissingPackageError
            pandas is not installed.
        GraphError
            Both rows and columns are colored.
        """
        labels = self._labels()
        try:
            import pandas
        except ImportError as e:
            raise MissingPackageError("to_frame needs pandas: pip install pandas") from e
        columns = {"vertex": labels if isinstance(labels, range) else list(labels)}
        if self.edge_colors is not None:
            columns = {"u": [u for u, _ in labels], "v": [v for _, v in labels]}
        return pandas.DataFrame({**columns, "color": self.to_numpy()})

    def _labels(self) -> Any:
        """The labels, or numbers, of what is colored; pairs of the ends of edges."""
        problem = PROBLEMS[self.problem]
        if len(what := problem.colored) > 1:
            raise GraphError(f"{self.problem} colors {' and '.join(what)}: use row_colors and column_colors, by number")
        labels = problem.labels(self.graph)
        return range(len(self)) if labels is None else labels

    def provenance(self) -> dict[str, Any]:
        """Return the facts of the result without the colors, as plain JSON types."""
        how = {name: getattr(self, name) for name in ("problem", "algorithm", "order", "seed", "device")}
        facts = {name: getattr(self, name) for name in FACTS}
        more = {"notes": self.notes, "trace": self.trace}
        return {
            "lagcolor": __version__, **how, **self._sizes, **facts, "certificate": self.certificate.kind,
            **({"rules": self.rules.summary()} if self.rules is not None else {}),
            **{name: value for name, value in more.items() if value},
        }  # fmt: skip

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the colors as .npy, .txt, .csv or .json, completely or not at all, and never over the graph's file."""
        from .files.colorings import write_coloring

        write_coloring(path, self)

    def _facts(self) -> list[tuple[str, str]]:
        seed = "" if self.seed is None else f", seed {self.seed}"
        loaded = f", {self.compile_seconds:.2g} s to load code" if self.compile_seconds >= NOTED else ""
        ms = f"{self.seconds * 1e3:.3g} ms (+ {self._prepare_seconds * 1e3:.3g} ms to prepare{loaded})"
        return [
            ("colors", counted_colors(self.n_used, self.n_colors - 1)),
            *([("uncolored", f"{left:,}")] if (left := self.notes.get("uncolored")) else []),
            *((name, f"{count:,}") for name, count in self._sizes.items()),
            *([("problem", self.problem)] if self.problem != DEFAULT else []),
            ("algorithm", f"{self.algorithm} ({self.order}{seed})"),
            ("device", self.device),
            ("rounds", f"{self.rounds:,}"),
            ("time", ms),
            ("verified", "yes" if self.verified else "no"),
        ]

    def __repr__(self) -> str:
        f = dict(self._facts())
        left = f" ({f['uncolored']} uncolored)" if "uncolored" in f else ""
        *things, last = (counted(count, name) for name, count in self._sizes.items())
        of = f", {self.problem}" if self.problem != DEFAULT else ""
        colors = counted_colors(self.n_used, self.n_colors - 1, "colors")
        text = f"{colors} for {', '.join(things)}{left} and {last}{of}"
        return f"<Coloring: {text}, {f['algorithm']} on {f['device']}, {f['time']}>"

    def _repr_html_(self) -> str:
        return table("Coloring", self._facts())


def with_evenness(report: Any, result: Any, allow_uncolored: bool = False) -> Any:
    """Add to a report, or raise, the fault that classes are less even than the notes of the result say."""
    even = result.notes.get("balance", {})
    if not even.get("reached"):
        return report
    equitable = "difference" in even
    ratio = None if equitable else even["ratio"]
    return check_sizes(report, result.colors, ratio, equitable, result.rules, allow_uncolored, "raise")


def fewest(results: list[Coloring]) -> Coloring:
    """Return the first result with the fewest colors, with the seconds of all, and the list of them in its notes."""
    used = [r.n_colors if r.rules is None else r.n_used for r in results]
    first = results[used.index(min(used))]
    pairs = zip(results, used, strict=True)
    first.notes["tried"] = [{"name": r.order, "colors": k, "ms": round(r.seconds * 1e3, 3)} for r, k in pairs]
    best = max(results, key=lambda r: r.lower_bound)
    first.lower_bound, first._certificate = best.lower_bound, best._certificate
    first.compile_seconds = sum(r.compile_seconds for r in results)
    first.seconds, first.order_seconds = sum(r.seconds for r in results), sum(r.order_seconds for r in results)
    return first
