"""Table of algorithms, which tests, command line, docs and benchmarks read."""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import pkgutil
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..base import device as dev
from ..base import imported_from
from ..base.compile_clock import importing, load
from ..base.errors import EntryPointWarning, OptionError, level_of_caller
from ..base.options import known, unknown
from . import DEFAULT, PROBLEMS

# At first use the table imports every module and package in these folders, the modules of `OWN`, …
FOLDERS = ("algorithms", "algorithms.osama_graphblas", "algorithms.osama_gunrock")
# … and the modules of other packages that entry points of this group name.
GROUP = "lagcolor.algorithms"
# Algorithms that only need their own module: the default, and the strategies of NetworkX.
OWN = {
    "first_fit": "engines.greedy.first_fit",
    "greedy": "engines.greedy.first_fit",
    "dsatur": "engines.exact.dsatur",
}
UNEVEN = 10  # times the mean degree


def is_uneven(G: Any) -> bool:
    """True if the largest degree is over `UNEVEN` times the mean."""
    return bool(G.max_degree * G.rows > UNEVEN * G.m)


@imported_from("lagcolor")
@dataclass(frozen=True)
class Algorithm:
    """An algorithm, a row of the table.

    Attributes
    ----------
    name : str
        Name of the algorithm, as `lagcolor.color` accepts it, e.g. ``"jones_plassmann"``.
    run : callable
        ``run(G, p, log, **options) -> colors``, for a canonical graph (or the problem's `structure`), `Priorities` and
        a `Log`. Colors are int32, 0 … k−1 (−1: intentionally uncolored), on the device of `G`. A parallel algorithm
        calls ``log.round(active=…, colored=…, conflicts=…)`` at the end of each round.
    style : {"sequential", "algebra", "frontier", "kernel"}
        How the algorithm is written.
    paper : str
        Reference with its algorithm number.
    bound : str
        Guarantee on the number of colors, e.g. "Δ+1".
    engines : tuple of {"cpu", "cuda"}
        Devices with code for the algorithm.
    oracle : str or None
        "first_fit": the colors equal sequential first-fit in the same order.
    deterministic : bool
        True if the colors for a graph, order and seed are the same on every run and device.
    order : str
        Default order.
    uneven : str or None
        Default order of a graph whose largest degree is over `UNEVEN` times the mean, if it is a different one.
    seed : int or None
        Default seed: None breaks ties by vertex id, a number by hash of seed and id.
    needs : {"sequence", "p", "keys", None}
        Form of the `Priorities` that the algorithm reads, so that its preparation is timed separately. In natural order
        it reads none.
    inline_on_gpu : tuple of str
        Orders that it evaluates itself on a GPU, as part of its own time.
    reads_order : bool
        False if the order and the seed have no effect.
    prepare : callable or None
        ``prepare(G)`` converts the graph to the form that all algorithms of the style read, and caches it in the graph;
        timed as conversion. A form that only one algorithm reads is part of its own time.
    variant_of : str or None
        Name of the algorithm that this algorithm implements in another way.
    passes : bool
        True if each round reads the whole remaining graph, on a CPU up to rounds × (n + m) in total. Results then have
        a note if there were many rounds.
    problem : str
        Problem that it solves: a name in `lagcolor.problems.PROBLEMS`.
    rules : tuple of str
        Fields of `lagcolor.problems.rules.RuleArguments` that it obeys. ``run(…, rules=Rules)`` leaves vertices
        uncolored (−1) if it finds no color for them within `max_colors`.
    limited : bool
        True if it accepts a time limit: ``run(…, until=moment)``, a moment of `compile_clock.clock`.
    threaded : bool
        True if it accepts a number of CPU threads: ``run(…, threads=number)``.
    options : mapping of str to str
        Further keyword options, each with a line that explains it.
    """

    name: str
    run: Callable[..., Any]
    style: str
    paper: str
    bound: str
    engines: tuple[str, ...] = ("cpu", "cuda")
    oracle: str | None = None
    deterministic: bool = True
    order: str = "natural"
    uneven: str | None = None
    seed: int | None = None
    needs: str | None = "p"
    inline_on_gpu: tuple[str, ...] = ()
    reads_order: bool = True
    prepare: Callable[..., Any] | None = None
    variant_of: str | None = None
    passes: bool = False
    problem: str = DEFAULT
    rules: tuple[str, ...] = ()
    limited: bool = False
    threaded: bool = False
    options: Mapping[str, str] = field(default_factory=dict)

    def order_for(self, G: Any) -> str:
        """Default order of a graph."""
        return self.uneven if self.uneven and is_uneven(G) else self.order

    def form_of(self, p: Any) -> str | None:
        """Form of these priorities that the algorithm reads, or None."""
        if p.is_natural or (p.G.on_gpu and p.name in self.inline_on_gpu):
            return None
        return self.needs

    @property
    def summary(self) -> str:
        """First line of the docstring."""
        return (self.run.__doc__ or "").strip().partition("\n")[0]


