"""The table of problems: each row's verifier and bounds against its neighborhood, in plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from corpus import CORPUS, first_fit, graph, random_graph
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.problems import PROBLEMS, named


def conflicts(G: lagcolor.Graph, colors: list[int], problem: str) -> set[tuple[int, int]]:
    """Pairs of vertices that constrain each other and share a color."""
    row = PROBLEMS[problem]
    pairs = {(v, int(u)) for v in range(G.n) for u in row.neighborhood(G, v)}
    return {(u, v) for u, v in pairs if u < v and colors[u] == colors[v] >= 0}


@pytest.mark.parametrize("problem", ["distance1"])
@given(n=st.integers(1, 40), density=st.floats(0, 0.5), seed=st.integers(0, 2**32 - 1), k=st.integers(1, 40))
def test_verifier_finds_what_the_neighborhood_says(problem: str, n: int, density: float, seed: int, k: int) -> None:
    G = random_graph(n, int(density * n * n), seed)
    colors = np.random.default_rng(seed).integers(-1, min(n, k), n)
    report = PROBLEMS[problem].verify(G, colors, errors="return")
    expected = conflicts(G, colors.tolist(), problem)
    assert report.n_conflicts == len(expected)
    assert [pair[:2] for pair in report.conflicts] == sorted(expected)[: len(report.conflicts)]
    assert report.n_uncolored == (colors == -1).sum()


@pytest.mark.parametrize("problem", ["distance1"])
@pytest.mark.parametrize("name", CORPUS)
def test_neighborhoods_and_bounds(problem: str, name: str) -> None:
    G, row = graph(name), PROBLEMS[problem]
    near = [set(row.neighborhood(G, v).tolist()) for v in range(G.n)]
    assert all(v not in near[v] for v in range(G.n))
    assert all(v in near[u] for v in range(G.n) for u in near[v])
    order = np.random.default_rng(1).permutation(G.n).tolist()
    used = max(first_fit(G, order), default=-1) + 1
    assert row.lower_bound(G) <= used <= row.upper_bound(G)
    assert (row.upper_bound(G) == 0) == (G.n == 0)


def test_every_algorithm_solves_a_known_problem() -> None:
    assert {row.problem for row in lagcolor.ALGORITHMS.values()} <= set(PROBLEMS)


def test_a_coloring_checks_itself() -> None:
    G = graph("rmat")
    result = lagcolor.color(G, verify=False)
    assert not result.verified
    assert result.verify().n_colors == result.n_colors
    assert result.verified
    assert lagcolor.verify(G, result).ok
    result.colors[int(G.indices[0])] = result.colors[np.searchsorted(G.indptr, 0, side="right") - 1]
    with pytest.raises(lagcolor.ColoringError, match="conflicting"):
        result.verify()


def test_unknown_problem() -> None:
    for call in (lambda: named("distance0"), lambda: lagcolor.verify(graph("path"), [0], problem="distance0")):
        with pytest.raises(
            lagcolor.OptionError,
            match=r"unknown problem 'distance0' \(did you mean 'distance3' or 'distance2' or 'distance1'\?\); there",
        ):
            call()
