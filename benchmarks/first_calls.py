"""Seconds that the first call of a process takes: after an installation, with an empty compile cache, and later.

python -m benchmarks.first_calls [PART …] [--page] [--list] [--functions] [--device cpu|cuda] [--out FILE]

--page measures the calls of docs/start/install.md alone, for a small and a larger graph. PART selects the calls
whose name contains it; default: all, which takes half an hour (GPU: two minutes). The process of a call has its input
and has imported NumPy, SciPy and, on a GPU, CuPy. The clock starts before `import lagcolor`.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import lagcolor
from benchmarks.harness.results import Row, of_kind

from . import report
from .experiment import facts, measurement, parser, ready, recorded

SPEC, LARGER, ON_GPU = "rgg:10", "rgg:15", "grid2d:1000"
LIMITS = {"cpu": {"color(x)": 3.0, "anything": 8.0, "later": 0.6}}  # seconds
LIMITS |= {"cuda": {"color(x)": 3.0, "anything": 5.0, "later": 0.4}}
SLOWEST = 25  # rows of the table

# What a process does before its clock starts, and what it reports afterwards.
CHILD = """
import json, sys, time
import numpy as np, scipy.sparse as sp
with np.load({file!r}) as f:
    indptr, indices, old = f["indptr"], f["indices"], f["colors"]
n = len(indptr) - 1
A, wait = sp.csr_array((np.ones(len(indices)), indices, indptr), shape=(n, n)), lambda: None
{before}
wait()
wall, cpu = time.perf_counter(), time.process_time()
import lagcolor
{call}
wait()
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
from lagcolor.base import compile_clock
print(json.dumps({{"wall": wall, "cpu": cpu, "compile": compile_clock.seconds()}}))
"""
FUNCTIONS = """
import numba.core.event as event
class Listener(event.Listener):
    def __init__(self): self.open, self.done = [], []
    def on_start(self, e): self.open.append([e.data, time.perf_counter(), 0.0])
    def on_end(self, e):
        data, begun, inner = self.open.pop()
        took = time.perf_counter() - begun
        if self.open: self.open[-1][2] += took
        self.done.append((took - inner, data["dispatcher"].__name__, str(data["args"])))
