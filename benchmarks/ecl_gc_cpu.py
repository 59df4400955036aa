"""ecl_gc on a CPU beside the fastest code that needs as few colors: python -m benchmarks.ecl_gc_cpu --help

Peers here (ref, Boost, ColPack) run interleaved with it, as in benchmarks.cpu_peers. A table of other peers, measured
on another machine (columns graph, code, threads, colors, ms_with_order, valid), is set beside by --reference.
With --steps: the synchronous steps of the paper's Table 4 on graphs of its families instead.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import lagcolor

from . import cases, measure, report
from .peers import Code, all_peers
from .provenance import provenance

NAMES = ("lagcolor", "ref", "boost", "boost32", "colpack")
NATIVE_ORDERS = ("natural", "largest_first")
# The paper's name and steps without and with shortcuts, and a graph of the family; the grid is the paper's own graph.
STEPS = (
    ("2d-2e20.sym", 14, 12, "grid2d:1024"),
    ("rmat16.sym", 188, 30, "rmat:16"),
    ("rmat22.sym", 644, 52, "rmat:22"),
    ("r4-2e23.sym", 30, 17, "uniform:2**23,4"),
    ("delaunay_n24", 25, 17, "delaunay:20"),
    ("kron_g500-logn21", 3997, 509, "kron_g500:21"),
)


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parsed command line."""
    p = argparse.ArgumentParser(
        prog="python -m benchmarks.ecl_gc_cpu", description=(__doc__ or "").partition("\n\n")[0]
    )
    p.add_argument("graph", nargs="*", help="names of the suite, files, or with --steps specs (default: all)")
    p.add_argument("--graphs", type=Path, metavar="DIR", help="take graphs from files in this folder")
    p.add_argument("--reference", type=Path, metavar="CSV", help="peers measured elsewhere")
    p.add_argument("--repeat", type=int, default=7, help="rounds (default %(default)s)")
    p.add_argument("--steps", action="store_true", help="count steps instead")
    p.add_argument("--out", type=Path, metavar="FILE", help="append JSON lines there")
    return p.parse_args(argv)


def wanted(code: Code) -> bool:
    """ecl_gc in its own order, and the fast peers."""
    if code.peer == "lagcolor":
        return code.method == "ecl_gc" and code.order == "largest_first"
    return code.order in NATIVE_ORDERS


def fastest(rows: Iterable[tuple[str, int, float]], colors: int) -> tuple[str, int, float] | None:
    """The row (code, colors, ms) of least time among those with at most so many colors."""
    return min((row for row in rows if row[1] <= colors), key=lambda row: row[2], default=None)


def elsewhere(path: Path | None, graph: str) -> list[tuple[str, int, float]]:
    """Rows of the reference table for a graph."""
    if path is None:
        return []
    with open(path, newline="") as f:
        return [
            (f"{r['code']} ×{r['threads']}", int(r["colors"]), float(r["ms_with_order"]))
            for r in csv.DictReader(f)
            if r["graph"] == graph and r["valid"] == "yes" and r["ms_with_order"]
        ]


def compare(case: Any, args: argparse.Namespace) -> dict[str, Any]:
    """Times of ecl_gc on one and two threads, and the peers to beat."""
    peers = [peer for peer in all_peers() if peer.name in NAMES and peer.absent() is None]
    results = measure.measure(case, peers, repeat=args.repeat, budget=15.0, wanted=wanted)
    if failed := [f"{r.code}: {r.error}" for r in results if r.error]:
        raise SystemExit("; ".join(failed))
    ours = {r.code.threads: r for r in results if r.code.peer == "lagcolor"}
    here = [(str(r.code), r.n_colors, r.ms) for r in results if r.code.peer != "lagcolor"]
    there = elsewhere(args.reference, case.name)
    row: dict[str, Any] = {"graph": case.name, "colors": ours[2].n_colors}
    row |= {f"ms_{t}": round(r.ms, 2) for t, r in ours.items()}
    row |= {"order_ms": round(float(np.median([s.order_ms for s in ours[2].samples])), 2)}
    for name, rows in (("here", here), ("there", there)):
        if best := fastest(rows, ours[2].n_colors):
            row |= {f"peer_{name}": list(best), f"ratio_{name}": round(ours[2].ms / best[2], 3)}
    theirs = [r for r in there if r[0].startswith("ecl-gc-omp")]
    if theirs:
        row |= {"ecl_gc_omp_ms": min(r[2] for r in theirs)}
    return row


def steps(spec: str) -> dict[str, Any]:
    """Steps, and how vertices were colored, ties broken by a hash as in the paper's code."""
    G = lagcolor.generate.from_spec(spec)
    result = lagcolor.color(G, "ecl_gc", seed=0, trace=True, verify=False)
    return {"spec": spec, "n": G.n, "m": G.m, "max_degree": G.max_degree, "colors": result.n_colors, **result.notes}


def main(argv: Sequence[str] | None = None) -> int:
    """Run and print; 0."""
    args = arguments(argv)
    files = [open(args.out, "a", encoding="utf-8")] if args.out else []  # noqa: SIM115  open as long as the run
    sink = report.Sink(sys.stdout, *files)
    sink.add("run", **provenance(), repeat=args.repeat)
    if args.steps:
        for name, without, with_, spec in STEPS:
            if not args.graph or spec in args.graph:
                sink.add("steps", paper=name, paper_without=without, paper_with=with_, **steps(spec))
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        chosen = cases.sources(args.graph or list(lagcolor.generate.SUITE_CPU), args.graphs)
        for case in cases.cases(chosen, Path(scratch)):
            sink.add("speed", **compare(case, args))
    for where in ("here", "there"):
        ratios = [r[f"ratio_{where}"] for r in sink.of("speed") if f"ratio_{where}" in r]
        if ratios:
            sink.add("mean", where=where, geometric_mean=round(float(np.exp(np.mean(np.log(ratios)))), 3))
    return 0


if __name__ == "__main__":
    sys.exit(main())
