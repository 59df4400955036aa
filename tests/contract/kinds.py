"""Every kind of input, by what it holds: name → what makes it. The first kind of a table is canonical.

All kinds of one table hold the same graph, pattern, matrix, colors …, so a public function gives the same result for
each. A maker takes a folder for the files that it writes. A package that is not installed skips the kind.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from tensors import OnlyDLPack

import lagcolor

Make = Callable[[Path], Any]
Kinds = dict[str, Make]

SPEC = "barabasi_albert:21,3,seed=5"  # no isolated vertex, and under 128 stored entries: int8 offsets
INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", ">i4", ">i8")
ON_GPU = tuple(dtype for dtype in INTEGERS if dtype[0] != ">")
NETWORKX = ("Graph", "DiGraph", "MultiGraph", "MultiDiGraph")
MESSY = ("csr", "csc", "coo")  # formats that can have entries twice and out of order
SPARSE = ("csr", "csc", "coo", "lil", "dok", "dia", "bsr")


@functools.cache
def adjacency() -> sp.csr_array:
    """The canonical CSR, with int32 indices and ones."""
    return sp.csr_array(lagcolor.generate.from_spec(SPEC).to_scipy(), dtype=np.float64)


@functools.cache
def jacobian() -> sp.csr_array:
    """Return a Jacobian with 9 rows and 7 columns, none of them empty."""
    i, j = np.indices((9, 7))
    return sp.csr_array(((i + 2 * j) % 5 == 0) | (i == j) | ((i == 8) & (j % 3 == 0)), dtype=np.float64)


@functools.cache
def laplacian() -> sp.csr_array:
    """Positive definite, with the pattern of the graph and a diagonal."""
    A = adjacency()
    return sp.csr_array(sp.diags_array(A.sum(1) + 1.5) - A)


@functools.cache
def ends() -> tuple[np.ndarray, np.ndarray]:
    """Each edge once, from its smaller end."""
    A = sp.triu(adjacency(), format="coo")
    return A.row.astype(np.int64), A.col.astype(np.int64)


@functools.cache
def colors() -> np.ndarray:
    """A proper coloring, not with the fewest colors."""
    return lagcolor.color(adjacency(), order="natural").to_numpy()


def library(name: str) -> Any:
    return pytest.importorskip(name, reason=f"{name} is not installed")


def frozen(a: np.ndarray) -> np.ndarray:
    """A read-only copy."""
    a = a.copy()
    a.flags.writeable = False
    return a


def strided(a: np.ndarray) -> np.ndarray:
    """Every other element of a larger array; what is between is no index."""
    wide = np.full((*a.shape[:-1], 2 * a.shape[-1]), 99, a.dtype)
    wide[..., ::2] = a
    return wide[..., ::2]


def backward(a: np.ndarray) -> np.ndarray:
    """With a negative stride."""
    return a[..., ::-1].copy()[..., ::-1]


LAYOUTS = {"read-only": frozen, "strided": strided, "backward": backward}


def with_arrays(A: Any, **arrays: np.ndarray) -> Any:
    """A sparse matrix with other index arrays, which SciPy's constructors would convert."""
    A = A.copy()
    for name, a in arrays.items():
        setattr(A, name, a)
    return A


def compressed(format: str, change: Callable[[np.ndarray], np.ndarray], parts: tuple[str, ...], of: Any) -> Make:
    def make(at: Path) -> Any:
        A = of().asformat(format)
        return with_arrays(A, **{part: change(getattr(A, part)) for part in parts})

    return make


def coordinates(change: Callable[[np.ndarray], np.ndarray], of: Any) -> Make:
    def make(at: Path) -> Any:
        A = of().tocoo()
        return with_arrays(A, coords=tuple(change(a) for a in A.coords))

    return make


def to(dtype: str) -> Callable[[np.ndarray], np.ndarray]:
    return lambda a: a.astype(dtype)


