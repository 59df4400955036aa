"""Figures 1, 5 and 6 of Feluca, measured again: python -m benchmarks.papers.feluca_figures --plot feluca.png

Figure 1: vertices colored and share of conflicts by round, of the recursion alone. Figure 5: time of
either stage and colors against the fraction at which the stages switch. Figure 6: share of conflicts by iteration with
and without the color-centric second stage. A graph is a spec, a file or a name of the GPU table.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

import lagcolor
from benchmarks.harness.results import Row

from .. import outcome, report
from ..experiment import facts, load, measurement, parser, ready, recorded, run_line

FRACTIONS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99, 0.999, 1.0)
GRAPHS = ("social-4M", "rmat22", "road-24M")
PAPER = {
    1: "the paper's youtube: 99.2 % of the vertices final after 2 rounds; conflicts 4 % in round 1, 92.3 % in round 26",
    5: "the paper: time is convex in the fraction, the colors grow with it",
    6: "the paper: without, 24 iterations and more, conflicts up to 80 to 87 %; with, 7 to 11, and up to 45 to 63 %",
}
ROUNDS = "recursion only, traced"
SPREADS = {"pipeline": "with", "vertex": "without"}  # the color-centric second stage
TWICE = 2  # conflicts that grow by so much at least grow as the paper says
SHOWN = 30  # iterations printed


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    p = parser("benchmarks.papers.feluca_figures", __doc__, runs=5)
    p.add_argument("graph", nargs="*", default=list(GRAPHS), help="specs, files or names (default: %(default)s)")
    p.add_argument("--fractions", type=float, nargs="+", default=list(FRACTIONS), help="of Figure 5")
    p.add_argument("--plot", type=Path, metavar="FILE", help="draw the figures there, as png or svg")
    return p.parse_args(argv)


def traced(G: lagcolor.Graph, **options: Any) -> lagcolor.Coloring:
    """One run with a trace, from a graph that keeps nothing of the run before."""
    return lagcolor.color(lagcolor.Graph(G.indptr, G.indices), "feluca", trace=True, verify=False, **options)


def by_round(G: lagcolor.Graph, about: Row) -> Row:
    """Figure 1: rounds of the recursion alone."""
    _, result = (traced(G, fraction=1) for _ in range(2))  # the first compiles or loads the code
    return {**run_line(about, ROUNDS, [result], {"fraction": 1}), "trace": result.trace}


def by_fraction(G: lagcolor.Graph, about: Row, fractions: Sequence[float], runs: int) -> list[Row]:
    """Figure 5: a line per fraction, with the medians of either stage's milliseconds; interleaved runs."""
    for f in fractions:
        lagcolor.verify(G, traced(G, fraction=f).colors)
    done = [[traced(G, fraction=f) for f in fractions] for _ in range(runs)]
    stages = ("recursion_ms", "spread_ms")
    lines = []
    for f, results in zip(fractions, zip(*done, strict=True), strict=True):
        line = run_line(about, f"fraction {f:g}", results, {"fraction": f})
        medians = {name: statistics.median(r.notes[name] for r in results) for name in stages}
        lines.append({**line, "notes": {**medians, "left": results[0].notes["left"]}})
    return lines


def conflict_ratios(G: lagcolor.Graph, about: Row, spread: str) -> Row:
    """Figure 6: conflicting over active in each round of the recursion, then in each step of the second stage.

    A step of the pipeline has all blocks at work, each at a level of its own.
    """
    result = traced(G, spread=spread)
    recursion = [r for r in result.trace if "conflicts" in r][: result.rounds - bool(result.notes["left"])]
    steps = [*recursion, *result.notes.get("spread", [])]
    ratios = [s["conflicts"] / max(s["active"], 1) for s in steps]
    return measurement(about, "feluca", {"spread": spread}, conflict_share=ratios)


