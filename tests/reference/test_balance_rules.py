"""Balanced and equitable colorings with rules: colors in use, gaps, large colors, and the check of all of it."""

from __future__ import annotations

import itertools
import json
from typing import Any

import networkx as nx
import numpy as np
import pytest
from emulated import ENGINES
from hypothesis import example, given, settings
from hypothesis import strategies as st

import lagcolor
from lagcolor.engines.balance.in_use import fill
from lagcolor.engines.balance.scheduled import Allowed
from lagcolor.problems.balance import balance_of
from lagcolor.search.rules import UNKNOWN

LARGEST = 2**31 - 2
TWO_EDGES = {0: [3], 1: [2], 2: [], 3: [], 4: []}
LISTS = {0: [3], 1: [1], 3: [1], 4: [1]}


def some_rules(r: np.random.Generator, n: int) -> dict[str, Any]:
    """Some of the rules, which may contradict each other."""
    out: dict[str, Any] = {}
    if r.random() < 0.5:
        out["fixed"] = {int(v): int(r.integers(0, 8)) for v in r.integers(0, n, 3)}
    if r.random() < 0.5:
        out["forbidden"] = {v: np.unique(r.integers(0, 6, 3)).tolist() for v in range(n) if r.random() < 0.6}
    if r.random() < 0.4:
        out["max_colors"] = int(r.integers(1, 12))
    if r.random() < 0.3:
        out["capacity"] = float(r.integers(1, 8))
    return out


def is_possible(G: lagcolor.Graph, rules: dict[str, Any]) -> bool:
    """Whether an equitable coloring with `max_colors` classes keeps the rules, by trying all colorings."""
    near, most = [G.indices[a:b].tolist() for a, b in itertools.pairwise(G.indptr)], rules["max_colors"]
    size, larger = divmod(G.n, most)
    fixed, forbidden, colors, sizes = rules.get("fixed", {}), rules.get("forbidden", {}), [-1] * G.n, [0] * most

    def go(v: int) -> bool:
        if v == G.n:
            return True
        for c in [fixed[v]] if v in fixed else range(most):
            room = sizes[c] < size or (sizes[c] == size and sum(s > size for s in sizes) < larger)
            if room and c not in forbidden.get(v, ()) and all(colors[u] != c for u in near[v]):
                colors[v] = c
                sizes[c] += 1
                if go(v + 1):
                    return True
                sizes[c] -= 1
                colors[v] = -1
        return False

    return go(0)


@settings(max_examples=100)
@given(st.integers(0, 2**31))
@example(524288)  # two of six vertices are fixed to one of ten colors
@example(86140)  # a class is full before its vertices are chosen, and the search must notice it
@example(1539660)  # a vertex may take none of the colors under the number of vertices
def test_any_rules(seed: int) -> None:
    """The verifier accepts it, no color comes into use or goes out of it, and classes are no less even.

    With `max_colors`, equitable colorings may use other colors, and one is found if any exists. Rules that no coloring
    keeps raise the same error with and without balance.
    """
    r = np.random.default_rng(seed)
    n, m = int(r.integers(1, 10)), int(r.integers(0, 18))
    G = lagcolor.Graph.of((r.integers(0, n, m), r.integers(0, n, m)), n=n)
    rules = some_rules(r, n)
    how: dict[str, Any] = {"equitable": True} if r.random() < 0.5 else {"balance": float(r.choice([1, 1.05, 1.5]))}
    if "balance" in how and r.random() < 0.4:
        rules["weights"] = r.integers(0, 4, n) if r.random() < 0.5 else r.random(n)
    try:
        plain = lagcolor.color(G, **rules)
    except lagcolor.ColoringError as e:
        with pytest.raises(lagcolor.ColoringError) as caught:
            lagcolor.color(G, **rules, **how)
        assert caught.value.reason == e.reason != UNKNOWN
        return
    result = lagcolor.color(G, **rules, **how)
    assert result.verified
    lagcolor.verify(G, result.colors, **rules)
    used, note = len(np.unique(result.colors)), result.notes["balance"]
    assert result.notes.get("gaps", 0) == result.n_colors - used
    if note.keys() & {"quality", "added"}:  # the classes of one pass, which may be more, or one more class
        assert result.n_colors > plain.n_colors and note["reached"]
    elif "balance" in how or "max_colors" not in rules:
        assert set(result.colors.tolist()) == set(plain.colors.tolist())
        before, after = (balance_of(c, weights=rules.get("weights"), in_use=True) for c in (plain, result))
        assert after.largest[1] <= before.largest[1] + 1e-9
        assert after.smallest[1] >= before.smallest[1] - 1e-9
    else:
        sizes = balance_of(result, min(rules["max_colors"], n), in_use=True)
        assert note["reached"] == sizes.is_equitable == is_possible(G, rules)
        if note["reached"] or max(rules.get("fixed", {}).values(), default=0) < n:  # else not all classes are looked at
            assert note["reached"] != note.get("none_exists", False)


def test_lists_bring_colors_over_the_number_of_vertices_into_use() -> None:
    """Neither of two vertices may take color 0, so they take colors 1 and 2."""
    result = lagcolor.equitable(nx.empty_graph(2), 3, forbidden={0: [0], 1: [0]})
    assert sorted(result.colors.tolist()) == [1, 2]
    assert result.notes["balance"]["reached"] and result.notes["balance"]["after"] == 1.0
    with pytest.raises(lagcolor.ColoringError) as caught:
        lagcolor.equitable(nx.empty_graph(2), 3, forbidden={0: [0, 2], 1: [0, 2]})
    assert caught.value.reason == "an exhaustive search found that none is equitable"


