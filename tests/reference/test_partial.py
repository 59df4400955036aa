"""Partial colorings: against all of them on small graphs, with every rule and problem, and what verifiers find."""

from __future__ import annotations

import itertools
from typing import Any

import networkx as nx
import numpy as np
import pytest
from corpus import graph, random_graph
from hypothesis import given
from hypothesis import strategies as st
from rule_cases import any_rules, color, faults, neighborhoods
from two_hop_cases import random_pattern

import lagcolor
from lagcolor.engines.improve.lists import leave_out, swaps
from lagcolor.search import rules as rule_search


def least(near: list[list[int]], rules: dict[str, Any], cost: list[float]) -> float:
    """Return the least number, or cost, of vertices left out, by all partial colorings."""
    n, capacity = len(near), rules.get("capacity", float("inf"))
    k = min(rules.get("max_colors", 99), len(capacity) if isinstance(capacity, list) else 99)
    space = [*capacity[:k]] if isinstance(capacity, list) else [capacity] * k
    weights, fixed = rules.get("weights", [1] * n), rules.get("fixed", [-1] * n)
    colors, best = [-1] * n, [float("inf")]
    order = sorted(range(n), key=lambda v: fixed[v] < 0)

    def go(i: int, so_far: float) -> None:
        if i == n or so_far >= best[0]:
            best[0] = min(best[0], so_far)
            return
        v = order[i]
        for c in range(k) if fixed[v] < 0 else (fixed[v],):
            if c in rules.get("forbidden", {}).get(v, ()) or any(colors[u] == c for u in near[v]):
                continue
            if weights[v] > space[c]:
                continue
            colors[v] = c
            space[c] -= weights[v]
            go(i + 1, so_far)
            space[c] += weights[v]
            colors[v] = -1
        if fixed[v] < 0:
            go(i + 1, so_far + cost[v])

    go(0, 0.0)
    return best[0]


def keeps(near: list[list[int]], result: Any, rules: dict[str, Any]) -> list[int]:
    """The colors, which keep the rules but for vertices without one, and whose number the notes have."""
    colors: list[int] = result.to_numpy().tolist()
    out = {v for v, c in enumerate(colors) if c < 0}
    inside = [[u for u in row if u not in out] for row in near]
    found = [f for f in faults(inside, colors, rules) if not f.endswith("has no color")]
    assert not found, (found, rules)
    assert result.uncolored == sorted(out) and result.notes["uncolored"] == len(out)
    assert result.verify() is not None
    return colors


@given(n=st.integers(1, 9), density=st.floats(0, 0.8), seed=st.integers(0, 2**32 - 1), k=st.integers(1, 4))
def test_small_graphs_against_all_colorings(n: int, density: float, seed: int, k: int) -> None:
    G, r = random_graph(n, int(density * n * n), seed), np.random.default_rng(seed)
    near, cost = neighborhoods(G, "distance1"), r.integers(0, 9, n).tolist()
    if seed % 2:
        cost = [c / 8 for c in cost]
    fewest = lagcolor.color(G, max_colors=k, partial="fewest", quality="balanced")
    lightest = lagcolor.color(G, max_colors=k, partial="lightest", weights=cost, quality="balanced")
    for result, each in ((fewest, [1] * n), (lightest, cost)):
        colors = keeps(near, result, {"max_colors": k})
        left, best = sum(each[v] for v in range(n) if colors[v] < 0), least(near, {"max_colors": k}, each)
        assert left == best
        assert result.notes["partial"]["lower_bound"] <= best + 1e-9
        assert not result.notes["partial"]["proved"] or left == best


@given(n=st.integers(1, 8), density=st.floats(0, 0.6), seed=st.integers(0, 2**32 - 1))
def test_any_rules_against_all_colorings(n: int, density: float, seed: int) -> None:
    G = random_graph(n, int(density * n * n), seed)
    near, rules = neighborhoods(G, "distance1"), any_rules(n, seed)
    try:
        result = color(G, rules, partial="fewest", quality="balanced")
    except lagcolor.ColoringError:  # fixed colors contradict the others, or there is no color
        assert "fixed" in rules or rules.get("max_colors", 1) == 0 or rules.get("capacity") == []
        return
    colors = keeps(near, result, rules)
    left = sum(c < 0 for c in colors)
    best = least(near, rules, [1] * n)
    assert left >= best if "capacity" in rules else left == best
    assert result.notes["partial"]["lower_bound"] <= best


