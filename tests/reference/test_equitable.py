"""Equitable colorings, and balance by Kempe chains: every class within one vertex of the others where that can be."""

from __future__ import annotations

import itertools
from typing import Any

import networkx as nx
import numpy as np
import pytest
from corpus import CORPUS, graph
from emulated import ENGINES
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.engines.balance import chains
from lagcolor.engines.balance import equitable as module
from lagcolor.engines.balance.equitable import _State, equitable
from lagcolor.engines.balance.scheduled import Allowed, scaled
from lagcolor.problems.balance import balance_of

SMALL = [name for name in CORPUS if CORPUS[name][0] <= 300]


def check(G: lagcolor.Graph, colors: Any, k: int) -> None:
    """Proper with colors below k, no two of k classes differing by more than one."""
    colors = np.asarray(colors)
    if G.n:
        assert lagcolor.verify(G, colors, errors="return").n_conflicts == 0
        assert colors.min() >= 0
    assert balance_of(colors, k).is_equitable


@pytest.mark.parametrize("name", SMALL)
def test_one_more_than_the_largest_degree(name: str) -> None:
    G = graph(name)
    k = G.max_degree + (G.n > 0)
    check(G, equitable(G, lagcolor.color(G).colors, k), k)
    for more in (0, 1, 5):
        result = lagcolor.equitable(G, k + more)
        check(G, result.colors, min(k + more, G.n))
        assert result.notes["balance"]["reached"]
    assert lagcolor.equitable(G).n_colors == min(k, G.n)


def saturated(seed: int) -> tuple[lagcolor.Graph, np.ndarray, int]:
    """Nearly equal classes, class 0 one too small and the last one too large, with as many edges as degrees below k
    let.

    Pairs between some first classes and the others come first, and of those the ones that a vertex has no neighbor of
    yet: few vertices are movable.
    """
    r = np.random.default_rng(seed)
    k, size = int(r.integers(3, 8)), int(r.integers(2, 5))
    colors = np.repeat(np.arange(k), size)
    colors[0] = k - 1
    split = int(r.integers(1, k))
    pairs = [(a, b) for a in range(k * size) for b in range(a) if colors[a] != colors[b]]
    pairs.sort(key=lambda p: ((colors[p[0]] < split) == (colors[p[1]] < split)) + r.random() * 1.05)
    degree, seen, edges = np.zeros(k * size, int), np.zeros((k * size, k), bool), {}
    for second in (False, True):
        for a, b in pairs:
            new = second or not (seen[a, colors[b]] and seen[b, colors[a]])
            if new and (a, b) not in edges and max(degree[a], degree[b]) < k - 1:
                edges[a, b] = True
                degree[[a, b]] += 1
                seen[a, colors[b]] = seen[b, colors[a]] = True
    u, v = (np.array([e[i] for e in edges], int) for i in (0, 1))
    return lagcolor.Graph.of((u, v), n=k * size), colors.astype(np.int32), k


def test_where_the_large_class_does_not_reach_the_small_one(monkeypatch: pytest.MonkeyPatch) -> None:
    most = 0
    for first in (False, True):
        monkeypatch.setattr(module, "PAIRS_FIRST", first)
        for seed in range(500):
            G, colors, k = saturated(seed)
            state = _State(G, colors, k)
            most = max(most, state.settle(0, k - 1))
            check(G, state.colors, k)
    assert most > 2


@given(st.integers(0, 2**31))
def test_from_any_coloring(seed: int) -> None:
    """All vertices get their edges back one by one, in classes that know nothing of them."""
    r = np.random.default_rng(seed)
    n, m = int(r.integers(1, 30)), int(r.integers(0, 60))
    G = lagcolor.Graph.of((r.integers(0, n, m), r.integers(0, n, m)), n=n)
    k = G.max_degree + 1 + int(r.integers(0, 3))
    state = _State(G, np.arange(n, dtype=np.int32) % k, k)
    state.seat()
    state.lazy[:n] = True
    for v in r.permutation(n).tolist():
        state.add(v)
    check(G, state.colors[:n], k)


def exists(G: nx.Graph, k: int) -> bool:
    """Whether there is an equitable coloring with k colors, by trying all."""
    low, more = divmod(len(G), k)
    sizes = [low + (c < more) for c in range(k)]
    for colors in itertools.product(range(k), repeat=len(G)):
        even = sorted(colors.count(c) for c in range(k)) == sorted(sizes)
        if even and all(colors[a] != colors[b] for a, b in G.edges):
            return True
    return False


