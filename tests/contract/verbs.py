"""Every public function and class: the kinds of input that it takes, and a call whose results are compared.

`test_inputs.py` fails for a public name that is in no table here.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import lagcolor
import lagcolor.scale.disk
import lagcolor.scale.gpus
import semirings
from lagcolor import Graph, Pattern, derivatives, mesh, solvers
from lagcolor.frontier import operators
from lagcolor.problems import PROBLEMS, certificates

from . import kinds


class Verb(NamedTuple):
    """The inputs of a public name, and a call; `some`: the kinds of input for a slow call or one that accepts fewer."""

    takes: kinds.Kinds
    call: Callable[[Any, Path], Any]
    some: tuple[str, ...] | None = None
    gpu: bool = True  # It also takes arrays on a GPU, and answers there; with a graph on the CPU it answers on the CPU


# One kind of each library and module of readers, for calls that take a tenth of a second.
FEW = (
    "csr_array", "csc_matrix", "coo int64", "csr uint32", "csc strided", "dense float64", "pair int64",
    "list of tuples", "graphblas", "jax bcoo", "torch sparse_csr", "pandas", "Pattern",
)  # fmt: skip
ARRAYS = tuple(kind for kind in kinds.COLORS if kind != "dict")  # and a Coloring
B = np.cos(np.arange(21.0))


def kinds_of(problem: str) -> kinds.Kinds:
    return kinds.GRAPHS if PROBLEMS[problem].symmetric else kinds.PATTERNS


def of_problem(problem: str) -> Verb:
    some = FEW if problem.endswith("bicoloring") else None
    return Verb(kinds_of(problem), lambda x, at: lagcolor.color(x, problem=problem), some)


@functools.cache
def proper(problem: str) -> np.ndarray:
    """Colors of the canonical input."""
    canonical = kinds.adjacency() if PROBLEMS[problem].symmetric else kinds.jacobian()
    return lagcolor.color(canonical, problem=problem).to_numpy()


def checked(problem: str) -> Verb:
    """A proper coloring passes, and one that is improper has its violations."""

    def call(x: Any, at: Path) -> Any:
        bad = proper(problem).copy()
        bad[: len(bad) // 2] = bad[0]
        again = itertools.tee(x, 2) if isinstance(x, Iterator) else (x, x)
        report = lagcolor.verify(again[0], bad, problem=problem, errors="return")
        found = report.conflicts if problem == "distance1" else [report.n_violations]
        return lagcolor.verify(again[1], proper(problem), problem=problem).ok, report.n_colors, found

    return Verb(kinds_of(problem), call)


def proved(x: Any, at: Path) -> Any:
    """A certificate of the canonical graph holds."""
    return certificates.check(x, lagcolor.color(kinds.adjacency()).certificate)


def smoothed(make: Callable[[Any], Any]) -> Verb:
    return Verb(kinds.MATRICES, lambda A, at: make(A) @ B)


def distances(x: Any, at: Path) -> Any:
    """Levels of breadth-first search by operators: what `on` gives has the edges of the graph."""
    ops = operators.on(Graph.of(x))
    return ops.to_numpy(ops.advance(ops.frontier([0]), ANY, unique=True))


ANY = operators.functor("return true;")(lambda u, v, e: True)


def written(x: Any, at: Path) -> Any:
    lagcolor.io.write(at / "out.mtx", x)
    return (at / "out.mtx").read_text()


def colors_written(x: Any, at: Path) -> Any:
    lagcolor.io.write_coloring(at / "colors.txt", x)
    return (at / "colors.txt").read_text()


def converted(x: Any, at: Path) -> Any:
    return lagcolor.scale.disk.mapped(lagcolor.convert(x, at / "out.csr", n=21, force=True))


def appended(x: Any, at: Path) -> Any:
    """Rows from index arrays."""
    with lagcolor.scale.disk.Writer(at / "rows.csr", 21, force=True) as out:
        out.append(*x)
        return lagcolor.scale.disk.mapped(out.publish())


def rows_of(change: Callable[[np.ndarray], np.ndarray]) -> kinds.Make:
    return lambda at: (change(np.diff(kinds.adjacency().indptr)), change(kinds.adjacency().indices))


ROWS: kinds.Kinds = {
    **{dtype: rows_of(kinds.to(dtype)) for dtype in ("int32", *kinds.INTEGERS)},
    **{layout: rows_of(change) for layout, change in kinds.LAYOUTS.items()},
    "lists": rows_of(lambda a: a.tolist()),
}  # fmt: skip
OFFSETS: kinds.Kinds = {
    name: lambda at, n=name: (getattr(kinds.GRAPHS[n](at), part) for part in ("indptr", "indices"))
    for name in kinds.GRAPHS if name.startswith("csr ") and "twice" not in name
}  # fmt: skip
FUNCTION = np.arange(1.0, 8)


def product(x: Any, at: Path) -> Any:
    """Sums over neighbors, by masked linear algebra."""
    kinds.library("graphblas")
    cpu = semirings.engine("cpu")
    A = cpu.matrix(*x, symmetric=True)
    return cpu.to_numpy(cpu.mxv(A, cpu.from_numpy(np.arange(21)), semirings.SEMIRINGS["plus_second"]))


def residual(x: Any) -> Any:
    """A function with the pattern of `kinds.jacobian`."""
    return kinds.jacobian() @ (x * x)


def traced(library: str, name: str) -> Callable[[Any, Path], Any]:
    """A derivative of a function of JAX or torch."""

    def call(C: Any, at: Path) -> Any:
        kinds.library(library)
        if library == "jax":
            import jax.numpy as xp

            import lagcolor.derivatives.jax as module

            x = xp.asarray(FUNCTION, "float32")
        else:
            import torch as xp

            import lagcolor.derivatives.torch as module

            x = xp.tensor(FUNCTION)
        J, A = xp.asarray(kinds.jacobian().toarray(), dtype=x.dtype), kinds.laplacian().toarray()
        if name == "hessian":
            H, y = xp.asarray(A, dtype=x.dtype), xp.asarray(B, dtype=x.dtype)
            return np.asarray(module.hessian(lambda v: v @ H @ v / 2, C, "dense")(y))
        if name == "check":
            return module.check(lambda v: J @ (v * v), C, x) is None
        made = getattr(module, name)(lambda v: J @ (v * v), C, "dense")(x)
        return [np.asarray(part) for part in (made if isinstance(made, tuple) else (made,))]

    return call


def from_graph_of(x: Any, at: Path) -> Any:
    """Graphs for NetworkX's dispatch."""
    import networkx

    import lagcolor.networkx

    G = lagcolor.networkx.from_networkx(x)
    colors = networkx.greedy_color(G, backend="lagcolor")
    return [colors[v] for v in range(21)]


