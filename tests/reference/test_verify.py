"""The verifier against brute force, on colorings broken in every way."""

from __future__ import annotations

from typing import Any

import corpus
import emulated
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor import Coloring, ColoringError, Graph, GraphError, verify
from lagcolor.problems.distance1 import EACH, SOURCE
from lagcolor.problems.report import SHOWN

TILE = SOURCE.block * EACH  # entries of a block of distance1.cu


def on(G: Graph, device: str) -> Graph:
    """The graph on a device of these tests."""
    return G.on("cuda" if device == "emulated" else device)


DEVICES = [
    "cpu",
    pytest.param("emulated", marks=emulated.EMULATED),
    pytest.param("cuda", marks=pytest.mark.gpu),
]
on_each_device = pytest.mark.parametrize("device", DEVICES)


def proper(G: Graph) -> np.ndarray:
    return np.array(corpus.first_fit(G, range(G.n)), np.int32)


def brute_force(G: Graph, colors: Any) -> dict[str, Any]:
    """The fields of a report, in plain Python."""
    c = [int(x) for x in colors]
    indptr, indices = G.indptr.tolist(), G.indices.tolist()
    edges = [(u, v) for u in range(G.n) for v in indices[indptr[u] : indptr[u + 1]] if u < v]
    bad = [(u, v, c[u]) for u, v in edges if c[u] == c[v] >= 0]
    used = {x for x in c if 0 <= x < G.n}
    bare = [v for v, x in enumerate(c) if x == -1]
    return {
        "n_colors": len(used),
        "n_violations": len(bad),
        "violations": [f"edge ({u}, {v}): both have color {x}" for u, v, x in bad[:SHOWN]],
        "conflicts": bad[:SHOWN],
        "n_uncolored": len(bare),
        "uncolored": bare[:SHOWN],
        "out_of_range": [(v, x) for v, x in enumerate(c) if not -1 <= x < G.n][:SHOWN],
        "gaps": max(used) + 1 - len(used) if used else 0,
        "broken": [],
        "names": {},
    }


def assert_brute_force(G: Graph, colors: Any, device: str) -> None:
    assert vars(verify(on(G, device), colors, errors="return")) == brute_force(G, colors)


@on_each_device
def test_corpus(device: str) -> None:
    """A proper coloring, and random colors against brute force."""
    for name in corpus.CORPUS:
        G, r = corpus.graph(name), np.random.default_rng(7)
        c = proper(G)
        report = verify(on(G, device), c)
        assert report.ok and not report.problems()
        assert (report.n_colors, report.n_conflicts) == (int(c.max(initial=-1)) + 1, 0)
        for low, high in [(0, 1), (-1, 4), (0, G.n + 1), (-3, G.n + 9)] if name != "clique 1100" else []:
            assert_brute_force(G, r.integers(low, max(high, low + 1), G.n), device)


