"""Calls whose results do not change from commit to commit: name → what makes its arrays, for digests.

A call gives the same arrays on every machine and device, with any number of threads. `test_golden.py` runs a part of
the calls, `tools/golden.py` all of them.
"""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from corpus import CORPUS, graph
from patterns import SHAPES, pattern

import lagcolor

Arrays = list[np.ndarray]
Digests = dict[str, dict[str, str]]
SEEDS = (None, 0, 12345)
GENERATED = (
    "grid2d:60", "rmat:11", "kron_g500:9", "delaunay:11", "rgg:11", "stencil27:9", "social:2000,10", "queen:12",
    "road:40",
)  # fmt: skip
EMULATED = ("empty", "no edges", "isolated among others", "star", "clique 70", "crown", "random sparse", "rmat")
EMULATED_PATTERNS = ("no rows", "empty rows and columns", "dense row", "band plus arrow", "wide", "tall")
# Of the contract, by device.
FEW = {"cpu": ("empty", "isolated among others", "clique 80 and more", "grid", "rmat", "disconnected")}
FEW |= {"cuda": FEW["cpu"], "emulated": ("grid",)}
FEW_PATTERNS = {"cpu": EMULATED_PATTERNS, "cuda": EMULATED_PATTERNS, "emulated": ("band plus arrow",)}
ONE_HOP = ("clique 1100", *GENERATED)  # graphs for distance 1 alone
MOST_IN_ROUNDS = 10**6  # stored entries over which verbs and operators take their own order alone
# Algorithms of the problems other than distance 1 that color the same on every run.
OF_PROBLEMS = {
    "distance2": ("first_fit",),
    "columns": ("first_fit",),
    "rows": ("first_fit",),
    "star": ("first_fit",),
    "acyclic": ("first_fit", "speculative"),
    "star_bicoloring": ("fewest", "first_fit", "partition"),
    "acyclic_bicoloring": ("fewest", "first_fit", "fewest_speculative", "speculative", "partition"),
}
ON_CPU = {("acyclic", "first_fit"), ("acyclic_bicoloring", "fewest"), ("acyclic_bicoloring", "first_fit")}
ON_GPU = {
    ("acyclic", "speculative"),
    ("acyclic_bicoloring", "speculative"),
    ("acyclic_bicoloring", "fewest_speculative"),
}
UNORDERED = ("partition",)  # reads no order
OF_GRAPHS = ("distance1", "distance2", "star", "acyclic", "edges")  # problems whose bounds are stored
REDUCTIONS: Mapping[str, dict[str, Any]] = {
    "heuristics": {},
    "iterated_greedy": {"rounds": 5, "seed": 3, "threads": 1},
    "ejection": {"passes": 2.0, "seed": 3},
}
RULES: Mapping[str, Callable[[int], dict[str, Any]]] = {
    "fixed": lambda n: {"fixed": {n - 1: 2} if n else {}},
    "forbidden": lambda n: {"forbidden": {v: [v % 3, 1] for v in range(0, n, 2)}},
    "capacity": lambda n: {"capacity": max(n // 4, 1)},
    "weights": lambda n: {"capacity": 2 * n, "weights": [1 + v % 5 for v in range(n)]},
}
PROVEN = ("even cycle", "odd cycle", "clique 70", "complete bipartite", "crown", "grid")  # their best needs no search


class Call(NamedTuple):
    """A call: `name` is like "reduce ejection" or "algorithm greedy | random", and `on` like "rmat"."""

    name: str
    on: str
    make: Callable[[], Arrays]


def calls(device: str, scope: str) -> Iterator[Call]:
    """All calls for a device, "cpu", "cuda" or "emulated"; with `scope="contract"` those that are quick."""
    kind = "cpu" if device == "cpu" else "cuda"
    names = FEW[device] if scope == "contract" else EMULATED if device == "emulated" else tuple(CORPUS)
    graphs = [(name, graph(name).on(kind)) for name in names]
    if scope == "all" and device != "emulated":
        graphs += [(spec, lagcolor.generate.from_spec(spec).on(kind)) for spec in GENERATED]
    shapes = (
        FEW_PATTERNS[device] if scope == "contract" else EMULATED_PATTERNS if device == "emulated" else tuple(SHAPES)
    )
    patterns = [(name, pattern(name).on(kind)) for name in shapes]
    every = scope == "all" and device != "emulated"
    for name, G in graphs:
        yield from _algorithms(name, G, kind, every)
        yield from _orders(name, G, kind)
        yield from _changes(name, G, kind)
        if G.n < 1000 or every:
            yield from _rules(name, G, kind)
        if name not in ONE_HOP:
            yield from _of_graphs(name, G, kind)
        if kind == "cpu":
            yield from _bounds(name, G, ["distance1"] if name in ONE_HOP else list(OF_GRAPHS))
    for name, P in patterns:
        yield from _of_patterns(name, P, kind)
        if kind == "cpu":
            yield from _bounds(name, P, [problem for problem in OF_PROBLEMS if problem not in OF_GRAPHS])
    yield from _without_a_graph(kind, few=device == "emulated" and scope == "contract")
    yield from _solvers(kind)
    if device == "emulated":
        yield from _on_gpus(graphs)
    if kind == "cpu":
        yield from _places(graphs)
        yield from _generated()


def _algorithms(name: str, G: Any, kind: str, every: bool) -> Iterator[Call]:
    """The default, and each algorithm of the registry whose colors are the same on every run."""
    yield Call("color", name, lambda: [lagcolor.color(G).to_numpy()])
    if kind == "cpu":
        yield Call("quality balanced", name, lambda: [lagcolor.color(G, quality="balanced").to_numpy()])
        if name in PROVEN:
            yield Call("quality best", name, lambda: _numbers(lagcolor.color(G, quality="best", time_limit=60)))
    for algorithm, row in lagcolor.ALGORITHMS.items():
        if row.deterministic and kind in row.engines:
            orders = [o for o, found in lagcolor.ORDERS.items() if kind in found.engines] if row.reads_order else []
            slow = G.m > MOST_IN_ROUNDS and row.style in ("algebra", "frontier")
            for order in [None, *(orders if every and not slow else [])]:
                yield Call(_key("algorithm", algorithm, order), name, _colored(G, algorithm, order))


def _colored(G: Any, algorithm: str, order: str | None) -> Callable[[], Arrays]:
    """Colors of an algorithm, in its own order for each seed."""
    seeds = (SEEDS if order is None else SEEDS[-1:]) if lagcolor.ALGORITHMS[algorithm].reads_order else (None,)
    return lambda: [lagcolor.color(G, algorithm, order, seed=seed).to_numpy() for seed in seeds]


def _orders(name: str, G: Any, kind: str) -> Iterator[Call]:
    """The permutations of each order."""
    for order, row in lagcolor.ORDERS.items():
        if kind in row.engines:
            yield Call(
                f"order {order}", name,
                lambda o=order: [_host(lagcolor.Priorities.of(G, o, seed=seed).sequence) for seed in SEEDS],
            )  # fmt: skip


def _changes(name: str, G: Any, kind: str) -> Iterator[Call]:
    """Fewer colors, even classes, and colors of a graph that has changed."""

    def first() -> Any:
        return lagcolor.color(G, "first_fit", "natural")

    for method, options in REDUCTIONS.items():
        if kind == "cpu" or method != "ejection":  # on a GPU threads race in it
            yield Call(
                f"reduce {method}", name,
                lambda m=method, o=options: _one(lagcolor.reduce(G, first(), method=m, **o)),
            )  # fmt: skip
    yield Call("balance rounds", name, lambda: _one(lagcolor.balance(G, first())))
    yield Call("equitable", name, lambda: _one(lagcolor.equitable(G)))
    if G.n > 3:
        ends = [0, G.n // 2, G.n - 1]
        H = _with_edges(G, [(ends[0], ends[1]), (ends[1], ends[2])])
        yield Call("recolor", name, lambda: _one(lagcolor.recolor(H, first(), changed=ends)))
        yield Call("recolor keep", name, lambda: _one(lagcolor.recolor(H, first(), keep=True)))
        yield Call(
            "recolor distance2", name,
            lambda: _one(lagcolor.recolor(H, lagcolor.color(G, order="natural", problem="distance2"))),
        )  # fmt: skip


def _with_edges(G: Any, edges: list[tuple[int, int]]) -> Any:
    """G with some more edges, on its device."""
    A = sp.lil_array(G.on("cpu").to_scipy())
    for u, v in edges:
        A[u, v] = A[v, u] = 1
    return lagcolor.Graph.of(A.tocsr()).on(G.device)


def _rules(name: str, G: Any, kind: str) -> Iterator[Call]:
    """Each rule, at distance 1 and 2, and classes of one size from the beginning."""
    for rule, of in RULES.items():
        for problem in ("distance1", "distance2"):
            yield Call(
                f"rule {rule} {problem}", name,
                lambda o=of, p=problem: [lagcolor.color(G, problem=p, order="natural", **o(G.n)).to_numpy()],
            )  # fmt: skip
    yield Call("rule max_colors distance1", name, lambda: _one(_as_few_as_dsatur(G)))
    for even in ("balance", "equitable"):
        yield Call(f"color {even}", name, lambda e=even: _one(lagcolor.color(G, **{e: True})))


def _as_few_as_dsatur(G: Any) -> Any:
    """First-fit in the order of ids, and what is tried where that takes more colors than DSATUR."""
    k = lagcolor.color(G, "dsatur", device="cpu").n_colors
    return lagcolor.color(G, order="natural", max_colors=k)


def _of_graphs(name: str, G: Any, kind: str) -> Iterator[Call]:
    """Problems of graphs, in each order, and Hessians."""
    for problem in ("distance2", "star", "acyclic"):
        yield from _problem(problem, name, G, kind)
    P = lagcolor.Pattern.of(sp.csr_array(G.on("cpu").to_scipy() + sp.eye_array(G.n))).on(G.device)
    for how in ("direct", "substitution"):
        yield Call(f"hessian {how}", name, lambda h=how: _derivatives(lagcolor.derivatives.hessian(P, h), P))


def _of_patterns(name: str, P: Any, kind: str) -> Iterator[Call]:
    """Problems of patterns, in each order, and Jacobians."""
    for problem in ("rows", "columns", "star_bicoloring", "acyclic_bicoloring"):
        yield from _problem(problem, name, P, kind)
    for rule in ("forbidden", "capacity"):
        yield Call(
            f"rule {rule} columns", name,
            lambda r=rule: _one(lagcolor.color(P, problem="columns", order="natural", **RULES[r](P.columns))),
        )  # fmt: skip
    for partition in ("columns", "rows", "both", "auto"):
        for how in ("direct", "substitution") if partition in ("both", "auto") else ("direct",):
            yield Call(
                f"jacobian {partition} {how}", name,
                lambda p=partition, h=how: _derivatives(lagcolor.derivatives.jacobian(P, p, h), P),
            )  # fmt: skip


def _problem(problem: str, name: str, x: Any, kind: str) -> Iterator[Call]:
    two_hops = problem in ("distance2", "rows", "columns")
    for algorithm in OF_PROBLEMS[problem]:
        if (problem, algorithm) in (ON_CPU if kind == "cuda" else ON_GPU):
            continue
        table = lagcolor.orders.TWO_HOPS if two_hops else lagcolor.ORDERS
        orders = [o for o, row in table.items() if kind in row.engines and algorithm not in UNORDERED]
        for order in [None, *orders]:
            yield Call(
                _key(f"problem {problem}", algorithm, order), name,
                lambda a=algorithm, o=order: _one(lagcolor.color(x, a, o, problem=problem)),
            )  # fmt: skip


def _bounds(name: str, x: Any, problems: list[str]) -> Iterator[Call]:
    """Bounds, whether colors are optimal, and the kind of the certificate, of each problem, quality and rule."""
    for problem in problems:
        for quality in ("fast", "balanced"):
            yield Call(
                f"bounds {problem} {quality}", name,
                lambda p=problem, q=quality: _proved(lagcolor.color(x, problem=p, quality=q)),
            )  # fmt: skip
    if "distance1" in problems and x.n < 1000:
        for rule, of in RULES.items():
            yield Call(
                f"bounds rule {rule}", name,
                lambda o=of: _proved(lagcolor.color(x, quality="balanced", **o(x.n))),
            )  # fmt: skip


def _proved(result: Any) -> Arrays:
    kind = result.certificate.kind if lagcolor.problems.PROBLEMS[result.problem].keeps_rules else None
    return [np.array([result.n_colors, result.lower_bound, result.optimal, *(kind or "").encode()])]


def _derivatives(C: Any, P: Any) -> Arrays:
    """The groups, how many products, and the entries that these give back."""
    A = sp.csr_array(P.on("cpu").to_scipy(), dtype=np.float64)
    A.data = 1.0 + np.minimum(*A.nonzero()) % 7 + 0.25 * (np.add(*A.nonzero()) % 3)
    B = C.compress(A if P.device == "cpu" else _on_gpu(A.toarray()))
    return [C.coloring.to_numpy(), np.array(C.products), _host(C.values(B))]


def _without_a_graph(kind: str, few: bool) -> Iterator[Call]:
    """Edges that a function computes, strings of Pauli operators, elements and contacts; in two orders if `few`."""
    some = np.random.default_rng(3).integers(0, 90, (200, 4)).astype(np.int32)
    for quality in ("fast", "balanced"):
        yield Call(
            f"color_elements {quality}", "random",
            lambda q=quality: [_host(lagcolor.mesh.color_elements(some, device=kind, quality=q).colors)],
        )  # fmt: skip
    pairs_there = (lambda: some[:, :2]) if kind == "cpu" else (lambda: _on_gpu(some[:, :2]))
    for of in ("pairs", "bodies"):
        yield Call(
            f"color_pairs {of}", "random",
            lambda o=of: [_host(lagcolor.color_pairs(pairs_there(), 90, of=o).colors)],
        )  # fmt: skip
    for order in ("natural", *(() if few else ("random", "largest_first")), None):
        yield Call(
            f"color_implicit {order or 'balanced'}", "divisors",
            lambda o=order: [_host(lagcolor.color_implicit(_divisors, 300, o, seed=7, batch=64, device=kind).colors)],
        )  # fmt: skip
    for strings, made in (
        ("random", lambda: lagcolor.pauli.random(300, 12, seed=5)),
        ("two_body", lambda: lagcolor.pauli.two_body(4)),
    ):
        for commute in ("qubitwise", "general", "anti"):
            for order in ("natural", "largest_first", None):
                yield Call(
                    f"pauli.group {commute} | {order or 'balanced'}", strings,
                    lambda m=made, c=commute, o=order: [_host(lagcolor.pauli.group(m(), c, o, device=kind).colors)],
                )  # fmt: skip


def _divisors(us: Any, vs: Any) -> Any:
    """Whether two numbers, from 2 on, share a divisor: Euclid's algorithm, on any device."""
    a, b = us[:, None] + 2 + 0 * vs[None, :], vs[None, :] + 2 + 0 * us[:, None]
    for _ in range(16):
        a, b = (b > 0) * b + (b == 0) * a, (b > 0) * (a % (b + (b == 0)))
    return a > 1


def _solvers(kind: str) -> Iterator[Call]:
    """Norms of what is left of b − Ax after each of six steps."""
    S = lagcolor.solvers
    made: dict[str, Callable[[Any], Any]] = {
        "sor": lambda A: S.multicolor_sor(A, 1.2),
        "sor forward": lambda A: S.multicolor_sor(A, sweep="forward"),
        "sor balance": lambda A: S.multicolor_sor(A, balance=True),
        "ilu0": S.multicolor_ilu0,
        "ic0": S.multicolor_ic0,
        "dilu": S.multicolor_dilu,
        "ilu0 blocks": lambda A: S.multicolor_ilu0(A, block_size=2),
    }
    for on, A in (("poisson", _poisson(12)), ("dominant", _dominant(60))):
        for method, make in made.items():
            yield Call(f"solver {method}", on, lambda A=A, make=make: [_history(A, make, kind)])


def _poisson(n: int) -> sp.csr_array:
    T = sp.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])
    return sp.csr_array(sp.kron(T, sp.eye_array(n)) + sp.kron(sp.eye_array(n), T))


def _dominant(n: int) -> sp.csr_array:
    """A symmetric matrix with entries 1 … 3 here and there and a diagonal that is larger than its row."""
    i, j = np.indices((n, n))
    A = np.where((i * j + i + j) % 11 == 0, 1.0 + (i + j) % 3, 0.0)
    np.fill_diagonal(A, 0)
    return sp.csr_array(A + np.diag(A.sum(1) + 1))


def _history(A: Any, make: Callable[[Any], Any], kind: str) -> np.ndarray:
    b = np.cos(np.arange(A.shape[0]))
    x, norms = np.zeros(len(b)), []
    M = make(A if kind == "cpu" else _on_gpu(A))
    for _ in range(6):
        r = b - A @ x
        x += _host(M @ (r if kind == "cpu" else _on_gpu(r)))
        norms.append(float(np.linalg.norm(b - A @ x)))
    return np.array(norms)


def _places(graphs: Iterable[tuple[str, Any]]) -> Iterator[Call]:
    """Graphs in folders, converted from edges, read in blocks, and on a cluster of this process."""
    for name, G in graphs:
        if G.m > 0 and G.n < 5000:
            yield Call("convert", name, lambda G=G: _from_disk(G))
            for order in ("natural", "random", "largest_first", None):
                yield Call(_key("disk", "memory", order), name, lambda G=G, o=order: _from_disk(G, o))
    for name, G in graphs:
        if name in ("grid", "rmat"):
            for problem, order in (("distance1", None), ("distance2", "natural")):
                yield Call(_key("dask", problem, order), name, lambda G=G, p=problem, o=order: _on_cluster(G, p, o))


def _on_gpus(graphs: Iterable[tuple[str, Any]]) -> Iterator[Call]:
    """Graphs in parts on two GPUs."""
    for name, G in graphs:
        for order in (None, "natural", "random"):
            yield Call(
                _key("gpus", "first_fit", order), name,
                lambda G=G, o=order: _one(lagcolor.color(G.on("cpu"), order=o, device=["cuda:0", "cuda:1"])),
            )  # fmt: skip


def _from_disk(G: Any, order: str | None = "none") -> Arrays:
    """The arrays of a folder that is converted from edges, or its colors in little memory."""
    with tempfile.TemporaryDirectory() as root:
        edges, folder = Path(root) / "edges.npy", Path(root) / "graph.csr"
        np.save(edges, _edges(G))
        lagcolor.convert(edges, folder, n=G.n)
        if order == "none":
            H = lagcolor.Graph.of(folder)
            return [np.array(H.indptr), np.array(H.indices)]
        return [lagcolor.color(folder, order=order, memory="64MB").to_numpy()]


def _edges(G: Any) -> np.ndarray:
    """Edges in one direction, one a row, and not the two that may be read in two ways."""
    A = sp.triu(G.to_scipy(), format="coo")
    return np.stack([A.row, A.col], axis=1).astype(np.int64)


def _on_cluster(G: Any, problem: str, order: str | None) -> Arrays:
    import dask
    from distributed import Client

    import lagcolor.scale.dask as cluster

    with (
        tempfile.TemporaryDirectory() as root,
        dask.config.set({"distributed.dashboard.link": "", "distributed.worker.memory.terminate": False}),
        Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None) as client,
    ):
        lagcolor.io.write(Path(root) / "graph.csr", G)
        done = cluster.color(Path(root) / "graph.csr", client, problem=problem, order=order, parts=3)
        return [np.array(done.colors)]


