"""algorithm="auto": the three qualities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from corpus import CORPUS, graph
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor import quality

KINDS = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CORPUS)
def test_corpus(name: str, kind: str) -> None:
    G = graph(name).on(kind)
    fast = lagcolor.color(G, verify=True)
    balanced = lagcolor.color(G, quality="balanced", verify=True)
    best = lagcolor.color(G, quality="best", time_limit=0.05, verify=True)
    assert fast.algorithm == quality.AUTO[kind == "cuda"]
    assert (balanced.algorithm, best.algorithm) == ("auto, balanced", "auto, best")
    assert best.n_colors <= fast.n_colors >= balanced.n_colors
    tried = [t["name"] for t in best.notes["tried"]]
    assert tried[0] == (fast.algorithm if kind == "cpu" or not fast.graph.n else "bipartite")
    assert fast.algorithm in tried or best.n_colors <= 2


@given(n=st.integers(2, 50), density=st.floats(0, 1), seed=st.integers(0, 2**32 - 1))
def test_two_colors_where_two_do(n: int, density: float, seed: int) -> None:
    r = np.random.default_rng(seed)
    side = r.integers(0, 2, n)
    u, v = np.nonzero((side[:, None] < side[None]) & (r.random((n, n)) < density))
    result = lagcolor.color((u, v) if len(u) else lagcolor.Graph.of((u, v), n=n), quality="balanced", verify=True)
    assert result.n_colors <= 2


@pytest.mark.parametrize("kind", KINDS)
def test_meshes_take_no_more_than_in_the_order_of_ids(kind: str) -> None:
    for spec, colors in (("grid2d:50", 2), ("grid3d:20", 2), ("stencil27:30", 8)):
        G = lagcolor.generate.from_spec(spec).on(kind)
        assert lagcolor.color(G, quality="balanced", verify=True).n_colors <= colors


def test_best_finds_fewer() -> None:
    G = lagcolor.generate.from_spec("rmat:12")
    fast, best = lagcolor.color(G), lagcolor.color(G, quality="best", time_limit=1.0)
    assert best.n_colors < fast.n_colors


def test_what_is_tried() -> None:
    """On a CPU: first-fit, whether two colors do, and for best another order before the searches."""
    G = lagcolor.generate.from_spec("rmat:12")
    tried = [t["name"] for t in lagcolor.color(G, quality="best", time_limit=1.0).notes["tried"]]
    assert tried[:4] == ["greedy", "bipartite", "largest_first", "ejection"]
    balanced = lagcolor.color(G, quality="balanced").notes["tried"]
    assert [t["name"] for t in balanced][:2] == ["greedy", "bipartite"]
    assert balanced[1]["colors"] is None


def test_the_least_ends_the_search(monkeypatch: Any) -> None:
    """An odd cycle needs three colors: nobody spends ten seconds on it."""
    odd = graph("odd cycle")
    result = lagcolor.color(odd, quality="best", time_limit=10.0)
    assert result.n_colors == 3
    assert result.seconds < 9.0


def test_an_interrupt_returns_the_best_so_far(monkeypatch: Any) -> None:
    G = lagcolor.generate.from_spec("rmat:10")
    lagcolor.color(G, quality="best", time_limit=0.05)  # what is compiled is not interrupted

    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(quality, "_eject", interrupted)
    result = lagcolor.color(G, quality="best", time_limit=5.0)
    assert result.notes["interrupted"]
    assert result.verified


def test_an_attempt_that_was_interrupted_itself_is_kept() -> None:
    search = quality.Search(graph("clique 70"), quality.Log())

    def make(log: quality.Log) -> np.ndarray:
        log.notes["interrupted"] = True
        return np.arange(70, dtype=np.int32)

    with pytest.raises(KeyboardInterrupt):
        search.attempt("x", make)
    assert search.n_colors == 70


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"quality": "good"}, r"unknown quality 'good'; there are: fast, balanced, best"),
        ({"algorithm": "greedy", "quality": "best"}, r"quality is for algorithm='auto', and this call names 'greedy'"),
        ({"time_limit": 1.0}, r"time_limit is for quality='best'"),
        ({"quality": "best", "time_limit": 0}, r"time_limit must be a number of seconds over 0, not 0"),
        ({"quality": "best", "time_limit": "x"}, r"time_limit must be a number of seconds over 0, not 'x'"),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(lagcolor.OptionError, match=message):
        lagcolor.color(graph("path"), **options)
