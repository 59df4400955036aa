"""Few colors and small capacities: attempts beyond first-fit, against all colorings of small graphs."""

from __future__ import annotations

import itertools
import pickle
from typing import Any

import corpus
import networkx as nx
import numpy as np
import pytest
from corpus import fewer, graph, random_graph
from emulated import ENGINES
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pauli_cases import strings
from rule_cases import any_rules, color, exists, faults, neighborhoods, sure
from two_hop_cases import random_pattern

import lagcolor
from lagcolor import color_implicit, pauli
from lagcolor.api import color_implicit as computed_edges
from lagcolor.engines.exact.dsatur import barred_colors, dsatur_with_rules
from lagcolor.engines.exact.plain import dsatur
from lagcolor.engines.improve.lists import ejection
from lagcolor.engines.improve.lists.ejection import Ejection
from lagcolor.problems.rules import RuleArguments, Rules
from lagcolor.search import rules as rule_search
from lagcolor.search.rules import UNKNOWN

PROBLEMS = ("distance1", "distance2", "rows", "columns")
HOW: dict[str, dict[str, Any]] = {
    "fast": {}, "dsatur": {"algorithm": "dsatur"},
    "balanced": {"quality": "balanced"}, "best": {"quality": "best", "time_limit": 0.01},
    "exact": {"algorithm": "exact"}, "exact, a minute": {"algorithm": "exact", "time_limit": 60},
}  # fmt: skip


def case(n: int, density: float, seed: int, problem: str) -> tuple[Any, list[list[int]]]:
    """An input of a problem, and who constrains each vertex."""
    x: Any = random_graph(n, int(density * n * n), seed)
    if problem in ("rows", "columns"):
        x = random_pattern(n, n + 1, int(density * n * n / 2), seed)
    return x, neighborhoods(x, problem)


def used(near: list[list[int]], rules: dict[str, Any], n_used: int) -> bool:
    """Whether some coloring that keeps the rules has at most `n_used` colors in use: all are looked at."""
    k = max([*rules.get("fixed", []), rules.get("max_colors", len(near)) - 1, len(near)]) + 1
    for some in itertools.combinations(range(k), min(n_used, k)):
        barred = [c for c in range(k + 1) if c not in some]
        lists = {v: [*rules.get("forbidden", {}).get(v, ()), *barred] for v in range(len(near))}
        most = min(rules.get("max_colors", k), k)
        if exists(near, {**rules, "forbidden": lists, "max_colors": most}):
            return True
    return False


@pytest.mark.parametrize("problem", PROBLEMS)
@given(n=st.integers(0, 8), density=st.floats(0, 0.6), seed=st.integers(0, 2**32 - 1), how=st.sampled_from([*HOW]))
@settings(max_examples=fewer(60), deadline=None)
def test_any_rules_on_small_graphs(problem: str, n: int, density: float, seed: int, how: str) -> None:
    assume(how != "dsatur" or problem == "distance1")
    x, near = case(n, density, seed, problem)
    rules = any_rules(len(near), seed)
    result = sure(x, near, rules, problem=problem, **HOW[how])
    if result is None:
        return
    k = result.n_colors
    assert how == "dsatur" or k <= color(x, rules, problem=problem, quality="fast").n_colors
    assert how in ("fast", "best", "dsatur") or k == 0 or not exists(near, {**rules, "max_colors": k - 1})
    if result.optimal and result.n_used:
        assert not used(near, rules, result.n_used - 1)


def test_balanced_has_the_fewest_colors_of_small_graphs() -> None:
    """Balanced finds the fewest colors, also if one pass needs one more."""
    saved = set()
    for seed in range(40):
        G, near = case(9, 0.18, seed, "distance1")
        rules = {"forbidden": {0: [0]}, "capacity": 3}
        few, one = (color(G, rules, quality=quality).n_colors for quality in ("balanced", "fast"))
        assert exists(near, {**rules, "max_colors": few}) and not exists(near, {**rules, "max_colors": few - 1})
        saved.add(one - few)
    assert saved >= {0, 1}