def by_graph(records: Sequence[Row]) -> list[Row]:
    """Per graph what the three figures show."""
    out: dict[str, Row] = {}
    for r in records[1:]:
        row = out.setdefault(r["graph"], {"graph": r["graph"], "fractions": []})
        if r["kind"] == "measurement":
            row[SPREADS[r["options"]["spread"]]] = r["figures"]["conflict_share"]
        elif r["variant"] == ROUNDS:
            row["rounds"] = [{**t, "ratio": t["conflicts"] / max(t["active"], 1)} for t in r["trace"]]
        else:
            row["fractions"].append({**r["options"], **r["notes"], "ms": r["ms"], "colors": r["colors"]})
    return list(out.values())


def tables(row: Row) -> list[Table]:
    """The three figures in figures."""
    one = Table(title=f"Figure 1, {row['graph']}: recursion alone ({PAPER[1]})", title_justify="left")
    for name in ("round", "active", "colored", "conflicting"):
        one.add_column(name, justify="right")
    for k, r in enumerate(row["rounds"][:SHOWN], 1):
        one.add_row(str(k), f"{r['active']:,}", f"{r['colored']:,}", f"{r['ratio']:.1%}")
    five = Table(title=f"Figure 5, {row['graph']}: by fraction ({PAPER[5]})", title_justify="left")
    for name in ("fraction", "recursion ms", "sequential ms", "total ms", "colors", "left"):
        five.add_column(name, justify="right")
    for r in row["fractions"]:
        ms = (f"{r[k]:.3f}" for k in ("recursion_ms", "spread_ms", "ms"))
        five.add_row(f"{r['fraction']:g}", *ms, f"{r['colors']:,}", f"{r['left']:,}")
    six = Table(title=f"Figure 6, {row['graph']}: conflicting of active ({PAPER[6]})", title_justify="left")
    for name in ("color-centric", "iterations", "most", "first"):
        six.add_column(name, justify="right")
    for name in ("with", "without"):
        ratios = row[name]
        six.add_row(name, f"{len(ratios)}", f"{max(ratios):.0%}", " ".join(f"{r:.0%}" for r in ratios[:SHOWN]))
    return [one, five, six]


def outcomes(records: Sequence[Row]) -> list[str]:
    """Lines of a Markdown table: what the paper says of each figure, and what is so here."""
    rows = by_graph(records)
    lines = [["", "paper", *(r["graph"] for r in rows)]]
    for say in (_growing_conflicts, _time_by_fraction, _colors_by_fraction, _iterations, _conflicts):
        every = [say(r) for r in rows]
        cells = (f"{here}: {'agrees' if holds else 'differs'}" for _, _, here, holds in every)
        lines.append([*every[0][:2], *cells])
    return [*report.markdown(lines), "", report.source(records)]


def _growing_conflicts(r: Row) -> tuple[str, str, str, bool]:
    """Figure 1: the share of conflicts at first, and where it is highest."""
    shares = [x["ratio"] for x in r["rounds"]]
    peak = max(range(len(shares)), key=shares.__getitem__)
    here = f"{shares[0]:.0%} in round 1, at most {shares[peak]:.0%} in round {peak + 1} of {len(shares)}"
    return "Figure 1: conflicts grow", "4 % in round 1, 92 % in round 26", here, shares[peak] > TWICE * shares[0]


def _time_by_fraction(r: Row) -> tuple[str, str, str, bool]:
    """Figure 5: whether some fraction between is faster than either stage alone."""
    ms = {x["fraction"]: x["ms"] for x in r["fractions"]}
    best = min(ms, key=ms.__getitem__)
    low, high = min(ms), max(ms)
    here = f"{ms[low]:.4g} ms at {low:g}, {ms[best]:.4g} at {best:g}, {ms[high]:.4g} at {high:g}"
    between = ms[best] * (1 + outcome.NONE / 100) < min(ms[low], ms[high])
    return "Figure 5: both stages are faster than either", "convex in the fraction", here, between


