"""How long qualities, rules and efforts go on, by a clock that counts steps and by the real one; what they prove."""

from __future__ import annotations

import contextlib
import functools
import itertools
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
import shared_data
from corpus import graph

import lagcolor
from lagcolor.algorithms.ecl_gc import heuristics as exchange
from lagcolor.api import reduce as recoloring
from lagcolor.base import compile_clock as compiling
from lagcolor.base.log import Log
from lagcolor.engines.exact import clique_cpu
from lagcolor.engines.exact.learning import solver
from lagcolor.engines.improve import classes, ejections_cpu
from lagcolor.engines.improve.tabu.search import LocalSearch
from lagcolor.graph import graph as graph_room
from lagcolor.graph.nets import Nets
from lagcolor.orders import Priorities, two_hop
from lagcolor.problems.registry import ALGORITHMS, TABLES
from lagcolor.search import CHECK, Limit
from lagcolor.search import attempts as search_attempts
from lagcolor.search import nets as search_nets
from lagcolor.search import qualities as quality

STEP = 1e-6  # seconds an entry read
SLOW = {"first_fit": 1, "greedy": 1, "dsatur": 60}  # steps an entry
PASS, TABU, LITERAL = 4, 30, 30
LOAD = 1e-9  # seconds for reading the clock, so that waiting for it ends


