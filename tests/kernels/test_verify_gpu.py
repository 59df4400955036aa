"""Verifiers on a GPU: what is right passes there, and what is wrong is named as on a CPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from corpus import random_graph
from emulated import EMULATED
from patterns import SHAPES, pattern

import lagcolor
from lagcolor.derivatives import hessian as compressed
from lagcolor.problems import PROBLEMS, hessian, on_gpu

pytestmark = pytest.mark.inner  # arrays of its own are on the current device
ON = [pytest.param("emulated", marks=EMULATED), pytest.param("cuda", marks=pytest.mark.gpu)]
CHECKED = ("columns", "rows", "distance2", "star", "star_bicoloring")


@pytest.fixture
def passed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:
    """Whether the GPU found each coloring right by itself; small ones are checked there, too."""
    outcomes: list[bool] = []
    checked = on_gpu.checked

    def seen(*args: Any, **how: Any) -> Any:
        found = checked(*args, **how)
        outcomes.append(found is not None)
        return found

    monkeypatch.setattr(on_gpu, "FEW", 0)
    monkeypatch.setattr(on_gpu, "checked", seen)
    yield outcomes


def inputs(problem: str) -> list[Any]:
    if PROBLEMS[problem].symmetric:
        return [random_graph(12, 8 + 4 * seed, seed) for seed in range(6)]
    return [pattern(name) for name in SHAPES if 0 < pattern(name).m < 300]


def both(problem: str, P: Any, colors: np.ndarray) -> bool:
    """Whether a coloring is right; the two devices say the same."""
    there = P.on("cuda")
    found = lagcolor.verify(there, there.xp.asarray(colors), problem=problem, errors="return")
    assert found == lagcolor.verify(P, colors, problem=problem, errors="return")
    return bool(found.ok)


@pytest.mark.parametrize("problem", CHECKED)
@pytest.mark.parametrize("kind", ON)
def test_right_and_wrong(kind: str, problem: str, passed: list[bool]) -> None:
    for P in inputs(problem):
        good = lagcolor.color(P, problem=problem).colors
        passed.clear()
        assert both(problem, P, good) and passed[0]
        r = np.random.default_rng(P.m)
        for _ in range(6):
            broken = good.copy()
            v = r.integers(0, len(good), 2)
            broken[v] = r.integers(-1, good.max() + 1, 2)
            passed.clear()
            assert both(problem, P, broken) == passed[0]


@pytest.mark.parametrize("problem", CHECKED)
@pytest.mark.parametrize("kind", ON)
def test_any_colors(kind: str, problem: str, passed: list[bool]) -> None:
    """Random colors; some are right."""
    right = 0
    for seed in range(30):
        r = np.random.default_rng(seed)
        P = random_graph(5, 3, seed) if PROBLEMS[problem].symmetric else pattern("anti-diagonal")
        colors = r.integers(0, 4, P.rows)
        if problem == "star_bicoloring":
            rows, columns = r.integers(-1, 2, (2, P.rows))
            colors = np.concatenate([rows, np.where(columns < 0, columns, columns + rows.max() + 1)])
        if P.m == 0:
            continue
        passed.clear()
        colors = colors.astype(np.int32 if seed % 2 else np.int64)
        ok = both(problem, P, colors)
        assert ok == passed[0]
        right += ok
    assert 0 < right < 25


@pytest.mark.parametrize("diagonal", [False, True])
@pytest.mark.parametrize("kind", ON)
def test_neutral_colors_of_hessians(kind: str, diagonal: bool, passed: list[bool]) -> None:
    """Right and broken ones, where vertices without entries of the diagonal may have none."""
    wrong = 0
    for seed in range(6):
        A = random_graph(12, 8 + 4 * seed, seed).to_scipy().toarray() != 0
        A[3, 3] = A[7, 7] = diagonal
        P = lagcolor.Pattern.of(A)
        there, good = P.on("cuda"), compressed(P).column_colors
        r = np.random.default_rng(seed)
        for turn in range(12):
            colors = good.copy()
            if turn:
                colors[r.integers(0, len(good), 2)] = r.integers(-1, good.max() + 1, 2)
            passed.clear()
            found = hessian.verify(there, there.xp.asarray(colors), errors="return")
            # The check on a GPU asks that neighbors differ; where they do not, the one on the CPU decides.
            u, v = np.nonzero(A & ~np.eye(len(A), dtype=bool))
            assert passed[0] == found.ok or (found.ok and (colors[u] == colors[v]).any())
            assert found == hessian.verify(P, colors, errors="return")
            wrong += not found.ok
            assert turn or found.ok
    assert 6 < wrong < 66


@pytest.mark.parametrize("kind", ON)
def test_what_does_not_fit(kind: str, passed: list[bool]) -> None:
    P = pattern("band").on("cuda")
    for colors in (P.xp.zeros(3, np.int32), P.xp.zeros(P.columns, np.float64), np.zeros(3, np.int32)):
        with pytest.raises(lagcolor.ColoringError, match="colors must"):
            lagcolor.verify(P, colors, problem="columns")
    assert passed == [False] * 3


@pytest.mark.emulated
def test_too_little_memory(monkeypatch: pytest.MonkeyPatch, passed: list[bool]) -> None:
    """A CPU does it then."""
    P = pattern("band")
    there, colors = P.on("cuda"), lagcolor.color(P, problem="columns").colors
    array = there.xp.asarray(colors)

    def full(*_: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(on_gpu, "columns", full)
    passed.clear()
    assert lagcolor.verify(there, array, problem="columns").ok and passed == [False]
