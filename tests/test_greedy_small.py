"""First-fit in the order largest_first_spread in one launch: by a block, and by all blocks of a GPU."""

from __future__ import annotations

import numpy as np
import pytest
from corpus import CORPUS, fewer, graph, random_graph
from emulated import EMULATED, Emulated, emulated_gpu
from hypothesis import given, settings
from hypothesis import strategies as st

import lagcolor
from lagcolor import device as dev
from lagcolor.engines.greedy import cuda_small
from lagcolor.engines.greedy.cuda_small import Small, first_fit_small
from lagcolor.orders.ties import seed_word

pytestmark = pytest.mark.inner

# Constants of the launcher that send a graph one way or the other.
WAYS: dict[str, dict[str, int]] = {
    "block": {},
    "grid": {"BLOCK_VERTICES": -1},
    "grid unsorted, unranked": {"BLOCK_VERTICES": -1, "SORTED_FROM": 10**6, "RANKED": 0},
    "grid sorted, one warp for hubs": {"BLOCK_VERTICES": -1, "SORTED_FROM": 0, "HUB_WARPS": 1},
}
ways = pytest.mark.parametrize("way", WAYS)
MEMORY = 1 << 18  # of first_fit_block.cu where it is emulated
SMALL = [name for name in CORPUS if 0 < graph(name).n <= 2000 and graph(name).m < 10**5]
HUBS = ["star:700", "barabasi_albert:400,40", "uniform:300,90", "clique:70", "grid2d:17", "rmat:9"]
FAMILIES = ["kron_g500:13", "rmat:15", "uniform:100000,4", "stencil27:30", "grid2d:300", "social:50000,12", "rgg:15"]
FAMILIES += ["delaunay:17", "path:300000", "barabasi_albert:30000,30", "star:5000", "uniform:2000,120", "clique:400"]


def equal(G: lagcolor.Graph, seed: int, small: Small) -> bool:
    """Whether the colors on a GPU are those of the sequential algorithm."""
    word = np.uint32(seed_word(seed))
    colors = first_fit_small(lagcolor.Graph(*(dev.cupy().array(x) for x in (G.indptr, G.indices))), word, small)
    assert colors is not None and colors.dtype == np.int32
    expected = lagcolor.color(G, "greedy", order="largest_first_spread", seed=seed, device="cpu").colors
    return bool(np.array_equal(colors.get(), expected))


