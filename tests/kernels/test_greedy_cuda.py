"""First-fit in the order largest_first_spread on a GPU, and that order."""

from __future__ import annotations

from types import SimpleNamespace

import emulated
import numpy as np
import pytest
from corpus import CORPUS, fewer, graph, random_graph
from emulated import EMULATED
from hypothesis import given, settings
from hypothesis import strategies as st

import lagcolor
from lagcolor.engines.greedy import cuda as greedy_cuda
from lagcolor.engines.greedy import cuda_natural
from lagcolor.engines.greedy.cuda_natural import first_fit_natural
from lagcolor.orders import Priorities
from lagcolor.orders.ties import mix, seed_word

pytestmark = pytest.mark.inner


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
        assert Priorities.of(G, "largest_first_spread", seed=seed).sequence.tolist() == spread(G, seed)


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


@pytest.fixture
def sorts(monkeypatch: pytest.MonkeyPatch) -> None:
    """No graph is colored in one launch."""
    monkeypatch.setattr(greedy_cuda, "first_fit_small", lambda *_: None)


def equal(G: lagcolor.Graph, seed: int) -> bool:
    on_gpu = greedy_cuda.first_fit(G.on("cuda"), seed).get()
    return bool(np.array_equal(on_gpu, lagcolor.color(G, "greedy", order="largest_first_spread", seed=seed).colors))


@pytest.mark.gpu
@pytest.mark.parametrize("name", CORPUS)
def test_equals_first_fit(name: str, sorts: None) -> None:
    for seed in range(5):
        assert equal(graph(name), seed)


@pytest.mark.gpu
@pytest.mark.parametrize(
    "spec", ["kron_g500:15", "rmat:15", "uniform:100000,4", "stencil27:30", "grid2d:300", "social:50000,12", "rgg:15"]
)
def test_equals_first_fit_on_families(spec: str, sorts: None) -> None:
    G = lagcolor.generate.from_spec(spec)
    for seed in (0, 1, 2**40):
        assert equal(G, seed)
    wide = lagcolor.Graph(G.indptr.astype(np.int64), G.indices)
    assert equal(wide, 3)


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


@pytest.mark.gpu
def test_cliques_need_more_colors_than_a_window(sorts: None) -> None:
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
        assert np.array_equal(first_fit_natural(G.on("cuda"), 10.0).get(), lagcolor.color(G, "greedy").colors)


@pytest.mark.gpu
def test_natural_order_gives_up() -> None:
    """Along a path every vertex waits for the one before."""
    path = lagcolor.generate.from_spec("path:10000000", device="cuda")
    assert first_fit_natural(path, 1e-3) is None
    assert first_fit_natural(lagcolor.generate.from_spec("stencil27:20", device="cuda"), 10.0).max() == 7


# Without a GPU: the same text run on the CPU, with one block.


