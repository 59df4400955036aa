"""Graphs that are changed: the colors of first-fit again, or a proper coloring with few changes."""

from __future__ import annotations

from typing import Any

import corpus
import emulated
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from rule_cases import neighborhoods

import lagcolor
from lagcolor.engines.change import plain
from lagcolor.engines.change.incremental import SHARE
from lagcolor.engines.change.keep import cover

PROBLEMS = ("distance1", "distance2")
STABLE = (("natural", None), ("random", 3), ("random_spread", 1))


def changes(n: int, u: np.ndarray, v: np.ndarray, seed: int) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
    """Some edges fewer, some more, and more or fewer vertices: their number, edges, and the rows that changed."""
    r = np.random.default_rng(seed)
    gone = r.random(len(u)) < 0.1
    size = n + int(r.integers(-2, 3)) if n > 3 else n
    more = r.integers(0, max(size, 1), (2, 3 if size else 0))
    a, b = np.concatenate([u[~gone], more[0]]), np.concatenate([v[~gone], more[1]])
    inside = (a < size) & (b < size)
    lost = (u >= size) | (v >= size)
    rows = np.concatenate([u[gone | lost], v[gone | lost], more.ravel()])
    return size, a[inside], b[inside], np.unique(rows[rows < size])


def graph(n: int, u: Any, v: Any) -> lagcolor.Graph:
    A = sp.csr_array((np.ones(len(u)), (np.asarray(u, int), np.asarray(v, int))), (n, n))
    return lagcolor.Graph.of(A, symmetrize=True)


def edges(name: str) -> tuple[int, np.ndarray, np.ndarray]:
    n, u, v = corpus.CORPUS[name]
    return n, np.array(u, int), np.array(v, int)


FEW = ("empty", "isolated among others", "star, hub last", "complete bipartite")
SMALL = [name for name, (n, u, _) in corpus.CORPUS.items() if n <= 300 and len(u) <= 3000]


def check_exact(name: str, problem: str, order: Any, seed: int | None, device: str) -> None:
    """However the call describes the change, the colors equal a call of `color`."""
    n, u, v = edges(name)
    G = graph(n, u, v).on(device)
    old = lagcolor.color(G, order=order, seed=seed, problem=problem)
    for k in range(2):
        size, a, b, rows = changes(n, u, v, k)
        H = graph(size, a, b).on(device)
        wanted = lagcolor.color(H, order=order, seed=seed, problem=problem).to_numpy().tolist()
        before, near = neighborhoods(G.on("cpu"), problem), neighborhoods(H.on("cpu"), problem)
        wrong = [w for w in range(size) if w >= n or near[w] != before[w]]
        sequence = lagcolor.Priorities.of(H.on("cpu"), order, seed=old.seed).sequence.tolist()
        assert plain.first_fit_again(near, sequence, [*old.to_numpy().tolist(), -1, -1][:size], wrong) == wanted
        for passed in ((old, None), (old, rows)):
            result = lagcolor.recolor(H, *passed)
            assert result.to_numpy().tolist() == wanted
            assert result.device == H.device and result.verified and result.problem == problem
            assert (result.order, result.seed) == (old.order, old.seed)
        array = lagcolor.recolor(H, old.colors, order=order, seed=old.seed, problem=problem)
        assert array.to_numpy().tolist() == wanted
        again = lagcolor.recolor(H, result)
        assert again.to_numpy().tolist() == wanted and again.notes["visited"] == 0


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize(("order", "seed"), STABLE)
@pytest.mark.parametrize("kind", emulated.ENGINES)
def test_first_fit_again(kind: str, problem: str, order: str, seed: int | None) -> None:
    for name in FEW if kind == "emulated" else SMALL:
        check_exact(name, problem, order, seed, "cpu" if kind == "cpu" else "cuda")


