"""Qualities of columns, rows and distance 2: few colors, the same ones everywhere, and what distance 1 has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from corpus import first_fit, graph
from emulated import EMULATED
from two_hop_cases import TWO_HOP, apart, case, cases, of_dense, random_pattern, size

import lagcolor
from lagcolor.base import device as dev
from lagcolor.graph import nets as core
from lagcolor.graph.nets import Nets
from lagcolor.orders import Priorities
from lagcolor.problems import PROBLEMS
from lagcolor.search import nets as search

ORDERS = ("natural", "largest_first", "smallest_last", "incidence_degree", "random")
ON = [pytest.param("emulated", marks=EMULATED), pytest.param("cuda", marks=pytest.mark.gpu)]
SMALL = 3_000  # pairs of vertices of a net that an emulated device looks at in a moment, several times


def check(problem: str, P: Any, result: Any) -> None:
    colors, near = result.to_numpy(), apart(problem, P)
    assert len(colors) == size(problem, P) and (len(colors) == 0 or colors.min() == 0)
    assert not (near & (colors[:, None] == colors)).any()
    assert result.lower_bound <= result.n_colors


def closed(spec: str) -> Any:
    """The pattern of a mesh with its diagonal, ids line by line."""
    G = lagcolor.generate.from_spec(spec)
    return G.to_scipy() + sp.eye_array(G.n)


@pytest.mark.parametrize("problem", TWO_HOP)
def test_no_more_colors_than_any_order(problem: str) -> None:
    for name in cases(problem):
        P = case(problem, name)
        balanced = lagcolor.color(P, problem=problem)
        check(problem, P, balanced)
        near, H = apart(problem, P), PROBLEMS[problem].structure(P)
        for order in ORDERS:
            colors = first_fit(near, Priorities.of(H, order).sequence.tolist())
            assert balanced.n_colors <= max(colors, default=-1) + 1, (name, order)


@pytest.mark.parametrize("problem", TWO_HOP)
@pytest.mark.parametrize("budget", [search.READS, 0])
def test_colors_do_not_depend_on_threads(problem: str, budget: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(search, "READS", budget)
    P = graph("rmat") if problem == "distance2" else random_pattern(400, 300, 1600, 5)
    with dev.at_most_threads(1):
        one = lagcolor.color(P, problem=problem).to_numpy()
    with dev.at_most_threads(4):
        assert lagcolor.color(P, problem=problem).to_numpy().tolist() == one.tolist()


@pytest.mark.parametrize("problem", TWO_HOP)
@pytest.mark.parametrize("kind", ON)
def test_colors_do_not_depend_on_the_device(kind: str, problem: str, monkeypatch: Any) -> None:
    """Over the budget as well, where all of it runs on the device."""
    for budget in (search.READS, 0):
        monkeypatch.setattr(search, "READS", budget)
        monkeypatch.setattr(search, "PREFIX", 20)
        for name in cases(problem):
            P = case(problem, name)
            if PROBLEMS[problem].structure(P).reads(1) > SMALL:
                continue
            result = lagcolor.color(P, problem=problem, device="cuda")
            expected = lagcolor.color(P, problem=problem)
            assert result.device == "cuda:0"
            assert result.to_numpy().tolist() == expected.to_numpy().tolist(), (name, budget)


@pytest.mark.parametrize("problem", TWO_HOP)
def test_over_the_budget(problem: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(search, "READS", 0)
    for name in cases(problem):
        P = case(problem, name)
        check(problem, P, lagcolor.color(P, problem=problem))


@pytest.mark.parametrize(
    ("spec", "colors"), [("grid2d:30", 5), ("grid2d:33,30", 5), ("stencil27:20,30,1", 9), ("stencil27:9,10,11", 27)]
)
@pytest.mark.parametrize("budget", [search.READS, 0])
def test_meshes_in_their_own_order_take_the_optimum(spec: str, colors: int, budget: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(search, "READS", budget)
    result = lagcolor.color(closed(spec), problem="columns")
    assert result.n_colors == result.lower_bound == colors


@pytest.mark.parametrize("budget", [search.READS, 0])
def test_a_sample_without_entries_has_no_residues(budget: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(search, "READS", budget)
    first, other = np.arange(6), [5, 3, 1, 0]
    P = lagcolor.Pattern.of(([0] * 6 + [9999] * 4, [*first, *other]), shape=(10_000, 9))
    assert lagcolor.color(P, problem="columns").n_colors == 6


def test_a_shuffled_grid_takes_the_optimum() -> None:
    ids = np.random.default_rng(0).permutation(900)
    A = closed("grid2d:30").tocsr()[ids][:, ids]
    for problem in ("columns", "distance2"):
        assert lagcolor.color(A, problem=problem).n_colors == 5


@pytest.mark.parametrize("problem", TWO_HOP)
def test_the_graph_of_conflicts(problem: str, monkeypatch: Any) -> None:
    """With equal nets read once, and without."""
    block = np.ones((3, 3))
    more = [lagcolor.Graph.of(sp.kron(graph("grid").to_scipy(), block) - sp.eye_array(3 * graph("grid").n), n=None)]
    more = [of_dense(np.kron(np.eye(5, 7, 1) + np.eye(5, 7), block))] if problem != "distance2" else more
    for P in [case(problem, name) for name in cases(problem)] + more:
        near = apart(problem, P)
        for repeats in (0, 10**6):
            monkeypatch.setattr(core, "REPEATS", repeats)
            found = PROBLEMS[problem].structure(P).conflict_graph(2**40)
            dense = np.zeros(near.shape, bool)
            dense[np.repeat(np.arange(found.n), np.diff(found.indptr)), found.indices] = True
            assert (dense == near).all() and found.m == near.sum()


@pytest.mark.parametrize("problem", TWO_HOP)
@pytest.mark.parametrize("memory", [search.MOST_READS, 0])
def test_best(problem: str, memory: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(search, "MOST_READS", memory)
    monkeypatch.setattr(search, "READS", min(memory, search.READS))
    P = graph("rmat") if problem == "distance2" else random_pattern(60, 90, 500, 1)
    balanced = lagcolor.color(P, problem=problem)
    best = lagcolor.color(P, problem=problem, quality="best", time_limit=0.2)
    check(problem, P, best)
    assert best.n_colors <= balanced.n_colors and best.lower_bound >= balanced.lower_bound


@pytest.mark.parametrize("problem", TWO_HOP)
def test_even_classes(problem: str) -> None:
    P = graph("grid") if problem == "distance2" else random_pattern(60, 90, 300, 1)
    n, k = size(problem, P), int(apart(problem, P).sum(axis=1).max()) + 1
    equitable = lagcolor.equitable(P, problem=problem)
    assert len(equitable.class_sizes) == k and np.ptp(equitable.class_sizes) <= 1
    even = lagcolor.color(P, problem=problem, balance=True)
    fixed = lagcolor.color(P, problem=problem, balance=True, fixed={n - 1: 2}, forbidden={0: [0, 1]})
    for result in (equitable, even, fixed):
        check(problem, P, result)
    assert even.notes["balance"]["reached"]
    assert fixed.colors[n - 1] == 2 and fixed.colors[0] > 1


@pytest.mark.parametrize("problem", TWO_HOP)
def test_verbs(problem: str) -> None:
    P = graph("rmat") if problem == "distance2" else random_pattern(60, 90, 500, 1)
    first = lagcolor.color(P, problem=problem, quality="fast")
    for method in ("ejection", "iterated_greedy"):
        fewer = lagcolor.reduce(P, first, method=method)
        check(problem, P, fewer)
        assert fewer.problem == problem and fewer.verified and fewer.n_colors <= first.n_colors
    even = lagcolor.balance(P, first)
    check(problem, P, even)
    assert even.problem == problem and even.n_colors == first.n_colors
    assert even.class_sizes.max() <= first.class_sizes.max() and even.class_sizes.min() >= first.class_sizes.min()
    first.colors = np.zeros(len(first), np.int32)
    for verb in (lagcolor.reduce, lagcolor.balance):
        with pytest.raises(lagcolor.ColoringError, match="only a proper coloring"):
            verb(P, first)


def test_too_large_a_graph_of_pairs(monkeypatch: Any) -> None:
    monkeypatch.setattr(core, "MOST_READS", 10)
    with pytest.raises(lagcolor.OptionError, match="too large: to build it needs over 10 reads; capacity= of color"):
        lagcolor.color(closed("grid2d:5"), problem="columns", balance=True)


def test_what_is_found_stays_where_memory_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    def out_of_memory(*_: Any, **__: Any) -> Any:
        raise MemoryError("17 bytes")

    G = lagcolor.generate.from_spec("rmat:8")
    monkeypatch.setattr(Nets, "conflict_graph", out_of_memory)
    result = lagcolor.color(G, problem="distance2", verify=True)
    assert result.notes["memory"] == "a further attempt ran out of memory: 17 bytes"
    assert result.n_colors <= lagcolor.color(G, problem="distance2", quality="fast").n_colors
    monkeypatch.setattr("lagcolor.search.implicit.on_graph", out_of_memory)
    strings = ["XX", "YY", "ZI", "IZ", "XI", "IY", "ZZ"]
    assert "17 bytes" in lagcolor.pauli.group(strings, "anti", verify=True).notes["memory"]
