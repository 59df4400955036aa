"""The k-th allocation fails, for k = 0, 1, 2 …, in each public call: `MemoryError`, and nothing is left of it.

After LAGraph's `LG_brutal_malloc`. A search may go on without the attempt that failed, with a coloring that is proper.
Inputs and files stay as they were, and the next call has the result of the first. From the 16th allocation on, some
are left out. On a GPU the allocations of CuPy fail.
"""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import emulated
import numpy as np
import pytest
import scipy.sparse as sp

import lagcolor
import lagcolor.scale.disk
import semirings

from . import public
from .allocations import Count, failing
from .definitions import HOLDS

pytestmark = pytest.mark.timeout(900)  # seconds; compiling takes most of them
FAILED = object()
EACH = 16  # the first allocations, all of them
N, U, V = 14, [0, 0, 0, 1, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9, 10], [1, 2, 5, 2, 3, 4, 4, 9, 5, 6, 7, 11, 8, 9, 10, 11]


class Case(NamedTuple):
    """A call and its arguments; `call` may write to its folder."""

    make: Callable[[], Any]
    call: Callable[[Any, Path], Any]
    # of colors that may differ where an attempt had no memory; "" if the call itself verifies them
    problem: str | None = None


def graph() -> lagcolor.Graph:
    """Twelve vertices with edges, and two without."""
    return lagcolor.Graph.of((np.array(U), np.array(V)), n=N)


def pattern() -> lagcolor.Pattern:
    return lagcolor.Pattern.of(jacobian())


def jacobian() -> sp.csr_array:
    i, j = np.indices((7, 8))
    return sp.csr_array(np.where((i * j + i + 2 * j) % 5 == 0, 1.0 + i + j, 0.0))


def matrix() -> sp.csr_array:
    """Symmetric and diagonally dominant."""
    return sp.csr_array(graph().to_scipy().astype(float) + sp.diags_array(np.full(N, 9.0)))


def cells() -> Any:
    """A mesh of triangles."""
    return "triangle", np.array([[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5], [0, 2, 4]], np.int32)


def contacts() -> np.ndarray:
    return np.stack([U, V], axis=1).astype(np.int32)


def nothing() -> None:
    """Input of calls without an array."""


def plain(x: Any) -> Any:
    """Return a comparable form: arrays as bytes, colorings as colors and bounds."""
    if hasattr(x, "get") and not isinstance(x, dict):  # on a GPU
        x = x.get()
    if isinstance(x, np.ndarray):
        return x.dtype.str, x.shape, x.tobytes()
    if sp.issparse(x):
        x = sp.csr_array(x)
        return tuple(map(plain, (x.indptr, x.indices, x.data)))
    if isinstance(x, lagcolor.Pattern):  # and graphs
        return tuple(map(plain, (x.indptr, x.indices)))
    if isinstance(x, (tuple, list)):
        return tuple(map(plain, x))
    if hasattr(x, "products"):
        return plain(x.coloring), x.products
    if hasattr(x, "to_numpy"):
        return plain(x.to_numpy()), *(getattr(x, name, None) for name in ("n_colors", "lower_bound", "optimal"))
    return plain((x.x, x.z)) if isinstance(x, lagcolor.pauli.PauliStrings) else repr(x)


def files(folder: Path) -> dict[str, bytes]:
    """Path → bytes, without the folder from which `convert` goes on."""
    paths = [p for p in sorted(folder.rglob("*")) if ".partial" not in str(p)]
    return {str(p.relative_to(folder)): b"" if p.is_dir() else p.read_bytes() for p in paths}


def numbers() -> Iterator[int]:
    """0, 1, 2 … up to `EACH`, then with growing steps."""
    k = 0
    while True:
        yield k
        k += 1 if k < EACH else k // 8 + 1


def check(
    case: Case, folder: Path, fails: Callable[[int], Any] = failing, error: type[Exception] = MemoryError
) -> None:
    """Call, let allocation k fail, and call again, until there are no more than k."""
    names = (folder / str(i) for i in itertools.count())

    def place() -> Path:
        path = next(names)
        path.mkdir()
        (path / "there").write_bytes(b"as it was")
        return path

    first = place()
    expected = plain(case.call(case.make(), first)), files(first)
    for k in numbers():
        x, here, result = case.make(), place(), FAILED
        passed, before = plain(x), files(here)
        with fails(k) as count, suppress(error):
            result = case.call(x, here)
        if result is FAILED:
            assert files(here) in (before, expected[1]), k
        else:
            assert (plain(result), files(here)) == expected or is_valid(case, x, result), k
        assert plain(x) == passed, k
        if count.asked <= k:
            return
        if files(here) != before:
            here = place()
        assert (plain(case.call(x, here)), files(here)) == expected, k