@pytest.mark.parametrize("problem", PROBLEMS)
def test_what_balanced_reaches_passes_as_max_colors(problem: str) -> None:
    """First-fit takes more colors than balanced. `max_colors` of as many is possible, and each quality finds them."""
    fewer_colors = 0
    for seed in range(2):
        x, near = case(60, 0.05, seed, problem)
        free = lagcolor.color(x, problem=problem).n_colors
        for rules in ({"max_colors": free}, {"capacity": 9}, {"fixed": [*[-1] * (len(near) - 1), 1]}):
            first, found = (color(x, rules, problem=problem, quality=quality) for quality in (None, "balanced"))
            assert found.n_colors <= first.n_colors
            fewer_colors += found.n_colors < first.n_colors
            most = {**rules, "max_colors": found.n_colors}
            for quality in (None, "balanced", "best"):
                result = color(x, most, problem=problem, quality=quality)
                assert not faults(near, result.to_numpy().tolist(), most)
    assert fewer_colors


def ruled_graph() -> lagcolor.Graph:
    """A graph on which attempts save several colors of first-fit."""
    return random_graph(300, 3000, 1)


def test_the_work_is_limited_by_entries_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read, run = list[int](), Ejection.run

    def counted(self: Ejection, *limits: Any) -> Any:
        colors = run(self, *limits)
        read.append(self.read)
        return colors

    G = ruled_graph()
    monkeypatch.setattr(Ejection, "run", counted)
    monkeypatch.setattr(rule_search, "LEAST_FEWER", 1)
    monkeypatch.setattr(rule_search, "FEWER_READS", 200)
    result = lagcolor.color(G, forbidden={0: [0]}, quality="balanced")
    assert len(read) > 1 and sum(read) < rule_search.FEWER_READS * G.m + 64 * G.n
    assert result.n_colors < lagcolor.color(G, forbidden={0: [0]}).n_colors


def test_best_has_no_more_colors_than_balanced() -> None:
    """Clause learning takes its turn of 0.25 s, within which a short limit ends."""
    few, best = (lagcolor.color("rgg:11", capacity=200, quality=quality) for quality in ("balanced", "best"))
    assert best.n_colors <= few.n_colors < lagcolor.color("rgg:11", capacity=200).n_colors


def test_capacities_bound_the_number_of_colors() -> None:
    for rules in ({"capacity": 5}, {"capacity": [5] * 4}, {"weights": [0.1] * 16, "capacity": 0.5}):
        result = lagcolor.color("grid2d:4", quality="fast", **rules)
        assert (result.n_colors, result.lower_bound, result.certificate.kind) == (4, 4, None)


def test_a_proof_of_the_lowest_largest_color_is_noted() -> None:
    """A path of three colors in its lists needs the third one; with two it is not proved in vain."""
    path = lagcolor.generate.path(3)
    result = lagcolor.color(path, allowed={0: [0], 1: [1, 2], 2: [1, 2]}, quality="balanced")
    assert result.n_colors == 3 and result.notes["fewest"] is True
    assert "fewest" not in lagcolor.color(path, allowed={0: [0], 1: [1, 2], 2: [1, 2]}).notes


def test_a_graph_of_conflicts_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule_search, "PAIRS", 10)
    G = ruled_graph()
    result = lagcolor.color(G, problem="distance2", capacity=9, quality="balanced")
    assert result.notes["quality"].startswith("no attempts at fewer colors")
    assert np.array_equal(result.colors, lagcolor.color(G, problem="distance2", capacity=9).colors)


@pytest.mark.parametrize(("error", "note"), [(KeyboardInterrupt, "interrupted"), (MemoryError, "memory")])
def test_what_is_found_stays(monkeypatch: pytest.MonkeyPatch, error: type[BaseException], note: str) -> None:
    def stop(*_: object) -> None:
        raise error

    monkeypatch.setattr(Ejection, "run", stop)
    result = lagcolor.color(ruled_graph(), forbidden={0: [0]}, quality="balanced")
    assert result.notes[note] and result.verify().ok


def test_fallback_to_one_pass_is_noted() -> None:
    """Two colors of a graph with sides of different sizes cannot be even. One more, or the colors of one pass, can."""
    found = set()
    for seed in range(30):
        r = np.random.default_rng(seed)
        ids = r.permutation(42)
        G = lagcolor.Graph.of((ids[r.integers(0, 12, 45)], ids[r.integers(12, 42, 45)]), n=42)
        result = lagcolor.color(G, balance=True)
        one, few = lagcolor.color(G, quality="fast", balance=True), lagcolor.color(G, quality="balanced", balance=True)
        balance, falls_back = result.notes["balance"], "quality" in result.notes["balance"]
        if balance.get("added"):
            assert balance["reached"] and not few.notes["balance"]["reached"]
            assert result.n_colors == few.n_colors + 1
            found.add("one more")
            continue
        assert falls_back == (one.notes["balance"]["reached"] and not few.notes["balance"]["reached"])
        assert np.array_equal(result.colors, one.colors if falls_back else few.colors)
        found.add(falls_back)
    assert {"one more", False} <= found