def test_fewer_colors_than_are_sure() -> None:
    """Found, or an error that carries a coloring; never one of what does not exist."""
    found = 0
    cases = [(nx.complete_bipartite_graph(3, 3), 3), (nx.complete_bipartite_graph(3, 3), 2), (nx.star_graph(5), 3)]
    cases += [(nx.gnp_random_graph(7, 0.5, seed=s), 3) for s in range(12)]
    for H, k in cases:
        try:
            result = lagcolor.equitable(H, k)
            check(lagcolor.Graph.of(H), result.colors, k)
            assert exists(H, k)
            found += 1
        except lagcolor.ColoringError as e:
            assert not exists(H, k)
            if (e.partial >= 0).all():
                assert balance_of(e.partial, k).difference > 1
                assert "partial" in str(e)
    assert found >= 5
    with pytest.raises(lagcolor.ColoringError, match=r"3 colors was found: classes differ by 2.*n_colors ≥ Δ \+ 1 = 4"):
        lagcolor.equitable(*cases[0])
    with pytest.raises(lagcolor.OptionError, match=r"sure for max_colors ≥ Δ \+ 1 = 4, not for 3"):
        equitable(lagcolor.Graph.of(cases[0][0]), np.repeat([0, 1], 3).astype(np.int32), 3)


def test_a_search_settles_what_chains_do_not() -> None:
    H = nx.Graph([(0, 1), (0, 3), (0, 5), (1, 4), (2, 5), (3, 4), (4, 5)])
    check(lagcolor.Graph.of(H), lagcolor.equitable(H, 3).colors, 3)
    settled = {True: 0, False: 0}
    for seed in range(60):
        H = nx.gnm_random_graph(7, 10, seed=seed)
        for more in ({}, {"fixed": {0: 1}}, {"forbidden": {1: [0], 2: [0, 2]}}):
            try:
                plain = lagcolor.color(H, max_colors=3, **more)
            except lagcolor.ColoringError:
                continue
            result = lagcolor.color(H, max_colors=3, equitable=True, **more)
            note = result.notes["balance"]
            assert note["reached"] != note.get("none_exists", False)
            if not more:
                assert note["reached"] == exists(H, 3)
            settled[note["reached"]] += 1
            assert plain.n_colors <= 3
    assert min(settled.values()) > 5
    with pytest.raises(lagcolor.ColoringError) as e:
        lagcolor.equitable(nx.star_graph(5), 3)
    assert e.value.reason == "an exhaustive search found that none is equitable"


def test_too_many_fixed_vertices_in_a_class_end_the_search() -> None:
    result = lagcolor.color(nx.empty_graph(3), max_colors=3, fixed={0: 0, 1: 0}, equitable=True)
    assert not result.notes["balance"]["reached"] and result.notes["balance"]["none_exists"]
    result = lagcolor.color(nx.empty_graph(4), max_colors=3, fixed={0: 0, 1: 0}, equitable=True)
    assert result.notes["balance"]["reached"] and sorted(result.class_sizes.tolist()) == [1, 1, 2]


def test_a_search_that_is_cut_short_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that reads one entry, or none on a large graph, cannot tell whether an equitable coloring exists."""
    cases = [(nx.complete_bipartite_graph(3, 3), 3), (nx.star_graph(5), 3)]
    for name, value in (("CONFLICTS", 0), ("SMALL", 17)):
        with monkeypatch.context() as changed:
            changed.setattr(module, name, value)
            for H, k in cases:
                assert not exists(H, k)
                with pytest.raises(lagcolor.ColoringError) as e:
                    lagcolor.equitable(H, k)
                assert e.value.reason == "none was found within the effort; whether there is one is unknown"
    even = np.array([0, 0, 1, 1, 2, 2], np.int32)
    G = lagcolor.Graph.of(nx.cycle_graph(6))
    monkeypatch.setattr(module, "SMALL", 18)
    assert module.search_equitable(G, even, 3, Allowed()) is not None
    monkeypatch.setattr(module, "SMALL", 17)
    assert module.search_equitable(G, even, 3, Allowed()) is None


def test_swaps_where_no_vertex_can_move() -> None:
    """Stars, all hubs in one class: only swapping the two colors of some evens them out."""
    H = nx.disjoint_union_all([nx.star_graph(5)] * 10)
    G = lagcolor.Graph.of(H)
    colors = np.array([0 if H.degree[v] == 5 else 1 for v in H], np.int32)
    after = chains.even_out_further(G, colors, 2, scaled(1.0))
    check(G, after, 2)
    keep = np.zeros(G.n, bool)
    keep[::6] = True  # every hub
    np.testing.assert_array_equal(chains.even_out_further(G, colors, 2, scaled(1.0), keep), colors)
    assert lagcolor.balance(G, colors).notes["balance"]["after"] == 1.0


def test_chains_end_at_the_ratio_and_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing moves if classes are even enough, and one pair of classes is tried if no more may be read."""
    G = lagcolor.Graph.of((np.zeros(0, int), np.zeros(0, int)), n=24)
    colors = np.repeat([0, 1, 2, 3], [12, 8, 2, 2]).astype(np.int32)
    check(G, chains.even_out_further(G, colors, 4, scaled(1.0)), 4)
    assert chains.even_out_further(G, colors, 3, scaled(6.0)).tolist() == colors.tolist()
    monkeypatch.setattr(chains, "PASSES", 0)
    monkeypatch.setattr(chains, "LEAST", 0)
    assert np.bincount(chains.even_out_further(G, colors, 4, scaled(1.0))).tolist() == [7, 8, 7, 2]


