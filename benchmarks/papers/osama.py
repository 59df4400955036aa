"""Figures 1 to 3 of Osama et al. 2019: what the paper says of its codes' times and colors, on generated graphs.

python -m benchmarks.papers.osama --out osama.jsonl
python -m benchmarks.papers.osama rgg:16 my.mtx --device cpu --runs 3

The paper's bars are not printed as numbers; its text gives ratios, and which of two is better. They are geometric means
over graphs; ours are over the graphs measured here: random geometric ones as in its Figure 3, meshes of the shape of
some of its matrices. Colors of these algorithms are the same on a CPU and a GPU, so that those can be judged on either;
times are only comparable on a GPU. The codes run in turn in one process; a row is the median.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

from rich.table import Table

import lagcolor
from lagcolor.bench.results import Row, by_graph

from .. import outcome, report
from ..experiment import facts, load, measure, parser, ready, recorded

# G3_circuit, ecology2 and parabolic_fem are meshes of such sizes; atmosmodd is a seven-point grid.
GRAPHS = {
    "ecology2-like": "grid2d:1000",
    "G3_circuit-like": "grid2d:1260",
    "atmosmodd-like": "grid3d:148,148,58",
    "fem-like": "stencil27:50",
    "delaunay": "delaunay:18",
    **{f"rgg_n_2_{scale}": f"rgg:{scale}" for scale in (15, 16, 17, 18, 19, 20)},
}
CODES: dict[str, tuple[str, dict[str, Any]]] = {
    "Gunrock IS": ("gunrock_is", {}),
    "Gunrock Hash": ("gunrock_hash", {}),
    "Gunrock AR": ("gunrock_ar", {}),
    "GraphBLAS IS": ("luby_is", {}),
    "GraphBLAS JP": ("jones_plassmann_gb", {}),
    "GraphBLAS MIS": ("luby_mis", {}),
    "JPL": ("jpl", {}),
    "CC": ("cohen_castonguay", {}),
}
GREEDY = "greedy, CPU"


class Claim(NamedTuple):
    """``a`` over ``b`` in time or colors: the paper's ratio, or None where it says only that it is over 1."""

    what: str
    a: str
    b: str
    paper: float | None


CLAIMS = (
    Claim("colors", "JPL", "GraphBLAS MIS", 1.9),
    Claim("colors", "CC", "GraphBLAS MIS", 5.0),
    Claim("colors", "GraphBLAS JP", "GraphBLAS MIS", 2.5),
    Claim("colors", "GraphBLAS IS", "GraphBLAS MIS", 2.9),
    Claim("colors", GREEDY, "GraphBLAS MIS", 1.014),
    Claim("colors", "Gunrock IS", "Gunrock Hash", None),
    Claim("colors", "GraphBLAS IS", "Gunrock IS", 1.14),
    Claim("ms", "JPL", "Gunrock IS", 1.3),
    Claim("ms", "Gunrock AR", "Gunrock IS", None),
    Claim("ms", "Gunrock Hash", "Gunrock IS", None),
    Claim("ms", "GraphBLAS JP", "GraphBLAS IS", 1.98),
    Claim("ms", "GraphBLAS MIS", "GraphBLAS IS", 3.0),
    Claim("ms", GREEDY, "GraphBLAS MIS", 2.6),
)


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parsed command line."""
    p = parser("benchmarks.papers.osama", __doc__, runs=7)
    p.add_argument(
        "graph", nargs="*", help="names of the list here, specs such as rgg:18, or files (default: the list)"
    )
    return p.parse_args(argv)


def of_graph(G: lagcolor.Graph, about: Row, runs: int) -> list[Row]:
    """The lines of all codes; greedy in natural order on the CPU."""
    greedy = measure(G.on("cpu"), {**about, "device": "cpu"}, {GREEDY: ("greedy", {})}, runs)
    return [*measure(G, about, CODES, runs).values(), *greedy.values()]


def judge(rows: Sequence[Row], on_gpu: bool) -> list[dict[str, Any]]:
    """An outcome per claim; claims of time are judged on a GPU only."""
    out = []
    for claim in CLAIMS:
        ours = statistics.geometric_mean(r[claim.a][claim.what] / r[claim.b][claim.what] for r in rows)
        judged = outcome.of_ratio(ours, claim.paper) if on_gpu or claim.what == "colors" else "not judged on a CPU"
        out.append({**claim._asdict(), "ours": round(ours, 3), "verdict": judged})
    return out


def table(claims: Sequence[dict[str, Any]]) -> Table:
    """The paper's ratios beside ours."""
    out = Table(title="a / b, geometric means", title_justify="left")
    for name in ("of", "a", "b"):
        out.add_column(name, no_wrap=True)
    for name in ("the paper", "here", "outcome"):
        out.add_column(name, justify="right", no_wrap=True)
    for c in claims:
        paper = "over 1" if c["paper"] is None else f"{c['paper']:g}"
        out.add_row(c["what"], c["a"], c["b"], paper, f"{c['ours']:.2f}", c["verdict"])
    return out


def times(records: Sequence[Row]) -> list[str]:
    """Lines of a Markdown table of what the paper says of times."""
    return _claims(records, "ms", "time of")


def colors(records: Sequence[Row]) -> list[str]:
    """Lines of a Markdown table of what the paper says of colors."""
    return _claims(records, "colors", "colors of")


def _claims(records: Sequence[Row], what: str, title: str) -> list[str]:
    lines = [[title, "over", "paper", "here", "outcome"]]
    for c in (c for c in judge(by_graph(records), records[0]["device"] != "cpu") if c["what"] == what):
        paper = "over 1" if c["paper"] is None else f"{c['paper']:g}"
        lines.append([c["a"], c["b"], paper, f"{c['ours']:.2f}", c["verdict"]])
    return [*report.markdown(lines), "", f"Geometric means. {report.source(records)}"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run; 2 where there is no GPU."""
    args = arguments(argv)
    if not ready(args, "pass --device cpu to judge the colors on the CPU"):
        return 2
    console = report.console()
    out = recorded(args)
    for name in args.graph or GRAPHS:
        spec = GRAPHS.get(name, name)
        G = load(spec, args.device)
        for line in of_graph(G, facts(G, name, spec), args.runs):
            out.add(line)
    console.print(table(judge(by_graph(out.rows), args.device != "cpu")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