listener = Listener()
event.register("numba:compile", listener)
"""
PRINT_FUNCTIONS = """
for took, name, args in sorted(listener.done, reverse=True)[:40]: print(f"{took:6.2f} {name} {args}", file=sys.stderr)
print(f"{sum(t for t, _, _ in listener.done):6.2f} in {len(listener.done)} functions", file=sys.stderr)
"""

MOVE = """
import cupy as cp, cupyx.scipy.sparse
A = cupyx.scipy.sparse.csr_matrix(tuple(cp.asarray(x) for x in (A.data, A.indices, A.indptr)), shape=A.shape)
old, wait = cp.asarray(old), cp.cuda.Device().synchronize
"""

OPTIONS: dict[str, list[dict[str, Any]]] = {  # that take other code
    "feluca": [{"fraction": 0}, {"fraction": 1}, {"spread": "vertex"}, {"spread": "at_once"}],
    "ipgc": [{"mode": "topology"}, {"mode": "data"}],
    "ecl_gc": [{"shortcuts": "none"}],
    "gunrock_is": [{"min_max": False}, {"atomics": True}],
    "cohen_castonguay": [{"fraction": 0.5}],
    "first_fit": [{"fixed": {0: 3}}, {"forbidden": {0: [0]}}, {"max_colors": 20}, {"capacity": 200}],
    "dsatur": [{"max_colors": 20}],
}
NX = "import networkx as nx; N = nx.from_scipy_sparse_array(A)"
SOLVERS = "M = (sp.diags_array(np.diff(indptr) + 1.0) - A).tocsr()"
VECTOR = "; M.matvec(np.ones(n))"
STRATEGIES = (
    "largest_first", "smallest_last", "random_sequential", "independent_set", "connected_sequential_bfs",
    "connected_sequential_dfs", "saturation_largest_first",
)  # fmt: skip
GREEDY = "nx.greedy_color(N, {0!r}, backend='lagcolor')"
CHANGED = "B = A.tolil(); B[0, n - 1] = B[n - 1, 0] = 1; B = B.tocsr()"
RECOLOR = "lagcolor.recolor(lagcolor.Graph.of(B), lagcolor.color(A, order={0!r}), [0, n - 1], order={0!r}{1})"
PAULI = "strings = [''.join(s) for s in np.random.default_rng(1).choice(list('IXYZ'), (300, 12))]"
LARGE = f"with np.load({LARGER!r}) as f: big = sp.csr_array((np.ones(len(f['indices'])), f['indices'], f['indptr']))"
PUBLIC: dict[str, tuple[str, str]] = {  # name → what is there before, and the call
    "color(x)": ("", "lagcolor.color(A)"),
    "Graph.of, then color": ("", "lagcolor.color(lagcolor.Graph.of(A))"),
    "color, verified": ("", "lagcolor.verify(A, lagcolor.color(A))"),
    "color of a pair of arrays": ("u, v = sp.triu(A).tocoo().coords", "lagcolor.color((u, v))"),
    "color of a dense array": ("D = A.toarray()", "lagcolor.color(D)"),
    "color of a NetworkX graph": (NX, "lagcolor.color(N)"),
    "color of a generator": ("", "lagcolor.color('rmat:10')"),
    "color of a file": ("import scipy.io; scipy.io.mmwrite('first.mtx', A)", "lagcolor.color('first.mtx')"),
    "write": ("", "lagcolor.io.write('first.col', lagcolor.Graph.of(A))"),
    "color, several orders": ("", "lagcolor.color(A, order=('random', 'smallest_last', 'largest_first'))"),
    "quality balanced": ("", "lagcolor.color(A, quality='balanced')"),
    "quality best": ("", "lagcolor.color(A, quality='best', time_limit=0.2)"),
    "color, balance": ("", "lagcolor.color(A, balance=True)"),
    "color, equitable": ("", "lagcolor.color(A, equitable=True)"),
    "color, equitable, max_colors": ("", "lagcolor.color(A, equitable=True, max_colors=40)"),
    "color, fixed, balance": ("", "lagcolor.color(A, fixed={0: 1}, balance=True)"),
    "color, few colors": ("", "k = old.max(); lagcolor.color(A, max_colors=int(k) + 1)"),
    "color, lists": ("may = np.arange(24) % 3 == np.arange(n)[:, None] % 3", "lagcolor.color(A, forbidden=may)"),
    "color, no such coloring": ("", "\ntry: lagcolor.color(A, max_colors=4)\nexcept lagcolor.ColoringError: pass"),
    "color, no such coloring, capacity": (
        "", "\ntry: lagcolor.color(A, max_colors=4, capacity=100)\nexcept lagcolor.ColoringError: pass"
    ),
    "color, capacity, weights": ("", "lagcolor.color(A, capacity=100.5, weights=np.arange(n) % 3 + 0.5)"),
    "reduce": ("", "lagcolor.reduce(A, np.arange(n))"),
    "reduce of colors": ("", "lagcolor.reduce(A, old)"),
    "reduce, time_limit": ("", "lagcolor.reduce(A, old, time_limit=0.2)"),
    "reduce, iterated_greedy": ("", "lagcolor.reduce(A, old, method='iterated_greedy')"),
    "reduce, heuristics": ("", "lagcolor.reduce(A, old, method='heuristics')"),
    "balance": ("", "lagcolor.balance(A, old)"),
    "balance, weights": ("", "lagcolor.balance(A, old, weights=np.arange(n) % 3 + 0.5)"),
    "balance, fixed": ("", "lagcolor.balance(A, old, fixed={0: int(old[0])})"),
    "equitable": ("", "lagcolor.equitable(A)"),
    "equitable, 20 colors": ("", "lagcolor.equitable(A, 20)"),
    "equitable, weights": ("", "lagcolor.equitable(A, 30, fixed={0: 0})"),
    "recolor, natural": (CHANGED, RECOLOR.format("natural", "")),
    "recolor, random": (CHANGED, RECOLOR.format("random", "")),
    "recolor, keep": (CHANGED, RECOLOR.format("natural", ", keep=True")),
    "recolor, rows compared": (CHANGED, "lagcolor.recolor(B, lagcolor.color(A, order='natural'))"),
    "recolor, distance2": (
        CHANGED, "lagcolor.recolor(B, lagcolor.color(A, 'first_fit', order='natural', problem='distance2'))"
    ),
    "verify": ("", "lagcolor.verify(A, old)"),
    **{
        f"verify, {p}": ("", f"lagcolor.verify(A, np.arange(n), problem={p!r})")
        for p in ("distance2", "columns", "rows", "star", "acyclic")
    },
    **{
        f"verify, {p}": ("", f"lagcolor.verify(A, np.arange(2 * n), problem={p!r})")
        for p in ("star_bicoloring", "acyclic_bicoloring")
    },
    "color_implicit": ("", "lagcolor.color_implicit(lambda u, v: (u[:, None] + v) % 7 == 0, n)"),
    "color_implicit, largest_first": (
        "", "lagcolor.color_implicit(lambda u, v: (u[:, None] + v) % 7 == 0, n, 'largest_first')"
    ),
    **{f"pauli.group, {c}": (PAULI, f"lagcolor.pauli.group(strings, {c!r})") for c in ("qubitwise", "general", "anti")},
    "derivatives.jacobian": ("", "C = lagcolor.derivatives.jacobian(A); C.decompress(C.compress(A))"),
    **{
        f"derivatives.jacobian, {p}, {d}": (
            "", f"C = lagcolor.derivatives.jacobian(A, {p!r}, {d!r}); C.decompress(C.compress(A))"
        )
        for p, d in (("rows", "direct"), ("both", "direct"), ("both", "substitution"), ("auto", "direct"))
    },
    **{
        f"derivatives.hessian, {d}": ("", f"C = lagcolor.derivatives.hessian(A, {d!r}); C.decompress(C.compress(A))")
        for d in ("direct", "substitution")
    },
    **{
        f"solvers.{m}": (SOLVERS, f"M = lagcolor.solvers.{m}(M){VECTOR}")
        for m in ("multicolor_sor", "multicolor_ilu0", "multicolor_dilu", "multicolor_ic0")
    },
    **{
        f"solvers.{m}, blocks": (SOLVERS, f"M = lagcolor.solvers.{m}(M, block_size=2){VECTOR}")
        for m in ("multicolor_sor", "multicolor_ilu0", "multicolor_dilu", "multicolor_ic0")
    },
    "solvers.multicolor_sor, sweep": (
        SOLVERS, "S = lagcolor.solvers.multicolor_sor(M); S.sweep(np.zeros(n), np.ones(n), iterations=2)"
    ),
    "solvers.multicolor_sor, balance": (SOLVERS, f"M = lagcolor.solvers.multicolor_sor(M, balance=True){VECTOR}"),
    "solvers.multicolor_ilu0, float32": (
        SOLVERS, f"M = lagcolor.solvers.multicolor_ilu0(M, storage='float32'){VECTOR}"
    ),
    **{f"networkx, {s}": (NX, GREEDY.format(s)) for s in STRATEGIES},
    "networkx, interchange": (NX, "nx.greedy_color(N, 'largest_first', True, backend='lagcolor')"),
    "networkx, equitable_color": (NX, "nx.equitable_color(N, 40, backend='lagcolor')"),
    "networkx, maximal_independent_set": (NX, "nx.maximal_independent_set(N, seed=1, backend='lagcolor')"),
    "networkx, is_coloring": (
        f"{NX}; d = dict(enumerate(old.tolist())); from networkx.algorithms.coloring import equitable_coloring as ec",
        "ec.is_coloring(N, d, backend='lagcolor'); ec.is_equitable(N, d, backend='lagcolor')",
    ),
    "networkx, bipartite.color": (
        "import networkx as nx; N = nx.grid_2d_graph(30, 30)", "nx.bipartite.color(N, backend='lagcolor')"
    ),
    "generate": ("", "lagcolor.generate.from_spec('kron_g500:10'); lagcolor.generate.from_spec('uniform:1000,4')"),
    "orders.degeneracy": ("", "lagcolor.orders.degeneracy(lagcolor.Graph.of(A))"),
}  # fmt: skip

PAGE: dict[str, tuple[str, str]] = {  # calls of the installation page
    "color(A)": ("", "lagcolor.color(A)"),
    'color(A, quality="fast")': ("", "lagcolor.color(A, quality='fast')"),
    'color(A, quality="best", time_limit=1)': ("", "lagcolor.color(A, quality='best', time_limit=1)"),
    "color(A, capacity=…)": ("", "lagcolor.color(A, capacity=n // 20)"),
    'color(A, capacity=…, quality="best", time_limit=1)': (
        "", "lagcolor.color(A, capacity=n // 20, quality='best', time_limit=1)"
    ),
    'color(A, max_colors=…, partial="fewest", quality="best", time_limit=1)': (
        "", "lagcolor.color(A, max_colors=int(old.max()) // 2, partial='fewest', quality='best', time_limit=1)"
    ),
    'color(A, problem="edges")': ("", "lagcolor.color(A, problem='edges')"),
    'color(A, problem="distance2")': ("", "lagcolor.color(A, problem='distance2')"),
    "derivatives.jacobian(A)": ("", "lagcolor.derivatives.jacobian(A)"),
    "derivatives.hessian(A)": ("", "lagcolor.derivatives.hessian(A)"),
    "solvers.multicolor_sor(A)": (SOLVERS, "lagcolor.solvers.multicolor_sor(M)"),
}  # fmt: skip


GPU: dict[str, tuple[str, str]] = {  # on a GPU, of a graph that is there
    "color(x)": ("", "lagcolor.color(A)"),
    "Graph.of": ("", "lagcolor.Graph.of(A)"),
    "quality fast": ("", "lagcolor.color(A, quality='fast')"),
    "quality best": ("", "lagcolor.color(A, quality='best', time_limit=0.2)"),
    **{p: ("", f"lagcolor.color(A, problem={p!r})") for p in ("distance2", "star", "acyclic")},
    **{f"derivatives.{d}": ("", f"lagcolor.derivatives.{d}(A)") for d in ("jacobian", "hessian")},
    "pauli.group": (PAULI, "lagcolor.pauli.group(strings, device='cuda')"),
    "recolor": ("", "lagcolor.recolor(A, old, [0, n - 1], order='natural')"),
    "reduce": ("", "lagcolor.reduce(A, old)"),
    "balance": ("", "lagcolor.balance(A, old)"),
}


def calls() -> Iterator[tuple[str, str, str]]:
    """Name, what is there before, and the call: of each public function, algorithm, problem and order."""
    from lagcolor.orders import ORDERS, TWO_HOPS

    for name, (before, call) in PUBLIC.items():
        yield name, before, call
    yield from algorithms()
    for order in ORDERS:
        yield f"order {order}", "", f"lagcolor.color(A, 'first_fit', order={order!r})"
    for order in TWO_HOPS:
        yield f"distance2: order {order}", "", f"lagcolor.color(A, 'first_fit', problem='distance2', order={order!r})"
    for problem in ("distance1", "distance2", "star", "acyclic"):
        yield f"{LARGER}, {problem}", LARGE, f"lagcolor.color(big, problem={problem!r})"
    for quality in ("balanced", "best"):
        yield f"{LARGER}, {quality}", LARGE, f"lagcolor.color(big, quality={quality!r})"
    for name in ("dsatur", "jones_plassmann", "gebremedhin_manne", "speculative_vb", "ecl_gc", "feluca"):
        yield f"{LARGER}, {name}", LARGE, f"lagcolor.color(big, {name!r})"


def algorithms() -> Iterator[tuple[str, str, str]]:
    """Yield calls of each row of the registry that runs on a CPU, with options that run other code."""
    from lagcolor.problems.registry import TABLES

    for problem, table in TABLES.items():
        for name, row in table.items():
            if "cpu" not in row.engines:
                continue
            several = [{"threads": 2}] if row.threaded else []
            for options in ({}, *several, *OPTIONS.get(name, ())):
                first = problem not in ("columns", "rows") or not options  # they run the code of distance 2
                if first and set(options) <= {"threads", *row.options, *row.rules}:
                    words = "".join(f", {key}={value!r}" for key, value in options.items())
                    yield f"{problem}: {name}{words}", "", f"lagcolor.color(A, {name!r}, problem={problem!r}{words})"


def clock(before: str, call: str, folder: Path, functions: bool = False, spec: str = SPEC) -> dict[str, Any]:
    """Wall, CPU and compile seconds of a call, and of a later process, or the error."""
    with tempfile.TemporaryDirectory(dir=folder) as cache:
        if functions:
            before, call = before + FUNCTIONS, call + PRINT_FUNCTIONS
        code = CHILD.format(file=str(named(folder, spec)), before=before, call=call)
        code = code.replace(repr(LARGER), repr(str(named(folder, LARGER))))
        caches = {"NUMBA_CACHE_DIR": f"{cache}/numba", "CUPY_CACHE_DIR": f"{cache}/cupy"}
        env = {**os.environ, **caches, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
        figures: list[dict[str, Any]] = []
        for _ in range(2):
            made = subprocess.run([sys.executable, "-c", code], env=env, cwd=folder, capture_output=True, text=True)
            if made.returncode:
                return {"error": made.stderr.strip().splitlines()[-1]}
            if functions and not figures:
                print(made.stderr, file=sys.stderr)
            figures.append(json.loads(made.stdout.splitlines()[-1]))
    return figures[0] | {"later": figures[1]["wall"], "later compile": figures[1]["compile"]}


def named(folder: Path, spec: str) -> Path:
    """The file of a graph."""
    return folder / f"{spec.replace(':', '-')}.npz"


def inputs(folder: Path, spec: str) -> Row:
    """The arrays of a graph, with colors, in a file; returns what a line says of it."""
    G = lagcolor.generate.from_spec(spec)
    colors = lagcolor.color(G, "greedy", order="random").colors
    np.savez(named(folder, spec), indptr=G.indptr, indices=G.indices, colors=colors)
    return facts(G, spec, spec)


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table of the slowest calls: in CPU seconds on a CPU, by the clock on a GPU."""
    lines = of_kind(records, "measurement")
    device = lines[0]["device"]
    by, unit = ("wall", "seconds") if device == "cuda" else ("cpu", "CPU seconds")
    lines = sorted(lines, key=lambda r: -r["figures"][by])
    first = [r for r in lines if r["code"] == "color(x)"]
    names = {"cpu": "CPU seconds", "wall": "seconds", "compile": "of these compiling", "later": "in a later process"}
    names |= {"later compile": "of these loading"} if device == "cuda" else {}
    keys = [key for key in names if all(key in line["figures"] for line in lines)]  # older results have no "later"
    rows = [["first call", *(names[key] for key in keys)]]
    for line in [*first, *(r for r in lines if r not in first)][:SLOWEST]:
        f = line["figures"]
        rows.append([line["code"], *(f"{f[k]:.2f}" for k in keys)])
    most = LIMITS[device]["anything"]
    over = sum(r["figures"][by] > most for r in lines)
    note = f"The slowest of {len(lines)} calls; {over or 'none'} over {most:g} {unit}."
    return [*report.markdown(rows, numbers=range(1, len(rows[0]))), "", f"{note} {report.source(records)}"]


