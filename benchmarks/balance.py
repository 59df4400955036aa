"""Class sizes of `first_fit` after `lagcolor.balance`, and its time compared with the coloring.

python -m benchmarks.balance [GRAPH …] [--ratio R] [--device cpu] [--runs N] [--out FILE]

GRAPH is a name of a suite, a file or a spec; default: the device's suite. Milliseconds are medians of events on a GPU,
of perf_counter on a CPU: of `first_fit` with its order, and of balancing alone, from colors that are known to be proper
to the sizes of the new classes. Results are verified.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from typing import Any

import lagcolor
from benchmarks.harness.results import Row, of_kind
from lagcolor.api.session import Clock
from lagcolor.base.log import Log
from lagcolor.engines.balance.even import Evenness, balanced
from lagcolor.problems.balance import balance_of

from . import report
from .experiment import graphs, measurement, parser, ready, recorded


def of_graph(G: lagcolor.Graph, about: Row, ratio: float, runs: int) -> Row:
    """The line of a graph; colorings and balancings in turn."""
    every: list[tuple[float, float]] = []
    first = lagcolor.color(G, "first_fit", verify=False)
    k = first.n_colors
    for i in range(runs + 1):  # the first warms up
        fresh = lagcolor.Graph(G.indptr, G.indices)
        first, log = lagcolor.color(fresh, "first_fit", verify=False), Log(trace=not G.on_gpu)
        with Clock(fresh, log) as watch:
            colors = balanced(fresh, first.colors, Evenness(ratio), log)
        if i:
            every.append(((first.seconds + first.order_seconds) * 1e3, watch.seconds * 1e3))
    lagcolor.verify(G, colors)
    before, after = balance_of(first), balance_of(colors, k)
    figures: dict[str, Any] = {
        "colors": k, "largest": before.largest[1], "smallest": before.smallest[1], "ratio": before.ratio,
        "largest_after": after.largest[1], "smallest_after": after.smallest[1], "ratio_after": after.ratio,
        "rounds": log.rounds, "reached": log.notes["balance"]["reached"],
        "first_fit_ms": statistics.median(a for a, _ in every), "ms": statistics.median(b for _, b in every),
        "ms_all": [b for _, b in every],
    }  # fmt: skip
    if log.rows:
        figures["read"] = sum(row["read"] for row in log.rows) / max(G.m, 1)
    return measurement(about, "balance", {"ratio": ratio}, **figures)


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table of sizes and times."""
    rows = [["graph", "colors", "largest / smallest class before", "after", "time / time of `first_fit`"]]
    lines = of_kind(records, "measurement")
    for line in lines:
        f = line["figures"]
        sizes = (f"{f['largest' + a]:,} / {f['smallest' + a]:,}" for a in ("", "_after"))
        rows.append([line["graph"], str(f["colors"]), *sizes, f"{f['ms'] / f['first_fit_ms']:.2f}"])
    ratio, times = max(line["figures"]["ratio_after"] for line in lines), [float(row[-1]) for row in rows[1:]]
    answer = (
        f"After `balance` the largest class is at most {ratio:.2f} times the smallest. It takes {min(times)} to "
        f"{max(times)} times the time of `first_fit`."
    )
    return [answer, "", *report.markdown(rows, numbers=range(1, 5)), "", f"Medians. {report.source(records)}"]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table; return 2 without a GPU."""
    p = parser("benchmarks.balance", __doc__, runs=7)
    p.add_argument("graph", nargs="*", metavar="GRAPH")
    p.add_argument("--ratio", type=float, default=1.05, help="largest to smallest class (default %(default)s)")
    args = p.parse_args(argv)
    if not ready(args):
        return 2
    out = recorded(args)
    for G, about in graphs(args):
        line = of_graph(G, about, args.ratio, args.runs)
        f = line["figures"]
        print(f"{line['graph']}: {f['ratio']:.3g} to {f['ratio_after']:.3f}, {f['ms']:.3f} ms", flush=True)
        out.add(line)
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
