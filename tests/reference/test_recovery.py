"""Compressed products of random integer matrices give back every entry; colors that no entry needs."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from corpus import CORPUS, graph
from derivative_cases import integers
from patterns import SHAPES, pattern

import lagcolor
from lagcolor.derivatives import hessian, jacobian
from lagcolor.engines.two_colored import direct as sums
from lagcolor.engines.two_colored import substitution
from lagcolor.engines.two_colored.neutral import _bipartite_cover, _cover

ORDERS = ("natural", "smallest_last")
HOW = {"star": "direct", "acyclic": "substitution"}


@pytest.mark.parametrize("problem", HOW)
@pytest.mark.parametrize("name", [name for name in CORPUS if name != "clique 1100"])
def test_symmetric(problem: str, name: str) -> None:
    """With a part of the diagonal, all colors and those that entries need."""
    G = graph(name)
    some = (np.random.default_rng(1).random(G.n) < 0.2).astype(np.int8)
    P = lagcolor.Pattern.of(G.to_scipy().astype(np.int8) + sp.diags_array(some, dtype=np.int8))
    A = integers(P, 1, symmetric=True)
    for order in ORDERS:
        for postprocess in (True, False):
            C = hessian(P, HOW[problem], order=order, postprocess=postprocess)
            assert (C.decompress(A @ C.seeds(A.dtype)) != A).nnz == 0


@pytest.mark.parametrize("problem", HOW)
@pytest.mark.parametrize("name", SHAPES)
def test_bicolorings(problem: str, name: str) -> None:
    P = pattern(name)
    A = integers(P, 2)
    for order, cover, postprocess in itertools.product(ORDERS, (False, True), (False, True)):
        options: dict[str, Any] = {"cover": cover, "postprocess": postprocess}
        colors = lagcolor.color(P, "first_fit", order, problem=f"{problem}_bicoloring", **options)
        C = jacobian(P, "both", HOW[problem], coloring=colors)
        columns, rows = C.seeds(A.dtype)
        assert (C.decompress((A @ columns, rows.T @ A)) != A).nnz == 0


@pytest.mark.parametrize("recover", [sums.recover, substitution.recover])
def test_what_is_none(recover: Callable[..., object]) -> None:
    G = graph("even cycle")
    with pytest.raises(lagcolor.ColoringError, match=r"\(0, 1\) of colors 0 and 1"):
        recover(G, (np.arange(G.n) % 2).astype(np.int32))


def test_neutral_colors() -> None:
    anti = pattern("anti-diagonal")
    for problem in ("star_bicoloring", "acyclic_bicoloring"):
        assert lagcolor.color(anti, "first_fit", problem=problem, cover=False, postprocess=False).n_colors == 2
        result = lagcolor.color(anti, "first_fit", problem=problem, cover=False)
        assert result.n_colors == 1
        assert (result.row_colors == -1).all()  # of two equal choices
        assert (result.column_colors == 0).all()
        assert lagcolor.color(pattern("no entries"), problem=problem).n_colors == 0
    row = lagcolor.Pattern.of((np.zeros(5, int), np.arange(5)), shape=(1, 5))
    result = lagcolor.color(row, problem="star_bicoloring")
    assert (result.row_colors.tolist(), result.column_colors.tolist()) == ([0], [-1] * 5)


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
    """For random pairs, a cover is as small as the smallest of all sets, with the most colors of the second kind."""
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
        cover = set(_cover(a, b, k).tolist())
        assert cover in covers
        assert not any(cover - {c} in covers for c in cover)
