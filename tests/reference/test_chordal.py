"""Chordal graphs take as many colors as their largest clique has vertices, and a search says so."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from corpus import CORPUS, graph
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.engines.exact.chordal import perfect
from lagcolor.engines.exact.clique_cpu import largest_at_top
from lagcolor.graph.pattern import unsigned


def nx_of(G: lagcolor.Graph) -> nx.Graph:
    out = nx.Graph(G.to_scipy()) if G.n else nx.Graph()
    out.add_nodes_from(range(G.n))
    return out


def check(G: lagcolor.Graph) -> None:
    """NetworkX says which graphs are chordal, and which cliques they have."""
    N, colors = nx_of(G), perfect(G)
    assert (colors is not None) == (G.n == 0 or nx.is_chordal(N))
    if colors is not None:
        largest = max((len(clique) for clique in nx.find_cliques(N)), default=0)
        assert lagcolor.verify(G, colors).n_colors == largest


@pytest.mark.parametrize("name", [name for name in CORPUS if graph(name).n <= 300])
def test_corpus(name: str) -> None:
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
    if nx.is_chordal(nx_of(G)):
        result = lagcolor.color(G, verify=True)
        assert result.optimal and result.lower_bound == result.n_colors


@given(n=st.integers(2, 40), density=st.floats(0, 1), seed=st.integers(0, 2**32 - 1))
def test_a_clique_at_the_highest_color_is_no_larger_than_the_largest(n: int, density: float, seed: int) -> None:
    N = nx.gnp_random_graph(n, density, seed)
    G = lagcolor.Graph.of(N) if N.number_of_edges() else graph("one edge")
    colors = lagcolor.color(G, "first_fit", "natural").colors
    k = int(colors.max()) + 1
    largest = max(len(clique) for clique in nx.find_cliques(nx_of(G)))
    assert 2 <= largest_at_top(*unsigned(G), colors, k) <= min(k, largest)
