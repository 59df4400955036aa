"""Colorings of columns, rows and graphs at distance 2: sequential first-fit, color for color."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from corpus import fewer
from hypothesis import given, settings
from hypothesis import strategies as st
from two_hop_cases import TWO_HOP, apart, case, cases, first_fit, of_dense, random_pattern, size

import lagcolor
from lagcolor import OptionError
from lagcolor.core.nets import Nets
from lagcolor.core.registry import TABLES
from lagcolor.engines.two_hop import windows
from lagcolor.orders import Priorities
from lagcolor.problems import PROBLEMS

ROWS = [(problem, name) for problem in TWO_HOP for name, row in TABLES[problem].items() if "cpu" in row.engines]


@pytest.mark.parametrize(("problem", "algorithm"), ROWS)
def test_all_cases(problem: str, algorithm: str) -> None:
    row = TABLES[problem][algorithm]
    for name in cases(problem):
        P = case(problem, name)
        for order, seed in ((None, None), ("random", 3)) if row.reads_order else ((None, None),):
            result = lagcolor.color(P, algorithm, order, seed, problem=problem)
            assert result.verified
            assert result.colors.dtype == np.int32 and len(result.colors) == size(problem, P)
            assert PROBLEMS[problem].lower_bound(P) == result.lower_bound <= result.n_colors
            if row.oracle == "first_fit":
                p = Priorities.of(PROBLEMS[problem].structure(P), result.order, result.seed)
                assert result.colors.tolist() == first_fit(apart(problem, P), p.sequence.tolist()), name


@pytest.mark.parametrize("problem", TWO_HOP)
@given(data=st.data())
@settings(max_examples=fewer(30))
def test_any_order(problem: str, data: Any) -> None:
    rows, seed = data.draw(st.integers(1, 50)), data.draw(st.integers(0, 2**32 - 1))
    columns = data.draw(st.integers(1, 120))
    P = random_pattern(rows, columns, data.draw(st.integers(0, rows * columns // 2)), seed)
    if problem == "distance2":
        u, v = np.repeat(np.arange(P.rows), np.diff(P.indptr)), P.indices.astype(np.int64)
        P = lagcolor.Graph.of((u[u != v], v[u != v]), n=max(rows, columns))
    given = np.random.default_rng(seed).random(size(problem, P))
    result = lagcolor.color(P, order=given, problem=problem)
    assert result.colors.tolist() == first_fit(apart(problem, P), np.argsort(-given, kind="stable").tolist())


def test_windows_are_cleared_either_way() -> None:
    """Later windows clear the nets of few vertices one by one, of many all at once."""
    a = np.zeros((400, 200))
    a[0] = 1
    few = windows.first_fit(Nets.columns(of_dense(a)))
    many = windows.first_fit(Nets.columns(of_dense(np.ones((3, 200)))))
    assert few.tolist() == many.tolist() == list(range(200))


def test_what_is_refused() -> None:
    P = case("columns", "wide")
    with pytest.raises(OptionError, match="unknown algorithm 'greedy' for columns"):
        lagcolor.color(P, "greedy", problem="columns")
    with pytest.raises(lagcolor.GraphError):
        lagcolor.color(P, problem="distance2")


def test_labels_are_those_of_the_colored_side(tmp_path: Any) -> None:
    networkx = pytest.importorskip("networkx")
    B = networkx.Graph()
    B.add_nodes_from(["r", "s"], bipartite=0)
    B.add_nodes_from(["x", "y", "z"], bipartite=1)
    B.add_edges_from([("r", "x"), ("r", "y"), ("s", "z")])
    columns, rows = (lagcolor.color(B, problem=problem) for problem in ("columns", "rows"))
    assert columns.to_dict() == {"x": 0, "y": 1, "z": 0} and rows.to_dict() == {"r": 0, "s": 0}
    columns.save(tmp_path / "c.csv")
    assert (tmp_path / "c.csv").read_text().split() == ["vertex,color", "x,0", "y,1", "z,0"]
    rows.save(tmp_path / "c.json")
    assert '"colors": {"r": 0, "s": 0}' in (tmp_path / "c.json").read_text()
