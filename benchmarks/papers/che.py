"""Figures 3 and 6 of Che et al. 2015: hybrid against baseline, and stealing against queues without it.

python -m benchmarks.papers.che --out che.jsonl

The codes run in turn in one process, so that drift hits all alike; a row is the median. The paper's three graphs (Table
II) are not at hand. Co-author graphs with hubs of the same degrees stand for two of them: files of the folder of real
graphs (LAGCOLOR_DATA, else ../shared/data), without which nothing is measured. A grid stands for the third. A path
names a file. There is one queue per compute unit of the paper's GPU. Transfers are the graph to the GPU and the colors
back; their share is of the time of the baseline with them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.harness.results import Row, by_graph, of_kind

from .. import outcome, report
from ..experiment import complete, facts, load, measure, measurement, parser, ready, recorded, transfers


class Input(NamedTuple):
    """A graph of Table II: what stands for it, and in percent the paper's gain of the hybrid and share of transfers."""

    spec: str
    paper_gain: float
    paper_transfers: float


DIP = "dip20090126_MAX"
INPUTS = {
    DIP: Input("data:D/ca-CondMat-cc1.npz", 23, 5),  # 21,363 vertices, Δ 279
    "G3_circuit": Input("grid2d:1260", 0, 21),
    "coAuthorsDBLP": Input("data:D/cond-mat-2005.npz", 27, 3),  # 40,421 vertices, Δ 278
}
COMPUTE_UNITS = 28  # of the paper's Radeon HD 7950
PAPER_STEALING = 10  # percent: the gain on dip is under this
TRANSFERS = "transfers"  # code of the line with their milliseconds
CODES: dict[str, tuple[str, dict[str, Any]]] = {
    "baseline": ("che_baseline", {}),
    "hybrid": ("che_hybrid", {}),
    "queues": ("che_work_stealing", {"queues": COMPUTE_UNITS, "steal": False}),
    "stealing": ("che_work_stealing", {"queues": COMPUTE_UNITS}),
}
GAINS = {"hybrid": "baseline", "stealing": "queues"}


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    p = parser("benchmarks.papers.che", __doc__, runs=11)
    p.add_argument("graph", nargs="*", help="names of Table II, specs such as rgg:18, or files (default: Table II)")
    return p.parse_args(argv)


def specs(args: argparse.Namespace) -> dict[str, str]:
    """Name → what to load."""
    return {name: INPUTS[name].spec if name in INPUTS else name for name in args.graph or INPUTS}


def paper_gain(r: Row) -> float | None:
    """The paper's gain on a graph; None if it has none."""
    return INPUTS[r["graph"]].paper_gain if r["graph"] in INPUTS else None


def gain(row: dict[str, Any], code: str) -> float:
    """Percent of its rival's time that a code saves."""
    return 100 * (1 - row[code]["ms"] / row[GAINS[code]]["ms"])


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a result file's Markdown table: milliseconds (colors), and percent saved."""
    rows = by_graph(records)
    codes, gains = list(CODES), list(GAINS)
    heads = ["graph", *codes, *(f"{c} saves" for c in gains)]
    cells = [[f"{r[c]['ms']:.2f} ({r[c]['colors']})" for c in codes] for r in rows]
    saved = [[f"{gain(r, c):.0f} %" for c in gains] for r in rows]
    lines = [[r["graph"], *a, *b] for r, a, b in zip(rows, cells, saved, strict=True)]
    return [*report.markdown([heads, *lines]), "", f"Milliseconds (colors), medians. {report.source(records)}"]


def kind(r: Row) -> str:
    """A graph of the paper and what stands for it, with its largest degree."""
    if r["spec"] == r["graph"]:
        return str(r["graph"])
    return f"{r['graph']} (here `{Path(r['spec']).stem}`, Δ = {r['max_degree']:,})"


def measured(r: Row, code: str) -> tuple[float, str]:
    """Percent that a code saves over its rival, and the same with both times."""
    ours = gain(r, code)
    return ours, f"{ours:.0f} % ({r[GAINS[code]]['ms']:.3f} to {r[code]['ms']:.3f} ms)"


def outcomes(records: Sequence[Row]) -> list[str]:
    """Lines of a Markdown table: percent saved on graphs of the paper's kind, and in the paper."""
    rows = [r for r in by_graph(records) if r["graph"] in INPUTS]
    lines = [["", "paper", "here", "outcome"]]
    for r in rows:
        ours, here = measured(r, "hybrid")
        paper = INPUTS[r["graph"]].paper_gain
        lines.append([f"Figure 6, {kind(r)}: the hybrid saves", f"{paper:g} %", here, outcome.of_gain(ours, paper)])
    for r in (r for r in rows if r["graph"] == DIP):
        ours, here = measured(r, "stealing")
        verdict = "agrees" if outcome.NONE < ours < PAPER_STEALING else "differs"
        lines.append([f"Figure 3, {kind(r)}: stealing saves", f"under {PAPER_STEALING} %", here, verdict])
    moved = {r["graph"]: r["figures"]["ms"] for r in of_kind(records, "measurement") if r["code"] == TRANSFERS}
    for r in rows:
        paper = INPUTS[r["graph"]].paper_transfers
        cells = ["", outcome.MISSING]
        if ms := moved.get(r["graph"]):
            ours = 100 * ms / (ms + r["baseline"]["ms"])
            cells = [f"{ours:.0f} % ({ms:.3f} ms)", outcome.of_share(ours, paper)]
        lines.append([f"Section VI-B, {kind(r)}: share of the transfers", f"{paper:g} %", *cells])
    return [*report.markdown(lines), "", report.source(records)]


def main(argv: Sequence[str] | None = None) -> int:
    """Run; return 2 without a GPU or a graph."""
    args = arguments(argv)
    if not (ready(args) and complete(specs(args).values())):
        return 2
    out = recorded(args)
    for name, spec in specs(args).items():
        G = load(spec, args.device)
        about = facts(G, name, spec)
        for line in measure(G, about, CODES, args.runs).values():
            out.add(line)
        if G.on_gpu:
            out.add(measurement(about, TRANSFERS, {}, ms=transfers(G, args.runs)))
    print("\n".join([*markdown(out.rows), "", *outcomes(out.rows)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
