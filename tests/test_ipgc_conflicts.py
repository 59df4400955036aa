"""IPGC's conflict rule on a CPU, from states that threads seldom leave: of a conflict exactly one end yields."""

from __future__ import annotations

import numpy as np
import pytest
from corpus import CORPUS, graph, random_graph
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.device import threads
from lagcolor.engines.greedy.sequential import unsigned
from lagcolor.papers import ipgc

LISTED = np.uint32(ipgc.LISTED)


def round_of(G: lagcolor.Graph, words: np.ndarray, walk: np.ndarray | None, workers: int) -> tuple[np.ndarray, int]:
    """One later round over a worklist, or all vertices: the next worklist, and how many lost a conflict."""
    stay, shared = np.empty(G.n, np.uint32), np.zeros(3, np.int64)
    marks = [np.zeros(G.max_degree + 2, np.uint32) for _ in range(workers)]
    args = (*unsigned(G), words, walk, stay, shared)
    threads.run(lambda i: ipgc.visit(*args, marks[i], np.int64(1)), workers)
    return stay[: shared[ipgc.LENGTH]], int(shared[ipgc.CONFLICTS])


def settled(words: np.ndarray) -> np.ndarray:
    return words < LISTED


@pytest.mark.parametrize("topology", [False, True])
def test_the_smaller_id_keeps_the_color(topology: bool) -> None:
    """Edges that have no end in common, all of one color: the smaller ends keep it, the others take color 1."""
    u = np.arange(0, 2000, 2)
    G = lagcolor.Graph.of((u, u + 1), n=2000)
    words = np.full(G.n, LISTED, np.uint32)
    left, conflicts = round_of(G, words, None if topology else np.arange(G.n, dtype=np.uint32), 1)
    assert conflicts == len(u)
    assert words[u].tolist() == [0] * len(u)
    # Each looked after the smaller one had settled, so that there is no need to look again.
    assert words[u + 1].tolist() == [1] * len(u)
    assert len(left) == 0


def test_who_has_left_the_list_does_not_yield() -> None:
    """Also where its id is the larger."""
    u = np.arange(0, 2000, 2)
    G = lagcolor.Graph.of((u, u + 1), n=2000)
    words = np.zeros(G.n, np.uint32)
    words[u] = LISTED
    left, conflicts = round_of(G, words, u.astype(np.uint32), 3)
    assert (conflicts, len(left)) == (len(u), 0)
    assert words[u + 1].tolist() == [0] * len(u)
    assert words[u].tolist() == [1] * len(u)


@given(
    n=st.integers(1, 60),
    density=st.floats(0, 1),
    seed=st.integers(0, 2**32 - 1),
    colors=st.integers(1, 6),
)
def test_exactly_one_end_yields(n: int, density: float, seed: int, colors: int) -> None:
    """Whatever colors they have: who has no smaller neighbour of its color keeps it, and no edge stays bad."""
    G = random_graph(n, int(density * n * n / 3), seed)
    before = np.random.default_rng(seed).integers(0, colors, n).astype(np.uint32)
    words = before | LISTED
    u, v = np.repeat(np.arange(n), G.degrees), G.indices
    loses = np.zeros(n, bool)
    loses[u[(v < u) & (before[u] == before[v])]] = True
    round_of(G, words, None, 1)
    assert (words[~loses] == before[~loses]).all()  # and it has left the list
    # One thread: whoever moves sees all others as they are at that moment.
    assert not ((words[u] & ~LISTED) == (words[v] & ~LISTED)).any()


@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize("name", [name for name in CORPUS if name not in ("empty", "clique 1100")])
def test_rounds_from_one_color(name: str, workers: int) -> None:
    """All listed with color 0, as if all had chosen at once: each round settles a vertex, and the end is proper."""
    G = graph(name)
    words = np.full(G.n, LISTED, np.uint32)
    work = np.arange(G.n, dtype=np.uint32)
    for topology in (True, False) * G.n:
        if not len(work):
            break
        left, _ = round_of(G, words, None if topology else work, workers)
        assert len(left) < len(work)
        assert set(left.tolist()) == set(np.flatnonzero(~settled(words)).tolist())
        work = left
    report = lagcolor.verify(G, words.view(np.int32))
    assert report.n_colors <= G.max_degree + 1


def test_who_moves_stays_listed_beside_an_earlier_one_that_may_move_too() -> None:
    """0 is settled; 1, listed, is in another thread's hands, and may take the color that 2 moves to."""
    G = lagcolor.Graph.of((np.array([0, 1]), np.array([2, 2])), n=3)
    words = np.array([0, LISTED | 5, LISTED | 0], np.uint32)
    left, conflicts = round_of(G, words, np.array([2], np.uint32), 1)
    assert (left.tolist(), conflicts, words.tolist()) == ([2], 1, [0, LISTED | 5, LISTED | 1])
    words = np.array([0, 5, LISTED | 0], np.uint32)  # the same where 1 has settled
    left, conflicts = round_of(G, words, np.array([2], np.uint32), 1)
    assert (left.tolist(), conflicts, words.tolist()) == ([], 1, [0, 5, 1])


def test_the_first_round_lists_whoever_saw_a_neighbour_without_a_color() -> None:
    """Another thread has the first chunk in hand, and has colored nobody of it."""
    G, held = random_graph(2000, 6000, 9), 500
    words, stay = np.full(G.n, LISTED | ipgc.BARE, np.uint32), np.empty(G.n, np.uint32)
    shared = np.array([held, 0, 0], np.int64)
    ipgc.first_visit(*unsigned(G), words, None, stay, shared, np.zeros(G.max_degree + 2, np.uint32), np.int64(100))
    rows = np.repeat(np.arange(G.n), G.degrees)
    expected = np.unique(rows[(rows >= held) & (G.indices < held)])
    assert np.sort(stay[: shared[ipgc.LENGTH]]).tolist() == expected.tolist()
    assert np.flatnonzero(~settled(words[held:])).tolist() == (expected - held).tolist()


@pytest.mark.parametrize("active", [599, 600, 601])
def test_a_round_walks_over_the_graph_while_more_than_the_share_is_listed(active: int) -> None:
    """The hybrid's threshold: 0.6 of 1000 vertices. A matching of which so many are in conflict after round 1."""
    G = lagcolor.Graph.of((np.zeros(0, np.int64), np.zeros(0, np.int64)), n=active)
    log = lagcolor.result.Log(trace=True)
    ipgc._cpu(G, 600, log, 1)
    assert [row["mode"] for row in log.rows] == ["topology" if active > 600 else "data"]


def test_the_larger_id_yields_though_the_smaller_has_not_been_visited() -> None:
    """Both are listed with one color, and 0 is in another thread's hands: it keeps the color, so 1 must not."""
    G = lagcolor.Graph.of((np.array([0]), np.array([1])), n=2)
    words = np.array([LISTED, LISTED], np.uint32)
    left, conflicts = round_of(G, words, np.array([1], np.uint32), 1)
    assert (left.tolist(), conflicts, words.tolist()) == ([1], 1, [LISTED, LISTED | 1])
    words = np.array([LISTED, LISTED], np.uint32)
    left, conflicts = round_of(G, words, np.array([0], np.uint32), 1)
    assert (left.tolist(), conflicts, words.tolist()) == ([], 0, [0, LISTED])
