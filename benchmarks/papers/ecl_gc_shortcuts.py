"""Table 5 of ECL-GC (Alabandi and Burtscher 2022): savings by the shortcuts, and ECL-GC compared with the default.

python -m benchmarks.papers.ecl_gc_shortcuts --out ecl_gc_shortcuts.jsonl
python -m benchmarks.papers.ecl_gc_shortcuts --table ecl_gc_shortcuts.jsonl

`ecl_gc` polls as the paper says, largest degree first, ties by a hash; "in order" is `first_fit`, which `color` runs
where no algorithm is named. Each makes its order within its time. The paper's numbers are of a Titan V and of graphs
of these families, so that ratios are compared; ECL-GC's own times come from a table of measurements, --reference.
Figure 17 also has ECL-GC with the transfers of the graph to the GPU and of the colors back, which are measured here.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import lagcolor
from benchmarks.harness.reference import read_reference
from benchmarks.harness.results import Row, by_graph, of_kind, read_lines

from .. import outcome, report
from ..experiment import ROADS, complete, facts, load, measure, measurement, parser, ready, recorded, transfers

SHORTCUTS = ("none", "sc1", "sc2", "both")
DEFAULT = "in order"
RIVAL = "ECL-GC v1.2"
CODES: dict[str, tuple[str, dict[str, Any]]] = {
    **{s: ("ecl_gc", {"shortcuts": s, "order": "largest_first", "seed": 0}) for s in SHORTCUTS},
    DEFAULT: ("first_fit", {}),
}
# Graph here → the paper's of its kind, and its speed-up over no shortcuts by sc1, sc2 and both.
PAPER: dict[str, tuple[str, tuple[float, float, float]]] = {
    "2d-2e20": ("2d-2e20.sym", (1.046, 1.005, 1.092)),
    "rmat22": ("rmat22.sym", (9.958, 0.989, 10.163)),
    "kron_g500-logn21": ("kron_g500-logn21", (70.378, 1.004, 70.179)),
    "r4-2e23": ("r4-2e23.sym", (1.250, 1.110, 1.339)),
    "delaunay_n20": ("delaunay_n24", (1.126, 1.037, 1.168)),
    "road-24M": ("USA-road-d.USA", (1.068, 1.003, 1.073)),
    "USA-road-d.NY.npz": ("USA-road-d.NY", (1.000, 1.014, 1.027)),
    "social-4M": ("soc-LiveJournal1", (16.026, 0.996, 16.028)),
}
PAPER_MEAN = (2.570, 1.032, 2.632)  # geometric means over its 18 graphs
ABSENT = {  # graphs of the paper that no graph here stands for
    "amazon0601": (1.236, 1.075, 1.285), "as-skitter": (3.957, 1.001, 4.198), "citationCiteseer": (1.751, 1.057, 1.816),
    "cit-Patents": (2.015, 1.258, 2.123), "coPapersDBLP": (4.410, 1.004, 4.407), "europe_osm": (1.025, 0.999, 1.028),
    "in-2004": (1.051, 1.019, 1.030), "internet": (1.248, 1.016, 1.284), "rmat16.sym": (5.112, 1.008, 5.251),
    "uk-2002": (2.590, 1.010, 2.612),
}  # fmt: skip
TRANSFERS, PAPER_TRANSFERS = "transfers", 2.8  # times the time of the coloring, with them


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    p = parser("benchmarks.papers.ecl_gc_shortcuts", __doc__, runs=7)
    p.add_argument("graph", nargs="*", help="names of the GPU table, specs such as rgg:18, or files (default: all)")
    p.add_argument("--limit", type=float, default=0.5, help="seconds of a run beyond which one is enough (%(default)g)")
    p.add_argument("--reference", type=Path, metavar="CSV", help="table of peers: graph, code, colors, ms")
    p.add_argument("--table", type=Path, metavar="FILE", help="measure nothing: print a result file as Markdown")
    return p.parse_args(argv)


def graphs() -> list[str]:
    """The GPU table's, and the paper's USA-road-d.NY."""
    return [*lagcolor.generate.SUITE_H200, ROADS]


def speedups(r: Row) -> list[float]:
    """Over no shortcuts, by each way."""
    return [r["none"]["ms"] / r[s]["ms"] for s in SHORTCUTS[1:]]


def ablation(records: Sequence[Row]) -> list[str]:
    """Lines of Table 5 in Markdown: milliseconds without shortcuts, and what each saves, the paper's in parentheses."""
    rows = by_graph(records)
    gains = [f"{s}, × (paper)" for s in SHORTCUTS[1:]]
    lines = [["graph", "none, ms", *gains, "outcome of both", "both, ms", "colors"]]
    for r in rows:
        paper = PAPER.get(r["graph"], ("", ()))[1] or [None] * 3
        cells = [_gain(*pair) for pair in zip(speedups(r), paper, strict=True)]
        verdict = outcome.of_ratio(speedups(r)[-1], paper[-1]) if paper[-1] else ""
        lines.append([r["graph"], _ms(r, "none"), *cells, verdict, _ms(r, "both"), f"{r['both']['colors']:,}"])
    left = {name: gains for graph, (name, gains) in PAPER.items() if all(r["graph"] != graph for r in rows)}
    for name, paper in (left | ABSENT).items():
        lines.append([name, "", *(f"({x:.2f})" for x in paper), outcome.MISSING, "", ""])
    means = [statistics.geometric_mean(column) for column in zip(*map(speedups, rows), strict=True)]
    verdict = outcome.of_ratio(means[-1], PAPER_MEAN[-1])
    lines.append([f"geometric mean of {len(rows)} (18)", "", *map(_gain, means, PAPER_MEAN), verdict, "", ""])
    return [*report.markdown(lines), "", _source(records)]


