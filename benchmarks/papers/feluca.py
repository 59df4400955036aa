"""Tables 2 and 3 of Feluca, and the two strategies of its section 4.2, measured again.

python -m benchmarks.papers.feluca --out feluca.jsonl
python -m benchmarks.papers.feluca road:700 my.mtx --device cpu --runs 3

Default: the ten graphs of the GPU table. If the paper has a graph of the same kind, its figures are printed as well.
The codes run in turn in one process, so that drift hits all alike; a row is the median. Every code is verified once;
one that takes longer than --limit is measured once. Every run gets a new Graph, so that its time includes
building the edge list.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from rich.table import Table

import lagcolor
from benchmarks.harness.results import Row, by_graph

from .. import outcome, report
from ..experiment import facts, load, measure, parser, ready, recorded

Codes = dict[str, dict[str, Any]]
ALPHAS = (0, 5, 10, 15)  # percent; the paper's choice, and the default here, is 10
DEFAULT, AT_ONCE = "α 10 %", "at once"
STAGES: Codes = {"recursion only": {"fraction": 1}, "sequential only": {"fraction": 0}}
SWITCH: Codes = {f"α {a} %": {"alpha": a / 100} for a in ALPHAS}
CHOICES: Codes = {AT_ONCE: {"spread": "at_once"}}
# Our graph → the paper's of its kind; Tables 2 and 3, milliseconds on a P100 and colors.
KIN = {
    "road-24M": "RoadNet", "rmat22": "RMAT", "r4-2e23": "random", "social-4M": "soc-lj", "kron_g500-logn21": "twitter",
}  # fmt: skip
# What is compared: a code over another, by 0: milliseconds, 1: colors.
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
    """Lines of a Markdown table: ratios of Tables 2 and 3, of the paper's graph of a kind and of the graph here."""
    rows = [r for r in by_graph(records) if r["graph"] in KIN]
    lines = [["paper, here, outcome", *(r["graph"] for r in rows)]]
    for what, code, base, column in COMPARED:
        cells, name = [], ("ms", "colors")[column]
        for r in rows:
            known = PAPER[KIN[r["graph"]]]
            paper = known[code][column] / known[base][column]
            ours = r[code][name] / r[base][name] if code in r and base in r else None
            judged = f"{ours:.2f}, {outcome.of_ratio(ours, paper)}" if ours is not None else outcome.MISSING
            cells.append(f"{paper:.2f}, {judged}")
        lines.append([what, *cells])
    return [*report.markdown(lines), "", report.source(records)]


def strategies(records: Sequence[Row]) -> list[str]:
    """Lines of a Markdown table: the first strategy of section 4.2 over the second, if there is a second stage."""
    rows = [r for r in by_graph(records) if AT_ONCE in r and r[DEFAULT]["notes"]["left"]]
    lines = [["strategy 1 over strategy 2", "paper", *(r["graph"] for r in rows)]]
    claims = (("time", "ms", "similar", lambda x: outcome.of_ratio(x, 1.0)), ("colors", "colors", "over 1", _over_one))
    for what, name, paper, judge in claims:
        pairs = [(r[AT_ONCE][name], r[DEFAULT][name]) for r in rows]
        lines.append([what, paper, *(f"{a / b:.2f} ({_three(a)} / {_three(b)}): {judge(a / b)}" for a, b in pairs)])
    return [*report.markdown(lines), "", report.source(records)]


def _three(number: float) -> str:
    return report.three_digits(number)


def _over_one(ratio: float) -> str:
    return outcome.of_ratio(ratio, None)


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
        for line in measure(G, about, codes, args.runs, args.limit).values():
            out.add(line)
        console.print(verdict(by_graph(out.rows)[-1]))
    rows = by_graph(out.rows)
    console.print(table("Table 2", rows, [*STAGES, DEFAULT]), table("Table 3", rows, list(SWITCH)))
    console.print(table("Strategies", rows, [DEFAULT, *CHOICES]))
    console.print("\n".join([*outcomes(out.rows), "", *strategies(out.rows)]), markup=False, soft_wrap=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