@on_each_device
@pytest.mark.parametrize("name", ["grid", "star, hub last", "random sparse"])
def test_each_single_conflict_is_found(name: str, device: str) -> None:
    """All vertices have colors of their own but the two ends of one edge, for each edge in turn; emulated, for some."""
    G = corpus.graph(name)
    H = on(G, device)
    rows = np.repeat(np.arange(G.n), G.degrees)
    some = slice(None, None, max(1, G.m // 200) if device == "emulated" else 1)
    for u, v in zip(rows[some].tolist(), G.indices[some].tolist(), strict=True):
        if u < v:
            c = np.arange(G.n)
            c[v] = u
            report = verify(H, c, errors="return")
            assert (report.n_conflicts, report.conflicts) == (1, [(u, v, u)])
            assert report.gaps == (v < G.n - 1)


@on_each_device
@given(n=st.integers(1, 12), m=st.integers(0, 40), seed=st.integers(0, 2**31), data=st.data())
def test_any_colors(n: int, m: int, seed: int, data: st.DataObject, device: str) -> None:
    G = corpus.random_graph(n, m, seed)
    colors = data.draw(st.lists(st.integers(-3, n + 2), min_size=n, max_size=n))
    assert_brute_force(G, np.array(colors), device)
    assert_brute_force(Graph(G.indptr.astype(np.int64), G.indices), np.array(colors, np.int32), device)


@on_each_device
@pytest.mark.parametrize("at", [0, TILE // 2, -1])
def test_a_conflict_at_a_block_boundary(at: int, device: str) -> None:
    """Pairs of vertices: pair i has entries 2i and 2i + 1. The last tile is not full."""
    for shift in (0, 1, 3000):  # isolated vertices in front, so that rows and entries differ
        u = 2 * np.arange(3 * TILE // 2 + 1) + shift
        G = Graph.of((u, u + 1))
        c = np.zeros(G.n, np.int64)
        c[u + 1] = 1
        c[u[at] + 1] = 0
        report = verify(on(G, device), c, errors="return")
        assert (report.n_conflicts, report.conflicts) == (1, [(u[at], u[at] + 1, 0)])


@on_each_device
def test_millions_of_conflicts_are_counted_and_five_named(device: str) -> None:
    G = on(corpus.graph("clique 1100"), device)
    report = verify(G, np.zeros(G.n, np.int32), errors="return")
    assert report.n_conflicts == G.n_edges == 1100 * 1099 // 2
    assert report.conflicts == [(0, v, 0) for v in range(1, SHOWN + 1)]


@on_each_device
@pytest.mark.parametrize("value", [-(2**63), 9, 2**32])
def test_colors_far_out_of_range(value: int, device: str) -> None:
    G = corpus.graph("isolated among others")  # 9 vertices
    c = proper(G).astype(np.int64)
    c[[1, 4]] = value
    assert_brute_force(G, c, device)
    with pytest.raises(ColoringError, match=f"vertex 1 has color {value}: colors go from 0 to n - 1"):
        verify(on(G, device), c)


def test_unsigned_colors_beyond_int64() -> None:
    G = corpus.graph("one edge")
    c = np.array([2**63, 2**63 + 1], np.uint64)
    assert_brute_force(G, c, "cpu")
    assert verify(G, c, errors="return").n_conflicts == 0


def test_messages() -> None:
    G = corpus.graph("path")
    with pytest.raises(ColoringError) as caught:
        verify(([0, 1, 2, 3], [1, 2, 3, 0]), [0, 1, 1, 0])
    assert f"lagcolor.ColoringError: {caught.value}\n" in str(verify.__doc__)
    c = proper(G)
    c[10:12] = -1
    with pytest.raises(ColoringError, match=r"2 uncolored vertices \(-1\), the first 10"):
        verify(G, c)
    assert verify(G, c, allow_uncolored=True).n_uncolored == 2
    c[3] = 50
    assert len(verify(G, c, errors="return").problems()) == 2


def test_what_is_no_coloring_raises_always() -> None:
    for colors, message in (
        (np.zeros((50, 1), int), r"shape \(50,\), one per vertex, not \(50, 1\)"),
        (np.zeros(50, bool), "colors must be integers, not bool"),
        (None, r"colors must have shape \(50,\)"),
    ):
        with pytest.raises(ColoringError, match=message):
            verify(corpus.graph("path"), colors, errors="return")


def test_lists_colorings_and_other_graphs() -> None:
    G = corpus.graph("path")
    assert verify(G, proper(G).tolist()).ok
    assert verify(G, Coloring(proper(G), G, "greedy", "natural")).ok
    assert verify(G.to_scipy(), proper(G)).ok
    assert verify(corpus.graph("empty"), []).ok
    for problem in lagcolor.problems.PROBLEMS:
        if "bicoloring" not in problem:
            assert verify(sp.csr_array((0, 0)), [], problem=problem).ok, problem
    for how in ({"problem": "distance2"}, {"fixed": {0: 0}}, {"balance": 2.0}, {"problem": "star"}):
        with pytest.raises(lagcolor.OptionError, match="errors must be 'raise' or 'return', not 'ignore'"):
            verify(lagcolor.generate.path(2), [0, 1], errors="ignore", **how)


@on_each_device
def test_an_untrue_graph_is_noticed(device: str) -> None:
    """Conflicts are counted from both ends, a self-loop is none, and a one-way entry is an error."""
    loop = on(Graph(np.array([0, 1, 1], np.int32), np.array([0], np.int32)), device)
    assert verify(loop, np.array([0, 0])).ok
    for entries in ([0, 1, 1], [1]), ([0, 0, 1], [0]):
        G = on(Graph(*(np.array(a, np.int32) for a in entries)), device)
        for dtype in (np.int32, np.int64):  # int32 has a pass of its own on a CPU
            assert verify(G, np.array([0, 1], dtype)).ok
            with pytest.raises(GraphError, match=r"not symmetric: . conflicting entries above the diagonal"):
                verify(G, np.array([0, 0], dtype))


@on_each_device
def test_thousands_of_colors(device: str) -> None:
    """More than a thread of a GPU has bits for."""
    G = on(Graph.of(([0], [1]), n=3000), device)
    colors = np.arange(3000, dtype=np.int32)
    assert vars(verify(G, colors))["n_colors"] == 3000
    for missing in (0, 31, 32, 63, 64, 1500):
        assert verify(G, np.where(colors == missing, 2999, colors), errors="return").gaps == 1
    colors[5] = 3000
    assert verify(G, colors, errors="return").out_of_range == [(5, 3000)]


def test_color_verifies_and_says_so() -> None:
    A = sp.csr_array(corpus.graph("grid").to_scipy())
    assert lagcolor.color(A).verified
    assert not lagcolor.color(A, verify=False).verified