def scipy_kinds(of: Callable[[], sp.csr_array]) -> Iterator[tuple[str, Make]]:
    """Formats, classes, and types and layouts of the index arrays."""
    for format in SPARSE:
        yield f"{format}_array", lambda at, f=format: of().asformat(f)
        yield f"{format}_matrix", lambda at, f=format: getattr(sp, f"{f}_matrix")(of())
    for dtype in INTEGERS:
        for format in ("csr", "csc"):
            yield f"{format} {dtype}", compressed(format, to(dtype), ("indptr", "indices"), of)
        yield f"coo {dtype}", coordinates(to(dtype), of)
    yield "csr int64 offsets", compressed("csr", to("int64"), ("indptr",), of)
    yield "csr int64 columns", compressed("csr", to("int64"), ("indices",), of)
    for layout, change in LAYOUTS.items():
        for format in ("csr", "csc"):
            yield f"{format} {layout}", compressed(format, change, ("indptr", "indices"), of)
        yield f"coo {layout}", coordinates(change, of)


def messy(A: sp.csr_array, format: str) -> Any:
    """Return the matrix with unsorted entries; every third entry is stored as two summands."""
    B = A.tocoo(copy=True)
    B.data = B.data / np.where(np.arange(B.nnz) % 3, 1, 2)
    row, col, values = (np.concatenate([a, a[::3]])[::-1] for a in (B.row, B.col, B.data))
    if format == "coo":
        return sp.coo_array((values, (row, col)), shape=A.shape)
    major, minor = (row, col) if format == "csr" else (col, row)
    at = np.argsort(major, kind="stable")
    offsets = np.searchsorted(major[at], np.arange(A.shape[format == "csc"] + 1))
    return getattr(sp, f"{format}_array")((values[at], minor[at], offsets), shape=A.shape)


def dense_kinds(of: Callable[[], sp.csr_array]) -> Iterator[tuple[str, Make]]:
    for dtype in ("float64", "float32", "bool", "int8", "int64", "uint16", "complex128"):
        yield f"dense {dtype}", lambda at, d=dtype: of().toarray().astype(d)
    yield "dense matrix", lambda at: np.matrix(of().toarray())
    yield "dense, by columns", lambda at: np.asfortranarray(of().toarray())
    for layout, change in LAYOUTS.items():
        yield f"dense {layout}", lambda at, c=change: c(of().toarray())
    yield "dense, of DLPack", lambda at: OnlyDLPack(of().toarray())


def other_sparse(of: Callable[[], sp.csr_array]) -> Iterator[tuple[str, Make]]:
    """Yield sparse matrices of graphblas, JAX, asdex and torch."""

    def graphblas(at: Path) -> Any:
        return library("graphblas").io.from_scipy_sparse(of())

    def jax(at: Path, kind: str) -> Any:
        library("jax")
        import jax.experimental.sparse

        made = jax.experimental.sparse.BCOO.from_scipy_sparse(of())
        return made if kind == "bcoo" else jax.experimental.sparse.BCSR.from_bcoo(made)

    def torch(at: Path, layout: str) -> Any:
        dense = library("torch").tensor(of().toarray())
        return getattr(dense, f"to_sparse{layout}")()

    def asdex(at: Path) -> Any:
        A = of().tocoo()
        return library("asdex").SparsityPattern.from_coo(A.row, A.col, A.shape)

    yield "graphblas", graphblas
    yield "graphblas, transposed", lambda at: library("graphblas").io.from_scipy_sparse(of().T.tocsr()).T
    for kind in ("bcoo", "bcsr"):
        yield f"jax {kind}", lambda at, k=kind: jax(at, k)
    for layout in ("", "_csr", "_csc"):
        yield f"torch sparse{layout or '_coo'}", lambda at, x=layout: torch(at, x)
    yield "asdex", asdex


