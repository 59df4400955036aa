"""First-fit in the order largest_first_spread on a GPU."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest
from corpus import CORPUS, fewer, graph, random_graph
from emulated import EMULATED, Emulated
from hypothesis import given, settings
from hypothesis import strategies as st

import lagcolor
from lagcolor.base import device as dev
from lagcolor.base.device.source import Kernel, Kernels
from lagcolor.base.log import Log
from lagcolor.engines.greedy import cuda as greedy_cuda
from lagcolor.engines.greedy import cuda_small
from lagcolor.engines.greedy.cuda_natural import first_fit_natural
from lagcolor.engines.greedy.cuda_small import Small, first_fit_small
from lagcolor.orders import Priorities
from lagcolor.orders.ties import seed_word

pytestmark = pytest.mark.inner


ON = [
    pytest.param("emulated", marks=pytest.mark.emulated(processors=2, occupancy=2, macros={"LIST_SIZE": 8})),
    pytest.param("cuda", marks=pytest.mark.gpu),
]
SPECS = ["kron_g500:15", "rmat:15", "uniform:100000,4", "stencil27:30", "grid2d:300", "social:50000,12", "clique:3000"]


@pytest.fixture
def sorts(monkeypatch: pytest.MonkeyPatch) -> None:
    """No graph is colored in one launch."""
    monkeypatch.setattr(greedy_cuda, "first_fit_small", lambda *_: None)


def wide(G: lagcolor.Graph) -> lagcolor.Graph:
    return lagcolor.Graph(G.indptr.astype(np.int64), G.indices)


def expected(G: lagcolor.Graph, seed: int) -> np.ndarray:
    """The colors of the sequential algorithm."""
    return lagcolor.color(G, "greedy", order="largest_first_spread", seed=seed).colors


def check(G: lagcolor.Graph, seed: int) -> None:
    assert np.array_equal(greedy_cuda.first_fit(G.on("cuda"), seed).get(), expected(G, seed))


@pytest.mark.parametrize("on", ON)
@pytest.mark.parametrize("name", [name for name in CORPUS if name not in ("empty", "clique 1100")])
def test_corpus(on: str, name: str, sorts: None) -> None:
    check(graph(name), 0)
    check(wide(graph(name)), 3)


@pytest.mark.parametrize("on", ON)
def test_hubs(on: str, sorts: None) -> None:
    check(lagcolor.generate.from_spec("star:3000"), 0)


@pytest.mark.emulated(processors=2, occupancy=2)
def test_a_block_counts_fewer_vertices_in_16_bits(sorts: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """With counts of 32 bits where too few blocks run at the same time, as for 10⁹ vertices."""
    blocks, cooperative = [], Kernels.cooperative

    def counted(run: Kernels, *args: Any, **how: Any) -> int:
        blocks.append(run.block)
        return cooperative(run, *args, **how)

    monkeypatch.setattr(greedy_cuda, "MOST_COUNTED", 256)
    monkeypatch.setattr(Kernels, "cooperative", counted)
    check(random_graph(3000, 6000, 1), 2)
    assert blocks == [128]


@pytest.mark.gpu
@pytest.mark.parametrize("spec", SPECS)
def test_families(spec: str, sorts: None) -> None:
    G = lagcolor.generate.from_spec(spec)
    check(G, 2**40)
    check(wide(G), 3)


@pytest.mark.gpu
@pytest.mark.parametrize(("algorithm", "order"), [("first_fit", "largest_first_spread"), ("ecl_gc", "largest_first")])
@pytest.mark.parametrize("name", [name for name in CORPUS if name != "clique 1100"])
def test_many_seeds(name: str, algorithm: str, order: str) -> None:
    G = graph(name)
    there, run, wrong = G.on("cuda"), lagcolor.ALGORITHMS[algorithm].run, []
    for seed in range(300):
        colors = run(there, Priorities.of(there, order, seed=seed), Log()).get()
        if not np.array_equal(colors, lagcolor.color(G, "greedy", order, seed=seed, verify=False).colors):
            wrong.append(seed)
    assert not wrong


@pytest.mark.gpu
def test_unaligned_columns(sorts: None) -> None:
    import cupy as cp

    G = lagcolor.generate.from_spec("grid2d:100")
    for shift in range(4):
        space = cp.empty(G.m + shift, np.int32)
        space[shift:] = cp.asarray(G.indices)
        moved = lagcolor.Graph(cp.asarray(G.indptr), space[shift:])
        assert np.array_equal(greedy_cuda.first_fit(moved, 0).get(), expected(G, 0))


@pytest.mark.parametrize("on", ON)
@pytest.mark.parametrize("name", [name for name in CORPUS if name != "empty"])
def test_natural_order(on: str, name: str) -> None:
    """With little shared memory a row is read in several turns."""
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


# ---- in one launch -----------------------------------------------------------------------------------------


# Constants of the launcher that send a graph one way or the other.
WAYS: dict[str, dict[str, int]] = {
    "unranked": {"RANKED": 0},
    "one warp for hubs": {"HUB_WARPS": 1},
    "bounded": {"BOUNDED": 0},
    "not bounded": {"BOUNDED": 2**31},
}
ways = pytest.mark.parametrize("way", WAYS)
SMALL = ("isolated among others", "star", "clique 70", "random dense")
HUBS = ("barabasi_albert:250,40", "uniform:180,90")
FAMILIES = ["kron_g500:13", "uniform:100000,4", "stencil27:30", "social:50000,12", "path:300000"]
FAMILIES += ["barabasi_albert:30000,30", "star:5000", "uniform:2000,120", "clique:400"]


def check_small(G: lagcolor.Graph, seed: int, small: Small) -> None:
    there = lagcolor.Graph(*(dev.cupy().array(x) for x in (G.indptr, G.indices)))
    colors = first_fit_small(there, np.uint32(seed_word(seed)), small)
    assert colors is not None and colors.dtype == np.int32
    assert np.array_equal(colors.get(), expected(G, seed))


def sizes(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in WAYS[way].items():
        monkeypatch.setattr(cuda_small, name, value)


@pytest.fixture
def gpu() -> Emulated:
    """The device that the mark of a test describes."""
    return Emulated(dev.cupy())


# Few processors and a low occupancy: some graphs have more vertices per block than threads.
@pytest.mark.emulated(processors=2, occupancy=2)
@ways
@pytest.mark.parametrize("name", SMALL)
def test_corpus_emulated(name: str, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes(way, monkeypatch)
    G = graph(name)
    check_small(G, 0, Small(0, 32))
    check_small(wide(G), 1, Small(0, 64))


@pytest.mark.emulated(processors=3, seed=1, macros={"WINDOW": 32 * 32, "LIST_IN_ROW": 160})
@ways
@pytest.mark.parametrize("spec", HUBS)
def test_any_schedule(spec: str, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads in random order, with lists and windows of colors that are soon full."""
    sizes(way, monkeypatch)
    check_small(lagcolor.generate.from_spec(spec), 5, Small(0, 32))


