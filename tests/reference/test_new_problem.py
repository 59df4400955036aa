"""A problem with pairwise constraints takes one module and one row; algorithms, qualities, rules and balance follow."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from corpus import CORPUS, graph

import lagcolor
from lagcolor.problems import PROBLEMS, Problem
from lagcolor.problems.report import Report

ROW = Problem(
    "exactly3", "two vertices at a distance of exactly three", True, ("vertices",), "exactly3", conflicts=True
)
SMALL = [name for name, (n, _, _) in CORPUS.items() if n <= 200]


def away(G: lagcolor.Graph, v: int, far: int = 3) -> set[int]:
    """The vertices at a distance of `far` edges."""
    seen, last = {v}, {v}
    for _ in range(far):
        last = {int(w) for u in last for w in G.indices[G.indptr[u] : G.indptr[u + 1]]} - seen
        seen |= last
    return last


def structure(G: lagcolor.Graph) -> lagcolor.Graph:
    """The graph of the pairs."""
    return lagcolor.Graph.of([(v, w) for v in range(G.n) for w in away(G, v)], n=G.n)


def check(G: lagcolor.Graph, colors: Any) -> Report:
    """By the definition."""
    colors = np.asarray(getattr(colors, "colors", colors))
    pairs = [(v, w) for v in range(G.n) for w in away(G, v) if v < w and colors[v] == colors[w] >= 0]
    bare = np.flatnonzero(colors < 0)
    found = [f"vertices {v} and {w} both have color {colors[v]}" for v, w in pairs]
    return Report(len(set(colors[colors >= 0])), len(pairs), found[:5], len(bare), bare[:5].tolist())


@pytest.fixture(autouse=True)
def _exactly3(monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = ModuleType("lagcolor.problems.exactly3")
    module.structure, module.check = structure, check
    module.neighborhood = lambda G, v: np.array(sorted(away(G, v)), np.int32)
    module.upper_bound = lambda G: structure(G).max_degree + 1 if G.n else 0
    module.lower_bound = lambda G: min(G.n, 1)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(PROBLEMS, ROW.name, ROW)  # type: ignore[arg-type]  # a dict


@pytest.mark.parametrize("more", [{}, {"quality": "balanced"}, {"algorithm": "dsatur"}], ids=str)
def test_colorings_are_proper(more: dict[str, Any]) -> None:
    for name in SMALL:
        G = graph(name)
        result = lagcolor.color(G, problem="exactly3", verify=True, **more)
        assert result.problem == "exactly3" and result.verified
        assert result.n_colors <= PROBLEMS["exactly3"].upper_bound(G)


def test_it_has_what_distance_1_has() -> None:
    G = lagcolor.generate.grid2d(12)
    fast = lagcolor.color(G, problem="exactly3")
    best = lagcolor.color(G, problem="exactly3", quality="best", time_limit=0.5, verify=True)
    assert best.n_colors <= fast.n_colors and best.n_colors >= best.lower_bound >= 2
    few = lagcolor.color(
        G, problem="exactly3", max_colors=max(4, fast.n_colors), fixed={0: 3}, forbidden={1: [0, 1]}, verify=True
    )
    assert few.colors[0] == 3 and few.colors[1] > 1
    even = lagcolor.color(G, problem="exactly3", balance=True, verify=True)
    assert even.n_colors == fast.n_colors and max(even.class_sizes) <= max(fast.class_sizes)
    assert np.ptp(lagcolor.equitable(G, problem="exactly3").class_sizes) <= 1


def test_a_broken_coloring_is_found() -> None:
    G = lagcolor.generate.from_spec("path:4")
    with pytest.raises(lagcolor.ColoringError, match="vertices 0 and 3 both have color 0"):
        lagcolor.verify(G, [0, 1, 2, 0], problem="exactly3")
