"""Rounds of balancing: the same on CPU and GPU, proper, never less even, and over."""

from __future__ import annotations

import functools
from typing import Any

import emulated
import networkx as nx
import numpy as np
import pytest
from corpus import CORPUS, graph, neighbors
from emulated import ENGINES
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.base import device as dev
from lagcolor.engines.balance import plain
from lagcolor.engines.balance import scheduled as balance
from lagcolor.engines.balance.scheduled import FIRST, QUOTA, SINK, SINKS_OF, SIZE, UNTIL, Allowed, even_out
from lagcolor.graph.pattern import unsigned
from lagcolor.problems.balance import balance_of

GRAPHS = [name for name in CORPUS if CORPUS[name][0]]
on_gpu = pytest.mark.parametrize("engine", ENGINES[1:])


def there(x: Any) -> Any:
    """An array, or a pair of arrays, on the GPU; or None."""
    return tuple(map(there, x)) if isinstance(x, tuple) else x if x is None else dev.to_device(x, "cuda")


@functools.cache
def made(spec: str) -> lagcolor.Graph:
    return lagcolor.generate.from_spec(spec)


def sizes(colors: np.ndarray, k: int, weights: np.ndarray | None = None) -> np.ndarray:
    """Weight of each class."""
    return np.bincount(colors, weights, k).astype(np.int64)


def evened(G: lagcolor.Graph, colors: Any, k: int, *args: Any, **more: Any) -> Any:
    """The colors of `even_out`, whose sizes are compared with a count."""
    after, *found = even_out(G, colors, k, *args, **more)
    allowed = next((a for a in args if isinstance(a, Allowed)), Allowed())
    weights = None if allowed.weights is None else dev.to_device(allowed.weights, "cpu")
    np.testing.assert_array_equal(found[0], sizes(dev.to_device(colors, "cpu"), k, weights))
    np.testing.assert_array_equal(found[1], sizes(dev.to_device(after, "cpu"), k, weights))
    return after


def check(G: lagcolor.Graph, k: int, before: np.ndarray, after: np.ndarray, weights: np.ndarray | None = None) -> None:
    """Proper, of k colors at most, and no class over the largest or under the smallest there was."""
    assert lagcolor.verify(G, after, errors="return").n_conflicts == 0
    assert after.min() >= 0
    assert after.max() < k
    old, new = sizes(before, k, weights), sizes(after, k, weights)
    assert new.max() <= old.max()
    assert new.min() >= old.min()
    assert (new**2).sum() <= (old**2).sum()


def rules_for(G: lagcolor.Graph, k: int, seed: int, ruled: bool, weighted: bool) -> Allowed:
    """A third of the vertices are fixed, some colors forbidden, weights up to 9."""
    r = np.random.default_rng(seed)
    counts = r.integers(0, 3, G.n)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    colors = r.integers(0, k + 2, offsets[-1]).astype(np.int32)  # colors that no class has do no harm
    rules = (r.random(G.n) < 1 / 3, (offsets, colors)) if ruled else (None, None)
    return Allowed(*rules, r.integers(1, 10, G.n) if weighted else None)


@pytest.mark.parametrize("name", GRAPHS)
def test_corpus(name: str) -> None:
    G = graph(name)
    result = lagcolor.color(G)
    k = result.n_colors
    after = evened(G, result.colors, k)
    check(G, k, result.colors, after)
    np.testing.assert_array_equal(after, evened(G, result.colors, k))
    np.testing.assert_array_equal(result.colors, lagcolor.color(G).colors)  # stays as it is


@pytest.mark.parametrize("spec", ["rmat:9", "star:50"])
def test_rounds_equal_the_plain_loop(spec: str) -> None:
    G = made(spec)
    colors, near = lagcolor.color(G, quality="fast").colors.copy(), neighbors(G)
    task = (*unsigned(G), colors, *Allowed().arrays(G.n), np.zeros(0))
    table = np.zeros((balance.ROWS, int(colors.max()) + 1), np.int64)
    table[SIZE] = np.bincount(colors)
    for number in range(4):
        balance.plan(table, number, G.n, G.m, G.n)
        sinks = [table[SINK, first : first + count] for first, count in zip(table[FIRST], table[SINKS_OF], strict=True)]
        salt, before = balance.salt_of(0, number), colors.tolist()
        expected = plain.one_round(near, before, sinks, table[QUOTA].tolist(), table[UNTIL].tolist(), int(salt))
        moved, _ = balance.one_round(task, table, salt)
        assert colors.tolist() == expected and moved == sum(a != b for a, b in zip(before, expected, strict=True))


@on_gpu
def test_gpu_is_cpu(engine: str) -> None:
    for name in GRAPHS:
        G = graph(name)
        result = lagcolor.color(G)
        gpu = evened(G.on("cuda"), there(result.colors), result.n_colors)
        assert np.array_equal(dev.to_device(gpu, "cpu"), evened(G, result.colors, result.n_colors)), name


