"""Few colors and little room: what is tried beyond first-fit, against all colorings of small graphs."""

from __future__ import annotations

import itertools
import json
import pickle
from pathlib import Path
from typing import Any

import corpus
import networkx as nx
import numpy as np
import pytest
from corpus import graph, random_graph
from emulated import ENGINES
from hypothesis import given
from hypothesis import strategies as st
from rule_cases import any_rules, color, exists, faults, keywords, neighborhoods, random_rules, sure
from two_hop_cases import random_pattern

import lagcolor
from lagcolor.base.log import Log
from lagcolor.engines.exact.dsatur import barred_colors, dsatur_with_rules
from lagcolor.engines.exact.plain import dsatur
from lagcolor.engines.improve.lists import ejection
from lagcolor.problems.rules import Given, Rules
from lagcolor.search import Search
from lagcolor.search.rules import rule_search
from lagcolor.search.rules.rule_search import UNKNOWN

CONFLICTS = rule_search.CONFLICTS


@pytest.fixture(autouse=True)
def little_effort(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches for what is not there end soon."""
    monkeypatch.setattr(rule_search, "LEAST_READS", 1 << 16)
    monkeypatch.setattr(rule_search, "CONFLICTS", 1000)


@given(n=st.integers(0, 9), density=st.floats(0, 0.6), seed=st.integers(0, 2**32 - 1))
def test_any_rules_on_small_graphs(n: int, density: float, seed: int) -> None:
    G = random_graph(n, int(density * n * n), seed)
    sure(G, neighborhoods(G, "distance1"), any_rules(n, seed))


@given(
    rows=st.integers(0, 8), columns=st.integers(0, 8), density=st.floats(0, 0.5), seed=st.integers(0, 2**32 - 1),
    problem=st.sampled_from(["rows", "columns", "distance2"]),
)  # fmt: skip
def test_any_rules_at_two_hops(rows: int, columns: int, density: float, seed: int, problem: str) -> None:
    x: Any = random_pattern(rows, columns, int(density * rows * columns), seed)
    if problem == "distance2":
        x = random_graph(rows, int(density * rows * rows / 2), seed)
    near = neighborhoods(x, problem)
    sure(x, near, any_rules(len(near), seed), problem=problem)


def planted(k: int, seed: int) -> tuple[lagcolor.Graph, dict[str, Any]]:
    """A random graph of which a coloring with k colors is known, some of its colors fixed and others forbidden."""
    r, n = np.random.default_rng(seed), 90
    colors = r.integers(0, k, n)
    u, v = r.integers(0, n, (2, n * k))
    some = colors[u] != colors[v]
    wrong = (colors + r.integers(1, k, n)) % k
    fixed = np.where(r.random(n) < 0.1, colors, -1).tolist()
    forbidden = {int(w): [int(wrong[w])] for w in r.permutation(n)[:30]}
    G = lagcolor.Graph.of((u[some], v[some]), n=n)
    return G, {"fixed": fixed, "forbidden": forbidden, "max_colors": k}


def planted_among_more_colors(seed: int) -> tuple[lagcolor.Graph, dict[str, Any]]:
    """The same with 4 colors; every fifteenth vertex may also take 16 other colors."""
    G, rules = planted(4, seed)
    others = {v: range(4, 20) for v in range(G.n) if v % 15}
    forbidden = {v: [*rules["forbidden"].get(v, []), *others.get(v, [])] for v in range(G.n)}
    return G, {**rules, "forbidden": forbidden, "max_colors": 20}


def test_planted_colorings_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule_search, "PAIRS_BEGUN", 0)
    last = set()
    for seed in range(24):
        G, rules = planted(4 + seed % 3, seed)
        result = color(G, rules)
        assert not faults(neighborhoods(G, "distance1"), result.colors.tolist(), rules)
        assert result.n_colors <= rules["max_colors"] and result.verify().ok
        last.add(result.notes.get("tried", [{"name": ""}])[-1]["name"])
    assert "ejection" in last, "no seed needed it"


def test_slices_of_ejection_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule_search, "PAIRS_BEGUN", 0)
    found = []
    for size in (ejection.SLICE, 200):
        monkeypatch.setattr(ejection, "SLICE", size)
        found.append([color(*planted(5, seed)).colors.tolist() for seed in range(4)])
    assert found[0] == found[1]


@given(n=st.integers(1, 9), density=st.floats(0, 0.6), seed=st.integers(0, 2**32 - 1))
def test_all_colorings_are_looked_at(n: int, density: float, seed: int) -> None:
    """By itself, without what is tried before."""
    G = random_graph(n, int(density * n * n), seed)
    near, rules = neighborhoods(G, "distance1"), any_rules(n, seed)
    rules.pop("fixed", None)
    made = Rules.of(Given(**rules), n, None, "cpu")
    assert made is not None
    search = Search(G, Log(), task=rule_search.RuleTask(made))
    search.colors = np.full(n, -1, np.int32)
    colors = rule_search.learn(search, 0.0, Log()).tolist()
    assert (search.task.reason == rule_search.NO_COLORING) == (not exists(near, rules))
    assert search.task.reason or not faults(near, colors, rules)


def test_ejection_goes_by_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal seeds give equal colors, and two seeds give different colors. First-fit in this order reads no seed."""
    monkeypatch.setattr(rule_search, "PAIRS_BEGUN", 0)
    G, rules = planted_among_more_colors(12)
    results = [color(G, rules, order="natural", seed=seed) for seed in (1, 1, 2)]
    assert all(result.notes["tried"][-1]["name"] == "ejection" for result in results)
    assert np.array_equal(results[0].colors, results[1].colors)
    assert not np.array_equal(results[0].colors, results[2].colors)


@pytest.mark.parametrize("k", [1, 7, 63, 64, 65, 128])
def test_barred_colors(k: int) -> None:
    """Bits are set for forbidden colors, for colors of neighbors, and from k on."""
    r, n = np.random.default_rng(k), 30
    G = random_graph(n, 60, k)
    near, colors = neighborhoods(G, "distance1"), r.integers(-1, k, n).astype(np.int32)
    lists = [sorted(set(r.integers(0, 2 * k, 5).tolist())) for _ in range(n)]
    offsets = np.concatenate([[0], np.cumsum([len(each) for each in lists])])
    forbidden = np.concatenate(lists).astype(np.int32)
    barred = barred_colors(G.indptr, G.indices, colors, offsets, forbidden, k)
    for v in range(n):
        bits = {c for c in range(64 * len(barred)) if int(barred[c // 64, v]) >> c % 64 & 1}
        assert bits == ({*lists[v], *colors[near[v]].tolist()} & set(range(k))) | set(range(k, 64 * -(-k // 64)))


def test_two_colors_of_little_room_are_found() -> None:
    """Two stars of four vertices, and four vertices per class: DSATUR fails, which proves nothing."""
    stars = nx.disjoint_union(nx.star_graph(3), nx.star_graph(3))
    result = lagcolor.color(stars, max_colors=2, capacity=4)
    assert result.class_sizes.tolist() == [4, 4] and result.verify().ok
    assert [row["uncolored"] > 0 for row in result.notes["tried"] if row["name"] == "dsatur"] == [True]


def test_room_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes that are all but full, so that vertices must change places."""
    monkeypatch.setattr(rule_search, "PAIRS_BEGUN", 0)
    last = set()
    for seed in range(12):
        G, weights = random_graph(60, 200, seed), np.random.default_rng(seed).integers(1, 6, 60)
        capacity = -(-int(weights.sum()) // 6)
        rules = {"capacity": capacity, "weights": weights.tolist(), "max_colors": 6}
        result = color(G, rules)
        assert not faults(neighborhoods(G, "distance1"), result.colors.tolist(), rules)
        assert result.class_weights.max() <= capacity and result.class_weights.sum() == weights.sum()
        last.add(result.notes.get("tried", [{"name": ""}])[-1]["name"])
    assert "ejection" in last, "no seed needed it"


def test_the_least_number_of_colors() -> None:
    """Each attempt on graphs that first-fit needs more for; the count of attempts says which one it took."""
    for G, k in ((nx.petersen_graph(), 3), (nx.dodecahedral_graph(), 3), (nx.mycielski_graph(4), 4)):
        result = lagcolor.color(G, max_colors=k, verify=True)
        assert result.n_colors == k
    rows = lagcolor.color(nx.dodecahedral_graph(), max_colors=3).notes["tried"]
    assert rows[0]["name"] == "first_fit" and rows[0]["uncolored"] > 0 and rows[-1]["uncolored"] == 0
    assert len({row["name"] for row in rows}) == len(rows) > 1


def test_the_result_names_the_attempt_that_found_it() -> None:
    """The first step is named after the algorithm."""
    found = set()
    for seed in range(40):
        G = nx.gnp_random_graph(14, 0.5, seed=seed)
        k = lagcolor.color(G, "exact").n_colors
        for algorithm in ("first_fit", "dsatur"):
            result = lagcolor.color(G, algorithm, order="random", seed=seed, max_colors=k)
            tried = result.notes.get("tried", [{"name": algorithm}])
            last = tried[-1]["name"]
            by = f"first_fit ({last})" if last in rule_search.ORDERS else last
            assert tried[0]["name"] == algorithm
            assert result.algorithm == (algorithm if len(tried) == 1 else f"{algorithm} + {by}")
            found.add(last)
    assert found > {"first_fit", "dsatur", *rule_search.ORDERS}


def test_a_saved_coloring_names_the_search(tmp_path: Path) -> None:
    G = nx.gnp_random_graph(14, 0.5, seed=0)
    k = lagcolor.color(G, "exact").n_colors
    result = lagcolor.color(G, order="random", seed=0, max_colors=k)
    assert "first_fit + ejection (" in repr(result)
    result.save(tmp_path / "c.json")
    saved = json.loads((tmp_path / "c.json").read_text())
    assert saved["algorithm"] == "first_fit + ejection" and saved["notes"]["tried"][-1]["name"] == "ejection"
    assert saved["n_colors"] == k


@pytest.mark.parametrize("limit", [{}, {"time_limit": 60}])
def test_a_search_without_memory_ends_and_says_so(limit: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def lacks(*_: Any, **__: Any) -> None:
        raise MemoryError("1 byte")

    monkeypatch.setattr(rule_search, "eject", lacks)
    monkeypatch.setattr(rule_search, "PAIRS_LIMITED", 0)
    G = lagcolor.generate.from_spec("uniform:200,30")
    with pytest.raises(lagcolor.ColoringError, match="ejection: out of memory: 1 byte"):
        lagcolor.color(G, max_colors=9, **limit)


def test_reasons() -> None:
    K6 = nx.complete_graph(6)
    with pytest.raises(lagcolor.ColoringError, match="clique of 6 vertices") as caught:
        lagcolor.color(K6, max_colors=5)
    assert sorted(caught.value.partial.tolist()) == [-1, 0, 1, 2, 3, 4]
    assert caught.value.partial.dtype == np.int32
    star = nx.star_graph(3)
    with pytest.raises(lagcolor.ColoringError, match="vertex 0 has no color left") as caught:
        lagcolor.color(star, max_colors=3, fixed={1: 0, 2: 1, 3: 2})
    assert caught.value.partial.tolist() == [-1, 0, 1, 2]
    with pytest.raises(lagcolor.ColoringError, match="no coloring that keeps the rules: an exhaustive search"):
        lagcolor.color(nx.mycielski_graph(4), max_colors=3, fixed={0: 1})
    with pytest.raises(lagcolor.ColoringError, match="no color left"):
        lagcolor.color(star, max_colors=2, forbidden={3: [0, 1]})
    with pytest.raises(lagcolor.ColoringError, match="there is no coloring with 3 colors: an exhaustive search"):
        lagcolor.color(nx.mycielski_graph(4), max_colors=3)  # needs 4, and has no triangle
    with pytest.raises(lagcolor.ColoringError, match=r"no coloring with 5 colors was found: .* unknown") as caught:
        lagcolor.color(nx.mycielski_graph(6), max_colors=5)  # more conflicts prove it
    assert caught.value.reason == UNKNOWN
    assert (caught.value.partial < 0).sum() == 1
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.reason == UNKNOWN and (again.partial == caught.value.partial).all()


def test_neighbors_of_one_color_bar_one_color() -> None:
    """First-fit leaves vertex 2 without a color, and two of its neighbors are fixed to color 0."""
    G = lagcolor.Graph.of((np.array([0, 1, 2, 2]), np.array([1, 2, 3, 4])))
    result = lagcolor.color(G, order="natural", max_colors=2, fixed={3: 0, 4: 0})
    assert result.notes["tried"][0]["uncolored"] == 1 and result.colors.tolist() == [1, 0, 1, 0, 0]
    with_triangle = lagcolor.Graph.of((np.array([0, 1, 2, 2, 5, 6, 7]), np.array([1, 2, 3, 4, 6, 7, 5])))
    with pytest.raises(lagcolor.ColoringError, match="clique of 3 vertices"):
        lagcolor.color(with_triangle, order="natural", max_colors=2, fixed={3: 0, 4: 0})


@given(n=st.integers(1, 16), seed=st.integers(0, 2**32 - 1))
def test_two_colors_are_settled(n: int, seed: int) -> None:
    """Lists and fixed colors on sparse graphs: DSATUR alone knows."""
    r, G = np.random.default_rng(seed), random_graph(n, n, seed)
    near = neighborhoods(G, "distance1")
    rules: dict[str, Any] = {"max_colors": 2, "forbidden": {int(v): [int(r.integers(2))] for v in r.integers(0, n, 2)}}
    try:
        result = color(G, rules)
        assert not faults(near, result.colors.tolist(), rules)
        assert result.notes.get("tried", [{"name": "dsatur"}])[-1]["name"] in ("dsatur", *rule_search.ORDERS)
    except lagcolor.ColoringError as e:
        assert e.reason != UNKNOWN and "looked at" not in e.reason and not exists(near, rules)


def test_classes_that_are_too_small_do_not_count() -> None:
    """Three vertices, and the only classes with room for them come later."""
    rules = {"capacity": [0, 1, 1, 1, 2, 2, 2, 0], "weights": [2, 2, 2]}
    assert Rules.of(Given(**rules), 3, None, "cpu").enough(3) == 8  # type: ignore[union-attr]
    assert sorted(color(lagcolor.generate.clique(3), rules).colors.tolist()) == [4, 5, 6]
    assert sorted(color(lagcolor.generate.clique(3), rules, algorithm="dsatur").colors.tolist()) == [4, 5, 6]


def test_two_colors_of_large_graphs() -> None:
    assert lagcolor.color(lagcolor.generate.from_spec("grid2d:60"), max_colors=2).n_colors == 2
    with pytest.raises(lagcolor.ColoringError, match="with two colors all choices are forced"):
        lagcolor.color(graph("odd cycle"), max_colors=2)


def test_the_graph_of_conflicts_may_be_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    from lagcolor.search.rules import rule_search

    monkeypatch.setattr(rule_search, "MOST", 3)
    for rules, message in (({"max_colors": 2}, "at least 3"), ({"max_colors": 3, "fixed": {0: 0, 3: 1}}, "too large")):
        with pytest.raises(lagcolor.ColoringError, match=message) as caught:
            lagcolor.color(nx.path_graph(5), problem="distance2", **rules)
        assert caught.value.partial.min() == -1


def test_dsatur_with_lists_takes_the_vertex_with_the_fewest_colors_left() -> None:
    """In plain Python: the fewest colors left, then the place in the order; the least color with room."""
    for seed in range(20):
        r = np.random.default_rng(seed)
        n, k = 40, int(r.integers(1, 80))
        G = random_graph(n, 160, seed)
        near = neighborhoods(G, "distance1")
        forbidden = {v: r.integers(0, k, r.integers(0, 6)).tolist() for v in range(n)}
        rules = Rules.of(Given(forbidden=forbidden, max_colors=k, capacity=4), n, None, "cpu")
        assert rules is not None and rules.forbidden is not None
        order, most = r.permutation(n).astype(np.int32), rules.enough(n)
        colors = dsatur_with_rules(G, rules, order, most)
        allowed = [set(range(most)) - set(forbidden[v]) for v in range(n)]
        assert colors.tolist() == dsatur(near, order.tolist(), allowed, capacity=4)


@given(n=st.integers(0, 60), density=st.floats(0, 1), seed=st.integers(0, 2**32 - 1))
def test_dsatur_keeps_rules(n: int, density: float, seed: int) -> None:
    G = random_graph(n, int(density * n * n), seed)
    near = neighborhoods(G, "distance1")
    rules = random_rules(near, seed, "fixed forbidden capacity weights")
    result = color(G, rules, algorithm="dsatur")
    assert result.algorithm == "dsatur" and not faults(near, result.colors.tolist(), rules)
    assert result.verify().n_colors == len(set(result.colors.tolist()))


def test_dsatur_with_many_colors() -> None:
    """Over 64, so that the colors are doubled."""
    G = graph("clique 80 and more")
    result = lagcolor.color(G, "dsatur", fixed={0: 100}, max_colors=110, verify=True)
    assert result.colors[0] == 100 and len(set(result.colors.tolist())) == 80


def test_gaps_of_a_repaired_coloring_are_those_that_rules_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ejection leaves gaps that a vertex could fill, which the verifier reports, and `lower` fills them."""
    monkeypatch.setattr(rule_search, "PAIRS_BEGUN", 0)
    lower, open_before = rule_search.lower, []

    def counted(instance: Any, colors: np.ndarray) -> None:
        before = colors.copy()
        lower(instance, colors)
        open_before.append(not np.array_equal(before, colors))

    monkeypatch.setattr(rule_search, "lower", counted)
    for seed in (4, 10, 20):
        result = color(*planted_among_more_colors(seed))
        assert result.notes["tried"][-1]["name"] == "ejection" and result.verify().ok
    assert {*open_before} == {True, False}, "no seed has a gap to close, or each has"


@pytest.mark.parametrize("engine", [e for e in ENGINES if e != "cpu"])
def test_on_a_gpu_the_same_attempts_are_made(engine: str) -> None:
    for name, k in (("grid", 2), ("odd cycle", 3), ("random sparse", 4)):
        expected = lagcolor.color(graph(name), max_colors=k)
        result = lagcolor.color(graph(name).on("cuda"), max_colors=k)
        assert result.to_numpy().tolist() == expected.colors.tolist()
        assert [row["uncolored"] for row in result.notes.get("tried", [])] == [
            row["uncolored"] for row in expected.notes.get("tried", [])
        ]
    with pytest.raises(lagcolor.ColoringError) as caught:
        lagcolor.color(graph("clique 5").on("cuda"), max_colors=4)
    assert lagcolor.base.device.device_of(caught.value.partial) == corpus.gpu()


def test_all_orders_of_given_rules() -> None:
    """Several orders with rules: the fewest colors, and all keep them."""
    G = graph("rmat")
    rules = {"fixed": [3, *[-1] * (G.n - 1)], "max_colors": 60}
    result = lagcolor.color(G, order=("natural", "largest_first"), **keywords(rules))
    assert result.colors[0] == 3 and result.verify().ok
    each = [lagcolor.color(G, order=order, **keywords(rules)).n_colors for order in ("natural", "largest_first")]
    assert result.n_colors == min(each)
    assert list(itertools.accumulate(each, min))[-1] == result.n_colors


def test_more_conflicts_prove_what_best_proves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mycielski's graph of 47 vertices has no clique of three, and needs six colors."""
    monkeypatch.setattr(rule_search, "CONFLICTS", CONFLICTS)
    G = nx.mycielski_graph(6)
    for effort in ({}, {"quality": "best", "time_limit": 60}):
        with pytest.raises(lagcolor.ColoringError, match="there is no coloring with 5 colors") as caught:
            lagcolor.color(G, max_colors=5, **effort)
        assert caught.value.reason != UNKNOWN
