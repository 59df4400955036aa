"""Table 5 of ECL-GC (Alabandi and Burtscher 2022): what the shortcuts save.

python -m benchmarks.papers.ecl_gc_shortcuts --out ecl_gc_shortcuts.jsonl
python -m benchmarks.papers.ecl_gc_shortcuts --table ecl_gc_shortcuts.jsonl

`ecl_gc` polls as the paper says, largest degree first, ties by a hash, and makes its order within its time. The paper's
numbers are of a Titan V and of graphs of these families, so that ratios are compared. Figure 17 also has ECL-GC with
the transfers of the graph to the GPU and of the colors back, which are measured here.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import lagcolor
from benchmarks.harness.results import Row, by_graph, of_kind, read_lines

from .. import outcome, report
from ..experiment import ROADS, complete, facts, load, measure, measurement, parser, ready, recorded, transfers

SHORTCUTS = ("none", "sc1", "sc2", "both")
CODES: dict[str, tuple[str, dict[str, Any]]] = {
    s: ("ecl_gc", {"shortcuts": s, "order": "largest_first", "seed": 0}) for s in SHORTCUTS
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
ABSENT = (  # graphs of the paper that no graph here stands for
    "amazon0601", "as-skitter", "citationCiteseer", "cit-Patents", "coPapersDBLP", "europe_osm", "in-2004", "internet",
    "rmat16.sym", "uk-2002",
)  # fmt: skip
TRANSFERS, PAPER_TRANSFERS = "transfers", 2.8  # times the time of the coloring, with them


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    p = parser("benchmarks.papers.ecl_gc_shortcuts", __doc__, runs=7)
    p.add_argument("graph", nargs="*", help="names of the GPU table, specs such as rgg:18, or files (default: all)")
    p.add_argument("--limit", type=float, default=0.5, help="seconds of a run beyond which one is enough (%(default)g)")
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
    lines = [["graph", "none, ms", *gains, "outcome of both", "colors"]]
    for r in rows:
        paper = PAPER.get(r["graph"], ("", ()))[1] or [None] * 3
        cells = [_gain(*pair) for pair in zip(speedups(r), paper, strict=True)]
        judged = outcome.of_ratio(speedups(r)[-1], paper[-1]) if paper[-1] else ""
        lines.append([r["graph"], f"{r['none']['ms']:.3f}", *cells, judged, f"{r['both']['colors']:,}"])
    missing = [name for graph, (name, _) in PAPER.items() if all(r["graph"] != graph for r in rows)]
    means = [statistics.geometric_mean(column) for column in zip(*map(speedups, rows), strict=True)]
    judged = outcome.of_ratio(means[-1], PAPER_MEAN[-1])
    lines.append([f"geometric mean of {len(rows)} (18)", "", *map(_gain, means, PAPER_MEAN), judged, ""])
    runs = records[0]["settings"]["runs"]
    about = f"Medians of up to {runs} runs, ordering included, every coloring verified."
    return [*report.markdown(lines), "", f"{about} Missing: {', '.join([*missing, *ABSENT])}. {report.source(records)}"]


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


def _gain(ours: float, paper: float | None) -> str:
    return f"{ours:.2f}" + (f" ({paper:.2f})" if paper else "")


def show(records: Sequence[Row]) -> None:
    """Print the result of the run."""
    print("\n".join([*ablation(records), "", *transferred(records)]))


def main(argv: Sequence[str] | None = None) -> int:
    """Run; return 2 without a GPU or a graph."""
    args = arguments(argv)
    if args.table:
        show(read_lines(args.table))
        return 0
    if not (ready(args) and complete(args.graph or graphs())):
        return 2
    out = recorded(args, limit=args.limit)
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