def _generated() -> Iterator[Call]:
    """The graphs of generators, which have the same edges on every machine."""
    for spec in (*GENERATED, "grid3d:7", "banded:50,4", "uniform:200,5", "erdos_renyi:200,0.1", "barabasi_albert:200,3",
                 "mycielski:5", "crown:9", "planted:100,5,0.3"):  # fmt: skip
        yield Call("generate", spec, lambda s=spec: _arrays(lagcolor.generate.from_spec(s)))


def _arrays(G: Any) -> Arrays:
    return [_host(G.indptr), _host(G.indices)]


def _key(kind: str, name: str, order: str | None) -> str:
    return f"{kind} {name} | {order}" if order else f"{kind} {name}"


def _one(result: Any) -> Arrays:
    return [result.to_numpy()]


def _numbers(result: Any) -> Arrays:
    return [np.array([result.n_colors, result.lower_bound])]


def _host(array: Any) -> np.ndarray:
    return np.asarray(array.get() if hasattr(array, "get") else array)


def _on_gpu(x: Any) -> Any:
    import cupy

    if isinstance(x, np.ndarray):
        return cupy.asarray(x)
    import cupyx.scipy.sparse

    arrays = (cupy.asarray(a) for a in (x.data, x.indices, x.indptr))
    return cupyx.scipy.sparse.csr_matrix(tuple(arrays), shape=x.shape)


def digest(arrays: Arrays) -> str:
    """A checksum: of whole numbers as int32, of others to six digits."""
    parts = []
    for a in arrays:
        if a.dtype.kind == "f":
            parts.append(" ".join(f"{x:.5e}" for x in (a + 0.0).ravel()).encode())
        else:
            parts.append(np.ascontiguousarray(a, np.int32).tobytes())
    return f"{zlib.crc32(b''.join(parts)):08x}"


def outcome(call: Call) -> str:
    """The digest of a call, or the name of the error that it ends with."""
    try:
        return digest(call.make())
    except lagcolor.LagcolorError as e:
        return type(e).__name__


def gather(some: Iterable[Call]) -> Digests:
    """Name → what it was called on → digest."""
    out: Digests = {}
    for call in some:
        out.setdefault(call.name, {})[call.on] = outcome(call)
    return out
