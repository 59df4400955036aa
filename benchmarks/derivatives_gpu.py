"""Distance-2, star and acyclic colorings and bicolorings on a GPU, and decompression, compared with Kokkos Kernels.

python -m benchmarks.derivatives_gpu [GRAPH …] [--runs N] [--peers FILE.csv] [--out FILE] [--limit SECONDS]

GRAPH is one of the peers' table, a matrix of MATRICES, or a spec. A time is the median of whole calls of
`lagcolor.color`, with the order, from a graph that is on the GPU (of a pattern: with its transpose). The floor is one
pass over two hops: at the speed of the GPU's memory, the offsets, entries and colors of all nets of all vertices as
often as vertices are in them, none of them cached. --peers: a table of other codes' times from elsewhere; the result
has the fastest code, and the fastest code with as few colors. The floor of a decompression: an index and a value read
and a value written per entry.
"""

from __future__ import annotations

import csv
import statistics
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import lagcolor
from benchmarks.harness.results import Row, of_kind
from lagcolor.generate import SUITE_H200
from lagcolor.problems import PROBLEMS
from lagcolor.problems.registry import TABLES

from . import report
from .derivatives_cpu import rect
from .experiment import facts, measurement, milliseconds, parser, ready, recorded

GRAPHS = {
    **{name: SUITE_H200[name] for name in ("2d-2e20", "delaunay_n20", "fd7-200", "fem27-128", "r4-2e23", "road-24M")},
    "grid2d_1000 (lap1000)": "grid2d:1000",
    "rgg_n_2_20": "rgg:20",
    "r4-2e20": "uniform:2**20,4",
    "rmat16": "rmat:16",
    "rmat20": "rmat:20",
}
MATRICES: dict[str, Callable[[], sp.csr_array]] = {
    "rect100kx50k": lambda: rect(100_000, 50_000, 5, 8),
    "rect2Mx1M": lambda: rect(2_000_000, 1_000_000, 5, 8),
    "arrow2k": lambda: arrow(2_000),
}
BANDWIDTH = 4.2e12
PEER_PROBLEMS = {"d2": "distance2", "pd2": "columns"}
ORDERS = ("natural", "random", "random_spread", "largest_first")  # the last with ties at random
# Limits. With more entries of nets of all vertices, only distance 2 and columns are measured, and nothing is verified.
# With more vertices, only distance 2 is measured.
LARGEST, VERIFIED, MOST = 100_000_000, 400_000_000, 4_000_000


def codes(G: lagcolor.Graph, P: lagcolor.Pattern | None) -> dict[str, Callable[[], lagcolor.Coloring]]:
    """Name → a call that colors the graph anew, or the pattern of the graph with a diagonal."""
    if P is not None:
        assert P.T is not None  # made before, as the peer's
    found: dict[str, Callable[[], lagcolor.Coloring]] = {}
    seeded: dict[str | None, int] = {"largest_first": 0}
    for problem, info in PROBLEMS.items():
        table = {name: row for name, row in TABLES[problem].items() if "cuda" in row.engines}
        x = G if info.symmetric else P
        if info.is_graph or x is None:
            continue
        for name, row in table.items():
            orders: tuple[str | None, ...] = ORDERS
            if problem not in PEER_PROBLEMS.values():  # natural order makes long chains of bicolorings: 20 s of a grid
                orders = tuple(dict.fromkeys([*(ORDERS[:1] if info.symmetric else ()), "random", row.order]))
            for order in orders if row.needs else (None,):
                found[f"{problem}, {name}, {order or 'no order'}"] = partial(
                    lagcolor.color, x, name, order, seed=seeded.get(order), problem=problem, verify=False
                )
    return found


def with_diagonal(G: lagcolor.Graph) -> lagcolor.Pattern:
    """The square pattern of the entries of a graph and a diagonal, on its device."""
    A = G.on("cpu").to_scipy() + sp.eye_array(G.n, dtype=np.int8, format="csr")
    return lagcolor.Pattern.of(A).on(G.device)


