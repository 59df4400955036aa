"""Loops of threads that take chunks in turn, with the other thread's part played by the test, one step at a time.

Races show on large graphs only, and then by chance. Here another thread has the first chunk in hand, and the loop
under test must see that, on every run. Below, real threads on graphs of 10⁵ vertices and more.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from corpus import first_fit, neighbors, random_graph
from hypothesis import given
from hypothesis import strategies as st
from waiting import until

import lagcolor
from lagcolor.base.device.parallel import slots
from lagcolor.base.log import Log
from lagcolor.engines.greedy import copies, natural, sequential, tasks
from lagcolor.engines.greedy.sequential import flag_bytes, wide_dtype
from lagcolor.engines.rounds import plain, repair
from lagcolor.engines.rounds.first_fit import color_round, find_conflicts, natural_chunks
from lagcolor.graph.pattern import unsigned
from lagcolor.orders import Priorities
from lagcolor.problems.task import PENDING, UNLIMITED

ORDERS = ["natural", "random"]


def interleaved(loop: Callable[[], Any], taken: Callable[[], Any], finish: Callable[[], None], free: Any) -> None:
    """Run a loop in a thread; once it has `taken` a chunk and had time to go on, `finish` the chunk it waits for."""
    thread = threading.Thread(target=loop, daemon=True)
    thread.start()
    try:
        until(lambda: taken() or not thread.is_alive())
        thread.join(0.05)
        finish()
        thread.join()
    finally:
        free()


class Case:
    """A random graph in some order, its first-fit colors, and its arrays."""

    def __init__(self, order: str, n: int = 4000, degree: int = 6) -> None:
        self.G = random_graph(n, n * degree // 2, 5)
        self.p = Priorities.of(self.G, order, seed=3)
        self.sequence = self.p.sequence.view(np.uint32)
        self.expected = np.array(first_fit(self.G, self.p.sequence.tolist()), np.int32)
        self.arrays = unsigned(self.G)


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("order", ORDERS)
def test_chunks_on_copies_wait(order: str, wide: bool) -> None:
    """The first chunk is in flight while the second is colored."""
    case = Case(order, n=20_000)
    n, reserved, base = case.G.n, 4000, int(sequential.BASE)
    code = wide_dtype(case.G.max_degree) if wide else np.uint8
    state, found = np.zeros(n, code), np.zeros(n, code)
    start, done, shared = np.zeros(n + 3, np.int64), np.zeros(n + 3, np.uint8), np.zeros(64, np.int64)
    start[:2], shared[0] = (1, reserved + 1), 1
    deferred, waiting, entries = np.empty(4096, np.uint64), np.empty(3, np.uint64), 1 << 40
    words = flag_bytes(case.G.max_degree) if wide else None
    body: Any = copies.color_chunks

    def loop() -> None:
        body(*case.arrays, case.sequence, state, found, start, done, shared, words, deferred, waiting, 0, entries)

    def finish() -> None:
        found[:reserved] = case.expected[case.sequence[:reserved]] + base
        done[0] = 1

    def free() -> None:
        shared[8] = done[0] = 1

    interleaved(loop, lambda: start[2], finish, free)
    assert np.array_equal(state.astype(np.int64) - base, case.expected)


@pytest.mark.parametrize("clique", [0, 200])
def test_ranges_of_ids_wait(clique: int) -> None:
    """The first range of ids has no colors while the second one is colored; with more of them than a word has."""
    G = random_graph(4000, 12_000, 5) if not clique else lagcolor.generate.from_spec(f"clique:{clique}")
    indptr, indices = unsigned(G)
    reserved, expected = G.n // 2, np.array(first_fit(G, range(G.n)), np.int32)
    state, colors = np.zeros(G.n, np.uint16), np.zeros(G.n, np.int32)
    shared, bounds = slots(natural.SLOTS), np.array([0, reserved, G.n])
    shared[0] = shared[natural.COLORED] = 1
    body: Any = natural.color_ranges

    def finish() -> None:
        assert not (clique and state[reserved:].any())
        state[:reserved] = expected[:reserved] + 1
        shared[natural.COLORED] += 1

    def taken() -> bool:
        return bool(shared[0] > 1)

    def loop() -> None:
        body(1, shared, indptr, indices, bounds, state, colors, 2)

    interleaved(loop, taken, finish, lambda: None)
    assert np.array_equal(state - 1, expected)
    assert np.array_equal(colors[reserved:], expected[reserved:])


LATTICES = {
    "grid2d:320": True,
    "grid2d:3,40000": True,
    "grid3d:50": True,
    "stencil27:31,40,67": True,
    "path:100001": True,
    "rgg:17": False,
}


@pytest.mark.parametrize("spec", LATTICES)
def test_lattices_are_guessed(spec: str) -> None:
    graph = unsigned(lagcolor.generate.from_spec(spec))
    expected = sequential.first_fit(*graph, None)
    for workers in (1, 3):
        colors = natural.by_lattice_on_cpu(*graph, workers)
        assert (colors is not None) == LATTICES[spec]
        assert colors is None or np.array_equal(colors, expected)


@pytest.mark.parametrize("at", [0, 51_000, 102_398])
def test_a_lattice_without_an_edge_is_none(at: int) -> None:
    """Each edge but one is there; without it the vertex behind it has another color in most places."""
    G = lagcolor.generate.from_spec("grid2d:320")
    u, v = G.rows_of_entries(), G.indices
    others = ((u != at) | (v != at + 1)) & ((v != at) | (u != at + 1))
    graph = unsigned(lagcolor.Graph.of((u[others], v[others]), n=G.n))
    assert np.array_equal(natural.first_fit_by_id(*graph, 3), sequential.first_fit(*graph, None))


@pytest.mark.parametrize(
    "spec", ["uniform:100000,12", "rmat:17", "barabasi_albert:100000,40", "erdos_renyi:1500,0.5", "star:100001"]
)
def test_ids_in_order_on_threads(spec: str) -> None:
    G = lagcolor.generate.from_spec(spec)
    graph, expected = unsigned(G), sequential.first_fit(*unsigned(G), np.arange(G.n, dtype=np.uint32))
    for workers in (1, 2, 17):
        assert np.array_equal(natural.first_fit_by_id(*graph, workers), expected)


def test_conflicts_of_gebremedhin_manne_are_repaired(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the first phases leave: here one color for all."""
    G, log = Case("natural").G, Log()

    def one_color(graph: Any, ranks: Any, colors: np.ndarray, *_: Any, **__: Any) -> None:
        colors.fill(0)

    monkeypatch.setattr(repair, "color_round", one_color)
    colors = repair.first_fit_then_repair(G, Priorities.of(G), log, 2)
    assert lagcolor.verify(G, colors).n_conflicts == 0
    assert log.rounds == 2


