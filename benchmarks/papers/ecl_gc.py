"""Table 4 and Figures 10 to 12 of ECL-GC (Alabandi and Burtscher 2022): steps, vertices a step, how they are colored.

python -m benchmarks.papers.ecl_gc --out ecl_gc.jsonl --plot ecl_gc.svg
python -m benchmarks.papers.ecl_gc grid2d:1024 rmat:16 --device cpu
python -m benchmarks.papers.ecl_gc kron_g500:21 --table ecl_gc.jsonl --plot figure10.svg
python -m benchmarks.papers.ecl_gc grid2d:1024 --seeds none

Steps are counted on a CPU, for a machine of unbounded width, whatever the device. They depend on how ties are
broken: by a hash of seed and id, as in the paper's code, for each number of --seeds; by id, as in its text, for "none".
The grid and the roads of New York are the paper's own graphs, whose ties are also broken by id. The roads are a file of
the folder of real graphs, without which nothing is measured. The other graphs are of the paper's families, generated,
some smaller. A spec "A + B" is graph A with B laid over vertices of it, drawn at random: the web crawl's longest chain
is a clique, as large as its number of steps.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from rich.table import Table

import lagcolor
from benchmarks.harness.results import Row, of_kind, read_lines

from .. import outcome, report
from ..experiment import ROADS, complete, facts, load, measurement, parser, recorded


class Input(NamedTuple):
    """A graph of the paper: what stands for it, and its steps without and with shortcuts."""

    name: str
    spec: str
    steps: tuple[int, int]
    own: bool = False  # not a stand-in

    @property
    def made(self) -> bool:
        """Whether a clique of as many vertices as the paper has steps is laid over the graph."""
        return " + clique:" in self.spec


INPUTS = (
    Input("2d-2e20.sym", "grid2d:1024", (14, 12), own=True),
    Input("rmat16.sym", "rmat:16", (188, 30)),
    Input("delaunay_n24", "delaunay:20", (25, 17)),
    Input("USA-road-d.NY", ROADS, (12, 10), own=True),
    Input("USA-road-d.USA", "road:3200", (14, 13)),
    Input("r4-2e23.sym", "uniform:2**23,4", (30, 17)),
    Input("rmat22.sym", "rmat:22", (644, 52)),
    Input("soc-LiveJournal1", "social:4e6,10", (1095, 322)),
    Input("kron_g500-logn21", "kron_g500:21", (3997, 509)),
    Input("uk-2002", "rmat:20 + clique:943", (943, 943)),
)
ABSENT = (  # graphs of the paper that no generator stands for
    "amazon0601", "as-skitter", "citationCiteseer", "cit-Patents", "coPapersDBLP", "europe_osm", "in-2004", "internet",
)  # fmt: skip
DEFAULT = [i.spec for i in INPUTS]
PAPER = {Path(i.spec).name: i for i in INPUTS}  # by the name that `facts` gives the graph
SEEDS, LARGE = (0, 1, 2, 3, 4), 2**23  # from so many stored entries on the first seed alone
WAYS = ("initialization", "shortcut", "conventionally")  # Figure 12
MEAN_INCREASE = 2.5  # over the paper's 18 graphs
MEAN_SHARES = (8.6, 38.8, 52.6)  # percent


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    p = parser("benchmarks.papers.ecl_gc", __doc__)
    p.add_argument("graph", nargs="*", help="specs of the list here, other specs, or files (default: the list)")
    p.add_argument(
        "--seeds", nargs="+", type=seed, help="numbers, or none for ties by id (default: 0 to 4; 0 if large)"
    )
    p.add_argument("--table", type=Path, metavar="FILE", help="count nothing: read a result file")
    p.add_argument("--plot", type=Path, metavar="FILE", help="draw vertices a step there, as Figures 10 and 11")
    return p.parse_args(argv)


def seed(text: str) -> int | None:
    """A number, or None for "none"."""
    return None if text == "none" else int(text)


def seeds(graph: str, m: int) -> tuple[int | None, ...]:
    """Return the default seeds of a graph of this name and size."""
    own = graph in PAPER and PAPER[graph].own
    return (*SEEDS[: 1 if m >= LARGE else None], *([None] if own else []))


def steps(G: lagcolor.Graph, seed: int | None) -> dict[str, Any]:
    """Steps, vertices colored in each without and with shortcuts, and how.

    Without shortcuts a step is a round of Jones and Plassmann in the same order.
    """
    options: dict[str, Any] = {"order": "largest_first", "seed": seed, "trace": True, "verify": False}
    with_, without = (lagcolor.color(G.on("cpu"), name, **options) for name in ("ecl_gc", "jones_plassmann"))
    by_step = {"colored_without": without, "colored": with_}
    return {
        "colors": with_.n_colors,
        **with_.notes,
        **{name: [row["colored"] for row in result.trace] for name, result in by_step.items()},
    }


class Counted(NamedTuple):
    """Figures of a graph by the seed of its ties."""

    graph: str
    n: int
    by_seed: dict[int | None, Row]

    @property
    def hashed(self) -> list[Row]:
        """Of the seeds that are numbers."""
        return [figures for seed, figures in self.by_seed.items() if seed is not None]

    @property
    def shown(self) -> list[Row]:
        """Of ties by a hash, or by id if no others were counted."""
        return self.hashed or list(self.by_seed.values())


def flat(records: Sequence[Row]) -> list[Counted]:
    """The graphs in the order of the file."""
    out: dict[str, Counted] = {}
    for r in of_kind(records, "measurement"):
        one = out.setdefault(r["graph"], Counted(r["graph"], r["n"], {}))
        one.by_seed[r["options"]["seed"]] = r["figures"]
    return list(out.values())


def increase(r: Counted) -> float:
    """How many times as many vertices a step colors on average with shortcuts; geometric mean over the seeds."""
    return statistics.geometric_mean(f["steps_without_shortcuts"] / f["steps"] for f in r.shown)


def shares(r: Counted) -> list[float]:
    """Percent of the vertices colored in each of the ways; mean over the seeds."""
    return [100 * statistics.fmean(f[way] for f in r.shown) / r.n for way in WAYS]


def span(figures: Sequence[Row]) -> str:
    """Steps without and with shortcuts, each as a range over the seeds."""
    counts = (sorted(f[name] for f in figures) for name in ("steps_without_shortcuts", "steps"))
    return " / ".join(f"{c[0]:,}" if c[0] == c[-1] else f"{c[0]:,} to {c[-1]:,}" for c in counts)


def by_id(r: Counted) -> str:
    """Steps with ties broken by id; empty if not counted."""
    return span([r.by_seed[None]]) if None in r.by_seed else ""


def half(colored: Sequence[int]) -> int:
    """The step after which half of the vertices have colors: Figures 10 and 11 in a number."""
    return 1 + sum(2 * done < sum(colored) for done in accumulate(colored))


def table(rows: Sequence[Counted]) -> Table:
    """Return a table of our figures and the paper's."""
    out = Table(title="Table 4: steps without / with shortcuts; Figure 12: percent colored how", title_justify="left")
    out.add_column("graph", no_wrap=True)
    for name in ("paper", "ties by a hash", "ties by id", *WAYS):
        out.add_column(name, justify="right", no_wrap=True)
    for r in rows:
        paper = "{:,} / {:,}".format(*PAPER[r.graph].steps) if r.graph in PAPER else ""
        hashed = span(r.hashed) if r.hashed else ""
        out.add_row(r.graph, paper, hashed, by_id(r), *(f"{share:.1f}" for share in shares(r)))
    return out


