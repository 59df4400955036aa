"""ecl_gc on a CPU beside the fastest code that needs as few colors, and its steps beside the paper's.

lagcolor bench --suite cpu --threads 1 2 --algorithms ecl_gc --peers ref 'boost*' colpack --out results
python -m benchmarks.ecl_gc_cpu results [peers.csv]

A table of peers measured on another machine (columns graph, code, threads, colors, ms_with_order, valid) is set beside
where its path is given too. With --steps: the steps of the paper's Table 4, on graphs of its families.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import lagcolor
from lagcolor.bench.provenance import provenance
from lagcolor.measurements import Results, Run, read

from . import report

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
    p.add_argument("what", nargs="*", help="result files of lagcolor bench; with --steps specs (default: all)")
    p.add_argument("--steps", action="store_true", help="count steps instead")
    p.add_argument("--out", type=Path, metavar="FILE", help="append JSON lines there")
    return p.parse_args(argv)


def fastest(runs: Iterable[Run], colors: int) -> Run | None:
    """The run of least time among those with at most so many colors."""
    return min((r for r in runs if (r.colors or 0) <= colors), key=Run.time, default=None)


def compare(results: Results, graph: str) -> dict[str, Any] | None:
    """Times of ecl_gc by threads, and the peers to beat, here and elsewhere; None where ecl_gc has not run."""
    runs = results.on(graph)
    ours = {r.threads or 0: r for r in runs if r.code == "ecl_gc" and r.order == "largest_first"}
    if not ours:
        return None
    best = min(ours.values(), key=Run.time)
    row: dict[str, Any] = {"graph": graph, "colors": best.colors, "order_ms": best.order_ms}
    row |= {f"ms_{threads or 'own'}": round(run.time(), 2) for threads, run in ours.items()}
    here = [r for r in runs if r.style == "peer" and r.order in NATIVE_ORDERS]
    there = [r for r in runs if r.style == "reference"]
    for name, others in (("here", here), ("there", there)):
        if rival := fastest(others, best.colors or 0):
            row |= {f"peer_{name}": [rival.code, rival.colors, rival.time()]}
            row |= {f"ratio_{name}": round(best.time() / rival.time(), 3)}
    theirs = [r.time() for r in there if r.code.startswith("ecl-gc-omp")]
    return row | ({"ecl_gc_omp_ms": min(theirs)} if theirs else {})


def steps(spec: str) -> dict[str, Any]:
    """Steps, and how vertices were colored, ties broken by a hash as in the paper's code."""
    G = lagcolor.generate.from_spec(spec)
    result = lagcolor.color(G, "ecl_gc", seed=0, trace=True, verify=False)
    return {"spec": spec, "n": G.n, "m": G.m, "max_degree": G.max_degree, "colors": result.n_colors, **result.notes}


def main(argv: Sequence[str] | None = None) -> int:
    """Run and print; 2 where there is nothing to compare."""
    args = arguments(argv)
    files = [open(args.out, "a", encoding="utf-8")] if args.out else []  # noqa: SIM115  open as long as the run
    sink = report.Sink(sys.stdout, *files)
    if args.steps:
        sink.add("run", **provenance())
        for name, without, with_, spec in STEPS:
            if not args.what or spec in args.what:
                sink.add("steps", paper=name, paper_without=without, paper_with=with_, **steps(spec))
        return 0
    if not args.what:
        print("give result files of lagcolor bench, or --steps", file=sys.stderr)
        return 2
    results = read(args.what)
    for graph in results.graphs:
        if (row := compare(results, graph)) is not None:
            sink.add("comparison", **row)
    for where in ("here", "there"):
        ratios = [r[f"ratio_{where}"] for r in sink.of("comparison") if f"ratio_{where}" in r]
        if ratios:
            sink.add("mean", where=where, geometric_mean=round(statistics.geometric_mean(ratios), 3))
    return 0


if __name__ == "__main__":
    sys.exit(main())