def is_valid(case: Case, x: Any, result: Any) -> bool:
    """Whether colors keep the definition, and the result says what had no memory."""
    if isinstance(result, tuple) and hasattr(result[0], "products"):
        C, result = result[0], result[0].coloring
        if plain(C.decompress(C.compress(x))) != plain(x):
            return False
    elif isinstance(result, tuple):
        result = result[0]
    if case.problem is None or "memory" not in str(result.notes):
        return False
    colors = result.to_numpy().tolist()
    return result.verified if case.problem == "" else HOLDS[case.problem](x, colors)


def colored(problem: str, quality: str) -> Case:
    how = {"problem": problem, "quality": quality}
    make = graph if lagcolor.problems.PROBLEMS[problem].symmetric else pattern
    return Case(make, lambda x, _: lagcolor.color(x, **how), problem if quality != "fast" else None)


def algorithm(name: str) -> Case:
    steps = {"steps": 100} if name in ("tabucol", "partialcol", "head") else {}
    return Case(graph, lambda x, _: lagcolor.color(x, name, **steps))


def option(problem: str | None = None, **how: Any) -> Case:
    return Case(graph, lambda x, _: lagcolor.color(x, **how), problem)


def improved(verb: Callable[..., Any], **how: Any) -> Case:
    """Return a case with a graph and a separate color for each vertex."""
    return Case(lambda: (graph(), np.arange(N)), lambda x, _: verb(*x, **how))


def changed(verb: Callable[..., Any], **how: Any) -> Case:
    """Return a case with a graph and the colors of the graph with one edge less."""
    return Case(lambda: (graph(), old().copy()), lambda x, _: verb(*x, **how))


def verified(problem: str) -> Case:
    make = graph if lagcolor.problems.PROBLEMS[problem].symmetric else pattern
    return Case(
        lambda: (x := make(), lagcolor.color(x, problem=problem).to_numpy()),
        lambda x, _: lagcolor.verify(*x, problem=problem),
    )


def products(make: Callable[[], Any], verb: Callable[..., Any], *how: str) -> Case:
    """The entries that come back from the products."""

    def call(x: Any, _: Path) -> Any:
        C = verb(x, *how)
        return C, C.values(C.compress(x))

    return Case(make, call, "")


def solver(name: str) -> Case:
    make: Any = getattr(lagcolor.solvers, f"multicolor_{name}")

    def call(x: Any, _: Path) -> Any:
        M = make(x[0])
        return M.coloring, M @ x[1]

    return Case(lambda: (matrix(), np.arange(N, dtype=float)), call, "")


def strings(commute: str, quality: str) -> Case:
    return Case(
        lambda: lagcolor.pauli.random(20, 5, seed=1),
        lambda x, _: lagcolor.pauli.group(x, commute, quality=quality, verify=True),
        None if quality == "fast" else "",
    )


def on_mesh(name: str) -> Case:
    verb: Any = getattr(lagcolor.mesh, name)
    how = {"verify": True} if name.startswith("color") else {}
    return Case(cells, lambda x, _: verb(x, **how), "" if how else None)


def read(name: str, write: Callable[[Path], Any], how: Callable[[Path], Any]) -> Case:
    """Return a case that reads a file, which is written first if necessary."""

    def call(_: Any, folder: Path) -> Any:
        path = folder.parent / name
        if not path.exists():
            write(path)
        return how(path)

    return Case(nothing, call)


def numbers_in(path: Path) -> Any:
    return np.savetxt(path, np.arange(1, N + 1), fmt="%d")


def converted(_: Any, folder: Path) -> None:
    edges = folder.parent / "e.npy"
    if not edges.exists():
        np.save(edges, contacts())
    lagcolor.convert(edges, folder / "g.csr", n=N)


def verbs(x: Any, _: Path) -> Any:
    """A product of a vector and a matrix over a semiring."""
    E = semirings.engine("cpu")
    w = E.from_numpy(np.arange(N, dtype=np.int32))
    return E.to_numpy(E.vxm(w, E.matrix(*x, symmetric=True), semirings.SEMIRINGS["max_times"]))


def networkx() -> Any:
    import networkx as nx

    return nx.Graph(zip(U, V, strict=True))


def thirds(us: Any, vs: Any) -> Any:
    """Whether the sum of two numbers is divisible by 3."""
    return (us[:, None] + vs) % 3 == 0