# ---- computed edges --------------------------------------------------------------------------------------------------


@given(
    n=st.integers(0, 8), density=st.floats(0, 0.5), seed=st.integers(0, 2**32 - 1),
    quality=st.sampled_from([None, "balanced", "best"]), batch=st.integers(1, 9),
)  # fmt: skip
@settings(max_examples=fewer(80), deadline=None)
def test_any_rules_of_computed_edges(n: int, density: float, seed: int, quality: str | None, batch: int) -> None:
    G, near = case(n, density, seed, "distance1")
    rules, M = any_rules(n, seed), np.zeros((n, n), bool)
    for v, us in enumerate(near):
        M[v, us] = True
    how: dict[str, Any] = {"quality": quality, "batch": batch, **HOW.get(quality or "", {})}
    passed_rules = {**rules, "fixed": np.array(rules["fixed"], np.int32)} if "fixed" in rules else rules
    try:
        result = color_implicit(lambda us, vs: M[np.ix_(us, vs)], n, **passed_rules, **how)
    except lagcolor.ColoringError:
        assert not exists(near, rules)
        return
    assert not faults(near, result.colors.tolist(), rules) and result.verified
    assert result.rules is not None or not rules
    assert quality is not None or np.array_equal(result.colors, color(G, rules, order="natural").colors)


@pytest.mark.parametrize(("commute", "quality"), [("qubitwise", None), ("general", "balanced"), ("anti", "best")])
def test_rules_and_balance_of_groups(commute: str, quality: str | None) -> None:
    P = pauli.two_body(4)
    how: dict[str, Any] = {"quality": quality, "time_limit": 0.1 if quality == "best" else None}
    free = pauli.group(P, commute, **how)
    for options in ({"capacity": 5}, {"max_colors": free.n_groups}, {"balance": True}, {"equitable": True}):
        result = pauli.group(P, commute, **how, **options)
        assert result.verify().ok
        sizes = result.class_sizes
        assert max(sizes) <= options.get("capacity", P.n)
        assert result.n_groups <= options.get("max_colors", P.n)
        if options.keys() & {"balance", "equitable"}:
            reached = sizes.max() - sizes.min() <= 1 or ("balance" in options and sizes.max() <= 1.05 * sizes.min())
            assert result.notes["balance"]["reached"] == reached
    with pytest.raises(lagcolor.ColoringError) as e:
        pauli.group(P, commute, max_colors=1, **how)
    assert e.value.partial is not None and e.value.reason


def test_the_check_of_groups_looks_at_rules() -> None:
    P = pauli.two_body(4)
    for options, fault in (
        ({"capacity": 5}, "over capacity"),
        ({"balance": True}, "not balanced"),
        ({"fixed": {0: 2}}, "fixed"),
    ):
        result = pauli.group(P, "general", **options)
        free = pauli.group(P, "general", quality="fast")
        assert free.class_sizes.max() > 1.05 * free.class_sizes.min() + 1
        result.colors = free.colors
        with pytest.raises(lagcolor.ColoringError, match=fault):
            result.verify()


