"""First-fit in the order largest_first_spread in one launch."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest
from corpus import fewer, graph, random_graph
from emulated import EMULATED, Emulated
from hypothesis import given, settings
from hypothesis import strategies as st

import lagcolor
from lagcolor.base import device as dev
from lagcolor.base.device.source import Kernel
from lagcolor.engines.greedy import cuda_small
from lagcolor.engines.greedy.cuda_small import Small, first_fit_small
from lagcolor.orders.ties import seed_word

pytestmark = pytest.mark.inner

# Constants of the launcher that send a graph one way or the other.
WAYS: dict[str, dict[str, int]] = {
    "ranked": {},
    "unranked": {"RANKED": 0},
    "one warp for hubs": {"HUB_WARPS": 1},
    "bounded": {"BOUNDED": 0},
    "bounded, unranked": {"BOUNDED": 0, "RANKED": 0},
    "not bounded": {"BOUNDED": 2**31},
}
ways = pytest.mark.parametrize("way", WAYS)
SMALL = ("isolated among others", "star", "clique 70", "complete bipartite", "random dense", "disconnected")
HUBS = ("barabasi_albert:250,40", "uniform:180,90")
FAMILIES = ["kron_g500:13", "uniform:100000,4", "stencil27:30", "grid2d:300", "social:50000,12", "delaunay:17"]
FAMILIES += ["path:300000", "barabasi_albert:30000,30", "star:5000", "uniform:2000,120", "clique:400"]


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
def test_corpus_emulated(name: str, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes(way, monkeypatch)
    G = graph(name)
    assert equal(G, 0, Small(0, 32))
    assert equal(wide(G), 1, Small(0, 64))


@pytest.mark.emulated(processors=3, seed=1, macros={"WINDOW": 32 * 32, "ROW_ROOM": 160})
@ways
@pytest.mark.parametrize("spec", HUBS)
def test_any_schedule(spec: str, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads in random order, with lists and windows of colors that are soon full."""
    sizes(way, monkeypatch)
    assert equal(lagcolor.generate.from_spec(spec), 5, Small(0, 32))


@pytest.mark.emulated(processors=8, occupancy=2)
@pytest.mark.parametrize("spec", ["uniform:200,150", "barabasi_albert:250,80"])
def test_hubs_that_wait_for_many(gpu: Emulated, spec: str) -> None:
    """For over 32 of which some are bound to higher colors, and not all."""
    G, small = lagcolor.generate.from_spec(spec), Small(0, 32)
    for gpu.gpu.seed in (None, 1):
        assert equal(G, 5, small)


@EMULATED
@given(n=st.integers(1, 150), degree=st.floats(0, 120), seed=st.integers(0, 2**32 - 1), way=st.sampled_from([*WAYS]))
@settings(max_examples=fewer(25), deadline=None)
def test_random(n: int, degree: float, seed: int, way: str) -> None:
    G = random_graph(n, int(n * degree / 2), seed)
    with pytest.MonkeyPatch.context() as patch:
        sizes(way, patch)
        assert equal(G, seed, Small(0, 32))


@pytest.mark.emulated(processors=2)
@pytest.mark.parametrize(
    ("spec", "lists", "each"),
    [
        ("grid2d:22", 8, 1),
        ("uniform:600,7", 5, 2),
        ("uniform:2100,6", 7, 5),
    ],
)
def test_lists(gpu: Emulated, spec: str, lists: int, each: int) -> None:
    """Of several vertices per lane: warps begin them in their order, or wait for ever."""
    G, small = lagcolor.generate.from_spec(spec), Small(0, 32)
    grid = small.by_grid(G.n, G.m)
    assert grid is not None and grid[2:] == (lists, each)
    for gpu.gpu.seed in (None, 1):
        assert equal(G, 0, small)


