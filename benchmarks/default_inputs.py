"""Inputs of `benchmarks.defaults`: sets of specs by device, and what a spec stands for.

A mesh is "tetrahedra:POINTS,UNKNOWNS" or "hexahedra:WIDTH,UNKNOWNS", the graph of a matrix with several unknowns per
node, or "elements:WIDTH", the nodes of each hexahedron; ",shuffled" renumbers the rows at random. A matrix is
"random_matrix:N,ENTRIES PER ROW,SEED", "five_point:WIDTH", "band:N,WIDTH", "arrow:N,WIDTH" or "rectangular:NAME".
The last is a file of the folder of real graphs. "pauli:NAME" is one of its Hamiltonians. All other specs are graphs, as
of `benchmarks.compare`.
"""

from __future__ import annotations

import csv
import functools
import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.spatial import Delaunay

import lagcolor
from benchmarks.harness.graphs import SUITES, resolve
from benchmarks.harness.graphs import load as load_graph
from lagcolor import pauli

from .experiment import DATA, SHARED, shared_file

SHUFFLED = "shuffled"
HAMILTONIAN = "pauli/Pauli_ket_ccsd_{}.json.gz"  # of the folder of real graphs
CORNERS = np.stack(np.meshgrid(*(np.arange(2),) * 3, indexing="ij"), -1).reshape(-1, 3)


def tetrahedra(points: str, unknowns: str, order: str = "") -> sp.csr_array:
    """Tetrahedra of random points in a cube, which are sorted by cells."""
    return renumbered(blocks(joined(int(points)), int(unknowns)), order)


@functools.lru_cache(maxsize=1)
def joined(points: int) -> sp.csr_array:
    """Which points are in one tetrahedron."""
    xyz = np.random.default_rng(0).random((points, 3))
    cells = (xyz * max(1, round(points ** (1 / 3)))).astype(int)
    simplices = Delaunay(xyz[np.lexsort(cells.T)]).simplices
    corners = sp.csr_array((np.ones(simplices.size, np.int32), simplices.ravel(), np.arange(0, simplices.size + 1, 4)))
    return sp.csr_array(corners.T @ corners)


def hexahedra(width: str, unknowns: str, order: str = "") -> sp.csr_array:
    """Hexahedra of a cube: a stencil of 27 points."""
    stencil = lagcolor.generate.stencil27(int(width)).to_scipy()
    return renumbered(blocks(stencil + sp.eye_array(stencil.shape[0]), int(unknowns)), order)


def blocks(A: sp.sparray, unknowns: int) -> sp.csr_array:
    """A matrix of ones with a dense block for each entry."""
    ones = sp.csr_array((np.ones(A.nnz, np.int8), A.indices, A.indptr), A.shape)
    return sp.csr_array(sp.kron(ones, np.ones((unknowns, unknowns), np.int8), format="csr"))


def elements(width: str, order: str = "") -> sp.csr_array:
    """The eight nodes of each hexahedron of a cube, a row for each element."""
    w = int(width)
    first = np.stack(np.meshgrid(*(np.arange(w),) * 3, indexing="ij"), -1).reshape(-1, 1, 3)
    nodes = (first + CORNERS) @ np.array([(w + 1) ** 2, w + 1, 1])
    if order == SHUFFLED:
        nodes = np.random.default_rng(0).permutation(nodes)
    return sp.csr_array((np.ones(nodes.size, np.int8), nodes.ravel(), np.arange(0, nodes.size + 1, 8)))


def random_matrix(n: str, entries: str, seed: str) -> sp.csr_array:
    """A square matrix with random entries; their mean number per row is `entries`."""
    return sp.csr_array(sp.random_array((int(n), int(n)), density=float(entries) / int(n), rng=int(seed), format="csr"))


def five_point(width: str) -> sp.csr_array:
    """The five-point Laplacian of a square grid, rows and columns in one random order."""
    G = lagcolor.generate.grid2d(int(width))
    return renumbered(G.to_scipy() + sp.eye_array(G.n), SHUFFLED)