def transferred(records: Sequence[Row]) -> list[str]:
    """Lines of a Markdown table: the bar of Figure 17 with transfers, over that without."""
    moved = {r["graph"]: r["figures"]["ms"] for r in of_kind(records, "measurement") if r["code"] == TRANSFERS}
    slower = [1 + moved[r["graph"]] / r["both"]["ms"] for r in by_graph(records) if r["graph"] in moved]
    cells = ["", outcome.MISSING]
    if slower:
        mean = statistics.geometric_mean(slower)
        here = f"{mean:.1f} × ({min(slower):.1f} to {max(slower):.1f}, {len(slower)} graphs)"
        cells = [here, outcome.of_ratio(mean, PAPER_TRANSFERS)]
    line = ["Figure 17: time with CPU/GPU transfer over without", f"{PAPER_TRANSFERS} ×", *cells]
    return [*report.markdown([["", "paper", "here", "outcome"], line]), "", report.source(records)]


def compared(records: Sequence[Row]) -> list[str]:
    """Lines of a Markdown table: ecl_gc and the default compared with ECL-GC's own code, if that is known."""
    known = {r["graph"]: r for r in of_kind(records, "reference")}
    rows = [{**r, RIVAL: known[r["graph"]]} for r in by_graph(records) if r["graph"] in known]
    if not rows:
        return [f"Of no graph here are times of {RIVAL} known."]
    ways = ("both", DEFAULT)
    lines = [["graph", f"{RIVAL}, ms (colors)", "ecl_gc", "ratio", "first_fit", "ratio"]]
    for r in rows:
        cells = [f"{_ms(r, RIVAL)} ({r[RIVAL]['colors']:,})"]
        for way in ways:
            cells += [f"{_ms(r, way)} ({r[way]['colors']:,})", f"{_ratio(r, way):.2f}"]
        lines.append([r["graph"], *cells])
    means = [f"{statistics.geometric_mean(_ratio(r, way) for r in rows):.2f}" for way in ways]
    lines.append(["geometric mean", "", "", means[0], "", means[1]])
    return [*report.markdown(lines), "", _source(records)]


def _ms(r: Row, way: str) -> str:
    return f"{r[way]['ms']:.3f}"


def _ratio(r: Row, way: str) -> float:
    return float(r[way]["ms"] / r[RIVAL]["ms"])


def _gain(ours: float, paper: float | None) -> str:
    return f"{ours:.2f}" + (f" ({paper:.2f})" if paper else "")


def _source(records: Sequence[Row]) -> str:
    runs = records[0]["settings"]["runs"]
    return f"Medians of up to {runs} runs, ordering included, every coloring verified. {report.source(records)}"


def show(records: Sequence[Row]) -> None:
    """Print the tables that have lines."""
    print("\n".join([*ablation(records), "", *transferred(records), "", *compared(records)]))


def main(argv: Sequence[str] | None = None) -> int:
    """Run; return 2 without a GPU or a graph."""
    args = arguments(argv)
    if args.table:
        show(read_lines(args.table))
        return 0
    if not (ready(args) and complete(args.graph or graphs())):
        return 2
    out = recorded(args, limit=args.limit)
    for row in read_reference(args.reference) if args.reference else []:
        if row["code"] == RIVAL:
            out.add(row)
    for name in args.graph or graphs():
        spec = lagcolor.generate.SUITE_H200.get(name, name)
        G = load(spec, args.device)
        about = facts(G, name, spec)
        for line in measure(G, about, CODES, args.runs, args.limit).values():
            out.add(line)
        if G.on_gpu:
            out.add(measurement(about, TRANSFERS, {}, ms=transfers(G, args.runs)))
    show(out.rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
