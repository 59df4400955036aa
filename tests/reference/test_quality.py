"""algorithm="auto": the three qualities."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from corpus import CORPUS, graph
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.base.log import Log
from lagcolor.search import attempts as search_room
from lagcolor.search import qualities as quality

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
    assert best.n_colors <= fast.n_colors >= balanced.n_colors
    tried = [t["name"] for t in best.notes["tried"]]
    assert tried[0] == fast.algorithm
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


def triangles(rows: int, columns: int, bend: str, shuffled: bool) -> lagcolor.Graph:
    """A grid with a diagonal in each cell: all alike, or at random."""
    rng = np.random.default_rng(7)
    i, j = (x.ravel() for x in np.indices((rows - 1, columns - 1)))
    falls = rng.random(i.size) < 0.5 if bend == "random" else np.zeros(i.size, bool)
    ids = (rng.permutation if shuffled else np.arange)(rows * columns).reshape(rows, columns)
    ends = [(ids[:-1], ids[1:]), (ids[:, :-1], ids[:, 1:]), (ids[i, j + falls], ids[i + 1, j + ~falls])]
    u, v = (np.concatenate([end[side].ravel() for end in ends]) for side in (0, 1))
    return lagcolor.Graph.of((u, v), n=ids.size)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize(("sides", "bend"), [((17, 23), "random"), ((110, 105), "random"), ((110, 105), "alike")])
def test_meshes_take_no_more_than_in_three_orders(sides: tuple[int, int], bend: str, shuffled: bool, kind: str) -> None:
    G = triangles(*sides, bend, shuffled).on(kind)
    orders = ("natural", "largest_first", "smallest_last")
    best = min(lagcolor.color(G.on("cpu"), "greedy", order).n_colors for order in orders)
    assert lagcolor.color(G, verify=True).n_colors <= best


def test_the_least_ends_the_search() -> None:
    """An odd cycle needs three colors, and once they are found nothing is tried."""
    result = lagcolor.color(graph("odd cycle"), quality="best", time_limit=600.0)
    assert result.n_colors == result.lower_bound == 3
    assert {t["name"] for t in result.notes["tried"]} == {"first_fit", "bipartite"}


def test_an_interrupt_returns_the_best_so_far(monkeypatch: Any) -> None:
    G = lagcolor.generate.from_spec("rmat:10")
    lagcolor.color(G, quality="best", time_limit=0.05)  # what is compiled is not interrupted

    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("lagcolor.engines.improve.ejection", interrupted)
    result = lagcolor.color(G, quality="best", time_limit=600.0)
    assert result.notes["interrupted"]
    assert result.verified


def test_an_attempt_that_was_interrupted_itself_is_kept() -> None:
    search = search_room.in_graph(graph("clique 70"), Log())

    def make(log: Log) -> np.ndarray:
        log.notes["interrupted"] = True
        return np.arange(70, dtype=np.int32)

    with pytest.raises(KeyboardInterrupt):
        search.attempt("x", make)
    assert search.n_colors == 70


SPECS = ("rmat:9", "queen:8", "delaunay:10", "social:1000", "barabasi_albert:800,6", "mycielski:6", "kron_g500:8")


@pytest.mark.parametrize("spec", [*CORPUS, *SPECS])
def test_ejections_in_one_compiled_call_have_the_same_colors(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    G = graph(spec) if spec in CORPUS else lagcolor.generate.from_spec(spec)
    result = lagcolor.color(G, trace=True, verify=True)
    monkeypatch.setattr("lagcolor.engines.improve.ejections.ALONE", -1)
    other = lagcolor.color(G)
    assert np.array_equal(result.colors, other.colors) and result.lower_bound == other.lower_bound
    assert result.rounds == len(result.trace) == len(result.notes["tried"])


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
    assert result.notes["tried"][-1]["name"] == "chordal"
    assert result.optimal and result.lower_bound == result.n_colors == 6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"quality": "good"}, r"quality must be one of fast, balanced, best, or None, not 'good'"),
        ({"algorithm": "greedy", "quality": "best"}, r"quality is for algorithm='auto', and this call names 'greedy'"),
        ({"quality": "fast", "time_limit": 1.0}, r"time_limit is for quality='best'"),
        ({"quality": ["best"]}, r"quality must be one of fast, balanced, best, or None, not \['best'\]"),
        *(
            ({"quality": "best", "time_limit": value}, r"time_limit must be a number of seconds over 0, or None, not")
            for value in (0, -1.0, "x", True, np.True_, float("nan"))
        ),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(lagcolor.OptionError, match=message):
        lagcolor.color(graph("path"), **options)


def test_fast_goes_with_what_it_runs() -> None:
    assert lagcolor.color(graph("path"), "first_fit", quality="fast").algorithm == "first_fit"
    with pytest.raises(lagcolor.OptionError, match="quality is for algorithm='auto', and this call names 'first_fit'"):
        lagcolor.color(graph("path"), "first_fit", quality="balanced")


@pytest.mark.parametrize("value", [np.float32(0.02), np.int64(1), float("inf")])
def test_numbers_that_limit_time(value: Any) -> None:
    """Without end, too, where there is nothing left to find: an odd cycle has three colors."""
    assert lagcolor.color(graph("odd cycle"), quality="best", time_limit=value).n_colors == 3


@pytest.mark.parametrize("how", [{}, {"order": "natural"}, {"order": ("natural", "random")}, {"fixed": {0: 1}}])
def test_a_time_limit_selects_best(how: dict[str, Any]) -> None:
    ring = graph("odd cycle")
    assert lagcolor.color(ring, time_limit=0.05, **how).algorithm.startswith("auto, best")
    assert lagcolor.color_implicit(lambda us, vs: us[:, None] != vs[None], 4, time_limit=0.05).quality == "best"
    assert lagcolor.derivatives.jacobian(ring, time_limit=0.05).coloring.algorithm == "auto, best"
    with pytest.raises(lagcolor.OptionError, match="quality='best' is for one device"):
        lagcolor.color(ring, time_limit=1, device=["cuda:0", "cuda:1"])


def test_without_a_limit_turns_end_and_an_interrupt_ends_all(monkeypatch: Any) -> None:
    """No turn lasts for ever, so that both searches have theirs."""
    monkeypatch.setattr(quality, "LONGEST_TURN", 0.01)
    G, ends, eject = lagcolor.generate.from_spec("rmat:9"), [], lagcolor.engines.improve.ejection

    def third_is_interrupted(*args: Any, passes: Any, deadline: float, **rest: Any) -> Any:
        if passes is None and len(ends) == 2:
            raise KeyboardInterrupt
        ends.extend([deadline] if passes is None else [])
        return eject(*args, passes=passes, deadline=deadline, **rest)

    monkeypatch.setattr("lagcolor.engines.improve.ejection", third_is_interrupted)
    result = lagcolor.color(G, quality="best", time_limit=float("inf"), verify=True)
    assert result.notes["interrupted"]
    assert np.isfinite(ends).all() and len(ends) == 2


def test_what_has_no_memory_is_left_out(monkeypatch: Any) -> None:
    """Not even the search for fewer colors loses the coloring that there is."""
    G = lagcolor.generate.from_spec("rmat:10")
    fast = lagcolor.color(G, quality="fast").n_colors
    monkeypatch.setattr(search_room, "HEAD_BYTES", 0)  # the exact search has all of the time

    def out_of_memory(*_: Any, **__: Any) -> Any:
        raise MemoryError("17 bytes")

    for name in (
        "engines.improve.ejection",
        "engines.improve.eject_by_work",
        "engines.improve.iterated_greedy",
        "search.attempts.bipartite",
    ):
        monkeypatch.setattr(f"lagcolor.{name}", out_of_memory)
    result = lagcolor.color(G, quality="best", time_limit=600.0, verify=True)  # ends at once: no search is left
    why = {t["name"]: t.get("why") for t in result.notes["tried"]}
    assert why["ejection"] == why["iterated_greedy"] == why["bipartite"] == "out of memory: 17 bytes"
    assert why["first_fit"] is why["dsatur"] is None
    assert [t["name"] for t in result.notes["tried"]].count("ejection") == 1
    assert result.n_colors <= fast
    monkeypatch.setattr(search_room, "SMALL", 0)
    assert lagcolor.color(G, verify=True).n_colors == fast


def test_no_memory_for_the_first_coloring_is_an_error(monkeypatch: Any) -> None:
    monkeypatch.setattr(search_room, "SMALL", 0)  # nothing is tried before
    lagcolor.color(graph("rmat"), quality="balanced")

    def out_of_memory(*_: Any, **__: Any) -> Any:
        raise MemoryError("17 bytes")

    row = dataclasses.replace(lagcolor.ALGORITHMS["first_fit"], run=out_of_memory)
    run = quality.run
    monkeypatch.setattr(quality, "run", lambda *args: run(*args[:6], row))
    with pytest.raises(MemoryError, match="first_fit: out of memory: 17 bytes"):
        lagcolor.color(graph("rmat"), quality="balanced")


def test_an_attempt_that_does_not_fit_is_not_made(monkeypatch: Any) -> None:
    G = lagcolor.Graph(graph("clique 70").indptr, graph("clique 70").indices)
    object.__setattr__(G, "on_gpu", True)  # it says so
    freed: list[int] = []
    monkeypatch.setattr("lagcolor.search.ASK_FROM", 0)
    monkeypatch.setattr("lagcolor.search.free_blocks", lambda G: freed.append(G.n))
    search = search_room.in_graph(G, Log())
    search.attempt("first", lambda _: np.arange(70, dtype=np.int32))
    for free, made in ((30 * 70, True), (30 * 70 - 1, False)):
        monkeypatch.setattr("lagcolor.search.free_bytes", lambda _, free=free: free)
        calls: list[int] = []
        search.attempt("ejection", lambda _, calls=calls: calls.append(1))
        assert bool(calls) == made
    assert search.log.notes["tried"][-1]["why"] == "it needs 2,100 bytes, and 2,099 are free"
    assert freed == [70]
    assert search.n_colors == 70


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
    pool = cp.cuda.MemoryPool()  # in the other, memory beside the colors is left
    pool.set_limit(2 * G.n)  # less than the colors
    with cp.cuda.using_allocator(pool.malloc), pytest.raises(MemoryError):
        lagcolor.color(G, quality="best", time_limit=0.2, verify=False)
