"""The verbs of `semirings` on each engine, beside the bytes that must move and beside cupyx's own operations.

python -m benchmarks.semirings_engines [--graphs NAME …] [--out FILE] [--runs N] [--commit C]

Engines: "cuda" and "cupyx" on the GPU, "cpu" (python-graphblas) on the CPU of the same machine. Vectors are full and of
int32, the mask keeps a random tenth, `plus_times` is of the float32 values that cupyx multiplies. A time is the median
of calls one after the other from Python, with the wait for the last of them shared; a floor is the bytes of all
operands and the result at the speed of the GPU's memory.
"""

from __future__ import annotations

import argparse
import functools
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import lagcolor
import semirings
from benchmarks.harness.results import Row, of_kind

from . import report
from .experiment import facts, measurement, parser, ready, recorded

GRAPHS = ("fd7-200", "rgg_n_2_22", "r4-2e23", "rmat22", "kron_g500-logn21")
ENGINES = ("cuda", "cupyx", "cpu")
ARITHMETIC, TROPICAL = "vxm plus_times, float32", "vxm max_times"
OWN = {  # what cupyx's user writes in place of a verb
    "cupyx A @ x": (ARITHMETIC, lambda A, x: A @ x),
    "cupyx multiply, max": (TROPICAL, lambda A, x: A.multiply(x).max(axis=1)),
}
PRODUCT = next(iter(OWN))
BANDWIDTH = 4.2e12
CALLS = 10


