"""algorithm="auto": the three qualities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from corpus import CORPUS, graph
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.base.log import Log
from lagcolor.search import Attempt, attempts, qualities

KINDS = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CORPUS)
def test_corpus(name: str, kind: str) -> None:
    G = graph(name).on(kind)
    fast = lagcolor.color(G, quality="fast", verify=True)
    balanced = lagcolor.color(G, verify=True)
    best = lagcolor.color(G, quality="best", time_limit=0.05, verify=True)
    assert fast.algorithm == "first_fit"
    assert (balanced.algorithm, best.algorithm) == ("auto, balanced", "auto, best")
    made = fast, balanced, best
    assert max(r.lower_bound for r in made) <= best.n_colors <= fast.n_colors >= balanced.n_colors


def test_ctrl_c_of_a_small_graph_keeps_what_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """No signal is deferred there: the attempt itself ends with the interrupt."""

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    G = lagcolor.generate.from_spec("queen:9")
    monkeypatch.setattr(qualities, "BALANCED", (Attempt("chordal", 0, interrupted),))
    result = lagcolor.color(G)
    assert result.notes["interrupted"] and result.verified and result.n_colors >= 9
    monkeypatch.setattr(qualities, "BEFORE", (Attempt("natural", 0, interrupted),))
    with pytest.raises(KeyboardInterrupt):  # there is no coloring yet
        lagcolor.color(G)


def test_natural_order_ends_where_a_clique_has_its_colors() -> None:
    G = lagcolor.generate.from_spec("barabasi_albert:20000,3")
    assert G.m > attempts.SMALL
    for H, names in ((G, ["natural"]), (lagcolor.generate.from_spec("delaunay:14"), ["bipartite", "first_fit"])):
        result = lagcolor.color(H)
        assert [row["name"] for row in result.notes["tried"]][:2] == names
        assert result.optimal == (H is G)


@given(n=st.integers(2, 50), density=st.floats(0, 1), seed=st.integers(0, 2**32 - 1))
def test_two_colors_where_two_do(n: int, density: float, seed: int) -> None:
    r = np.random.default_rng(seed)
    side = r.integers(0, 2, n)
    u, v = np.nonzero((side[:, None] < side[None]) & (r.random((n, n)) < density))
    result = lagcolor.color((u, v) if len(u) else lagcolor.Graph.of((u, v), n=n), quality="balanced", verify=True)
    assert result.n_colors <= 2


@pytest.mark.parametrize("kind", KINDS)
def test_meshes_take_no_more_than_in_three_orders(kind: str) -> None:
    for spec in ("grid2d:50", "stencil27:20", "delaunay:9", "delaunay:13"):
        G = lagcolor.generate.from_spec(spec)
        orders = ("natural", "largest_first", "smallest_last")
        best = min(lagcolor.color(G, "greedy", order).n_colors for order in orders)
        assert lagcolor.color(G.on(kind), verify=True).n_colors <= best


@pytest.mark.parametrize("spec", [*CORPUS, "rmat:9", "queen:8", "delaunay:10", "social:1000", "mycielski:6"])
def test_ejections_in_one_compiled_call_have_the_same_colors(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    G = graph(spec) if spec in CORPUS else lagcolor.generate.from_spec(spec)
    result = lagcolor.color(G, verify=True)
    monkeypatch.setattr("lagcolor.engines.improve.ejections.ALONE", -1)
    other = lagcolor.color(G)
    assert np.array_equal(result.colors, other.colors) and result.lower_bound == other.lower_bound


def test_the_seed_of_small_graphs_is_also_of_ejection() -> None:
    """The order of ids has no seed."""
    G = lagcolor.generate.from_spec("erdos_renyi:60,0.3")
    found = [lagcolor.color(G, order="natural", quality="balanced", seed=seed).colors for seed in (0, 1, 0)]
    assert np.array_equal(found[0], found[2]) and not np.array_equal(found[0], found[1])


def test_a_chordal_graph_is_proved_by_its_order() -> None:
    """Intervals that meet, which no clique at the highest color proves."""
    begin = (r := np.random.default_rng(83)).random(20)
    end = begin + r.random(20) * 0.3
    u, v = np.triu_indices(20, 1)
    meet = (begin[u] <= end[v]) & (begin[v] <= end[u])
    result = lagcolor.color((u[meet], v[meet]), n=20)
    assert result.optimal and result.lower_bound == result.n_colors == 6


@pytest.mark.parametrize("how", [{}, {"order": "natural"}, {"order": ("natural", "random")}, {"fixed": {0: 1}}])
def test_a_time_limit_selects_best(how: dict[str, Any]) -> None:
    ring = graph("odd cycle")
    assert lagcolor.color(ring, time_limit=0.05, **how).algorithm.startswith("auto, best")
    assert lagcolor.color_implicit(lambda us, vs: us[:, None] != vs[None], 4, time_limit=0.05).quality == "best"
    assert lagcolor.derivatives.jacobian(ring, time_limit=0.05).coloring.algorithm == "auto, best"


def test_what_has_no_memory_is_left_out(monkeypatch: Any) -> None:
    """Not even the search for fewer colors loses the coloring that there is."""
    G = lagcolor.generate.from_spec("rmat:10")
    fast = lagcolor.color(G, quality="fast").n_colors
    monkeypatch.setattr(attempts, "HEAD_BYTES", 0)  # the exact search has all of the time

    def out_of_memory(*_: Any, **__: Any) -> Any:
        raise MemoryError("17 bytes")

    for name in (
        "engines.improve.ejections.ejection",
        "engines.improve.ejections.eject_by_work",
        "engines.improve.classes.iterated_greedy",
        "search.attempts.bipartite",
    ):
        monkeypatch.setattr(f"lagcolor.{name}", out_of_memory)
    result = lagcolor.color(G, quality="best", time_limit=600.0, verify=True)  # ends at once: no search is left
    why = {t["name"]: t.get("why") for t in result.notes["tried"]}
    assert why["ejection"] == why["iterated_greedy"] == why["bipartite"] == "out of memory: 17 bytes"
    assert [t["name"] for t in result.notes["tried"]].count("ejection") == 1
    assert result.n_colors <= fast
    monkeypatch.setattr(attempts, "SMALL", 0)
    assert lagcolor.color(G, verify=True).n_colors == fast


@pytest.mark.parametrize("free", [30 * 70, 30 * 70 - 1])
def test_an_attempt_that_does_not_fit_is_not_made(free: int, monkeypatch: Any) -> None:
    G = lagcolor.Graph(graph("clique 70").indptr, graph("clique 70").indices)
    object.__setattr__(G, "on_gpu", True)
    monkeypatch.setattr("lagcolor.search.ASK_FROM", 0)
    monkeypatch.setattr("lagcolor.search.free_blocks", lambda _: None)
    monkeypatch.setattr("lagcolor.search.free_bytes", lambda _: free)
    search, calls = attempts.in_graph(G, Log()), list[int]()
    search.attempt("first", lambda _: np.arange(70, dtype=np.int32))
    search.attempt("ejection", lambda _: calls.append(1))
    assert bool(calls) == (free == 30 * 70)
    assert calls or search.log.notes["tried"][-1]["why"] == "it needs 2,100 bytes, and 2,099 are free"


@pytest.mark.gpu
@pytest.mark.inner
def test_qualities_where_memory_is_short() -> None:
    """With a limit to what CuPy may take there is a coloring, or an error that says so."""
    import cupy as cp

    G = lagcolor.generate.from_spec("rmat:16", device="cuda")
    lagcolor.color(G, quality="best")  # its kernels are loaded
    pool = cp.cuda.MemoryPool()
    pool.set_limit(28 * G.n)
    with cp.cuda.using_allocator(pool.malloc):
        result = lagcolor.color(G, quality="best", time_limit=2.0, verify=False)
    assert any("out of memory" in t.get("why", "") for t in result.notes["tried"])
    lagcolor.verify(G, result.colors)
    pool = cp.cuda.MemoryPool()  # the other pool has more than the colors need
    pool.set_limit(2 * G.n)  # less than the colors
    with cp.cuda.using_allocator(pool.malloc), pytest.raises(MemoryError):
        lagcolor.color(G, quality="best", time_limit=0.2, verify=False)
