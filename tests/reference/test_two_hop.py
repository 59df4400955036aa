"""Colorings of columns, rows and graphs at distance 2: sequential first-fit, color for color."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from corpus import fewer
from hypothesis import given, settings
from hypothesis import strategies as st
from two_hop_cases import TWO_HOP, case, cases, first_fit, of_dense, random_pattern, size

import lagcolor
from lagcolor import OptionError
from lagcolor.engines.two_hop import windows
from lagcolor.graph.nets import Nets
from lagcolor.graph.pattern import Pattern, unsigned
from lagcolor.orders import Priorities
from lagcolor.problems import PROBLEMS
from lagcolor.problems.registry import TABLES

ROWS = [(problem, name) for problem in TWO_HOP for name, row in TABLES[problem].items() if "cpu" in row.engines]


@pytest.mark.parametrize(("problem", "algorithm"), ROWS)
def test_all_cases(problem: str, algorithm: str) -> None:
    row = TABLES[problem][algorithm]
    for name in cases(problem):
        P = case(problem, name)
        for order, seed in ((None, None), ("random", 3)) if row.reads_order else ((None, None),):
            result = lagcolor.color(P, algorithm, order, seed=seed, problem=problem)
            assert result.verified
            assert result.colors.dtype == np.int32 and len(result.colors) == size(problem, P)
            sizes = PROBLEMS[problem].lower_bound(P)
            assert sizes <= result.lower_bound <= result.n_colors and (row.limited or result.lower_bound == sizes)
            if row.oracle == "first_fit":
                p = Priorities.of(PROBLEMS[problem].structure(P), result.order, seed=result.seed)
                assert result.colors.tolist() == first_fit(problem, P, p.sequence.tolist()), name


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
    assert result.colors.tolist() == first_fit(problem, P, np.argsort(-given, kind="stable").tolist())


def test_windows_are_cleared_either_way() -> None:
    """Later windows clear the nets of few vertices one by one, of many all at once."""
    a = np.zeros((400, 200))
    a[0] = 1
    few = windows.first_fit(Nets.columns(of_dense(a)))
    many = windows.first_fit(Nets.columns(of_dense(np.ones((3, 200)))))
    assert few.tolist() == many.tolist() == list(range(200))


@pytest.mark.parametrize("problem", TWO_HOP)
@pytest.mark.parametrize("spec", ["uniform:100000,16", "rmat:16", "rgg:17"])
def test_passes_side_by_side(spec: str, problem: str) -> None:
    """Several passes at once, some more than there are threads, and one from which no other follows."""
    G = lagcolor.generate.from_spec(spec)
    nets = PROBLEMS[problem].structure(G if problem == "distance2" else Pattern(G.indptr, G.indices, G.n))
    for sequence in (None, np.random.default_rng(0).permutation(G.n).astype(np.int32)):
        order, rows = None if sequence is None else sequence.view(np.uint32), unsigned(nets.of_vertices)
        expected = windows.color(*rows, order, nets.of_vertices.columns, nets.closed, 1)
        assert (expected.max() >= windows.WINDOW) == (spec != "rgg:17")
        for threads in (1, 2, 3, 8, 17):
            assert (windows.first_fit(nets, sequence, threads) == expected).all(), threads


@pytest.mark.parametrize("problem", TWO_HOP)
def test_rows_in_an_order(problem: str) -> None:
    for name in cases(problem):
        nets = PROBLEMS[problem].structure(case(problem, name))
        P, order = nets.of_vertices, np.random.default_rng(0).permutation(nets.n).astype(np.uint32)
        expected = [[*P.indices[P.indptr[v] : P.indptr[v + 1]].tolist(), *[v] * nets.closed] for v in order]
        for threads in (1, 2, 5):
            starts, rows = windows.copied(nets, order, threads)
            assert [rows[a:b].tolist() for a, b in itertools.pairwise(starts.tolist())] == expected, name
            assert windows.by_vertex(order, np.arange(nets.n, dtype=np.int32), threads)[order].tolist() == [
                *range(nets.n)
            ]


def test_passes_of_more_colors_than_threads() -> None:
    """Columns of a full matrix with more columns than a pass of one thread has, and others in between."""
    n = 3 * windows.LEAST
    full = np.arange(0, n, 2)
    P = Pattern(np.array([0, len(full), n]), np.append(full, np.arange(1, n, 2)).astype(np.int32), n)
    expected = np.arange(n) // 2
    for threads in (1, 2, 3, 8):
        assert (windows.first_fit(Nets.columns(P), None, threads) == expected).all(), threads


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