@pytest.mark.emulated(processors=8, occupancy=2)
@pytest.mark.parametrize("spec", ["uniform:200,150", "barabasi_albert:250,80"])
def test_hubs_that_wait_for_many(gpu: Emulated, spec: str) -> None:
    """Hubs wait for more than 32 vertices; some of them are bound to higher colors."""
    G, small = lagcolor.generate.from_spec(spec), Small(0, 32)
    for gpu.gpu.seed in (None, 1):
        check_small(G, 5, small)


@EMULATED
@given(n=st.integers(1, 150), degree=st.floats(0, 120), seed=st.integers(0, 2**32 - 1), way=st.sampled_from([*WAYS]))
@settings(max_examples=fewer(25))
def test_random_graphs_in_one_launch(n: int, degree: float, seed: int, way: str) -> None:
    G = random_graph(n, int(n * degree / 2), seed)
    with pytest.MonkeyPatch.context() as patch:
        sizes(way, patch)
        check_small(G, seed, Small(0, 32))


@pytest.mark.emulated(processors=2)
@pytest.mark.parametrize(
    ("spec", "lists", "each"),
    [("grid2d:22", 8, 1), ("uniform:600,7", 5, 2), ("uniform:2100,6", 7, 5)],
)
def test_lists(gpu: Emulated, spec: str, lists: int, each: int) -> None:
    """With several vertices per lane, warps begin them in their order; otherwise they would wait forever."""
    G, small = lagcolor.generate.from_spec(spec), Small(0, 32)
    grid = small.by_grid(G.n, G.m)
    assert grid is not None and grid[2:] == (lists, each)
    for gpu.gpu.seed in (None, 1):
        check_small(G, 0, small)


@pytest.mark.emulated(processors=2)
def test_one_launch_and_no_wait(gpu: Emulated) -> None:
    """From `begin` on, the device gets one launch, and the host does not wait."""
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
    check_small(G, 0, small)
    with gpu.cp.cuda.Stream(non_blocking=True):
        check_small(G, 1, small)
    check_small(G, 2, small)
    assert len(small._words) == 2  # each stream has its own
    small._words.clear()

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
        check_small(G, 1, small)


@pytest.mark.emulated(processors=2, space=1)
def test_no_space_for_all_blocks(gpu: Emulated) -> None:
    """The driver refuses; the colors come another way."""
    G = lagcolor.generate.from_spec("grid2d:20")
    H = gpu.graph(G)
    assert first_fit_small(H, np.uint32(seed_word(0)), Small(0, 32)) is None
    assert gpu.gpu.refused == [2]
    assert np.array_equal(lagcolor.color(H, "first_fit").colors.get(), expected(G, 0))


@pytest.mark.gpu
@ways
@pytest.mark.parametrize("spec", FAMILIES)
def test_families_on_a_gpu(spec: str, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes(way, monkeypatch)
    G = lagcolor.generate.from_spec(spec)
    check_small(G, 2**40, Small(0, 32))
    check_small(wide(G), 1, Small(0, 64))
