"""The IPGC paper's Table III on ten graphs: hybrid against its two pure modes, and its speed-up over data-driven.

python -m benchmarks.papers.ipgc --reference peers.csv --out ipgc.jsonl

Modes (and Chen et al.'s two) run in turn in one process, so that drift hits all alike; a row is the median. The
paper's graphs are files of hundreds of megabytes. Here the ten generated graphs of the GPU table are measured, so the
paper's speed-up of 2.13 (geometric mean, Quadro P5000, compiled data-driven code) is from another experiment.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.table import Table

import lagcolor
from benchmarks.harness import graphs
from benchmarks.harness.reference import read_reference
from benchmarks.harness.results import Results, Row, by_graph, of_kind, read_lines

from .. import outcome, ratios, report
from ..experiment import facts, load, measure, measurement, parser, ready, recorded
from ..ratios import Code

PAPER_SPEEDUP = 2.13
DEFAULT_H = 0.6
WITHIN = 1.10  # hybrid over the better pure mode that the library promises
MODES = ("topology", "data", "hybrid")
CHEN = ("chen_topology", "chen_data")
PEERS = ("ECL-GC v1.2", "kokkos-kernels-VB", "kokkos-kernels-EB")


class Rival(NamedTuple):
    """Another column of Table III: geometric mean of its times over the hybrid's, its own code here, and ours."""

    name: str
    slower: float
    theirs: Code
    ours: Code


RIVALS = (
    Rival("kokkos", 1.357, Code("kokkos-kernels-VB"), Code("speculative_vb")),
    Rival("cusparse", 0.276, Code("cusparse-csrcolor"), Code("cohen_castonguay")),
)


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    p = parser("benchmarks.papers.ipgc", __doc__, runs=11)
    p.add_argument("graph", nargs="*", help="names of the suite, or specs such as rgg:18 (default: the whole suite)")
    p.add_argument("--small", action="store_true", help="a small graph of each family instead")
    p.add_argument(
        "--H", type=float, nargs="+", default=[DEFAULT_H], help="thresholds, the first for the table (default 0.6)"
    )
    p.add_argument("--no-chen", action="store_true", help="leave out Chen et al.'s two")
    p.add_argument("--rounds", action="store_true", help="print worklist and mode of each round too")
    p.add_argument("--reference", type=Path, metavar="FILE", help="table of peers (graph, code, colors, ms, valid)")
    p.add_argument("--table", type=Path, metavar="FILE", help="measure nothing: print a result file as Markdown")
    return p.parse_args(argv)


def suite(args: argparse.Namespace) -> str | None:
    """Return the named set, if no graph is named."""
    return "small" if args.small else None if args.graph else "h200"


def codes(args: argparse.Namespace) -> dict[str, tuple[str, dict[str, Any]]]:
    """Name → algorithm and options of each column."""
    out: dict[str, tuple[str, dict[str, Any]]] = {m: ("ipgc", {"mode": m, "H": args.H[0]}) for m in MODES}
    out |= {f"hybrid H={h:g}": ("ipgc", {"mode": "hybrid", "H": h}) for h in args.H[1:]}
    return out if args.no_chen else out | {name: (name, {}) for name in CHEN}


def peers(path: Path | None) -> dict[str, dict[str, str]]:
    """Graph → code → "ms (colors)" of the codes worth a column."""
    out: dict[str, dict[str, str]] = {}
    for row in read_reference(path) if path else []:
        if row["code"] in PEERS:
            out.setdefault(row["graph"], {})[row["code"]] = f"{row['ms']:.3f} ({row['colors']})"
    return out


