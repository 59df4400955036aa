"""IPGC's rule of who settles, on its kernel, where an earlier neighbour is in another block's hands.

The emulator runs one block, so the test plays the other: it lists the vertices of this round, and leaves the earlier
neighbours in the state in which another block has not yet come to them.
"""

from __future__ import annotations

import emulated
import numpy as np
import pytest
from emulated import EMULATED

import lagcolor
from lagcolor.papers import ipgc

LISTED, BARE, SMALL_LAST, COLOR = 1 << 31, 1 << 30, 1 << 29, (1 << 25) - 1


def weight(degree: int) -> int:
    """As in a word of a vertex that has a color."""
    return degree.bit_length() - 1 << 25


def one_round(G: lagcolor.Graph, words: np.ndarray, listed: list[int]) -> list[int]:
    """A later round over small vertices, driven by the list; those that stay."""
    lists = np.concatenate([np.array(listed, np.int32), np.full(2 * G.n - len(listed), -1, np.int32)])
    head, records = np.zeros(16, np.uint64), np.zeros((2, 16), np.uint64)
    records[0, 0] = len(listed)
    kernel = emulated.kernel(ipgc.SOURCE, "ipgc_rounds", OFFSET_BITS=8 * G.indptr.itemsize)
    args = (G.indptr, G.indices, G.n, words, np.zeros(G.n, np.int32), lists, 0, G.n, 0, 1, head, records)
    kernel((1,), (256,), (*args, np.zeros(2, np.uint32)), cooperative=True)
    assert int(head[1]) == 1
    return sorted(lists[G.n : G.n + int(records[1, 0])].tolist())


def path(n: int) -> lagcolor.Graph:
    return lagcolor.Graph.of((np.arange(n - 1), np.arange(1, n)), n=n)


def states(words: np.ndarray) -> list[tuple[bool, int]]:
    """Whether each vertex is listed, and its color."""
    return [(bool(w & LISTED), int(w & COLOR)) for w in words.tolist()]


@EMULATED
@pytest.mark.parametrize("bare_is_earlier", [True, False])
def test_a_vertex_stays_beside_one_without_a_color_whose_turn_is_before(bare_is_earlier: bool) -> None:
    G = path(2)
    turns = (0, 1) if bare_is_earlier else (1, 0)
    words = np.array([LISTED | BARE | SMALL_LAST | turn for turn in turns], np.uint32)
    assert one_round(G, words, [1]) == ([1] if bare_is_earlier else [])
    assert states(words)[1] == (bare_is_earlier, 0)


@EMULATED
def test_a_vertex_that_moves_stays_beside_a_listed_one_of_greater_weight() -> None:
    """0 – 1 – 2, and its other neighbours make 2 the heavier: it may still take the color that 1 moves to."""
    G = lagcolor.Graph.of((np.array([0, 1, 2, 2, 2]), np.array([1, 2, 3, 4, 5])), n=6)
    words = np.array([0, LISTED | weight(2), LISTED | weight(4) | 5, 7, 7, 7], np.uint32)
    assert one_round(G, words, [1]) == [1]
    assert states(words)[:2] == [(False, 0), (True, 1)]


@EMULATED
def test_a_vertex_that_moves_settles_beside_a_listed_one_of_less_weight() -> None:
    G = lagcolor.Graph.of((np.array([0, 1, 1, 1]), np.array([1, 2, 3, 4])), n=5)
    words = np.array([0, LISTED | weight(4), LISTED | weight(1) | 5, 7, 7], np.uint32)
    assert one_round(G, words, [1]) == []
    assert states(words)[:2] == [(False, 0), (False, 1)]


@EMULATED
def test_who_sees_no_conflict_settles_whoever_is_beside() -> None:
    G = path(3)
    words = np.array([LISTED | weight(1), LISTED | weight(2) | 1, LISTED | weight(1)], np.uint32)
    assert one_round(G, words, [0, 1, 2]) == []
    assert states(words) == [(False, 0), (False, 1), (False, 0)]


@EMULATED
def test_of_two_alike_one_keeps_its_color() -> None:
    """Which, a hash says; whoever yields after the other has settled need not come again."""
    G = path(2)
    words = np.array([LISTED | weight(1)] * 2, np.uint32)
    left = one_round(G, words, [0, 1])
    assert sorted(color for _, color in states(words)) == [0, 1]
    assert [v for v, (listed, _) in enumerate(states(words)) if listed] == left