def first_fit_emulated(G: lagcolor.Graph, seed: int) -> np.ndarray:
    n, bits = G.n, 8 * G.indptr.itemsize
    word = seed_word(seed)
    per_block, parts = -(-n // 256) * 256, int(greedy_cuda.part_bits(n))
    tickets, starts, found = np.zeros(4, np.uint32), np.zeros(66, np.int32), np.zeros(1, np.int32)
    counts, totals = np.zeros(greedy_cuda.KEYS, np.uint32), np.zeros(greedy_cuda.KEYS, np.uint32)
    sequence, state, colors = np.zeros(n, np.int64), np.zeros(n, np.uint8), np.full(n, -1, np.int32)
    sort = emulated.kernel(greedy_cuda.SORT, "spread_sort", OFFSET_BITS=bits, COUNT_BITS=16)
    sort(
        (1,), (256,), (n, per_block, G.indptr, word, tickets, counts, totals, starts, found, sequence, state, parts, 0)
    )
    high = int(found[0])
    if high:
        state = np.zeros(n, np.uint32)
        wide = {"OFFSET_BITS": bits, "STATE_BITS": 32, "BLOCK": 128}
        emulated.kernel(greedy_cuda.HIGH, "set_low", **wide)((1,), (32,), (n, G.indptr, word, state, 0))
        keys, ids = np.zeros(high, np.uint64), np.zeros(high, np.int32)
        grid, bits_of_bound = (-(-high // 32),), greedy_cuda.bits_of_bound(high)
        keys_of, ids_of = (
            emulated.kernel(greedy_cuda.SORT, k, OFFSET_BITS=bits, COUNT_BITS=16) for k in ("high_keys", "high_ids")
        )
        keys_of(grid, (32,), (high, sequence, G.indptr, word, keys, 0, 0))
        keys.sort()
        ids_of(grid, (32,), (high, 2**greedy_cuda.INDEX_BITS - 1, keys, sequence, ids))
        emulated.kernel(greedy_cuda.HIGH, "set_turns", **wide)(grid, (32,), (high, ids, 0, state, bits_of_bound))
        kernel = emulated.kernel(greedy_cuda.HIGH, "color_high", **wide)
        kernel((1,), (128,), (high, ids, 0, G.indptr, G.indices, tickets[1:], state, bits_of_bound, 0, 0))
    macros = {"OFFSET_BITS": bits, "STATE_BITS": 8 * state.itemsize, "BLOCK": 64} | greedy_cuda.MANY[8 * state.itemsize]
    low, write = (emulated.kernel(greedy_cuda.LOW, k, **macros) for k in ("color_low", "write_colors"))
    low((1,), (64,), (n, G.m, high, starts, sequence, G.indptr, G.indices, word, tickets[2:], state, 0, parts, 0, 0))
    write((2,), (32,), (n, state, colors))
    return colors


@EMULATED
@pytest.mark.parametrize("name", [name for name in CORPUS if graph(name).n and graph(name).max_degree < 64])
@pytest.mark.parametrize("room", [24, 8])
def test_natural_order_emulated(name: str, room: int) -> None:
    """One block draws all vertices; with little room a row is read in several turns."""
    G = graph(name)
    for wide in (False, True):
        H = lagcolor.Graph(G.indptr.astype(np.int64), G.indices) if wide else G
        kernel = emulated.kernel(
            cuda_natural.SOURCE, "color_natural", OFFSET_BITS=8 * H.indptr.itemsize, STATE_BITS=8, BLOCK=64, ROOM=room
        )
        state, colors = np.full(G.n, 0x80, np.uint8), np.full(G.n, -1, np.int32)
        small = np.zeros(4, np.uint32)
        kernel((1,), (64,), (G.n, G.m, 1, H.indptr, H.indices, small[2:], small, small[3:], state, colors, 0, 0))
        assert not small[3]
        assert np.array_equal(colors, lagcolor.color(G, "greedy").colors)


@EMULATED
@pytest.mark.parametrize("name", [name for name in CORPUS if name not in ("empty", "clique 1100")])
def test_emulated(name: str) -> None:
    G = graph(name)
    for seed in (0, 3):
        expected = lagcolor.color(G, "greedy", order="largest_first_spread", seed=seed).colors
        assert np.array_equal(first_fit_emulated(G, seed), expected)
        wide = lagcolor.Graph(G.indptr.astype(np.int64), G.indices)
        assert np.array_equal(first_fit_emulated(wide, seed), expected)


@EMULATED
@given(n=st.integers(1, 150), degree=st.floats(0, 90), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=fewer(25), deadline=None)
def test_emulated_random(n: int, degree: float, seed: int) -> None:
    G = random_graph(n, int(n * degree / 2), seed)
    expected = lagcolor.color(G, "greedy", order="largest_first_spread", seed=seed).colors
    assert np.array_equal(first_fit_emulated(G, seed), expected)


@EMULATED
def test_emulated_hubs() -> None:
    G = lagcolor.generate.from_spec("star:3000")
    assert np.array_equal(first_fit_emulated(G, 0), lagcolor.color(G, "greedy", order="largest_first_spread").colors)