@pytest.mark.parametrize("quality", ["fast", "balanced"])
def test_a_conflict_graph_that_is_too_large(quality: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(computed_edges.BYTES, "balanced", 8)
    for call in (
        lambda **how: pauli.group(pauli.two_body(3), "general", **how),
        lambda **how: color_implicit(lambda us, vs: us[:, None] != vs[None, :], 9, **how),
    ):
        assert call(quality=quality).verified
        with pytest.raises(lagcolor.OptionError, match="max_colors, balance: the conflict graph takes over 8 bytes"):
            call(quality=quality, balance=True, max_colors=99)
        assert call(quality="best", time_limit=0.1, balance=True, max_colors=99).verified  # as the error says


# ---- on a GPU --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", [e for e in ENGINES if e != "cpu"])
def test_the_same_colors_on_a_gpu(engine: str) -> None:
    """Colors are equal on a GPU, also for Pauli strings, whose options need the conflict graph."""
    G = random_graph(60, 300, 1)
    for problem in ("distance1", "distance2"):
        for rules in ({"capacity": 9}, {"forbidden": {0: [0]}}, {"max_colors": 40}):
            expected = lagcolor.color(G, problem=problem, quality="balanced", **rules)
            result = lagcolor.color(G.on("cuda"), problem=problem, quality="balanced", **rules)
            assert lagcolor.base.device.device_of(result.colors) == corpus.gpu() and result.verified
            assert result.to_numpy().tolist() == expected.colors.tolist()
    with pytest.raises(lagcolor.ColoringError) as caught:
        lagcolor.color(graph("clique 5").on("cuda"), max_colors=4)
    assert lagcolor.base.device.device_of(caught.value.partial) == corpus.gpu()
    texts = strings(40, 4, 1)
    for options in ({"capacity": 4}, {"balance": True}, {"capacity": 4, "quality": "balanced"}):
        groups = pauli.group(texts, "anti", device="cuda", **options)
        assert lagcolor.base.device.device_of(groups.colors) == corpus.gpu() and groups.verify().ok
        assert groups.to_numpy().tolist() == pauli.group(texts, "anti", **options).colors.tolist()


CONFLICTS = rule_search.CONFLICTS


@pytest.fixture(autouse=True)
def little_effort(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches for what is not there end soon."""
    monkeypatch.setattr(rule_search, "LEAST_READS", 1 << 16)
    monkeypatch.setattr(rule_search, "CONFLICTS", 1000)


def planted(k: int, seed: int) -> tuple[lagcolor.Graph, dict[str, Any]]:
    """A random graph with a known coloring of k colors, some of its colors fixed and others forbidden."""
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
    """A planted coloring with 4 colors; every fifteenth vertex may also take 16 other colors."""
    G, rules = planted(4, seed)
    others = {v: range(4, 20) for v in range(G.n) if v % 15}
    forbidden = {v: [*rules["forbidden"].get(v, []), *others.get(v, [])] for v in range(G.n)}
    return G, {**rules, "forbidden": forbidden, "max_colors": 20}


def test_planted_colorings_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ejection has the same colors in slices."""
    monkeypatch.setattr(rule_search, "PAIRS_BEGUN", 0)
    last = set()
    for seed in range(10, 18):
        G, rules = planted(4 + seed % 3, seed)
        result = color(G, rules)
        assert not faults(neighborhoods(G, "distance1"), result.colors.tolist(), rules)
        assert result.n_colors <= rules["max_colors"] and result.verify().ok
        last.add(result.notes.get("tried", [{"name": ""}])[-1]["name"])
        with monkeypatch.context() as patch:
            patch.setattr(ejection, "SLICE", 200)
            assert np.array_equal(color(G, rules).colors, result.colors)
    assert "ejection" in last, "no seed needed it"


def test_ejection_goes_by_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal seeds give equal colors, and two seeds give different colors. First-fit in this order reads no seed."""
    monkeypatch.setattr(rule_search, "PAIRS_BEGUN", 0)
    G, rules = planted_among_more_colors(12)
    results = [color(G, rules, order="natural", seed=seed) for seed in (1, 1, 2)]
    assert all(result.algorithm == "first_fit + ejection" for result in results)
    assert np.array_equal(results[0].colors, results[1].colors)
    assert not np.array_equal(results[0].colors, results[2].colors)


@pytest.mark.parametrize("k", [7, 64, 65])
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


def test_two_colors_of_little_capacity_are_found() -> None:
    """Two stars of four vertices, and four vertices per class: DSATUR fails, which proves nothing."""
    stars = nx.disjoint_union(nx.star_graph(3), nx.star_graph(3))
    result = lagcolor.color(stars, max_colors=2, capacity=4)
    assert result.class_sizes.tolist() == [4, 4] and result.verify().ok


def test_space_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes that are all but full, so that vertices must change places."""
    monkeypatch.setattr(rule_search, "PAIRS_BEGUN", 0)
    last = set()
    for seed in range(6, 12):
        G, weights = random_graph(60, 200, seed), np.random.default_rng(seed).integers(1, 6, 60)
        capacity = -(-int(weights.sum()) // 6)
        rules = {"capacity": capacity, "weights": weights.tolist(), "max_colors": 6}
        result = color(G, rules)
        assert not faults(neighborhoods(G, "distance1"), result.colors.tolist(), rules)
        assert result.class_weights.max() <= capacity and result.class_weights.sum() == weights.sum()
        last.add(result.notes.get("tried", [{"name": ""}])[-1]["name"])
    assert "ejection" in last, "no seed needed it"


def test_a_search_without_memory_ends_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def lacks(*_: Any, **__: Any) -> None:
        raise MemoryError("1 byte")

    monkeypatch.setattr(rule_search, "eject", lacks)
    monkeypatch.setattr(rule_search, "PAIRS_LIMITED", 0)
    G = lagcolor.generate.from_spec("uniform:200,30")
    with pytest.raises(lagcolor.ColoringError, match="ejection: out of memory: 1 byte"):
        lagcolor.color(G, max_colors=9)


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


def test_classes_that_are_too_small_do_not_count() -> None:
    """Three vertices, and the only classes with enough capacity come later."""
    rules = {"capacity": [0, 1, 1, 1, 2, 2, 2, 0], "weights": [2, 2, 2]}
    for how in ({}, {"algorithm": "dsatur"}):
        assert sorted(color(lagcolor.generate.clique(3), rules, **how).colors.tolist()) == [4, 5, 6]


@pytest.mark.parametrize("algorithm", ["first_fit", "dsatur", "exact"])
def test_lists_may_need_more_colors_than_vertices(algorithm: str) -> None:
    result = lagcolor.color(lagcolor.generate.path(2), algorithm, forbidden={0: [0, 1], 1: [0, 1, 2]})
    assert sorted(result.colors.tolist()) == [2, 3]


def test_two_colors_of_large_graphs() -> None:
    assert lagcolor.color(lagcolor.generate.from_spec("grid2d:60"), max_colors=2).n_colors == 2
    with pytest.raises(lagcolor.ColoringError, match="with two colors all choices are forced"):
        lagcolor.color(graph("odd cycle"), max_colors=2)


def test_the_graph_of_conflicts_may_be_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule_search, "MOST", 3)
    for rules, message in (({"max_colors": 2}, "at least 3"), ({"max_colors": 3, "fixed": {0: 0, 3: 1}}, "too large")):
        with pytest.raises(lagcolor.ColoringError, match=message) as caught:
            lagcolor.color(nx.path_graph(5), problem="distance2", **rules)
        assert caught.value.partial.min() == -1


def test_dsatur_with_lists_takes_the_vertex_with_the_fewest_colors_left() -> None:
    """In plain Python: the fewest colors left, then the place in the order; the least color with capacity left."""
    for seed in (0, 9, 11, 14):  # of 68, 34, 11 and 12 colors
        r = np.random.default_rng(seed)
        n, k = 40, int(r.integers(1, 80))
        G = random_graph(n, 160, seed)
        near = neighborhoods(G, "distance1")
        forbidden = {v: r.integers(0, k, r.integers(0, 6)).tolist() for v in range(n)}
        rules = Rules.of(RuleArguments(forbidden=forbidden, max_colors=k, capacity=4), n, None, "cpu")
        assert rules is not None and rules.forbidden is not None
        order, most = r.permutation(n).astype(np.int32), rules.enough(n)
        colors = dsatur_with_rules(G, rules, order, most)
        allowed = [set(range(most)) - set(forbidden[v]) for v in range(n)]
        assert colors.tolist() == dsatur(near, order.tolist(), allowed, capacity=4)


def test_dsatur_with_many_colors() -> None:
    """Over 64, so that the colors are doubled."""
    G = graph("clique 80 and more")
    result = lagcolor.color(G, "dsatur", fixed={0: 100}, max_colors=110, verify=True)
    assert result.colors[0] == 100 and len(set(result.colors.tolist())) == 80


def test_gaps_of_a_repaired_coloring_come_from_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ejection leaves gaps that a vertex could fill, which the verifier reports. They are filled."""
    monkeypatch.setattr(rule_search, "PAIRS_BEGUN", 0)
    for seed in (4, 10, 20):
        result = color(*planted_among_more_colors(seed))
        assert result.notes["tried"][-1]["name"] == "ejection" and result.verify().ok


def test_more_conflicts_prove_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mycielski's graph of 47 vertices has no clique of three, and needs six colors."""
    monkeypatch.setattr(rule_search, "CONFLICTS", CONFLICTS)
    with pytest.raises(lagcolor.ColoringError, match="there is no coloring with 5 colors") as caught:
        lagcolor.color(nx.mycielski_graph(6), max_colors=5)
    assert caught.value.reason != UNKNOWN