class Clock:
    """`time.perf_counter` that goes on by work done: as many steps as entries are read."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        self.now += LOAD
        return self.now

    def after(self, run: Callable[..., Any], cost: Callable[..., float]) -> Callable[..., Any]:
        """`run`, and the clock goes on by ``cost(result, *args)`` steps."""

        def timed(*args: Any, **options: Any) -> Any:
            out = run(*args, **options)
            self.now += STEP * cost(out, *args)
            return out

        return timed


@pytest.fixture(scope="module")
def loaded() -> None:
    """Compiled code, before the clock counts."""
    for name in ("balanced", "best"):
        lagcolor.color(graph("rmat"), quality=name)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch, loaded: None) -> Clock:
    clock = Clock()
    monkeypatch.setattr(time, "perf_counter", clock)
    monkeypatch.setattr(compiling, "_thread", compiling.Spent())  # nothing was compiled so far
    rows = {
        name: replace(ALGORITHMS[name], run=clock.after(ALGORITHMS[name].run, lambda _, G, *rest, k=k: k * G.m))
        for name, k in SLOW.items()
    }
    monkeypatch.setattr(search_attempts, "ALGORITHMS", rows)
    run = quality.run
    monkeypatch.setattr(quality, "run", lambda *args: run(*args[:6], rows["first_fit"]))

    def timed(save: Any, w: Any, *rest: Any) -> Any:
        before = w.at[ejections_cpu.WORK]
        return clock.after(save, lambda *_: w.at[ejections_cpu.WORK] - before)(w, *rest)

    def of_entries(loop: Any, k: int) -> Any:
        return clock.after(loop, lambda _, indptr, indices, *rest: k * len(indices))

    loops = search_attempts._loops()
    by_id = clock.after(loops.sequential.narrow_natural, lambda _, indptr, *rest: int(indptr[rest[-1]]))
    whole = of_entries(loops.sequential.first_fit, 1)
    sequential = SimpleNamespace(**{**vars(loops.sequential), "first_fit": whole, "narrow_natural": by_id})
    slow = SimpleNamespace(color_all=of_entries(loops.dsatur.color_all, SLOW["dsatur"]))
    parts = {**vars(loops), "sequential": sequential, "dsatur": slow}
    monkeypatch.setattr(search_attempts, "_loops", lambda: SimpleNamespace(**parts))
    monkeypatch.setattr(ejections_cpu, "save_alone", of_entries(ejections_cpu.save_alone, 1))
    for name in ("save", "save_all"):
        monkeypatch.setattr(ejections_cpu, name, partial(timed, getattr(ejections_cpu, name)))
    monkeypatch.setattr(classes, "one_pass", clock.after(classes.one_pass, lambda _, G, *rest: PASS * G.m))
    monkeypatch.setattr(clique_cpu, "largest_from", clock.after(clique_cpu.largest_from, lambda out, *_: out))
    monkeypatch.setattr(LocalSearch, "steps", clock.after(LocalSearch.steps, lambda out, *_: TABU * out))

    def propagated(search: Any, t: Any, *rest: Any) -> Any:
        before = t.state.steps
        return clock.after(search, lambda *_: LITERAL * (t.state.steps - before))(t, *rest)

    monkeypatch.setattr(solver, "search", partial(propagated, solver.search))
    return clock


def attempts(result: lagcolor.Coloring) -> list[str]:
    return [t["name"] for t in result.notes["tried"]]


@pytest.mark.parametrize("spec", ["rmat:13", "delaunay:14"])
def test_balanced_takes_twice_the_time_of_fast(clock: Clock, spec: str) -> None:
    G = lagcolor.generate.from_spec(spec)
    begun = clock.now
    result = lagcolor.color(G, quality="balanced")
    first = STEP * G.m
    assert "ejection" in attempts(result)
    assert first < clock.now - begun < 2.5 * first
    orders = ("natural", "largest_first", "smallest_last")
    assert result.n_colors <= min(lagcolor.color(G, "greedy", order=order).n_colors for order in orders)


@pytest.mark.parametrize("times", [12, 400])
@pytest.mark.parametrize("spec", ["rmat:11", "queen:20"])
def test_best_ends_with_its_limit(clock: Clock, spec: str, times: int) -> None:
    """No step begins that does not end in time, and little of the time is left over."""
    G = lagcolor.generate.from_spec(spec)
    limit, begun = times * STEP * G.m, clock.now
    result = lagcolor.color(G, quality="best", time_limit=limit)
    assert result.lower_bound < result.n_colors
    checked = CHECK * STEP * G.m
    assert 0.7 * limit < clock.now - begun < limit - checked + 3.5 * STEP * G.m  # the last moves of ejection


@pytest.mark.parametrize("times", [1, 60, 2000])
@pytest.mark.parametrize("stored", [True, False])
def test_best_on_nets_ends_with_its_limit(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, stored: bool, times: int
) -> None:
    """On the graph of conflicts, and where that is too large: orders at two hops begin where they end in time."""
    row, H = TABLES["distance2"]["first_fit"], Nets.neighborhoods(lagcolor.generate.from_spec("rmat:9"))
    reads, log = H.reads(2**40), Log()
    slow = replace(row, run=clock.after(row.run, lambda _, H, *rest: H.m))
    for name in ("smallest_last", "incidence_degree"):
        monkeypatch.setattr(two_hop, name, clock.after(getattr(two_hop, name), lambda *_: 15 * reads))
    build = clock.after(Nets.conflict_graph, lambda G, *_: 5 * reads if G is not None else 0)
    monkeypatch.setattr(Nets, "conflict_graph", build)
    monkeypatch.setattr(search_nets, "READS", 0)
    monkeypatch.setattr(search_nets, "MOST_READS", 2**40 if stored else 0)
    begun, limit = clock.now, times * STEP * H.m
    colors = search_nets.run(H, Priorities.of(H), log, "best", 0, Limit(begun, limit), slow)
    tried = {t["name"] for t in log.notes["tried"]}
    assert clock.now - begun < limit + 3.5 * STEP * H.m and colors.max() < H.n  # the last moves of ejection
    assert stored or ("smallest_last" in tried) == (20 * reads < times * H.m)
    assert ("ejection" in tried) == (stored and 6 * reads < times * H.m)


@pytest.mark.parametrize("times", [0.5, 200])
@pytest.mark.parametrize("method", recoloring.METHODS)
def test_reduce_ends_with_its_limit(clock: Clock, monkeypatch: pytest.MonkeyPatch, method: str, times: float) -> None:
    """The limit includes conversion and both checks. Only a pass that exceeds it is stopped."""
    G = lagcolor.generate.from_spec("rmat:11")
    before, first = lagcolor.color(G, "greedy", "random", seed=1).colors, STEP * G.m
    lagcolor.reduce(G, before, method=method)
    monkeypatch.setattr(recoloring, "check", clock.after(recoloring.check, lambda *_, **__: G.m))
    monkeypatch.setattr(lagcolor.Coloring, "verify", clock.after(lagcolor.Coloring.verify, lambda *_: G.m))
    passes = clock.after(exchange.CPUPasses.__call__, lambda *_: 3 * G.m)
    monkeypatch.setattr(exchange.CPUPasses, "__call__", passes)
    begun, options = clock.now, {"passes": None} if method == "ejection" else {}
    result = lagcolor.reduce(G, before, method=method, time_limit=times * first, **options)
    assert result.verified
    assert clock.now - begun <= max(times, 2) * first + (first if method == "ejection" else 4 * first)
    if method != "heuristics" and times >= 40:
        assert clock.now - begun > 0.7 * times * first and result.n_colors < before.max() + 1


@pytest.mark.parametrize("times", [0.01, 2, 4, 5])
def test_too_short_a_limit_leaves_the_first_coloring_and_its_check(clock: Clock, times: float) -> None:
    """Not even the steps of balanced begin where they would not end in time."""
    G = lagcolor.generate.from_spec("rmat:11")
    first, begun = STEP * G.m, clock.now
    result = lagcolor.color(G, quality="best", time_limit=times * first)
    ejected = first if "ejection" in attempts(result) else 0.0  # its first round
    assert clock.now - begun <= max(first, (times - CHECK) * first) + ejected + 0.01 * first
    assert result.n_colors <= lagcolor.color(G, quality="fast").n_colors
    if times < 1 + CHECK:
        assert attempts(result) == ["first_fit"]


def test_loading_and_compiling_extend_the_limit(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search makes the same attempts as in a process that has loaded all code before."""
    G = lagcolor.generate.from_spec("rmat:12")
    limit, begun = 60 * STEP * G.m, clock.now
    ready = lagcolor.color(G, quality="best", time_limit=limit)
    took = clock.now - begun
    steps, eject = [], ejections_cpu.save

    def compiles(*args: Any) -> Any:  # in the midst of an attempt
        if not steps:
            with compiling.clocked():
                clock.now += 50.0
        steps.append(0)
        return eject(*args)

    monkeypatch.setattr(ejections_cpu, "save", compiles)
    begun = clock.now
    first = lagcolor.color(G, quality="best", time_limit=limit)
    assert attempts(first) == attempts(ready) and first.n_colors == ready.n_colors
    assert first.compile_seconds == pytest.approx(50.0)
    assert clock.now - begun - first.compile_seconds == pytest.approx(took, rel=0.02)
    assert first.seconds == pytest.approx(ready.seconds, rel=0.02)


