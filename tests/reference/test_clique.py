"""Greedy cliques, never larger than a clique is and alike on every engine; chordal graphs have as many colors."""

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
from reduction_cases import run, to_networkx

import lagcolor
from lagcolor.engines.exact import clique
from lagcolor.engines.exact.chordal import perfect
from lagcolor.engines.exact.clique import clique_size
from lagcolor.engines.exact.clique_cpu import largest_at_top
from lagcolor.graph.pattern import unsigned

on_each_engine = pytest.mark.parametrize("engine", ENGINES)


def size(engine: str, G: lagcolor.Graph, **options: Any) -> int:
    if engine == "cuda":
        return clique_size(G.on("cuda"), **options)
    return run(engine, clique_size, G, **options)


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
    largest = G.max_degree + 1
    if density < 0.7 or n < 40:
        largest = max(map(len, nx.find_cliques(to_networkx(G))))
    assert min(n, 1 + (G.m > 0)) <= clique_size(G) <= largest


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


# ---- chordal graphs ------------------------------------------------------------------------------------------------


def check(G: lagcolor.Graph) -> None:
    """NetworkX says which graphs are chordal, and which cliques they have."""
    N, colors = to_networkx(G), perfect(G)
    assert (colors is not None) == (G.n == 0 or nx.is_chordal(N))
    if colors is not None:
        largest = max((len(clique) for clique in nx.find_cliques(N)), default=0)
        assert lagcolor.verify(G, colors).n_colors == largest


@pytest.mark.parametrize("name", [name for name in CORPUS if graph(name).n <= 300])
def test_chordal_graphs_of_the_corpus(name: str) -> None:
    check(graph(name))


@given(n=st.integers(1, 40), length=st.floats(0, 0.5), drop=st.booleans(), seed=st.integers(0, 2**32 - 1))
def test_intervals_that_meet(n: int, length: float, drop: bool, seed: int) -> None:
    """And such graphs without an edge, which may be chordal or not."""
    r = np.random.default_rng(seed)
    begin = r.random(n)
    end = begin + length * r.random(n)
    u, v = np.nonzero(np.triu((begin[:, None] <= end[None]) & (begin[None] <= end[:, None]), 1))
    if drop and len(u):
        keep = np.arange(len(u)) != r.integers(len(u))
        u, v = u[keep], v[keep]
    G = lagcolor.Graph.of(nx.Graph([*zip(u.tolist(), v.tolist(), strict=True)])) if len(u) else graph("no edges")
    check(G)
    if nx.is_chordal(to_networkx(G)):
        result = lagcolor.color(G, verify=True)
        assert result.optimal and result.lower_bound == result.n_colors


@given(n=st.integers(2, 40), density=st.floats(0, 1), seed=st.integers(0, 2**32 - 1))
def test_a_clique_at_the_highest_color_is_no_larger_than_the_largest(n: int, density: float, seed: int) -> None:
    N = nx.gnp_random_graph(n, density, seed)
    G = lagcolor.Graph.of(N) if N.number_of_edges() else graph("one edge")
    colors = lagcolor.color(G, "first_fit", "natural").colors
    k = int(colors.max()) + 1
    largest = max(len(clique) for clique in nx.find_cliques(to_networkx(G)))
    assert 2 <= largest_at_top(*unsigned(G), colors, k) <= min(k, largest)