def colored_by_asdex(x: Any, at: Path) -> Any:
    from lagcolor.derivatives import asdex

    C = derivatives.jacobian(asdex.pattern_of(x))
    back = asdex.from_asdex(asdex.to_asdex(C, x))
    return asdex.pattern_of(x), back.coloring.colors


def bars(x: Any, at: Path) -> Any:
    kinds.library("matplotlib").use("agg")
    ax = lagcolor.plot.degrees(Graph.of(x))
    return [bar.get_height() for bar in ax.patches]


def on_cluster(x: Any, at: Path) -> Any:
    """A graph folder, or a DataFrame of Dask, on a cluster in this process."""
    dask, distributed = kinds.library("dask"), kinds.library("distributed")
    import lagcolor.scale.dask

    if not isinstance(x, (str, Path)):
        import dask.dataframe

        x = dask.dataframe.from_pandas(x, npartitions=2)
    quiet = {"distributed.dashboard.link": "", "distributed.worker.memory.terminate": False}
    with dask.config.set(quiet), distributed.Client(
        processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None
    ) as client:  # fmt: skip
        return lagcolor.scale.dask.color(x, client, order="natural", parts=2, checkpoint=at / "run").colors


def divided(x: Any, at: Path) -> Any:
    """Colors of two GPUs."""
    D = lagcolor.scale.gpus.distribute(x, ["cuda:0", "cuda:1"])
    return lagcolor.scale.gpus.color(D, "random", seed=5).to_numpy()