def band(n: str, width: str) -> sp.csr_array:
    """All entries of a band."""
    offsets = range(-(int(width) // 2), int(width) // 2 + 1)
    return sp.csr_array(sp.diags_array([1.0] * len(offsets), offsets=offsets, shape=(int(n),) * 2, format="csr"))


def arrow(n: str, width: str) -> sp.csr_array:
    """The diagonal, the first rows and the first columns."""
    A = sp.eye_array(int(n), format="lil")
    A[: int(width)] = 1.0
    A[:, : int(width)] = 1.0
    return sp.csr_array(A)


def rectangular(name: str) -> sp.csr_array:
    """A pattern of the folder of real graphs."""
    P = lagcolor.Pattern.of(shared_file(f"{SHARED}rectangular/{name}.npz"))
    return sp.csr_array((np.ones(P.m), P.indices, P.indptr), P.shape)


def renumbered(A: sp.sparray, order: str) -> sp.csr_array:
    """Rows and columns in one random order; as they are without an order."""
    A = sp.csr_array(A)
    if order == SHUFFLED:
        p = np.random.default_rng(0).permutation(A.shape[0]).astype(np.int32)
        place = np.empty_like(p)
        place[p] = np.arange(len(p), dtype=np.int32)
        A = A[p]
        A = sp.csr_array((A.data, place[A.indices], A.indptr), A.shape)
    A.sort_indices()
    return A


def hamiltonian(name: str) -> pauli.PauliStrings:
    """The strings of one of Picasso's Hamiltonians."""
    with gzip.open(DATA / HAMILTONIAN.format(name), "rt") as f:
        return pauli.PauliStrings.of(list(json.load(f)))


def graph(spec: str, device: str) -> lagcolor.Graph:
    """The graph of a spec."""
    family, _, words = spec.partition(":")
    if family in MESHES:
        return lagcolor.Graph.of(MESHES[family](*words.split(","))).on(device)
    return load_graph(str(shared_file(spec) or spec), device)


def matrix(spec: str) -> sp.csr_array:
    """The matrix of a spec, with sorted rows."""
    family, _, words = spec.partition(":")
    A = {**MATRICES, "elements": elements}[family](*words.split(","))
    A.sort_indices()
    return A


MESHES: Mapping[str, Callable[..., sp.csr_array]] = {"tetrahedra": tetrahedra, "hexahedra": hexahedra}
MATRICES: Mapping[str, Callable[..., sp.csr_array]] = {
    "random_matrix": random_matrix, "five_point": five_point, "band": band, "arrow": arrow, "rectangular": rectangular,
}  # fmt: skip
# 10,000 to 600,000 rows, in the order of the mesh and shuffled
_MESHES = (
    "tetrahedra:10000,1", "tetrahedra:200000,1", "tetrahedra:200000,3", "tetrahedra:3000,3", "tetrahedra:2000,6",
    "tetrahedra:30000,6", "hexahedra:60,1", "hexahedra:40,3", "hexahedra:20,6",
)  # fmt: skip
_RANDOM = tuple(f"random_matrix:1000,{entries},{seed}" for entries in (2, 5, 10) for seed in range(20))


def real() -> dict[str, str]:
    """Name → spec of the files in graphs.csv of the folder of real graphs; empty if it is absent."""
    table = DATA / "graphs.csv"
    if not table.exists():
        return {}
    with table.open(newline="") as f:
        return {row["name"]: f"{SHARED}{row['file']}" for row in csv.DictReader(f)}


def present(specs: Sequence[str], family: str, pattern: str) -> tuple[str, ...]:
    """Specs whose file in the folder of real graphs is there."""
    return tuple(f"{family}:{name}" for name in specs if (DATA / pattern.format(name)).exists())


def sets(device: str) -> dict[str, Mapping[str, str]]:
    """Set → name → spec."""
    if device != "cpu":
        grids = ("grid2d:1000", "stencil27:100"), ("grid2d:1000", "rmat:20")
        return {"distance2": _same(grids[0]), "hessian": _same(grids[1]), "h200": SUITES["h200"]}
    meshes = [spec + order for spec in _MESHES for order in ("", f",{SHUFFLED}")]
    files = sorted(path.stem for path in (DATA / "rectangular").glob("*.npz"))
    strings = ("H2_631g", "H6_3D_sto3g", "Ham1_H2O")
    others = ("five_point:100", "five_point:300", "band:10000,5", "band:100000,9", "arrow:1000,1", "arrow:1000,5")
    return {
        "grid": _same(["grid2d:500"]),
        "meshes": _same(meshes),
        "elements": _same(["elements:22", f"elements:22,{SHUFFLED}"]),
        "random": _same(_RANDOM),
        "structured": _same(others),
        "rectangular": _same(present(files, "rectangular", "rectangular/{}.npz")),
        "pauli": _same(present(strings, "pauli", HAMILTONIAN)),
        "small": SUITES["small"],
        "cpu": SUITES["cpu"],
    }


def chosen(words: Sequence[str], device: str) -> Iterator[tuple[str, str, str]]:
    """Set, name and spec of what the command line names: sets, names and specs; all sets if it names nothing."""
    every = sets(device)
    known = {name: (group, name, spec) for group, specs in every.items() for name, spec in specs.items()}
    for word in words or every:
        if word in every:
            yield from ((word, *item) for item in every[word].items())
        else:
            yield known.get(word) or of_spec(word)


def of_spec(spec: str) -> tuple[str, str, str]:
    """Set, name and spec of a spec that is in no set."""
    family = spec.partition(":")[0]
    if family in MATRICES:
        return "structured", spec, spec
    if family in MESHES or family in ("elements", "pauli"):
        return "meshes" if family in MESHES else family, spec, spec
    if (file := shared_file(spec)) is not None:
        return "small", Path(file).name.partition(".")[0], spec
    (source,) = resolve([spec])
    return "small", source.name, source.spec


def _same(specs: Sequence[str]) -> dict[str, str]:
    return {spec: spec for spec in specs}
