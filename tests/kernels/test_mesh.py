"""Structured meshes, whatever the number of unknowns of a node, and others that are none; the same on every engine."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from corpus import CORPUS, graph
from emulated import ENGINES

import lagcolor
from lagcolor.engines.improve.mesh import is_mesh

# One pattern where each vertex sees the same offsets; three where there are three unknowns per node.
MESHES = ["grid2d:30", "grid3d:10", "stencil27:12", "path:50"]
OTHERS = ["delaunay:11", "rgg:10", "rmat:9", "uniform:400,6", "star:50", "social:500,6"]

pytestmark = pytest.mark.inner


def unknowns(spec: str, each: int) -> lagcolor.Graph:
    """Every vertex becomes a clique of so many, joined in full to those of its neighbors."""
    G = lagcolor.generate.from_spec(spec)
    rows = np.append(np.repeat(np.arange(G.n), np.diff(G.indptr)), np.arange(G.n))
    columns = np.append(G.indices, np.arange(G.n))
    u = np.concatenate([each * rows + a for a in range(each) for _ in range(each)])
    v = np.concatenate([each * columns + b for _ in range(each) for b in range(each)])
    return lagcolor.Graph.of((u[u != v], v[u != v]), n=each * G.n)


def on(engine: str, G: lagcolor.Graph) -> lagcolor.Graph:
    return G if engine == "cpu" else G.on("cuda")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("spec", [*MESHES, *OTHERS])
def test_meshes_and_others(spec: str, engine: str) -> None:
    G = lagcolor.generate.from_spec(spec)
    assert is_mesh(on(engine, G)) == (spec in MESHES)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("spec", "colors"), [("grid3d:10", 6), ("stencil27:12", 24)])
def test_unknowns_of_a_node(spec: str, colors: int, engine: str) -> None:
    G = unknowns(spec, 3)
    assert is_mesh(on(engine, G))
    if engine == "cpu":
        assert lagcolor.color(G, quality="balanced", verify=True).n_colors == colors
        assert colors < lagcolor.color(G, quality="fast").n_colors


@pytest.mark.parametrize("engine", ENGINES)
def test_a_box_whose_planes_begin_at_equal_distances(engine: str) -> None:
    """Rows of 128 vertices, each longer than the vertices that are looked at, and 128 planes of 8 rows."""
    near = [sp.diags_array([1.0] * 3, offsets=[-1, 0, 1], shape=(n, n)) for n in (128, 8, 128)]
    G = lagcolor.Graph.of(sp.kron(sp.kron(*near[:2]), near[2], format="csr"))
    assert is_mesh(on(engine, G))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", [name for name in CORPUS if graph(name).n])
def test_engines_agree(name: str, engine: str) -> None:
    G = graph(name)
    wide = lagcolor.Graph(G.indptr.astype(np.int64), G.indices)
    assert is_mesh(on(engine, G)) == is_mesh(on(engine, wide)) == is_mesh(G)


def test_a_mesh_in_another_numbering_is_none() -> None:
    G = lagcolor.generate.from_spec("stencil27:12")
    names = np.random.default_rng(0).permutation(G.n)
    rows = np.repeat(np.arange(G.n), np.diff(G.indptr))
    assert not is_mesh(lagcolor.Graph.of((names[rows], names[G.indices]), n=G.n, symmetrize=True))