CONVERTED: kinds.Kinds = {
    **{name: kinds.FILES[name] for name in kinds.FILES if not name.endswith((".egr", ".npz", ".col.b", ".csr"))},
    "edges.npy": kinds.edges_npy,
    "parts of an edge list": kinds.parts,
    "text": lambda at: str(kinds.FILES["file g.mtx"](at)),
}  # fmt: skip
CLUSTERED: kinds.Kinds = {
    "file g.csr": kinds.FILES["file g.csr"],
    **{f"pandas {dtype}": lambda at, d=dtype: kinds.frame(kinds.ends()).astype(d) for dtype in ("uint8", "int64")},
}  # fmt: skip
NETWORKX: kinds.Kinds = {
    f"networkx {kind}": kinds.GRAPHS[f"networkx {kind}"] for kind in ("Graph", "MultiGraph")
}  # fmt: skip
FOLDER: kinds.Kinds = {"file g.csr": kinds.FILES["file g.csr"]}
ASDEX: kinds.Kinds = {"asdex": kinds.PATTERNS["asdex"]}
ELEMENTS = {
    f"lagcolor.mesh.{name}": Verb(takes, lambda x, at, name=name: getattr(mesh, name)(x), gpu=takes is kinds.CELLS)
    for takes, names in (
        (kinds.CELLS, ("color_elements", "color_nodes")),
        (kinds.BLOCKS, ("color_edges", "color_facets", "edges", "facets")),
    )
    for name in names
}

