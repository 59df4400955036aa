"""Colorings at distance k: powers of graphs and the verifier against plain searches, and what distance 1 has."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from corpus import CORPUS, first_fit, graph, random_graph
from emulated import EMULATED
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.graph import powers
from lagcolor.problems import PROBLEMS, certificates, named

SMALL = [name for name, (n, _, _) in CORPUS.items() if n <= 200]


def distances(G: lagcolor.Graph) -> np.ndarray:
    """All distances, by sets; n for vertices that no path joins."""
    near = [set(G.indices[begin:end].tolist()) for begin, end in pairwise(G.indptr.tolist())]
    out = np.full((G.n, G.n), G.n)
    for v in range(G.n):
        last, far, seen = {v}, 0, {v}
        while last:
            out[v, list(last)] = far
            last, far = set().union(*(near[u] for u in last)) - seen, far + 1
            seen |= last
    return out


def pairs_within(G: lagcolor.Graph, k: int) -> np.ndarray:
    """Whether vertices are 1 … k edges apart."""
    far = distances(G)
    return (far >= 1) & (far <= min(k, G.n - 1))


@pytest.mark.parametrize("k", [3, 4, 10**9])
def test_powers_of_the_corpus(k: int) -> None:
    for G in map(graph, SMALL):
        H, expected = powers.power(G, k), pairs_within(G, k)
        assert (H.to_scipy().toarray() == expected).all()
        assert all((np.diff(H.indices[a:b]) > 0).all() for a, b in pairwise(H.indptr))
        row = named("distance", k)
        assert G.n == 0 or row.upper_bound(G) > expected.sum(axis=1).max()
        for v in range(min(G.n, 20)):
            assert row.neighborhood(G, v).tolist() == np.flatnonzero(expected[v]).tolist()


@pytest.mark.parametrize("k", [3, 4, 7, 8])
def test_vertices_are_far_enough_apart(k: int) -> None:
    """The ends of a path of k edges may not share a color, ends of k + 1 edges may; the same around a cycle."""
    near, far = np.arange(k + 1), np.arange(k + 2)
    near[-1] = far[-1] = 0
    report: Any = lagcolor.verify(lagcolor.generate.path(k + 1), near, problem="distance", distance=k, errors="return")
    assert report.n_violations == 1 and f"a path of {k} edges joins them" in report.violations[0]
    report = lagcolor.verify(lagcolor.generate.path(k + 2), far, problem="distance", distance=k, errors="return")
    assert report.n_violations == 0
    for n in (2 * k, 2 * k + 1, 2 * k + 2):
        colors = np.r_[np.arange(n // 2), np.arange(n - n // 2)]
        report = lagcolor.verify(lagcolor.generate.cycle(n), colors, problem="distance", distance=k, errors="return")
        assert (report.n_violations == 0) == (n // 2 > k)


@given(
    n=st.integers(0, 30), m=st.integers(0, 60), seed=st.integers(0, 10**6), k=st.integers(1, 7), c=st.integers(1, 30)
)
def test_any_colors(n: int, m: int, seed: int, k: int, c: int) -> None:
    """The verifier finds a violation where there is one, and what it says of it is true."""
    G = random_graph(n, m, seed)
    colors = np.random.default_rng(seed).integers(-1, c, n)
    near = pairs_within(G, k)
    same = (colors[:, None] == colors) & (colors >= 0)
    row = named("distance", k)
    report: Any = row.verify(G, colors, errors="return")
    if k == 1:
        assert report.n_conflicts == (near & same).sum() // 2
        return
    assert (report.n_violations > 0) == (near & same).any() == bool(report.violations)
    for sentence in report.violations if k > 2 else ():
        words = sentence.replace(",", "").split()
        u, v, length = int(words[1]), int(words[3]), int(words[words.index("of") + 1])
        assert near[u, v] and same[u, v] and distances(G)[u, v] <= length <= k
    assert report.n_uncolored == (colors == -1).sum()
    result = lagcolor.color(G, problem="distance", distance=k, verify=True)
    assert not (near & (result.colors[:, None] == result.colors)).any()
    assert row.lower_bound(G) <= result.lower_bound <= result.n_colors <= row.upper_bound(G)
    fast = lagcolor.color(G, problem="distance", distance=k, order="natural", seed=None)
    assert fast.colors.tolist() == first_fit(near, range(n))


def test_one_and_two_are_the_problems_of_that_name() -> None:
    G = graph("grid")
    for k in (1, 2):
        assert lagcolor.color(G, problem="distance", distance=k).problem == f"distance{k}"
        assert named("distance", k) is PROBLEMS[f"distance{k}"]
    for name in ("distance4", "Distance-4", "distance 4"):
        assert lagcolor.color(G, problem=name).problem == "distance4"
    assert "distance4" not in list(PROBLEMS)
    for k in (0, 2.5):
        with pytest.raises(lagcolor.OptionError, match="distance must be a whole number from 1 on"):
            lagcolor.color(G, problem="distance", distance=k)


def test_distances_over_all_lengths() -> None:
    k = 10**30
    G = lagcolor.Graph.of([(0, 1), (1, 2), (2, 3), (4, 5)])
    result = lagcolor.color(G, problem="distance", distance=k, verify=True)
    assert result.n_colors == 4 <= PROBLEMS[f"distance{k}"].upper_bound(G)
    assert not lagcolor.verify(G, [0, 1, 2, 0, 0, 1], problem="distance", distance=k, errors="return").ok
    assert lagcolor.color(lagcolor.generate.path(0), problem="distance", distance=k, verify=True).n_colors == 0


def test_it_has_what_distance_1_has() -> None:
    G = lagcolor.generate.grid2d(12)
    fast = lagcolor.color(G, problem="distance", distance=3, quality="fast")
    best = lagcolor.color(G, problem="distance", distance=3, quality="best", time_limit=2, verify=True)
    assert fast.n_colors >= best.n_colors == 8 == best.lower_bound and best.certificate.kind == "clique"
    assert certificates.check(G, best.certificate, problem="distance3")
    few = lagcolor.color(G, problem="distance3", max_colors=fast.n_colors, fixed={0: 3}, forbidden={1: [0, 1]})
    assert few.colors[0] == 3 and few.colors[1] > 1 and lagcolor.verify(G, few).ok
    with pytest.raises(lagcolor.ColoringError, match="vertices 0 and 3 both have color 1, and a path of 3 edges"):
        lagcolor.color(G, problem="distance3", fixed={0: 1, 3: 1})
    even = lagcolor.color(G, problem="distance3", balance=True, verify=True)
    assert max(even.class_sizes) <= max(min(even.class_sizes) + 1, 1.05 * min(even.class_sizes))
    assert np.ptp(lagcolor.equitable(G, problem="distance3").class_sizes) <= 1
    reduced = lagcolor.reduce(G, fast)
    assert reduced.n_colors <= fast.n_colors and reduced.problem == "distance3"
    assert lagcolor.color(G, "dsatur", problem="distance3", verify=True).verified
    assert lagcolor.color(G, problem="distance3", order=("natural", "random"), verify=True).n_colors <= 21


def test_labels() -> None:
    """An order by name reads the names, and a message has them."""
    edges = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")]
    result = lagcolor.color(edges, problem="distance3", order={"e": 2.0, "a": 0.0, "b": 0.0, "c": 1.0, "d": 1.5})
    assert result.to_dict() == {"e": 0, "d": 1, "c": 2, "b": 3, "a": 0}
    with pytest.raises(lagcolor.ColoringError, match=r"vertices 0 \('a'\) and 3 \('d'\) both have color 0, and a path"):
        lagcolor.verify(edges, {"a": 0, "b": 1, "c": 2, "d": 0, "e": 3}, problem="distance", distance=3)


def test_a_power_over_the_budget_is_refused_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    G = lagcolor.generate.grid2d(40)
    m = powers.power(G, 4).m
    monkeypatch.setattr(powers, "MOST_ENTRIES", m)
    assert powers.power(G, 4).m == m
    for most in (m - 2, m // 3):  # found while the power is built, and estimated from the sample
        monkeypatch.setattr(powers, "MOST_ENTRIES", most)
        with pytest.raises(lagcolor.OptionError, match=f"where {most:,} are allowed") as e:
            powers.power(G, 4)
        about = int(str(e.value).split("about ")[1].split()[0].replace(",", ""))
        assert most <= about and abs(about - m) < 0.1 * m


def test_long_searches_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """More reads than a slice has: the loops go on where they stopped."""
    G = lagcolor.generate.from_spec("grid2d:300")
    A = G.to_scipy().astype(int)
    within = (A @ A @ A + A @ A + A).tocsr()
    within.setdiag(0)
    within.eliminate_zeros()
    H = powers.power(G, 3)
    assert powers.SLICE < H.m == within.nnz and ((H.to_scipy() > 0) != (within > 0)).nnz == 0
    colors = lagcolor.color(G, problem="distance3", quality="fast", verify=True).colors
    colors[-1] = colors[-2]
    assert lagcolor.verify(G, colors, problem="distance3", errors="return").n_violations > 0


@pytest.mark.parametrize(
    "kind", [pytest.param("emulated", marks=EMULATED), pytest.param("cuda", marks=pytest.mark.gpu)]
)
def test_on_a_gpu(kind: str) -> None:
    for G in map(graph, SMALL):
        there = lagcolor.color(G, problem="distance3", device="cuda", quality="fast", verify=True)
        here = lagcolor.color(G, problem="distance3", quality="fast", order=there.order, seed=there.seed)
        assert there.device.startswith("cuda") and there.to_numpy().tolist() == here.colors.tolist()