def of_page(records: Sequence[Row]) -> list[str]:
    """Lines of the table of the installation page: CPU seconds of each call by the size of its graph."""
    lines = of_kind(records, "measurement")
    cells = {
        (f"`{r['code'].replace(', time_limit=1', '')}`", f"{r['n']:,} vertices"): f"{r['figures']['cpu']:.1f}"
        for r in lines
    }
    return [*report.pivot(cells, "first call"), "", report.source(records)]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table; return 1 if a call failed."""
    p = parser("benchmarks.first_calls", __doc__)
    p.set_defaults(device="cpu")
    p.add_argument("part", nargs="*", metavar="PART")
    p.add_argument("--page", action="store_true", help="the calls of the installation page alone")
    p.add_argument("--list", action="store_true", help="names alone")
    p.add_argument("--functions", action="store_true", help="also which functions took how long to compile")
    args = p.parse_args(argv)
    if not ready(args):
        return 2
    on_gpu = args.device != "cpu"
    every = [(name, MOVE + before, call) for name, (before, call) in GPU.items()] if on_gpu else calls()
    every = [(name, before, call) for name, (before, call) in PAGE.items()] if args.page else every
    chosen = [c for c in every if not args.part or any(part in c[0] for part in args.part)]
    if args.list:
        print("\n".join(name for name, _, _ in chosen))
        return 0
    out, failed = recorded(args), 0
    with tempfile.TemporaryDirectory() as folder:
        specs = (ON_GPU,) if on_gpu else (LARGER, SPEC)
        about = {spec: inputs(Path(folder), spec) | {"device": "cuda" if on_gpu else "cpu"} for spec in specs}
        sizes = (SPEC, LARGER) if args.page else specs[-1:]
        for (name, before, call), spec in itertools.product(chosen, sizes):
            figures = clock(before, call, Path(folder), args.functions, spec)
            if "error" in figures:
                failed += 1
                print(f"{name}: {figures['error']}", file=sys.stderr, flush=True)
                continue
            seconds = " ".join(f"{figures[k]:6.2f}" for k in ("cpu", "wall", "compile", "later", "later compile"))
            print(f"{seconds}  {name}, {spec}", flush=True)
            out.add(measurement(about[spec], name, {}, **figures))
    print("\n".join((of_page if args.page else markdown)(out.rows)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