def table(rows: Sequence[Row], columns: Sequence[str], others: dict[str, dict[str, str]]) -> Table:
    """One line per graph, milliseconds with colors in parentheses."""
    out = Table(title="IPGC: milliseconds (colors)", title_justify="left", title_style="bold")
    named = [p for p in PEERS if any(p in row for row in others.values())]
    out.add_column("graph", no_wrap=True)
    for name in (*columns, "data / hybrid", "hybrid / better", *named):
        out.add_column(name, justify="right")
    for r in rows:
        cells = [f"{r[c]['ms']:.3f} ({r[c]['colors']})" for c in columns]
        ratio = over_better(r)
        verdict = f"[{'green' if ratio <= WITHIN else 'red'}]{ratio:.2f}[/]"
        peer_cells = [others.get(r["graph"], {}).get(p, "") for p in named]
        out.add_row(r["graph"], *cells, f"{speedup(r):.2f}", verdict, *peer_cells)
    return out


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a result file's Markdown tables, with the paper's speed-up under them."""
    rows = by_graph(records)
    left = {r["graph"]: r["figures"]["left_by_round_1"] for r in of_kind(records, "measurement")}
    columns = [c for c in (*MODES, *CHEN) if c in rows[0]]
    cells = {
        (r["graph"], c): f"{report.three_digits(r[c]['ms'])} ({r[c]['colors']}, {r[c]['rounds']})"
        for c in columns for r in rows
    }  # fmt: skip
    lines = [["graph", "data / hybrid", "hybrid / better", "left for round 2"]]
    lines += [[r["graph"], f"{speedup(r):.2f}", f"{over_better(r):.2f}", f"{left[r['graph']]:.1%}"] for r in rows]
    mean = statistics.geometric_mean(map(speedup, rows))
    note = f"Hybrid over data-driven: {mean:.2f} × (geometric mean); the paper: {PAPER_SPEEDUP} ×."
    about = f"{note} Milliseconds (colors, rounds), medians. {report.source(records)}"
    return [*report.pivot(cells, "graph"), "", *report.markdown(lines, range(1, 4)), "", about]


def thresholds(records: Sequence[Row]) -> list[str]:
    """Lines of a Markdown table: milliseconds of the hybrid for each threshold, and their mean over the mean of 0.6."""
    rows = by_graph(records)
    columns = sorted([DEFAULT_H, *(float(name.partition("=")[2]) for name in rows[0] if name.startswith("hybrid H="))])
    ms = [[r["hybrid" if h == DEFAULT_H else f"hybrid H={h:g}"]["ms"] for h in columns] for r in rows]
    lines = [["H", *(f"{h:g}" for h in columns)]]
    lines += [[r["graph"], *(f"{x:.3f}" for x in line)] for r, line in zip(rows, ms, strict=True)]
    at = columns.index(DEFAULT_H)
    means = [statistics.geometric_mean(line[k] / line[at] for line in ms) for k in range(len(columns))]
    lines.append([f"mean over H = {DEFAULT_H:g}", *(f"{x:.2f}" for x in means)])
    return [*report.markdown(lines, range(1, len(columns) + 1)), "", f"Milliseconds, medians. {report.source(records)}"]


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


def over_better(r: Row) -> float:
    """The hybrid's time over the time of the better pure mode."""
    return float(r["hybrid"]["ms"] / min(r["data"]["ms"], r["topology"]["ms"]))


def left_of(G: lagcolor.Graph, H: float) -> float:
    """Share of the vertices that the first round leaves to the second."""
    first = lagcolor.color(G, "ipgc", H=H, trace=True, verify=False).trace[0]
    return 1 - first["colored"] / first["active"]


def rounds_table(name: str, G: lagcolor.Graph, H: float) -> Table:
    """Worklist, mode and milliseconds of each round of a hybrid run."""
    out = Table(title=f"{name}: rounds of hybrid, H = {H:g}", title_justify="left", title_style="bold")
    for column in ("round", "worklist", "mode", "settled", "conflicts", "ms"):
        out.add_column(column, justify="right")
    for r in lagcolor.color(G, "ipgc", H=H, trace=True, verify=False).trace:
        cells = (
            r["round"],
            f"{r['active']:,}",
            r["mode"],
            f"{r['colored']:,}",
            f"{r['conflicts']:,}",
            f"{r['ms']:.4f}",
        )
        out.add_row(*map(str, cells))
    return out


def main(argv: Sequence[str] | None = None) -> int:
    """Run; 3 where hybrid is over 10 % slower than the better pure mode, 2 without a GPU."""
    args = arguments(argv)
    if args.table:
        print("\n".join(markdown(read_lines(args.table))))
        return 0
    if not ready(args, "pass --device cpu --small to try the same path on the CPU"):
        return 2
    console = report.console()
    columns, others = codes(args), peers(args.reference)
    out = recorded(args)
    for name, spec in graphs.resolve(args.graph, suite(args)):
        G = load(spec, args.device)
        about = facts(G, name, spec)
        for line in measure(G, about, columns, args.runs).values():
            out.add(line)
        out.add(measurement(about, "ipgc", {"H": args.H[0]}, left_by_round_1=left_of(G, args.H[0])))
        if args.rounds:
            console.print(rounds_table(name, G, args.H[0]))
    rows = by_graph(out.rows)
    console.print(table(rows, list(columns), others))
    mean = statistics.geometric_mean(map(speedup, rows))
    slower = [r["graph"] for r in rows if over_better(r) > WITHIN]
    console.print(f"hybrid over data-driven: {mean:.2f} × (geometric mean); the paper: {PAPER_SPEEDUP} ×")
    console.print(f"over {WITHIN:.2f} × the better pure mode on: {', '.join(slower) or 'no graph'}")
    return 3 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