def two_hops(G: lagcolor.Graph) -> int:
    """Entries of the nets of all vertices, each as often as the net has vertices."""
    degrees = G.xp.diff(G.indptr).astype(np.int64)
    return int((degrees * degrees).sum())


def floor_ms(G: lagcolor.Graph) -> float:
    """Offsets of vertices and nets, entries and colors, as `two_hops` counts."""
    size = G.indptr.itemsize
    return (2 * size * (G.n + G.m) + 4 * G.m + 8 * two_hops(G) + 4 * G.n) / BANDWIDTH * 1e3


def of_graph(name: str, G: lagcolor.Graph, spec: str, runs: int, limit: float) -> list[Row]:
    """A line per code that colors within the limit."""
    about, floor, lines = facts(G, name, spec), floor_ms(G), []
    entries, P = two_hops(G), with_diagonal(G) if G.n <= MOST else None
    small, verified = entries <= LARGEST and P is not None, entries <= VERIFIED
    for code, call in codes(G, P).items():
        if small or code.partition(",")[0] in PEER_PROBLEMS.values():
            lines.append(measurement(about, code, {}, **timed(code, call, runs, limit, verified), floor_ms=floor))
    return [*lines, *decompression(about, P)] if small and P is not None else lines


def timed(code: str, call: Callable[[], lagcolor.Coloring], runs: int, limit: float, verified: bool) -> Row:
    """Milliseconds of calls, and the colors, checked or not."""
    result, ms = call(), []
    if verified:
        lagcolor.verify(result.graph, result.colors, problem=code.partition(",")[0])
    for _ in range(runs):
        result, took = milliseconds(call, "cuda")
        ms.append(took)
        if sum(ms) > 1e3 * limit:
            break
    print(f"{code}: {statistics.median(ms):.3f} ms, {result.n_colors} colors", flush=True)
    return {"ms": statistics.median(ms), "ms_all": ms, "colors": result.n_colors, "verified": verified}


def of_matrix(name: str, P: lagcolor.Pattern, runs: int, limit: float) -> list[Row]:
    """Problems of any matrix in their own order and in one that the device makes, and whole calls for a Jacobian."""
    assert P.T is not None
    about = {"graph": name, "spec": name, "n": P.rows, "m": P.m, "max_degree": P.max_degree, "device": "cuda"}
    lines = []
    for problem, info in PROBLEMS.items():
        for order in () if info.symmetric else (None, "largest_first"):
            code = f"{problem}, {info.auto(on_gpu=True)}, {order or 'its order'}"
            call = partial(lagcolor.color, P, order=order, problem=problem, quality="fast", verify=False)
            lines.append(measurement(about, code, {}, **timed(code, call, runs, limit, True)))
    for partition, decompression in (("columns", "direct"), ("both", "direct"), ("both", "substitution")):
        make = partial(lagcolor.derivatives.jacobian, P, partition, decompression, order="largest_first")
        C, ms = milliseconds(make, "cuda")
        figures = {"ms": ms, "colors": C.n_colors}
        lines.append(measurement(about, f"jacobian, {partition}, {decompression}, with its check", {}, **figures))
    return lines


def arrow(n: int) -> sp.csr_array:
    """Three diagonals, the first row and the first column."""
    A = sp.diags_array([np.ones(n - abs(d)) for d in (-1, 0, 1)], offsets=(-1, 0, 1), format="csr")
    edge = sp.csr_array((np.ones(n), (np.zeros(n, int), np.arange(n))), (n, n))
    return sp.csr_array(A + edge + edge.T)


