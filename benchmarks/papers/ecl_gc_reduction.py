"""Color reduction of ECL-GC (Alabandi and Burtscher 2022): colors saved and time taken, in Figures 13, 14 and 15.

python -m benchmarks.papers.ecl_gc_reduction --out ecl_gc_reduction.jsonl
python -m benchmarks.papers.ecl_gc_reduction --device cpu --runs 1

`ecl_gc` as the paper has it, largest degree first and ties by a hash, then `reduce` with its heuristics 1 and 2 to a
fixed point, which gives the same colors on every device. Medians of milliseconds, interleaved.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from typing import Any

import lagcolor
from benchmarks.harness.results import Row, of_kind

from .. import outcome, report
from ..experiment import ROADS, complete, facts, load, measurement, parser, ready, recorded

# Percent: graphs with fewer colors; most saved on one; saved in geometric mean (30.6 to 28.8).
FEWER, MOST, MEAN = 50.0, 20.0, 5.9
SLOWER = {"Titan V": 1.9, "RTX 2070 Super": 1.6}  # times of ECL-GC's time


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    p = parser("benchmarks.papers.ecl_gc_reduction", __doc__, runs=5)
    p.add_argument("graph", nargs="*", help="names of the GPU table, specs such as rgg:18, or files (default: all)")
    return p.parse_args(argv)


def graphs() -> list[str]:
    """The GPU table's, and the paper's USA-road-d.NY: 5 colors there, 4 with the reduction."""
    return [*lagcolor.generate.SUITE_H200, ROADS]


def of_graph(G: lagcolor.Graph, runs: int) -> dict[str, Any]:
    """Colors before and after, and milliseconds of the coloring and of the reduction; after a warm-up."""
    done = []
    for _ in range(runs + 1):
        fresh = lagcolor.Graph(G.indptr, G.indices)
        first = lagcolor.color(fresh, "ecl_gc", order="largest_first", seed=0, verify=False)
        done.append((first, lagcolor.reduce(fresh, first, method="heuristics")))
    before, after = done[0]
    lagcolor.verify(G, after.colors)
    return {
        "colors_before": before.n_colors,
        "colors_after": after.n_colors,
        "coloring_ms": statistics.median(first.seconds * 1e3 for first, _ in done[1:]),
        "reduction_ms": statistics.median(last.notes["reduction_seconds"] * 1e3 for _, last in done[1:]),
    }


def saved(r: Row) -> float:
    """Percent of the colors."""
    return 100 * (1 - float(r["colors_after"]) / float(r["colors_before"]))


def outcomes(records: Sequence[Row]) -> list[str]:
    """Lines of a Markdown table, and the colors of each graph; times only of a GPU, as in the paper."""
    rows = [{"graph": r["graph"], **r["figures"]} for r in of_kind(records, "measurement")]
    if not rows:
        return []
    mean = 100 * (1 - statistics.geometric_mean(r["colors_after"] / r["colors_before"] for r in rows))
    claims = (
        (
            "graphs with fewer colors",
            FEWER,
            100 * sum(r["colors_after"] < r["colors_before"] for r in rows) / len(rows),
        ),
        ("most colors saved on a graph", MOST, max(map(saved, rows))),
        ("colors saved, geometric mean", MEAN, mean),
    )
    lines = [["Figure 13", "paper (18 graphs)", f"here ({len(rows)} graphs)", "outcome"]]
    lines += [[what, f"{paper:g} %", f"{ours:.1f} %", outcome.of_gain(ours, paper)] for what, paper, ours in claims]
    if records[0]["device"] != "cpu":
        slower = statistics.geometric_mean(1 + r["reduction_ms"] / r["coloring_ms"] for r in rows)
        for gpu, paper in SLOWER.items():
            verdict = outcome.of_ratio(slower, paper)
            lines.append([f"time with the reduction over without ({gpu})", f"{paper} ×", f"{slower:.2f} ×", verdict])
    each = ", ".join(f"{r['graph']} {r['colors_before']:,} to {r['colors_after']:,}" for r in rows)
    return [*report.markdown(lines), "", f"Colors: {each}.", "", report.source(records)]


def main(argv: Sequence[str] | None = None) -> int:
    """Run; return 2 without a GPU or a graph."""
    args = arguments(argv)
    if not (ready(args) and complete(args.graph or graphs())):
        return 2
    out = recorded(args)
    for name in args.graph or graphs():
        spec = lagcolor.generate.SUITE_H200.get(name, name)
        G = load(spec, args.device)
        figures = of_graph(G, args.runs)
        out.add(measurement(facts(G, name, spec), "reduce", {"method": "heuristics", "after": "ecl_gc"}, **figures))
    print("\n".join(outcomes(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
