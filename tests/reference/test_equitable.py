"""Equitable and balanced colorings by Kempe chains and search, and with rules: colors in use, gaps, large colors."""

from __future__ import annotations

import json
from typing import Any

import networkx as nx
import numpy as np
import pytest
from corpus import CORPUS, graph, neighbors
from emulated import ENGINES
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rule_cases import by_sat

import lagcolor
from lagcolor.engines.balance import equitable as module
from lagcolor.engines.balance.equitable import _State, equitable, even_out_further
from lagcolor.engines.balance.even import fill
from lagcolor.engines.balance.scheduled import Allowed, scaled
from lagcolor.problems.balance import balance_of
from lagcolor.search.rules import UNKNOWN

SMALL = [name for name in CORPUS if CORPUS[name][0] <= 300]
LARGEST = 2**31 - 2
TWO_EDGES = {0: [3], 1: [2], 2: [], 3: [], 4: []}
LISTS = {0: [3], 1: [1], 3: [1], 4: [1]}
PAIRED = nx.complete_bipartite_graph(3, 3)
engines = pytest.mark.parametrize("engine", ENGINES)


def device_of(engine: str) -> str:
    return "cpu" if engine == "cpu" else "cuda"


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


def reaches(G: lagcolor.Graph, colors: np.ndarray, large: int, small: int) -> bool:
    """Whether vertices can move on from class to class, from the large one to the small one."""
    moves = nx.DiGraph()
    for v in range(G.n):
        free = set(range(colors.max() + 1)) - set(colors[G.indices[G.indptr[v] : G.indptr[v + 1]]].tolist())
        moves.add_edges_from((colors[v], c) for c in free)
    return nx.has_path(moves, large, small)


