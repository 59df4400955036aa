"""A round of IPGC's kernel, step by step as sections II-C and IV of the paper say it, on the emulated device."""

from __future__ import annotations

from dataclasses import dataclass

import emulated
import numpy as np
import pytest
from corpus import random_graph
from emulated import EMULATED
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.algorithms import ipgc

FRESH, NONE = 1 << 31, 1 << 30


@dataclass
class Round:
    """The result of one round: words of the vertices, the next worklist, and whether it visited all vertices."""

    words: np.ndarray
    listed: list[int]
    topology: bool


def one_round(G: lagcolor.Graph, words: np.ndarray, active: np.ndarray, limit: int, blocks: int = 1) -> Round:
    """One round over `active`, or over all vertices where more than `limit` are active."""
    lists = np.full(2 * G.n, -1, np.int32)
    lists[: len(active)] = active
    head, records, words = np.zeros(4, np.int32), np.zeros(2, ipgc.RECORD), words.copy()
    records[0]["active"] = len(active)
    kernel = emulated.kernel(ipgc.SOURCE, "ipgc_rounds", OFFSET_BITS=8 * G.indptr.itemsize)
    args = (G.indptr, G.indices, G.n, words, lists, limit, 0, 1, head, records.view(np.uint64))
    kernel((blocks,), (256,), args, cooperative=True)
    left = int(records[1]["active"])
    return Round(words, sorted(lists[G.n : G.n + left].tolist()), bool(records[0]["topology"]))


def edges(G: lagcolor.Graph) -> tuple[np.ndarray, np.ndarray]:
    """Smaller and larger end of each edge."""
    u, v = np.repeat(np.arange(G.n), G.degrees), G.indices
    return u[u < v], v[u < v]


def check_conflict_step(G: lagcolor.Graph, before: np.ndarray, after: Round) -> None:
    """Of two neighbors with one color, the larger loses it; the worklist has each vertex without a color once."""
    u, v = edges(G)
    bad = before[u] == before[v]
    may_lose = np.zeros(G.n, bool)
    may_lose[v[bad]] = True
    lost = after.words == NONE
    assert after.listed == np.flatnonzero(lost).tolist()
    assert not (lost & ~may_lose).any()
    assert (after.words[~lost] == before[~lost]).all()
    assert not (~lost[u] & ~lost[v] & bad).any()


@EMULATED
@given(n=st.integers(1, 90), density=st.floats(0, 1), seed=st.integers(0, 2**32 - 1), k=st.integers(1, 6))
def test_conflict_from_random_colors(n: int, density: float, seed: int, k: int) -> None:
    G = random_graph(n, int(density * n * n / 3), seed)
    colors = np.random.default_rng(seed).integers(0, k, n)
    for limit in (-1, G.n):
        check_conflict_step(G, colors, one_round(G, (colors | FRESH).astype(np.uint32), np.arange(n), limit))


@EMULATED
@pytest.mark.parametrize("limit", [-1, 90], ids=["topology", "data"])
@given(n=st.integers(2, 90), density=st.floats(0, 1), seed=st.integers(0, 2**32 - 1))
def test_assign_takes_the_mex(limit: int, n: int, density: float, seed: int) -> None:
    """Active vertices that are no neighbors of each other have one answer, the mex. The others keep their colors."""
    G = random_graph(n, int(density * n * n / 3), seed)
    colors = lagcolor.color(G, "greedy", order="random", seed=seed).colors.astype(np.int64)
    active = np.flatnonzero(colors == np.random.default_rng(seed).integers(0, colors.max() + 1))
    words = colors.astype(np.uint32)
    words[active] = NONE
    expected = colors.copy()
    for v in active:
        near = set(colors[G.indices[G.indptr[v] : G.indptr[v + 1]]].tolist())
        expected[v] = next(c for c in range(n) if c not in near)
    after = one_round(G, words, active, limit)
    assert after.words.tolist() == expected.tolist()
    assert after.listed == []