def _colors_by_fraction(r: Row) -> tuple[str, str, str, bool]:
    """Figure 5: colors of the second stage alone and of the first."""
    colors = {x["fraction"]: x["colors"] for x in r["fractions"]}
    first, last = colors[min(colors)], colors[max(colors)]
    return "Figure 5: colors grow with the fraction", "yes", f"{first:,} to {last:,}", first < last


def _iterations(r: Row) -> tuple[str, str, str, bool]:
    """Figure 6: iterations with the color-centric stage and without."""
    here = f"{len(r['with'])} with, {len(r['without'])} without"
    return "Figure 6: iterations", "7 to 11 with, 24 and more without", here, len(r["with"]) < len(r["without"])


def _conflicts(r: Row) -> tuple[str, str, str, bool]:
    """Figure 6: the highest share of conflicts with the color-centric stage and without."""
    ours, without = (max(r[side]) for side in ("with", "without"))
    here = f"{ours:.0%} with, {without:.0%} without"
    return "Figure 6: most conflicts of active", "45 to 63 % with, 80 to 87 % without", here, ours < without


def draw(rows: Sequence[Row], path: Path) -> None:
    """A row of pictures a graph: Figures 1a, 1b, 5 and 6."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    fig, axes = plt.subplots(len(rows), 4, figsize=(18, 3.8 * len(rows)), squeeze=False, layout="constrained")
    for (colored, rate, switch, centric), row in zip(axes, rows, strict=True):
        rounds = range(1, len(row["rounds"]) + 1)
        colored.bar(rounds, [max(r["colored"], 0) for r in row["rounds"]], color="#4477aa")
        colored.set(title=f"{row['graph']}: colored in each round", xlabel="round", ylabel="vertices", yscale="symlog")
        rate.plot(rounds, [100 * r["ratio"] for r in row["rounds"]], ".-", color="#4477aa")
        rate.set(title="conflict rate", xlabel="round", ylabel="% of active", ylim=(0, None))
        _draw_switch(switch, row["fractions"])
        for name, color in (("with", "#4477aa"), ("without", "#cc6677")):
            steps = range(1, len(row[name]) + 1)
            centric.plot(steps, [100 * r for r in row[name]], ".-", color=color, label=f"{name} color-centric")
        centric.set(title="conflicts, both stages", xlabel="iteration", ylabel="% of active", xscale="log")
        centric.legend(frameon=False)
    fig.savefig(path, dpi=110)
    plt.close(fig)


def _draw_switch(ax: Any, rows: Sequence[dict[str, Any]]) -> None:
    """Figure 5: times on the left axis, colors on the right."""
    x = [r["fraction"] for r in rows]
    for key, label, color in (
        ("ms", "total", "#cc6677"),
        ("recursion_ms", "recursion", "#222222"),
        ("spread_ms", "sequential", "#228833"),
    ):
        ax.plot(x, [r[key] for r in rows], ".-", color=color, label=label)
    ax.set(title="against the fraction", xlabel="fraction", ylabel="ms", ylim=(0, None))
    right = ax.twinx()
    right.plot(x, [r["colors"] for r in rows], "^--", color="#ccaa22", label="colors")
    right.set(ylabel="colors", ylim=(0, None))
    lines = [*ax.get_lines(), *right.get_lines()]
    ax.legend(lines, [line.get_label() for line in lines], frameon=False)


def main(argv: Sequence[str] | None = None) -> int:
    """Run; return 2 without a GPU."""
    args = arguments(argv)
    if not ready(args):
        return 2
    console = report.console()
    out = recorded(args)
    for name in args.graph:
        spec = lagcolor.generate.SUITE_H200.get(name, name)
        G = load(spec, args.device)
        about = facts(G, name, spec)
        for line in (by_round(G, about), *by_fraction(G, about, args.fractions, args.runs)):
            out.add(line)
        for spread in SPREADS:
            out.add(conflict_ratios(G, about, spread))
        console.print(*tables(by_graph(out.rows)[-1]))
    if args.plot:
        draw(by_graph(out.rows), args.plot)
        console.print(f"drawn: {args.plot}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