def end_arrays(of: Callable[[], tuple[np.ndarray, np.ndarray]]) -> Iterator[tuple[str, Make]]:
    """A pair of index arrays, and what else holds two columns."""
    for dtype in INTEGERS:
        yield f"pair {dtype}", lambda at, d=dtype: tuple(a.astype(d) for a in of())
    for layout, change in LAYOUTS.items():
        yield f"pair {layout}", lambda at, c=change: tuple(map(c, of()))
    yield "pair of two types", lambda at: (of()[0].astype("uint8"), of()[1].astype("int64"))
    yield "pair of DLPack", lambda at: tuple(map(OnlyDLPack, of()))
    yield "pair of lists", lambda at: tuple(a.tolist() for a in of())
    yield "list of tuples", lambda at: list(zip(*(a.tolist() for a in of()), strict=True))
    yield "list of lists", lambda at: np.stack(of(), 1).tolist()
    yield "list of arrays", lambda at: list(np.stack(of(), 1))
    yield "list of NumPy's integers", lambda at: list(zip(*of(), strict=True))
    yield "generator", lambda at: iter(zip(*of(), strict=True))
    yield "set of tuples", lambda at: set(zip(*(a.tolist() for a in of()), strict=True))
    yield "pandas", lambda at: frame(of())
    yield "pandas, of types that have gaps", lambda at: frame(of()).astype("Int64")
    yield "pandas, more columns", lambda at: frame(of()).assign(target=of()[1], a=1.5, source=of()[0])[list("avu")]
    yield "polars", lambda at: library("polars").DataFrame({"u": of()[0], "v": of()[1]})
    yield "pyarrow", lambda at: library("pyarrow").table({"u": of()[0], "v": of()[1]})
    yield "pyarrow, a batch", lambda at: library("pyarrow").RecordBatch.from_arrays(list(of()), names=["u", "v"])
    for dtype in ("int8", "uint16", "int32", "uint64"):
        yield f"pandas {dtype}", lambda at, d=dtype: frame(of()).astype(d)
        yield f"polars {dtype}", lambda at, d=dtype: library("polars").DataFrame(frame(of()).astype(d).to_dict("list"))


def frame(pair: tuple[np.ndarray, np.ndarray]) -> Any:
    return library("pandas").DataFrame({"u": pair[0], "v": pair[1]})


def neighbors() -> dict[int, list[int]]:
    A = adjacency()
    return {v: A.indices[A.indptr[v] : A.indptr[v + 1]].tolist() for v in range(A.shape[0])}


def networkx(kind: str) -> Any:
    """Vertices in their order; both directions where edges have one."""
    G = getattr(library("networkx"), kind)()
    G.add_nodes_from(range(adjacency().shape[0]))
    u, v = (a.tolist() for a in ends())
    G.add_edges_from(zip(u, v, strict=True))
    if G.is_directed():
        G.add_edges_from(zip(v, u, strict=True))
    return G


def rustworkx(kind: str) -> Any:
    G = getattr(library("rustworkx"), kind)()
    G.add_nodes_from(range(adjacency().shape[0]))
    u, v = (a.tolist() for a in ends())
    G.add_edges_from_no_data(list(zip(u, v, strict=True)))
    if kind == "PyDiGraph":
        G.add_edges_from_no_data(list(zip(v, u, strict=True)))
    return G


def file(name: str) -> Make:
    """A file, or a folder, of the graph."""

    def make(at: Path) -> Path:
        lagcolor.io.write(at / name, lagcolor.Graph.of(adjacency()))
        return at / name

    return make


def edges_npy(at: Path) -> Path:
    np.save(at / "edges.npy", np.stack(ends(), 1))
    return at / "edges.npy"


def parts(at: Path) -> list[Path]:
    """An edge list in two files."""
    u, v = ends()
    for name, some in (("one.txt", slice(20)), ("two.txt", slice(20, None))):
        np.savetxt(at / name, np.stack([u[some], v[some]], 1), "%d")
    return [at / "one.txt", at / "two.txt"]


