"""The IPGC paper's micro-benchmark (Listings 1 and 2, Figure 3): pushing to a worklist, visiting it or all vertices.

python -m benchmarks.papers.ipgc_micro --out ipgc_micro.jsonl --plot ttis.png

Push_WL visits the worklist, Push_NoWL all n vertices; both remove the first 1000 active vertices and push the others.
The paper runs all n / 1000 iterations on europe_osm (50.9 M vertices) and draws the time of each, the mean of ten; here
`--points` of them are timed, evenly spread, and those between two are one launch. A worklist is always the result of
the atomics of the launch before, in their order. The script prints where the curves cross: a hybrid should visit all
vertices before the first crossing, then the list. A push is an atomic of its own, or one of a block's for all of its
pushes, as the library's worklists have it.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness.results import Row, of_kind
from lagcolor.base import device as dev

from .. import report
from ..experiment import measurement, parser, ready, recorded

SOURCE = dev.Source(__file__)
MOST_BLOCKS = 1 << 16
KERNELS = ("push_wl", "push_nowl")
TIMES = tuple(f"{kernel}_ms" for kernel in KERNELS)
PUSHES = ("block", "atomic")
NEAR = 0.1  # crossings within so much of all iterations agree
PAPER_CROSSING = 40_000 / 50_900  # of the iterations: about the 40000th of 50.9 M / 1000


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    p = parser("benchmarks.papers.ipgc_micro", __doc__, runs=10)
    p.add_argument("--n", type=int, default=50_912_018, help="vertices (default: as europe_osm, %(default)s)")
    p.add_argument("--out-of", type=int, default=1000, help="taken out by an iteration (default %(default)s)")
    p.add_argument("--points", type=int, default=101, help="iterations that are timed (default %(default)s)")
    p.add_argument(
        "--push", choices=PUSHES, nargs="+", default=PUSHES, help="one atomic per block, a push (default: both)"
    )
    p.add_argument("--plot", type=Path, metavar="FILE", help="draw Figure 3 there")
    return p.parse_args(argv)


class OnGpu:
    """Iterations of either kernel on a GPU, timed with events."""

    def __init__(self, n: int, push: str) -> None:
        self.cp, self.n = dev.cupy(), n
        self.kernels = SOURCE.of(ATOMICS=push == "atomic")
        self.active = self.cp.empty(n, np.bool_)
        self.lists = [self.cp.empty(n, np.int32) for _ in range(2)]

    def fill(self) -> None:
        """All vertices become active and are pushed to the worklist."""
        self.active.fill(True)
        self.length = self.cp.zeros(1, np.int32)
        self._launch(1, self.n, self.n, 0, self.active, self.lists[0], self.length)

    def iterate(self, kernel: int, left: int, cut: int) -> tuple[float, int]:
        """Take out those under `cut` of `left` active vertices: milliseconds, and how many are active after it."""
        cp, length = self.cp, self.cp.zeros(1, np.int32)
        visited = (self.lists[0], self.length) if kernel == 0 else (self.n,)
        start, end = cp.cuda.Event(), cp.cuda.Event()
        start.record()
        self._launch(kernel, left if kernel == 0 else self.n, *visited, cut, self.active, self.lists[1], length)
        end.record()
        end.synchronize()
        self.lists.reverse()
        self.length = length
        return cp.cuda.get_elapsed_time(start, end), int(length[0])

    def _launch(self, kernel: int, count: int, *args: Any) -> None:
        self.kernels.launch(KERNELS[kernel], count, *args, most=MOST_BLOCKS)


class OnCpu:
    """Iterations of either kernel in NumPy, to try the path without a GPU."""

    def __init__(self, n: int, push: str) -> None:
        self.n, self.active = n, np.empty(n, np.bool_)

    def fill(self) -> None:
        """See `OnGpu.fill`."""
        self.active.fill(True)
        self.worklist = np.arange(self.n, dtype=np.int32)

    def iterate(self, kernel: int, left: int, cut: int) -> tuple[float, int]:
        """See `OnGpu.iterate`."""
        start = time.perf_counter()
        work = self.worklist if kernel == 0 else np.flatnonzero(self.active)
        self.worklist = work[work >= cut]
        self.active[work[work < cut]] = False
        return (time.perf_counter() - start) * 1e3, len(self.worklist)


def measure(device: OnGpu | OnCpu, n: int, step: int, points: int, runs: int) -> list[dict[str, Any]]:
    """Iteration, active vertices, and the mean of each kernel's milliseconds.

    Iterations between two points are one launch of the same kernel, so that every worklist is what a launch has pushed.
    """
    ks = np.unique(np.linspace(0, -(-n // step) - 1, points).astype(int)).tolist()
    ms = np.zeros((runs + 1, 2, len(ks)))
    for run, kernel in itertools.product(range(runs + 1), (0, 1)):
        device.fill()
        left = n
        for i, k in enumerate(ks):
            if left > n - k * step:
                _, left = device.iterate(kernel, left, k * step)
            cut = min((k + 1) * step, n)
            ms[run, kernel, i], left = device.iterate(kernel, left, cut)
            if left != n - cut:
                raise RuntimeError(f"{KERNELS[kernel]} pushed {left} vertices in iteration {k}, not {n - cut}")
    means = ms[1:].mean(axis=0)  # the first run warms up
    active = [n - k * step for k in ks]
    return [
        {"iteration": k, "active": a, **dict(zip(TIMES, pair, strict=True))}
        for k, a, pair in zip(ks, active, means.T.tolist(), strict=True)
    ]


def crossings(rows: Sequence[dict[str, Any]]) -> list[int]:
    """Iterations after which the other kernel is the faster one, between two points."""
    first = [r["push_nowl_ms"] < r["push_wl_ms"] for r in rows]
    return [rows[i]["iteration"] for i in range(1, len(rows)) if first[i] != first[i - 1]]


def by_push(records: Sequence[Row]) -> dict[str, list[dict[str, Any]]]:
    """The points of each way to push."""
    out: dict[str, list[dict[str, Any]]] = {}
    for r in of_kind(records, "measurement"):
        out.setdefault(r["options"]["push"], []).append({"push": r["options"]["push"], **r["figures"]})
    return out


def called(push: str) -> str:
    """What a way to push is called in tables."""
    return f"one atomic per {'push' if push == 'atomic' else push}"


def places(rows: Sequence[dict[str, Any]]) -> list[float]:
    """The shares of all iterations after which the other kernel is the faster one."""
    return [k / (rows[-1]["iteration"] + 1) for k in crossings(rows)]


def outcomes(records: Sequence[Row]) -> list[str]:
    """Lines of a Markdown table: the point from which on visiting the list is faster, and the paper's crossing."""
    lines = [["", "paper", "here", "outcome"]]
    for push, rows in by_push(records).items():
        found, last = places(rows), rows[-1]
        pays = last["push_wl_ms"] < last["push_nowl_ms"]
        near = any(abs(place - PAPER_CROSSING) <= NEAR for place in found)
        here = f"after {found[-1]:.0%}" if found and pays else "throughout" if pays else "never"
        what = f"Figure 3: a pass over the list pays, {called(push)}"
        verdict = "agrees" if pays and near else "same way" if pays and found else "differs"
        lines.append([what, f"after {PAPER_CROSSING:.0%} of the vertices have left", here, verdict])
    return [*report.markdown(lines), "", report.source(records)]