def decompression(about: Row, P: lagcolor.Pattern) -> list[Row]:
    """Milliseconds of `values` of compressed products, on the device alone."""
    import cupy as cp

    lines = []
    made = {"columns": lambda: lagcolor.derivatives.jacobian(P, order="random", verify=False)}
    made |= {"star": lambda: lagcolor.derivatives.hessian(P, order="random", verify=False)}
    made |= {"acyclic": lambda: lagcolor.derivatives.hessian(P, "substitution", order="random", verify=False)}
    for name, make in made.items():
        C, first = milliseconds(make, "cuda")
        B = cp.asarray(np.random.default_rng(0).random((P.rows, C.n_colors)))
        begin, end = cp.cuda.Event(), cp.cuda.Event()
        C.values(B)
        begin.record()
        for _ in range(10):
            C.values(B)
        end.record()
        end.synchronize()
        figures = {"ms": cp.cuda.get_elapsed_time(begin, end) / 10}
        if not C.recovery.levels:
            figures["floor_ms"] = P.m * (C.gather.itemsize + 16) / BANDWIDTH * 1e3
        lines.append(measurement(about, f"decompress, {name}", {}, **figures, colors=C.n_colors, made_ms=first))
        print(about["graph"], name, figures, f"made in {first:.1f} ms", flush=True)
        del B, C
    return lines


def references(file: Path, graph: str) -> list[Row]:
    """What a table of peers says of a graph, without improper colorings."""
    rows = csv.DictReader(file.read_text().splitlines())
    return [
        {"kind": "reference", "graph": graph, "code": row["code"], "colors": int(row["colors"]),
         "ms": float(row["ms"]), "from": file.name}
        for row in rows
        if row["valid"] == "yes" and row["graph"] == graph
    ]  # fmt: skip


PEER = "Kokkos, fastest"  # the head of a column


def fastest(peers: Sequence[Row], graph: str, problem: str, colors: float = float("inf")) -> Row | None:
    """The fastest reference for a problem on a graph, of those with so few colors."""
    fitting = [
        row for row in peers
        if row["graph"] == graph and row["colors"] <= colors
        and PEER_PROBLEMS[row["code"].split()[1]] == problem
    ]  # fmt: skip
    return min(fitting, key=lambda row: row["ms"], default=None)


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table for each problem: milliseconds (colors) by graph and code, and the fastest peer."""
    peers = of_kind(records, "reference")
    problems: dict[str, dict[tuple[str, str], str]] = {}
    for line in of_kind(records, "measurement"):
        problem, _, code = line["code"].partition(", ")
        code = code.removeprefix("first_fit, ") if problem in ("distance2", "columns", "rows", "star") else code
        rectangular = line["graph"].startswith(("rect", "arrow"))
        cells = problems.setdefault(f"{problem} of matrices" if rectangular else problem, {})
        cells[line["graph"].partition(" ")[0], code.replace("its order", "default")] = _cell(line["figures"])
    out = []
    for problem, cells in problems.items():
        for graph in dict.fromkeys(graph for graph, _ in cells):
            if best := fastest(peers, graph, problem.partition(" ")[0]):
                cells[graph, PEER] = f"{_cell(best)} {best['code'].split()[-1].removesuffix('_BIT')}"
        out += report.titled(problem, report.pivot(cells, "graph", 6 if problem in ("distance2", "columns") else 4))
    return [*out, f"Milliseconds (colors), medians. {report.source(records)}"]


def _cell(figures: Row) -> str:
    """Milliseconds, and colors if there are any."""
    colors = f" ({figures['colors']:,})" if figures.get("colors") is not None else ""
    return report.three_digits(figures["ms"]) + colors


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table; return 2 without a GPU."""
    p = parser("benchmarks.derivatives_gpu", __doc__, runs=5)
    p.add_argument("graph", nargs="*", default=[*GRAPHS, *MATRICES], metavar="GRAPH")
    p.add_argument("--peers", type=Path, metavar="FILE.csv", help="times of other codes, measured elsewhere")
    p.add_argument("--limit", type=float, default=1.0, help="seconds of runs of one code (default %(default)s)")
    args = p.parse_args(argv)
    if not ready(args, "benchmarks.derivatives_cpu measures these problems on a CPU"):
        return 2
    out = recorded(args)
    for name in args.graph:
        spec = GRAPHS.get(name, name)
        if name in MATRICES:
            lines = of_matrix(name, lagcolor.Pattern.of(MATRICES[name]()).on("cuda"), args.runs, args.limit)
        else:
            G = lagcolor.generate.from_spec(spec, device="cuda")
            lines = of_graph(name, G, spec, args.runs, args.limit)
        for line in [*lines, *(references(args.peers, name) if args.peers else [])]:
            out.add(line)
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
