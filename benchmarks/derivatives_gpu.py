"""Distance-2, star and acyclic colorings on a GPU, compared with Kokkos Kernels.

python -m benchmarks.derivatives_gpu [GRAPH …] [--runs N] [--peers FILE.csv] [--out FILE] [--limit SECONDS]

GRAPH is one of the peers' table, or a spec. A time is the median of whole calls of `lagcolor.color`, with the order,
from a graph that is on the GPU. --peers: times of a table of other codes, measured elsewhere; the fastest is a column.
"""

from __future__ import annotations

import csv
import statistics
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

import lagcolor
from benchmarks.harness.results import Row, of_kind
from lagcolor.generate import SUITE_H200

from . import report
from .experiment import facts, measurement, milliseconds, parser, ready, recorded

GRAPHS = {
    **{name: SUITE_H200[name] for name in ("2d-2e20", "delaunay_n20", "fd7-200", "fem27-128", "r4-2e23", "road-24M")},
    "rgg_n_2_20": "rgg:20",
    "r4-2e20": "uniform:2**20,4",
    "rmat16": "rmat:16",
}
ORDERS = {
    "distance2": (None, "natural", "random", "largest_first"),
    "star": (None, "random"),
    "acyclic": (None, "random"),
}
SEEDS = {"largest_first": 0}  # ties at random
DEFAULT, PEER = "default", "Kokkos, fastest"  # heads of columns
LARGEST = 100_000_000  # entries of neighborhoods; of graphs with more, distance 2 alone is measured
VERIFIED = 400_000_000


def codes(G: lagcolor.Graph) -> dict[str, Callable[[], lagcolor.Coloring]]:
    """Name → a call that colors the graph anew."""
    return {
        f"{problem}, {order or DEFAULT}": partial(
            lagcolor.color, G, order=order, seed=SEEDS.get(order or ""), problem=problem, verify=False
        )
        for problem, orders in ORDERS.items()
        for order in orders
    }


def two_hops(G: lagcolor.Graph) -> int:
    """Entries of the neighborhoods of all neighbors."""
    degrees = G.xp.diff(G.indptr).astype(np.int64)
    return int((degrees * degrees).sum())


def of_graph(name: str, G: lagcolor.Graph, spec: str, runs: int, limit: float) -> list[Row]:
    """A line per code."""
    about, entries = facts(G, name, spec), two_hops(G)
    return [
        measurement(about, code, {}, **timed(code, call, runs, limit, entries <= VERIFIED))
        for code, call in codes(G).items()
        if entries <= LARGEST or code.startswith("distance2")
    ]


def timed(code: str, call: Callable[[], lagcolor.Coloring], runs: int, limit: float, verified: bool) -> Row:
    """Milliseconds of calls, and the colors, checked or not."""
    result, ms = call(), []
    if verified:
        lagcolor.verify(result.graph, result.colors, problem=code.partition(",")[0])
    for _ in range(runs):
        result, took = milliseconds(call, "cuda")
        ms.append(took)
        if sum(ms) > 1e3 * limit:
            break
    print(f"{code}: {statistics.median(ms):.3f} ms, {result.n_colors} colors", flush=True)
    return {"ms": statistics.median(ms), "ms_all": ms, "colors": result.n_colors, "verified": verified}


def references(file: Path, graph: str) -> list[Row]:
    """What a table of peers says of a graph, without improper colorings."""
    rows = csv.DictReader(file.read_text().splitlines())
    return [
        {"kind": "reference", "graph": graph, "code": row["code"], "colors": int(row["colors"]),
         "ms": float(row["ms"]), "from": file.name}
        for row in rows
        if row["valid"] == "yes" and row["graph"] == graph
    ]  # fmt: skip


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table for each problem: milliseconds (colors) by graph and order, and the fastest code of Kokkos."""
    problems: dict[str, dict[str, dict[str, Row]]] = {}
    for line in of_kind(records, "measurement"):
        problem, _, code = line["code"].partition(", ")
        order = code.removeprefix("first_fit, ").removeprefix("speculative, ")
        if order in map(str, ORDERS.get(problem, ())) or (problem in ORDERS and order == DEFAULT):
            problems.setdefault(problem, {}).setdefault(line["graph"], {})[order.replace("_", " ")] = line["figures"]
    ratios = []
    for graph, orders in problems.get("distance2", {}).items():
        others = [row for row in of_kind(records, "reference") if row["graph"] == graph and " d2 " in row["code"]]
        if others:
            orders[PEER] = min(others, key=lambda row: row["ms"])
            ratios.append(orders["random"]["ms"] / orders[PEER]["ms"])
    answer = []
    if ratios:
        answer = [
            f"Distance 2 in random order takes {min(ratios):.2f} to {max(ratios):.2f} times the time of the fastest "
            f"code of Kokkos Kernels on {len(ratios)} graphs.", "",
        ]  # fmt: skip
    tables: dict[str, dict[tuple[str, str], str]] = {"Distance 2": {}, "Star and acyclic": {}}
    for problem, graphs in problems.items():
        cells = tables["Distance 2" if problem == "distance2" else "Star and acyclic"]
        head = "" if problem == "distance2" else f"{problem}, "
        cells |= {(graph, head + order): _cell(f) for graph, orders in graphs.items() for order, f in orders.items()}
    out = [line for title, cells in tables.items() for line in report.titled(title, report.pivot(cells, "graph"))]
    peer = f" {PEER}: version 4.7, before its pull request 3307, in another session on this kind of GPU." * bool(ratios)
    return [*answer, *out, f"Milliseconds (colors), medians.{peer} {report.source(records)}"]


def _cell(figures: Row) -> str:
    return f"{report.three_digits(figures['ms'])} ({figures['colors']:,})"


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table; return 2 without a GPU."""
    p = parser("benchmarks.derivatives_gpu", __doc__, runs=5)
    p.add_argument("graph", nargs="*", default=list(GRAPHS), metavar="GRAPH")
    p.add_argument("--peers", type=Path, metavar="FILE.csv", help="times of other codes, measured elsewhere")
    p.add_argument("--limit", type=float, default=1.0, help="seconds of runs of one code (default %(default)s)")
    args = p.parse_args(argv)
    if not ready(args, "benchmarks.derivatives_cpu measures these problems on a CPU"):
        return 2
    out = recorded(args)
    for name in args.graph:
        spec = GRAPHS.get(name, name)
        lines = of_graph(name, lagcolor.generate.from_spec(spec, device="cuda"), spec, args.runs, args.limit)
        for line in [*lines, *(references(args.peers, name) if args.peers else [])]:
            out.add(line)
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
