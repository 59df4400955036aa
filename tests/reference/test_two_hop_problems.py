"""Verifiers and bounds of columns, rows and distance 2: they find what dense matrices say, and name it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from corpus import fewer, first_fit, random_graph
from hypothesis import given, settings
from hypothesis import strategies as st
from two_hop_cases import TWO_HOP, apart, case, cases, random_pattern, size

import lagcolor
from lagcolor import ColoringError
from lagcolor.problems import PROBLEMS

NAMES = {
    "columns": r"columns (\d+) and (\d+) both have color (\d+), and row (\d+) has an entry in both",
    "rows": r"rows (\d+) and (\d+) both have color (\d+), and column (\d+) has an entry in both",
    "distance2": r"vertices (\d+) and (\d+) both have color (\d+), and (?:they are neighbors|"
    r"vertex (\d+) is a neighbor of both)",
}


def make(problem: str, n: int, density: float, seed: int) -> Any:
    if problem == "distance2":
        return random_graph(n, int(density * n * n), seed)
    return random_pattern(n, max(1, 45 - n), int(density * n * n), seed)


def holds(problem: str, P: Any, sentence: str, colors: np.ndarray) -> bool:
    """Whether the two that a sentence names share the color and the net that it names."""
    found = re.fullmatch(NAMES[problem], sentence)
    assert found is not None, sentence
    u, v, color = (int(x) for x in found.groups()[:3])
    net = found.group(4)
    a = np.zeros(P.shape, bool)
    a[np.repeat(np.arange(P.rows), np.diff(P.indptr)), P.indices] = True
    if net is None:
        together = a[u, v]
    elif problem == "columns":
        together = a[int(net), u] and a[int(net), v]
    else:
        together = a[u, int(net)] and a[v, int(net)]
    return bool(u < v and colors[u] == colors[v] == color and together)


@pytest.mark.parametrize("problem", TWO_HOP)
@given(n=st.integers(1, 40), density=st.floats(0, 0.4), seed=st.integers(0, 2**32 - 1), k=st.integers(1, 60))
@settings(max_examples=fewer(50))
def test_any_colors(problem: str, n: int, density: float, seed: int, k: int) -> None:
    P = make(problem, n, density, seed)
    colors = np.random.default_rng(seed).integers(-1, k, size(problem, P))
    near = apart(problem, P)
    broken = (near & (colors[:, None] == colors) & (colors >= 0)).any()
    report = PROBLEMS[problem].verify(P, colors, errors="return")
    assert (report.n_violations > 0) == broken
    assert len(report.violations) == min(report.n_violations, 5)
    assert all(holds(problem, P, sentence, colors) for sentence in report.violations)
    assert report.n_uncolored == (colors == -1).sum()
    used = set(colors[colors >= 0].tolist())
    assert (report.n_colors, report.gaps) == (len(used), max(used, default=-1) + 1 - len(used))


@pytest.mark.parametrize("problem", TWO_HOP)
def test_each_broken_pair_is_found(problem: str) -> None:
    """All colors different but of one pair, for all pairs: a fault exactly where the two constrain each other."""
    P = make(problem, 14, 0.12, 5)
    near = apart(problem, P)
    for v in range(len(near)):
        for u in range(v):
            colors = np.arange(len(near))
            colors[v] = u
            colors[colors > v] -= 1
            report = PROBLEMS[problem].verify(P, colors, errors="return")
            assert report.ok != near[u, v]
            if near[u, v]:
                assert re.match(NAMES[problem], report.violations[0]).groups()[:2] == (str(u), str(v))  # type: ignore[union-attr]


@pytest.mark.parametrize("problem", TWO_HOP)
def test_colors_at_the_limits_of_the_tables(problem: str) -> None:
    """Tables have n places: colors become indices below n, and stay negative where there is no color."""
    from lagcolor.problems.report import narrowed

    P = make(problem, 14, 0.12, 5)
    n = size(problem, P)
    for low, high in ((0, n - 1), (0, n), (0, n + 1), (-n - 1, n), (-n - 2, n - 1), (-(2**31) - 1, 2**32)):
        colors = np.arange(n)
        colors[0], colors[1], colors[2], colors[-1] = low, high, high, high
        narrow = narrowed(colors)
        used = sorted(set(colors[colors >= 0].tolist()))
        assert narrow.dtype == np.int32 and narrow.max() < n and ((narrow < 0) == (colors < 0)).all()
        assert ((narrow[:, None] == narrow) >= (colors[:, None] == colors)).all()
        report = PROBLEMS[problem].verify(P, colors, errors="return")
        assert (report.n_colors, report.gaps) == (len(used), high + 1 - len(used))
        broken = (apart(problem, P) & (colors[:, None] == colors) & (colors >= 0)).any()
        assert (report.n_violations > 0) == broken


def test_neighbors_with_no_other_in_common() -> None:
    """A pair of one color that meets in the nets of the two alone, at each place and in each color."""
    G = lagcolor.generate.from_spec("path:9")
    for v in range(8):
        for color in (0, 5):
            colors = np.where(np.isin(np.arange(9), [v, v + 1]), color, np.arange(9) + 10)
            report = lagcolor.verify(G, colors, problem="distance2", errors="return")
            assert report.violations[0] == f"vertices {v} and {v + 1} both have color {color}, and they are neighbors"


@pytest.mark.parametrize("problem", TWO_HOP)
def test_faults(problem: str) -> None:
    P = case(problem, "grid")
    n = P.rows
    good = lagcolor.color(P, problem=problem).colors
    for bad, text in (
        (np.where(good == 0, 1, good), "violation"),
        (np.where(np.arange(n) == 7, -1, good), r"1 uncolored \(-1\), the first 7"),
        (np.where(np.arange(n) == 7, -2, good), "7 has color -2"),
        (good + 1, "not 0 … k-1"),
        (np.where(good == 2, 2**40, good.astype(np.int64)), "not 0 … k-1"),
    ):
        assert not lagcolor.verify(P, bad, problem=problem, errors="return").ok
        with pytest.raises(ColoringError, match=text):
            lagcolor.verify(P, bad, problem=problem)
    for bad, text in ((good.astype(float), "integers, not float64"), (good[:-1], rf"shape \({n},\)")):
        with pytest.raises(ColoringError, match=text):
            lagcolor.verify(P, bad, problem=problem, errors="return")
    some = np.where(np.arange(n) == 7, -1, good)
    assert lagcolor.verify(P, some, problem=problem, allow_uncolored=True).n_uncolored == 1


@pytest.mark.parametrize("problem", TWO_HOP)
def test_neighborhoods_and_bounds(problem: str) -> None:
    row = PROBLEMS[problem]
    for name in cases(problem):
        P = case(problem, name)
        near = apart(problem, P)
        for v in range(len(near)):
            found = row.neighborhood(P, v)
            assert found.dtype == np.int32
            assert found.tolist() == np.flatnonzero(near[v]).tolist()
        used = max(first_fit(near, np.random.default_rng(1).permutation(len(near)).tolist()), default=-1) + 1
        assert row.lower_bound(P) <= used <= row.upper_bound(P), name
        assert (row.upper_bound(P) == 0) == (len(near) == 0)
