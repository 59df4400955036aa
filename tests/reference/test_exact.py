"""Proofs by clause learning: the chromatic number against all colorings, known numbers, and what a limit leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from corpus import fewer, graph, random_graph
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_cases import any_rules, by_sat, color, exists, faults, neighborhoods
from two_hop_cases import random_pattern

import lagcolor
from lagcolor.engines.exact.proof import Proof
from lagcolor.engines.improve.lists import FOUND, NONE_EXISTS
from lagcolor.problems.certificates import check


def can(adjacent: np.ndarray, k: int) -> bool:
    """Whether k colors do, by trying all colorings up to the names of colors: vertex by vertex, without any order."""
    n = len(adjacent)
    states = [((), 0)]
    while states:
        colors, used = states.pop()
        v = len(colors)
        if v == n:
            return True
        near = {colors[u] for u in range(v) if adjacent[v, u]}
        states.extend(((*colors, c), max(used, c + 1)) for c in range(min(used + 1, k)) if c not in near)
    return False


def chromatic_number(G: lagcolor.Graph) -> int:
    adjacent = np.zeros((G.n, G.n), bool)
    adjacent[np.repeat(np.arange(G.n), G.degrees), G.indices] = True
    return next(k for k in range(G.n + 1) if can(adjacent, k))


@settings(max_examples=fewer(60))
@given(n=st.integers(0, 11), density=st.floats(0, 1), seed=st.integers(0, 2**32 - 1))
def test_against_all_colorings(n: int, density: float, seed: int) -> None:
    G = random_graph(n, int(density * n * n), seed)
    chi = chromatic_number(G)
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
    near = neighborhoods(x, problem)
    adjacent = np.zeros((len(near), len(near)), bool)
    for v, row in enumerate(near):
        adjacent[v, row] = True
    chi = next(k for k in range(len(near) + 1) if can(adjacent, k))
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
    """A clique of 70 and a cycle of five beside it that all of it sees: 73 colors."""
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
    assert not lagcolor.color(graph("odd cycle"), quality="fast").optimal  # three, of which fast proves two
    assert lagcolor.color(graph("odd cycle"), "exact").optimal
    assert lagcolor.color(graph("empty")).optimal
    assert not lagcolor.color(graph("random dense"), "exact", nodes=10).optimal
