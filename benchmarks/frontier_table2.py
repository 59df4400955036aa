"""Table II of the Gunrock coloring paper, its five steps re-measured: python -m benchmarks.frontier_table2 --help

The paper's graph is G3_circuit (1.6 M vertices, 7.7 M entries with the diagonal); measured are meshes of that size,
generated. The steps run in turn, in one process, so that drift hits all alike; a row is the median after two warm-ups.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.table import Table

import lagcolor
from lagcolor.bench.provenance import machine, provenance

from . import report


class Step(NamedTuple):
    """A row of Table II: the paper's milliseconds on a K40c, and what it is here."""

    name: str
    paper_ms: float
    algorithm: str
    options: dict[str, Any]


STEPS = (
    Step("Baseline (Advance-Reduce)", 656.0, "gunrock_ar", {}),
    Step("Hash Color", 17.21, "gunrock_hash", {}),
    Step("Independent Set with Atomics", 13.67, "gunrock_is", {"min_max": False, "atomics": True}),
    Step("Independent Set without Atomics", 11.15, "gunrock_is", {"min_max": False}),
    Step("Min-Max Independent Set", 6.68, "gunrock_is", {}),
)
MESHES = ("grid2d:1260", "grid3d:116")


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parsed command line."""
    p = argparse.ArgumentParser(
        prog="python -m benchmarks.frontier_table2", description=(__doc__ or "").partition("\n\n")[0]
    )
    p.add_argument("graph", nargs="*", default=list(MESHES), help="specs of graphs (default: %(default)s)")
    p.add_argument("--device", default="cuda", help="cuda or cpu (default %(default)s)")
    p.add_argument("--runs", type=int, default=11, help="after the warm-ups (default %(default)s)")
    p.add_argument("--balance", default="auto", help="how the GPU shares out edges (default %(default)s)")
    p.add_argument("--commit", help="what was measured, where the tree has no history")
    p.add_argument("--out", type=Path, metavar="FILE", help="write JSON lines there")
    return p.parse_args(argv)


def measure(G: lagcolor.Graph, runs: int, balance: str) -> list[dict[str, Any]]:
    """A record a step."""

    def color(step: Step) -> lagcolor.Coloring:
        fresh = lagcolor.Graph(G.indptr, G.indices)  # so that nothing is kept from the run before
        return lagcolor.color(fresh, step.algorithm, balance=balance, verify=False, **step.options)

    for step in STEPS:  # compiles, and fills the memory pool
        color(step)
        lagcolor.verify(G, color(step).colors)
    done = [[color(step) for step in STEPS] for _ in range(runs)]
    records = []
    for step, results in zip(STEPS, zip(*done, strict=True), strict=True):
        ms = sorted(r.seconds * 1e3 for r in results)
        records.append(
            {
                "step": step.name, "algorithm": step.algorithm, "options": step.options, "paper_ms": step.paper_ms,
                "ms": statistics.median(ms), "ms_min": ms[0], "ms_max": ms[-1], "runs": runs,
                "colors": results[0].n_colors, "rounds": results[0].rounds,
            }
        )  # fmt: skip
    return records


def table(title: str, rows: Sequence[report.Record]) -> Table:
    """The five rows beside the paper's, with the speedup of each over the one before."""
    out = Table(title=title, title_justify="left", title_style="bold")
    out.add_column("optimization", no_wrap=True)
    for name in ("paper ms", "paper ×", "ms", "min … max", "×", "colors", "rounds"):
        out.add_column(name, justify="right", no_wrap=True)
    before: report.Record | None = None
    for r in rows:
        gain = ["", ""] if before is None else [f"{before[k] / r[k]:.2f}" for k in ("paper_ms", "ms")]
        spread = f"{r['ms_min']:.3f} … {r['ms_max']:.3f}"
        cells = (f"{r['paper_ms']:g}", gain[0], f"{r['ms']:.3f}", spread, gain[1], f"{r['colors']}", f"{r['rounds']}")
        out.add_row(r["step"], *cells)
        before = r
    return out


def main(argv: Sequence[str] | None = None) -> int:
    """Run; 2 where there is no GPU."""
    args = arguments(argv)
    console = report.console()
    if args.device != "cpu" and not lagcolor.has_gpu():
        console.print("[red]no GPU here: pass --device cpu to try the same path on the CPU[/]")
        return 2
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(open(args.out, "w"))] if args.out else []
        sink = report.Sink(*files)
        sink.add("provenance", **provenance(args.commit), runs=args.runs, balance=args.balance)
        for spec in args.graph:
            G = lagcolor.generate.from_spec(spec, device=args.device)
            sink.add("graph", graph=spec, n=G.n, m=G.m, max_degree=G.max_degree, machine=machine(G))
            rows = measure(G, args.runs, args.balance)
            for row in rows:
                sink.add("result", graph=spec, **row)
            console.print(table(f"{spec}: {G.n:,} vertices, {G.m:,} stored entries, on {G.device}", rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
