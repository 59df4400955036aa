"""Kernels, their components, and largest cliques: against NetworkX and searches of all colorings."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest
from corpus import fewer, random_graph
from hypothesis import given, settings
from hypothesis import strategies as st
from test_exact import chromatic_number

import lagcolor
from lagcolor.base.compile_clock import clock
from lagcolor.engines.exact import largest_clique
from lagcolor.engines.exact.k_core import Core
from lagcolor.engines.exact.largest_clique import LargestClique
from lagcolor.engines.exact.proof import Proof
from lagcolor.engines.improve.lists import FOUND, NONE_EXISTS, UNKNOWN
from lagcolor.problems import certificates


def networkx_graph(G: lagcolor.Graph) -> nx.Graph:
    H = nx.Graph(zip(np.repeat(np.arange(G.n), G.degrees).tolist(), G.indices.tolist(), strict=True))
    H.add_nodes_from(range(G.n))
    return H


def some_graph(n: int, density: float, seed: int) -> lagcolor.Graph:
    """Of some random graphs that hang together at single vertices, or not at all."""
    r = np.random.default_rng(seed)
    parts = [random_graph(n, int(density * n * n), seed + i) for i in range(3)]
    pairs = [(np.repeat(np.arange(n), G.degrees), G.indices) for G in parts]
    shift = [0, max(n - int(r.integers(0, 2)), 0), 2 * n]
    ends = [np.concatenate([pair[side] + by for pair, by in zip(pairs, shift, strict=True)]) for side in (0, 1)]
    return lagcolor.Graph.of((ends[0], ends[1]), n=3 * n)


@settings(max_examples=fewer(100))
@given(n=st.integers(0, 30), density=st.floats(0, 1), k=st.integers(1, 12), seed=st.integers(0, 2**31))
def test_the_kernel_is_the_core_of_networkx(n: int, density: float, k: int, seed: int) -> None:
    G = some_graph(n, density, seed)
    kernel, core = Core(G, k), nx.k_core(networkx_graph(G), k)
    assert set(kernel.vertices.tolist()) == set(core)
    rows = np.repeat(np.arange(kernel.graph.n), kernel.graph.degrees)
    ends = zip(kernel.vertices[rows].tolist(), kernel.vertices[kernel.graph.indices].tolist(), strict=True)
    assert sorted(map(sorted, ends)) == sorted(map(sorted, [*core.edges, *core.edges]))
    colors = lagcolor.color(kernel.graph).colors
    if kernel.graph.n == 0 or colors.max() < k:
        whole = kernel.extend(colors)
        assert np.array_equal(whole[kernel.vertices], colors) and (G.n == 0 or whole.max() < k)
        lagcolor.verify(G, np.unique(whole, return_inverse=True)[1])


@settings(max_examples=fewer(60))
@given(n=st.integers(1, 7), density=st.floats(0, 0.6), seed=st.integers(0, 2**31))
def test_proofs_by_components(n: int, density: float, seed: int) -> None:
    G = some_graph(n, density, seed)
    H = networkx_graph(G)
    parts = [lagcolor.Graph.of(H.subgraph(part)) for part in nx.connected_components(H)]
    chi = max((chromatic_number(part) for part in parts), default=1)
    for k in range(1, chi + 2):
        proof = Proof(G, k)
        assert proof.run() == (FOUND if k >= chi else NONE_EXISTS)
        if k >= chi:
            colors = proof.colors()
            assert colors.max() < k
            lagcolor.verify(G, np.unique(colors, return_inverse=True)[1])
        else:
            assert proof.certificate is not None and proof.certificate.k == k + 1
            assert certificates.check(G, proof.certificate) is True


def test_many_copies_are_one_small_proof() -> None:
    """Forty Mycielski graphs with four colors each; two of them share a vertex."""
    G = nx.mycielski_graph(4)
    H = nx.disjoint_union_all([G] * 40)
    H = nx.contracted_nodes(H, 0, G.number_of_nodes())
    whole = lagcolor.Graph.of(H)
    proof = Proof(whole, 3)
    assert proof.run(conflicts=2000) == NONE_EXISTS
    assert len(proof.certificate.vertices) == G.number_of_nodes()
    assert Proof(whole, 3).run(clock() - 1) == UNKNOWN


@settings(max_examples=fewer(100))
@given(n=st.integers(1, 80), density=st.floats(0, 1), seed=st.integers(0, 2**31), size=st.integers(0, 6))
def test_largest_cliques(n: int, density: float, seed: int, size: int) -> None:
    G = random_graph(n, int(density * n * n / (1 + n / 20)), seed)
    H = networkx_graph(G)
    largest = max(len(c) for c in nx.find_cliques(H))
    search = LargestClique(G, size)
    assert search.run()
    if size >= largest:
        assert search.vertices is None
    else:
        assert len(search.vertices) == largest
        assert all(H.has_edge(u, v) for u, v in itertools.combinations(search.vertices.tolist(), 2))
    enough = LargestClique(G, 1, 2)
    assert enough.run() and (enough.vertices is None) == (G.m == 0)


def test_a_search_for_cliques_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    G = lagcolor.generate.erdos_renyi(100, 0.6, seed=1)
    whole, pieces = LargestClique(G), LargestClique(G)
    assert whole.run() and not pieces.run(clock() - 1)
    monkeypatch.setattr(largest_clique, "SLICE", 100)
    turns = 0
    while not pieces.run(most=200 * (turns + 1)):
        turns += 1
    assert turns > 3 and np.array_equal(pieces.vertices, whole.vertices)