VERBS: dict[str, Verb] = {
    "lagcolor.Graph": Verb(kinds.GRAPHS, lambda x, at: Graph.of(x)),
    "lagcolor.Pattern": Verb(kinds.PATTERNS, lambda x, at: Pattern.of(x)),
    "lagcolor.Priorities": Verb(
        kinds.GRAPHS, lambda x, at: lagcolor.Priorities.of(Graph.of(x), "largest_first", seed=3).sequence
    ),
    "lagcolor.balance": Verb(kinds.GRAPHS, lambda x, at: lagcolor.balance(x, kinds.colors())),
    "lagcolor.balance | colors": Verb(kinds.COLORS, lambda x, at: lagcolor.balance(kinds.adjacency(), x), gpu=False),
    "lagcolor.color": Verb(kinds.GRAPHS, lambda x, at: lagcolor.color(x)),
    "lagcolor.color | fast": Verb(kinds.GRAPHS, lambda x, at: lagcolor.color(x, order="random", seed=5)),
    **{f"lagcolor.color | {problem}": of_problem(problem) for problem in PROBLEMS if problem != "distance1"},
    "lagcolor.color | fixed": Verb(kinds.COLORS, lambda x, at: lagcolor.color(kinds.adjacency(), fixed=x), gpu=False),
    "lagcolor.color_pairs": Verb(kinds.PAIRS, lambda x, at: lagcolor.color_pairs(x, 10).colors),
    "lagcolor.convert": Verb(CONVERTED, converted, gpu=False),
    "lagcolor.equitable": Verb(kinds.GRAPHS, lambda x, at: lagcolor.equitable(x)),
    "lagcolor.recolor": Verb(kinds.GRAPHS, lambda x, at: lagcolor.recolor(x, kinds.colors(), [0, 3])),
    "lagcolor.recolor | colors": Verb(
        kinds.COLORS, lambda x, at: lagcolor.recolor(kinds.adjacency(), x, [0, 3]), gpu=False
    ),
    "lagcolor.reduce": Verb(kinds.GRAPHS, lambda x, at: lagcolor.reduce(x, kinds.colors())),
    "lagcolor.reduce | colors": Verb(kinds.COLORS, lambda x, at: lagcolor.reduce(kinds.adjacency(), x), gpu=False),
    **{f"lagcolor.verify | {problem}": checked(problem) for problem in PROBLEMS},
    "lagcolor.verify | colors": Verb(kinds.COLORS, lambda x, at: lagcolor.verify(kinds.adjacency(), x).n_colors),
    "lagcolor.derivatives.Compression": Verb(
        kinds.VALUES, lambda x, at: derivatives.jacobian(kinds.jacobian()).compress(x), gpu=False
    ),
    "lagcolor.derivatives.fd_jacobian": Verb(
        kinds.PATTERNS, lambda x, at: derivatives.fd_jacobian(residual, FUNCTION, x), gpu=False
    ),
    "lagcolor.derivatives.hessian": Verb(kinds.MATRICES, lambda x, at: derivatives.hessian(x).coloring),
    "lagcolor.derivatives.jacobian": Verb(kinds.PATTERNS, lambda x, at: derivatives.jacobian(x).coloring),
    "lagcolor.derivatives.jacobian | both": Verb(
        kinds.PATTERNS, lambda x, at: derivatives.jacobian(x, "both").coloring, FEW
    ),
    "lagcolor.derivatives.asdex.from_asdex": Verb(ASDEX, colored_by_asdex, gpu=False),
    "lagcolor.derivatives.asdex.pattern_of": Verb(ASDEX, colored_by_asdex, gpu=False),
    "lagcolor.derivatives.asdex.to_asdex": Verb(ASDEX, colored_by_asdex, gpu=False),
    **{
        f"lagcolor.derivatives.{library}.{name}": Verb(takes, traced(library, name), FEW, gpu=False)
        for library in ("jax", "torch")
        for name, takes in (
            ("check", kinds.PATTERNS), ("hessian", kinds.MATRICES), ("jacobian", kinds.PATTERNS),
            ("value_and_jacobian", kinds.PATTERNS),
        )
    },
    "lagcolor.frontier.operators.on": Verb(kinds.GRAPHS, distances, FEW),
    "lagcolor.io.read": Verb(kinds.FILES, lambda x, at: lagcolor.io.read(x), gpu=False),
    "lagcolor.io.write": Verb(kinds.GRAPHS, written, gpu=False),
    "lagcolor.io.write_coloring": Verb(kinds.COLORS, colors_written, ARRAYS, gpu=False),
    **ELEMENTS,
    "lagcolor.networkx.from_networkx": Verb(NETWORKX, from_graph_of, gpu=False),
    "lagcolor.orders.degeneracy": Verb(kinds.GRAPHS, lambda x, at: lagcolor.orders.degeneracy(Graph.of(x))),
    "lagcolor.pauli.PauliStrings": Verb(kinds.STRINGS, lambda x, at: list(lagcolor.pauli.PauliStrings.of(x).codes())),
    "lagcolor.pauli.group": Verb(kinds.STRINGS, lambda x, at: lagcolor.pauli.group(x).colors),
    "lagcolor.plot.degrees": Verb(kinds.GRAPHS, bars, FEW[:3], gpu=False),
    "lagcolor.problems.Problem": Verb(
        kinds.GRAPHS, lambda x, at: [row.lower_bound(Graph.of(x)) for row in (PROBLEMS["distance1"],)]
    ),
    "lagcolor.problems.certificates.check": Verb(kinds.GRAPHS, proved),
    "lagcolor.scale.dask.color": Verb(CLUSTERED, on_cluster, gpu=False),
    "lagcolor.scale.disk.Folder": Verb(
        FOLDER, lambda x, at: lagcolor.scale.disk.Folder.open(x).rows(0, 21), gpu=False
    ),
    "lagcolor.scale.disk.Writer": Verb(ROWS, appended, gpu=False),
    "lagcolor.scale.disk.mapped": Verb(FOLDER, lambda x, at: lagcolor.scale.disk.mapped(x), gpu=False),
    "semirings.Engine": Verb(OFFSETS, product, gpu=False),
    "lagcolor.solvers.multicolor_dilu": smoothed(solvers.multicolor_dilu),
    "lagcolor.solvers.multicolor_ic0": smoothed(solvers.multicolor_ic0),
    "lagcolor.solvers.multicolor_ilu0": smoothed(solvers.multicolor_ilu0),
    "lagcolor.solvers.multicolor_sor": smoothed(solvers.multicolor_sor),
}  # fmt: skip

