"""Greedy cliques: never larger than a clique is, the whole one where structure shows it, alike on every engine."""

from __future__ import annotations

import itertools
from typing import Any

import networkx as nx
import numpy as np
import pytest
import shared_data
from corpus import CORPUS, fewer, graph, random_graph
from emulated import EMULATED, ENGINES
from hypothesis import given, settings
from hypothesis import strategies as st
from reduction_cases import run

import lagcolor
from lagcolor.engines.exact import clique
from lagcolor.engines.exact.clique import clique_size

on_each_engine = pytest.mark.parametrize("engine", ENGINES)


def size(engine: str, G: lagcolor.Graph, **options: Any) -> int:
    if engine == "cuda":
        return clique_size(G.on("cuda"), **options)
    return run(engine, clique_size, G, **options)


def largest(G: lagcolor.Graph) -> int:
    """Exactly, by networkx."""
    H = nx.Graph(G.to_scipy())
    return max(map(len, nx.find_cliques(H)), default=0)


def test_no_larger_than_the_largest() -> None:
    for name in CORPUS:
        if name != "clique 1100":
            G = graph(name)
            assert min(G.n, 1 + (G.m > 0)) <= clique_size(G) <= largest(G)


@on_each_engine
def test_structures_whose_clique_shows(engine: str) -> None:
    box = lagcolor.Graph.of(nx.strong_product(nx.path_graph(9), nx.path_graph(7)))
    assert size(engine, box) == 4
    for spec, colors in (("grid2d:9", 2), ("stencil27:6", 8), ("queen:8", 8), ("clique:64", 64), ("clique:66", 66)):
        assert size(engine, lagcolor.generate.from_spec(spec)) == colors


@given(st.integers(2, 90), st.floats(0, 1), st.integers(0, 10**6), st.integers(0, 3))
def test_random_graphs(n: int, density: float, seed: int, hubs: int) -> None:
    r = np.random.default_rng(seed)
    near = np.triu(r.random((n, n)) < density, 1)
    near[:hubs, hubs:] = True
    G = lagcolor.Graph.of(near | near.T)
    assert clique_size(G) <= largest(G) if density < 0.7 or n < 40 else clique_size(G) <= G.max_degree + 1


@EMULATED
@settings(max_examples=fewer(15))
@given(st.integers(1, 100), st.integers(0, 4000), st.integers(0, 10**6))
def test_the_same_on_a_gpu(n: int, m: int, seed: int) -> None:
    G = random_graph(n, m, seed)
    assert size("emulated", G) == size("cpu", G)


@pytest.mark.gpu
@pytest.mark.parametrize(
    "spec", ["rmat:14", "kron_g500:13", "rgg:14", "delaunay:14", "erdos_renyi:3000,0.3", "clique:1500"]
)
def test_the_same_on_a_real_gpu(spec: str) -> None:
    G = lagcolor.generate.from_spec(spec)
    assert size("cuda", G) == size("cpu", G)


@EMULATED
def test_many_candidates_are_compared_by_degree() -> None:
    """A clique of 80 with a pendant path each, among 200 vertices that are joined to one of it only."""
    core = list(itertools.combinations(range(80), 2))
    rays = [(0, 80 + i) for i in range(200)]
    u, v = np.array(core + rays).T
    G = lagcolor.Graph.of((u, v))
    assert clique_size(G) == 80
    assert size("emulated", G) == 80


@on_each_engine
def test_it_ends_where_it_is_enough(engine: str) -> None:
    """Whichever start shows it first."""
    for G, whole in ((lagcolor.generate.clique(70), 70), (graph("random dense"), clique_size(graph("random dense")))):
        for enough in (0, 1, 3, 5, 69, 70, 71):
            assert size(engine, G, enough=enough) == min(enough, whole)


class Looks:
    """A clock that counts how often it was read."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> float:
        self.count += 1
        return float(self.count)


@pytest.mark.parametrize("engine", ["cpu", pytest.param("emulated", marks=EMULATED)])
def test_a_deadline_leaves_a_smaller_clique(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock is read within a start; the more often, the larger the clique, and each is one."""
    G = lagcolor.generate.from_spec("erdos_renyi:100,0.9")
    whole = size(engine, G)
    monkeypatch.setattr(clique, "STEPS", 64)  # a step between two looks
    sizes = []
    for limit in (1.5, 8.5, 10**6):
        looks = Looks()
        monkeypatch.setattr(clique, "clock", looks)
        sizes.append(size(engine, G, deadline=limit))
        assert looks.count <= limit + 1
    assert 2 <= sizes[0] < sizes[-1] == whole
    assert sizes == sorted(sizes)


@EMULATED
def test_pauses_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for G in (lagcolor.generate.clique(80), lagcolor.generate.rmat(9)):
        whole = size("cpu", G)
        for steps in (1, 200):
            with monkeypatch.context() as patch:
                patch.setattr(clique, "STEPS", steps)
                assert size("cpu", G) == size("emulated", G) == whole


@EMULATED
def test_on_a_gpu_no_start_begins_whose_first_step_would_be_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """A star of 3,000 rays and a clique of 70 beside it: the star's step does not fit, those of the clique do."""
    core, rays = itertools.combinations(range(70), 2), ((70, 71 + i) for i in range(3000))
    u, v = np.array([*core, *rays]).T
    G = lagcolor.Graph.of((u, v))
    monkeypatch.setattr(clique, "STEP_SECONDS", 1.0)
    monkeypatch.setattr(clique, "clock", lambda: 0.0)
    assert size("emulated", G, deadline=100.0) == 70
    assert size("emulated", G, deadline=10.0) == 2  # nothing fits but vertices of degree 1


@EMULATED
@pytest.mark.parametrize("spec", ["grid2d:40", "rmat:11", "star:3000", "erdos_renyi:3000,0.0001"])
def test_starts_are_bounded_by_their_candidates(spec: str) -> None:
    """The cost is a share of the graph's, whatever the degrees. A GPU begins at the same vertices."""
    G = lagcolor.generate.from_spec(spec)
    starts, before = clique.starts_of(G)
    assert before[-1] <= max(G.m // clique.SHARE, clique.LEAST)
    assert np.array_equal(np.diff(before), G.degrees[starts])
    for here, there in zip((starts, before), clique.starts_of(G.on("cuda")), strict=True):
        assert np.array_equal(here, there)


@pytest.mark.parametrize(
    ("name", "colors"),
    [("queen8_8", 8), ("queen8_12", 12), ("anna", 11), ("miles1000", 42), ("myciel6", 2), ("mulsol.i.1", 49)],
)
def test_graphs_of_dimacs(name: str, colors: int) -> None:
    G = lagcolor.io.read(shared_data.file(f"B/{name}.col.gz"), symmetrize=True)
    assert clique_size(G) == colors
