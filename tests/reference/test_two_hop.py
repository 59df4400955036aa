"""Colorings of columns, rows and graphs at distance 2: sequential first-fit, orders, verifiers and bounds."""

from __future__ import annotations

import itertools
import re
from typing import Any

import corpus
import numpy as np
import pytest
from corpus import fewer, random_graph
from hypothesis import given, settings
from hypothesis import strategies as st
from two_hop_cases import TWO_HOP, apart, case, cases, first_fit, of_dense, random_pattern, size

import lagcolor
from lagcolor import ColoringError
from lagcolor.engines.two_hop import windows
from lagcolor.graph.nets import Nets
from lagcolor.graph.pattern import Pattern, unsigned
from lagcolor.orders import Priorities
from lagcolor.orders.ties import tie_order
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
    keys = np.random.default_rng(seed).random(size(problem, P))
    result = lagcolor.color(P, order=keys, problem=problem)
    assert result.colors.tolist() == first_fit(problem, P, np.argsort(-keys, kind="stable").tolist())


def test_windows_are_cleared_either_way() -> None:
    """Later windows clear the nets of few vertices one by one, of many all at once."""
    a = np.zeros((400, 200))
    a[0] = 1
    few = windows.first_fit(Nets.columns(of_dense(a)))
    many = windows.first_fit(Nets.columns(of_dense(np.ones((3, 200)))))
    assert few.tolist() == many.tolist() == list(range(200))


@pytest.mark.parametrize("problem", TWO_HOP)
@pytest.mark.parametrize("spec", ["uniform:30000,16", "rgg:13"])
def test_passes_side_by_side(spec: str, problem: str) -> None:
    """Several passes at once, some more than there are threads, and one from which no other follows."""
    G = lagcolor.generate.from_spec(spec)
    nets = PROBLEMS[problem].structure(G if problem == "distance2" else Pattern(G.indptr, G.indices, G.n))
    for sequence in (None, np.random.default_rng(0).permutation(G.n).astype(np.int32)):
        order, rows = None if sequence is None else sequence.view(np.uint32), unsigned(nets.of_vertices)
        expected = windows.color(*rows, order, nets.of_vertices.columns, nets.closed, 1)
        assert (expected.max() >= windows.WINDOW) == (spec != "rgg:13")
        for threads in (1, 3, 17):
            assert (windows.first_fit(nets, sequence, threads) == expected).all(), threads


@pytest.mark.parametrize("problem", TWO_HOP)
def test_rows_in_an_order(problem: str) -> None:
    for name in cases(problem):
        nets = PROBLEMS[problem].structure(case(problem, name))
        P, order = nets.of_vertices, np.random.default_rng(0).permutation(nets.n).astype(np.uint32)
        expected = [[*P.indices[P.indptr[v] : P.indptr[v + 1]].tolist(), *[v] * nets.closed] for v in order]
        for threads in (1, 5):
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
    for threads in (1, 3, 8):
        assert (windows.first_fit(Nets.columns(P), None, threads) == expected).all(), threads


def test_labels_come_from_the_colored_side(tmp_path: Any) -> None:
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
        (good + 1, "not 0 … k-1"),
        (np.where(good == 2, 2**40, good.astype(np.int64)), "not 0 … k-1"),
    ):
        with pytest.raises(ColoringError, match=text):
            lagcolor.verify(P, bad, problem=problem)
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
        used = max(corpus.first_fit(near, np.random.default_rng(1).permutation(len(near)).tolist()), default=-1) + 1
        assert row.lower_bound(P) <= used <= row.upper_bound(P), name
        assert (row.upper_bound(P) == 0) == (len(near) == 0)


DYNAMIC = {"smallest_last": (min, -1), "dynamic_largest_first": (max, -1), "incidence_degree": (max, 1)}


def near_in_order(nets: Nets, v: int) -> list[int]:
    """The vertices that share a net with v, as they are first met: of closed nets neighbors first, then net by net."""
    P, members = nets.of_vertices, nets.members
    around = P.indices[P.indptr[v] : P.indptr[v + 1]].tolist()
    found: dict[int, None] = dict.fromkeys(around if nets.closed else [])
    for net in around:
        found.update(dict.fromkeys(members.indices[members.indptr[net] : members.indptr[net + 1]].tolist()))
    found.pop(v, None)
    return list(found)


def by_degree(nets: Nets, seed: int | None) -> list[int]:
    ties = tie_order(np, nets.n, seed).tolist()
    return sorted(ties, key=lambda v: -len(near_in_order(nets, v)))


def reference(nets: Nets, name: str, seed: int | None) -> list[int]:
    """The order by its definition: of those with the extreme key, the one whose key changed last."""
    ties = tie_order(np, nets.n, seed).tolist()
    if name == "largest_first":
        return by_degree(nets, seed)
    extreme, change = DYNAMIC[name]
    key = {v: len(near_in_order(nets, v)) if change < 0 else 0 for v in range(nets.n)}
    first = by_degree(nets, seed) if name == "incidence_degree" else ties[::-1] if name == "smallest_last" else ties
    changed = {v: -i for i, v in enumerate(first)}
    taken: list[int] = []
    for moment in range(1, nets.n + 1):
        best = extreme(key.values())
        v = max((u for u in key if key[u] == best), key=lambda u: changed[u])
        del key[v]
        taken.append(v)
        for i, u in enumerate(near_in_order(nets, v)):
            if u in key:
                key[u] += change
                changed[u] = moment * nets.n + i
    return taken[::-1] if name == "smallest_last" else taken


def check_order(nets: Nets, name: str, seed: int | None) -> None:
    assert Priorities.of(nets, name, seed=seed).sequence.tolist() == reference(nets, name, seed)


@pytest.mark.parametrize("name", ["largest_first", *DYNAMIC])
@given(rows=st.integers(1, 25), columns=st.integers(1, 25), share=st.floats(0, 0.6), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=fewer(40))
def test_orders_of_any_pattern(name: str, rows: int, columns: int, share: float, seed: int) -> None:
    P = random_pattern(rows, columns, int(share * rows * columns), seed)
    check_order(Nets.columns(P), name, seed if seed % 2 else None)
    check_order(Nets.rows(P), name, None)
    check_order(Nets.neighborhoods(random_graph(rows, int(share * rows * columns), seed)), name, seed)
