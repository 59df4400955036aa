"""Peak memory of each public call in addition to its input, in bytes per vertex and per stored entry.

python -m benchmarks.memory [--device cpu] [--out FILE]

On a CPU tracemalloc counts what NumPy and numba allocate, touched or not; on a GPU blocks of CuPy's pool are counted as
they come and go. Code is loaded before. Results are counted, and so is what stays with the graph for later calls. The
bound a · n + b · m of a call has the least sum of bound / peak over the graphs. None exceeds it by over `SLACK`.
"""

from __future__ import annotations

import gc
import math
import sys
import tracemalloc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.optimize as so
import scipy.sparse as sp

import lagcolor
from benchmarks.harness.results import Row, of_kind
from lagcolor import derivatives, pauli
from lagcolor.base import device
from lagcolor.generate import from_spec

from . import report
from .changes import changed
from .experiment import facts, measurement, parser, ready, recorded

GRAPHS = (
    "grid2d:512", "road:200", "uniform:2**16,1", "uniform:2**14,12", "uniform:2**16,16", "uniform:2**14,64", "rmat:15",
    "rgg:16",
)  # fmt: skip
LARGE = ("grid2d:2048", "road:800", "uniform:2**20,16", "uniform:2**18,64", "rmat:16", "rmat:19", "rgg:20")  # on a GPU
GROUP = "pauli.group"  # which takes more with more groups
STRINGS = ((20_000, 20), (5_000, 100))  # Pauli strings, and letters of each
EDGES = 500  # of a change
SLACK = 1 << 16  # bytes for what does not grow with the graph
Call = Callable[[], Any]


def calls(G: lagcolor.Graph) -> dict[str, Call]:
    """Return the calls by name, each on a graph without cached data; other arguments are ready."""
    xp, n, columns = G.xp, G.n, G.indices
    rows = G.rows_of_entries().astype(np.int32)
    sparse = sp if xp is np else __import__("cupyx.scipy.sparse", fromlist=["sparse"])
    mixed = xp.asarray(np.random.default_rng(0).permutation(G.m))
    u, v, ones = rows[mixed], columns[mixed], xp.ones(G.m)
    A, C = sparse.csr_matrix((ones, columns, G.indptr), (n, n)), sparse.coo_matrix((ones, (u, v)), (n, n))
    once = u < v
    u, v = u[once], v[once]
    old = lagcolor.color(G, "first_fit", "natural", verify=False)
    H, ends = changed(G, EDGES)

    def fresh() -> lagcolor.Graph:
        return lagcolor.Graph(G.indptr, columns)

    def pattern() -> lagcolor.Pattern:
        return lagcolor.Pattern(G.indptr, columns, n)

    def color(**how: Any) -> Call:
        return lambda: lagcolor.color(fresh(), verify=False, **how)

    fast: dict[str, Any] = {"quality": "fast", "verify": False}
    return {
        "Graph.of, CSR": lambda: lagcolor.Graph.of(A),
        "Graph.of, COO": lambda: lagcolor.Graph.of(C),
        "Graph.of, pairs": lambda: lagcolor.Graph.of((u, v), n=n),
        "color, fast": color(quality="fast"),
        "color, balanced": color(quality="balanced"),
        "color, best": color(quality="best", time_limit=1),
        "color, natural": color(algorithm="first_fit", order="natural"),
        "color, distance2": color(problem="distance2", quality="fast"),
        "color, star": color(problem="star", quality="fast"),
        "color, acyclic": color(problem="acyclic", quality="fast"),
        "color, columns": lambda: lagcolor.color(pattern(), problem="columns", **fast),
        "jacobian": lambda: ((C := derivatives.jacobian(pattern(), **fast)), C.recovery),  # made at the first use
        "hessian": lambda: ((C := derivatives.hessian(fresh(), **fast)), C.recovery),
        "recolor, changed=": lambda: lagcolor.recolor(lagcolor.Graph(H.indptr, H.indices), old, ends, verify=False),
        "recolor": lambda: lagcolor.recolor(lagcolor.Graph(H.indptr, H.indices), old, verify=False),
        "reduce": lambda: lagcolor.reduce(fresh(), old.colors, verify=False),
        "balance": lambda: lagcolor.balance(fresh(), old.colors, verify=False),
        "verify": lambda: lagcolor.verify(fresh(), old.colors),
    }  # fmt: skip


def of_strings(count: int, qubits: int, on: str) -> dict[str, Call]:
    """Return calls on Pauli strings with a mean of four letters other than I, at random places."""
    share = 4 / qubits
    letters = np.random.default_rng(0).choice(list("IXYZ"), (count, qubits), p=[1 - share, *[share / 3] * 3])
    strings = ["".join(row) for row in letters.tolist()]
    return {GROUP: lambda: pauli.group(strings, device=on, verify=False)}


