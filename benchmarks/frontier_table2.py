"""Table II of the Gunrock coloring paper, its five steps re-measured: python -m benchmarks.frontier_table2 --help

The paper's graph is G3_circuit (1.6 M vertices, 7.7 M entries with the diagonal); measured are meshes of that size,
generated. The steps run in turn, in one process, so that drift hits all alike; a row is the median after a warm-up.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

from rich.table import Table

from benchmarks.harness.results import Row, by_graph

from . import outcome, report
from .experiment import facts, load, measure, parser, ready, recorded


class Step(NamedTuple):
    """A row of Table II: the paper's milliseconds on a K40c, and what it is here."""

    name: str
    paper_ms: float
    algorithm: str
    options: dict[str, Any]


STEPS = (
    Step("Baseline (Advance-Reduce)", 656.0, "gunrock_ar", {}),
    Step("Hash Color", 17.21, "gunrock_hash", {}),
    Step("Independent Set with Atomics", 13.67, "gunrock_is", {"min_max": False, "atomics": True}),
    Step("Independent Set without Atomics", 11.15, "gunrock_is", {"min_max": False}),
    Step("Min-Max Independent Set", 6.68, "gunrock_is", {}),
)
MESHES = ("grid2d:1260", "grid3d:116")


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    p = parser("benchmarks.frontier_table2", __doc__, runs=11)
    p.add_argument("graph", nargs="*", default=list(MESHES), help="specs of graphs (default: %(default)s)")
    p.add_argument(
        "--balance", default="auto", help="how the GPU shares out edges in advance-reduce (default %(default)s)"
    )
    return p.parse_args(argv)


def table(title: str, row: Row) -> Table:
    """The five rows and the paper's, with the speedup of each over the row before."""
    out = Table(title=title, title_justify="left", title_style="bold")
    out.add_column("optimization", no_wrap=True)
    for name in ("paper ms", "paper ×", "ms", "min … max", "×", "colors", "rounds"):
        out.add_column(name, justify="right", no_wrap=True)
    for k, step in enumerate(STEPS):
        r = row[step.name]
        gain = ["", ""]
        if k:
            before = STEPS[k - 1]
            gain = [f"{before.paper_ms / step.paper_ms:.2f}", f"{row[before.name]['ms'] / r['ms']:.2f}"]
        spread = f"{min(r['ms_all']):.3f} … {max(r['ms_all']):.3f}"
        cells = (f"{step.paper_ms:g}", gain[0], f"{r['ms']:.3f}", spread, gain[1], f"{r['colors']}", f"{r['rounds']}")
        out.add_row(step.name, *cells)
    return out


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a Markdown table: how much faster a step is than the one before, the paper's and here."""
    rows = by_graph(records)
    lines = [["Table II", "paper", *(cell for row in rows for cell in (row["graph"], "outcome"))]]
    for k in range(1, len(STEPS)):
        before, after = STEPS[k - 1], STEPS[k]
        paper = before.paper_ms / after.paper_ms
        cells = [f"{before.name} over {after.name}", f"{paper:.2f}"]
        for row in rows:
            a, b = row[before.name]["ms"], row[after.name]["ms"]
            cells += [f"{a / b:.2f} ({a:.2f} / {b:.2f} ms)", outcome.of_ratio(a / b, paper)]
        lines.append(cells)
    return [*report.markdown(lines), "", f"Medians. {report.source(records)}"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run; return 2 without a GPU."""
    args = arguments(argv)
    if not ready(args):
        return 2
    out = recorded(args, balance=args.balance)
    balance = {"load_balance": args.balance}  # of the one step with a balanced operator
    codes = {s.name: (s.algorithm, {**s.options, **(balance if s.algorithm == "gunrock_ar" else {})}) for s in STEPS}
    for spec in args.graph:
        G = load(spec, args.device)
        for line in measure(G, facts(G, spec, spec), codes, args.runs).values():
            out.add(line)
        title = f"{spec}: {G.n:,} vertices, {G.m:,} stored entries, on {G.device}"
        report.console().print(table(title, by_graph(out.rows)[-1]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
