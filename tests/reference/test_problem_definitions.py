"""Verifiers of star and acyclic colorings and bicolorings against their definitions, on colorings of small inputs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from contract import definitions
from corpus import CORPUS, graph, random_graph
from patterns import SHAPES, pattern

import lagcolor
from lagcolor.problems import PROBLEMS

HOLDS = {name: definitions.HOLDS[name] for name in ("star", "acyclic")}
BICOLORED = {name: definitions.HOLDS[name] for name in ("star_bicoloring", "acyclic_bicoloring")}


@pytest.mark.parametrize("problem", HOLDS)
def test_colorings_of_small_graphs(problem: str) -> None:
    good = bad = 0
    for seed in range(12):
        G = random_graph(6, 4 + seed, seed)
        for colors in itertools.product((-1, 0, 1, 2), repeat=6):
            if (hash(colors) + seed) % 8:
                continue
            report = PROBLEMS[problem].verify(G, np.array(colors), errors="return")
            holds = HOLDS[problem](G, colors)
            assert (report.n_violations == 0) == holds == (not report.violations)
            assert report.n_uncolored == colors.count(-1)
            good, bad = good + holds, bad + (not holds)
    assert good > 300
    assert bad > 300


@pytest.mark.parametrize("problem", BICOLORED)
def test_colorings_of_small_patterns(problem: str) -> None:
    good = bad = 0
    for seed in range(12):
        r = np.random.default_rng(seed)
        P = lagcolor.Pattern.of(np.asarray(r.random((3, 4)) < 0.3 + 0.05 * seed))
        for colors in itertools.product((-1, 0, 1), (-1, 0, 1), (-1, 0, 1), *[(-1, 1, 2, 3)] * 4):
            if (hash(colors) + seed) % 16:
                continue
            report = PROBLEMS[problem].verify(P, np.array(colors), errors="return")
            holds = BICOLORED[problem](P, colors)
            assert (report.n_violations == 0) == holds == (not report.violations)
            assert report.n_uncolored == 0
            good, bad = good + holds, bad + (not holds)
    assert good > 300
    assert bad > 300


@pytest.mark.parametrize("problem", BICOLORED)
def test_rows_have_the_lower_colors(problem: str) -> None:
    """A column may not have a color of the rows, also not the highest; it may have the next one."""
    P = pattern("no entries")
    colors = np.where(np.arange(P.rows + P.columns) < P.rows, np.arange(P.rows + P.columns), -1)
    highest = P.rows - 1
    for column in (0, P.columns - 1):
        for color, count in ((highest + 1, 0), (highest, 1), (highest - 1, 1), (0, 1)):
            given = colors.copy()
            given[P.rows + column] = color
            report = lagcolor.verify(P, given, problem=problem, errors="return")
            assert report.n_violations == len(report.violations) == count
            for sentence in report.violations:
                assert sentence == (
                    f"column {column} has color {color} and row {highest} color {highest}: rows have the lower colors"
                )


@pytest.mark.parametrize("problem", HOLDS)
@pytest.mark.parametrize("name", ["path", "odd cycle", "grid", "random sparse", "random dense", "crown"])
def test_a_broken_coloring_is_found(problem: str, name: str) -> None:
    """Two colors made one, on one vertex: found if and only if it breaks the definition."""
    G = graph(name)
    colors = lagcolor.color(G, problem=problem).colors
    r = np.random.default_rng(5)
    for v in r.choice(G.n, 12 if G.n < 200 else 2, replace=False).tolist():
        broken = colors.copy()
        broken[v] = r.choice(colors[colors != colors[v]])
        report = lagcolor.verify(G, broken, problem=problem, errors="return")
        assert (report.n_violations == 0) == HOLDS[problem](G, broken.tolist())


@pytest.mark.parametrize("problem", BICOLORED)
@pytest.mark.parametrize("name", ["dense row", "dense column", "arrow", "band plus arrow", "wide", "square"])
def test_a_broken_bicoloring_is_found(problem: str, name: str) -> None:
    P = pattern(name)
    colors = lagcolor.color(P, problem=problem).colors
    r = np.random.default_rng(6)
    for turn in range(40):
        broken = colors.copy()
        v = int(r.integers(P.rows + P.columns))
        kind = colors[: P.rows] if v < P.rows else colors[P.rows :]
        broken[v] = r.choice(colors if turn % 2 else kind)  # of any kind, or of its own
        report = lagcolor.verify(P, broken, problem=problem, errors="return")
        assert (report.n_violations == 0) == BICOLORED[problem](P, tuple(broken.tolist()))


def test_offenders_are_named() -> None:
    path, cycle, anti = graph("path"), graph("even cycle"), pattern("dense")
    two = np.arange(64) % 2
    for G, colors, problem, message in (
        (path, two[:50], "star", r"path 0 - 1 - 2 - 3: only colors 0 and 1"),
        (path, 0 * two[:50], "star", r"edge \(0, 1\): both have color 0"),
        (cycle, two, "acyclic", r"64 violation.*edge \(0, 1\): on or between cycles of colors 0 and 1 alone"),
        (cycle, 0 * two, "acyclic", r"edge \(0, 1\): both have color 0"),
        (anti, np.repeat([0, 1], [7, 5]), "star_bicoloring", r"entry \(0, 0\) of colors 0 and 1 is alone neither"),
        (anti, np.repeat([0, 1], [7, 5]), "acyclic_bicoloring", r"entry \(0, 0\) of colors 0 and 1 cannot be found"),
        (anti, np.arange(12) % 7, "star_bicoloring", "column 0 has color 0 and row 6 color 6: rows have the lower"),
        (anti, np.full(12, -1), "acyclic_bicoloring", r"35 violation.*entry \(0, 0\) of colors -1 and -1"),
    ):
        with pytest.raises(lagcolor.ColoringError, match=message):
            lagcolor.verify(G, colors, problem=problem)


@pytest.mark.parametrize("problem", [*HOLDS, *BICOLORED])
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
    with pytest.raises(lagcolor.OptionError, match="errors must be"):
        lagcolor.verify(x, np.arange(n), problem=problem, errors="print")


@pytest.mark.parametrize("problem", HOLDS)
def test_lower_bounds_that_are_tight(problem: str) -> None:
    """Two colors do for n − 1 edges at most, three for 2 n − 3: a k-tree has as many edges as k + 1 colors allow."""
    bound, n = PROBLEMS[problem].lower_bound, 30
    for k in range(1, 6):
        ends = [(i, j) for i in range(n) for j in range(max(i - k, 0), i)]
        assert len(ends) == k * n - k * (k + 1) // 2
        G = lagcolor.Graph.of(np.array(ends).T)
        assert bound(G) == k + 1
        more = lagcolor.Graph.of(np.array([*ends, (0, n - 1)]).T)
        assert bound(more) == k + 2


@pytest.mark.parametrize("name", CORPUS)
def test_lower_bounds(name: str) -> None:
    """A clique needs a color each, and no bound is over what a coloring has."""
    G = graph(name)
    for problem in HOLDS:
        bound = PROBLEMS[problem].lower_bound(G)
        assert bound <= lagcolor.color(G, problem=problem, order="smallest_last").n_colors
        assert bound == G.n or not name.startswith("clique") or "more" in name


@pytest.mark.parametrize("name", SHAPES)
def test_bounds_of_bicolorings(name: str) -> None:
    P = pattern(name)
    for problem in BICOLORED:
        row = PROBLEMS[problem]
        whole = lagcolor.color(P, "first_fit", "random", problem=problem, postprocess=False)
        kept = lagcolor.color(P, "first_fit", "random", problem=problem)
        assert row.lower_bound(P) <= kept.n_colors <= whole.n_colors <= row.upper_bound(P)


def test_neutral_and_uncolored() -> None:
    """−1 is a color of a bicoloring and none of a star coloring, which must be told that it is on purpose."""
    path = graph("path")
    colors = np.where(np.arange(50) % 4 == 3, -1, np.arange(50) % 4 % 3)
    report = lagcolor.verify(path, colors, problem="star", allow_uncolored=True)
    assert report.n_uncolored == 12
    with pytest.raises(lagcolor.ColoringError, match="12 uncolored"):
        lagcolor.verify(path, colors, problem="star")
