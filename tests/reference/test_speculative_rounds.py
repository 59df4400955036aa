"""Rounds of speculative first-fit on a CPU, from states that threads seldom leave: of a conflict one end yields."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from corpus import neighbors, random_graph
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.base.device.parallel import slots
from lagcolor.engines.greedy import tasks_cpu
from lagcolor.engines.rounds import first_fit, plain
from lagcolor.engines.rounds.first_fit import find_conflicts
from lagcolor.graph.pattern import unsigned
from lagcolor.problems.task import PENDING


def again(G: lagcolor.Graph, colors: np.ndarray) -> np.ndarray:
    """A later round: who lost a color and has another one, sorted."""
    losers = np.sort(find_conflicts(unsigned(G), None, colors, None, 1))
    colors[losers] = PENDING
    first_fit.color_round(unsigned(G), None, colors, losers, 1)
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
    G, held = random_graph(2000, 6000, 9), 500
    colors, suspects = np.full(G.n, PENDING, np.int32), np.empty(G.n, np.uint32)
    shared, order, place = slots(first_fit.SLOTS), np.arange(G.n, dtype=np.uint32), np.arange(G.n)
    shared[int(first_fit.NEXT)] = held
    loop: Any = first_fit.natural_chunks if way == "bytes" else tasks_cpu.color_chunks
    if way == "bytes":
        loop(0, shared, *unsigned(G), np.zeros(G.n, np.uint16), colors, suspects, np.int64(100))
    else:
        ranks = None
        if way == "in an order":
            order = np.random.default_rng(1).permutation(order)
            place[order] = np.arange(G.n)
            ranks = (G.n - place).astype(np.int32)
        how = np.int64(100), ranks is None
        loop(0, shared, *unsigned(G), order, colors, None, how, None, ranks, suspects)
    rows, columns = np.repeat(place, G.degrees), place[G.indices]
    expected = np.unique(order[rows[(rows >= held) & (columns < held)]])
    assert np.sort(suspects[: shared[int(first_fit.KEPT)]]).tolist() == expected.tolist()
    colors = colors[order]  # by place
    assert (colors[:held] == PENDING).all()
    assert (colors[held:] >= 0).all()


def test_a_part_of_the_vertices_reads_all_neighbors() -> None:
    """A vertex that is colored alone avoids the colors of larger neighbors, too."""
    G = lagcolor.Graph.of((np.array([0, 0]), np.array([1, 2])), n=3)
    colors = np.array([PENDING, 0, 1], np.int32)
    first_fit.color_round(unsigned(G), None, colors, np.array([0], np.uint32), 1)
    assert colors.tolist() == [2, 0, 1]