@pytest.mark.parametrize("quality", ["fast", "balanced"])
@pytest.mark.parametrize("name", ["empty", "no edges", "star", "clique 70", "crown", "random sparse", "random dense"])
def test_corpus(name: str, quality: str) -> None:
    G = graph(name)
    near, r = neighborhoods(G, "distance1"), np.random.default_rng(G.n)
    cost = (10 ** r.integers(0, 4, G.n)).tolist()
    for k in (1, 5):
        fewest = lagcolor.color(G, max_colors=k, partial="fewest", quality=quality)
        lightest = lagcolor.color(G, max_colors=k, partial="lightest", weights=cost, quality=quality)
        for result in (fewest, lightest):
            colors = keeps(near, result, {"max_colors": k})
            assert all(set(range(k)) <= {colors[u] for u in near[v]} for v in result.uncolored), "one has a color left"
        assert lightest.notes["partial"]["cost"] == sum(cost[v] for v in lightest.uncolored)


@given(
    rows=st.integers(1, 7), columns=st.integers(1, 7), density=st.floats(0, 0.5), seed=st.integers(0, 2**32 - 1),
    problem=st.sampled_from(["rows", "columns", "distance2"]), k=st.integers(1, 3),
)  # fmt: skip
def test_two_hops(rows: int, columns: int, density: float, seed: int, problem: str, k: int) -> None:
    x: Any = random_pattern(rows, columns, int(density * rows * columns), seed)
    if problem == "distance2":
        x = random_graph(rows, int(density * rows * rows / 2), seed)
    near = neighborhoods(x, problem)
    result = lagcolor.color(x, problem=problem, max_colors=k, partial="fewest", quality="balanced")
    colors = keeps(near, result, {"max_colors": k})
    assert sum(c < 0 for c in colors) == least(near, {"max_colors": k}, [1] * len(near))


def intervals(n: int, seed: int) -> lagcolor.Graph:
    """An interval graph: its clique inequalities are enough."""
    r = np.random.default_rng(seed)
    begin = r.random(n)
    end = begin + 0.2 * r.random(n)
    meet = (begin[:, None] < end) & (begin < end[:, None])
    return lagcolor.Graph.of(tuple(np.argwhere(np.triu(meet, 1)).T), n=n)


def test_intervals_are_proved() -> None:
    for seed in (1, 2, 3):
        result = lagcolor.color(intervals(200, seed), max_colors=8, partial="fewest", quality="balanced")
        note = result.notes["partial"]
        assert note["proved"] and note["lower_bound"] == result.notes["uncolored"] == len(result.uncolored) > 0


def test_the_cheapest_is_left_out() -> None:
    G = nx.complete_graph(["a", "b", "c", "d"])
    weights = {"a": 5, "b": 1, "c": 2, "d": 9}
    result = lagcolor.color(G, max_colors=2, partial="lightest", weights=weights)
    assert result.uncolored == ["b", "c"] and result.notes["partial"]["cost"] == 3
    assert "2 uncolored" in repr(result) and not result.optimal


def test_of_equal_costs_the_fewest_are_left_out() -> None:
    """A vertex of cost 2 or two of cost 1; and vertices that cost nothing take part where they can."""
    G = nx.Graph([(0, 1), (0, 2)])
    for weights in ([2, 1, 1], [1.0, 0.5, 0.5]):
        assert lagcolor.color(G, max_colors=1, partial="lightest", weights=weights).uncolored == [0]
    assert lagcolor.color(nx.path_graph(3), max_colors=2, partial="lightest", weights=[0, 0, 0]).uncolored == []


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("scale", [0.0, 5e-324, 1e-310, 2e307])
def test_the_cheapest_is_left_out_at_any_scale(scale: float) -> None:
    """The sum of the costs is 0, denormal or infinite."""
    weights = scale * np.array([4.0, 4.0, 1.0, 4.0])
    result = lagcolor.color(nx.complete_graph(4), max_colors=3, partial="lightest", weights=weights)
    note = result.notes["partial"]
    assert result.uncolored == [2 if scale else 0] and note["cost"] == note["lower_bound"] == scale and note["proved"]


