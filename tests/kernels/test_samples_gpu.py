"""Samples of a graph on a GPU: grids are guessed and checked, meshes, twins and odd cycles found, as on a CPU."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from corpus import graph
from emulated import EMULATED, ENGINES

import lagcolor
from lagcolor.base.device import to_device, using
from lagcolor.engines.greedy import cuda_natural, lattice
from lagcolor.engines.improve import survey_cpu
from lagcolor.engines.improve.survey import survey
from lagcolor.generate import from_spec
from lagcolor.graph.two_colors import bipartite

pytestmark = pytest.mark.inner
ON = [pytest.param("emulated", marks=EMULATED), pytest.param("cuda", marks=pytest.mark.gpu)]

# ---- first-fit by id of grids -------------------------------------------------------------------------------


GRIDS = ("path:50", "grid2d:7,6", "grid3d:4,5,6", "stencil27:4,5,6")
NO_GUESS = ("banded:60,2", "delaunay:7")


def guessed(G: lagcolor.Graph) -> list[int] | None:
    H = G.on("cuda")
    with using(H.indices):
        colors = lattice.by_lattice(H, survey(H).row)
        return None if colors is None else to_device(colors, "cpu").tolist()


@pytest.fixture
def guesses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small grids are guessed, too."""
    monkeypatch.setattr(cuda_natural, "LEAST", 1)


@pytest.mark.parametrize("on", ON)
@pytest.mark.parametrize(("name", "bits"), [(name, 32 + 32 * (i % 2)) for i, name in enumerate(GRIDS + NO_GUESS)])
def test_stencils(on: str, name: str, bits: int, guesses: None) -> None:
    G = from_spec(name)
    expected = lagcolor.color(G, "greedy", order="natural").colors.tolist()
    found = guessed(lagcolor.Graph(G.indptr.astype(f"i{bits // 8}"), G.indices))
    assert found == (None if name in NO_GUESS else expected)
    assert lagcolor.color(G, "first_fit", order="natural", device="cuda").to_numpy().tolist() == expected


@pytest.mark.parametrize("on", ON)
@pytest.mark.parametrize("name", ["grid2d:7,6", "stencil27:4,5,6"])
@pytest.mark.parametrize("seed", range(4))
def test_other_edges(on: str, name: str, seed: int, guesses: None) -> None:
    """An edge more or less: where first-fit has other colors there is no guess."""
    G, r = from_spec(name), np.random.default_rng(seed)
    u, v = G.rows_of_entries(), G.indices
    upper = u < v
    u, v = u[upper], v[upper]
    if seed % 2:
        u, v = np.append(u, r.integers(0, G.n // 2)), np.append(v, r.integers(G.n // 2, G.n))
    else:
        gone = r.integers(0, len(u))
        u, v = np.delete(u, gone), np.delete(v, gone)
    H = lagcolor.Graph.of((u, v), n=G.n)
    expected = lagcolor.color(H, "greedy", order="natural").colors.tolist()
    found = guessed(H)
    assert found is None or found == expected
    same = expected == lagcolor.color(G, "greedy", order="natural").colors.tolist()
    assert same or found is None
    assert lagcolor.color(H, "first_fit", order="natural", device="cuda").to_numpy().tolist() == expected


# ---- meshes, twins and odd cycles --------------------------------------------------------------------------

# One pattern where each vertex sees the same offsets; three where there are three unknowns per node.
MESHES = ["grid2d:30", "grid3d:10", "stencil27:12", "path:50"]
OTHERS = ["delaunay:9", "rmat:9", "uniform:400,6", "star:50"]


def unknowns(spec: str, each: int) -> lagcolor.Graph:
    """Each vertex becomes a clique, joined in full to the cliques of its neighbors."""
    G = from_spec(spec)
    rows = np.append(np.repeat(np.arange(G.n), np.diff(G.indptr)), np.arange(G.n))
    columns = np.append(G.indices, np.arange(G.n))
    u = np.concatenate([each * rows + a for a in range(each) for _ in range(each)])
    v = np.concatenate([each * columns + b for _ in range(each) for b in range(each)])
    return lagcolor.Graph.of((u[u != v], v[u != v]), n=each * G.n)


def is_mesh(engine: str, G: lagcolor.Graph) -> bool:
    return survey_cpu.is_mesh(G) if engine == "cpu" else survey(G.on("cuda")).mesh


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("spec", [*MESHES, *OTHERS])
def test_meshes_and_others(spec: str, engine: str) -> None:
    G = from_spec(spec)
    assert is_mesh(engine, G) == (spec in MESHES)
    if engine != "cpu":
        wide = lagcolor.Graph(G.indptr.astype(np.int64), G.indices)
        assert survey(wide.on("cuda")).twins == survey_cpu.has_twins(G)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("spec", "colors"), [("grid3d:10", 6), ("stencil27:12", 24)])
def test_unknowns_of_a_node(spec: str, colors: int, engine: str) -> None:
    G = unknowns(spec, 3)
    assert is_mesh(engine, G)
    assert engine == "cpu" or survey(G.on("cuda")).twins
    if engine == "cpu":
        assert lagcolor.color(G, quality="balanced", verify=True).n_colors == colors
        assert colors < lagcolor.color(G, quality="fast").n_colors


@pytest.mark.parametrize("engine", ENGINES)
def test_a_box_whose_planes_begin_at_equal_distances(engine: str) -> None:
    """Rows of 128 vertices, each longer than the vertices that are looked at, and 128 planes of 8 rows."""
    near = [sp.diags_array([1.0] * 3, offsets=[-1, 0, 1], shape=(n, n)) for n in (128, 8, 128)]
    G = lagcolor.Graph.of(sp.kron(sp.kron(*near[:2]), near[2], format="csr"))
    assert is_mesh(engine, G)


def test_a_mesh_in_another_numbering_is_none() -> None:
    G = from_spec("stencil27:12")
    names = np.random.default_rng(0).permutation(G.n)
    rows = np.repeat(np.arange(G.n), np.diff(G.indptr))
    assert not survey_cpu.is_mesh(lagcolor.Graph.of((names[rows], names[G.indices]), n=G.n, symmetrize=True))


ODD = ("clique 5", "clique 70", "rmat:9", "delaunay:9", "uniform:3000,8", "cycle:9", "cycle:23")
EVEN = ("path", "star", "crown", "complete bipartite", "grid2d:40", "cycle:24", "cycle:400", "cycle:401")


def named(name: str) -> lagcolor.Graph:
    return from_spec(name) if ":" in name else graph(name)


@pytest.mark.parametrize("on", ON)
@pytest.mark.parametrize("name", [*ODD, *EVEN])
def test_odd_cycles(on: str, name: str) -> None:
    """Short ones are found; a cycle of 401 is longer than a ball is wide."""
    G = named(name)
    seen = survey(G.on("cuda"))
    assert seen.odd == (name in ODD)
    assert not seen.odd or bipartite(G) is None


@pytest.mark.parametrize("on", ON)
def test_the_row_of_a_vertex_in_the_middle(on: str) -> None:
    for spec, row in (("grid2d:40", (-40, -1, 1, 40)), ("banded:90,3", (-3, -2, -1, 1, 2, 3)), ("clique:70", ())):
        assert survey(from_spec(spec).on("cuda")).row == row