# Of a GPU that is emulated: few, as its compiler is slow.
EMULATED = ("lagcolor.Graph", "lagcolor.Pattern", "lagcolor.color | fast", "lagcolor.color_pairs")
# These need several GPUs.
SEVERAL: dict[str, Verb] = {
    f"lagcolor.scale.gpus.{name}": Verb(kinds.GRAPHS, divided, ("csr_array", "pair int64", "list of tuples", "Graph"))
    for name in ("color", "distribute")
}
FAMILIES = frozenset(f"lagcolor.generate.{name}" for name in lagcolor.generate.FAMILIES)
# Public names that take no graph, matrix, colors or index arrays: errors, results, rows of tables, generators, and
# what reads files of other things.
NO_INPUT = FAMILIES | {
    "lagcolor.Algorithm", "lagcolor.CacheWarning", "lagcolor.ClusterError", "lagcolor.Coloring",
    "lagcolor.ColoringError", "lagcolor.DeviceError", "lagcolor.EntryPointWarning",
    "lagcolor.FormatError", "lagcolor.GraphError", "lagcolor.ImplicitColoring", "lagcolor.LagcolorError",
    "lagcolor.LagcolorWarning", "lagcolor.MissingPackageError", "lagcolor.NumberingWarning", "lagcolor.OptionError",
    "lagcolor.PairColoring", "lagcolor.PivotWarning", "lagcolor.Report",
    "lagcolor.color_implicit", "lagcolor.has_gpu",
    "lagcolor.derivatives.load",
    "lagcolor.frontier.operators.Frontier", "lagcolor.frontier.operators.Functor",
    "lagcolor.frontier.operators.Operators", "lagcolor.frontier.operators.add", "lagcolor.frontier.operators.claim",
    "lagcolor.frontier.operators.functor", "lagcolor.frontier.operators.join", "lagcolor.frontier.operators.least",
    "lagcolor.frontier.operators.load", "lagcolor.frontier.operators.store",
    "lagcolor.generate.Family", "lagcolor.generate.family", "lagcolor.generate.from_spec",
    "lagcolor.io.Format", "lagcolor.io.read_allowed", "lagcolor.io.read_capacity", "lagcolor.io.read_coloring",
    "lagcolor.io.read_forbidden", "lagcolor.io.read_weights",
    "lagcolor.orders.Order",
    "lagcolor.pauli.Grouping", "lagcolor.pauli.random", "lagcolor.pauli.two_body",
    "lagcolor.plot.class_sizes", "lagcolor.plot.compression", "lagcolor.plot.graph", "lagcolor.plot.rounds",
    "lagcolor.plot.save", "lagcolor.plot.summary",
    "lagcolor.problems.certificates.Certificate", "lagcolor.problems.named",
    "lagcolor.scale.gpus.Distributed", "lagcolor.scale.gpus.Part", "lagcolor.scale.gpus.mesh",
    "lagcolor.solvers.Multicolor", "lagcolor.solvers.MulticolorDILU", "lagcolor.solvers.MulticolorIC0",
    "lagcolor.solvers.MulticolorILU0", "lagcolor.solvers.MulticolorSOR",
    "semirings.BinaryOp", "semirings.DeviceError", "semirings.Monoid", "semirings.Semiring", "semirings.UnaryOp",
    "semirings.binary_op", "semirings.engine", "semirings.monoid", "semirings.semiring", "semirings.unary_op",
}  # fmt: skip
