"""first_fit on a CPU beside the fastest code that needs as few colors.

lagcolor bench --suite cpu --threads 1 2 --algorithms first_fit --peers ref 'boost*' colpack --out results
python -m benchmarks.first_fit_cpu results [peers.csv]

A table of peers measured on another machine (columns graph, code, threads, colors, ms_with_order, valid) is set beside
where its path is given too.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from lagcolor.bench.results import Results, Run, read

NATIVE_ORDERS = ("natural", "largest_first")


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parsed command line."""
    p = argparse.ArgumentParser(
        prog="python -m benchmarks.first_fit_cpu", description=(__doc__ or "").partition("\n\n")[0]
    )
    p.add_argument("results", nargs="+", type=Path, help="result files of lagcolor bench, folders, tables of peers")
    return p.parse_args(argv)


def fastest(runs: Iterable[Run], colors: int) -> Run | None:
    """The run of least time among those with at most so many colors."""
    return min((r for r in runs if (r.colors or 0) <= colors), key=Run.time, default=None)


def compare(results: Results, graph: str) -> dict[str, Any] | None:
    """Times of first_fit by threads, and the peers to beat, here and elsewhere; None where first_fit has not run."""
    runs = results.on(graph)
    ours = {r.threads or 0: r for r in runs if r.code == "first_fit" and r.order == "largest_first_spread"}
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


def main(argv: Sequence[str] | None = None) -> int:
    """Compare and print, a line of JSON per graph and one per mean; 0."""
    results = read(arguments(argv).results)
    rows = [row for graph in results.graphs if (row := compare(results, graph)) is not None]
    for row in rows:
        print(json.dumps(row, ensure_ascii=False))
    for where in ("here", "there"):
        if ratios := [r[f"ratio_{where}"] for r in rows if f"ratio_{where}" in r]:
            print(json.dumps({"where": where, "geometric_mean": round(statistics.geometric_mean(ratios), 3)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