def outcomes(records: Sequence[Row]) -> list[str]:
    """Lines of two Markdown tables, one line per graph of the paper: steps and parallelism; shares."""
    found = {r.graph: r for r in flat(records)}
    rows = [found[graph] for graph in PAPER if graph in found]
    free = [r for r in rows if not PAPER[r.graph].made]  # for the means
    steps = [["graph", "steps: paper", "here", "ties by id", "parallelism: paper", "here", "outcome"]]
    ways = [["graph", "half by step", *WAYS]]
    for r in rows:
        paper = PAPER[r.graph]
        without, with_ = paper.steps
        verdict = outcome.BY_CONSTRUCTION if paper.made else outcome.of_ratio(increase(r), without / with_)
        first = r.shown[0]
        halves = f"{half(first['colored_without']):,} / {half(first['colored']):,}"
        steps.append([
            f"{paper.name}, `{r.graph}`", f"{without:,} / {with_:,}", span(r.shown), by_id(r),
            f"{without / with_:.2f} ×", f"{increase(r):.2f} ×", verdict,
        ])  # fmt: skip
        ways.append([paper.name, halves, *(f"{share:.1f} %" for share in shares(r))])
    missing = [*(PAPER[graph].name for graph in PAPER if graph not in found), *ABSENT]
    gain = statistics.geometric_mean(map(increase, free))
    means = [statistics.fmean(column) for column in zip(*map(shares, free), strict=True)]
    mean = [f"{ours:.1f} % (paper {paper} %)" for ours, paper in zip(means, MEAN_SHARES, strict=True)]
    verdict = outcome.of_ratio(gain, MEAN_INCREASE)
    here = f"{gain:.2f} × ({len(free)} graphs)"
    steps.append(["geometric mean", "", "", "", f"{MEAN_INCREASE} × (18 graphs)", here, verdict])
    ways.append(["mean", "", *mean])
    about = (
        "Steps: without / with shortcuts. Half by step: when half of the vertices are colored. Means: without uk-2002. "
        f"Missing: {', '.join(missing)}."
    )
    return [*report.markdown(steps), "", *report.markdown(ways), "", f"{about} {report.source(records)}"]


def draw(rows: Sequence[Counted], path: Path) -> None:
    """Figures 10 and 11: vertices colored in each step, a panel a graph, one below the other."""
    from matplotlib.figure import Figure

    from lagcolor import plot

    figure = Figure(figsize=(4.5, 3.2 * len(rows)), layout="constrained")
    for k, r in enumerate(rows, 1):
        ax = figure.add_subplot(len(rows), 1, k)
        first = r.shown[0]
        for name, label, color in (("colored_without", "without", "#4477aa"), ("colored", "with", "#cc3311")):
            ax.plot(range(1, len(first[name]) + 1), first[name], color=color, label=f"{label} shortcuts", linewidth=0.9)
        ax.set(title=r.graph, xlabel="step", ylabel="vertices colored", yscale="log")
        ax.legend(frameon=False)
    plot.save(figure, path)


def counted(args: argparse.Namespace) -> list[Counted]:
    """The graphs of the result file that is named, or counted now."""
    if args.table:
        return [r for r in flat(read_lines(args.table)) if not args.graph or r.graph in args.graph]
    out = recorded(args)
    for spec in args.graph or DEFAULT:
        G = load(spec, "cpu")
        about = facts(G, spec, spec)
        for seed in args.seeds or seeds(about["graph"], G.m):
            out.add(measurement(about, "ecl_gc", {"order": "largest_first", "seed": seed}, **steps(G, seed)))
    return flat(out.rows)


def main(argv: Sequence[str] | None = None) -> int:
    """Count, print and draw; return 2 if a graph is absent."""
    args = arguments(argv)
    if not (args.table or complete(args.graph or DEFAULT)):
        return 2
    rows = counted(args)
    report.console().print(table(rows))
    if args.plot:
        draw(rows, args.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
