"""First-fit in the order largest_first_spread on a GPU, and that order."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from corpus import CORPUS, graph

import lagcolor
from lagcolor.kernels import in_order
from lagcolor.priorities import Priorities
from lagcolor.priorities.ties import mix


def spread(G: lagcolor.Graph, seed: int) -> list[int]:
    """The order, said in Python."""
    hashes = mix(np, np.arange(G.n // 32 + 1, dtype=np.uint32), seed).tolist()

    def key(v: int) -> tuple[int, int, int, str]:
        d, run = int(G.degrees[v]), v // 32
        bits = 2 if d < 4 else 4 if d < 16 else 5 if d < 64 else 8
        return -d, hashes[run] >> (32 - bits), run, f"{v % 32:05b}"[::-1]

    return sorted(range(G.n), key=key)


@pytest.mark.parametrize("name", CORPUS)
def test_order(name: str) -> None:
    G = graph(name)
    for seed in (0, 5):
        assert Priorities.of(G, "largest_first_spread", seed).sequence.tolist() == spread(G, seed)


@pytest.mark.parametrize("n", [1, 300, 4096, 10**6, 10**8, 2**31 - 2])
def test_every_vertex_is_in_a_block(n: int) -> None:
    plan = SimpleNamespace(sorts=[("narrow", 256, 792), ("wide", 128, 1584)])
    kernel, threads, blocks, per_block = in_order._Plan.sort(plan, n)
    assert blocks * per_block >= n > (blocks - 1) * per_block
    assert per_block % threads == 0  # a warp has a whole number of rows of 32
    assert blocks <= {"narrow": 792, "wide": 1584}[kernel]  # all are resident
    assert kernel == "wide" or per_block < 2**16  # counts of 16 bits


def equal(G: lagcolor.Graph, seed: int) -> bool:
    on_gpu = in_order.first_fit(G.on("cuda"), seed).get()
    return bool(np.array_equal(on_gpu, lagcolor.color(G, "greedy", order="largest_first_spread", seed=seed).colors))


@pytest.mark.gpu
@pytest.mark.parametrize("name", CORPUS)
def test_equals_first_fit(name: str) -> None:
    for seed in range(5):
        assert equal(graph(name), seed)


@pytest.mark.gpu
@pytest.mark.parametrize(
    "spec", ["kron_g500:15", "rmat:15", "uniform:100000,4", "stencil27:30", "grid2d:300", "social:50000,12", "rgg:15"]
)
def test_equals_first_fit_on_families(spec: str) -> None:
    G = lagcolor.generate.from_spec(spec)
    for seed in (0, 1, 2**40):
        assert equal(G, seed)
    wide = lagcolor.Graph(G.indptr.astype(np.int64), G.indices)
    assert equal(wide, 3)


@pytest.mark.gpu
def test_unaligned_columns() -> None:
    import cupy as cp

    G = lagcolor.generate.from_spec("grid2d:100")
    for shift in range(4):
        room = cp.empty(G.m + shift, np.int32)
        room[shift:] = cp.asarray(G.indices)
        moved = lagcolor.Graph(cp.asarray(G.indptr), room[shift:])
        expected = lagcolor.color(G, "greedy", order="largest_first_spread", seed=0).colors
        assert np.array_equal(in_order.first_fit(moved, 0).get(), expected)


@pytest.mark.gpu
def test_cliques_need_more_colors_than_a_window() -> None:
    """A clique of 3000 vertices: hubs only, a chain as long as the graph."""
    k = 3000
    others = np.broadcast_to(np.arange(k, dtype=np.int32), (k, k))
    G = lagcolor.Graph(np.arange(k + 1, dtype=np.int32) * (k - 1), others[~np.eye(k, dtype=bool)])
    assert equal(G, 0)


@pytest.mark.gpu
@pytest.mark.parametrize("name", CORPUS)
def test_natural_order(name: str) -> None:
    G = graph(name)
    if G.max_degree < 64:
        assert np.array_equal(in_order.first_fit_natural(G.on("cuda"), 10.0).get(), lagcolor.color(G, "greedy").colors)


@pytest.mark.gpu
def test_natural_order_gives_up() -> None:
    """Along a path every vertex waits for the one before."""
    path = lagcolor.generate.from_spec("path:10000000", device="cuda")
    assert in_order.first_fit_natural(path, 1e-3) is None
    assert in_order.first_fit_natural(lagcolor.generate.from_spec("stencil27:20", device="cuda"), 10.0).max() == 7
