"""Run all GPU code once on small graphs, under compute-sanitizer; the exit code is 1 if a coloring is improper.

    compute-sanitizer --tool memcheck python tools/sanitize.py [--graph SPEC] [--part PART …] [NAME …]
    compute-sanitizer --tool racecheck python tools/sanitize.py [--graph SPEC] [--part PART …] [NAME …]

PART: a part other than colorings, such as `solvers` or `large`; only this part runs.
SPEC: one graph instead of all of GRAPHS, so that several processes can run at the same time.
NAME: an algorithm, as a pattern of the shell (default: all). Each one runs on each graph in each order of its device,
and with each engine of `semirings` if it uses one. Then follow qualities, orders, reductions, decompression, changes,
rules, solvers, graphs in folders and in parts, and graphs that are not stored.
"""

from __future__ import annotations

import argparse
import fnmatch
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import lagcolor
import lagcolor.scale.gpus
import semirings
from lagcolor.engines.greedy import cuda_small
from lagcolor.engines.improve import ejections
from lagcolor.engines.two_colored import star_cuda
from lagcolor.inputs import canonical_gpu
from lagcolor.orders import TWO_HOPS
from lagcolor.problems import PROBLEMS
from lagcolor.problems.registry import TABLES
from lagcolor.scale.gpus.check import verify
from lagcolor.search import attempts

FEW = 16  # rows with more entries are hubs of a sweep in this script
SHORT: dict[str, dict[str, Any]] = {
    "memetic": {"steps": 100, "pairs": 1, "brood": 2}
}  # limits of searches that run long if they find nothing
GRAPHS = ("grid2d:7", "rmat:7", "clique:40", "star:70", "path:1")


