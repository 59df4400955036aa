"""The CPU engine of `semirings` compared with plain python-graphblas, and the colors of `luby_mis`.

python -m benchmarks.semirings_cpu [GRAPH …] [--runs N] [--threads N] [--out FILE] [--colors GRAPH …]
    [--orders ORDER …]

GRAPH is a generator's spec or a file. Each algorithm runs in the verbs and by hand (benchmarks.peers.by_hand), in turn,
with colors compared; a row has both medians and the median of the ratios of neighboring runs, which drift of the
machine hits alike. With one thread, times are CPU times of the thread, so that other processes do not count; with more,
they are wall times. Threads sleep while they wait, unless OMP_WAIT_POLICY=active. `--colors`: colors of luby_mis, with
each of `--orders`, over colors of greedy in natural order, and the geometric mean.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import graphblas as gb
import numpy as np

import lagcolor
from benchmarks.harness.results import ResultFile, Row, of_kind
from benchmarks.peers.by_hand import METHODS
from lagcolor.algorithms.osama_graphblas.adapter import matrix
from lagcolor.base.log import Log
from lagcolor.orders import Priorities
from semirings import waiting

from . import report
from .experiment import facts, load, measurement, parser, recorded

GRAPHS = (
    "grid2d:128",
    "grid2d:512",
    "stencil27:24",
    "rgg:16",
    "delaunay:16",
    "rmat:14",
    "kron_g500:12",
    "uniform:65536,4",
)
ALGORITHMS = ("luby_is", "luby_mis", "jones_plassmann_gb")


def compare(name: str, G: lagcolor.Graph, repeat: int, clock: Callable[[], float], out: ResultFile) -> None:
    """A line for each algorithm."""
    p = Priorities.of(G, "random", seed=0)
    A, w = matrix(G).gb, p.p + np.int32(1)
    for algorithm in ALGORITHMS:
        by_hand = METHODS[algorithm.removesuffix("_gb")]
        run = lagcolor.ALGORITHMS[algorithm].run
        codes: list[Callable[[], Any]] = [
            lambda run=run: run(G, p, Log()),
            lambda by_hand=by_hand: by_hand(A, gb.Vector.from_dense(w)).to_dense() - np.int32(1),
        ]
        if not np.array_equal(*(code() for code in codes)):
            sys.exit(f"{algorithm} on {name}: colors differ")
        ms: list[list[float]] = [[], []]
        for k in range(repeat):
            for i in (0, 1) if k % 2 else (1, 0):
                start = clock()
                codes[i]()
                ms[i].append((clock() - start) * 1e3)
        figures = {
            "verbs_ms": statistics.median(ms[0]),
            "by_hand_ms": statistics.median(ms[1]),
            "ratio": statistics.median(x / y for x, y in zip(*ms, strict=True)),
            "ratio_of_minima": min(ms[0]) / min(ms[1]),
        }
        out.add(measurement(facts(G, name, name), algorithm, {"order": "random", "seed": 0}, **figures))


def colors(names: list[str], orders: list[str], out: ResultFile) -> None:
    """Compare the colors of luby_mis and greedy."""
    for name in names:
        G = load(name, "cpu")
        greedy = lagcolor.color(G, "greedy", order="natural").n_colors
        for order in orders:
            ours = lagcolor.color(G, "luby_mis", order=order, verify=True).n_colors
            figures = {"colors": ours, "greedy_colors": greedy}
            out.add(measurement(facts(G, Path(name).stem, name), "luby_mis", {"order": order}, **figures))


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of two Markdown tables: times over those by hand, and colors of luby_mis over greedy's."""
    rows = of_kind(records, "measurement")
    lines = [["time with semirings / time by hand", *ALGORITHMS]]
    speed = [r for r in rows if "ratio" in r["figures"]]
    for graph in dict.fromkeys(r["graph"] for r in speed):
        found = {r["code"]: r["figures"] for r in speed if r["graph"] == graph}
        cells = [f"{f['ratio']:.2f}" for f in map(found.get, ALGORITHMS) if f]
        lines.append([graph, *cells])
    note = ""
    if speed:
        mean = statistics.geometric_mean(r["figures"]["ratio"] for r in speed)
        threads = records[0]["settings"]["threads"]
        note = f"Geometric mean {mean:.2f}; threads: {threads}; medians. {report.source(records)}"
    ratios: dict[str, list[float]] = {}
    for r in rows:
        if "colors" in r["figures"]:
            ratio = r["figures"]["colors"] / r["figures"]["greedy_colors"]
            ratios.setdefault(r["options"]["order"], []).append(ratio)
    if ratios:
        head = [f"geometric mean over {len(next(iter(ratios.values())))} graphs", *ratios]
        line = ["colors over greedy's", *(f"{statistics.geometric_mean(x):.2f}" for x in ratios.values())]
        return [*report.markdown(lines), "", f"{note}\n", *report.markdown([head, line])]
    return [*report.markdown(lines), "", note]


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    p = parser("benchmarks.semirings_cpu", __doc__, runs=15)
    p.add_argument("graphs", nargs="*", default=GRAPHS, metavar="GRAPH")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--colors", nargs="*", default=[], metavar="GRAPH")
    p.add_argument("--orders", nargs="*", default=["random"], metavar="ORDER")
    p.set_defaults(device="cpu")
    return p.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the tables."""
    args = arguments(argv)
    gb.ss.config["nthreads"] = args.threads
    out = recorded(args, threads=args.threads, asleep=waiting.ASLEEP)
    clock = time.thread_time if args.threads == 1 else time.perf_counter
    for name in args.graphs:
        compare(name, load(name, "cpu"), args.runs, clock, out)
    colors(args.colors, args.orders, out)
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
