"""Proofs by clause learning, kernels, largest cliques, DSATUR: against all colorings, SAT, NetworkX, a plain loop."""

from __future__ import annotations

import itertools
from typing import Any

import corpus
import networkx as nx
import numpy as np
import pytest
from corpus import fewer, graph, random_graph
from hypothesis import given, settings
from hypothesis import strategies as st
from reduction_cases import to_networkx
from rule_cases import any_rules, by_sat, color, exists, faults, neighborhoods
from two_hop_cases import random_pattern

import lagcolor
from lagcolor.base.compile_clock import clock
from lagcolor.engines.exact import largest_clique, plain
from lagcolor.engines.exact.k_core import Core
from lagcolor.engines.exact.largest_clique import LargestClique
from lagcolor.engines.exact.proof import Proof
from lagcolor.engines.improve.lists import FOUND, NONE_EXISTS, UNKNOWN
from lagcolor.orders import ORDERS, Priorities
from lagcolor.problems import certificates
from lagcolor.problems.certificates import check


def chromatic_number(near: list[list[int]]) -> int:
    """By a SAT solver."""
    return next(k for k in range(len(near) + 1) if by_sat(near, {"max_colors": k}))


@settings(max_examples=fewer(60))
@given(n=st.integers(0, 11), density=st.floats(0, 1), seed=st.integers(0, 2**32 - 1))
def test_against_all_colorings(n: int, density: float, seed: int) -> None:
    G = random_graph(n, int(density * n * n), seed)
    chi = chromatic_number(neighborhoods(G, "distance1"))
    result = lagcolor.color(G, "exact", nodes=None)
    assert result.n_colors == result.lower_bound == chi and result.optimal
    for k in range(1, n + 1):
        proof = Proof(G, k)
        assert proof.run() == (FOUND if k >= chi else NONE_EXISTS)
        if k >= chi:
            assert proof.colors().max() < k
            lagcolor.verify(G, np.unique(proof.colors(), return_inverse=True)[1])


@pytest.mark.parametrize("name", ["no edges", "odd cycle", "clique 80 and more", "random dense", "rmat"])
def test_few_nodes_prove_nothing_wrong(name: str) -> None:
    G = graph(name)
    for nodes in (0, 50):
        result = lagcolor.color(G, "exact", nodes=nodes, verify=True)
        assert result.lower_bound <= result.n_colors
    whole = lagcolor.color(G, "exact", nodes=20_000)
    assert result.lower_bound <= whole.lower_bound <= whole.n_colors <= result.n_colors


@settings(max_examples=fewer(30))
@given(
    n=st.integers(0, 8), entries=st.integers(0, 20), seed=st.integers(0, 2**32 - 1),
    problem=st.sampled_from(["distance2", "columns", "rows"]), limit=st.sampled_from([None, 60.0]),
)  # fmt: skip
def test_problems_at_two_hops(n: int, entries: int, seed: int, problem: str, limit: float | None) -> None:
    x: Any = random_graph(n, entries, seed) if problem == "distance2" else random_pattern(n, n + 1, entries, seed)
    chi = chromatic_number(neighborhoods(x, problem))
    result = lagcolor.color(x, "exact", problem=problem, time_limit=limit, nodes=None)
    assert result.n_colors == result.lower_bound == chi and result.optimal and result.verify().ok
    check(x, result.certificate, problem=problem)


def sparse(n: int, density: float, seed: int) -> tuple[lagcolor.Graph, list[list[int]]]:
    """A graph whose vertices have a few neighbors each, and these."""
    G = random_graph(n, int(density * n), seed)
    return G, neighborhoods(G, "distance1")


@settings(max_examples=fewer(40))
@given(n=st.integers(10, 40), density=st.floats(1, 10), seed=st.integers(0, 2**32 - 1))
def test_sat_agrees_about_the_fewest_colors(n: int, density: float, seed: int) -> None:
    """One color less is too few for the graph, and for the part of it that the certificate names."""
    G, near = sparse(n, density, seed)
    result = lagcolor.color(G, "exact", nodes=None)
    assert result.optimal and not by_sat(near, {"max_colors": result.n_colors - 1})
    for k in (result.n_colors - 1, result.n_colors):
        proof = Proof(G, k)
        assert (proof.run() == FOUND) == by_sat(near, {"max_colors": k})
        if proof.certificate is not None:
            place = {v: i for i, v in enumerate(proof.certificate.vertices.tolist())}
            part = [[place[u] for u in near[v] if u in place] for v in place]
            assert not by_sat(part, {"max_colors": k})


