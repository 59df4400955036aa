"""Times of calls on a CPU by the number of threads, and of a copy by as many threads.

python -m benchmarks.threads [GRAPH …] [--threads 1 2 4 …] [--runs N] [--out FILE]

GRAPH is a name of a suite, a file or a spec. Each coloring has a graph that no call has seen. The number of threads is
set as a user sets it, by OMP_NUM_THREADS, up to the number of cores. Medians after a call that compiles and one that
warms up; a call that takes `SECONDS` runs once.
"""

from __future__ import annotations

import os
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

import lagcolor
from benchmarks.harness.results import Row, of_kind
from lagcolor.base.device import threads_for
from lagcolor.base.device.parallel import launch, parallel, share, slots

from . import report
from .experiment import facts, load, measurement, milliseconds, parser, recorded

GRAPHS = ("grid2d:2000", "rgg:20", "rmat:20")
THREADS = (1, 2, 4, 8, 16)
SECONDS = 1.0
COPIED = 1 << 28  # bytes
COPY = "copy, GB/s"
CALLS = {  # code → the call that a page shows
    "balanced": "`color(x)`",
    "first_fit": '`color(x, quality="fast")`',
    "first_fit, natural": '`color(x, order="natural")`',
    "columns": '`color(x, problem="columns", quality="fast")`',
    "Graph.of, COO": "`Graph.of`, entries in random order",
    "verify": "`verify`",
}
Call = Callable[[], Any]


def calls(G: lagcolor.Graph) -> dict[str, Call]:
    """The calls by name."""
    rows, ones = G.rows_of_entries().astype(np.int32), np.ones(G.m, np.float32)
    C = sp.coo_array((ones, (rows, G.indices)), (G.n, G.n))
    proper = lagcolor.color(G, "first_fit", verify=False)

    def color(algorithm: str = "auto", order: str | None = None) -> Call:
        return lambda: lagcolor.color(lagcolor.Graph(G.indptr, G.indices), algorithm, order, verify=False)

    return {
        "balanced": color(),
        "first_fit": color("first_fit"),
        "first_fit, natural": color("first_fit", "natural"),
        "columns": lambda: lagcolor.color(
            lagcolor.Pattern(G.indptr, G.indices, G.n), problem="columns", quality="fast", verify=False
        ),
        "Graph.of, COO": lambda: lagcolor.Graph.of(C),
        "verify": partial(lagcolor.verify, G, proper),
    }


@parallel
def copied(t: Any, shared: Any, x: Any, y: Any, threads: Any) -> None:
    """Copy a share of x to y."""
    for i in share(t, threads, x.size):
        y[i] = x[i]


def copy_rate(threads: int, runs: int) -> float:
    """Gigabytes per second, read and written, of a copy by threads."""
    x, y = np.ones(COPIED // 8, np.int64), np.zeros(COPIED // 8, np.int64)
    call = partial(launch, copied, threads, slots(0), x, y, np.int64(threads))
    every = [milliseconds(call)[1] for _ in range(runs + 1)][1:]
    return float(2 * COPIED / statistics.median(every) / 1e6)


def of_call(call: Call, threads: Sequence[int], runs: int) -> list[float]:
    """Milliseconds with each number of threads, in turn, after a call that compiles and one of each that warms up."""
    done: list[list[float]] = [[] for _ in threads]
    call()
    for i in range(runs + 1):
        for k, number in enumerate(threads):
            if i < 2 or done[k][-1] < SECONDS * 1e3:  # the first call with a number of threads may compile
                os.environ["OMP_NUM_THREADS"] = str(number)
                done[k].append(milliseconds(call)[1])
    return [statistics.median(each[1:]) for each in done]


def of_graph(about: Mapping[str, Any], every: Mapping[str, Call], threads: Sequence[int], runs: int) -> Iterator[Row]:
    """A line per call."""
    for name, call in every.items():
        ms = of_call(call, threads, runs)
        print(f"{about['graph']:18} {name:20}", " / ".join(f"{x:.4g}" for x in ms), flush=True)
        yield measurement(about, name, {}, threads=list(threads), ms=ms)


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table: how many times as fast as one thread the best number of threads is, by call and graph."""
    cells: dict[tuple[str, str], str] = {}
    rates, threads = [0.0], [0]
    for line in of_kind(records, "measurement"):
        if line["code"] == COPY:
            rates, threads = line["figures"]["ms"], line["figures"]["threads"]
        elif line["code"] in CALLS and line["graph"] in GRAPHS:
            cells[CALLS[line["code"]], line["graph"]] = _speedup(line["figures"]["ms"])
    default = [float(gain) for (call, _), gain in cells.items() if call == CALLS["balanced"] and gain]
    answer = (
        f"With up to {threads[-1]} threads `color(x)` is {min(default)} to {max(default)} times as fast as with one."
    )
    caption = (
        f"Time with one thread over the time with the best number of threads. {threads[-1]} "
        f"threads copy memory {rates[-1] / rates[0]:.1f} times as fast as one."
    )
    return [answer, "", *report.pivot(cells, "call"), "", f"{caption} {report.source(records)}"]


def _speedup(ms: Sequence[float]) -> str:
    """Empty where one thread ran once, because this call may have compiled code."""
    return "" if ms[0] >= SECONDS * 1e3 else f"{ms[0] / min(ms):.1f}"


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table."""
    p = parser("benchmarks.threads", __doc__, runs=5)
    p.add_argument("graph", nargs="*", metavar="GRAPH")
    p.add_argument("--threads", type=int, nargs="+", default=THREADS, metavar="N")
    args = p.parse_args(argv)
    args.device = "cpu"
    cores = threads_for(None, 1 << 40)
    threads = [t for t in args.threads if t <= cores]
    out = recorded(args)
    nothing = {"graph": "", "spec": "", "n": 0, "m": 0, "max_degree": 0, "device": "cpu"}
    out.add(measurement(nothing, COPY, {}, threads=threads, ms=[copy_rate(t, 3) for t in threads]))
    for spec in args.graph or GRAPHS:
        G = load(spec, "cpu")
        for line in of_graph(facts(G, spec, spec), calls(G), threads, args.runs):
            out.add(line)
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
