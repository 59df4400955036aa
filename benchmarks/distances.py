"""Spans of colorings with distances: the qualities beside CP-SAT and the best known, on GEOM20b … GEOM120b.

python -m benchmarks.distances FOLDER [--instances 20 … 120] [--seconds 5 20] [--peers PYTHON] [--out FILE]

FOLDER has GEOM120b.col of the COLOR02/03/04 instances (https://mat.gsia.cmu.edu/COLOR04/), lines ``e u v distance``.
Its loops and ``n`` lines are for several frequencies of one vertex and are left out. GEOM20b … GEOM110b are its first
20 … 110 vertices, which the numbers of their edges confirm. PYTHON has OR-tools; CP-SAT runs in a process of its own
with as many workers as there are cores, begins from nothing, and has the seconds of best.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import lagcolor
from benchmarks.harness.results import Row, of_kind

from . import report
from .experiment import by_cp_sat, facts, measurement, parser, recorded

# Edges without loops, and the smallest spans that are published (after Lai and Lü 2013).
EDGES = {20: 32, 30: 81, 40: 157, 50: 249, 60: 366, 70: 488, 80: 663, 90: 860, 100: 1050, 110: 1256, 120: 1491}
KNOWN = {20: 13, 30: 26, 40: 33, 50: 35, 60: 41, 70: 47, 80: 60, 90: 69, 100: 71, 110: 77, 120: 84}
Distances = dict[tuple[int, int], int]


def instance(folder: Path, n: int) -> Distances:
    """The edges among the first n vertices of GEOM120b, numbered from 0, with their distances."""
    out: Distances = {}
    for line in (folder / "GEOM120b.col").read_text().splitlines():
        if line.startswith("e "):
            u, v, d = map(int, line.split()[1:])
            if u != v and max(u, v) <= n:
                out[min(u, v) - 1, max(u, v) - 1] = d
    if len(out) != EDGES[n]:
        raise SystemExit(f"GEOM{n}b has {EDGES[n]} edges, and the first {n} vertices of this file {len(out)}")
    return out


def measured(G: lagcolor.Graph, distances: Distances, **how: Any) -> dict[str, Any]:
    """A call, its result checked by the verifier."""
    begun = time.perf_counter()
    result = lagcolor.color(G, distances=distances, verify=True, **how)
    seconds = time.perf_counter() - begun - result.compile_seconds
    return {"span": result.n_colors, "bound": result.lower_bound, "seconds": round(seconds, 3)}


def cp_sat(python: str, G: lagcolor.Graph, distances: Distances, seconds: float) -> dict[str, Any]:
    """The same of CP-SAT; what it finds is checked here."""
    most, ends = min(sum(distances.values()), 1000), zip(G.rows_of_entries().tolist(), G.indices.tolist(), strict=True)
    apart = [distances[min(e), max(e)] for e in ends]
    more = {"allowed": np.ones((G.n, most + 1), bool), "distances": apart, "aim": "span"}
    said = by_cp_sat(python, G, seconds, os.cpu_count() or 1, **more)
    colors = said["colors"]
    found = said["status"] in ("OPTIMAL", "FEASIBLE")
    assert not found or all(abs(colors[u] - colors[v]) >= d for (u, v), d in distances.items())
    span = int(colors.max()) + 1 if found else None
    return {"span": span, "bound": round(said["bound"]) + 1, "seconds": round(said["seconds"], 3)}


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table: the span of each way; an asterisk where it is proved to be the smallest."""
    by_name: dict[str, dict[str, Row]] = {}
    for line in of_kind(records, "measurement"):
        by_name.setdefault(line["graph"], {})[line["code"]] = line["figures"]
    ways = list(next(iter(by_name.values())))
    rows = [["instance", "best known", *ways]]
    for name, lines in by_name.items():
        spans = (f"{lines[way]['span'] or 'none'}{'*' * (lines[way]['span'] == lines[way]['bound'])}" for way in ways)
        rows.append([name, str(lines[ways[0]]["known"]), *spans])
    loads = [line["load"] for lines in by_name.values() for line in lines.values()]
    load = f"load {min(loads):g} to {max(loads):g}"
    text = f"Spans; * proved. One run, with other work on the machine ({load}). {report.source(records)}"
    return [*report.markdown(rows, numbers=range(1, len(rows[0]))), "", text]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print a line per instance and way."""
    p = parser("benchmarks.distances", __doc__)
    p.add_argument("folder", type=Path)
    p.add_argument("--instances", type=int, nargs="+", default=list(EDGES), choices=list(EDGES))
    p.add_argument("--seconds", type=float, nargs="+", default=[5.0, 20.0])
    p.add_argument("--peers", metavar="PYTHON", help="an interpreter with OR-tools")
    args = p.parse_args(argv)
    args.device = "cpu"
    out = recorded(args)
    warm = {(u, v): 3 for u in range(8) for v in range(u)}
    lagcolor.color(lagcolor.generate.clique(8), distances={**warm, (1, 0): 2}, quality="best", time_limit=0.1)
    for n in args.instances:
        distances = instance(args.folder, n)
        G = lagcolor.Graph.of(np.array(list(distances)).T, n=n)
        ways: dict[str, Callable[[], dict[str, Any]]] = {
            quality: partial(measured, G, distances, quality=quality) for quality in ("fast", "balanced")
        }
        for s in args.seconds:
            ways[f"best, {s:g} s"] = partial(measured, G, distances, quality="best", time_limit=s)
            if args.peers:
                ways[f"CP-SAT, {s:g} s"] = partial(cp_sat, args.peers, G, distances, s)
        for name, way in ways.items():
            row = {**way(), "known": KNOWN[n], "load": round(os.getloadavg()[0], 1)}
            out.add(measurement(facts(G, f"GEOM{n}b", f"GEOM{n}b"), name, {}, **row))
            print(f"GEOM{n}b", name, row, flush=True)
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
