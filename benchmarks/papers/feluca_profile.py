"""Figures 7 and 8 of Feluca, measured again with Nsight Compute: python -m benchmarks.papers.feluca_profile

Figure 7: share of issue slots that issue an instruction. Figure 8: warps that are eligible to issue per active cycle.
Each with the color-centric second stage and without, averaged over the kernels of one run by their time. The stages
switch once --fraction of the vertices have a color, so that there is a second stage on every graph. `ncu` must be on
the path. A graph is a spec or a name of the GPU table.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import lagcolor
from benchmarks.harness.results import Row

from .. import nsight, outcome, report
from ..experiment import facts, load, measurement, parser, ready, recorded
from ..nsight import TIME
from .feluca_figures import GRAPHS, SPREADS, traced

SLOTS, ELIGIBLE = "smsp__issue_active.avg.pct_of_peak_sustained_active", "smsp__warps_eligible.avg.per_cycle_active"
KERNELS = "regex:^(pack|color_round|peel|take_in_turn|take_at_once|fit|compare)$"  # of feluca.cu
FIGURES = {  # name, metric, the paper's least and largest ratio of with over without
    "Figure 7: issue slots used": (SLOTS, 2.11, 5.10),
    "Figure 8: eligible warps per active cycle": (ELIGIBLE, 3.12 / 2.2, 4.9),
}


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    p = parser("benchmarks.papers.feluca_profile", __doc__)
    p.add_argument("graph", nargs="*", default=list(GRAPHS), help="specs or names (default: %(default)s)")
    p.add_argument("--fraction", type=float, default=0.9, help="of the vertices, where the stages switch (%(default)s)")
    p.add_argument("--run", choices=SPREADS, help="only color the graph with this second stage, as ncu's program")
    return p.parse_args(argv)


def averages(launches: Sequence[dict[str, float]]) -> dict[str, float]:
    """The averages of `SLOTS` and `ELIGIBLE` over the launches, weighted by their time."""
    total = sum(k[TIME] for k in launches)
    sums = {metric: sum(k[metric] * k[TIME] for k in launches) / total for metric in (SLOTS, ELIGIBLE)}
    return {**sums, "kernels": len(launches)}


def profile(graph: str, spread: str, fraction: float) -> dict[str, float]:
    """The averages of one run in a process of its own."""
    run = [graph, "--run", spread, "--fraction", str(fraction)]
    return averages(nsight.profiled("benchmarks.papers.feluca_profile", run, [SLOTS, ELIGIBLE, TIME], KERNELS))


def outcomes(records: Sequence[Row]) -> list[str]:
    """Lines of a Markdown table: the paper's ratios of both figures, and those here."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for r in records[1:]:
        found.setdefault(r["graph"], {})[SPREADS[r["options"]["spread"]]] = r["figures"]
    lines = [["with color classes over without", "paper", *found]]
    for what, (metric, low, high) in FIGURES.items():
        cells = []
        for of in found.values():
            a, b = of["with"][metric], of["without"][metric]
            judged = outcome.of_ratio(a / b, min(max(a / b, low), high))
            cells.append(f"{a / b:.2f} ({a:.3g} / {b:.3g}): {judged}")
        lines.append([what, f"{low:.2f} to {high:.2f}", *cells])
    return [*report.markdown(lines), "", report.source(records)]


def main(argv: Sequence[str] | None = None) -> int:
    """Run; return 2 without a GPU."""
    args = arguments(argv)
    if not ready(args, "a profile needs a GPU"):
        return 2
    specs: dict[str, Any] = {name: lagcolor.generate.SUITE_H200.get(name, name) for name in args.graph}
    if args.run:
        for spec in specs.values():
            traced(load(spec, args.device), spread=args.run, fraction=args.fraction)
        return 0
    out = recorded(args)
    for name, spec in specs.items():
        about = facts(load(spec, args.device), name, spec)
        for spread in SPREADS:
            options = {"spread": spread, "fraction": args.fraction}
            out.add(measurement(about, "feluca", options, **profile(name, spread, args.fraction)))
    report.console().print("\n".join(outcomes(out.rows)), markup=False, soft_wrap=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
