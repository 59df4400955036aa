"""Table 4 of ECL-GC (Alabandi and Burtscher 2022): steps with and without shortcuts.

python -m benchmarks.papers.ecl_gc --out ecl_gc.jsonl
python -m benchmarks.papers.ecl_gc grid2d:1024 rmat:16 --device cpu

Steps are those of a machine of unbounded width, counted on a CPU whatever the device. The grid is the paper's own
graph; the others are of its families, generated, some smaller.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

from rich.table import Table

import lagcolor

from .. import report
from ..experiment import facts, load, parser, recorded


class Input(NamedTuple):
    """A graph of the paper: what stands for it, and its steps without and with shortcuts."""

    name: str
    spec: str
    steps: tuple[int, int]


INPUTS = (
    Input("2d-2e20.sym", "grid2d:1024", (14, 12)),
    Input("rmat16.sym", "rmat:16", (188, 30)),
    Input("delaunay_n24", "delaunay:20", (25, 17)),
    Input("r4-2e23.sym", "uniform:2**23,4", (30, 17)),
    Input("rmat22.sym", "rmat:22", (644, 52)),
    Input("kron_g500-logn21", "kron_g500:21", (3997, 509)),
)


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parsed command line."""
    p = parser("benchmarks.papers.ecl_gc", __doc__)
    p.add_argument("graph", nargs="*", help="specs of the list here, other specs, or files (default: the list)")
    return p.parse_args(argv)


def steps(G: lagcolor.Graph) -> dict[str, Any]:
    """Steps, and how vertices were colored, ties broken by a hash as in the paper's code."""
    result = lagcolor.color(G.on("cpu"), "ecl_gc", seed=0, trace=True, verify=False)
    return {"colors": result.n_colors, **result.notes}


def table(rows: Sequence[report.Record]) -> Table:
    """Ours beside the paper's."""
    out = Table(title="Table 4: steps (here / paper)", title_justify="left")
    out.add_column("graph", no_wrap=True)
    for name in ("without shortcuts", "with"):
        out.add_column(name, justify="right", no_wrap=True)
    for r in rows:
        paper = [f" / {steps:,}" for steps in r["paper"]["steps"]] if r["paper"] else ["", ""]
        ours = [f"{r['steps_without_shortcuts']:,}", f"{r['steps']:,}"]
        out.add_row(r["graph"], *(a + b for a, b in zip(ours, paper, strict=True)))
    return out


def main(argv: Sequence[str] | None = None) -> int:
    """Count."""
    args = arguments(argv)
    known = {i.spec: i for i in INPUTS}
    with recorded(args) as sink:
        for spec in args.graph or known:
            G = load(spec, "cpu")
            paper = known[spec]._asdict() if spec in known else None
            sink.add("steps", graph=spec, paper=paper, **facts(G, spec), **steps(G))
    report.console().print(table(sink.of("steps")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