def calls(x: lagcolor.Graph, wanted: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield problem and arguments of each call of `lagcolor.color`."""
    for problem in (name for name, row in PROBLEMS.items() if not row.conflicts):
        for name, row in TABLES[problem].items():
            if "cuda" not in row.engines or not any(fnmatch.fnmatch(name, pattern) for pattern in wanted):
                continue
            orders: tuple[Any, ...] = (None,) if row.needs is None else (None, "random")
            for order in orders:
                for engine in ("cuda", "cupyx") if "engine" in row.options else (None,):
                    how = {"algorithm": name, "order": order} | ({"engine": engine} if engine else {})
                    yield problem, how | SHORT.get(name, {})


def one(G: lagcolor.Graph, problem: str, how: dict[str, Any]) -> str:
    """Return the error of a coloring, or nothing."""
    x = G if PROBLEMS[problem].symmetric else lagcolor.Pattern(G.indptr, G.indices, G.n)
    try:
        result = lagcolor.color(x, problem=problem, verify=False, **how)
        lagcolor.verify(result.graph.on("cpu"), lagcolor.base.device.to_device(result.colors, "cpu"), problem=problem)
    except Exception as fault:  # all faults are printed at the end
        return f"{problem}, {how}: {type(fault).__name__}: {fault}"
    return ""


def derivatives(G: lagcolor.Graph) -> None:
    """Compress and decompress on the device; star colorings by warps, and by blocks as for hubs."""
    for C in (
        lagcolor.derivatives.jacobian(G, order="natural"),
        lagcolor.derivatives.hessian(G, order="natural"),
        lagcolor.derivatives.hessian(G, "substitution"),
    ):
        C.values(G.xp.ones((G.n, C.n_colors)))
    hub, parallel = star_cuda.HUB, star_cuda.PARALLEL
    try:
        star_cuda.HUB, star_cuda.PARALLEL = 1, 0
        lagcolor.color(G, "first_fit", "random", problem="star", verify=True)
    finally:
        star_cuda.HUB, star_cuda.PARALLEL = hub, parallel


def changes(G: lagcolor.Graph) -> None:
    """Recolor after a change, exactly and with few changes."""
    u, v = np.repeat(np.arange(G.n), np.diff(G.indptr.get())), G.indices.get()
    gone = np.minimum(u, v) == 0
    H = lagcolor.Graph.of((u[~gone], v[~gone]), n=G.n).on("cuda")
    for problem in ("distance1", "distance2"):
        for order in ("natural", "random", "random_spread"):
            old = lagcolor.color(G, "first_fit", order, problem=problem)
            for changed in (None, G.xp.asarray(u[gone]), G.xp.ones(G.n, bool)):
                lagcolor.recolor(H, old, changed)
        lagcolor.recolor(G, G.xp.zeros(G.n, np.int32), keep=True, problem=problem)


def rules(G: lagcolor.Graph) -> None:
    """Run fixed and forbidden colors, a list coloring, and classes of equal size."""
    some = np.full(G.n, -1, np.int32)
    some[0] = 1
    colors = lagcolor.color(G, fixed=some, forbidden={G.n - 1: [0, 2]} if G.n > 1 else None).colors
    lagcolor.color(G, max_colors=int(colors.max()) + 1, order="random")
    lagcolor.balance(G, lagcolor.color(G))


def computed(seed: int = 0) -> None:
    """Run groups of Pauli strings, and a graph whose edges are computed."""
    letters = np.random.default_rng(seed).choice(list("IXYZ"), (300, 40))
    strings = ["".join(row) for row in letters]
    for commute in ("qubitwise", "general"):
        for order in ("natural", "largest_first", None):
            lagcolor.pauli.group(strings, commute=commute, order=order, device="cuda").verify()
    near = lambda us, vs: abs(us[:, None] - vs[None, :]) % 7 == 1  # noqa: E731
    lagcolor.color_implicit(near, 200, device="cuda").verify()


def verbs(G: lagcolor.Graph) -> None:
    """Run verbs of the GPU engines that the colorings do not use."""
    s, n = semirings, G.n
    for name in ("cuda", "cupyx"):
        E = s.engine(name)
        A = E.matrix(G.indptr, G.indices, symmetric=True)
        B = E.matrix(G.indptr, G.indices, G.xp.ones(G.m, np.float32), symmetric=True)
        x, y = (E.from_numpy(np.arange(n, dtype=dtype)) for dtype in (np.int32, np.float32))
        few = E.from_coo(np.arange(0, n, 3), np.arange(0, n, 3, dtype=np.int32), n)
        mask = E.from_numpy(np.arange(n) % 2 == 0)
        for direction in ("push", "pull"):
            for u in (x, few):
                E.vxm(u, A, s.max_times, direction=direction)
                E.mxv(A, u, s.min_plus, direction=direction, mask=mask)
            E.vxm(y, B, s.plus_times, direction=direction)
        E.scatter(E.zeros(n), x, 1)
        E.ewise_add(s.plus, x, few), E.ewise_mult(s.times, x, few), E.select(s.ne, x, 7)
        E.assign(x, 5, mask=mask), E.extract(x, np.arange(0, n, 2)), E.reduce(s.plus, x), E.reduce(s.plus, B)


def solvers(G: lagcolor.Graph) -> None:
    """Run multicolor preconditioners and smoothers, in each way to launch them, and their adjoints.

    The matrices have numbers or blocks, real or complex, in wide or narrow storage, with or without hubs, and symmetric
    patterns with full blocks or neither.
    """
    import lagcolor.solvers as methods
    from lagcolor.solvers import gpu

    makers = methods.multicolor_sor, methods.multicolor_ilu0, methods.multicolor_dilu, methods.multicolor_ic0
    before = gpu.HUB
    try:
        for b, dtype, storage, gpu.HUB in (
            (1, np.float64, None, before),
            (1, np.float64, None, FEW),
            (2, np.float64, "float32", before),
            (1, np.complex64, None, before),
            (3, np.complex128, "float32", FEW),
        ):
            A = on_gpu(hermitian(G, b, dtype))
            for make in makers:
                applied(make(A, block_size=b, storage=storage), A)
        gpu.HUB = before
        A = on_gpu(lopsided(G, 1, np.float64))
        for omega, sweep in ((1.3, "forward"), (0.7, "backward"), (1.3, "symmetric")):
            applied(methods.multicolor_sor(A, omega, sweep), A)
        applied(methods.multicolor_dilu(A), A)
        gpu.HUB = FEW
        A = on_gpu(lopsided(G, 3, np.complex128))
        applied(methods.multicolor_sor(A, 0.7, "forward", block_size=3, storage="float32"), A)
        for make in makers[1:3]:
            applied(make(A, block_size=3, storage="float32"), A)
    finally:
        gpu.HUB = before


def on_gpu(A: sp.csr_array) -> Any:
    """Copy a matrix to the GPU."""
    from cupyx.scipy.sparse import csr_matrix

    cp = lagcolor.base.device.cupy()
    return csr_matrix(tuple(cp.asarray(x) for x in (A.data, A.indices, A.indptr)), shape=A.shape)


def hermitian(G: lagcolor.Graph, b: int, dtype: Any) -> sp.csr_array:
    """Return a positive definite matrix with a graph's pattern; complex types have imaginary entries."""
    H = lagcolor.Graph(G.indptr.get(), G.indices.get()).to_scipy().astype(dtype)
    above = sp.triu(H, 1) * (1j if np.dtype(dtype).kind == "c" else -1)
    plain = sp.diags_array(abs(H).sum(axis=1) + 1) + above + above.conj().T
    return sp.csr_array(sp.kron(plain, np.eye(b) + 0.1)).astype(dtype)


def lopsided(G: lagcolor.Graph, b: int, dtype: Any) -> sp.csr_array:
    """Return a diagonally dominant matrix without a third of its upper entries, and with incomplete blocks."""
    A = hermitian(G, 1, dtype).tocoo()
    i, j = A.coords
    there = (j < i) | ((j > i) & ((i + j) % 3 > 0))
    off = sp.csr_array((A.data[there], (i[there], j[there])), A.shape)
    whole = sp.kron(off, np.tri(b)) + sp.kron(sp.diags_array(A.diagonal()), b * np.eye(b) + 0.1)
    whole = sp.csr_array(whole).astype(dtype)
    whole.eliminate_zeros()
    return whole


def applied(M: Any, A: Any) -> None:
    """Apply an operator in each way to launch it, update its values, and apply its adjoint."""
    from lagcolor.solvers.gpu.sweeps import MODES, SMALL

    sweeps = M._engine.sweeps
    r = M._symbolic.xp.ones(A.shape[0], M.dtype)
    for sweeps.mode, sweeps._small in [("launches", SMALL), *((mode, 0) for mode in MODES)]:
        if sweeps.mode == "cooperative" and sweeps.layout.hubs.any():
            continue  # there is none
        sweeps._programs.clear(), sweeps._states.clear()
        M.matvec(r), M.sweep(r.copy(), r)
    M.update(A)
    M.H.matvec(r)


def searches(G: lagcolor.Graph) -> None:
    """Run tabu searches of a few generations, with their tables in each memory; on other graphs, from any colors."""
    from lagcolor.engines.improve.tabu.population import Population

    for n, k in ((60, 8), (99, 13)):
        dense = lagcolor.generate.from_spec(f"erdos_renyi:{n},0.5")
        for in_memory in (False, True):
            Population.in_memory = in_memory
            Population(dense, k, 1, 70, 2).run(most=300)


def large(G: lagcolor.Graph) -> None:
    """Color a folder, and parts on one device only, because a sanitizer may serialize kernels."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.csr"
        lagcolor.io.write(path, G.on("cpu"))
        for order in ("natural", None, "random"):
            lagcolor.color(path, order=order, memory="64MB", device="cuda")
    D = lagcolor.scale.gpus.distribute(G, ["cuda:0"])
    for order in (None, "natural", "random"):
        verify(D, lagcolor.color(D, order=order).colors)
    lagcolor.color(lagcolor.scale.gpus.mesh("stencil27", 4, 3, 5))


def qualities(G: lagcolor.Graph) -> None:
    """Run the qualities, also in the forms for larger graphs; reductions and orders."""
    small, vertices, each, long = attempts.SMALL, ejections.VERTICES, ejections.EACH, ejections.LONG
    kinds = (small, vertices, each, long), (0, vertices, each, long), (0, 0, each, long), (0, 0, 8, 1)
    try:
        for attempts.SMALL, ejections.VERTICES, ejections.EACH, ejections.LONG in kinds:
            for quality in ("fast", "balanced"):
                lagcolor.reduce(G, lagcolor.color(G, quality=quality, verify=True).colors)
    finally:
        attempts.SMALL, ejections.VERTICES, ejections.EACH, ejections.LONG = kinds[0]
    for order, row in lagcolor.orders.ORDERS.items():
        if "cuda" in row.engines:
            np.asarray(lagcolor.orders.Priorities.of(G, order, seed=0).sequence.get())
    for order, row in TWO_HOPS.items():
        if "cuda" in row.engines:
            lagcolor.color(G, problem="distance2", order=order)


def after_a_sort(G: lagcolor.Graph) -> None:
    """Run first-fit in the default order in the form for larger graphs, with several launches."""
    entries, cuda_small.GRID_ENTRIES = cuda_small.GRID_ENTRIES, 0
    try:
        for seed in (0, 1):
            lagcolor.color(G, quality="fast", seed=seed, verify=True)
    finally:
        cuda_small.GRID_ENTRIES = entries


def inputs(G: lagcolor.Graph) -> None:
    """Check CSR arrays on the device, also with a wrong offset or index."""
    arrays = {"indptr": G.indptr, "indices": G.indices}
    for changed, array in arrays.items():
        for at in {0, len(array) // 2, len(array) - 1} if len(array) else ():
            for value in (-(10**9), -1, 0, 1, G.n, G.m + 1, 10**9):
                for kind in (np.int32, np.int64):
                    wrong = array.astype(kind)
                    wrong[at] = value
                    canonical_gpu.is_canonical_unchecked(**{**arrays, changed: wrong}, n=G.n)


ALL = (inputs, qualities, derivatives, changes, rules, solvers, large, after_a_sort, verbs, searches)
PARTS = {part.__name__: part for part in ALL}


def main(arguments: list[str]) -> int:
    """Run all, and print each fault."""
    p = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    p.add_argument("--graph", metavar="SPEC", help="only this graph")
    p.add_argument("--part", nargs="+", choices=PARTS, default=[], help="these alone")
    p.add_argument("wanted", nargs="*", metavar="NAME", help="only these algorithms")
    args = p.parse_args(arguments)
    wanted = args.wanted
    faults, count, start = [], 0, time.perf_counter()
    for spec in [args.graph] if args.graph else GRAPHS:
        G = lagcolor.generate.from_spec(spec).on("cuda")
        for problem, how in () if args.part else calls(G, wanted or ["*"]):
            count += 1
            faults.append(one(G, problem, how))
        print(f"{spec}: {count} colorings, {time.perf_counter() - start:.0f} s", flush=True)
        for part in () if wanted else args.part or PARTS:
            begun = time.perf_counter()
            PARTS[part](G)
            print(f"  {part}: {time.perf_counter() - begun:.0f} s", flush=True)
    if not wanted and not args.part:
        computed()
    faults = [fault for fault in faults if fault]
    print("\n".join([*faults, f"{count} colorings, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