def test_conversion_counts(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    G = lagcolor.generate.from_spec("rmat:9")
    convert = clock.after(graph_room.graph_of, lambda out, x, *_, **__: 0 if x is out else 4.9 / STEP)
    monkeypatch.setattr(graph_room, "graph_of", convert)
    begun = clock.now
    result = lagcolor.color(G.to_scipy(), quality="best", time_limit=5.0)
    assert clock.now - begun < 5.0
    assert {"clique", "ejection"} < set(attempts(result))
    result = lagcolor.color(G.to_scipy(), quality="best", time_limit=4.9)  # all of it
    assert attempts(result) == ["first_fit"]


def test_small_graphs_are_colored_by_more_steps(clock: Clock) -> None:
    """By DSATUR and another order before the searches in turn."""
    G = lagcolor.generate.from_spec("rmat:12")
    best = lagcolor.color(G, quality="best", time_limit=400 * STEP * G.m)
    assert best.n_colors < lagcolor.color(G, quality="fast").n_colors
    assert {"dsatur", "incidence_degree", "clique", "ejection"} < set(attempts(best))


def test_several_orders_share_the_limit(clock: Clock) -> None:
    G, orders = lagcolor.generate.from_spec("rmat:11"), ("largest_first", "natural", "random")
    limit, begun = 60 * STEP * G.m, clock.now
    result = lagcolor.color(G, order=orders, quality="best", time_limit=limit)
    assert [t["name"] for t in result.notes["tried"]] == list(orders)
    assert 0.5 * limit < clock.now - begun < limit
    begun = clock.now
    lagcolor.color(G, order=orders, quality="best", time_limit=STEP)  # each makes its first coloring all the same
    assert clock.now - begun < 4 * STEP * G.m


@pytest.mark.parametrize(
    "spec", ["rmat:9", "grid2d:30", "cycle:101", "social:500", "erdos_renyi:150,0.5", "clique:30", "star:50"]
)
def test_best_is_never_worse_than_balanced(clock: Clock, spec: str) -> None:
    """With as much time, and the time of the check."""
    G = lagcolor.generate.from_spec(spec)
    for seed in (0, 7):
        begun = clock.now
        least = lagcolor.color(G, quality="balanced", seed=seed).n_colors
        enough = clock.now - begun + (1 + quality.TWO + CHECK) * STEP * G.m + 100 * LOAD
        for limit in (enough, 2 * enough):
            best = lagcolor.color(G, quality="best", seed=seed, time_limit=limit, verify=True)
            assert best.lower_bound <= best.n_colors <= least


def test_searches_in_turn_go_by_the_seed(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ejection and iterated greedy, from one coloring: equal seeds give equal colors, and other seeds give others."""
    monkeypatch.setattr(search_attempts, "HEAD_BYTES", 0)
    monkeypatch.setattr(search_attempts, "EXACT_ENTRIES", 0)
    G = lagcolor.generate.from_spec("erdos_renyi:150,0.5")
    first, made = lagcolor.color(G, "greedy", "natural").colors, []
    for seed in (1, 1, 2):
        search = search_attempts.in_graph(G, Log(), seed, Limit(clock.now, 20 * STEP * G.m))
        search.attempt("greedy", lambda _: first)
        quality.in_turn(search)
        made.append(search.colors)
    assert np.array_equal(made[0], made[1])
    assert not np.array_equal(made[0], made[2])


def test_a_worse_coloring_is_not_returned() -> None:
    G = graph("random dense")
    search = search_attempts.in_graph(G, Log())
    good = lagcolor.color(G, quality="fast").colors
    k = int(good.max()) + 1
    search.attempt("good", lambda _: good)
    for under in (None, k + 1):
        search.attempt("worse", lambda _: np.arange(G.n, dtype=np.int32), under)
        assert search.colors is good and search.n_colors == k
    search.attempt("as good", lambda _: good.copy())
    assert search.colors is good
    search.attempt("another", lambda _: good[:], k + 1)
    assert search.colors is not good and search.n_colors == k


# Proven bounds: without a limit, so that only a proof ends the search ------------------------------------------------

PROVEN = {
    "clique:90": 90, "stencil27:12": 8, "banded:500,7": 8, "cycle:101": 3, "cycle:100": 2, "queen:5": 5, "path:1": 1,
    "path:0": 0, "queen7_7": 7, "anna": 11, "miles500": 20,
}  # fmt: skip
BRANCHED = {"myciel4": 5, "queen6_6": 7, "DSJC125.1": 5}  # no clique is as large


ON_GPU = [pytest.param(name, "cuda", marks=pytest.mark.gpu) for name in ("clique:90", "stencil27:12", "cycle:101")]


@pytest.mark.parametrize(("name", "kind"), [*((name, "cpu") for name in [*PROVEN, *BRANCHED]), *ON_GPU])
def test_a_proof_ends_the_search(name: str, kind: str) -> None:
    """Files are instances of DIMACS."""
    G = lagcolor.Graph.of(name if ":" in name else shared_data.file(f"B/{name}.col.gz"))
    result = lagcolor.color(G.on(kind), quality="best", time_limit=float("inf"), verify=True)
    assert result.n_colors == result.lower_bound == (PROVEN | BRANCHED)[name]
    assert "interrupted" not in result.notes


def test_a_proof_without_a_clique_ends_the_search() -> None:
    """A graph without triangles that needs four colors: the exact search proves it."""
    G = lagcolor.Graph.of(nx.mycielski_graph(4))
    search = search_attempts.in_graph(G, Log())
    search.attempt("dsatur", lambda _: lagcolor.color(G, "dsatur").colors)
    assert search_attempts.exact(search, time.perf_counter() + 60, Log()) is None
    assert search.n_colors == search.least == 4


def test_an_interrupt_of_head_keeps_what_it_found(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    from lagcolor.engines.improve.tabu.descent import Descent

    run, ran = Descent.run, []

    def third(*args: Any, **options: Any) -> bool:
        ran.append(args)
        if len(ran) == 3:
            raise KeyboardInterrupt
        return run(*args, **options)

    monkeypatch.setattr(Descent, "run", third)
    G = lagcolor.generate.from_spec("erdos_renyi:250,0.5")
    result = lagcolor.color(G, quality="best", time_limit=20_000 * STEP * G.m)
    assert result.notes["interrupted"] and result.verified
    *before, last = result.notes["tried"]
    assert last["name"] == "head" and last["colors"] == result.n_colors < min(
        t["colors"] for t in before if t["colors"]
    )


def test_a_bound_is_of_its_graph() -> None:
    """A coloring of a graph with more edges is one of this, and its bound is none; in another form it stays."""
    G = lagcolor.Graph.of(nx.path_graph(5))
    for above in (nx.complete_graph(5), nx.cycle_graph(5)):  # the latter with as many vertices, and an edge more
        colored = lagcolor.color(lagcolor.Graph.of(above), quality="best", time_limit=600.0)
        assert colored.lower_bound > 2
        assert lagcolor.reduce(G, colored).lower_bound <= lagcolor.reduce(G, colored).n_colors == 2
    A = nx.to_scipy_sparse_array(nx.cycle_graph(7))
    odd = lagcolor.color(A, quality="balanced")
    assert lagcolor.reduce(A.tocsc(), odd).lower_bound == odd.lower_bound == 3


# ---- a call with a time limit ends at it, whatever the problem, the rules and the effort ----------------------------

OVER, SLACK = 1.1, 0.25  # of a limit, and seconds of garbage collection and of checks
K = {"distance1": 25, "distance2": 12, "columns": 6, "edges": 50}


@functools.cache
def long_search(problem: str) -> Any:
    """A graph whose search takes longer than any limit here."""
    if problem == "columns":
        return lagcolor.Pattern.of(sp.random_array((2000, 2000), density=3e-3, rng=0))
    if problem == "distance1":
        return lagcolor.Graph.of(nx.gnp_random_graph(300, 0.5, seed=1))
    return lagcolor.Graph.of({"edges": "kron_g500:9", "distance2": "rgg:13"}.get(problem, "rgg:12"))


def rules_of(problem: str, name: str) -> dict[str, Any]:
    """Rules that the search cannot keep, or only just."""
    G, k = long_search(problem), K.get(problem, 0)
    n = G.n_edges if problem == "edges" else G.shape[1] if problem == "columns" else G.shape[0]
    return {
        "none": {},
        "max_colors": {"max_colors": k},
        "partial": {"max_colors": k, "partial": "fewest"},
        "lightest": {"max_colors": k, "partial": "lightest", "weights": np.arange(n) % 7 + 1},
        "capacity": {"max_colors": 2 * k, "capacity": n // (2 * k) + 1 if k else 0},
        "partial, capacity": {"max_colors": k, "capacity": n // k // 2 if k else 0, "partial": "fewest"},
        "fixed": {"max_colors": k, "fixed": {0: 1}},
        "forbidden": {"max_colors": k, "forbidden": {v: [v % 3] for v in range(0, n, 2)}},
        "equitable": {"equitable": True},
    }[name]


def seconds(call: Any) -> float:
    """Return the wall time of a call, or its CPU time if that is less, without compilation."""
    compiled, wall, cpu = compiling.seconds(), time.perf_counter(), time.process_time()
    with contextlib.suppress(lagcolor.ColoringError):
        call()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return min(wall, cpu) - (compiling.seconds() - compiled)


EFFORTS: dict[str, dict[str, Any]] = {"best": {"quality": "best"}, "exact": {"algorithm": "exact"}}
RULES = ["none", "max_colors", "partial", "lightest", "capacity", "partial, capacity", "fixed", "forbidden"]
CASES = [
    *itertools.product(["distance1", "edges"], RULES, ["best"]),
    *itertools.product(["distance2", "columns"], ["none", "partial", "capacity", "forbidden"], ["best"]),
    *itertools.product(["distance1", "edges", "columns"], ["none", "max_colors"], ["exact"]),
    ("distance1", "equitable", "best"), ("distance1", "equitable", "exact"), ("star", "none", "best"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("problem", "rules", "effort"), CASES)
def test_a_call_ends_at_its_limit(problem: str, rules: str, effort: str) -> None:
    how = {"problem": problem, "time_limit": 1, **rules_of(problem, rules), **EFFORTS[effort]}
    x = long_search(problem)
    assert seconds(lambda: lagcolor.color(x, **how)) < OVER + SLACK


def test_a_limit_that_is_over_gives_a_coloring() -> None:
    G = long_search("edges")
    result = lagcolor.color(
        G, problem="edges", max_colors=50, partial="fewest", quality="best", time_limit=1e-6, verify=True
    )
    assert result.verified and result.notes["partial"]["lower_bound"] <= result.notes["uncolored"]


def test_a_limit_may_be_infinite() -> None:
    """Until a proof, with a color less than a clique has vertices."""
    how: dict[str, Any] = {"quality": "best", "time_limit": float("inf")}
    with pytest.raises(lagcolor.ColoringError, match="a clique of 6"):
        lagcolor.color(nx.complete_graph(8), max_colors=5, fixed={0: 1}, **how)
    assert lagcolor.color(nx.complete_graph(8), max_colors=5, partial="fewest", **how).notes["uncolored"] == 3