def ends(x: Any) -> np.ndarray:
    return np.array([x[0] ** 2 + x[1], x[1] * x[2], x[2]])


@functools.cache
def bidiagonal() -> lagcolor.derivatives.Compression:
    return lagcolor.derivatives.jacobian(sp.csr_array(np.eye(3) + np.eye(3, k=1)))


@functools.cache
def old() -> np.ndarray:
    """Colors of the graph without its first edge."""
    return lagcolor.color((np.array(U[1:]), np.array(V[1:])), order="natural", n=N).to_numpy()


RULES = {"weights": lagcolor.io.read_weights, "capacity": lambda path, _: lagcolor.io.read_capacity(path)}
SPECS = {
    "banded": "9,2", "barabasi_albert": "9,2", "clique": "5", "complete_bipartite": "3,4", "crown": "4", "cycle": "5",
    "delaunay": "4", "erdos_renyi": "9,0.3", "grid2d": "4", "grid3d": "2", "kron_g500": "4", "mycielski": "3",
    "path": "5", "planted": "12,3,2", "queen": "4", "rgg": "4", "rmat": "4", "road": "4", "social": "30,3",
    "star": "5", "stencil27": "3", "uniform": "9,2",
}  # fmt: skip
PROBLEMS, FORMATS = lagcolor.problems.PROBLEMS, lagcolor.io.FORMATS
ALGORITHMS = [name for name, row in lagcolor.ALGORITHMS.items() if "cpu" in row.engines]
CASES: dict[str, Case] = {
    **{f"color | {problem} fast": colored(problem, "fast") for problem in PROBLEMS},
    **{f"color | {problem} balanced": colored(problem, "balanced") for problem in PROBLEMS},
    **{f"color | {name}": algorithm(name) for name in ALGORITHMS},
    "color | best": option("distance1", quality="best", time_limit=60),
    "color | a matrix": Case(matrix, lambda x, _: lagcolor.color(x), ""),
    "color | a dense matrix": Case(lambda: matrix().toarray(), lambda x, _: lagcolor.color(x), ""),
    "color | ends of edges": Case(lambda: (np.array(U), np.array(V)), lambda x, _: lagcolor.color(x, n=N), ""),
    "color | names": Case(
        lambda: [(f"{u}", f"{v}") for u, v in zip(U, V, strict=True)], lambda x, _: lagcolor.color(x), ""
    ),
    "color | balance": option("distance1", balance=True),
    "color | fixed and forbidden": option("distance1", fixed={0: 2, 3: 1}, forbidden={5: [0]}),
    "color | allowed": option("distance1", allowed={v: range(v % 3, 9) for v in range(N)}),
    "color | capacity": option("distance1", capacity=20, weights=np.arange(1, N + 1) % 5 + 1),
    "color | max_colors": option("distance1", max_colors=3),
    "color | partial": option(None, max_colors=2, partial="fewest"),
    "color | a folder": read(
        "f.csr", lambda p: lagcolor.io.write(p, graph()), lambda p: lagcolor.color(p, memory="9MB")
    ),
    "equitable": Case(graph, lambda x, _: lagcolor.equitable(x)),
    "balance": improved(lagcolor.balance),
    **{f"reduce | {m}": improved(lagcolor.reduce, method=m) for m in ("ejection", "iterated_greedy", "heuristics")},
    "recolor": changed(lagcolor.recolor),
    "recolor | changed": changed(lagcolor.recolor, changed=[U[0], V[0]]),
    "recolor | keep": changed(lagcolor.recolor, keep=True),
    **{f"verify | {problem}": verified(problem) for problem in PROBLEMS},
    "verify | errors": changed(lagcolor.verify, errors="return"),
    "color_implicit": Case(nothing, lambda *_: lagcolor.color_implicit(thirds, N, quality="balanced")),
    "color_implicit | fast": Case(nothing, lambda *_: lagcolor.color_implicit(thirds, N, "natural")),
    "color_pairs": Case(contacts, lambda x, _: lagcolor.color_pairs(x, N)),
    "color_pairs | bodies": Case(contacts, lambda x, _: lagcolor.color_pairs(x, N, of="bodies")),
    **{
        f"derivatives.jacobian | {' '.join(how)}": products(jacobian, lagcolor.derivatives.jacobian, *how)
        for how in (("columns",), ("rows",), ("both",), ("both", "substitution"))
    },
    **{
        f"derivatives.hessian | {how}": products(matrix, lagcolor.derivatives.hessian, how)
        for how in ("direct", "substitution")
    },
    "derivatives.fd_jacobian": Case(
        lambda: np.arange(1.0, 4), lambda x, _: lagcolor.derivatives.fd_jacobian(ends, x, bidiagonal())
    ),
    "derivatives.load": read("j.npz", lambda p: bidiagonal().save(p), lagcolor.derivatives.load),
    **{f"solvers.multicolor_{name}": solver(name) for name in ("sor", "ilu0", "ic0", "dilu")},
    **{f"pauli.group | {how} fast": strings(how, "fast") for how in ("qubitwise", "general", "anti")},
    **{f"pauli.group | {how} balanced": strings(how, "balanced") for how in ("qubitwise", "general", "anti")},
    "pauli.group | texts": Case(lambda: ["XX", "ZZ", "XI", "IZ"], lambda x, _: lagcolor.pauli.group(x)),
    "pauli.random": Case(nothing, lambda *_: lagcolor.pauli.random(20, 5, seed=1)),
    "pauli.two_body": Case(nothing, lambda *_: lagcolor.pauli.two_body(3)),
    **{
        f"mesh.{name}": on_mesh(name)
        for name in ("color_elements", "color_nodes", "color_edges", "color_facets", "edges", "facets")
    },
    **{
        f"orders | {name}": Case(graph, lambda x, _, o=name: lagcolor.Priorities.of(x, o).sequence)
        for name in lagcolor.ORDERS
    },
    "orders.degeneracy": Case(graph, lambda x, _: lagcolor.orders.degeneracy(x)),
    **{
        f"io.write | {f}": Case(graph, lambda x, folder, f=f: lagcolor.io.write(folder / "there", x, format=f))
        for f in FORMATS
    },
    "io.write | a folder": Case(graph, lambda x, folder: lagcolor.io.write(folder / "g.csr", x)),
    **{
        f"io.read | {f}": read(
            f"g.{f}",
            lambda p, f=f: lagcolor.io.write(p, graph(), format=f),
            lambda p, f=f: lagcolor.io.read(p, format=f),
        )
        for f in FORMATS
    },
    "io.read | a folder": read("g.csr", lambda p: lagcolor.io.write(p, graph()), lagcolor.io.read),
    **{
        f"io.write_coloring | {f}": Case(old, lambda x, folder, f=f: lagcolor.io.write_coloring(folder / f"c.{f}", x))
        for f in ("npy", "txt", "csv", "json")
    },
    **{
        f"io.read_coloring | {f}": read(
            f"c.{f}", lambda p: lagcolor.io.write_coloring(p, old()), lagcolor.io.read_coloring
        )
        for f in ("npy", "txt", "csv", "json")
    },
    **{f"io.read_{rule}": read("w.txt", numbers_in, lambda p, r=how: r(p, N)) for rule, how in RULES.items()},
    **{
        f"io.read_{rule}": read(
            "f.csv",
            lambda p: p.write_text("vertex,color\n1,2\n1,3\n"),
            lambda p, r=rule: getattr(lagcolor.io, f"read_{r}")(p, 3),
        )
        for rule in ("allowed", "forbidden")
    },
    "convert": Case(nothing, converted),
    "scale.disk.mapped": read("m.csr", lambda p: lagcolor.io.write(p, graph()), lagcolor.scale.disk.mapped),
    "problems.certificates.check": Case(
        lambda: (graph(), lagcolor.color(graph(), quality="balanced").certificate),
        lambda x, _: lagcolor.problems.certificates.check(*x),
    ),
    "networkx.from_networkx": Case(networkx, lambda x, _: lagcolor.color(lagcolor.networkx.from_networkx(x)), ""),
    **{
        f"generate.{name}": Case(nothing, lambda *_, s=f"{name}:{sides}": lagcolor.generate.from_spec(s))
        for name, sides in SPECS.items()
    },
    "generate.from_spec": Case(nothing, lambda *_: lagcolor.generate.from_spec("rmat:3")),
    "semirings.engine": Case(lambda: (graph().indptr, graph().indices), verbs),
}
WITHOUT = {  # public functions that have no case
    "has_gpu": "makes no array", "problems.named": "makes no array", "generate.family": "makes no array",
    "semirings.binary_op": "makes no array", "semirings.unary_op": "makes no array",
    "semirings.monoid": "makes no array", "semirings.semiring": "makes no array",
    "plot.": "Matplotlib's arrays", "derivatives.asdex.": "JAX's arrays",
    "derivatives.jax.": "JAX's arrays", "derivatives.torch.": "PyTorch's arrays", "frontier.operators.": "functors",
    "scale.dask.color": "arrays of workers", "scale.gpus.": "several GPUs",
}  # fmt: skip