@pytest.mark.skipif(not emulated.available(), reason="no C++ compiler")
def test_gpu_in_any_schedule() -> None:
    G = made("rmat:9")
    result = lagcolor.color(G)
    k = result.n_colors
    expected = evened(G, result.colors, k, 1.0)
    with emulated.emulated_gpu(seed=1):
        gpu = evened(G.on("cuda"), there(result.colors), k, 1.0)
        np.testing.assert_array_equal(dev.to_device(gpu, "cpu"), expected)


@on_gpu
def test_gpu_with_long_tiles(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tile of many vertices; more of them try than a block has threads."""
    monkeypatch.setattr(balance, "TILES", 2)
    monkeypatch.setattr(balance, "FEWEST", 2)
    G = lagcolor.generate.delaunay(12)
    colors = lagcolor.color(G).colors
    k = int(colors.max()) + 1
    gpu = evened(G.on("cuda"), there(colors), k, 1.0)
    np.testing.assert_array_equal(dev.to_device(gpu, "cpu"), evened(G, colors, k, 1.0))


@on_gpu
@pytest.mark.parametrize(("ruled", "weighted", "wide"), [(True, False, True), (False, True, False)])
def test_gpu_with_rules(engine: str, ruled: bool, weighted: bool, wide: bool) -> None:
    for G in (made("rmat:9"), made("stencil27:9")):
        result = lagcolor.color(G)
        k = result.n_colors + 1  # an empty class
        rules = rules_for(G, k, 1, ruled, weighted)
        expected = evened(G, result.colors, k, 1.0, rules, seed=5)
        H = lagcolor.Graph(G.indptr.astype(np.int64), G.indices) if wide else G
        moved = Allowed(there(rules.keep), there(rules.forbidden), there(rules.weights))
        gpu = evened(H.on("cuda"), there(result.colors), k, 1.0, moved, seed=5)
        np.testing.assert_array_equal(dev.to_device(gpu, "cpu"), expected)


@on_gpu
def test_many_colors_on_a_gpu(engine: str) -> None:
    """Over 1024 classes, whose sizes are not in shared memory, and over 512 sinks, which no block counts there."""
    n = 4000
    r = np.random.default_rng(3)
    G = lagcolor.generate.uniform(n, 2)
    colors = np.where(r.random(n) < 0.7, np.arange(n) % 1500, 1500 + np.arange(n) % 2).astype(np.int32)
    colors[:1502] = np.arange(1502)
    for v in range(n):  # mend conflicts: the first color of a row of its own
        near = colors[G.indices[G.indptr[v] : G.indptr[v + 1]]]
        while colors[v] in near:
            colors[v] = (colors[v] + 1) % 1502
    k = 1502
    expected = evened(G, colors, k, 1.0)
    check(G, k, colors, expected)
    gpu = evened(G.on("cuda"), there(colors), k, 1.0)
    np.testing.assert_array_equal(dev.to_device(gpu, "cpu"), expected)


@pytest.mark.parametrize("spec", ["stencil27:14", "kron_g500:11"])
def test_reaches_the_ratio(spec: str) -> None:
    G = made(spec)
    result = lagcolor.color(G, quality="fast")
    after = lagcolor.balance(G, result)
    note, before, ratio = after.notes["balance"], balance_of(result).ratio, balance_of(after).ratio
    assert ratio <= 1.05 < before and (note["reached"], note["before"], note["after"]) == (True, before, ratio)
    assert after.n_colors == result.n_colors and after.verified and after.rounds < 12
    assert after.algorithm == "first_fit + balance"


@given(st.integers(1, 40), st.integers(0, 120), st.integers(0, 2**31), st.booleans(), st.booleans(), st.integers(0, 3))
def test_with_rules(n: int, m: int, seed: int, ruled: bool, weighted: bool, more: int) -> None:
    """Fixed vertices stay, forbidden colors are not taken, and no class gets heavier than the heaviest was."""
    r = np.random.default_rng(seed)
    G = lagcolor.Graph.of((r.integers(0, n, m), r.integers(0, n, m)), n=n)
    before = lagcolor.color(G, order="random", seed=seed).colors
    k = int(before.max()) + 1 + more
    allowed = rules_for(G, k, seed, ruled, weighted)
    after = evened(G, before, k, 1.0, allowed, seed % 7)
    check(G, k, before, after, allowed.weights)
    if allowed.forbidden is not None:
        offsets, colors = allowed.forbidden
        np.testing.assert_array_equal(after[allowed.keep], before[allowed.keep])
        for v in np.flatnonzero(after != before).tolist():
            assert after[v] not in colors[offsets[v] : offsets[v + 1]]


def test_rules_of_balance() -> None:
    """Balance obeys the rules of the call, or the rules of the Coloring."""
    r, G = np.random.default_rng(1), made("rmat:9")
    fixed = np.where(r.random(G.n) < 0.02, lagcolor.color(G).colors, -1)
    forbidden = {int(v): [int(c)] for v, c in enumerate(r.integers(0, 9, G.n)) if fixed[v] != c}
    first = lagcolor.color(G, fixed=fixed, forbidden=forbidden)
    for colors, rules in ((first, {}), (first.colors, {"fixed": fixed, "forbidden": forbidden})):
        result = lagcolor.balance(G, colors, ratio=1.02, **rules)
        result.verify()
        assert result.rules is not None
        np.testing.assert_array_equal(result.colors[fixed >= 0], fixed[fixed >= 0])
        assert all(result.colors[v] != c for v, (c,) in forbidden.items())
        assert balance_of(result).ratio < balance_of(first).ratio
    weights = r.random(G.n)
    result = lagcolor.balance(G, lagcolor.color(G), weights=weights)
    assert balance_of(result, weights=weights).ratio < 1.06
    assert result.notes["balance"]["reached"]


def test_what_balance_refuses() -> None:
    """With rules, too; other errors are in the table of refusals."""
    G = graph("path")
    with pytest.raises(lagcolor.ColoringError, match="fixed color"):
        lagcolor.balance(G, np.arange(G.n) % 2, fixed={0: 1})
    with pytest.raises(lagcolor.OptionError, match="one capacity for all colors"):
        lagcolor.balance(G, lagcolor.color(G, capacity=[G.n] * 3))
    with pytest.raises(lagcolor.ColoringError, match="conflicting edge"):
        lagcolor.balance(G, np.zeros(G.n, int), fixed={0: 0}, verify=False)


def test_seconds_are_the_sum_of_both() -> None:
    """The time of a Coloring and of balancing it; an array adds no time."""
    first = lagcolor.color(made("stencil27:9"))
    first.seconds = 100.0
    result = lagcolor.balance(made("stencil27:9"), first)
    assert result.seconds == 100.0 + result.notes["balance"]["seconds"] > 100.0
    assert lagcolor.balance(made("stencil27:9"), first.colors).seconds < 100.0


def test_the_seed_says_which_vertices_move() -> None:
    G = made("stencil27:9")
    one, again, other = (lagcolor.balance(G, lagcolor.color(G, quality="fast"), seed=seed).colors for seed in (1, 1, 2))
    assert np.array_equal(one, again) and not np.array_equal(one, other)


def test_the_check_finds_what_is_wrong() -> None:
    even = np.repeat(np.arange(5), 8)
    assert balance_of(even).is_equitable and balance_of(even).ratio == 1.0 and balance_of(even).problems(1.0) == []
    for broken in (0, 4):  # one vertex more than is even, two more than one less
        colors = even.copy()
        colors[colors == 2] = [broken, *[2] * 7]
        found = balance_of(colors)
        assert found.difference == 2 and found.ratio == 9 / 7
        assert found.problems() == [f"not equitable: color {broken} has 9 and color 2 has 7"]
        assert "more than 1.25 times" in found.problems(1.25)[0] and found.problems(1.3) == []
    assert balance_of(np.repeat([0, 1], [10, 8])).problems(1.25) == []  # as far apart as the ratio allows
    assert "color 5 has 0" in balance_of(even, 6).problems()[0]
    with pytest.raises(lagcolor.ColoringError, match="color 4 is in use"):
        balance_of(even, 4)
    heavy = np.ones(40)
    heavy[9] = 3
    assert balance_of(even, weights=heavy).largest == (1, 10.0)
    assert "color 1 has 10.0" in balance_of(even, weights=heavy).problems(1.1)[0]
    assert balance_of(np.zeros(0, int)).ratio == 1.0
    assert balance_of(np.array([0, -1, 1, 1])).smallest == (0, 1)
    assert balance_of(np.array([3, 3])).ratio == float("inf")
    assert balance_of(np.array([0, 0, 2**31 - 2])).smallest == (1, 0)
    assert balance_of(np.array([0, 0, 2**31 - 2]), in_use=True).ratio == 2.0
    assert balance_of(np.array([0, 0, 2**31 - 2]), 3, in_use=True).smallest == (1, 0)


@pytest.mark.parametrize("how", [{"balance": True}, {"equitable": True}])
def test_one_more_color_where_the_fewest_are_uneven(how: dict[str, bool]) -> None:
    """King's graphs of odd sides: 4 colors, of classes that differ; even classes of 5 are there."""
    G = lagcolor.Graph.of(nx.strong_product(nx.path_graph(9), nx.path_graph(9)))
    fewest, result = lagcolor.color(G), lagcolor.color(G, **how)
    assert (fewest.n_colors, result.n_colors) == (4, 5)
    lagcolor.verify(G, result, balance=1.05 if "balance" in how else 1)
    note = result.notes["balance"]
    assert note["reached"] and note["added"] == 1 and note["before"] == balance_of(fewest).ratio
    assert lagcolor.color(G, quality="balanced", **how).n_colors == 4  # of the call's own choice
