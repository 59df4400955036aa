"""Vertices with more colors around them than a word, a byte or 16 bits hold.

A clique of over 65,536 vertices would have 4 G entries, so here the neighbors of one vertex have their colors before.
"""

from __future__ import annotations

import functools

import corpus
import numpy as np
import pytest
from contract.test_algorithms import FAST

import lagcolor
from lagcolor.engines.greedy import copies, sequential
from lagcolor.engines.greedy.sequential import BASE, flag_bytes, wide_dtype
from lagcolor.engines.greedy.tasks import first_fit_task
from lagcolor.engines.rounds.first_fit import color_round
from lagcolor.graph.pattern import unsigned
from lagcolor.orders.queues import narrowest
from lagcolor.problems.task import PENDING, Task

LEAVES = [62, 63, 254, 256, 65_534, 65_536]
MANY = 70_000


@functools.cache
def star(leaves: int) -> lagcolor.Graph:
    """The hub is the last vertex."""
    return lagcolor.Graph.of((np.arange(leaves), np.full(leaves, leaves)), n=leaves + 1)


def codes_of_leaves(leaves: int) -> np.ndarray:
    """Codes of colors 0, 1 … of the leaves, 0 for the hub, in the type that the wide loop of this graph takes."""
    codes = np.zeros(leaves + 1, wide_dtype(leaves))
    codes[:leaves] = np.arange(leaves) + int(BASE)
    return codes


@pytest.mark.parametrize("leaves", LEAVES)
def test_greedy(leaves: int) -> None:
    G, codes = star(leaves), codes_of_leaves(leaves)
    sequence, found = np.arange(leaves + 1, dtype=np.uint32), np.empty_like(codes)
    sequential.wide(*unsigned(G), sequence, codes, found, flag_bytes(leaves), leaves, leaves + 1)
    colors = sequential.publish(codes, np.empty(leaves + 1, np.int32))
    assert colors.tolist() == list(range(leaves + 1))


@pytest.mark.parametrize("leaves", LEAVES)
def test_chunks_on_copies(leaves: int) -> None:
    """The leaves are a chunk that is done; this thread has the rest."""
    G, found = star(leaves), codes_of_leaves(leaves)
    state, sequence = np.zeros_like(found), np.arange(leaves + 1, dtype=np.uint32)
    start, done, shared = np.zeros(9, np.int64), np.zeros(9, np.uint8), np.zeros(64, np.int64)
    start[:2], done[0], shared[0] = (1, leaves + 1), 1, 1
    own = np.empty(64, np.uint64), np.empty(3, np.uint64)
    copies.color_chunks(*unsigned(G), sequence, state, found, start, done, shared, flag_bytes(leaves), *own, 0, 8192)
    assert (state.astype(np.int64) - int(BASE)).tolist() == list(range(leaves + 1))


@pytest.mark.parametrize("leaves", LEAVES)
def test_task_and_speculative_round(leaves: int) -> None:
    """The hub has no color; its leaves have all colors under its own."""
    G, before = star(leaves), np.append(np.arange(leaves, dtype=np.int32), np.int32(PENDING))
    assert first_fit_task(G, Task(np.arange(leaves + 1) == leaves, before)).tolist() == list(range(leaves + 1))
    for bits in (True, False):
        colors = before.copy()
        assert len(color_round(unsigned(G), None, colors, np.array([leaves], np.uint32), 1, bits)) == 0
        assert colors.tolist() == list(range(leaves + 1))


# Frontier operators are compiled anew in each process, which takes longer than all else, and have no type of degrees.
# The contract has a hub for the others.
ON_A_CPU = [
    name
    for name, row in lagcolor.ALGORITHMS.items()
    if "cpu" in row.engines and row.style != "frontier" and name not in FAST
]


@pytest.mark.parametrize("algorithm", ON_A_CPU)
def test_a_hub_of_70_000(algorithm: str) -> None:
    """Degrees over 65,535 in counters, orders and types of colors."""
    row = lagcolor.ALGORITHMS[algorithm]
    result = lagcolor.color(star(MANY), algorithm, "smallest_last" if row.reads_order else None, verify=True)
    assert result.n_colors <= MANY + 1 if row.oracle != "first_fit" else result.n_colors == 2


def test_70_001_colors_are_verified_and_reduced() -> None:
    G, colors = star(MANY), np.arange(MANY + 1, dtype=np.int32)
    assert lagcolor.verify(G, colors).n_colors == MANY + 1
    assert lagcolor.reduce(G, colors, method="iterated_greedy", verify=True).n_colors == 2
    colors[MANY] = MANY - 1
    report = lagcolor.verify(G, colors, errors="return")
    assert (report.n_conflicts, report.conflicts) == (1, [(MANY - 1, MANY, MANY - 1)])


def test_types_hold_what_they_are_for() -> None:
    for largest in (0, 1, 127, 128, 255, 256, 2**15 - 1, 2**15, 65_535, 65_536):
        assert np.iinfo(wide_dtype(largest)).max >= largest + int(BASE)  # the code of a vertex of this degree
        word = np.iinfo(narrowest(largest))
        assert word.max >= 1 << word.bits - 1 > largest  # a flag, and under it the degree


def test_stale_flags_are_not_read() -> None:
    """A vertex that is adjacent to all of a clique of 80 but one takes the color of this one, in every order."""
    G = corpus.graph("clique 80 and more")
    for order in ("natural", "largest_first", "random"):
        result = lagcolor.color(G, "greedy", order=order, seed=3)
        assert result.colors.tolist() == corpus.first_fit(G, lagcolor.Priorities.of(G, order, seed=3).sequence.tolist())
