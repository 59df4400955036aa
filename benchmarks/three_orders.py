"""`balanced` beside `fast`, and beside the best of three orders of first-fit, on real graphs.

python -m benchmarks.three_orders [GRAPH …] [--device cpu] [--runs N] [--peer FILE.csv] [--out FILE]

GRAPH is a name of a suite, a file or a spec; default: the suite real. Milliseconds are medians of whole calls of
`color` on a canonical graph. The orders are natural, largest_first and smallest_last, colored by `greedy` on the CPU.
--peer is a table with the columns graph and colors of another code. Colorings are verified; graphs without edges are
left out.
"""

from __future__ import annotations

import csv
import itertools
import math
import statistics
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import lagcolor
from lagcolor.bench.results import Row, geometric_mean, of_kind

from . import report
from .experiment import graphs, measurement, milliseconds, parser, ready, recorded

ORDERS = ("natural", "largest_first", "smallest_last")
SIZES = (0, 10**4, 10**5, 10**6, 10**10)  # stored entries


def of_graph(G: lagcolor.Graph, about: Row, runs: int, peer: int | None = None) -> Row:
    """The line of a graph; both qualities in turn, after a run of each that warms up."""
    host = G.on("cpu")
    orders = {order: lagcolor.color(host, "greedy", order=order).n_colors for order in ORDERS}
    every: dict[str, list[tuple[float, int]]] = {"fast": [], "balanced": []}
    for i in range(runs + 1):
        for quality, done in every.items():
            fresh = lagcolor.Graph(G.indptr, G.indices)
            result, ms = milliseconds(partial(lagcolor.color, fresh, quality=quality, verify=False), about["device"])
            if i:
                done.append((ms, result.n_colors))
            else:
                lagcolor.verify(G, result.colors)
    figures: dict[str, Any] = {"orders": min(orders.values()), **orders, **({} if peer is None else {"peer": peer})}
    for quality, done in every.items():
        figures |= {
            f"{quality}_ms": statistics.median(ms for ms, _ in done),
            f"{quality}_colors": max(k for _, k in done),
        }
    return measurement(about, "three_orders", {}, **figures)


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table by stored entries, and which graphs take more colors than orders or the peer."""
    lines = [line for line in of_kind(records, "measurement") if line["code"] == "three_orders"]
    rows = [
        ["stored entries", "graphs", "balanced / fast", "at most", "more colors than the best order", "than the peer"]
    ]
    for low, high in [*itertools.pairwise(SIZES), (SIZES[1], SIZES[-1]), (SIZES[0], SIZES[-1])]:
        some = [line["figures"] for line in lines if low <= line["m"] < high]
        if not some:
            continue
        times = [f["balanced_ms"] / f["fast_ms"] for f in some]
        more = [sum(f["balanced_colors"] > f.get(key, math.inf) for f in some) for key in ("orders", "peer")]
        size = f"{low:,} to {high:,}" if high < SIZES[-1] else f"from {low:,}"
        rows.append([size, str(len(some)), f"{geometric_mean(times):.2f}", f"{max(times):.2f}", *map(str, more)])
    out = report.markdown(rows, numbers=range(1, 6))
    for key, name in (("orders", "the best order"), ("peer", "the peer")):
        over = [(line["graph"], f["balanced_colors"], f[key]) for line in lines if key in (f := line["figures"])]
        said = ", ".join(f"{graph} ({mine}, {other})" for graph, mine, other in over if mine > other)
        out += ["", f"More colors than {name}: {said or 'none'}."]
    return [*out, "", f"Geometric means of medians. {report.source(records)}"]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table; 2 where there is no GPU."""
    p = parser("benchmarks.three_orders", __doc__, runs=3)
    p.add_argument("graph", nargs="*", metavar="GRAPH")
    p.add_argument("--peer", type=Path, metavar="FILE.csv", help="colors of another code")
    args = p.parse_args(argv)
    if not ready(args):
        return 2
    peers = {}
    if args.peer:
        with args.peer.open() as lines:
            peers = {row["graph"]: int(row["colors"]) for row in csv.DictReader(lines)}
    out = recorded(args)
    for G, about in graphs(args, "real"):
        if G.m:
            out.add(of_graph(G, about, args.runs, peers.get(about["graph"])))
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
