"""Verifiers of star and acyclic colorings and bicolorings against their definitions, on colorings of small inputs."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import numpy as np
import pytest
from contract import definitions
from corpus import graph, random_graph
from patterns import pattern

import lagcolor
from lagcolor.problems import PROBLEMS

HOLDS = ("star", "acyclic")
BICOLORED = ("star_bicoloring", "acyclic_bicoloring")


def check(problem: str, inputs: Iterable[lagcolor.Pattern], values: Sequence[Sequence[int]], every: int) -> None:
    """Compare the verifier with the definition on one of `every` colorings of each input."""
    good = bad = 0
    for seed, P in enumerate(inputs):
        for colors in itertools.product(*values):
            if (hash(colors) + seed) % every:
                continue
            report = PROBLEMS[problem].verify(P, np.array(colors), errors="return")
            holds = definitions.HOLDS[problem](P, colors)
            assert (report.n_violations == 0) == holds == (not report.violations)
            assert report.n_uncolored == (colors.count(-1) if PROBLEMS[problem].symmetric else 0)
            good, bad = good + holds, bad + (not holds)
    assert min(good, bad) > 300


@pytest.mark.parametrize("problem", HOLDS)
def test_colorings_of_small_graphs(problem: str) -> None:
    check(problem, (random_graph(6, 4 + seed, seed) for seed in range(12)), [(-1, 0, 1, 2)] * 6, 8)


@pytest.mark.parametrize("problem", BICOLORED)
def test_colorings_of_small_patterns(problem: str) -> None:
    rows = (np.random.default_rng(seed).random((3, 4)) < 0.3 + 0.05 * seed for seed in range(12))
    check(problem, map(lagcolor.Pattern.of, rows), [(-1, 0, 1)] * 3 + [(-1, 1, 2, 3)] * 4, 16)


@pytest.mark.parametrize("problem", BICOLORED)
def test_rows_have_the_lower_colors(problem: str) -> None:
    """A column may not have a color of the rows, also not the highest; it may have the next one."""
    P = pattern("no entries")
    colors = np.where(np.arange(P.rows + P.columns) < P.rows, np.arange(P.rows + P.columns), -1)
    highest = P.rows - 1
    for column in (0, P.columns - 1):
        for color, count in ((highest + 1, 0), (highest, 1), (highest - 1, 1), (0, 1)):
            passed = colors.copy()
            passed[P.rows + column] = color
            report = lagcolor.verify(P, passed, problem=problem, errors="return")
            assert report.n_violations == len(report.violations) == count
            for sentence in report.violations:
                assert sentence == (
                    f"column {column} has color {color} and row {highest} color {highest}: rows have the lower colors"
                )


def test_offenders_are_named() -> None:
    path, cycle, anti = graph("path"), graph("even cycle"), pattern("dense")
    two = np.arange(64) % 2
    for G, colors, problem, message in (
        (path, 0 * two[:50], "star", r"edge \(0, 1\): both have color 0"),
        (cycle, two, "acyclic", r"64 violation.*edge \(0, 1\): on or between cycles of colors 0 and 1 alone"),
        (anti, np.repeat([0, 1], [7, 5]), "star_bicoloring", r"entry \(0, 0\) of colors 0 and 1 is alone neither"),
        (anti, np.repeat([0, 1], [7, 5]), "acyclic_bicoloring", r"entry \(0, 0\) of colors 0 and 1 cannot be found"),
        (anti, np.full(12, -1), "acyclic_bicoloring", r"35 violation.*entry \(0, 0\) of colors -1 and -1"),
    ):
        with pytest.raises(lagcolor.ColoringError, match=message):
            lagcolor.verify(G, colors, problem=problem)


@pytest.mark.parametrize("problem", ["star", "acyclic_bicoloring"])
def test_colors_that_do_not_fit(problem: str) -> None:
    x = graph("path") if problem in HOLDS else pattern("band")
    n = 50 if problem in HOLDS else 30
    for colors, message in (
        (np.zeros(3, int), rf"shape \({n},\), one per \w.*, not \(3,\)"),
        (np.zeros(n), "must be integers, not float64"),
        (np.where(np.arange(n) == 2, -7, np.arange(n)), "2 has color -7"),
        (2 * np.arange(n), "colors are not 0 … k-1"),
    ):
        with pytest.raises(lagcolor.ColoringError, match=message):
            lagcolor.verify(x, colors, problem=problem)
    assert lagcolor.verify(x, np.arange(n, dtype=np.uint8), problem=problem).n_colors == n


@pytest.mark.parametrize("problem", HOLDS)
def test_lower_bounds_that_are_tight(problem: str) -> None:
    """Two colors do for n − 1 edges at most, three for 2 n − 3: a k-tree has as many edges as k + 1 colors allow.

    A star coloring of a path of four vertices or more needs three.
    """
    bound, n = PROBLEMS[problem].lower_bound, 30
    for k in range(1, 6):
        ends = [(i, j) for i in range(n) for j in range(max(i - k, 0), i)]
        assert len(ends) == k * n - k * (k + 1) // 2
        G = lagcolor.Graph.of(np.array(ends).T)
        assert bound(G) == max(k + 1, 3 if problem == "star" else 2)
        more = lagcolor.Graph.of(np.array([*ends, (0, n - 1)]).T)
        assert bound(more) == k + 2
