"""Colorings of graphs whose edges a function computes: first-fit on the stored graph, color for color."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from corpus import fewer
from hypothesis import given, settings
from hypothesis import strategies as st

import lagcolor
from lagcolor import color_implicit
from lagcolor.engines.implicit.windows import OracleGraph


def matrix(n: int, density: float, seed: int = 0) -> np.ndarray:
    """A random graph, dense."""
    upper = np.triu(np.random.default_rng(seed).random((n, n)) < density, 1)
    return upper | upper.T


def oracle(M: Any) -> Callable[[Any, Any], Any]:
    """Reads a stored matrix."""
    return lambda us, vs: M[us][:, vs]


def stored(M: np.ndarray, order: Any = "natural", seed: int | None = None) -> list[int]:
    """Colors of sequential first-fit."""
    return lagcolor.color(sp.csr_array(M.astype(np.int8)), "greedy", order, seed=seed).colors.tolist()


@pytest.mark.parametrize(("batch", "n"), [(1, 50), (13, 220), (1024, 220)])
def test_equals_first_fit(batch: int, n: int) -> None:
    M = matrix(n, 0.3)
    priorities = np.random.default_rng(1).random(n)
    for order, seed in (("natural", None), ("random", 5), ("largest_first", 2), (priorities, 0)):
        result = color_implicit(oracle(M), n, order, seed=seed, batch=batch)
        assert result.to_numpy().tolist() == stored(M, order, seed)
        assert result.verified and result.verify().ok
        assert result.to_numpy().dtype == np.int32 and result.device == "cpu"


@given(n=st.integers(1, 90), density=st.floats(0, 1), batch=st.integers(1, 100), seed=st.integers(0, 2**32))
@settings(max_examples=fewer(60), deadline=None)
def test_random(n: int, density: float, batch: int, seed: int) -> None:
    M = matrix(n, density, seed)
    assert color_implicit(oracle(M), n, "random", seed=seed, batch=batch).to_numpy().tolist() == stored(
        M, "random", seed
    )


def test_small() -> None:
    def nobody(us: Any, vs: Any) -> Any:
        return np.zeros((len(us), len(vs)), bool)

    assert color_implicit(nobody, 0).classes() == []
    assert color_implicit(nobody, 1).to_numpy().tolist() == [0]
    assert color_implicit(nobody, 5, batch=2).to_numpy().tolist() == [0] * 5
    everybody = color_implicit(lambda us, vs: ~nobody(us, vs), 30, batch=7)  # also itself, which does not count
    assert everybody.to_numpy().tolist() == list(range(30))
    assert "30 colors for 30 vertices" in repr(everybody)


def test_no_more_is_asked_than_a_batch() -> None:
    asked = []

    def ask(us: Any, vs: Any) -> Any:
        asked.append((len(us), len(vs)))
        return (us[:, None] + vs[None, :]) % 3 == 0

    n, batch = 500, 50
    result = color_implicit(ask, n, batch=batch)
    assert min(map(min, asked)) >= 1 and max(map(max, asked)) <= batch
    v = np.arange(n)
    M = (v[:, None] + v[None, :]) % 3 == 0
    np.fill_diagonal(M, False)
    assert result.to_numpy().tolist() == stored(M)


@pytest.mark.parametrize("batch", [10, 400])
def test_an_oracle_that_is_not_symmetric(batch: int) -> None:
    with pytest.raises(lagcolor.GraphError, match="says True of vertices 0 and 1, and False of 1 and 0"):
        color_implicit(lambda us, vs: us[:, None] < vs[None, :], 400, batch=batch)
    if batch == 10:  # within windows of 10 it is
        for order, message in (("natural", "False of vertices 10 and 0, and True of 0 and 10"),
                               (None, "True of vertices 0 and 10, and False of 10 and 0")):  # fmt: skip
            with pytest.raises(lagcolor.GraphError, match=f"says {message}"):
                color_implicit(lambda us, vs: us[:, None] // 10 <= vs[None, :] // 10, 400, order, batch=batch)


def test_wrong_answers() -> None:
    for answer, message in (
        (lambda us, vs: np.zeros(len(us), bool), r"must have shape \(len\(us\), len\(vs\)\) = \(5, 5\), not \(5,\)"),
        (lambda us, vs: np.zeros((len(us), len(vs))), "must be an array of bool, not float64"),
        (lambda us, vs: np.zeros((len(us), len(vs)), int), "must be an array of bool, not int64"),
    ):
        with pytest.raises(lagcolor.GraphError, match=message):
            color_implicit(answer, 5)


@pytest.mark.parametrize("batch", [7, 100])
def test_the_check_finds_broken_colorings(batch: int) -> None:
    M = matrix(40, 0.3, 4)
    result = color_implicit(oracle(M), 40, batch=batch)
    good = result.colors.copy()
    adjacent = np.array([np.bincount(good[M[u]], minlength=good.max() + 1) for u in range(40)])  # neighbors of a color
    (u, one), (w, some) = (np.argwhere(condition)[0] for condition in (adjacent == 1, adjacent > 2))
    for change, message in (
        ((u, one), r"(?<!\d)1 violation, the first: vertices \d+ and \d+ conflict"),
        ((w, some), rf"(?<!\d){adjacent[w, some]} violations, the first: vertices \d+ and \d+ conflict"),
        ((3, -1), "1 uncolored"),
        ((3, 99), "unused"),
    ):
        result.colors = good.copy()
        result.colors[change[0]] = change[1]
        with pytest.raises(lagcolor.ColoringError, match=message):
            result.verify()
    colors = np.random.default_rng(1).integers(0, 4, 40).astype(np.int32)
    found = OracleGraph(oracle(M), np.arange(40), batch).findings(colors)
    assert found.n_violations == int((M & (colors[:, None] == colors[None, :])).sum()) // 2 > 0
    assert "conflict, and both have color" in found.violations[0]