def test_every_function_has_a_case() -> None:
    modules = {module: __import__(module, fromlist=["x"]) for module, _ in public.listed() if known(module)}
    functions = {
        f"{module}.{name}".removeprefix("lagcolor.")
        for module, name in public.listed()
        if module in modules and inspect.isfunction(getattr(modules[module], name))
    }
    verbs_there = {name.partition(" | ")[0] for name in CASES}
    assert [f for f in sorted(functions) if f not in verbs_there and not f.startswith(tuple(WITHOUT))] == []


def known(module: str) -> bool:
    return not f"{module}.".removeprefix("lagcolor.").startswith(tuple(WITHOUT))


@pytest.mark.parametrize("name", CASES)
def test_no_allocation_is_missed(name: str, tmp_path: Path) -> None:
    check(CASES[name], tmp_path)


# ---- on a GPU --------------------------------------------------------------------------------------------------------


@contextmanager
def failing_on_gpu(k: int) -> Iterator[Count]:
    """Within the block, the allocation on the device after `k` others fails."""
    count = Count()

    def ask() -> None:
        count.asked += 1
        if count.asked == k + 1:
            raise MemoryError("the device is full")

    if emulated.stands_in():
        emulated.GPU.fail = lambda what, _: ask() if what == "allocate" else None
        try:
            yield count
        finally:
            emulated.GPU.fail = None
        return
    import cupy

    take = cupy.cuda.get_allocator()

    def allocate(size: int) -> Any:
        ask()
        return take(size)

    with cupy.cuda.using_allocator(allocate):
        yield count