def verbs(E: Any, G: lagcolor.Graph) -> dict[str, tuple[Callable[[], Any], int]]:
    """Name → a call on engine E, and the bytes that it must move; G is where the engine computes."""
    n, m, r = G.n, G.m, np.random.default_rng(1)
    A = E.matrix(G.indptr, G.indices, symmetric=True)
    B = E.matrix(G.indptr, G.indices, G.xp.ones(m, np.float32), symmetric=True)
    w, c = E.from_numpy(r.permutation(n).astype(np.int32) + 1), E.zeros(n)
    x, tenth = E.from_numpy(r.random(n, np.float32)), E.from_numpy(r.random(n) < 0.1)
    s = semirings
    some = np.sort(r.choice(n, max(n // 100, 1), replace=False))
    few = E.from_coo(some, some.astype(np.int32), n)
    edges = int(G.on("cpu").degrees[some].sum())
    rows = 4 * (n + 1) + 4 * m
    return {
        TROPICAL: (lambda: E.vxm(w, A, s.max_times), rows + 8 * n),
        "vxm max_times, mask of 10 %": (lambda: E.vxm(w, A, s.max_times, mask=tenth), rows + 9 * n),
        ARITHMETIC: (lambda: E.vxm(x, B, s.plus_times), rows + 4 * m + 8 * n),
        "vxm max_times, 1 % of the vector": (lambda: E.vxm(few, A, s.max_times), 12 * len(some) + 4 * edges),
        "mxv max_times": (lambda: E.mxv(A, w, s.max_times), rows + 8 * n),
        "ewise_add gt": (lambda: E.ewise_add(s.gt, w, c), 9 * n),
        "ewise_mult times": (lambda: E.ewise_mult(s.times, w, c), 12 * n),
        "apply plus": (lambda: E.apply(s.plus, w, right=1), 8 * n),
        "select ne": (lambda: E.select(s.ne, w, 7), 9 * n),
        "assign, mask of 10 %": (lambda: E.assign(c, 7, mask=tenth), 5 * n),
        "reduce plus": (lambda: E.reduce(s.plus["int64"], w), 4 * n),
        "scatter": (lambda: E.scatter(c, w, 1), 8 * n),
    }


def milliseconds(call: Callable[[], Any], wait: Callable[[], None], repeats: int) -> float:
    """Of a call, in the median."""
    call()
    taken = []
    for _ in range(repeats):
        wait()
        start = time.perf_counter()
        for _ in range(CALLS):
            call()
        wait()
        taken.append(1e3 * (time.perf_counter() - start) / CALLS)
    return statistics.median(taken)


def measure(name: str, spec: str, repeats: int, engines: Sequence[str] = ENGINES) -> list[Row]:
    """The lines of one graph: a verb on an engine each."""
    on_cpu = lagcolor.generate.from_spec(spec)
    found = []
    for engine in engines:
        wait: Callable[[], None] = lambda: None  # noqa: E731
        G = on_cpu
        if engine != "cpu":
            import cupy as cp

            G, wait = on_cpu.on("cuda"), cp.cuda.Device().synchronize
        about = facts(G, name, spec)
        calls = {(engine, verb): call for verb, call in verbs(semirings.engine(engine), G).items()}
        if engine == "cupyx":
            A, x = csr(G), G.xp.ones(G.n, np.float32)
            for own, (verb, call) in OWN.items():
                calls[own, verb] = functools.partial(call, A, x), calls[engine, verb][1]
        for (who, verb), (call, moved) in calls.items():
            figures = {"ms": milliseconds(call, wait, repeats), "floor_ms": moved / BANDWIDTH * 1e3}
            found.append(measurement(about, verb, {"engine": who}, **figures))
    return found


def csr(G: lagcolor.Graph) -> Any:
    """A cupyx matrix of ones."""
    from cupyx.scipy.sparse import csr_matrix

    values = G.xp.ones(G.m, np.float32)
    return csr_matrix((values, G.indices, G.indptr.astype(np.int32)), shape=(G.n, G.n))


def table(records: Sequence[Row]) -> list[str]:
    """Verb × engine × time × floor of a result file, in Markdown (tools/update_tables.py): a table for each graph."""
    cells: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    for row in of_kind(records, "measurement"):
        cells.setdefault((row["graph"], row["code"]), {})[row["options"]["engine"]] = row["figures"]
    measured = {engine for of in cells.values() for engine in of}
    engines = [*ENGINES[:2], *(own for own in OWN if own in measured), ENGINES[2]]
    head = ["verb", "floor", *engines, "cupyx / cuda", "cupyx / A @ x"]
    products = {graph: of[PRODUCT]["ms"] for (graph, _), of in cells.items() if PRODUCT in of}
    tables: dict[str, list[list[str]]] = {}
    for (graph, verb), of in cells.items():
        floor = next(iter(of.values()))["floor_ms"]
        times = [of[engine]["ms"] if engine in of else None for engine in engines]
        cuda, plain = times[:2]
        product = products.get(graph) if verb.startswith(("vxm", "mxv")) else None
        ratios = [f"{a / b:.{digits}f}" if a and b else "" for a, b, digits in ((plain, cuda, 1), (plain, product, 2))]
        shown = ("" if t is None else report.three_digits(t) for t in times)
        tables.setdefault(graph, [head]).append([verb, f"{floor:.3g}", *shown, *ratios])
    every = {graph: report.markdown(rows, range(1, len(head))) for graph, rows in tables.items()}
    parts = [line for graph, lines in every.items() for line in report.titled(graph, lines)]
    about = f"Milliseconds, called from Python; cpu: python-graphblas. {report.source(records)}"
    return [*parts, about]


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parsed command line."""
    p = parser("benchmarks.semirings_engines", __doc__, runs=5)
    p.add_argument("--graphs", nargs="*", default=GRAPHS, help="of the H200 suite, or specs (default: %(default)s)")
    return p.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure the graphs asked for; 2 where there is no GPU."""
    args = arguments(argv)
    if not ready(args, "pass --device cpu for the engine cpu alone"):
        return 2
    out = recorded(args)
    engines = ENGINES[2:] if args.device == "cpu" else ENGINES
    for name in args.graphs:
        for line in measure(name, lagcolor.generate.SUITE_H200.get(name, name), args.runs, engines):
            out.add(line)
    print("\n".join(table(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