def plot(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Figure 3: both curves, for each way to push."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4))
    axes = figure.subplots()
    for push in dict.fromkeys(r["push"] for r in rows):
        for name, ms in zip(KERNELS, TIMES, strict=True):
            some = [r for r in rows if r["push"] == push]
            axes.plot([r["iteration"] for r in some], [r[ms] for r in some], label=f"{name}, {push}")
    axes.set(xlabel="iteration", ylabel="ms an iteration")
    axes.legend()
    figure.savefig(path, dpi=150, bbox_inches="tight")


def main(argv: Sequence[str] | None = None) -> int:
    """Run; return 2 without a GPU."""
    args = arguments(argv)
    if not ready(args, "pass --device cpu --n 1000000 to try the same path on the CPU"):
        return 2
    out = recorded(args, n=args.n)
    about = {"graph": None, "n": args.n, "device": "cpu" if args.device == "cpu" else "cuda"}
    for push in args.push:
        engine = (OnCpu if args.device == "cpu" else OnGpu)(args.n, push)
        for row in measure(engine, args.n, args.out_of, args.points, args.runs):
            out.add(measurement(about, "push", {"push": push, "out_of": args.out_of}, **row))
    print("\n".join(outcomes(out.rows)))
    if args.plot:
        plot([row for rows in by_push(out.rows).values() for row in rows], args.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
