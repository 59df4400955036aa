"""Tables 2 and 3 of Feluca, and the choices that its paper leaves: traversal, length, strategies, measured again.

python -m benchmarks.papers.feluca --out feluca.jsonl
python -m benchmarks.papers.feluca road:700 my.mtx --device cpu --runs 3

Default: the ten graphs of the GPU table. If the paper has a graph of the same kind, its figures are printed as well.
The codes run in turn in one process, so that drift hits all alike; a row is the median. Every code is verified once;
one that takes longer than --limit is measured once. Every run gets a new Graph, so that its time includes
building the edge list.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Sequence
from typing import Any

from rich.table import Table

import lagcolor
from benchmarks.harness.results import Results, Row, Run, by_graph

from .. import outcome, report
from ..experiment import facts, load, measure, parser, ready, recorded

Codes = dict[str, dict[str, Any]]
ALPHAS = (0, 5, 10, 15)  # percent; the paper's choice, and the default here, is 10
DEFAULT, AT_ONCE = "α 10 %", "at once"
STAGES: Codes = {"recursion only": {"fraction": 1}, "sequential only": {"fraction": 0}}
SWITCH: Codes = {f"α {a} %": {"alpha": a / 100} for a in ALPHAS}
CHOICES: Codes = {
    "levels": {"traversal": "levels"}, "length 64": {"length": 64}, AT_ONCE: {"spread": "at_once"},
    "vertex": {"spread": "vertex"},
}  # fmt: skip
BASELINE = "first_fit"
# Our graph → the paper's of its kind; Tables 2 and 3, milliseconds on a P100 and colors.
KIN = {
    "road-24M": "RoadNet", "rmat22": "RMAT", "r4-2e23": "random", "social-4M": "soc-lj", "kron_g500-logn21": "twitter",
}  # fmt: skip
# What is compared: a code over another; 0: milliseconds, 1: colors.
COMPARED = (
    ("Table 2: time of sequential only over recursion only", "sequential only", "recursion only", 0),
    ("Table 2: colors of recursion only over sequential only", "recursion only", "sequential only", 1),
    ("Table 3: time of α = 15 % over 0", "α 15 %", "α 0 %", 0),
    ("Table 3: colors of α = 0 over 15 %", "α 0 %", "α 15 %", 1),
)
PAPER: dict[str, dict[str, tuple[float, int]]] = {
    "RoadNet": {
        "recursion only": (30.438, 110), "sequential only": (183.646, 6),
        "α 0 %": (12.524, 6), "α 5 %": (69.904, 6), "α 10 %": (46.804, 5), "α 15 %": (69.904, 5),
    },
    "RMAT": {
        "recursion only": (1892.932, 82), "sequential only": (7989.48, 78),
        "α 0 %": (410.309, 373), "α 5 %": (876.434, 281), "α 10 %": (1811.19, 79), "α 15 %": (2740.07, 72),
    },
    "random": {
        "recursion only": (3431.787, 89), "sequential only": (12496.272, 84),
        "α 0 %": (283.491, 207), "α 5 %": (320.409, 137), "α 10 %": (353.643, 86), "α 15 %": (640.6, 68),
    },
    "soc-lj": {
        "recursion only": (493.387, 490), "sequential only": (5002.41, 329),
        "α 0 %": (448.574, 427), "α 5 %": (587.678, 382), "α 10 %": (1180.12, 325), "α 15 %": (9547.69, 279),
    },
    "twitter": {
        "recursion only": (15319.55, 1189), "sequential only": (51823.1, 910),
        "α 0 %": (2275.83, 2068), "α 5 %": (4298.45, 1892), "α 10 %": (5040.66, 947), "α 15 %": (8847.25, 873),
    },
}  # fmt: skip


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    p = parser("benchmarks.papers.feluca", __doc__, runs=7)
    p.add_argument("graph", nargs="*", help="names of the GPU table, specs such as rgg:18, or files (default: all ten)")
    p.add_argument("--limit", type=float, default=1.5, help="seconds of a run beyond which one is enough (%(default)s)")
    return p.parse_args(argv)


def paper_cell(graph: str, code: str) -> str:
    """The paper's milliseconds (colors) for the graph of this kind; empty if there is none."""
    known = PAPER.get(KIN.get(graph, ""), {}).get(code)
    return "" if known is None else f"{known[0]:g} ({known[1]})"


def cell(row: dict[str, Any], code: str) -> str:
    """Milliseconds (colors)."""
    return f"{row[code]['ms']:.3f} ({row[code]['colors']})" if code in row else ""


def table(title: str, rows: Sequence[Row], codes: Sequence[str]) -> Table:
    """Two lines per graph: ours, and the paper's for its graph of the kind."""
    out = Table(title=f"{title}: milliseconds (colors)", title_justify="left")
    out.add_column("graph", no_wrap=True)
    for code in codes:
        out.add_column(code, justify="right")
    for r in rows:
        out.add_row(r["graph"], *(cell(r, code) for code in codes))
        if any(paper := [paper_cell(r["graph"], code) for code in codes]):
            out.add_row(f"  the paper's {KIN[r['graph']]}", *paper, style="dim")
    return out


