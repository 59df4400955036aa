"""First-fit in the order largest_first_spread on a GPU, and that order."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from corpus import CORPUS, fewer, graph, random_graph
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lagcolor
from lagcolor.engines.greedy import cuda as greedy_cuda
from lagcolor.engines.greedy.cuda_natural import first_fit_natural
from lagcolor.orders import Priorities
from lagcolor.orders.ties import mix

pytestmark = pytest.mark.inner


def spread(G: lagcolor.Graph, seed: int) -> list[int]:
    """The order, said in Python."""
    hashes = mix(np, np.arange(G.n // 32 + 1, dtype=np.uint32), seed).tolist()

    def key(v: int) -> tuple[int, int, int, str]:
        d, run = int(G.degrees[v]), v // 32
        bits = 2 if d < 4 else 4 if d < 16 else 5 if d < 64 else 8
        return -d, hashes[run] >> (32 - bits), run, f"{v % 32:05b}"[::-1]

    return sorted(range(G.n), key=key)


def test_order() -> None:
    for name in CORPUS:
        for seed in (0, 5):
            sequence = Priorities.of(graph(name), "largest_first_spread", seed=seed).sequence
            assert sequence.tolist() == spread(graph(name), seed), name


@pytest.mark.parametrize("n", [1, 300, 4096, 10**6, 10**8, 2**31 - 2])
def test_every_vertex_is_in_a_block(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    fit = {16: SimpleNamespace(name="narrow", together=lambda _, block: 792)}
    fit[32] = SimpleNamespace(name="wide", together=lambda _, block: 1584)
    monkeypatch.setattr(greedy_cuda, "SORT", SimpleNamespace(of=lambda _, COUNT_BITS: fit[COUNT_BITS]))
    run, threads, blocks, per_block = greedy_cuda.sort_sizes(None, n, -(-n // greedy_cuda.RANGE))
    kernel = run.name
    assert blocks * per_block >= n > (blocks - 1) * per_block
    assert per_block % threads == 0  # a warp has a whole number of rows of 32
    assert blocks <= {"narrow": 792, "wide": 1584}[kernel]  # all are resident
    assert kernel == "wide" or per_block < 2**16  # counts of 16 bits


@pytest.mark.parametrize("high", [1, 2**15 - 1, 2**15, 2**20, 2**24, 2**25, 2**30])
def test_bits_of_bound(high: int) -> None:
    """Turns, bounds and the states of lower degrees have room in 31 bits; nothing more would."""
    bits = greedy_cuda.bits_of_bound(high)
    assert (high << bits) + greedy_cuda.LOW_STATES <= 2**31
    assert bits == greedy_cuda.MOST_BOUND or (high << bits + 1) + greedy_cuda.LOW_STATES > 2**31


ON = [
    pytest.param("emulated", marks=pytest.mark.emulated(processors=2, occupancy=2, macros={"ROOM": 8})),
    pytest.param("cuda", marks=pytest.mark.gpu),
]
SPECS = ["kron_g500:15", "rmat:15", "uniform:100000,4", "stencil27:30", "grid2d:300", "social:50000,12", "clique:3000"]


@pytest.fixture
def sorts(monkeypatch: pytest.MonkeyPatch) -> None:
    """No graph is colored in one launch."""
    monkeypatch.setattr(greedy_cuda, "first_fit_small", lambda *_: None)


def wide(G: lagcolor.Graph) -> lagcolor.Graph:
    return lagcolor.Graph(G.indptr.astype(np.int64), G.indices)


def check(G: lagcolor.Graph, seed: int) -> None:
    on_gpu = greedy_cuda.first_fit(G.on("cuda"), seed).get()
    assert np.array_equal(on_gpu, lagcolor.color(G, "greedy", order="largest_first_spread", seed=seed).colors)


@pytest.mark.parametrize("on", ON)
@pytest.mark.parametrize("name", [name for name in CORPUS if name not in ("empty", "clique 1100")])
def test_corpus(on: str, name: str, sorts: None) -> None:
    check(graph(name), 0)
    check(wide(graph(name)), 3)


@pytest.mark.parametrize("on", ON[:1])
@given(n=st.integers(1, 150), degree=st.floats(0, 90), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=fewer(25), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_random_graphs(on: str, sorts: None, n: int, degree: float, seed: int) -> None:
    check(random_graph(n, int(n * degree / 2), seed), seed)


@pytest.mark.parametrize("on", ON)
def test_hubs(on: str, sorts: None) -> None:
    check(lagcolor.generate.from_spec("star:3000"), 0)


@pytest.mark.gpu
@pytest.mark.parametrize("spec", SPECS)
def test_families(spec: str, sorts: None) -> None:
    G = lagcolor.generate.from_spec(spec)
    for seed in (0, 1, 2**40):
        check(G, seed)
    check(wide(G), 3)


@pytest.mark.gpu
def test_unaligned_columns(sorts: None) -> None:
    import cupy as cp

    G = lagcolor.generate.from_spec("grid2d:100")
    for shift in range(4):
        room = cp.empty(G.m + shift, np.int32)
        room[shift:] = cp.asarray(G.indices)
        moved = lagcolor.Graph(cp.asarray(G.indptr), room[shift:])
        expected = lagcolor.color(G, "greedy", order="largest_first_spread", seed=0).colors
        assert np.array_equal(greedy_cuda.first_fit(moved, 0).get(), expected)


@pytest.mark.parametrize("on", ON)
@pytest.mark.parametrize("name", [name for name in CORPUS if name != "empty"])
def test_natural_order(on: str, name: str) -> None:
    """With little room a row is read in several turns."""
    G = graph(name)
    if G.max_degree >= 64:
        return
    for H in (G, wide(G)):
        assert np.array_equal(first_fit_natural(H.on("cuda"), 1e6).get(), lagcolor.color(G, "greedy").colors)


@pytest.mark.gpu
def test_natural_order_gives_up() -> None:
    """Along a path every vertex waits for the one before."""
    path = lagcolor.generate.from_spec("path:10000000", device="cuda")
    assert first_fit_natural(path, 1e-3) is None
    assert first_fit_natural(lagcolor.generate.from_spec("stencil27:20", device="cuda"), 10.0).max() == 7