@settings(max_examples=fewer(80))
@given(n=st.integers(1, 25), density=st.floats(0, 4), seed=st.integers(0, 2**32 - 1))
def test_sat_agrees_about_rules(n: int, density: float, seed: int) -> None:
    """Fixed and forbidden colors, weights and capacities."""
    G, near = sparse(n, density, seed)
    rules = any_rules(n, seed)
    assert n > 7 or by_sat(near, rules) == exists(near, rules)
    try:
        result = color(G, rules, algorithm="exact", nodes=None)
    except lagcolor.ColoringError as e:
        assert e.reason and not by_sat(near, rules)
        return
    assert not faults(near, result.colors.tolist(), rules)
    assert not by_sat(near, {**rules, "max_colors": result.n_colors - 1})


@settings(max_examples=fewer(40))
@given(n=st.integers(1, 25), density=st.floats(0, 6), seed=st.integers(0, 2**32 - 1))
def test_sat_agrees_about_what_is_left_out(n: int, density: float, seed: int) -> None:
    G, near = sparse(n, density, seed)
    rules = {key: each for key, each in any_rules(n, seed).items() if key != "fixed"}
    try:
        result = lagcolor.color(G, **rules, partial="fewest", quality="balanced")
    except lagcolor.ColoringError:  # there is no color
        assert rules.get("max_colors", 1) == 0 or rules.get("capacity") == []
        return
    left, note = result.notes["uncolored"], result.notes["partial"]
    assert by_sat(near, rules, left) and note["lower_bound"] <= left
    assert left == 0 or not note["proved"] or not by_sat(near, rules, left - 1)
    assert note["lower_bound"] == 0 or not by_sat(near, rules, note["lower_bound"] - 1)


@settings(max_examples=fewer(60))
@given(n=st.integers(1, 20), density=st.floats(0, 4), k=st.integers(1, 5), seed=st.integers(0, 2**32 - 1))
def test_sat_agrees_about_equitable_colorings(n: int, density: float, k: int, seed: int) -> None:
    G, near = sparse(n, density, seed)
    try:
        lagcolor.equitable(G, k)
        assert by_sat(near, {"max_colors": k}, even=True)
    except lagcolor.ColoringError as e:
        assert "whether there is one is unknown" in e.reason or not by_sat(near, {"max_colors": k}, even=True)


def test_a_time_limit_ends_the_search() -> None:
    """Without one 10,000 conflicts do; with one the nodes have no limit of their own."""
    G = graph("random dense")
    ended = lagcolor.color(G, "exact", time_limit=0.05)
    assert ended.lower_bound <= lagcolor.color(G, "exact").lower_bound <= ended.n_colors
    assert lagcolor.color(lagcolor.generate.mycielski(6), "exact", time_limit=float("inf")).optimal
    assert lagcolor.color(G, "exact", time_limit=1e-9).verified


def test_more_than_a_word_of_colors() -> None:
    """A clique of 70 and a cycle of five, adjacent to all of it: 73 colors."""
    five = [(70 + i, 70 + (i + 1) % 5) for i in range(5)]
    pairs = [(i, j) for i in range(70) for j in range(i)] + [(i, 70 + j) for i in range(70) for j in range(5)] + five
    G = lagcolor.Graph.of(tuple(np.array(pairs).T))
    assert lagcolor.color(G, "exact").n_colors == 73
    assert Proof(G, 72).run() == NONE_EXISTS
    proof = Proof(G, 73)
    assert proof.run() == FOUND
    lagcolor.verify(G, proof.colors())