@pytest.mark.parametrize("engine", ENGINES)
def test_no_vertex_leaves_a_gap_that_it_could_fill(engine: str) -> None:
    device = "cpu" if engine == "cpu" else "cuda"
    result = lagcolor.color(nx.empty_graph(4), fixed={0: 3, 2: 3}, balance=True, device=device)
    assert result.to_numpy().tolist() == [3, 0, 3, 0]
    result = lagcolor.color(TWO_EDGES, max_colors=5, forbidden=LISTS, equitable=True, device=device)
    assert sorted(result.to_numpy().tolist()) == [0, 1, 2, 3, 4]
    # Below the gap at 2, colors 0 and 1 are balanced; the one at 5 is fixed, and so is one of color 0.
    G = nx.empty_graph(20)
    G.add_edge(0, 1)
    result = lagcolor.color(G, fixed={19: 5, 18: 0}, balance=True, device=device)
    assert np.bincount(result.to_numpy()).tolist() == [10, 9, 0, 0, 0, 1]
    assert result.notes["gaps"] == 3
    json.dumps(result.provenance())  # of plain types alone
    assert not result.notes["balance"]["reached"]
    # Nobody could take color 0, which is no bound.
    G = lagcolor.generate.grid2d(6)
    free = lagcolor.color(G, forbidden={v: [0] for v in range(G.n)}, balance=1, device=device)
    assert free.notes["gaps"] == 1 and free.notes["balance"]["reached"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("how", [{"balance": True}, {"equitable": True}])
def test_a_large_fixed_color(how: dict[str, Any], engine: str) -> None:
    device = "cpu" if engine == "cpu" else "cuda"
    G = nx.path_graph(9)
    result = lagcolor.color(G, fixed={0: LARGEST}, device=device, **how)
    assert result.to_numpy()[0] == LARGEST
    assert result.notes["balance"]["after"] == 4.0
    limited = lagcolor.color(G, fixed={0: LARGEST}, max_colors=LARGEST + 1, device=device, **how)
    assert limited.verified
    again = lagcolor.balance(G, lagcolor.color(G, fixed={0: LARGEST}), device=device)
    assert again.notes["balance"]["after"] == 4.0


def test_sizes_of_large_colors_are_refused() -> None:
    result = lagcolor.color(nx.path_graph(5), fixed={0: LARGEST}, weights=np.ones(5))
    for what in ("class_sizes", "class_weights"):
        with pytest.raises(lagcolor.ColoringError, match=r"an entry for each of 2,147,483,647 colors.*numpy\.unique"):
            getattr(result, what)
    with pytest.raises(lagcolor.ColoringError, match="groups has an entry"):
        result.groups()


def test_gaps_are_filled() -> None:
    assert fill(np.array([0, 3, 4, 4, 7], np.int32), Allowed()).tolist() == [0, 3, 1, 2, 4]
    assert fill(np.array([0, *[100] * 6], np.int32), Allowed()).tolist() == [0, 1, 2, 3, 4, 5, 6]
    kept = Allowed(np.array([True, False, True, True, True]))
    assert fill(np.array([0, 3, 4, 4, 7], np.int32), kept).tolist() == [0, 1, 4, 4, 7]
    lists = Allowed(None, (np.array([0, 0, 0, 1, 2, 4]), np.array([1, 1, 1, 2], np.int32)))
    assert fill(np.array([0, 3, 4, 4, 7], np.int32), lists).tolist() == [0, 1, 2, 3, 4]


def test_verify_checks_how_even_classes_are() -> None:
    G = lagcolor.generate.stencil27(9)
    plain, even = lagcolor.color(G, quality="fast"), lagcolor.color(G, equitable=True)
    assert lagcolor.verify(G, even, balance=1.05, equitable=True).ok
    with pytest.raises(lagcolor.ColoringError, match=r"not equitable: color 7 has 85 and color 14 has 2"):
        lagcolor.verify(G, plain, equitable=True)
    report = lagcolor.verify(G, plain, balance=1.5, equitable=True, errors="return")
    assert "more than 1.5 times as many" in report.problems()[0] and len(report.problems()) == 2
    five = nx.empty_graph(5)  # weights and max_colors count
    assert lagcolor.verify(five, [0, 1, 1, 1, 1], balance=1.0, weights=[4, 1, 1, 1, 1]).ok
    with pytest.raises(lagcolor.ColoringError, match="color 1 has 4 and color 2 has 0"):
        lagcolor.verify(five, [0, 1, 1, 1, 1], equitable=True, max_colors=3)
    with pytest.raises(lagcolor.ColoringError, match="color 1 has 4 and color 0 has 1"):
        lagcolor.verify(five, [0, 1, 1, 1, 1], equitable=True)
    assert lagcolor.verify(five, [0, 9, 9, 0, 0], fixed={1: 9, 2: 9}, equitable=True).ok


@pytest.mark.parametrize("how", [{"balance": 1.2}, {"equitable": True}])
def test_a_result_is_held_to_what_it_says(how: dict[str, Any]) -> None:
    G = lagcolor.generate.stencil27(9)
    result = lagcolor.color(G, quality="fast", **how)
    assert result.verify().ok
    result.colors = lagcolor.color(G, quality="fast").colors
    with pytest.raises(lagcolor.ColoringError, match=r"not (equitable|balanced): color 7 has 85"):
        result.verify()
    result.notes["balance"]["reached"] = False
    assert result.verify().ok
