"""The IPGC paper's Table III on ten graphs: hybrid against its two pure modes, and its speed-up over data-driven.

python -m benchmarks.papers.ipgc --out ipgc.jsonl

The modes run in turn in one process, so that drift hits all alike; a row is the median. The paper's graphs are files of
hundreds of megabytes. The ten generated graphs of the GPU table are measured instead, so that the paper's speed-up of
2.13 (geometric mean, Quadro P5000, compiled data-driven code) is of another experiment.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.harness import graphs
from benchmarks.harness.results import Results, Row, by_graph

from .. import outcome, ratios, report
from ..experiment import facts, load, measure, parser, ready, recorded
from ..ratios import Code

PAPER_SPEEDUP = 2.13
DEFAULT_H = 0.6
MODES = ("topology", "data", "hybrid")


class Rival(NamedTuple):
    """Another column of Table III: geometric mean of its times over the hybrid's, its own code here, and ours."""

    name: str
    slower: float
    theirs: Code
    ours: Code


RIVALS = (
    Rival("kokkos", 1.357, Code("kokkos-kernels-VB"), Code("speculative_vb")),
    Rival("cusparse", 0.276, Code("csrcolor cusparse"), Code("cohen_castonguay")),
)


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    p = parser("benchmarks.papers.ipgc", __doc__, runs=11)
    p.add_argument("graph", nargs="*", help="names of the suite, or specs such as rgg:18 (default: the whole suite)")
    p.add_argument("--small", action="store_true", help="a small graph of each family instead")
    p.add_argument("--H", type=float, default=DEFAULT_H, help="threshold (default %(default)s)")
    return p.parse_args(argv)


def suite(args: argparse.Namespace) -> str | None:
    """Return the named set, if no graph is named."""
    return "small" if args.small else None if args.graph else "h200"


def outcomes(records: Sequence[Row]) -> list[str]:
    """Lines of a Markdown table: the speed-up and the paper's."""
    rows = by_graph(records)
    speedups = [speedup(r) for r in rows]
    mean = statistics.geometric_mean(speedups)
    here = f"{mean:.2f} × ({min(speedups):.2f} to {max(speedups):.2f}, {len(rows)} graphs)"
    note = "Table III: hybrid over data-driven, geometric mean"
    line = [note, f"{PAPER_SPEEDUP} ×", here, outcome.of_ratio(mean, PAPER_SPEEDUP)]
    return [*report.markdown([["", "paper", "here", "outcome"], line]), "", report.source(records)]


def rivals(results: Results) -> list[str]:
    """Lines of a Markdown table: Table III's other codes over the hybrid, which is `ipgc` as it comes."""
    hybrid = Code("ipgc", device="cuda")
    lines = []
    for rival in RIVALS:
        sides = (ratios.times(results, code, hybrid) for code in (rival.theirs, rival.ours))
        lines.append(ratios.line(f"Table III: time of {rival.name} over the hybrid", rival.slower, *sides))
    return ratios.table(lines)


def speedup(r: Row) -> float:
    """Of the hybrid over the data-driven mode."""
    return float(r["data"]["ms"] / r["hybrid"]["ms"])


def main(argv: Sequence[str] | None = None) -> int:
    """Run; 2 where there is no GPU."""
    args = arguments(argv)
    if not ready(args, "pass --device cpu --small to try the same path on the CPU"):
        return 2
    modes = {mode: ("ipgc", {"mode": mode, "H": args.H}) for mode in MODES}
    out = recorded(args)
    for name, spec in graphs.resolve(args.graph, suite(args)):
        G = load(spec, args.device)
        for line in measure(G, facts(G, name, spec), modes, args.runs).values():
            out.add(line)
    print("\n".join(outcomes(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
