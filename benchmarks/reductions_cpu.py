"""What the reductions save of `greedy` in the order largest_first on a CPU, beside DSATUR, and how long they take.

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

from . import report
from .experiment import facts, load, parser, recorded

COLUMNS = ("largest_first", "heuristics", "iterated_greedy", "ejection_least", "ejection", "dsatur")
TITLES = ("largest_first", "heuristics", "iterated greedy", "ejection, to DSATUR's", "ejection", "`dsatur`")


def of_graph(G: lagcolor.Graph, runs: int) -> dict[str, dict[str, Any]]:
    """Column → colors and median milliseconds."""
    every: dict[str, list[tuple[int, float]]] = {name: [] for name in COLUMNS}
    for _ in range(runs):
        for name, result in once(lagcolor.Graph(G.indptr, G.indices)).items():
            lagcolor.verify(G, result.colors)
            spent = result.notes.get("reduction_seconds", result.seconds + result.order_seconds)
            every[name].append((result.n_colors, spent * 1e3))
    return {
        name: {"colors": found[0][0], "ms": statistics.median(ms for _, ms in found), "ms_all": [ms for _, ms in found]}
        for name, found in every.items()
    }


def once(G: lagcolor.Graph) -> dict[str, lagcolor.Coloring]:
    """Each of them once."""
    first = lagcolor.color(G, "greedy", "largest_first")
    best = lagcolor.color(G, "dsatur")
    return {
        "largest_first": first,
        "heuristics": lagcolor.reduce(G, first.colors),
        "iterated_greedy": lagcolor.reduce(G, first.colors, method="iterated_greedy", rounds=10, threads=1),
        "ejection_least": lagcolor.reduce(G, first.colors, method="ejection", least=best.n_colors),
        "ejection": lagcolor.reduce(G, first.colors, method="ejection"),
        "dsatur": best,
    }


def markdown(records: Sequence[report.Record]) -> list[str]:
    """Lines of a table of colors / milliseconds."""
    lines = [["graph", *TITLES]]
    for r in records:
        if r["kind"] == "result":
            lines.append([r["graph"], *(f"{r[name]['colors']:,} / {r[name]['ms']:.3g}" for name in COLUMNS)])
    runs = records[0]["runs"]
    return [*report.markdown(lines), "", f"Medians of {runs} runs, every coloring verified. {report.source(records)}"]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table."""
    p = parser("benchmarks.reductions_cpu", __doc__, runs=3)
    p.add_argument("graph", nargs="*", default=list(lagcolor.generate.SUITE_CPU))
    p.set_defaults(device="cpu")
    args = p.parse_args(argv)
    with recorded(args) as sink:
        for name in args.graph:
            source = lagcolor.generate.SUITE_CPU.get(name, name)
            G = load(source, "cpu")
            sink.add("result", graph=name, **facts(G, source), **of_graph(G, args.runs))
        print("\n".join(markdown(sink.records)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