@pytest.mark.emulated(processors=2)
def test_one_launch_and_no_wait(gpu: Emulated) -> None:
    """Nothing but the launch is asked of the device from `begin` on, and nothing is waited for."""
    H = gpu.graph(lagcolor.generate.from_spec("barabasi_albert:600,70"))
    small, counted = Small(0, 32), []
    for _ in range(3):
        begun: list[int] = []
        before = gpu.gpu.done
        first_fit_small(H, np.uint32(7), small, lambda: begun.append(gpu.ledger.of(0)))  # noqa: B023
        counted.append((len(begun), gpu.ledger.of(0) - begun[0]))
        assert gpu.gpu.done == before
    assert counted == [(1, 1)] * 3


@pytest.mark.emulated(processors=2)
def test_each_launch_finds_words_that_are_0(gpu: Emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last one has left them so; not where a launch is refused, or interrupted before it is known to be made."""
    G, small = lagcolor.generate.from_spec("barabasi_albert:600,70"), Small(0, 32)
    places = []
    for i in range(4):
        assert equal(G, i, small)
        ((both, at),) = small._words.values()
        assert not both.host[at : at + cuda_small.WORDS].any() and both.host.any()
        places.append((both.data.ptr, at))
    assert places[0] == places[2] != places[1] == places[3]

    def interrupted(*args: Any) -> Any:
        launch = ready(*args)

        def go() -> None:
            launch()
            raise KeyboardInterrupt

        return go

    ready = Kernel.ready
    for fault in (interrupted, lambda *_: lambda: False):
        with monkeypatch.context() as patch, contextlib.suppress(KeyboardInterrupt):
            patch.setattr(Kernel, "ready", fault)
            assert first_fit_small(gpu.graph(G), np.uint32(7), small) is None
        assert not small._words
        assert equal(G, 1, small) and equal(G, 2, small)


@pytest.mark.emulated(processors=2)
def test_words_of_streams(gpu: Emulated) -> None:
    small = Small(0, 32)
    own, at = small.take_words()
    small.give_back(own, at)
    with gpu.cp.cuda.Stream(non_blocking=True):
        other, _ = small.take_words()
    again, then = small.take_words()
    assert again is own is not other and then == cuda_small.WORDS - at


@pytest.mark.emulated(processors=2, room=1)
def test_no_room_for_all_blocks(gpu: Emulated) -> None:
    """The driver refuses; the colors come another way."""
    G = lagcolor.generate.from_spec("grid2d:20")
    H = gpu.graph(G)
    assert first_fit_small(H, np.uint32(seed_word(0)), Small(0, 32)) is None
    assert gpu.gpu.refused == [2]
    colors = lagcolor.color(H, "first_fit").colors.get()
    assert np.array_equal(colors, lagcolor.color(G, "greedy", order="largest_first_spread", seed=0).colors)


@pytest.mark.emulated(processors=132, occupancy=4)
def test_sizes() -> None:
    """Blocks and lists of graphs that are small enough, and none for others."""
    small = Small(0, 32)
    for n, m, each in ((1, 0, 1), (10**5, 10**6, 1), (2 * 10**5, 10**6, 2), (10**6, 8 * 10**6, 8)):
        grid = small.by_grid(n, m)
        assert grid is not None
        _, blocks, lists, per_lane = grid
        assert blocks <= 528 and lists <= 8 and per_lane == each
        assert (blocks - 1) * lists * 32 * each < n <= blocks * lists * 32 * each
    assert small.by_grid(528 * 2048, 0) is not None
    assert small.by_grid(528 * 2048 + 1, 0) is None and small.by_grid(10**6, 2**23 + 1) is None


@pytest.mark.gpu
@ways
@pytest.mark.parametrize("spec", FAMILIES)
def test_families_on_a_gpu(spec: str, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes(way, monkeypatch)
    G = lagcolor.generate.from_spec(spec)
    assert all(equal(G, seed, Small(0, 32)) for seed in (0, 2**40))
    assert equal(wide(G), 1, Small(0, 64))
