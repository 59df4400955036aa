"""Colors of classes of twins: neighbors with the same other neighbors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from corpus import CORPUS, graph
from emulated import ENGINES
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.base import device as dev
from lagcolor.engines.improve import survey_cpu, twins
from lagcolor.engines.improve.ejections import is_small
from lagcolor.engines.improve.survey import survey


def unknowns(G: lagcolor.Graph, each: int, seed: int | None = None) -> lagcolor.Graph:
    """Each vertex becomes `each` twins, in a random numbering where there is a seed."""
    A = sp.csr_array(sp.kron(G.to_scipy() + sp.eye_array(G.n), np.ones((each, each)), format="csr"))
    if seed is not None:
        p = np.random.default_rng(seed).permutation(A.shape[0])
        A = A[p][:, p]
    return lagcolor.Graph.of(A)


def check(G: lagcolor.Graph) -> None:
    """Its classes get colors, which are proper, where sets of neighbors say that most are as large as the largest."""
    colors = twins.color_twins(G)
    sets = [frozenset((v, *G.indices[G.indptr[v] : G.indptr[v + 1]].tolist())) for v in range(G.n)]  # closed
    sizes = [sets.count(one) for one in set(sets)]
    assert (colors is not None) == (len(sizes) < G.n and sum(sizes) >= 0.75 * len(sizes) * max(sizes, default=0))
    assert colors is None or not lagcolor.verify(G, colors).conflicts


def test_corpus() -> None:
    for G in map(graph, CORPUS):
        if G.n <= 300:
            check(G)
        if 0 < G.n <= 100:
            check(unknowns(G, 3, 0))


@given(n=st.integers(1, 30), density=st.floats(0, 1), each=st.integers(1, 4), seed=st.integers(0, 2**32 - 1))
def test_random_graphs(n: int, density: float, each: int, seed: int) -> None:
    u, v = np.nonzero(np.triu(np.random.default_rng(seed).random((n, n)) < density, 1))
    check(unknowns(lagcolor.Graph.of((u, v), n=n), each, seed))


@pytest.mark.parametrize("n", [3, 5])
def test_components_that_take_a_color_more_than_a_degree(n: int) -> None:
    """Components of first vertices are triangles and odd cycles."""
    cycle = lagcolor.generate.cycle(n).to_scipy()
    G = unknowns(lagcolor.Graph.of(sp.kron(sp.eye_array(900), cycle)), 3)
    colors = twins.color_twins(G)
    assert colors is not None and lagcolor.verify(G, colors).n_colors == 9
    assert lagcolor.color(G, verify=True).n_colors == 9


def test_shuffled_hexahedra_take_the_fewest_colors() -> None:
    result = lagcolor.color(unknowns(lagcolor.generate.from_spec("stencil27:9,12,16"), 3, 1), verify=True)
    assert result.n_colors == 24 and result.optimal


def test_vertices_that_are_no_twins_cost_no_more_than_the_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs of ids are taken for classes, as if hashes collided."""

    def pairs(*arrays: Any) -> int:
        number, place, first, size = arrays[4]
        number[:], place[:] = np.arange(number.size) // 2, np.arange(number.size) % 2
        first[: number.size // 2], size[: number.size // 2] = np.arange(0, number.size, 2), 2
        return int(number.size // 2)

    G = unknowns(lagcolor.generate.from_spec("stencil27:8"), 3, 1)
    monkeypatch.setattr(twins, "find_classes", pairs)
    assert twins.color_twins(G) is None


def has(G: lagcolor.Graph) -> bool:
    return survey(G).twins if G.on_gpu else survey_cpu.has_twins(G)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_sample_tells_whether_there_are_twins(engine: str) -> None:
    for spec in ("stencil27:9", "grid2d:30", "delaunay:10", "rmat:9", "star:600"):
        G = lagcolor.generate.from_spec(spec)
        for each, seed in ((1, None), (1, 0), (2, 0), (3, None)):
            H = unknowns(G, each, seed)
            on = H if engine == "cpu" else H.on("cuda")
            wide = lagcolor.Graph(on.indptr.astype(np.int64), on.indices)
            assert has(on) == has(wide) == (each > 1), (spec, each)


@pytest.mark.parametrize("engine", ENGINES[1:])
@pytest.mark.parametrize("vertices", [0, 1 << 19])
def test_a_gpu_has_the_same_colors(engine: str, vertices: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With ejection before, as on small graphs, and behind."""
    monkeypatch.setattr("lagcolor.engines.improve.ejections.VERTICES", vertices)
    monkeypatch.setattr("lagcolor.search.attempts.SMALL", 0)
    for spec in ("stencil27:4", "delaunay:6", "rmat:5"):
        G = unknowns(lagcolor.generate.from_spec(spec), 3, 0)
        assert is_small(G.n, G.m) == (vertices > 0)
        runs = [lagcolor.color(G.on(kind), seed=3, verify=True) for kind in ("cpu", "cuda")]
        assert dev.to_device(runs[1].colors, "cpu").tolist() == runs[0].colors.tolist()
