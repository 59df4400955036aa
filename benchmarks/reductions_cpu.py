"""Colors that reductions save after `greedy` in the order largest_first on a CPU, their times, and DSATUR.

python -m benchmarks.reductions_cpu [GRAPH …] [--runs N] [--out FILE]

GRAPH is a name of the CPU suite, a generator's spec or a file. Iterated greedy makes ten passes. Ejection runs twice:
to the colors of `dsatur` (`least`), and to its default limits. All on one thread, in turn; times are medians, DSATUR's
and greedy's with their orders. Every coloring is verified.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from typing import Any

import lagcolor
from benchmarks.harness.results import Row, by_graph

from . import report
from .experiment import facts, load, parser, recorded

COLUMNS = ("largest_first", "heuristics", "iterated_greedy", "ejection_least", "ejection", "dsatur")
COLORINGS = ("largest_first", "dsatur")  # columns without a time: other pages have it
TITLES = ("largest_first", "heuristics", "iterated greedy", "ejection, to DSATUR's", "ejection", "`dsatur`")


def of_graph(G: lagcolor.Graph, about: Row, runs: int) -> list[Row]:
    """A line per column; of a reduction's its own milliseconds."""
    every: dict[str, list[Row]] = {name: [] for name in COLUMNS}
    once(lagcolor.generate.rmat(8))  # compiles or loads the code
    for _ in range(runs):
        for name, (options, result) in once(lagcolor.Graph(G.indptr, G.indices)).items():
            lagcolor.verify(G, result.colors)
            spent = result.notes.get("reduction_seconds", result.seconds + result.order_seconds)
            code = {"code": "reduce" if options else result.algorithm, "variant": name, "options": options}
            more = {"order": result.order, "colors": result.n_colors, "ms": spent * 1e3, "verified": True}
            every[name].append({"kind": "run", **about, **code, **more})
    times = {name: [line["ms"] for line in lines] for name, lines in every.items()}
    return [{**lines[0], "ms": statistics.median(times[n]), "ms_all": times[n]} for n, lines in every.items()]


def once(G: lagcolor.Graph) -> dict[str, tuple[dict[str, Any], lagcolor.Coloring]]:
    """The options of `reduce` for each column, and what it gives; none for a coloring."""
    first = lagcolor.color(G, "greedy", "largest_first")
    best = lagcolor.color(G, "dsatur")
    reductions: dict[str, dict[str, Any]] = {
        "heuristics": {"method": "heuristics"},
        "iterated_greedy": {"method": "iterated_greedy", "rounds": 10, "threads": 1},
        "ejection_least": {"method": "ejection", "least": best.n_colors},
        "ejection": {"method": "ejection"},
    }
    reduced = {name: (chosen, lagcolor.reduce(G, first.colors, **chosen)) for name, chosen in reductions.items()}
    return {"largest_first": ({}, first), **reduced, "dsatur": ({}, best)}


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table: colors, and the milliseconds of reductions."""
    lines, rows = [["graph", *TITLES]], by_graph(records)
    for r in rows:
        lines.append([
            r["graph"],
            *(
                f"{r[name]['colors']:,}" + ("" if name in COLORINGS else f" / {report.three_digits(r[name]['ms'])}")
                for name in COLUMNS
            ),
        ])  # fmt: skip
    means = {
        name: 100 * (1 - statistics.geometric_mean(r[name]["colors"] / r[COLUMNS[0]]["colors"] for r in rows))
        for name in ("heuristics", "iterated_greedy", "ejection")
    }
    answer = (
        f"Ejection saves {means['ejection']:.0f} % of the colors of `greedy` in the geometric mean, iterated greedy "
        f"{means['iterated_greedy']:.0f} %, and the heuristics of ECL-GC {means['heuristics']:.0f} %."
    )
    runs = records[0]["settings"]["runs"]
    caption = f"Colors, and milliseconds of the reduction. Medians of {runs} runs, every coloring verified."
    return [answer, "", *report.markdown(lines), "", f"{caption} {report.source(records)}"]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table."""
    p = parser("benchmarks.reductions_cpu", __doc__, runs=3)
    p.add_argument("graph", nargs="*", default=list(lagcolor.generate.SUITE_CPU))
    p.set_defaults(device="cpu")
    args = p.parse_args(argv)
    out = recorded(args)
    for name in args.graph:
        spec = lagcolor.generate.SUITE_CPU.get(name, name)
        G = load(spec, "cpu")
        for line in of_graph(G, facts(G, name, spec), args.runs):
            out.add(line)
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