@contextmanager
def counted(on: str) -> Iterator[Callable[[], tuple[int, int]]]:
    """Yield a function that returns the current and the peak number of bytes since the block began."""
    gc.collect()
    if on == "cpu":
        whole, device.HUGE = device.HUGE, 1 << 60  # large arrays are not aligned, which would add 4 MB of unused memory
        tracemalloc.start()
        try:
            yield tracemalloc.get_traced_memory
        finally:
            tracemalloc.stop()
            device.HUGE = whole
        return
    live, most, sizes = 0, 0, dict[int, int]()

    class Hook(device.cupy().cuda.MemoryHook):  # type: ignore[misc]
        name = "lagcolor.benchmarks.memory"

        def malloc_postprocess(self, mem_size: int, mem_ptr: int, **_: Any) -> None:
            nonlocal live, most
            sizes[mem_ptr] = mem_size = mem_size if mem_ptr else 0  # 0: the allocation failed
            live += mem_size
            most = max(most, live)

        def free_postprocess(self, mem_ptr: int, **_: Any) -> None:
            nonlocal live
            live -= sizes.pop(mem_ptr, 0)

    with Hook():
        yield lambda: (live, most)


def taken(call: Call, on: str = "cpu") -> tuple[int, int]:
    """Bytes that a call takes at its peak, and that stay with its result, and with the graph; code is loaded before."""
    call()
    with counted(on) as now:
        result = call()
        stays, peak = now()
        del result
    return peak, stays


def of_graph(about: Row, works: Mapping[str, Call]) -> list[Row]:
    """A line per call."""
    lines = []
    for name, call in works.items():
        peak, stays = taken(call, about["device"])
        lines.append(measurement(about, name, {}, peak_bytes=peak, stays_bytes=stays))
        n, m = about["n"], about["m"]
        print(
            f"{about['graph']:30} {name:18} {peak / n:8.1f} per vertex, {peak / max(m, 1):7.1f} per entry", flush=True
        )
    return lines


def bounds(records: Sequence[Row]) -> dict[str, tuple[float, float]]:
    """Return bytes per vertex and per stored entry of each call, such that no graph exceeds its bound."""
    lines = [line for line in of_kind(records, "measurement") if line["code"] != GROUP]
    found = {}
    for name in dict.fromkeys(line["code"] for line in lines):
        mine = [line for line in lines if line["code"] == name]
        peaks = np.array([max(line["figures"]["peak_bytes"] - SLACK, 1) for line in mine], float)
        sizes = np.array([[line["n"], line["m"]] for line in mine], float) / peaks[:, None]
        least = so.linprog(sizes.sum(axis=0), A_ub=-sizes, b_ub=-np.ones(len(mine))).x
        found[name] = math.ceil(least[0] - 0.01), math.ceil(10 * least[1] - 0.01) / 10
    return found


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table of bytes."""
    lines = list(of_kind(records, "measurement"))
    name = lines[0]["graph"]
    rows = [["call", "per vertex", "and per stored entry", f"{name}: per vertex in all", "remaining"]]
    for code, (per_vertex, per_entry) in bounds(records).items():
        figures = next(line["figures"] for line in lines if line["code"] == code)
        alone = [f"{figures[f'{what}_bytes'] / lines[0]['n']:.0f}" for what in ("peak", "stays")]
        rows.append([f"`{code}`", f"{per_vertex:g}", f"{per_entry:g}", *alone])
    groups = (
        f"{line['figures']['peak_bytes'] / line['n']:,.0f} for {line['graph']}"
        for line in lines
        if line["code"] == GROUP
    )
    text = f"`{GROUP}` in bytes per string: {', '.join(groups)}. {report.source(records)}"
    vertex, entry = bounds(records)["color, balanced"]
    answer = f"`color(x)` allocates at most {vertex:g} bytes per vertex and {entry:g} per stored entry."
    return [answer, "", *report.markdown(rows, numbers=(1, 2, 3, 4)), "", text]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table; return 2 without a GPU."""
    p = parser("benchmarks.memory", __doc__)
    p.add_argument("graph", nargs="*", metavar="GRAPH")
    args = p.parse_args(argv)
    if not ready(args):
        return 2
    out = recorded(args)
    for spec in args.graph or (GRAPHS if args.device == "cpu" else LARGE):
        G = from_spec(spec, device=args.device)
        for line in of_graph(facts(G, spec, spec), calls(G)):
            out.add(line)
    for count, qubits in STRINGS:
        name = f"{count:,} strings of {qubits} letters"
        about = {"graph": name, "spec": name, "n": count, "m": count * qubits, "max_degree": 0, "device": args.device}
        for line in of_graph(about, of_strings(count, qubits, args.device)):
            out.add(line)
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
