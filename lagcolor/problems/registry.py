"""The table of algorithms: tests, command line, docs and benchmarks all read it."""

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
from ..base.compile_clock import importing, load
from ..base.errors import EntryPointWarning, OptionError, level_of_caller
from ..base.options import known, unknown
from . import DEFAULT, PROBLEMS

# The table imports every module and package in these when it is first read, and the modules of `OWN`.
FOLDERS = ("algorithms", "algorithms.osama_graphblas", "algorithms.osama_gunrock")
# And the modules of other packages that entry points of this group name.
GROUP = "lagcolor.algorithms"
# These need their own module only: the default, and what NetworkX's strategies are.
OWN = {
    "first_fit": "engines.greedy.first_fit",
    "greedy": "engines.greedy.first_fit",
    "dsatur": "engines.exact.dsatur",
}
UNEVEN = 10  # times the mean degree


def is_uneven(G: Any) -> bool:
    """Whether the largest degree is far over the mean."""
    return bool(G.max_degree * G.rows > UNEVEN * G.m)


@dataclass(frozen=True)
class Algorithm:
    """One row of the table.

    Attributes
    ----------
    name : str
        What users write, e.g. ``"jones_plassmann"``.
    run : callable
        ``run(G, p, log, **options) -> colors``: canonical graph (or the problem's `structure`), `Priorities`, `Log`;
        colors are int32, 0…k−1 (−1 = left uncolored on purpose), on the device of `G`. A parallel algorithm calls
        ``log.round(active=…, colored=…, conflicts=…)`` at the end of each round.
    style : {"sequential", "algebra", "frontier", "kernel"}
    paper : str
        Reference with its algorithm number.
    bound : str
        What is guaranteed of the number of colors, e.g. "Δ+1".
    engines : tuple of {"cpu", "cuda"}
    oracle : str or None
        "first_fit": equals sequential first-fit in the same order, color for color.
    deterministic : bool
        Same graph, order and seed → the same colors bit for bit, on every device.
    order : str
        Default order.
    uneven : str or None
        Default order of a graph whose largest degree is over `UNEVEN` times the mean, where it is another one.
    seed : int or None
        Default seed: None breaks ties by vertex id, a number by hash of seed and id.
    needs : {"sequence", "p", "keys", None}
        Which form of the `Priorities` it reads, so that preparing it is timed apart; in natural order
        it reads none.
    inline_on_gpu : tuple of str
        Orders that it evaluates itself on a GPU, in its own time, so that nothing is prepared.
    reads_order : bool
        Whether another order or seed than the default changes anything.
    prepare : callable or None
        ``prepare(G)``: the graph in the form that all algorithms of the style take, kept with it; timed as conversion.
        What only one algorithm needs of a graph it makes in its own time.
    variant_of : str or None
        Name of the algorithm that this implements in another way.
    passes : bool
        Each round passes over all that is left: rounds × (n + m) at worst, on a CPU. The notes of a result say where
        there were many rounds.
    problem : str
        What it solves: a name in `lagcolor.problems.PROBLEMS`.
    rules : tuple of str
        Fields of `lagcolor.problems.rules.Given` that it keeps: ``run(…, rules=Rules)`` colors as far as it finds
        colors, and leaves −1 where `max_colors` are too few for it.
    limited : bool
        Whether it takes a time limit: ``run(…, until=moment)``, a moment of `compile_clock.clock`.
    threaded : bool
        Whether it takes a number of CPU threads: ``run(…, threads=number)``.
    options : mapping of str to str
        Further keyword options, each with a line that explains it.
    """

    __module__ = "lagcolor"
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
        """The default order of a graph."""
        return self.uneven if self.uneven and is_uneven(G) else self.order

    def form_of(self, p: Any) -> str | None:
        """The form of these priorities that the algorithm reads, or None."""
        if p.is_natural or (p.G.on_gpu and p.name in self.inline_on_gpu):
            return None
        return self.needs

    @property
    def summary(self) -> str:
        """First line of the docstring."""
        return (self.run.__doc__ or "").strip().partition("\n")[0]


class UnknownAlgorithmError(OptionError, KeyError):
    """There is no such algorithm. It is a KeyError, too, so that `get` of the table works as of any mapping."""

    def __str__(self) -> str:
        return Exception.__str__(self)  # a KeyError quotes its message


class Algorithms(Mapping[str, Algorithm]):
    """Name → `Algorithm` for one problem; filled when first read, so that importing lagcolor stays quick."""

    def __init__(self, problem: str = DEFAULT) -> None:
        self.problem = problem
        self._rows: dict[str, Algorithm] = {}
        self._loaded = False

    def add(self, row: Algorithm) -> None:
        """Put one row in; a name taken by another function is an error."""
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
        """One line per row: name, style, engines, bound, determinism, paper."""
        return "\n".join(
            f"{r.name}: {r.style}, on {' and '.join(r.engines)}, {r.bound}, "
            f"{'deterministic' if r.deterministic else 'not deterministic'}, {r.paper}"
            for r in self.values()
        )


@functools.cache
def _import_entry_points() -> None:
    """Import the modules that entry points of `GROUP` name, which register algorithms; one that fails is left out."""
    for point in importlib.metadata.entry_points(group=GROUP):
        try:
            point.load()
        except Exception as e:  # whatever the code of another package raises
            package = f" of {point.dist.name}" if point.dist is not None else ""
            warnings.warn(
                f"the algorithms of the entry point {point.name} = {point.value}{package} are left out, since importing"
                f" it raises {type(e).__name__}: {e}. Update or uninstall the package",
                EntryPointWarning,
                stacklevel=level_of_caller(),
            )


class AlgorithmTables(dict[str, Algorithms]):
    """Problem → its algorithms; the algorithms of distance 1 for a problem given by its conflict graph."""

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
    """Decorator that registers a function as a coloring algorithm of problems; fields as in `Algorithm`."""
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