@pytest.mark.parametrize("pairs_first", [False, True])
def test_where_the_large_class_does_not_reach_the_small_one(pairs_first: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """By both steps: pairs of solo neighbors are very seldom needed, and taken where they can be."""
    plain, taken = _State.swaps, []

    def swaps(state: _State, *args: Any) -> Any:
        found = plain(state, *args)
        found = [one for one in found if (one[2] < 0) == pairs_first] or found
        taken.append(min(found, key=lambda one: one[2] < 0)[2] < 0)
        return found

    monkeypatch.setattr(_State, "swaps", swaps)
    steps, others = 0, 0
    for seed in range(250):
        G, colors, k = saturated(seed)
        state, before, direct = _State(G, colors, k), len(taken), reaches(G, colors, k - 1, 0)
        steps = max(steps, state.rebalance(0, k - 1))
        check(G, state.colors, k)
        assert (len(taken) == before) == direct
        others += not direct
    assert steps > 1 + pairs_first and others > 20 and pairs_first in taken


@given(st.integers(2, 7), st.integers(0, 2**31))
def test_classes_reach_the_small_one_without_a_terminal_one(k: int, seed: int) -> None:
    r = np.random.default_rng(seed)
    movable = r.random((k, k)) < 0.1
    movable[np.arange(1, k), [r.integers(c) for c in range(1, k)]] = True  # all reach class 0
    for u in np.flatnonzero(module.terminal(movable, 0)).tolist():
        ways = nx.DiGraph([(d, c) for c, d in np.argwhere(movable).tolist() if u not in (c, d)] + [(0, 0)])
        assert nx.descendants(ways, 0) | {0, u} == set(range(k))


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


def is_possible(G: lagcolor.Graph, max_colors: int, fixed: Any = (), forbidden: Any = (), **_: Any) -> bool:
    """Whether an equitable coloring with `max_colors` classes keeps the rules."""
    colors = [dict(fixed).get(v, -1) for v in range(G.n)]
    return by_sat(neighbors(G), {"max_colors": max_colors, "fixed": colors, "forbidden": dict(forbidden)}, even=True)


def test_fewer_colors_than_are_sure() -> None:
    """Found, or an error that carries a coloring; never one of what does not exist."""
    found = 0
    for H, k in [(PAIRED, 3), (PAIRED, 2), (nx.star_graph(5), 3)] + [
        (nx.gnp_random_graph(7, 0.5, seed=s), 3) for s in range(12)
    ]:
        G = lagcolor.Graph.of(H)
        try:
            check(G, lagcolor.equitable(H, k).colors, k)
            assert is_possible(G, k)
            found += 1
        except lagcolor.ColoringError as e:
            assert not is_possible(G, k)
            assert e.reason == "an exhaustive search found that none is equitable" or (e.partial < 0).any()
            if (e.partial >= 0).all():
                assert balance_of(e.partial, k).difference > 1 and "partial" in str(e)
    assert found >= 5
    with pytest.raises(lagcolor.ColoringError, match=r"classes differ by 2.*max_colors ≥ Δ \+ 1 = 4"):
        lagcolor.equitable(PAIRED, 3)


def test_a_search_settles_what_chains_do_not() -> None:
    H = nx.Graph([(0, 1), (0, 3), (0, 5), (1, 4), (2, 5), (3, 4), (4, 5)])
    check(lagcolor.Graph.of(H), lagcolor.equitable(H, 3).colors, 3)
    decided = {True: 0, False: 0}
    for seed in range(60):
        G = lagcolor.Graph.of(nx.gnm_random_graph(7, 10, seed=seed))
        for more in ({}, {"fixed": {0: 1}}, {"forbidden": {1: [0], 2: [0, 2]}}):
            rules: dict[str, Any] = {"max_colors": 3, **more}
            try:
                note = lagcolor.color(G, equitable=True, **rules).notes["balance"]
            except lagcolor.ColoringError:  # there is none of three colors
                continue
            assert note["reached"] == is_possible(G, **rules) != note.get("none_exists", False)
            decided[note["reached"]] += 1
    assert min(decided.values()) > 5


def test_too_many_fixed_vertices_in_a_class_end_the_search() -> None:
    result = lagcolor.color(nx.empty_graph(3), max_colors=3, fixed={0: 0, 1: 0}, equitable=True)
    assert not result.notes["balance"]["reached"] and result.notes["balance"]["none_exists"]
    result = lagcolor.color(nx.empty_graph(4), max_colors=3, fixed={0: 0, 1: 0}, equitable=True)
    assert result.notes["balance"]["reached"] and sorted(result.class_sizes.tolist()) == [1, 1, 2]


def test_a_search_that_is_cut_short_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that reads one entry, or none on a large graph, cannot tell whether an equitable coloring exists."""
    for name, value in (("CONFLICTS", 0), ("SMALL", 17)):
        with monkeypatch.context() as changed:
            changed.setattr(module, name, value)
            for H in (PAIRED, nx.star_graph(5)):
                with pytest.raises(lagcolor.ColoringError) as e:
                    lagcolor.equitable(H, 3)
                assert e.value.reason == "none was found within the effort; whether there is one is unknown"


def test_swaps_where_no_vertex_can_move() -> None:
    """Stars, all hubs in one class: only swapping the two colors of some evens them out."""
    H = nx.disjoint_union_all([nx.star_graph(5)] * 10)
    G = lagcolor.Graph.of(H)
    colors = np.array([0 if H.degree[v] == 5 else 1 for v in H], np.int32)
    after = even_out_further(G, colors, 2, scaled(1.0))
    check(G, after, 2)
    keep = np.zeros(G.n, bool)
    keep[::6] = True  # every hub
    np.testing.assert_array_equal(even_out_further(G, colors, 2, scaled(1.0), keep), colors)
    assert lagcolor.balance(G, colors).notes["balance"]["after"] == 1.0


def test_chains_end_at_the_ratio_and_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing moves if classes are even enough, and one pair of classes is tried if no more may be read."""
    G = lagcolor.Graph.of((np.zeros(0, int), np.zeros(0, int)), n=24)
    colors = np.repeat([0, 1, 2, 3], [12, 8, 2, 2]).astype(np.int32)
    check(G, even_out_further(G, colors, 4, scaled(1.0)), 4)
    assert even_out_further(G, colors, 3, scaled(6.0)).tolist() == colors.tolist()
    monkeypatch.setattr(module, "PASSES", 0)
    monkeypatch.setattr(module, "LEAST", 0)
    assert np.bincount(even_out_further(G, colors, 4, scaled(1.0))).tolist() == [7, 8, 7, 2]


@given(st.integers(0, 2**31), st.booleans())
def test_chains_make_classes_no_less_even(seed: int, some_fixed: bool) -> None:
    r = np.random.default_rng(seed)
    n, m = int(r.integers(1, 40)), int(r.integers(0, 100))
    G = lagcolor.Graph.of((r.integers(0, n, m), r.integers(0, n, m)), n=n)
    before = lagcolor.color(G, order="random", seed=seed).colors
    k = int(before.max()) + 1
    keep = r.random(n) < 0.3 if some_fixed else None
    after = even_out_further(G, before, k, scaled(1.0), keep)
    assert lagcolor.verify(G, after, errors="return").n_conflicts == 0
    old, new = balance_of(before, k), balance_of(after, k)
    assert new.largest[1] <= old.largest[1]
    assert new.smallest[1] >= old.smallest[1]
    if keep is not None:
        np.testing.assert_array_equal(after[keep], before[keep])


@engines
def test_color_with_balance(engine: str) -> None:
    device = device_of(engine)
    G = lagcolor.generate.delaunay(8)
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


@engines
def test_color_with_balance_and_rules(engine: str) -> None:
    device = device_of(engine)
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
    """Errors that are not in the table of refusals."""
    with pytest.raises(lagcolor.OptionError, match="balance must be True or False"):
        lagcolor.color(PAIRED, balance="yes")
    with pytest.raises(lagcolor.OptionError, match="leaves vertices uncolored"):
        lagcolor.color(PAIRED, "cohen_castonguay", balance=True, fraction=0.1)
    with pytest.raises(lagcolor.OptionError, match="max_colors must be a whole number from"):
        lagcolor.equitable(PAIRED, 0)
    with pytest.raises(lagcolor.LagcolorError, match=r"'max_colors'.*max_colors=1 allows"):
        lagcolor.equitable(nx.path_graph(["max_colors", "b", "c"]), 1, fixed={"max_colors": 1})


def test_distance_k() -> None:
    """`distance` and `max_colors` have their names of `color`."""
    result = lagcolor.equitable(lagcolor.generate.path(9), max_colors=4, problem="distance", distance=3)
    assert result.problem == "distance3" and sorted(result.class_sizes) == [2, 2, 2, 3]


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
        assert note["reached"] == sizes.is_equitable == is_possible(G, **rules)
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


@engines
def test_no_vertex_leaves_a_gap_that_it_could_fill(engine: str) -> None:
    device = device_of(engine)
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
    # Color 0 is forbidden to all vertices. Its empty class does not count.
    G = lagcolor.generate.grid2d(6)
    free = lagcolor.color(G, forbidden={v: [0] for v in range(G.n)}, balance=1, device=device)
    assert free.notes["gaps"] == 1 and free.notes["balance"]["reached"]


@engines
@pytest.mark.parametrize("how", [{"balance": True}, {"equitable": True}])
def test_a_large_fixed_color(how: dict[str, Any], engine: str) -> None:
    device = device_of(engine)
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
    allowed = Allowed(np.array([True, False, True, True, True]))
    assert fill(np.array([0, 3, 4, 4, 7], np.int32), allowed).tolist() == [0, 1, 4, 4, 7]
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
def test_a_result_must_be_as_even_as_its_notes(how: dict[str, Any]) -> None:
    G = lagcolor.generate.stencil27(9)
    result = lagcolor.color(G, quality="fast", **how)
    assert result.verify().ok
    result.colors = lagcolor.color(G, quality="fast").colors
    with pytest.raises(lagcolor.ColoringError, match=r"not (equitable|balanced): color 7 has 85"):
        result.verify()
    result.notes["balance"]["reached"] = False
    assert result.verify().ok