def sizes(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in WAYS[way].items():
        monkeypatch.setattr(cuda_small, name, value)


def emulated_small(bits: int = 32) -> Small:
    small = Small(0, bits)
    small.room = MEMORY
    return small


def wide(G: lagcolor.Graph) -> lagcolor.Graph:
    return lagcolor.Graph(G.indptr.astype(np.int64), G.indices)


@pytest.fixture
def gpu() -> Emulated:
    """The device that the mark of a test describes."""
    return Emulated(dev.cupy())


# A number of processors and occupancy with which some graphs have more vertices to a block than it has threads.
@pytest.mark.emulated(processors=2, occupancy=2)
@ways
@pytest.mark.parametrize("name", SMALL)
def test_corpus_emulated(gpu: Emulated, name: str, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes(way, monkeypatch)
    G = graph(name)
    for seed in (0, 3):
        assert equal(G, seed, emulated_small())
    assert equal(wide(G), 1, emulated_small(64))


@pytest.mark.emulated(processors=3, occupancy=1)
@ways
@pytest.mark.parametrize("spec", HUBS)
def test_any_schedule(gpu: Emulated, spec: str, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads in many orders, with lists and windows of colors that are soon full."""
    sizes(way, monkeypatch)
    G = lagcolor.generate.from_spec(spec)
    for macros in ({}, {"WINDOW": 32 * 32, "ROW_ROOM": 160}):
        gpu.gpu.macros = macros
        dev._kernel.cache_clear()
        dev._module.cache_clear()
        small = emulated_small()
        for gpu.gpu.seed in (None, 1, 2, 3):
            assert equal(G, 5, small)


@EMULATED
@given(n=st.integers(1, 150), degree=st.floats(0, 120), seed=st.integers(0, 2**32 - 1), way=st.sampled_from([*WAYS]))
@settings(max_examples=fewer(25), deadline=None)
def test_random(n: int, degree: float, seed: int, way: str) -> None:
    G = random_graph(n, int(n * degree / 2), seed)
    with pytest.MonkeyPatch.context() as patch:
        sizes(way, patch)
        assert equal(G, seed, emulated_small())


@pytest.mark.emulated(processors=2)
def test_a_block_has_many_vertices(gpu: Emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than it has threads: its warps begin them in their order, or wait for ever."""
    sizes("grid unsorted, unranked", monkeypatch)
    for spec in ("grid2d:50", "uniform:3000,7"):
        G = lagcolor.generate.from_spec(spec)
        for gpu.gpu.seed in (None, 1):
            assert equal(G, 0, emulated_small())
        assert gpu.gpu.grids[-1] == ("color_in_grid", 2)
    too_many = lagcolor.generate.from_spec("grid2d:65")
    assert emulated_small().in_grid(too_many.n, too_many.m) is None


@pytest.mark.emulated(processors=2)
def test_one_launch_and_no_wait(gpu: Emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    """The counters are 0 again after each launch; nothing but the launch is asked of the device from `begin` on."""
    H = gpu.graph(lagcolor.generate.from_spec("barabasi_albert:600,70"))
    for way in ("block", "grid"):
        sizes(way, monkeypatch)
        small, counted = emulated_small(), []
        for _ in range(3):
            begun: list[int] = []
            before = gpu.gpu.done
            first_fit_small(H, np.uint32(7), small, lambda: begun.append(gpu.ledger.of(0)))  # noqa: B023
            counted.append((len(begun), gpu.ledger.of(0) - begun[0]))
            assert gpu.gpu.done == before
        assert counted == [(1, 1)] * 3
        assert all(not counters.host.any() for counters in small._counters.values())


@pytest.mark.emulated(processors=2)
def test_counters_of_streams(gpu: Emulated) -> None:
    small = Small(0, 32)
    own = small.counters()
    assert small.counters() is own
    with gpu.cp.cuda.Stream(non_blocking=True):
        assert small.counters() is not own


@pytest.mark.emulated(processors=2, room=1)
def test_no_room_for_all_blocks(gpu: Emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver refuses; the colors come another way."""
    sizes("grid", monkeypatch)
    G = lagcolor.generate.from_spec("grid2d:20")
    H = gpu.graph(G)
    assert first_fit_small(H, np.uint32(seed_word(0)), emulated_small()) is None
    assert gpu.gpu.refused == [2]
    colors = lagcolor.color(H, "first_fit").colors.get()
    assert np.array_equal(colors, lagcolor.color(G, "greedy", order="largest_first_spread", seed=0).colors)


def test_sizes() -> None:
    """Each way where it is quicker, and none for graphs that are too large for both."""
    with emulated_gpu(processors=132, occupancy=4):
        small = emulated_small()
        for n, m, threads in ((1, 0, 256), (512, 10**5, 256), (513, 10, 1024), (8192, 2**18, 1024)):
            found = small.in_block(n, m)
            assert found is not None and found[1] == threads and found[2] >= max(n, 32)
        assert small.in_block(8193, 10) is None and small.in_block(500, 2**18 + 1) is None
        small.room = 1 << 16
        assert small.in_block(8192, 10) is None
        for n, m in ((9000, 10**4), (10**5, 10**6), (10**6, 8 * 10**6), (528 * 2048, 0)):
            grid = small.in_grid(n, m)
            assert grid is not None
            _, blocks, each = grid
            assert blocks <= 528 and each <= 2048 and each % 32 == 0 and (blocks - 1) * each < n <= blocks * each
        assert small.in_grid(528 * 2048 + 1, 0) is None and small.in_grid(10**5, 2**23 + 1) is None


@pytest.mark.gpu
@ways
def test_corpus_on_a_gpu(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes(way, monkeypatch)
    for bits, change in ((32, lambda G: G), (64, wide)):
        small = Small(0, bits)
        for name in CORPUS:
            if graph(name).n and small.in_grid(graph(name).n, graph(name).m):
                assert all(equal(change(graph(name)), seed, small) for seed in range(3)), name


@pytest.mark.gpu
@ways
@pytest.mark.parametrize("spec", FAMILIES)
def test_families_on_a_gpu(spec: str, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes(way, monkeypatch)
    G = lagcolor.generate.from_spec(spec)
    for seed in (0, 1, 2**40):
        assert equal(G, seed, Small(0, 32))