def test_the_users_order() -> None:
    n, u, v = edges("grid")
    values = np.random.default_rng(0).permutation(n)
    old = lagcolor.color(graph(n, u, v), "greedy", values)
    H = graph(n, np.append(u, 0), np.append(v, n - 1))
    result = lagcolor.recolor(H, old, [0, n - 1], order=values)
    assert result.colors.tolist() == lagcolor.color(H, "greedy", values).colors.tolist()
    with pytest.raises(lagcolor.OptionError, match="pass order="):
        lagcolor.recolor(H, old)


def test_time_follows_the_change() -> None:
    """Vertices that are visited, of a grid that loses one edge; and a change of everything is no change."""
    n, u, v = 10_000, np.arange(9_999), np.arange(1, 10_000)
    old = lagcolor.color(graph(n, u, v), order="random", seed=0)
    result = lagcolor.recolor(graph(n, u[1:], v[1:]), old)
    assert 2 <= result.notes["visited"] < 50
    path = lagcolor.color(graph(n, u, v), order="natural")
    for first in (0, n // 2, n - n // 5):  # colors after this edge change
        shifted = graph(n, np.delete(u, first), np.delete(v, first))
        result = lagcolor.recolor(shifted, path)
        many = n - first > n // SHARE  # all vertices are colored again
        assert result.notes["visited"] == (n if many else n - first)
        assert result.colors.tolist() == lagcolor.color(shifted, order="natural").colors.tolist()


def test_many_colors() -> None:
    """Over 64 colors; windows see a part of them."""
    n = 150
    u, v = np.triu_indices(n, 1)
    old = lagcolor.color(graph(n, u, v), order="natural")
    for gone in (0, 70 * 75, len(u) - 1):
        H = graph(n, np.delete(u, gone), np.delete(v, gone))
        assert lagcolor.recolor(H, old).colors.tolist() == lagcolor.color(H, order="natural").colors.tolist()


def check_keep(name: str, problem: str, device: str) -> None:
    n, u, v = edges(name)
    old = lagcolor.color(graph(n, u, v).on(device), problem=problem)
    before = old.to_numpy()
    for k in range(2):
        size, a, b, rows = changes(n, u, v, k)
        H = graph(size, a, b).on(device)
        results = [lagcolor.recolor(H, old, what, keep=True) for what in (None, rows)]
        results.append(lagcolor.recolor(H, old.colors, keep=True, problem=problem))
        for result in results:
            colors = result.to_numpy()
            assert result.verified and ("gaps" in result.notes) == (len(np.unique(colors)) < colors.max(initial=-1) + 1)
            common = min(n, size)
            differ = np.flatnonzero(colors[:common] != before[:common])
            assert len(differ) + size - common == result.notes["recolored"]
            check_few(H, problem, before[:common], set(differ.tolist()))


def check_few(H: lagcolor.Graph, problem: str, before: np.ndarray, changed: set[int]) -> None:
    """Each changed vertex was in conflict with an unchanged one, and no smaller set covers all conflicts."""
    near = [lagcolor.problems.PROBLEMS[problem].neighborhood(H.on("cpu"), v).tolist() for v in range(len(before))]
    of_one_color = {v: {u for u in near[v] if u < len(before) and before[u] == before[v]} for v in range(len(before))}
    assert all(of_one_color[v] - changed for v in changed)
    assert len(changed) == fewest([(u, v) for v in of_one_color for u in of_one_color[v] if u < v])


def fewest(pairs: list[tuple[int, int]]) -> int:
    """The size of a smallest set that has one of each pair."""
    if not pairs:
        return 0
    return 1 + min(fewest([pair for pair in pairs if v not in pair]) for v in pairs[0])


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("kind", emulated.ENGINES)
def test_keep(kind: str, problem: str) -> None:
    for name in FEW if kind == "emulated" else SMALL:
        check_keep(name, problem, "cpu" if kind == "cpu" else "cuda")


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_more_pairs_than_memory(device: str) -> None:
    G = lagcolor.generate.from_spec("grid2d:100", device=device)
    result = lagcolor.recolor(G, np.zeros(G.n, int), keep=True)
    assert result.verified and result.notes["recolored"] <= G.n // 2


def test_a_cover_is_small() -> None:
    star = np.array([[0, k] for k in range(1, 6)])
    assert cover(np.concatenate([star, star[:, ::-1]])) == [0]
    spider = np.array([[0, 4], [0, 5], [0, 6], [4, 1], [5, 2], [6, 3]])  # vertex 0 is in most pairs, and not needed
    assert cover(spider) == [4, 5, 6]


def test_labels() -> None:
    def first_fit(x: nx.Graph) -> dict[Any, int]:
        return lagcolor.color(x, order="natural").to_dict()

    g = nx.path_graph(["a", "b", "c", "d"])
    old = lagcolor.color(g, order="natural")
    again = nx.Graph([("c", "d"), ("b", "c"), ("a", "b")])  # its vertices are in another order
    assert lagcolor.recolor(again, old).to_dict() == first_fit(again)
    g.add_edge("a", "d")
    for changed in (["a", "d"], {"a", "d"}, [("a", "d")], np.array([True, False, False, True])):
        assert lagcolor.recolor(g, old, changed).to_dict() == first_fit(g)
    for changed in ([("a", "z")], [["a", "b", "c"]]):
        with pytest.raises(lagcolor.OptionError, match="which is no vertex"):
            lagcolor.recolor(g, old, changed)
    g.add_edge("c", "e")
    g.remove_node("d")
    assert lagcolor.recolor(g, old).to_dict() == first_fit(g)


def test_colorings_that_are_not_first_fits() -> None:
    """Balanced, reduced and searched ones look like first-fit's, or have names of their own."""
    G = graph(30, *np.random.default_rng(3).integers(0, 30, (2, 60)))
    first = lagcolor.color(G, "first_fit", "natural")
    others = [lagcolor.color(G, "first_fit", "natural", **{name: True}) for name in ("balance", "equitable")]
    others += [lagcolor.balance(G, first), lagcolor.reduce(G, first), lagcolor.recolor(G, first, keep=True)]
    for old in [*others, lagcolor.color(G, quality="balanced")]:
        with pytest.raises(lagcolor.OptionError, match="only colors of first-fit can be updated: pass keep=True"):
            lagcolor.recolor(G, old)
        unchanged = lagcolor.recolor(G, old, keep=True)
        assert unchanged.colors.tolist() == old.colors.tolist() and unchanged.rules is None
        lagcolor.reduce(G, unchanged)


def test_vertices_without_a_color() -> None:
    """Vertices without a color are colored, whether they are named or not."""
    G = graph(6, range(5), range(1, 6))
    for keep in (False, True):
        assert lagcolor.recolor(G, [0, -1, 0, 1, 0, 1], [], keep=keep).colors.tolist() == [0, 1, 0, 1, 0, 1]


def test_a_color_that_is_out_of_use_is_noted() -> None:
    result = lagcolor.recolor(lagcolor.generate.path(3), [0, 2, 0], keep=True)
    assert result.notes["gaps"] == 1 and result.verify().ok


def test_what_is_refused() -> None:
    """Errors that are not in the table of refusals."""
    n, u, v = edges("grid")
    G = graph(n, u, v)
    for wrong in (np.zeros((n, 2), int), np.zeros(n)):
        with pytest.raises(lagcolor.ColoringError, match="array of whole numbers"):
            lagcolor.recolor(G, wrong)
    old = lagcolor.color(G, order="natural")
    with pytest.raises(lagcolor.OptionError, match="keep must be True or False, not 'yes'"):
        lagcolor.recolor(G, old, keep="yes")
    assert lagcolor.recolor(G, old, np.zeros(n, bool)).notes["visited"] == 0
    with pytest.raises(lagcolor.ColoringError, match="vertex 'b' has 'red': a color is a whole number"):
        lagcolor.recolor(nx.path_graph(["a", "b"]), {"a": 0, "b": "red"}, keep=True)
    names = dict(enumerate(old.colors.tolist()))
    assert lagcolor.recolor(nx.path_graph(n), names | {"gone": 7}, keep=True).verified