def test_optimal_says_what_is_proved() -> None:
    assert lagcolor.color(graph("clique 5"), quality="best").optimal
    assert lagcolor.color(graph("path")).optimal  # two colors, and an edge
    assert lagcolor.color(graph("odd cycle")).optimal
    assert not lagcolor.color(graph("odd cycle"), quality="fast").optimal  # three; fast proves two
    assert lagcolor.color(graph("odd cycle"), "exact").optimal
    assert lagcolor.color(graph("empty")).optimal
    assert not lagcolor.color(graph("random dense"), "exact", nodes=10).optimal


# ---- kernels, components and largest cliques -------------------------------------------------------------------------


def some_graph(n: int, density: float, seed: int) -> lagcolor.Graph:
    """Return one of some random graphs, which are joined at single vertices or not at all."""
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
    kernel, core = Core(G, k), nx.k_core(to_networkx(G), k)
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
    H = to_networkx(G)
    parts = [lagcolor.Graph.of(H.subgraph(part)) for part in nx.connected_components(H)]
    chi = max((chromatic_number(neighborhoods(part, "distance1")) for part in parts), default=1)
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
    H = to_networkx(G)
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


# ---- DSATUR ----------------------------------------------------------------------------------------------------------


def by_degree(G: lagcolor.Graph) -> list[int]:
    return plain.dsatur(corpus.neighbors(G), Priorities.of(G, "largest_first").sequence.tolist())


@given(
    st.builds(corpus.random_graph, st.integers(0, 60), st.integers(0, 500), st.integers(0, 10**6)),
    st.sampled_from(sorted(ORDERS)),
    st.sampled_from([None, 0, 5]),
)
def test_equals_the_plain_loop(G: lagcolor.Graph, order: str, seed: int | None) -> None:
    expected = plain.dsatur(corpus.neighbors(G), Priorities.of(G, order, seed=seed).sequence.tolist())
    assert lagcolor.color(G, "dsatur", order=order, seed=seed).colors.tolist() == expected


@pytest.mark.parametrize("name", [name for name in corpus.CORPUS if name != "clique 1100"])
def test_corpus_equals_the_plain_loop(name: str) -> None:
    G = corpus.graph(name)
    result = lagcolor.color(G, "dsatur", verify=True)
    assert result.order == "largest_first"
    assert result.colors.dtype == np.int32
    assert result.colors.tolist() == by_degree(G)


def test_bipartite_graphs_get_two_colors() -> None:
    for name in ("path", "even cycle", "star, hub last", "complete bipartite", "crown", "grid", "one edge"):
        for order in ORDERS:
            assert lagcolor.color(corpus.graph(name), "dsatur", order=order, verify=True).n_colors == 2


@pytest.mark.parametrize("k", [63, 64, 65, 129])
def test_more_colors_than_a_mask_holds(k: int) -> None:
    """A clique and pendant vertices on each of its members: the leaves see colors far above their degree."""
    i, j = np.triu_indices(k, 1)
    u, v = np.concatenate([i, np.arange(k)]), np.concatenate([j, k + np.arange(k)])
    G = lagcolor.Graph.of((u, v), n=2 * k)
    result = lagcolor.color(G, "dsatur", verify=True)
    assert result.n_colors == k
    assert result.colors[k:].max() == 1


def test_two_cliques_that_share_half() -> None:
    """Colors over 64 reach vertices that already have one, and those must not count again."""
    size, shared = 150, 75
    i, j = np.triu_indices(size, 1)
    G = lagcolor.Graph.of((np.concatenate([i, i + shared]), np.concatenate([j, j + shared])), n=size + shared)
    assert lagcolor.color(G, "dsatur", verify=True).n_colors == size
    assert lagcolor.color(G, "dsatur").colors.tolist() == by_degree(G)


@pytest.mark.parametrize("n", [64, 65, 4096, 4097, 262_145])
def test_bitmaps_at_word_boundaries(n: int) -> None:
    """A path and the last vertex alone: the search crosses every level of the bitmaps."""
    i = np.arange(n - 2)
    result = lagcolor.color(lagcolor.Graph.of((i, i + 1), n=n), "dsatur", verify=True)
    assert result.n_colors == 2
    assert result.colors[n - 1] == 0
