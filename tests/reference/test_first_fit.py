"""first_fit compared with its oracle: every loop of the CPU, any number of threads, the orders that it takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from corpus import CORPUS, first_fit, graph, random_graph
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.engines.greedy import threads as on_threads
from lagcolor.generate import from_spec
from lagcolor.graph.pattern import unsigned
from lagcolor.orders import Priorities, degree_cpu
from lagcolor.orders.degree_cpu import sort_by_degree, sort_spread
from lagcolor.orders.ties import mix

ORDERS = (("natural", None), ("largest_first", None), ("largest_first_spread", 7), ("random", 1), ("keys", 3))
NAMES = ("empty", "one vertex", "no edges", "star, hub last", "clique 70", "crown", "grid", "disconnected")
TOP = 2047


def orders(G: lagcolor.Graph) -> list[Priorities]:
    """Orders by name, and one by keys; many keys are equal."""
    keys = np.random.default_rng(1).integers(0, 9, G.n)
    return [Priorities.of(G, keys if name == "keys" else name, seed=seed) for name, seed in ORDERS]


def in_chunks(G: lagcolor.Graph, sequence: np.ndarray, workers: int, entries: int) -> Any:
    """The chunk loops, whatever the size of the graph."""
    return on_threads.by_chunks(*unsigned(G), sequence.view(np.uint32), workers, entries)


@pytest.mark.parametrize("threads", [None, 2])
@pytest.mark.parametrize("name", CORPUS)
def test_equals_greedy(name: str, threads: int | None) -> None:
    G = graph(name)
    for p in orders(G):
        expected = lagcolor.color(G, "greedy", p).colors
        assert np.array_equal(lagcolor.color(G, "first_fit", p, threads=threads).colors, expected)


@given(
    n=st.integers(1, 300),
    degree=st.floats(0, 40),
    seed=st.integers(0, 2**32 - 1),
    order=st.sampled_from(["natural", "largest_first", "random", "smallest_last"]),
    workers=st.integers(2, 5),
    entries=st.sampled_from([1, 20, 300, 8192]),
)
def test_chunks(n: int, degree: float, seed: int, order: str, workers: int, entries: int) -> None:
    G = random_graph(n, int(n * degree / 2), seed)
    sequence = Priorities.of(G, order, seed=seed).sequence
    assert in_chunks(G, sequence, workers, entries).tolist() == first_fit(G, sequence.tolist())


@pytest.mark.parametrize("order", ["natural", "random"])
def test_masks_overflow_half_way(order: str) -> None:
    """Sparse but for a clique of 70: the narrow loop hands over to the wide one, whose codes have 16 bits."""
    n = 50_000
    G, K = random_graph(n, 3 * n, 11), graph("clique 70")
    rows = [np.repeat(np.arange(g.n), np.diff(g.indptr)) for g in (G, K)]
    u, v = np.append(rows[0], n // 2 + rows[1]), np.append(G.indices, n // 2 + K.indices)
    G = lagcolor.Graph.of((u, v), n=n)
    sequence = Priorities.of(G, order, seed=3).sequence
    expected = lagcolor.color(G, "greedy", order=order, seed=3).colors
    for workers in (2, 4):
        assert np.array_equal(in_chunks(G, sequence, workers, 600), expected)


@pytest.mark.parametrize(("threads", "wide", "alone"), [(1, False, degree_cpu.ALONE), (2, True, 0), (3, False, 0)])
def test_orders_by_degree(threads: int, wide: bool, alone: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In ranges, and in one loop where the graph is small."""
    monkeypatch.setattr(degree_cpu, "ALONE", alone)
    r = np.random.default_rng(threads)
    n = 3 * TOP  # over all degrees with a key of their own
    hubs = r.choice(n, 5, replace=False)  # over TOP neighbors, so that they share a bucket
    u = np.concatenate([np.repeat(hubs, n), r.integers(0, n, 4 * n)])
    v = np.concatenate([np.tile(np.arange(n), 5), r.integers(0, n, 4 * n)])
    keep = (u != v) & ((u < n - 9) | (v < n // 2))
    ring = np.arange(4_001)  # runs of 32 ids of one degree, but for where it ends
    even = [lagcolor.Graph.of((ring, (ring + 1) % len(ring))), from_spec("grid2d:70")]
    for G in (lagcolor.Graph.of((u[keep], v[keep]), n=n), *even, *map(graph, NAMES)):
        indptr = unsigned(G)[0].astype(np.uint64) if wide else unsigned(G)[0]
        degrees = np.diff(G.indptr)
        assert np.array_equal(sort_by_degree(indptr, threads), np.lexsort((np.arange(G.n), -degrees)))
        for seed in (0, 2**64 - 1):
            sequence = sort_spread(indptr, seed, threads)
            ids = np.arange(G.n)
            nth = np.array([int(f"{i % 32:05b}"[::-1], 2) for i in ids], np.int64)
            bits = np.select([degrees < 4, degrees < 16, degrees < 64], [2, 4, 5], 8)  # that tell vertices apart
            group = mix(np, ids // 32, seed).astype(np.int64) >> (32 - bits)
            assert np.array_equal(sequence, np.lexsort((nth, ids // 32, group, -degrees)))