def verdict(r: Row) -> str:
    """Whether the two stages beat either alone in time, and in colors."""
    both, words = r[DEFAULT], []
    for code in STAGES:
        alone = r[code]
        colors = both["colors"] - alone["colors"]
        words.append(f"{alone['ms'] / both['ms']:.2f} × as fast as {code}, with {colors:+d} colors")
    return f"{r['graph']}: {'; '.join(words)}"


def outcomes(records: Sequence[Row]) -> list[str]:
    """Lines of a Markdown table: what Tables 2 and 3 say of the paper's graph of a kind, and what is so here."""
    lines = [["", "paper", "here", "outcome"]]
    for r in by_graph(records):
        known = PAPER.get(KIN.get(r["graph"], ""))
        if known is None:
            continue
        for what, code, base, column in COMPARED:
            paper = known[code][column] / known[base][column]
            if code not in r or base not in r:
                lines.append([f"{what}, {r['graph']}", f"{paper:.2f}", "", "missing"])
                continue
            name = ("ms", "colors")[column]
            ours = r[code][name] / r[base][name]
            here = f"{ours:.2f} ({report.three_digits(r[code][name])} / {report.three_digits(r[base][name])})"
            lines.append([f"{what}, {r['graph']}", f"{paper:.2f}", here, outcome.of_ratio(ours, paper)])
    return [*report.markdown(lines), "", report.source(records)]


def strategies(records: Sequence[Row]) -> list[str]:
    """Lines of a Markdown table: the first strategy of section 4.2 over the second, if there is a second stage."""
    rows = [r for r in by_graph(records) if AT_ONCE in r and r[DEFAULT]["notes"]["left"]]
    lines = [["strategy 1 over strategy 2", "paper", "here", "outcome"]]
    claims = (("time", "ms", "similar", lambda x: outcome.of_ratio(x, 1.0)), ("colors", "colors", "over 1", _over_one))
    for what, name, paper, judge in claims:
        for r in rows:
            a, b = r[AT_ONCE][name], r[DEFAULT][name]
            here = f"{a / b:.2f} ({report.three_digits(a)} / {report.three_digits(b)})"
            lines.append([f"Section 4.2: {what}, {r['graph']}", paper, here, judge(a / b)])
    return [*report.markdown(lines), "", report.source(records)]


def _over_one(ratio: float) -> str:
    return outcome.of_ratio(ratio, None)


def left(records: Sequence[Row]) -> list[str]:
    """Lines of a Markdown table: how many vertices the second stage colors, by α."""
    lines = [["graph", *(f"{code}, left" for code in SWITCH)]]
    for r in by_graph(records):
        counts = (r[code]["notes"]["left"] if code in r else None for code in SWITCH)
        cells = ["" if k is None else f"{k:,} ({k / max(r['n'], 1):.1%})" for k in counts]
        lines.append([r["graph"], *cells])
    return [*report.markdown(lines, range(1, len(lines[0]))), "", report.source(records)]


def by_gpu(results: Results) -> list[str]:
    """Lines of a Markdown table: Figure 9, the default's milliseconds on the GPU of each file, in their order."""
    cells: dict[str, dict[str, Run]] = {}
    for run in results.runs:
        if run.code == DEFAULT:
            cells.setdefault(run.graph, {})[run.machine] = run
    machines = list(dict.fromkeys(run.machine for of in cells.values() for run in of.values()))
    lines = [["Figure 9: milliseconds (colors)", *machines, "falls, as in the paper"]]
    for graph, of in cells.items():
        if len(of) == len(machines):
            ms = [of[machine].ms or 0.0 for machine in machines]
            falls = all(outcome.winner(a / b) == 1 for a, b in itertools.pairwise(ms))
            shown = (f"{t:.3f} ({of[machine].colors})" for t, machine in zip(ms, machines, strict=True))
            lines.append([graph, *shown, ("agrees" if falls else "differs") if len(ms) > 1 else "missing"])
    return report.markdown(lines, range(1, len(machines) + 1))


def main(argv: Sequence[str] | None = None) -> int:
    """Run; return 2 without a GPU."""
    args = arguments(argv)
    if not ready(args):
        return 2
    console = report.console()
    options = STAGES | SWITCH | CHOICES
    codes = {name: ("feluca", chosen) for name, chosen in options.items()}
    out = recorded(args)
    for name in args.graph or lagcolor.generate.SUITE_H200:
        spec = lagcolor.generate.SUITE_H200.get(name, name)
        G = load(spec, args.device)
        about = facts(G, name, spec)
        measured = measure(G, about, codes, args.runs, args.limit)
        measured |= measure(G, about, {BASELINE: (BASELINE, {})}, args.runs)
        for line in measured.values():
            out.add(line)
        console.print(verdict(by_graph(out.rows)[-1]))
    rows = by_graph(out.rows)
    console.print(table("Table 2", rows, [*STAGES, DEFAULT]), table("Table 3", rows, list(SWITCH)))
    console.print(table("Traversal, length, strategies, first_fit", rows, [DEFAULT, *CHOICES, BASELINE]))
    console.print(
        "\n".join([*outcomes(out.rows), "", *strategies(out.rows), "", *left(out.rows)]), markup=False, soft_wrap=True
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