def grid(device: str = "cuda") -> lagcolor.Graph:
    """A grid that a GPU colors itself; emulated ones have less to do."""
    return lagcolor.generate.grid2d(5 if emulated.stands_in() else 200).on(device)


def on_gpu(A: sp.csr_array) -> Any:
    import cupy
    import cupyx.scipy.sparse

    arrays = tuple(cupy.asarray(a) for a in (A.data, A.indices, A.indptr))
    return cupyx.scipy.sparse.csr_matrix(arrays, shape=A.shape)


def proper(quality: str) -> Case:
    """Whether colors are proper: threads race for them."""

    def call(x: Any, _: Path) -> bool:
        result = lagcolor.color(x, quality=quality)
        return HOLDS["distance1"](grid("cpu"), result.to_numpy().tolist()) and result.lower_bound <= result.n_colors

    return Case(grid, call)


def with_colors(verb: Callable[..., Any], step: int = 1, **how: Any) -> Case:
    """Return a case with a grid and colors; `step` vertices share each color."""
    return Case(lambda: (x := grid(), np.arange(x.n) // step), lambda x, _: verb(*x, **how))


def solved(name: str) -> Case:
    make: Any = getattr(lagcolor.solvers, f"multicolor_{name}")

    def inputs() -> Any:
        import cupy

        return on_gpu(matrix()), cupy.asarray(np.arange(N, dtype=float))

    def call(x: Any, _: Path) -> Any:
        return make(x[0]) @ x[1]

    return Case(inputs, call)


GPU_CASES = {
    "color | fast": Case(grid, lambda x, _: lagcolor.color(x, quality="fast")),
    "color | natural": Case(grid, lambda x, _: lagcolor.color(x, "first_fit", "natural")),
    "color | jpl": Case(grid, lambda x, _: lagcolor.color(x, "jpl", verify=True)),
    "color | distance2": Case(grid, lambda x, _: lagcolor.color(x, problem="distance2", quality="fast", verify=True)),
    "color | balanced": proper("balanced"),
    "reduce": with_colors(lagcolor.reduce, method="iterated_greedy", rounds=1),
    "balance": with_colors(lagcolor.balance),
    "recolor": with_colors(lagcolor.recolor, 2),
    "verify": with_colors(lagcolor.verify),
    **{f"solvers.multicolor_{name}": solved(name) for name in ("sor", "ilu0", "ic0", "dilu")},
}


@pytest.mark.parametrize("device", emulated.ENGINES[1:])
@pytest.mark.parametrize("name", GPU_CASES)
def test_no_allocation_on_a_gpu_is_missed(name: str, device: str, tmp_path: Path) -> None:
    check(GPU_CASES[name], tmp_path, failing_on_gpu)