@given(st.integers(0, 2**31), st.booleans())
def test_chains_make_classes_no_less_even(seed: int, some_kept: bool) -> None:
    r = np.random.default_rng(seed)
    n, m = int(r.integers(1, 40)), int(r.integers(0, 100))
    G = lagcolor.Graph.of((r.integers(0, n, m), r.integers(0, n, m)), n=n)
    before = lagcolor.color(G, order="random", seed=seed).colors
    k = int(before.max()) + 1
    keep = r.random(n) < 0.3 if some_kept else None
    after = chains.even_out_further(G, before, k, scaled(1.0), keep)
    assert lagcolor.verify(G, after, errors="return").n_conflicts == 0
    old, new = balance_of(before, k), balance_of(after, k)
    assert new.largest[1] <= old.largest[1]
    assert new.smallest[1] >= old.smallest[1]
    if keep is not None:
        np.testing.assert_array_equal(after[keep], before[keep])


@pytest.mark.parametrize("engine", ENGINES)
def test_color_with_balance(engine: str) -> None:
    device = "cpu" if engine == "cpu" else "cuda"
    G = lagcolor.generate.delaunay(9)
    plain = lagcolor.color(G)
    for how, most in ((True, 1.05), (1.5, 1.5), (1, 1.05)):
        result = lagcolor.color(G, balance=how, device=device)
        assert result.device.startswith(device)
        assert result.n_colors == plain.n_colors
        found = balance_of(result)
        assert found.n_colors == plain.n_colors and (found.is_equitable or found.ratio <= most)
        assert result.verified
        np.testing.assert_array_equal(result.to_numpy(), lagcolor.color(G, balance=how).to_numpy())
    result = lagcolor.color(G, equitable=True, device=device)
    assert balance_of(result).is_equitable
    assert result.notes["balance"]["difference"] <= 1
    result = lagcolor.color(G, equitable=True, max_colors=G.max_degree + 1, device=device)
    assert balance_of(result, G.max_degree + 1).is_equitable
    assert lagcolor.color(G, balance=True, order=("random", "natural"), device=device).notes["balance"]["reached"]


@pytest.mark.parametrize("engine", ENGINES)
def test_color_with_balance_and_rules(engine: str) -> None:
    device = "cpu" if engine == "cpu" else "cuda"
    G = lagcolor.generate.rmat(8)
    r = np.random.default_rng(0)
    weights, fixed = r.random(G.n) + 0.1, np.full(G.n, -1)
    fixed[7] = 3
    forbidden = {v: [0, 4] for v in range(0, G.n, 3)}
    capacity = 0.4 * weights.sum()
    rules: dict[str, Any] = {"fixed": fixed, "forbidden": forbidden, "weights": weights, "capacity": capacity}
    plain, result = (lagcolor.color(G, device=device, balance=how, **rules) for how in (False, True))
    result.verify()  # rules included
    before, after = (balance_of(x, plain.n_colors, weights) for x in (plain, result))
    assert after.ratio < min(before.ratio, 2)
    assert after.largest[1] <= before.largest[1]
    assert result.notes["balance"]["after"] == pytest.approx(after.ratio)


def test_what_color_refuses() -> None:
    G = graph("path")
    refused: list[tuple[dict[str, Any], str]] = [
        ({"balance": 0.9}, "balance must be a number from 1 on"),
        ({"balance": "yes"}, "balance must be True or False"),
        ({"equitable": 1}, "equitable must be True or False"),
        ({"balance": True, "algorithm": "cohen_castonguay", "fraction": 0.1}, "leaves vertices uncolored"),
    ]
    for given_, message in refused:
        with pytest.raises(lagcolor.OptionError, match=message):
            lagcolor.color(G, **given_)
    with pytest.raises(lagcolor.OptionError, match="n_colors must be a whole number from"):
        lagcolor.equitable(G, 0)
    path = nx.path_graph(["max_colors", "b", "c"])
    with pytest.raises(lagcolor.LagcolorError, match=r"'max_colors'.*n_colors=1 allows"):
        lagcolor.equitable(path, 1, fixed={"max_colors": 1})


def test_distance_k() -> None:
    """`k` is the distance, as in `color`, and `n_colors` the number of colors."""
    result = lagcolor.equitable(lagcolor.generate.path(9), n_colors=4, problem="distance", k=3)
    assert result.problem == "distance3" and sorted(result.class_sizes) == [2, 2, 2, 3]
