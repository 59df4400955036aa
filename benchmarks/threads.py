"""Milliseconds of calls on a CPU with 1, 2, 4, … threads, and the rate of a copy by as many threads.

python -m benchmarks.threads [GRAPH …] [--threads 1 2 4 …] [--calls PART …] [--runs N] [--colpack PROGRAM] [--out FILE]

GRAPH is a name of a suite, a file or a spec. Each coloring has a graph that no call has seen. Files that are read and
written are temporary. The number of threads is set as a user sets it, by OMP_NUM_THREADS, up to the number of cores.
Medians after a call that compiles and one that warms up; a call that takes `SECONDS` runs once. PROGRAM is
peers/colpack_threads.cpp, compiled.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import lagcolor
from benchmarks.harness.results import Row, of_kind
from lagcolor import io
from lagcolor.base.device import threads_for
from lagcolor.base.device.parallel import launch, parallel, share, slots

from . import report
from .experiment import facts, load, measurement, milliseconds, parser, recorded

GRAPHS = ("grid2d:2000", "stencil27:80", "uniform:2**20,16", "rmat:20", "rgg:20", "delaunay:20")
THREADS = (1, 2, 4, 8, 16)
SECONDS, PATIENCE = 1.0, 20.0
COPIED = 1 << 28  # bytes
MESH = 32  # largest degree of graphs that are matrices for solvers
COPY = "copy, GB/s"
Call = Callable[[], Any]


def calls(G: lagcolor.Graph, folder: Path) -> dict[str, Call]:
    """The calls by name; files are in a folder of their own."""
    rows, ones = G.rows_of_entries().astype(np.int32), np.ones(G.m, np.float32)
    A, C = sp.csr_array((ones, G.indices, G.indptr), (G.n, G.n)), sp.coo_array((ones, (rows, G.indices)), (G.n, G.n))
    proper = lagcolor.color(G, "first_fit", verify=False)

    def color(algorithm: str = "auto", order: str | None = None, **how: Any) -> Call:
        return lambda: lagcolor.color(
            lagcolor.Graph(G.indptr, G.indices), algorithm, order, verify=False, **how
        )  # fmt: skip

    def matrix(problem: str) -> Call:
        return lambda: lagcolor.color(
            lagcolor.Pattern(G.indptr, G.indices, G.n), problem=problem, quality="fast", verify=False
        )  # fmt: skip

    return {
        "first_fit": color("first_fit"),
        "first_fit, natural": color("first_fit", "natural"),
        "balanced": color(),
        "jones_plassmann": color("jones_plassmann"),
        "speculative_vbbit": color("speculative_vbbit"),
        "Graph.of, CSR": lambda: lagcolor.Graph.of(A),
        "Graph.of, COO": lambda: lagcolor.Graph.of(C),
        "verify": partial(lagcolor.verify, G, proper),
        "distance2": color(problem="distance2", quality="fast"),
        "columns": matrix("columns"),
        "star": color(problem="star", quality="fast"),
        "acyclic": color(problem="acyclic", quality="fast"),
        **(files(G, folder) | smoothers(A) if G.max_degree <= MESH else {}),
    }


def files(G: lagcolor.Graph, folder: Path) -> dict[str, Call]:
    """Reading and writing; what is read is written before it is read for the first time."""
    found = dict[str, Call]()
    for name, extension in (("Matrix Market", ".mtx"), ("edge list", ".el"), ("METIS", ".graph")):
        path, other = folder / f"g{extension}", folder / f"other{extension}"

        def read(path: Path = path) -> Any:
            if not path.exists():
                lagcolor.io.write(path, G)
            return lagcolor.io.read(path)

        found |= {f"read {name}": read, f"write {name}": partial(lagcolor.io.write, other, G)}
    return found


def smoothers(A: Any) -> dict[str, Call]:
    """Sweeps, factors and their use, of a matrix with these entries; an operator for each number of threads."""
    A = (sp.diags_array(np.asarray(A.sum(axis=1)).ravel() + 1.0) - A.astype(float)).tocsr()
    r, x = np.ones(A.shape[0]), np.zeros(A.shape[0])
    made = dict[tuple[str, str | None], Any]()

    def operator(name: str) -> Any:
        key = name, os.environ.get("OMP_NUM_THREADS")
        if key not in made:
            made[key] = getattr(lagcolor.solvers, f"multicolor_{name}")(A)
        return made[key]

    return {
        "Gauss-Seidel, sweep": lambda: operator("sor").sweep(x, r),
        "DILU, factor": lambda: operator("dilu").update(A),
        "DILU, apply": lambda: operator("dilu") @ r,
        "IC(0), factor": lambda: operator("ic0").update(A),
        "IC(0), apply": lambda: operator("ic0") @ r,
        "ILU(0), factor": lambda: operator("ilu0").update(A),
        "ILU(0), setup": lambda: lagcolor.solvers.multicolor_ilu0(A),
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


def of_colpack(about: Mapping[str, Any], program: str, G: Any, threads: Sequence[int], runs: int) -> Iterator[Row]:
    """A line per algorithm of ColPack, on one graph; of those that have ended after `PATIENCE` seconds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.egr"
        io.write(path, G)
        try:
            command = [program, str(path), str(runs), *map(str, threads)]
            out = subprocess.run(command, stdout=subprocess.PIPE, timeout=PATIENCE, check=True).stdout
        except subprocess.TimeoutExpired as e:
            out = e.stdout or b""
    for line in (line for line in out.decode().splitlines() if line.startswith("{")):
        name, ms, colors = json.loads(line).values()
        print(f"{about['graph']:18} ColPack {name:12}", " / ".join(f"{x:.4g}" for x in ms), flush=True)
        yield measurement(about, f"ColPack, {name}", {}, threads=list(threads), ms=ms, colors=colors)


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table for each graph: milliseconds of the calls by threads."""
    by_graph: dict[str, list[Row]] = {}
    for line in of_kind(records, "measurement"):
        if line["code"] != COPY:
            by_graph.setdefault(line["graph"], []).append(line)
    out = []
    for graph, lines in by_graph.items():
        rows = [["call", *(f"{t}" for t in lines[0]["figures"]["threads"]), "speed-up"]]
        for line in lines:
            cells = [f"({x})" if alone else x for x, alone in zip(_ms(line), _once(line), strict=True)]
            rows.append([line["code"], *cells, _speedup(line)])
        out += report.titled(graph, report.markdown(rows, numbers=range(1, len(rows[0]))))
    note = "Milliseconds by the number of threads, medians. In brackets: one call, which may have compiled code."
    return [*out, f"{note} {report.source(records)}"]


def speedups(records: Sequence[Row]) -> list[str]:
    """Lines of a table: how many times as fast as one thread the best number of threads is, by call and graph."""
    cells, rates = {}, ""
    for line in of_kind(records, "measurement"):
        if line["code"] == COPY:
            rates = ", ".join(f"{x:.4g}" for x in line["figures"]["ms"])
        elif gain := _speedup(line):
            cells[line["code"], line["graph"].partition(":")[0]] = gain
    threads = ", ".join(map(str, next(iter(of_kind(records, "measurement")))["figures"]["threads"]))
    note = f"Time with one thread over the time with the best number of threads. {threads} threads copy {rates} GB/s."
    return [*report.pivot(cells, "call", 6), "", f"{note} {report.source(records)}"]


def _ms(line: Row) -> list[str]:
    return [f"{x:.4g}" if x < 1000 else f"{x:,.0f}" for x in line["figures"]["ms"]]


def _once(line: Row) -> list[bool]:
    """Whether a time is from one call."""
    return [x >= SECONDS * 1e3 and not line["code"].startswith("ColPack") for x in line["figures"]["ms"]]


def _speedup(line: Row) -> str:
    """Return the speedup of a line; empty if one thread ran once."""
    ms = line["figures"]["ms"]
    return "" if _once(line)[0] else f"{ms[0] / min(ms):.1f}"


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table."""
    p = parser("benchmarks.threads", __doc__, runs=5)
    p.add_argument("graph", nargs="*", metavar="GRAPH")
    p.add_argument("--threads", type=int, nargs="+", default=THREADS, metavar="N")
    p.add_argument("--calls", nargs="+", metavar="PART", help="those in whose name it is")
    p.add_argument("--colpack", metavar="PROGRAM", help="peers/colpack_threads.cpp, compiled")
    args = p.parse_args(argv)
    args.device = "cpu"
    cores = threads_for(None, 1 << 40)
    threads = [t for t in args.threads if t <= cores]
    out = recorded(args)
    nothing = {"graph": "", "spec": "", "n": 0, "m": 0, "max_degree": 0, "device": "cpu"}
    out.add(measurement(nothing, COPY, {}, threads=threads, ms=[copy_rate(t, 3) for t in threads]))
    for spec in args.graph or GRAPHS:
        G = load(spec, "cpu")
        with tempfile.TemporaryDirectory() as folder:
            every = calls(G, Path(folder))
            every = {name: c for name, c in every.items() if not args.calls or any(part in name for part in args.calls)}
            for line in of_graph(facts(G, spec, spec), every, threads, args.runs):
                out.add(line)
        if args.colpack:
            for line in of_colpack(facts(G, spec, spec), args.colpack, G, threads, args.runs):
                out.add(line)
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
