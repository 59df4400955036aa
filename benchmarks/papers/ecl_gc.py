"""Tables 4 and 5 of ECL-GC (Alabandi and Burtscher 2022): steps, and what the shortcuts save.

python -m benchmarks.papers.ecl_gc --out ecl_gc.jsonl
python -m benchmarks.papers.ecl_gc grid2d:1024 rmat:16 --device cpu --runs 3

Steps are those of a machine of unbounded width, counted on a CPU whatever the device. The grid is the paper's own
graph; the others are of its families, generated, some smaller. The settings run in turn in one process.
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

from .. import report
from .che import load, measure


class Input(NamedTuple):
    """A graph of the paper: what stands for it, steps without and with shortcuts, speed-up by sc1, sc2, both."""

    name: str
    spec: str
    steps: tuple[int, int]
    speedup: tuple[float, float, float]


INPUTS = (
    Input("2d-2e20.sym", "grid2d:1024", (14, 12), (1.046, 1.005, 1.092)),
    Input("rmat16.sym", "rmat:16", (188, 30), (5.112, 1.008, 5.251)),
    Input("delaunay_n24", "delaunay:20", (25, 17), (1.126, 1.037, 1.168)),
    Input("r4-2e23.sym", "uniform:2**23,4", (30, 17), (1.250, 1.110, 1.339)),
    Input("rmat22.sym", "rmat:22", (644, 52), (9.958, 0.989, 10.163)),
    Input("kron_g500-logn21", "kron_g500:21", (3997, 509), (70.378, 1.004, 70.179)),
)
CODES: dict[str, tuple[str, dict[str, Any]]] = {
    which: ("ecl_gc", {"shortcuts": which}) for which in ("none", "sc1", "sc2", "both")
}
DEFAULT = "as shipped"  # in order, which may do without shortcuts


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parsed command line."""
    p = argparse.ArgumentParser(
        prog="python -m benchmarks.papers.ecl_gc", description=(__doc__ or "").partition("\n\n")[0]
    )
    p.add_argument("graph", nargs="*", help="specs of the list here, other specs, or files (default: the list)")
    p.add_argument("--device", default="cuda", help="cuda or cpu (default %(default)s)")
    p.add_argument("--runs", type=int, default=7, help="of each setting, after the warm-up (default %(default)s)")
    p.add_argument("--commit", help="what was measured, where the tree has no history")
    p.add_argument("--out", type=Path, metavar="FILE", help="write JSON lines there")
    return p.parse_args(argv)


def steps(G: lagcolor.Graph) -> dict[str, Any]:
    """Steps, and how vertices were colored, ties broken by a hash as in the paper's code."""
    result = lagcolor.color(G.on("cpu"), "ecl_gc", seed=0, trace=True, verify=False)
    return {"steps_colors": result.n_colors, **result.notes}


def of_graph(G: lagcolor.Graph, runs: int) -> dict[str, Any]:
    """Steps, and times of the four settings."""
    times = measure(G, CODES | {DEFAULT: ("ecl_gc", {})}, runs)
    return {
        **steps(G),
        "times": times,
        "speedup": [times["none"]["ms"] / times[c]["ms"] for c in ("sc1", "sc2", "both")],
    }


def table(rows: Sequence[report.Record]) -> Table:
    """Ours beside the paper's."""
    out = Table(title="Tables 4 and 5: steps, and speed-up over no shortcuts (here / paper)", title_justify="left")
    out.add_column("graph", no_wrap=True)
    for name in ("steps without", "with", "sc1", "sc2", "both", "ms none", "ms both", f"ms {DEFAULT}"):
        out.add_column(name, justify="right", no_wrap=True)
    for r in rows:
        known = r["paper"]
        pairs = [(r["steps_without_shortcuts"], "{:,}"), (r["steps"], "{:,}"), *((s, "{:.2f}") for s in r["speedup"])]
        papers = [*known["steps"], *known["speedup"]] if known else [None] * 5
        cells = [
            f.format(ours) + ("" if paper is None else " / " + f.format(paper))
            for (ours, f), paper in zip(pairs, papers, strict=True)
        ]
        out.add_row(r["graph"], *cells, *(f"{r['times'][c]['ms']:.3f}" for c in ("none", "both", DEFAULT)))
    return out


def main(argv: Sequence[str] | None = None) -> int:
    """Run; 2 where there is no GPU."""
    args = arguments(argv)
    console = report.console()
    if args.device != "cpu" and not lagcolor.has_gpu():
        console.print("[red]no GPU here: pass --device cpu to count steps and try the same path on the CPU[/]")
        return 2
    known = {i.spec: i for i in INPUTS}
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(open(args.out, "w", encoding="utf-8"))] if args.out else []
        sink = report.Sink(*files)
        sink.add("run", **provenance(args.commit), device=args.device, runs=args.runs)
        for spec in args.graph or known:
            G = load(spec, args.device)
            paper = known[spec]._asdict() if spec in known else None
            facts = {"n": G.n, "m": G.m, "max_degree": G.max_degree, "machine": machine(G)}
            sink.add("result", graph=spec, paper=paper, **facts, **of_graph(G, args.runs))
        rows = sink.of("result")
        console.print(table(rows))
        mean = statistics.geometric_mean(r["speedup"][2] for r in rows)
        sink.add("mean", speedup_both=mean, paper=2.632)
        console.print(f"both shortcuts: {mean:.2f} × (geometric mean); the paper, over its 18 graphs: 2.63 ×")
    return 0


if __name__ == "__main__":
    sys.exit(main())