def test_lists_hold_where_vertices_are_left_out() -> None:
    """Lists leave one color to a clique that has two."""
    G, rules = nx.complete_graph(5), {"max_colors": 2, "forbidden": {v: [0] for v in range(5)}}
    result = lagcolor.color(G, partial="fewest", verify=True, **rules)
    assert len(result.uncolored) == 4 and result.colors.max() == 1


def test_each_part_keeps_its_best() -> None:
    """Each part has the best of several simplifications, and the cost of its colors."""
    G = lagcolor.Graph.of(nx.disjoint_union_all([nx.gnp_random_graph(14, 0.5, seed=s) for s in range(8)]))
    lists, weights = (np.zeros(G.n + 1, np.int64), np.empty(0, np.int32)), np.random.default_rng(1).integers(1, 9, G.n)
    search = leave_out.LeaveOut(G, 3, np.full(G.n, -1, np.int32), lists, weights, 0)
    out = search.best < 0
    assert len(search.least) > 1
    np.testing.assert_array_equal(np.bincount(search.part[out], search.cost[out], len(search.least)), search.least)


@pytest.mark.parametrize("n", [3, 600])
def test_whole_costs_stay_under_what_bars_a_color(n: int) -> None:
    cost = np.full(n, (1 << 51) // n)
    for costs in (cost, cost.astype(float)):
        numbers, factor = leave_out.whole(costs)
        assert numbers.min() > 0 and 0 < sum(numbers.tolist()) < swaps.BARRED >> 1
        np.testing.assert_allclose(numbers / factor, cost, rtol=1e-6)


def test_tables_of_swaps_stay_true(monkeypatch: pytest.MonkeyPatch) -> None:
    """The costs around each vertex count its neighbors after any number of moves, and the best is saved."""
    G = random_graph(40, 300, 3)
    lists = np.zeros(G.n + 1, np.int64), np.empty(0, np.int32)
    search = leave_out.LeaveOut(G, 4, np.full(G.n, -1, np.int32), lists, np.ones(G.n, np.int64), 0)
    stored: list[Any] = []
    swap = swaps.swap

    def watched(graph: Any, cost: Any, state: Any, at: Any, until: Any) -> None:
        swap(graph, cost, state, at, until)
        stored.append((cost, state, at[0].copy()))

    monkeypatch.setattr(leave_out, "swap", watched)
    search.run(leave_out.Effort(0, 50, 1 << 14))
    assert stored
    for cost, state, at in stored:
        core = search.core
        for v in range(core.n):
            near = core.indices[core.indptr[v] : core.indptr[v + 1]]
            assert state.around[v].tolist() == [int(cost[near[state.colors[near] == c]].sum()) for c in range(4)]
        out = state.members[at["begin"] : at["end"]]
        out = out[state.colors[out] < 0]
        assert at["here"] == cost[out].sum() and at["size"] == len(out)
    assert search.cost[search.best < 0].sum() == search.least.sum()


def test_errors_have_an_honest_attempt() -> None:
    """The core of a graph with one clique too large: one vertex is left out, and the clique is named."""
    G = nx.disjoint_union(nx.complete_graph(6), nx.random_regular_graph(4, 150, seed=1))
    names = {v: f"v{v}" for v in G}
    with pytest.raises(lagcolor.ColoringError, match=r"clique of 6 vertices.*'v0'") as caught:
        lagcolor.color(nx.relabel_nodes(G, names), max_colors=5)
    e = caught.value
    assert (e.partial < 0).sum() == 1 and e.clique == [f"v{v}" for v in range(6)]


@pytest.mark.parametrize("name", ["clique 70", "random dense", "rmat", "disconnected"])
def test_the_clique_of_an_error_is_one(name: str) -> None:
    G = graph(name)
    near, found = neighborhoods(G, "distance1"), 0
    for k in range(1, 6):
        with pytest.raises(lagcolor.ColoringError) as caught:
            lagcolor.color(G, max_colors=k, verify=False)
        if (clique := caught.value.clique) is not None:
            assert len(set(clique)) == k + 1 and all(v in near[u] for u, v in itertools.permutations(clique, 2))
            found += 1
    assert found


def test_broken_results_are_found() -> None:
    """A neighbor's color, a vertex more or less without one, another cost, a bound that is none, a fixed color lost."""
    G, weights = nx.complete_graph(6), [3, 1, 4, 1, 5, 9]

    def made(**rules: Any) -> lagcolor.Coloring:
        return lagcolor.color(G, max_colors=3, partial="lightest", weights=weights, **rules)

    result = made()
    assert result.uncolored == [0, 1, 3] and result.verify() is not None
    for change, says in (
        (lambda r: r.colors.__setitem__(2, -1), "4 vertices have no color, and the result says 3"),
        (lambda r: r.colors.__setitem__(0, r.colors[2]), "both have color"),
        (lambda r: r.colors.__setitem__(0, 3), "max_colors"),
        (lambda r: r.colors.__setitem__([0, 2], r.colors[[2, 0]]), "cost 6, and the result says 5"),
        (lambda r: r.notes["partial"].update(lower_bound=6), "lower bound 6"),
        (lambda r: r.notes["partial"].update(proved=not r.notes["partial"]["proved"]), "contradicts proved="),
    ):
        result = made()
        change(result)
        with pytest.raises(lagcolor.ColoringError, match=says):
            result.verify()
    result = made(fixed={0: 2})
    result.colors[0] = -1
    with pytest.raises(lagcolor.ColoringError, match="without their fixed color"):
        result.verify()
    with pytest.raises(lagcolor.ColoringError, match="uncolored"):
        lagcolor.verify(G, made().colors, max_colors=3)
    assert lagcolor.verify(G, made().colors, max_colors=3, allow_uncolored=True) is not None


def test_capacities() -> None:
    """Two vertices a class, and a vertex that fits into none."""
    result = lagcolor.color(nx.empty_graph(7), max_colors=3, capacity=2, partial="fewest")
    assert result.notes["uncolored"] == 1 and result.class_sizes.tolist() == [2, 2, 2]
    result = lagcolor.color(nx.empty_graph(4), capacity=[3, 3], weights=[9, 3, 2, 1], partial="fewest")
    assert result.uncolored == [0]


@pytest.mark.parametrize(("quality", "capacity", "seed"), [("fast", 16, 1), ("balanced", None, 2)])
def test_no_more_is_left_out_than_an_error_says(
    quality: str, capacity: int | None, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search for a complete coloring goes further in these graphs."""
    monkeypatch.setattr(rule_search, "CONFLICTS", 500)
    G, how = random_graph(90, 900, seed), {"max_colors": 6, "capacity": capacity, "quality": quality, "seed": seed}
    with pytest.raises(lagcolor.ColoringError) as caught:
        lagcolor.color(G, **how)
    left = int((caught.value.partial < 0).sum())
    result = lagcolor.color(G, partial="fewest", **how)
    assert 0 < result.notes["uncolored"] <= left and result.verify() is not None
    if capacity is None:
        lightest = lagcolor.color(G, partial="lightest", weights=[1] * G.n, **how)
        assert lightest.notes["partial"]["cost"] <= left


@pytest.mark.parametrize("quality", ["fast", "balanced", "best"])
def test_cliques_bound_what_is_left_out(quality: str) -> None:
    """Two cliques of 13 and 14 vertices leave out one and two vertices with 12 colors; also with capacities."""
    G = nx.disjoint_union(nx.complete_graph(13), nx.complete_graph(14))
    how: dict[str, Any] = {"max_colors": 12, "quality": quality, "partial": "fewest"}
    if quality == "best":
        how["time_limit"] = 20.0
    for capacity in (None, 2, 3):
        note = lagcolor.color(G, capacity=capacity, **how).notes["partial"]
        assert note == {"least": "fewest", "lower_bound": 3, "proved": True}
    result = lagcolor.color(G, capacity=3, fixed={0: 3}, **how)
    assert result.notes["partial"]["proved"] and 0 not in result.uncolored


def test_a_graph_of_pairs_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lagcolor.search.partial_colorings.MOST", 1)
    with pytest.raises(lagcolor.OptionError, match="the graph of conflicting pairs is too large for it"):
        lagcolor.color(lagcolor.generate.star(9), problem="distance2", partial="fewest", max_colors=3)
