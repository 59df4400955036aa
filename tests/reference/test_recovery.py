"""Compressed products of random integer matrices give back every entry, by the indices of `recover` alone."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from corpus import CORPUS, graph
from patterns import SHAPES, pattern

import lagcolor
from lagcolor.engines.two_colored import direct as sums
from lagcolor.engines.two_colored import substitution
from lagcolor.engines.two_colored.neutral import _bipartite_cover, _cover, without_unneeded
from lagcolor.graph.bipartite import Augmented

ORDERS = ("natural", "smallest_last")


def symmetric_values(G: lagcolor.Graph, seed: int = 0) -> np.ndarray:
    """An integer per stored entry, the same for both of an edge."""
    v = np.repeat(np.arange(G.n), np.diff(G.indptr))
    low, high = np.minimum(v, G.indices), np.maximum(v, G.indices)
    _, edge = np.unique(low.astype(np.int64) * max(G.n, 1) + high, return_inverse=True)
    return np.random.default_rng(seed).integers(1, 1 << 40, len(edge))[edge]


def compressed(G: lagcolor.Graph, values: np.ndarray, colors: np.ndarray) -> np.ndarray:
    """B[v, c] = Σ A[v, u] over neighbors u of v with color c, as a dense array."""
    B = np.zeros((G.n, int(colors.max(initial=-1)) + 1), np.int64)
    v = np.repeat(np.arange(G.n), np.diff(G.indptr))
    c = colors[G.indices]
    np.add.at(B, (v[c >= 0], c[c >= 0]), values[c >= 0])
    return B


def direct(G: lagcolor.Graph, colors: np.ndarray, B: np.ndarray) -> np.ndarray:
    """The values that `direct.recover` reads."""
    vertex, color = sums.recover(G, colors)
    assert vertex.dtype == color.dtype == np.int32
    assert (color >= 0).all()
    return B[vertex, color]


def substituted(G: lagcolor.Graph, colors: np.ndarray, B: np.ndarray) -> np.ndarray:
    """The values that the levels of `substitution.recover` find, each level at once."""
    S, R = substitution.recover(G, colors), B.copy()
    values = np.zeros(G.m, np.int64)
    assert S.levels[0] == 0
    assert S.levels[-1] == len(S.entry) == G.m // 2
    for begin, end in zip(S.levels[:-1].tolist(), S.levels[1:].tolist(), strict=True):
        at = slice(begin, end)
        assert begin < end
        x = R[S.vertex[at], S.color[at]]
        values[S.entry[at]] = values[S.mirror[at]] = x
        on = S.parent_color[at] >= 0
        np.subtract.at(R, (S.parent[at][on], S.parent_color[at][on]), x[on])
    return values


RECOVER = {"star": direct, "acyclic": substituted}


@pytest.mark.parametrize("problem", RECOVER)
@pytest.mark.parametrize("name", [name for name in CORPUS if name != "clique 1100"])
def test_symmetric(problem: str, name: str) -> None:
    G = graph(name)
    values = symmetric_values(G)
    for order in ORDERS:
        colors = lagcolor.color(G, problem=problem, order=order).colors
        diagonal = np.random.default_rng(1).random(G.n) < 0.2
        for given in (colors, without_unneeded(G, colors), without_unneeded(G, colors, diagonal=diagonal)):
            assert (RECOVER[problem](G, given, compressed(G, values, given)) == values).all()
        assert (given[diagonal] >= 0).all()
        assert (without_unneeded(G, colors, diagonal=np.ones(G.n, bool)) == colors).all()


@pytest.mark.parametrize("problem", RECOVER)
@pytest.mark.parametrize("name", SHAPES)
def test_bicolorings(problem: str, name: str) -> None:
    P = pattern(name)
    G = Augmented.of(P)
    values = symmetric_values(G, 2)
    for order in ORDERS:
        for cover, postprocess in itertools.product((False, True), repeat=2):
            options = {"cover": cover, "postprocess": postprocess}
            colors = lagcolor.color(P, "first_fit", order, problem=f"{problem}_bicoloring", **options).colors
            assert (RECOVER[problem](G, colors, compressed(G, values, colors)) == values).all()


@pytest.mark.parametrize("problem", RECOVER)
def test_what_is_none(problem: str) -> None:
    G = graph("even cycle")
    colors = (np.arange(G.n) % 2).astype(np.int32)
    with pytest.raises(lagcolor.ColoringError, match=r"\(0, 1\) of colors 0 and 1"):
        RECOVER[problem](G, colors, np.zeros((G.n, 2), np.int64))


def test_neutral_colors() -> None:
    anti = pattern("anti-diagonal")
    for problem in ("star_bicoloring", "acyclic_bicoloring"):
        assert lagcolor.color(anti, "first_fit", problem=problem, cover=False, postprocess=False).n_colors == 2
        kept = lagcolor.color(anti, "first_fit", problem=problem, cover=False)
        assert kept.n_colors == 1
        assert (kept.row_colors == -1).all()  # of two equal choices
        assert (kept.column_colors == 0).all()
        assert lagcolor.color(pattern("no entries"), problem=problem).n_colors == 0
    row = lagcolor.Pattern.of((np.zeros(5, int), np.arange(5)), shape=(1, 5))
    kept = lagcolor.color(row, problem="star_bicoloring")
    assert (kept.row_colors.tolist(), kept.column_colors.tolist()) == ([0], [-1] * 5)


def test_choices_are_listed_once() -> None:
    """Several edges of the same two colors are one pair."""
    clique = np.argwhere(np.triu(np.ones((20, 20), bool), 1))
    G = lagcolor.Graph.of(np.concatenate([clique, 20 + np.arange(20).reshape(10, 2)]).T)  # and ten edges of their own
    colors = lagcolor.color(G, problem="star").colors
    k = int(colors.max()) + 1
    needed = np.zeros(k, bool)
    assert sums.choices(G, colors, needed).tolist() == [a * k + b for a in range(k) for b in range(a + 1, k)]
    assert not needed.any()


def test_a_cover_of_colors_is_smallest() -> None:
    """Of random pairs, against all sets; the smallest with the most of the second kind. The other has none too many."""
    r = np.random.default_rng(4)
    for _ in range(60):
        rows, columns = r.integers(1, 5, 2)
        a, b = np.divmod(np.flatnonzero(r.random(rows * columns) < 0.4), columns)
        b, k = b + rows, int(rows + columns)
        sets_ = [{c for c in range(k) if bits >> c & 1} for bits in range(1 << k)]
        covers = [s for s in sets_ if all(x in s or y in s for x, y in zip(a.tolist(), b.tolist(), strict=True))]
        least = min(map(len, covers))
        found = set(_bipartite_cover(a, b, k).tolist())
        assert found in covers
        assert len(found) == least
        assert sum(c < rows for c in found) == min(sum(c < rows for c in s) for s in covers if len(s) == least)
        kept = set(_cover(a, b, k).tolist())
        assert kept in covers
        assert not any(kept - {c} in covers for c in kept)
