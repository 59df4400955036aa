"""Rules with quality balanced and best: what all colorings of small graphs say, and limits of the work."""

from __future__ import annotations

import itertools
from typing import Any

import corpus
import numpy as np
import pytest
from corpus import CORPUS, fewer, graph, random_graph
from emulated import ENGINES
from hypothesis import given, settings
from hypothesis import strategies as st
from pauli_cases import strings
from rule_cases import any_rules, color, exists, faults, neighborhoods, sure
from two_hop_cases import random_pattern

import lagcolor
from lagcolor import color_implicit, pauli
from lagcolor.api import color_implicit as computed_edges
from lagcolor.engines.improve.lists.ejection import Ejection
from lagcolor.search.rules import rule_search

PROBLEMS = ("distance1", "distance2", "rows", "columns")
HOW: dict[str, dict[str, Any]] = {
    "balanced": {"quality": "balanced"}, "best": {"quality": "best", "time_limit": 0.01},
    "exact": {"algorithm": "exact"}, "exact, a minute": {"algorithm": "exact", "time_limit": 60},
}  # fmt: skip


@pytest.fixture(autouse=True)
def little_effort(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches for what is not there end soon."""
    monkeypatch.setattr(rule_search, "LEAST_READS", 1 << 16)
    monkeypatch.setattr(rule_search, "CONFLICTS", 1000)


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


@given(
    n=st.integers(0, 7), density=st.floats(0, 0.6), seed=st.integers(0, 2**32 - 1), how=st.sampled_from([*HOW]),
    problem=st.sampled_from(PROBLEMS),
)  # fmt: skip
@settings(max_examples=fewer(150), deadline=None)
def test_any_rules_on_small_graphs(n: int, density: float, seed: int, how: str, problem: str) -> None:
    x, near = case(n, density, seed, problem)
    rules = any_rules(len(near), seed)
    result = sure(x, near, rules, problem=problem, **HOW[how])
    if result is None:
        return
    assert result.n_colors <= color(x, rules, problem=problem, quality="fast").n_colors
    assert how == "best" or result.n_colors == 0 or not exists(near, {**rules, "max_colors": result.n_colors - 1})
    if result.optimal and result.n_used:
        assert not used(near, rules, result.n_used - 1)


def test_balanced_has_the_fewest_colors_of_small_graphs() -> None:
    """Also where one pass has one color more."""
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
    for seed in range(6):
        x, near = case(60, 0.05, seed, problem)
        free = lagcolor.color(x, problem=problem).n_colors
        for rules in ({"max_colors": free}, {"capacity": 9}, {"fixed": {0: 1, 1: 0} if 1 not in near[0] else {0: 1}}):
            first = lagcolor.color(x, problem=problem, **rules)
            found = lagcolor.color(x, problem=problem, quality="balanced", **rules)
            again = lagcolor.color(x, problem=problem, quality="balanced", **rules)
            assert np.array_equal(found.to_numpy(), again.to_numpy())
            assert found.verified and found.n_colors <= first.n_colors
            fewer_colors += found.n_colors < first.n_colors
            most = {**rules, "max_colors": found.n_colors}
            plain = (
                {**most, "fixed": [rules["fixed"].get(v, -1) for v in range(len(near))]} if "fixed" in most else most
            )
            for quality in (None, "balanced", "best"):
                result = lagcolor.color(x, problem=problem, quality=quality, **most)
                assert not faults(near, result.to_numpy().tolist(), plain)
    assert fewer_colors > 2


@pytest.mark.parametrize("name", CORPUS)
def test_corpus(name: str) -> None:
    G = graph(name)
    for rules in ({"capacity": 3}, {"max_colors": G.max_degree + 1}, {"forbidden": {0: [0]} if G.n else {}}):
        one, few = (lagcolor.color(G, quality=quality, **rules) for quality in ("fast", "balanced"))
        assert few.verified and few.n_colors <= one.n_colors
        assert lagcolor.color(G, quality="balanced", balance=True, **rules).verified


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
    assert {row["name"] for row in result.notes["tried"]} >= {"natural", "dsatur", "ejection"}


def test_dsatur_is_for_graphs_that_are_not_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule_search, "ENTRIES", 1)
    result = lagcolor.color(ruled_graph(), forbidden={0: [0]}, quality="balanced")
    assert "dsatur" not in {row["name"] for row in result.notes["tried"]}


def test_best_takes_no_step_that_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule_search, "COST", 1e9)
    result = lagcolor.color(ruled_graph(), forbidden={0: [0]}, quality="best", time_limit=0.2)
    assert {row["name"] for row in result.notes["tried"]} == {"learning", "ejection"}


def test_best_reads_as_much_as_balanced_before_it_learns() -> None:
    """Clause learning takes its turn of 0.25 s, within which a short limit ends."""
    few, best = (lagcolor.color("rgg:12", capacity=200, quality=quality) for quality in ("balanced", "best"))
    assert best.n_colors <= few.n_colors < lagcolor.color("rgg:12", capacity=200).n_colors
    assert "learning" not in {row["name"] for row in best.notes["tried"]}


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
    given_rules = {**rules, "fixed": np.array(rules["fixed"], np.int32)} if "fixed" in rules else rules
    try:
        result = color_implicit(lambda us, vs: M[np.ix_(us, vs)], n, **given_rules, **how)
    except lagcolor.ColoringError:
        assert not exists(near, rules)
        return
    assert not faults(near, result.colors.tolist(), rules) and result.verified
    assert result.rules is not None or not rules
    assert quality is not None or np.array_equal(result.colors, color(G, rules, order="natural").colors)


@pytest.mark.parametrize("commute", ["qubitwise", "general", "anti"])
@pytest.mark.parametrize("quality", [None, "fast", "balanced", "best"])
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
            even = result.notes["balance"]
            reached = sizes.max() - sizes.min() <= 1 or ("balance" in options and sizes.max() <= 1.05 * sizes.min())
            assert even["reached"] == reached
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
    """Also of strings, whose options need the conflict graph."""
    G = random_graph(60, 300, 1)
    for problem in ("distance1", "distance2"):
        for rules in ({"capacity": 9}, {"forbidden": {0: [0]}}, {"max_colors": 40}):
            expected = lagcolor.color(G, problem=problem, quality="balanced", **rules)
            result = lagcolor.color(G.on("cuda"), problem=problem, quality="balanced", **rules)
            assert lagcolor.base.device.device_of(result.colors) == corpus.gpu() and result.verified
            assert result.to_numpy().tolist() == expected.colors.tolist()
    texts = strings(40, 4, 1)
    for options in ({"capacity": 4}, {"balance": True}, {"capacity": 4, "quality": "balanced"}):
        groups = pauli.group(texts, "anti", device="cuda", **options)
        assert lagcolor.base.device.device_of(groups.colors) == corpus.gpu() and groups.verify().ok
        assert groups.to_numpy().tolist() == pauli.group(texts, "anti", **options).colors.tolist()
