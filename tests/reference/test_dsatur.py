"""DSATUR: equal to the plain loop, exact on bipartite graphs, never below a known chromatic number."""

from __future__ import annotations

import corpus
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.engines.exact import plain
from lagcolor.orders import ORDERS, Priorities


def by_degree(G: lagcolor.Graph) -> list[int]:
    return plain.dsatur(corpus.neighbors(G), Priorities.of(G, "largest_first").sequence.tolist())


@given(
    st.builds(corpus.random_graph, st.integers(0, 60), st.integers(0, 500), st.integers(0, 10**6)),
    st.sampled_from(sorted(ORDERS)),
    st.sampled_from([None, 0, 5]),
)
def test_equals_the_plain_loop(G: lagcolor.Graph, order: str, seed: int | None) -> None:
    expected = plain.dsatur(corpus.neighbors(G), Priorities.of(G, order, seed=seed).sequence.tolist())
    assert lagcolor.color(G, "dsatur", order=order, seed=seed).colors.tolist() == expected


@pytest.mark.parametrize("name", [name for name in corpus.CORPUS if name != "clique 1100"])
def test_corpus_equals_the_plain_loop(name: str) -> None:
    G = corpus.graph(name)
    result = lagcolor.color(G, "dsatur", verify=True)
    assert result.order == "largest_first"
    assert result.colors.dtype == np.int32
    assert result.colors.tolist() == by_degree(G)


def test_bipartite_graphs_get_two_colors() -> None:
    for name in ("path", "even cycle", "star, hub last", "complete bipartite", "crown", "grid", "one edge"):
        for order in ORDERS:
            assert lagcolor.color(corpus.graph(name), "dsatur", order=order, verify=True).n_colors == 2


@pytest.mark.parametrize("k", [63, 64, 65, 129])
def test_more_colors_than_a_mask_holds(k: int) -> None:
    """A clique and pendant vertices on each of its members: the leaves see colors far above their degree."""
    i, j = np.triu_indices(k, 1)
    u, v = np.concatenate([i, np.arange(k)]), np.concatenate([j, k + np.arange(k)])
    G = lagcolor.Graph.of((u, v), n=2 * k)
    result = lagcolor.color(G, "dsatur", verify=True)
    assert result.n_colors == k
    assert result.colors[k:].max() == 1


def test_two_cliques_that_share_half() -> None:
    """Colors over 64 reach vertices that already have one, and those must not count again."""
    size, shared = 150, 75
    i, j = np.triu_indices(size, 1)
    G = lagcolor.Graph.of((np.concatenate([i, i + shared]), np.concatenate([j, j + shared])), n=size + shared)
    assert lagcolor.color(G, "dsatur", verify=True).n_colors == size
    assert lagcolor.color(G, "dsatur").colors.tolist() == by_degree(G)


@pytest.mark.parametrize("n", [64, 65, 4096, 4097, 262_145])
def test_bitmaps_at_word_boundaries(n: int) -> None:
    """A path and the last vertex alone: the search crosses every level of the bitmaps."""
    i = np.arange(n - 2)
    result = lagcolor.color(lagcolor.Graph.of((i, i + 1), n=n), "dsatur", verify=True)
    assert result.n_colors == 2
    assert result.colors[n - 1] == 0
