"""Comparisons of runs: fronts, speed-ups, growth."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from lagcolor.base.errors import OptionError
from lagcolor.base.options import hint

from .model import Results, Run


def front(runs: Iterable[Run], *, ordering: bool = True) -> list[Run]:
    """Return the Pareto front: usable runs that no other run beats in time with as few colors.

    Parameters
    ----------
    runs : iterable of Run
        Runs on one graph.
    ordering : bool
        Whether the time of the ordering counts.

    Returns
    -------
    list of Run
        The runs with the fewest colors first. Colors rise strictly, and times fall strictly.

    Examples
    --------
    >>> from benchmarks.harness.results import Run, front
    >>> rows = [("A", 4, 2.0), ("B", 5, 1.0), ("C", 5, 3.0)]
    >>> runs = [Run(graph="road", code=code, colors=k, ms=ms) for code, k, ms in rows]
    >>> [run.code for run in front(runs)]
    ['A', 'B']
    """
    best: list[Run] = []
    for run in sorted((r for r in runs if r.usable), key=lambda r: (r.colors, r.time(ordering=ordering))):
        if not best or run.time(ordering=ordering) < best[-1].time(ordering=ordering):
            best.append(run)
    return best


def beaten_by(run: Run, runs: Iterable[Run]) -> Run | None:
    """Return the fastest usable run that beats a run.

    A run beats another with no more colors in less time, or with fewer colors in no more time.

    Parameters
    ----------
    run : Run
        The run.
    runs : iterable of Run
        Runs on the same graph.

    Returns
    -------
    Run or None
        None if no run beats `run`, which is then on the front.

    Examples
    --------
    >>> from benchmarks.harness.results import Run, beaten_by
    >>> a, b = (Run(graph="road", code=code, colors=4, ms=ms) for code, ms in (("A", 2.0), ("B", 1.0)))
    >>> beaten_by(a, [a, b]).code
    'B'
    >>> beaten_by(b, [a, b]) is None
    True
    """
    mine = (run.colors or 0, run.time())
    better = (
        r
        for r in runs
        if r.usable and (r.colors or 0) <= mine[0] and r.time() <= mine[1]
        and (r.colors, r.time()) != mine
    )  # fmt: skip
    return min(better, key=lambda r: r.time(), default=None)


def geometric_mean(values: Iterable[float]) -> float:
    """Return the geometric mean.

    Parameters
    ----------
    values : iterable of float
        Positive numbers, at least one.

    Returns
    -------
    float
        The mean.

    Examples
    --------
    >>> from benchmarks.harness.results import geometric_mean
    >>> round(geometric_mean([1, 10, 100]), 6)
    10.0
    """
    return math.exp(statistics.fmean(math.log(x) for x in values))


@dataclass(frozen=True)
class Speedup:
    """How many times as fast as the baseline a code is: on each graph that both colored, and in geometric mean."""

    label: str
    style: str
    ratios: dict[str, float]

    @property
    def mean(self) -> float:
        """Geometric mean over the graphs."""
        return geometric_mean(self.ratios.values())


def medians(results: Results, ordering: bool = True) -> dict[str, dict[str, float]]:
    """label → graph → milliseconds: the median over seeds and machines of what has one label."""
    times: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for run in results.usable:
        times[results.label(run)][run.graph].append(run.time(ordering=ordering))
    return {label: {g: statistics.median(ms) for g, ms in row.items()} for label, row in times.items()}


def default_baseline(results: Results) -> str:
    """Return the code that others are compared with by default.

    Parameters
    ----------
    results : Results
        The results.

    Returns
    -------
    str
        The label of the code with runs on the most graphs. Of several it is the slowest in geometric mean.

    Raises
    ------
    OptionError
        No run can be compared.

    Examples
    --------
    >>> from benchmarks.harness.results import default_baseline, read
    >>> with open("times.csv", "w") as f:
    ...     _ = f.write("graph,code,colors,ms\\nroad,A,4,3.0\\nroad,B,5,2.0\\n")
    >>> default_baseline(read("times.csv"))
    'A'
    """
    times = medians(results)
    if not times:
        raise OptionError("no run in these results has a time and valid colors, so there is nothing to compare")
    widest = max(len(row) for row in times.values())
    return max((label for label, row in times.items() if len(row) == widest), key=lambda x: _mean(times[x]))


def _mean(row: dict[str, float]) -> float:
    return geometric_mean(row.values())


def speedups(results: Results, baseline: str | None = None, *, ordering: bool = True) -> list[Speedup]:
    """Compare every code with one of them.

    Parameters
    ----------
    results : Results
        The results.
    baseline : str, optional
        A label (`Results.label`), a code, a peer, or how one code begins; of several labels the fastest, with a note
        in `results`. Default: `default_baseline`.
    ordering : bool
        Whether the time of the ordering counts.

    Returns
    -------
    list of Speedup
        A row for each code, the fastest in geometric mean first.

    Raises
    ------
    OptionError
        The baseline is unknown, or is the beginning of several codes.

    Examples
    --------
    >>> from benchmarks.harness.results import read, speedups
    >>> with open("times.csv", "w") as f:
    ...     _ = f.write("graph,code,colors,ms\\nroad,A,4,3.0\\nroad,B,5,2.0\\n")
    >>> [(row.label, row.ratios) for row in speedups(read("times.csv"), "A")]
    [('B', {'road': 1.5}), ('A', {'road': 1.0})]
    """
    times = medians(results, ordering)
    base = times[find_baseline(results, baseline)]
    style = {results.label(r): r.style for r in results.usable}
    rows = []
    for label, row in times.items():
        if ratios := {g: base[g] / ms for g, ms in row.items() if g in base}:
            rows.append(Speedup(label, style[label], ratios))
    return sorted(rows, key=lambda s: -s.mean)


def find_baseline(results: Results, name: str | None) -> str:
    """The label that a user's words stand for: a label, a code, a peer with all its codes, or how one code begins.

    Of several the fastest is taken, of those on the most graphs, and a note in `results` says so.
    """
    if name is None:
        return default_baseline(results)
    labels = {results.label(r): r.code for r in results.usable}
    if name in labels:
        return name
    fitting = _fitting(labels, name)
    if not fitting:
        raise OptionError(
            f"no code {name!r} in these results{hint(name, labels.values())}; there are: {'; '.join(sorted(labels))}"
        )
    if len({labels[label] for label in fitting}) > 1 and not labels[fitting[0]].startswith(f"{name} "):
        raise OptionError(f"the baseline {name!r} may be any of: {'; '.join(fitting)}")
    times = medians(results)
    best = min(fitting, key=lambda label: (-len(times[label]), _mean(times[label])))
    note = f"the baseline {name!r} is {best}, the fastest of: {'; '.join(fitting)}"
    if len(fitting) > 1 and note not in results.notes:
        results.notes.append(note)
    return best


def _fitting(labels: dict[str, str], name: str) -> list[str]:
    """Labels of the code of that name; else of the peer; else of codes that begin so."""
    ways: tuple[Callable[[str], bool], ...]
    ways = (lambda code: code == name, lambda code: code.startswith(f"{name} "), lambda code: code.startswith(name))
    for fits in ways:
        if found := sorted(label for label, code in labels.items() if fits(code)):
            return found
    return []


def scaling(results: Results, *, ordering: bool = True) -> dict[str, dict[str, list[tuple[int, float]]]]:
    """Return the times over the sizes of the graphs of each generator.

    A family is a generator with all of its parameters but the first and the seed. Codes that ran with one size only,
    and figures of tables, whose graphs may be others, are left out.

    Parameters
    ----------
    results : Results
        The results.
    ordering : bool
        Whether the time of the ordering counts.

    Returns
    -------
    dict
        For each family and label a list of (stored entries, milliseconds), by size.

    Examples
    --------
    >>> from benchmarks.harness.results import GraphFacts, Results, Run, scaling
    >>> graphs = {f"rgg:{s}": GraphFacts(name=f"rgg:{s}", spec=f"rgg:{s}", m=m) for s, m in ((10, 6532), (11, 14480))}
    >>> runs = [Run(graph=name, code="A", colors=9, ms=ms) for name, ms in zip(graphs, (0.1, 0.2))]
    >>> scaling(Results(runs, graphs, [], []))
    {'rgg': {'A': [(6532, 0.1), (14480, 0.2)]}}
    """
    points: dict[str, dict[str, dict[int, list[float]]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for run in (r for r in results.usable if r.style != "reference"):
        facts = results.graphs[run.graph]
        if (family := spec_family(facts.spec)) and facts.m:
            points[family][results.label(run)][facts.m].append(run.time(ordering=ordering))
    out: dict[str, dict[str, list[tuple[int, float]]]] = {}
    for family, rows in points.items():
        lines = {label: sorted((m, statistics.median(ms)) for m, ms in row.items()) for label, row in rows.items()}
        if lines := {label: line for label, line in lines.items() if len(line) > 1}:
            out[family] = lines
    return out


def spec_family(spec: str) -> str:
    """ "kron_g500:18,edge_factor=8,seed=3" → "kron_g500 edge_factor=8"; "" where this is no generator's spec."""
    name, colon, arguments = spec.partition(":")
    if not colon or not name.isidentifier() or set(arguments) & set("/\\"):
        return ""
    rest = [a.strip() for a in arguments.split(",")[1:]]
    return " ".join([name, *(a for a in rest if a and not a.startswith("seed="))])
