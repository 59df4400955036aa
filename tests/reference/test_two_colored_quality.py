"""Qualities of star and acyclic colorings, bicolorings and products: never worse than one order, and squeaky wheels."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from contract import definitions
from corpus import fewer, graph, random_graph
from derivative_cases import RECTANGULAR, SYMMETRIC
from hypothesis import given, settings
from hypothesis import strategies as st

import lagcolor
from lagcolor.derivatives import hessian, jacobian
from lagcolor.engines.two_colored import first_fit
from lagcolor.engines.two_colored.squeaky_wheel import fewer_stars
from lagcolor.graph.bipartite import Augmented
from lagcolor.problems import PROBLEMS
from lagcolor.search import two_colored

SYMMETRIC_PROBLEMS, BOTH = ("star", "acyclic"), ("star_bicoloring", "acyclic_bicoloring")
SINGLE = ("natural", "largest_first", "smallest_last", "incidence_degree")


@settings(max_examples=fewer(60))
@given(n=st.integers(1, 30), degree=st.floats(0, 8), seed=st.integers(0, 2**32 - 1))
def test_a_squeaky_wheel_keeps_a_star_coloring(n: int, degree: float, seed: int) -> None:
    G = random_graph(n, int(degree * n / 2), seed)
    before = first_fit.star(G, np.random.default_rng(seed).permutation(n).astype(np.int32))
    after = fewer_stars(G, before, turns=8, seed=seed)
    assert definitions.star(G, after.tolist())
    assert set(after.tolist()) == set(range(after.max() + 1))
    assert after.max() <= before.max()
    assert (after == fewer_stars(G, before, turns=8, seed=seed)).all()
    assert (fewer_stars(G, before, least=int(before.max()) + 1, turns=8) == before).all()


@settings(max_examples=fewer(60))
@given(
    rows=st.integers(1, 12), columns=st.integers(1, 12), density=st.floats(0, 0.6), seed=st.integers(0, 2**32 - 1)
)  # fmt: skip
def test_a_squeaky_wheel_keeps_a_bicoloring(rows: int, columns: int, density: float, seed: int) -> None:
    """Rows first, neutral ones as they were, and every entry alone in one of its sums."""
    P = lagcolor.Pattern.of(np.random.default_rng(seed).random((rows, columns)) < density)
    before = lagcolor.color(P, problem="star_bicoloring", quality="fast").colors
    after = fewer_stars(Augmented.of(P), before, turns=8, seed=seed)
    assert ((before < 0) == (after < 0)).all()
    assert after.max() <= before.max()
    lagcolor.verify(P, after, problem="star_bicoloring")


def test_a_squeaky_wheel_saves_colors() -> None:
    """More than the order of ids, which all turns have without a weight, and none if the search ends at once."""
    G = random_graph(80, 240, 1)
    before = first_fit.star(G, np.arange(G.n, dtype=np.int32))
    assert (fewer_stars(G, before, turns=50, goes_on=lambda: False) == before).all()
    assert fewer_stars(G, before, turns=50).max() < before.max()


@pytest.mark.parametrize("problem", SYMMETRIC_PROBLEMS)
@pytest.mark.parametrize("name", ["one edge", "grid", "star", "clique 5", "random sparse", "random dense", "odd cycle"])
def test_corpus(problem: str, name: str) -> None:
    G = graph(name)
    balanced = lagcolor.color(G, problem=problem, verify=True)
    assert balanced.algorithm == "auto, balanced"
    assert balanced.lower_bound <= balanced.n_colors
    assert balanced.n_colors == min(t["colors"] for t in balanced.notes["tried"] if t["colors"] is not None)
    for order in SINGLE:
        assert balanced.n_colors <= lagcolor.color(G, problem=problem, order=order).n_colors
    assert (balanced.colors == lagcolor.color(G, problem=problem).colors).all()
    best = lagcolor.color(G, problem=problem, quality="best", time_limit=0.05, verify=True)
    assert best.algorithm == "auto, best"


@pytest.mark.parametrize("problem", BOTH)
@pytest.mark.parametrize("name", RECTANGULAR)
def test_bicolorings(problem: str, name: str) -> None:
    """No more colors than one pass, than columns or rows alone, or than the stricter problem."""
    P = RECTANGULAR[name]
    balanced = lagcolor.color(P, problem=problem, verify=True).n_colors
    assert balanced <= lagcolor.color(P, problem=problem, quality="fast").n_colors
    assert balanced <= lagcolor.color(P, problem="star_bicoloring").n_colors
    assert balanced <= min(jacobian(P, side).n_colors for side in ("columns", "rows"))
    best = lagcolor.color(P, problem=problem, quality="best", time_limit=0.05, verify=True)
    assert best.lower_bound <= best.n_colors


def test_a_bicoloring_may_be_of_one_side() -> None:
    """A permuted grid: five groups of columns do, and first-fit of both sides takes more."""
    G = lagcolor.generate.from_spec("grid2d:24")
    p = np.random.default_rng(1).permutation(G.n)
    P = lagcolor.Pattern.of((G.to_scipy() + sp.eye_array(G.n))[p][:, p].tocsr())
    for problem in BOTH:
        tried = {t["name"]: t["colors"] for t in lagcolor.color(P, problem=problem).notes["tried"]}
        assert tried["columns"] == jacobian(P).n_colors < tried["first_fit"]


@pytest.mark.parametrize("decompression", ["direct", "substitution"])
def test_hessians_need_no_more_than_one_order(decompression: str) -> None:
    for P in SYMMETRIC.values():
        single = {order: hessian(P, decompression, order=order).n_colors for order in SINGLE}
        assert hessian(P, decompression, verify=True).n_colors <= min(single.values()), single


def test_a_hessian_without_diagonal() -> None:
    """Colorings with more colors may need fewer products: a grid needs five colors, and four products."""
    H = lagcolor.generate.from_spec("grid2d:20").to_scipy()
    assert hessian(H, quality="fast").n_colors > hessian(H).n_colors == 4


def test_larger_inputs_are_colored_in_few_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(two_colored, "HOST", 10)
    monkeypatch.setattr(two_colored, "SMALL", 10)
    for problem in (*SYMMETRIC_PROBLEMS, *BOTH):
        result = lagcolor.color(graph("rmat"), problem=problem, verify=True)
        tried = [t["name"] for t in result.notes["tried"]]
        assert "smallest_log_last, seed 0" in tried and "connected_sequential_bfs" not in tried  # there is a hub
        assert "squeaky_wheel" not in tried
    shuffled = lagcolor.generate.delaunay(7)
    tried = [t["name"] for t in lagcolor.color(shuffled, problem="star", verify=True).notes["tried"]]
    assert tried == ["first_fit", "connected_sequential_bfs"]


def test_best_keeps_its_limit() -> None:
    """Without time the result is the first coloring; without a limit the search ends at a bound."""
    short = lagcolor.color(graph("rmat"), problem="star", quality="best", time_limit=1e-9)
    assert [t["name"] for t in short.notes["tried"]] == ["first_fit"]
    endless = lagcolor.color(graph("odd cycle"), problem="star", quality="best", time_limit=float("inf"), verify=True)
    assert endless.n_colors == endless.lower_bound == 3


def test_bounds_of_bicolorings() -> None:
    """A full band needs its width, an arrow three, and a dense block the shorter side."""
    bound = PROBLEMS["star_bicoloring"].lower_bound
    band = sp.diags_array([1.0] * 5, offsets=[-2, -1, 0, 1, 2], shape=(100, 100))
    assert bound(lagcolor.Pattern.of(band)) == 5
    assert bound(RECTANGULAR["arrow"]) == 3
    assert bound(RECTANGULAR["dense"]) == 5
    assert bound(RECTANGULAR["no entries"]) == bound(RECTANGULAR["nothing"]) == 0