FILES: Kinds = {
    f"file {name}": file(name)
    for name in (
        "g.edges",
        "g.txt",
        "g.csv",
        "g.mtx",
        "g.col",
        "g.col.b",
        "g.metis",
        "g.gr",
        "g.egr",
        "g.npz",
        "g.mtx.gz",
        "g.csr",
    )
}
GRAPHS: Kinds = {
    **dict(scipy_kinds(adjacency)),
    **{f"{format} twice and out of order": lambda at, f=format: messy(adjacency(), f) for format in MESSY},
    "stored zeros": lambda at: 0 * adjacency(),
    "a diagonal": lambda at: laplacian(),
    "NaN": lambda at: np.nan * adjacency(),
    **dict(dense_kinds(adjacency)),
    **dict(other_sparse(adjacency)),
    **dict(end_arrays(ends)),
    "each edge twice": lambda at: (np.concatenate(ends()), np.concatenate(ends()[::-1])),
    "edges and loops": lambda at: tuple(np.concatenate([a, np.arange(21)]) for a in ends()),
    **{f"edge index {dtype}": lambda at, d=dtype: np.stack(ends()).astype(d) for dtype in INTEGERS},
    **{f"rows of ends {dtype}": lambda at, d=dtype: np.stack(ends(), 1).astype(d) for dtype in INTEGERS},
    **{f"edge index {layout}": lambda at, c=change: c(np.stack(ends())) for layout, change in LAYOUTS.items()},
    "edge index of DLPack": lambda at: OnlyDLPack(np.stack(ends())),
    "list with weights": lambda at: [(u, v, 0.5) for u, v in zip(*(a.tolist() for a in ends()), strict=True)],
    "dict of lists": lambda at: neighbors(),
    "dict of sets": lambda at: {v: set(row) for v, row in neighbors().items()},
    "dict of dicts": lambda at: {v: {w: {} for w in row} for v, row in neighbors().items()},
    "dict of arrays": lambda at: {v: np.array(row, np.uint8) for v, row in neighbors().items()},
    "dict, each edge once": lambda at: {v: [w for w in row if w > v] for v, row in neighbors().items()},
    **{f"networkx {kind}": lambda at, k=kind: networkx(k) for kind in NETWORKX},
    "networkx edges": lambda at: networkx("Graph").edges,
    "networkx adjacency": lambda at: networkx("Graph").adj,
    "igraph": lambda at: library("igraph").Graph(list(zip(*(a.tolist() for a in ends()), strict=True))),
    **{f"rustworkx {kind}": lambda at, k=kind: rustworkx(k) for kind in ("PyGraph", "PyDiGraph")},
    "rustworkx edges": lambda at: rustworkx("PyGraph").edge_list(),
    "pandas adjacency": lambda at: library("pandas").DataFrame(adjacency().toarray()),
    "spec": lambda at: SPEC,
    **FILES,
    "file, as text": lambda at: str(file("g.mtx")(at)),
    "Graph": lambda at: lagcolor.Graph.of(adjacency()),
    "Pattern": lambda at: lagcolor.Pattern.of(adjacency()),
    "arrays of a Graph": lambda at: lagcolor.Graph(adjacency().indptr, adjacency().indices),
}  # fmt: skip


def entries() -> tuple[np.ndarray, np.ndarray]:
    A = jacobian().tocoo()
    return A.row.astype(np.int64), A.col.astype(np.int64)


def two_sides(at: Path) -> Any:
    G = library("networkx").Graph()
    G.add_nodes_from((("r", i) for i in range(9)), bipartite=0)
    G.add_nodes_from((("c", j) for j in range(7)), bipartite=1)
    G.add_edges_from((("r", i), ("c", j)) for i, j in zip(*(a.tolist() for a in entries()), strict=True))
    return G


def types_of_igraph(at: Path) -> Any:
    i, j = (a.tolist() for a in entries())
    edges = [(a, 9 + b) for a, b in zip(i, j, strict=True)]
    return library("igraph").Graph.Bipartite([0] * 9 + [1] * 7, edges)


def matrix_file(at: Path) -> Path:
    import scipy.io

    scipy.io.mmwrite(at / "J.mtx", jacobian())
    return at / "J.mtx"


PATTERNS: Kinds = {
    **dict(scipy_kinds(jacobian)),
    **{f"{format} twice and out of order": lambda at, f=format: messy(jacobian(), f) for format in MESSY},
    "stored zeros": lambda at: 0 * jacobian(),
    **dict(dense_kinds(jacobian)),
    **dict(other_sparse(jacobian)),
    **dict(end_arrays(entries)),
    "dict from rows to columns": lambda at: {i: jacobian().indices[a:b].tolist() for i, (a, b) in enumerate(
        zip(jacobian().indptr[:-1].tolist(), jacobian().indptr[1:].tolist(), strict=True))},
    "networkx, two sides": two_sides,
    "igraph, two types": types_of_igraph,
    "file J.mtx": matrix_file,
    "Pattern": lambda at: lagcolor.Pattern.of(jacobian()),
    "arrays of a Pattern": lambda at: lagcolor.Pattern(jacobian().indptr, jacobian().indices, 7),
}  # fmt: skip

