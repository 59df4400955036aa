"""count_colorings against brute force, and puzzles with one solution."""

from __future__ import annotations

from itertools import product
from typing import Any

import networkx as nx
import numpy as np
import pytest
from corpus import CORPUS, graph, random_graph
from hypothesis import given
from hypothesis import strategies as st
from rule_cases import faults, neighborhoods, random_rules

import lagcolor
from lagcolor.core.errors import OptionError


def all_colorings(near: list[list[int]], k: int, rules: dict[str, Any]) -> set[tuple[int, ...]]:
    return {c for c in product(range(k), repeat=len(near)) if not faults(near, list(c), rules)}


@given(n=st.integers(1, 7), density=st.floats(0, 0.8), seed=st.integers(0, 2**32 - 1), k=st.integers(1, 3))
def test_small_graphs(n: int, density: float, seed: int, k: int) -> None:
    G = random_graph(n, int(density * n * n), seed)
    near = neighborhoods(G, "distance1")
    r = np.random.default_rng(seed)
    rules: dict[str, Any] = {"max_colors": k, "forbidden": {int(v): [int(r.integers(k))] for v in r.integers(0, n, 2)}}
    if seed % 2:
        rules |= {"capacity": float(r.integers(1, n + 1)), "weights": r.integers(0, 3, n).tolist()}
    expected = all_colorings(near, k, rules)
    found = lagcolor.count_colorings(G, limit=10_000, **rules)
    assert found.count == len(expected) and found.complete
    assert {tuple(c.tolist()) for c in found.colorings} == expected
    few = lagcolor.count_colorings(G, **rules)
    assert few.count == min(len(expected), 2) and few.complete == (len(expected) < 2)
    assert few.unique == (len(expected) == 1)


def test_classes_that_two_vertices_must_enter() -> None:
    """Lists leave the same color to two vertices, and the capacity of its class is 1."""
    rules: dict[str, Any] = {"max_colors": 2, "allowed": {0: [0], 1: [0]}}
    for room, count in ((1, 0), (2, 1)):
        found = lagcolor.count_colorings(nx.empty_graph(2), capacity=[room, 2], limit=9, **rules)
        assert (found.count, found.complete) == (count, True)


@pytest.mark.parametrize("seed", range(6))
def test_classes_without_a_gap(seed: int) -> None:
    """Classes that are full: there are few colorings, and many conflicts."""
    r, k, n = np.random.default_rng(seed), 3, 9
    G, weights = random_graph(n, 8, seed), r.integers(1, 6, n)
    capacity = -(-int(weights.sum()) // k)
    each = np.array(list(product(range(k), repeat=n)))
    loads = np.stack([(each == c) @ weights for c in range(k)], axis=1)
    u, v = G.rows_of_entries(), G.indices
    keeps = (loads <= capacity).all(axis=1) & (each[:, u] != each[:, v]).all(axis=1)
    found = lagcolor.count_colorings(G, max_colors=k, weights=weights, capacity=capacity, limit=10_000)
    assert found.complete and {tuple(c.tolist()) for c in found.colorings} == set(map(tuple, each[keeps].tolist()))


@pytest.mark.parametrize("problem", ["distance2", "columns", "rows"])
def test_problems(problem: str) -> None:
    A = np.array([[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1]])
    near = neighborhoods(lagcolor.Graph.of(A) if problem == "distance2" else lagcolor.Pattern.of(A), problem)
    found = lagcolor.count_colorings(A, problem=problem, max_colors=4, limit=1000)
    assert found.count == len(all_colorings(near, 4, {})) and found.complete


def test_corpus() -> None:
    for name in CORPUS:
        G = graph(name)
        if G.n < 200:
            near = neighborhoods(G, "distance1")
            rules = random_rules(near, 3, "fixed forbidden") | {"max_colors": G.max_degree + 99}
            found = lagcolor.count_colorings(G, time_limit=5, **rules)
            assert not any(faults(near, c.tolist(), rules) for c in found.colorings), name
            assert len({c.tobytes() for c in found.colorings}) == found.count, name


def test_a_puzzle() -> None:
    cells = [(r, c) for r in range(9) for c in range(9)]
    G = nx.Graph()
    G.add_edges_from(
        (a, b) for a in cells for b in cells
        if a < b and (a[0] == b[0] or a[1] == b[1] or (a[0] // 3, a[1] // 3) == (b[0] // 3, b[1] // 3))
    )  # fmt: skip
    text = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."
    given_ = {cell: int(t) - 1 for cell, t in zip(cells, text, strict=True) if t != "."}
    found = lagcolor.count_colorings(G, max_colors=9, fixed=given_)
    assert found.unique and [dict(zip(G, found.colorings[0].tolist(), strict=True))[0, c] + 1 for c in range(9)] == [
        8,
        1,
        2,
        7,
        5,
        3,
        6,
        4,
        9,
    ]
    given_.popitem()
    assert lagcolor.count_colorings(G, max_colors=9, fixed=given_).count == 2


def test_contradictions_and_errors() -> None:
    G = lagcolor.generate.path(3)
    for rules in ({"max_colors": 2, "fixed": {0: 0, 1: 0}}, {"max_colors": 1}):
        found = lagcolor.count_colorings(G, **rules)
        assert (found.count, found.complete, found.unique, found.colorings) == (0, True, False, [])
    with pytest.raises(OptionError, match="the number of colors is open: pass max_colors"):
        lagcolor.count_colorings(G, fixed={0: 0})
    with pytest.raises(OptionError, match="limit must be"):
        lagcolor.count_colorings(G, max_colors=2, limit=0)
    with pytest.raises(OptionError, match="constraints are pairs"):
        lagcolor.count_colorings(G, max_colors=2, problem="star")


def test_time_is_limited() -> None:
    found = lagcolor.count_colorings(lagcolor.generate.erdos_renyi(120, 0.5, seed=1), max_colors=15, time_limit=0.05)
    assert found.count == 0 and not found.complete


def test_too_many_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lagcolor.rules.attempts.MOST", 1)
    with pytest.raises(MemoryError, match="count_colorings: the pairs that constrain each other are too many"):
        lagcolor.count_colorings(lagcolor.generate.star(9), problem="distance2", max_colors=9)
