"""The CPU engine of `semirings` beside straight python-graphblas, and the colors of `luby_mis`; JSON lines.

python -m benchmarks.semirings_cpu [GRAPH …] [--repeat N] [--threads N] [--out FILE] [--colors GRAPH …]
    [--orders ORDER …]

GRAPH is a generator's spec or a file. Each algorithm runs in the verbs and by hand (bench.peers.by_hand), in turn,
with colors compared; a row has both medians and the median of the ratios of neighbouring runs, which drift of the
machine hits alike. With one thread times are those of the thread, so that other processes do not count, else of the
clock on the wall. Threads wait asleep, with OMP_WAIT_POLICY=active awake. `--colors`: colors of luby_mis, with each of
`--orders`, over those of greedy in natural order, and the geometric mean of that.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import graphblas as gb
import numpy as np

import lagcolor
from lagcolor.algebra.adapter import matrix
from lagcolor.bench.peers.by_hand import METHODS
from lagcolor.bench.provenance import provenance
from lagcolor.orders import Priorities
from lagcolor.result import Log
from semirings import waiting

from . import report

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


def load(name: str) -> lagcolor.Graph:
    """The graph of a file or a spec."""
    return lagcolor.Graph.of(name) if Path(name).exists() else lagcolor.generate.from_spec(name)


def compare(name: str, G: lagcolor.Graph, repeat: int, clock: Callable[[], float], out: IO[str]) -> list[float]:
    """A row for each algorithm; the ratios."""
    p = Priorities.of(G, "random", 0)
    A, w = matrix(G).gb, p.p + np.int32(1)
    ratios = []
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
        ratios.append(statistics.median(x / y for x, y in zip(*ms, strict=True)))
        row = {"graph": name, "n": G.n, "m": G.m, "algorithm": algorithm, "runs": repeat}
        row |= {"verbs_ms": statistics.median(ms[0]), "by_hand_ms": statistics.median(ms[1])}
        row |= {"ratio": ratios[-1], "ratio_of_minima": min(ms[0]) / min(ms[1])}
        print(json.dumps({"kind": "speed", **row}), file=out, flush=True)
    return ratios


def colors(names: list[str], orders: list[str], out: IO[str]) -> None:
    """Colors of luby_mis beside those of greedy."""
    logs: dict[str, list[float]] = {order: [] for order in orders}
    for name in names:
        G = load(name)
        greedy = lagcolor.color(G, "greedy", order="natural").n_colors
        for order in orders:
            ours = lagcolor.color(G, "luby_mis", order=order, verify=True).n_colors
            logs[order].append(math.log(ours / greedy))
            row = {"graph": Path(name).stem, "n": G.n, "m": G.m, "order": order, "luby_mis": ours, "greedy": greedy}
            print(json.dumps({"kind": "colors", **row, "ratio": ours / greedy}), file=out, flush=True)
    for order in orders if names else ():
        mean = math.exp(statistics.fmean(logs[order]))
        row = {"order": order, "geometric_mean_of_ratios": mean, "graphs": len(names)}
        print(json.dumps({"kind": "colors", **row}), file=out)


def markdown(records: list[dict[str, Any]]) -> list[str]:
    """Lines of two Markdown tables: times over those by hand, and colors of luby_mis over greedy's."""
    head, *rows = records
    lines = [["time in the verbs over that by hand", *ALGORITHMS]]
    speed = [r for r in rows if r["kind"] == "speed" and "graph" in r]
    for graph in dict.fromkeys(r["graph"] for r in speed):
        found = {r["algorithm"]: r for r in speed if r["graph"] == graph}
        cells = [
            f"{r['ratio']:.2f} ({r['verbs_ms']:.3g} / {r['by_hand_ms']:.3g} ms)"
            for r in map(found.get, ALGORITHMS)
            if r
        ]
        lines.append([graph, *cells])
    means = [r["geometric_mean_of_ratios"] for r in rows if r["kind"] == "speed" and "graph" not in r]
    said = (
        f"Geometric mean {means[0]:.2f}; {head['threads']} thread(s), medians. {report.source(records)}"
        if means
        else ""
    )
    orders = [r for r in rows if r["kind"] == "colors" and "graph" not in r]
    if orders:
        said += "\n"
        head_line = [f"geometric mean over {orders[0]['graphs']} graphs", *(r["order"] for r in orders)]
        line = ["colors over greedy's", *(f"{r['geometric_mean_of_ratios']:.2f}" for r in orders)]
        return [*report.markdown(lines), "", said, *report.markdown([head_line, line])]
    return [*report.markdown(lines), "", said]


def main() -> None:
    """Measures, and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("graphs", nargs="*", default=GRAPHS, metavar="GRAPH")
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--colors", nargs="*", default=[], metavar="GRAPH")
    parser.add_argument("--orders", nargs="*", default=["random"], metavar="ORDER")
    parser.add_argument("--commit", help="what was measured, where the tree has no history")
    parser.add_argument("--out", type=argparse.FileType("w"), default=sys.stdout)
    options = parser.parse_args()
    gb.ss.config["nthreads"] = options.threads
    head = {**provenance(options.commit), "threads": options.threads, "asleep": waiting.ASLEEP}
    print(json.dumps(head), file=options.out, flush=True)
    clock = time.thread_time if options.threads == 1 else time.perf_counter
    ratios = [r for name in options.graphs for r in compare(name, load(name), options.repeat, clock, options.out)]
    mean = statistics.geometric_mean(ratios) if ratios else None
    print(json.dumps({"kind": "speed", "geometric_mean_of_ratios": mean}), file=options.out, flush=True)
    colors(options.colors, options.orders, options.out)


if __name__ == "__main__":
    main()