VALUES: Kinds = {
    **dict(scipy_kinds(jacobian)),
    **{f"{format} twice and out of order": lambda at, f=format: messy(jacobian(), f) for format in MESSY},
    "dense": lambda at: jacobian().toarray(),
    **{f"dense {layout}": lambda at, c=change: c(jacobian().toarray()) for layout, change in LAYOUTS.items()},
}  # fmt: skip
MATRICES: Kinds = {
    **dict(scipy_kinds(laplacian)),
    **{f"{format} twice and out of order": lambda at, f=format: messy(laplacian(), f) for format in MESSY},
}  # fmt: skip


COLORS: Kinds = {
    **{dtype: lambda at, d=dtype: colors().astype(d) for dtype in ("int32", *INTEGERS)},
    **{layout: lambda at, c=change: c(colors()) for layout, change in LAYOUTS.items()},
    "list": lambda at: colors().tolist(),
    "tuple": lambda at: tuple(colors().tolist()),
    "dict": lambda at: dict(enumerate(colors().tolist())),
    "DLPack": lambda at: OnlyDLPack(colors()),
    "Coloring": lambda at: lagcolor.color(adjacency(), order="natural"),
}  # fmt: skip

TRIANGLES = np.array(
    [[0, 1, 4], [1, 4, 5], [1, 2, 5], [2, 5, 6], [2, 3, 6], [3, 6, 7], [4, 5, 8], [5, 8, 9], [5, 6, 9]]
)
CELLS: Kinds = {
    **{dtype: lambda at, d=dtype: TRIANGLES.astype(d) for dtype in ("int32", *INTEGERS)},
    **{layout: lambda at, c=change: c(TRIANGLES) for layout, change in LAYOUTS.items()},
    "by columns": lambda at: np.asfortranarray(TRIANGLES),
    "DLPack": lambda at: OnlyDLPack(TRIANGLES),
}  # fmt: skip
BLOCKS: Kinds = {
    **{f"block of {name}": lambda at, m=make: ("triangle", m(at)) for name, make in CELLS.items()},
    "blocks": lambda at: [("triangle", TRIANGLES[:4]), ("triangle", TRIANGLES[4:])],
    "dict": lambda at: {"triangle": TRIANGLES},
}  # fmt: skip
PAIRS: Kinds = {
    **{dtype: lambda at, d=dtype: TRIANGLES[:, :2].astype(d) for dtype in ("int32", *INTEGERS)},
    **{layout: lambda at, c=change: c(TRIANGLES[:, :2]) for layout, change in LAYOUTS.items()},
    "by columns": lambda at: np.asfortranarray(TRIANGLES[:, :2]),
    "DLPack": lambda at: OnlyDLPack(TRIANGLES[:, :2].copy()),
}  # fmt: skip

WORDS = ["XIZY", "IYYX", "ZZII", "XXXX", "IIIZ", "YIYI"]
BITS = (np.array([[c in "XY" for c in w] for w in WORDS]), np.array([[c in "ZY" for c in w] for w in WORDS]))
STRINGS: Kinds = {
    "list": lambda at: WORDS,
    "tuple": lambda at: tuple(WORDS),
    "array": lambda at: np.array(WORDS),
    "generator": lambda at: iter(WORDS),
    "with coefficients": lambda at: dict.fromkeys(WORDS, 0.5),
    "booleans": lambda at: BITS,
    **{f"bits {dtype}": lambda at, d=dtype: tuple(a.astype(d) for a in BITS) for dtype in ("int8", "int32", "int64")},
    **{f"bits {layout}": lambda at, c=change: tuple(map(c, BITS)) for layout, change in LAYOUTS.items()},
    "PauliStrings": lambda at: lagcolor.pauli.PauliStrings.of(WORDS),
}  # fmt: skip
