"""Lists of allowed colors: the same colors as with all others forbidden, in every form and for every problem."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from corpus import CORPUS, graph

import lagcolor
from lagcolor.base.errors import ColoringError

SMALL = [name for name in CORPUS if name != "clique 1100"]


def lists(n: int, k: int, seed: int) -> np.ndarray:
    """Each vertex may have most of k colors."""
    return np.random.default_rng(seed).random((n, k)) < 0.8


@pytest.mark.parametrize("name", SMALL)
def test_corpus(name: str) -> None:
    G = graph(name)
    k = G.max_degree + 9
    allowed = lists(G.n, k, 3)
    expected = lagcolor.color(G, forbidden=~allowed, max_colors=k)
    by_vertex = {v: np.flatnonzero(row).tolist() for v, row in enumerate(allowed)}
    for form in (allowed, sp.csr_array(allowed), by_vertex):
        result = lagcolor.color(G, allowed=form, max_colors=k)
        assert result.to_numpy().tolist() == expected.to_numpy().tolist()
        assert allowed[np.arange(G.n), result.to_numpy()].all()


def test_vertices_without_a_list_take_any_color() -> None:
    G = lagcolor.generate.clique(5)
    colors = lagcolor.color(G, allowed={0: [4], 1: [3, 4]}, max_colors=5).colors.tolist()
    assert colors[:2] == [4, 3] and sorted(colors[2:]) == [0, 1, 2]


def test_together_with_forbidden_and_fixed() -> None:
    G = lagcolor.generate.path(3)
    result = lagcolor.color(G, allowed={v: [1, 2] for v in range(3)}, forbidden={0: [1]}, fixed={2: 2})
    assert result.colors.tolist() == [2, 1, 2] and result.rules is not None and result.rules.max_colors == 3


def test_no_coloring() -> None:
    G = lagcolor.generate.path(3)
    for rules, reason in (
        ({"allowed": {0: [0], 1: [0], 2: [1]}}, "allowed: lists of colors under 2"),
        ({"allowed": {0: [0], 1: [], 2: [1]}}, "vertex 1 has no color left"),
        (
            {"allowed": {0: [0], 1: [0, 1], 2: [0, 1]}, "fixed": {0: 1}},
            "vertex 0 has color 1, which is forbidden to it",
        ),
    ):
        with pytest.raises(ColoringError, match=reason):
            lagcolor.color(G, **rules)


def test_verifier() -> None:
    G, allowed = lagcolor.generate.path(3), {v: [0, 1] for v in range(3)}
    assert lagcolor.verify(G, [0, 1, 0], allowed=allowed).ok
    report: Any = lagcolor.verify(G, [0, 1, 2], allowed=allowed, errors="return")
    assert report.broken == [
        "allowed: lists of colors under 2: 1 with a color from there on, the first vertex 2: color 2"
    ]
    report = lagcolor.verify(G, [0, 1, 0], allowed={**allowed, 2: [1]}, errors="return")
    assert report.broken == ["1 with a forbidden color, the first vertex 2: color 0"]