@functools.cache
def mesh() -> lagcolor.Graph:
    """490,000 vertices, enough for threads to meet."""
    return lagcolor.generate.from_spec("grid2d:700")


@functools.cache
def expected_on_the_mesh() -> np.ndarray:
    return lagcolor.color(mesh(), "greedy", "random", seed=1, verify=False).colors


@pytest.mark.parametrize("algorithm", [name for name, row in lagcolor.ALGORITHMS.items() if row.threaded])
def test_two_threads_on_a_large_mesh(algorithm: str) -> None:
    row = lagcolor.ALGORITHMS[algorithm]
    how = {"order": "random", "seed": 1} if row.reads_order else {}
    result = lagcolor.color(mesh(), algorithm, **how, threads=2, verify=True)
    if row.oracle == "first_fit":
        assert np.array_equal(result.colors, expected_on_the_mesh())


# ---- speculative rounds, from states that threads seldom leave -------------------------------------------------------


def again(G: lagcolor.Graph, colors: np.ndarray) -> np.ndarray:
    """A later round: who lost a color and has another one, sorted."""
    losers = np.sort(find_conflicts(unsigned(G), None, colors, None, 1))
    colors[losers] = PENDING
    color_round(unsigned(G), None, colors, losers, 1)
    return losers


@given(n=st.integers(1, 60), density=st.floats(0, 1), seed=st.integers(0, 2**32 - 1), k=st.integers(1, 6))
def test_exactly_one_end_yields(n: int, density: float, seed: int, k: int) -> None:
    """Whatever colors they have: who has no smaller neighbor of its color keeps it, and no edge stays bad."""
    G = random_graph(n, int(density * n * n / 3), seed)
    before = np.random.default_rng(seed).integers(0, k, n).astype(np.int32)
    colors = before.copy()
    u, v = np.repeat(np.arange(n), G.degrees), G.indices
    loses = np.zeros(n, bool)
    loses[u[(v < u) & (before[u] == before[v])]] = True
    moved = again(G, colors)
    assert moved.tolist() == np.flatnonzero(loses).tolist()
    assert (colors.tolist(), moved.tolist()) == plain.again(neighbors(G), before.tolist())
    assert (colors[~loses] == before[~loses]).all()
    assert not (colors[u] == colors[v]).any()  # one thread: who moves sees all others as they are then
    ranks = np.random.default_rng(seed).permutation(n).astype(np.int32)
    loses[:] = False
    loses[u[(ranks[v] > ranks[u]) & (before[u] == before[v])]] = True
    assert np.sort(find_conflicts(unsigned(G), ranks, before, None, 3)).tolist() == np.flatnonzero(loses).tolist()


@pytest.mark.parametrize("way", ["bytes", "by id", "in an order"])
def test_the_first_round_lists_whoever_saw_an_earlier_neighbor_without_a_color(way: str) -> None:
    """Another thread has taken the first chunk, and has colored no vertex of it."""
    G, reserved = random_graph(2000, 6000, 9), 500
    colors, suspects = np.full(G.n, PENDING, np.int32), np.empty(G.n, np.uint32)
    shared, order, place = slots(tasks.SLOTS), np.arange(G.n, dtype=np.uint32), np.arange(G.n)
    shared[int(tasks.NEXT)] = reserved
    loop: Any = natural_chunks if way == "bytes" else tasks.color_chunks
    if way == "bytes":
        loop(0, shared, *unsigned(G), np.zeros(G.n, np.uint16), colors, suspects, np.int64(100))
    else:
        ranks = None
        if way == "in an order":
            order = np.random.default_rng(1).permutation(order)
            place[order] = np.arange(G.n)
            ranks = (G.n - place).astype(np.int32)
        how = np.int64(100), ranks is None, np.int32(UNLIMITED)
        loop(0, shared, *unsigned(G), order, colors, None, how, None, ranks, suspects)
    rows, columns = np.repeat(place, G.degrees), place[G.indices]
    expected = np.unique(order[rows[(rows >= reserved) & (columns < reserved)]])
    assert np.sort(suspects[: shared[int(tasks.SUSPECTS)]]).tolist() == expected.tolist()
    colors = colors[order]  # by place
    assert (colors[:reserved] == PENDING).all()
    assert (colors[reserved:] >= 0).all()


def test_a_part_of_the_vertices_reads_all_neighbors() -> None:
    """A vertex that is colored alone avoids the colors of larger neighbors, too."""
    G = lagcolor.Graph.of((np.array([0, 0]), np.array([1, 2])), n=3)
    colors = np.array([PENDING, 0, 1], np.int32)
    color_round(unsigned(G), None, colors, np.array([0], np.uint32), 1)
    assert colors.tolist() == [2, 0, 1]