class UnknownAlgorithmError(OptionError, KeyError):
    """Error for an unknown algorithm; a KeyError too, so that `get` of the table works as in any mapping."""

    def __str__(self) -> str:
        return Exception.__str__(self)  # a KeyError quotes its message


class Algorithms(Mapping[str, Algorithm]):
    """Mapping of names to `Algorithm` for one problem; filled at first use, so that importing lagcolor is fast."""

    def __init__(self, problem: str = DEFAULT) -> None:
        self.problem = problem
        self._rows: dict[str, Algorithm] = {}
        self._loaded = False

    def add(self, row: Algorithm) -> None:
        """Add a row; a name that a function of another module already has is an error."""
        other = self._rows.get(row.name)
        if other is not None and other.run.__module__ != row.run.__module__:
            raise OptionError(f"two algorithms are named {row.name!r}: {other.run.__module__}, {row.run.__module__}")
        self._rows[row.name] = row

    def _load(self) -> dict[str, Algorithm]:
        if not self._loaded:
            with importing():
                for name in (*PROBLEMS[self.problem].algorithms, *(OWN.values() if self.problem == DEFAULT else ())):
                    importlib.import_module(f"lagcolor.{name}")
                for folder in FOLDERS if self.problem == DEFAULT else ():
                    package = importlib.import_module(f"lagcolor.{folder}")
                    for module in pkgutil.iter_modules(package.__path__):
                        importlib.import_module(f"{package.__name__}.{module.name}")
            self._loaded = True
            _import_entry_points()
        return self._rows

    def __getitem__(self, name: str) -> Algorithm:
        if name in self._rows:
            return self._rows[name]
        if self.problem == DEFAULT and (own := known(name, OWN)):
            load(f"lagcolor.{OWN[own]}")
            return self._rows[own]
        rows = self._load()
        found = known(name, rows)
        if found is None:
            of = "" if self.problem == DEFAULT else f" for {self.problem}"
            raise UnknownAlgorithmError(unknown("algorithm", name, sorted(rows), of))
        return rows[found]

    def __contains__(self, name: object) -> bool:
        return known(name, self._load()) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._load()))

    def __len__(self) -> int:
        return len(self._load())

    def __repr__(self) -> str:
        """Return one line per row: name, style, engines, bound, determinism, paper."""
        return "\n".join(
            f"{r.name}: {r.style}, on {' and '.join(r.engines)}, {r.bound}, "
            f"{'deterministic' if r.deterministic else 'not deterministic'}, {r.paper}"
            for r in self.values()
        )


@functools.cache
def _import_entry_points() -> None:
    """Import the modules that entry points of `GROUP` name, which register algorithms; warn about failures."""
    for point in importlib.metadata.entry_points(group=GROUP):
        try:
            point.load()
        except Exception as e:  # code of another package can raise any exception
            package = f" of {point.dist.name}" if point.dist is not None else ""
            warnings.warn(
                f"the algorithms of the entry point {point.name} = {point.value}{package} are not available: importing "
                f"it raises {type(e).__name__}: {e}. Update or uninstall the package",
                EntryPointWarning,
                stacklevel=level_of_caller(),
            )


class AlgorithmTables(dict[str, Algorithms]):
    """Mapping of problems to their algorithms; those with a conflict graph have the algorithms of distance 1."""

    def __missing__(self, problem: str) -> Algorithms:
        if PROBLEMS[problem].conflicts:
            return self[DEFAULT]
        self[problem] = Algorithms(problem)
        return self[problem]


TABLES = AlgorithmTables()
for _name in PROBLEMS:
    TABLES[_name] = TABLES[_name]
ALGORITHMS = TABLES[DEFAULT]


def coloring(
    name: str, problem: str | tuple[str, ...] = DEFAULT, **row: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the decorated function as a coloring algorithm for problems; `row` has fields of `Algorithm`."""
    problems = (problem,) if isinstance(problem, str) else problem

    def register(run: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(run)
        def where_the_graph_is(G: Any, *args: Any, **options: Any) -> Any:
            if not G.on_gpu:
                return run(G, *args, **options)
            with dev.using(G.indices):
                return run(G, *args, **options)

        for solved in problems:
            TABLES[solved].add(Algorithm(name=name, run=where_the_graph_is, problem=solved, **row))
        return run

    return register
