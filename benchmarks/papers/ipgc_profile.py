"""Why the hybrid IPGC gains nothing over its worklist: its rounds over all vertices, compared with the worklist's.

python -m benchmarks.papers.ipgc_profile --out ipgc_profile.jsonl

The default graphs are the two of the GPU table on which the hybrid loses most. The clock of the GPU times the rounds of
the three modes. Nsight Compute (`ncu`, on the path) then counts what they do, two rounds per launch. The tables compare
the first rounds, which the hybrid makes over all vertices and the data-driven mode over its list.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import lagcolor
from benchmarks.harness.results import Row, of_kind
from lagcolor.algorithms import ipgc as algorithm

from .. import nsight, report
from ..experiment import facts, load, measurement, parser, ready, recorded
from .ipgc import DEFAULT_H, MODES

GRAPHS = ("fem27-128", "2d-2e20")
ROUNDS = 2  # of a launch
KERNELS = "regex:^ipgc_rounds$"


class Metric(NamedTuple):
    """A counter of Nsight Compute, and its column; one that adds up is divided by the vertices on the worklists."""

    name: str
    column: str
    adds: bool = True


COUNTERS = (
    Metric(nsight.TIME, "ns"),
    Metric("dram__bytes_read.sum", "bytes read"),
    Metric("dram__bytes_write.sum", "bytes written"),
    Metric("lts__t_bytes.sum", "bytes through L2"),
    Metric("smsp__inst_executed.sum", "instructions of warps"),
    Metric("sm__warps_active.avg.pct_of_peak_sustained_active", "occupancy, %", adds=False),
    Metric("smsp__issue_active.avg.pct_of_peak_sustained_active", "issue slots, %", adds=False),
)
REASONS = {"long_scoreboard": "memory", "barrier": "barriers"}
STALLS = tuple(
    Metric(f"smsp__average_warps_issue_stalled_{name}_per_issue_active.ratio", f"warps waiting for {what}", adds=False)
    for name, what in REASONS.items()
)


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    p = parser("benchmarks.papers.ipgc_profile", __doc__, runs=11)
    p.add_argument("graph", nargs="*", default=list(GRAPHS), help="specs or names (default: %(default)s)")
    p.add_argument("--run", choices=MODES, help="only color the graph in this mode, as ncu's program")
    return p.parse_args(argv)


def of_rounds(G: lagcolor.Graph, mode: str, runs: int) -> dict[str, list[float]]:
    """Listed vertices, whether it is over all, and milliseconds of each round; of the run of median time."""
    done = [lagcolor.color(G, "ipgc", mode=mode, trace=True, verify=False) for _ in range(runs + 1)]
    lagcolor.verify(G, done[0].colors)
    trace = sorted((r.trace for r in done[1:]), key=lambda trace: sum(t["ms"] for t in trace))[runs // 2]
    over_all = [int(t["mode"] == "topology") for t in trace]
    return {"active": [t["active"] for t in trace], "over_all": over_all, "ms": [t["ms"] for t in trace]}


def counters(graph: str, mode: str) -> dict[str, list[float]]:
    """Metric → its value in each launch of a run in a process of its own."""
    errors = []
    for metrics in ((*COUNTERS, *STALLS), COUNTERS):  # the reasons of stalls have other names on other GPUs
        names = [m.name for m in metrics]
        try:
            found = nsight.profiled("benchmarks.papers.ipgc_profile", [graph, "--run", mode], names, KERNELS)
        except RuntimeError as e:
            errors.append(str(e))
            continue
        return {name: [launch[name] for launch in found] for name in names if all(name in x for x in found)}
    raise RuntimeError("\n".join(errors))


def outcomes(records: Sequence[Row]) -> list[str]:
    """Lines of two Markdown tables: rounds over all vertices and over the list, and what they do per listed vertex."""
    found: dict[str, dict[str, Row]] = {}
    for r in of_kind(records, "measurement"):
        found.setdefault(r["graph"], {})[r["options"]["mode"]] = r["figures"]
    heads = ["first rounds", "rounds", "of", "µs per round", "ns per listed vertex", "left after them"]
    times, counts = [heads], []
    for graph, of in found.items():
        first = sum(of["hybrid"]["over_all"])  # rounds that the hybrid makes over all vertices
        for mode, visited in (("hybrid", "all vertices"), ("data", "the list")):
            name, f = f"{graph}, over {visited}", of[mode]
            ms, listed = sum(f["ms"][:first]), sum(f["active"][:first])
            each = [f"{1e3 * ms / first:.1f}", f"{1e6 * ms / listed:.3f}"] if first else ["", ""]
            left = f["active"][first] if first < len(f["active"]) else 0
            times.append([name, f"{first}", f"{len(f['ms'])}", *each, f"{left:,}"])
            if any(m.name in f for m in COUNTERS):
                counts.append([name, *_counted(f, first // ROUNDS)])
    lines = report.markdown(times, range(1, 6))
    if counts:
        heads = ["per listed vertex", *(m.column for m in (*COUNTERS, *STALLS))]
        lines += ["", *report.markdown([heads, *counts], range(1, len(heads)))]
    return [*lines, "", report.source(records)]


def _counted(figures: Row, launches: int) -> list[str]:
    """The counters of the first launches."""
    listed, cells = sum(figures["active"][: launches * ROUNDS]), []
    for m in (*COUNTERS, *STALLS):
        values = figures.get(m.name, [])[:launches]
        value = sum(values) / (listed if m.adds else launches) if values else None
        cells.append("" if value is None else report.three_digits(value))
    return cells


def main(argv: Sequence[str] | None = None) -> int:
    """Run; 3 where Nsight Compute counted nothing, 2 without a GPU."""
    args = arguments(argv)
    if not ready(args, "pass --device cpu to time the rounds of a CPU"):
        return 2
    specs: dict[str, Any] = {name: lagcolor.generate.SUITE_H200.get(name, name) for name in args.graph}
    if args.run:
        algorithm.ROUNDS = ROUNDS
        for spec in specs.values():
            lagcolor.color(load(spec, args.device), "ipgc", mode=args.run, verify=False)
        return 0
    out, failed = recorded(args), ""
    for name, spec in specs.items():
        G = load(spec, args.device)
        about, rounds = facts(G, name, spec), {mode: of_rounds(G, mode, args.runs) for mode in MODES}
        del G  # ncu's program has its own
        for mode in MODES:
            counted = {}
            try:
                counted = counters(name, mode) if about["device"] == "cuda" and not failed else {}
            except RuntimeError as e:
                failed = str(e)
            out.add(measurement(about, "ipgc", {"mode": mode, "H": DEFAULT_H}, **rounds[mode], **counted))
    report.console().print("\n".join(outcomes(out.rows)), markup=False, soft_wrap=True)
    if failed:
        report.console(stderr=True).print(f"no counters: {failed}", markup=False)
    return 3 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
