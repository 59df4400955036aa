"""Where memory is short, or blocks that wait for each other find no space: other ways, or an error that helps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from device_library import KERNELS
from emulated import EMULATED, Emulated

import lagcolor
import semirings
from lagcolor.algorithms import jones_plassmann, jpl
from lagcolor.algorithms.ecl_gc import ecl_gc
from lagcolor.algorithms.ipgc import ipgc
from lagcolor.base import device as dev
from lagcolor.base.device import source
from lagcolor.base.log import Log
from lagcolor.engines.greedy import cuda as greedy_cuda
from lagcolor.engines.greedy import cuda_small
from lagcolor.orders import Priorities
from lagcolor.orders.approximate_degeneracy import removal_rounds
from lagcolor.search import attempts as search_attempts
from semirings.gpu import Gpu

G = lagcolor.generate.from_spec("grid2d:20")
DENSE = lagcolor.generate.from_spec("clique:80")  # degrees over 64
SPREAD = "largest_first_spread"


# Two multiprocessors, and a driver that has space for one block.
TOO_FEW = pytest.mark.emulated(processors=2, space=1)


@pytest.fixture(params=["one launch", "in order"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """How the default order is colored: by all blocks in one launch, or sorted first."""
    if request.param == "in order":
        monkeypatch.setattr(cuda_small, "GRID_ENTRIES", -1)


@pytest.fixture
def gpu() -> Emulated:
    """The device that the mark of a test describes."""
    return Emulated(dev.cupy())


def colored(H: lagcolor.Graph, seed: int = 0) -> tuple[Any, Log]:
    log = Log()
    return lagcolor.ALGORITHMS["first_fit"].run(H, Priorities.of(H, SPREAD, seed=seed), log).get(), log


def expected(G: lagcolor.Graph, seed: int = 0) -> Any:
    return lagcolor.color(G, "greedy", order=SPREAD, seed=seed).colors


# ---- memory ----------------------------------------------------------------------------------------------------------


@EMULATED
@pytest.mark.parametrize("graph", [G, DENSE], ids=["sparse", "dense"])
def test_default_order_without_memory(gpu: Emulated, graph: lagcolor.Graph, way: None) -> None:
    """The first n allocations succeed and the next does not: the frugal way takes 8 bytes per vertex."""
    H = gpu.graph(graph)
    colored(H)  # memory of the host is there
    gpu.ledger.clear()
    plain, log = colored(H)
    assert np.array_equal(plain, expected(graph)) and "memory" not in log.notes
    needed, left = len(gpu.ledger.sizes), 0

    def check(what: str, _: Any) -> None:
        nonlocal left
        if what == "allocate":
            left -= 1
            if left == -1:
                gpu.ledger.sizes.clear()
                raise MemoryError("the last byte is taken")

    gpu.gpu.fail = check
    assert needed >= 2
    for seed in range(needed):
        left = seed
        colors, log = colored(H, seed)
        assert np.array_equal(colors, expected(graph, seed)) and colors.dtype == np.int32
        assert log.notes == {"memory": "frugal"}
        assert sum(gpu.ledger.sizes) <= 8 * graph.n + graph.m // 16 + graph.n // 128 + 32


# ---- cooperative launches --------------------------------------------------------------------------------------------


LACKS: dict[str, dict[str, Any]] = {
    "refused": {"space": 0},
    "no space": {"occupancy": 0},
    "not there": {"cooperative": False},
}
without = pytest.mark.parametrize(
    "lacks", [pytest.param(name, marks=pytest.mark.emulated(**how)) for name, how in LACKS.items()]
)


@without
@pytest.mark.parametrize("graph", [G, DENSE], ids=["sparse", "dense"])
def test_default_order_without_cooperative_launches(
    gpu: Emulated, graph: lagcolor.Graph, lacks: str, way: None
) -> None:
    colors, log = colored(gpu.graph(graph))
    assert np.array_equal(colors, expected(graph))
    assert log.notes == {"launch": "not cooperative"}


NEED = {
    "ecl_gc": lambda H: ecl_gc(H, Priorities.of(H, "natural"), Log()),
    "jones_plassmann": lambda H: jones_plassmann._gpu(H, Priorities.of(H, "random", seed=0), Log()),
    "jpl": lambda H: jpl.jpl(H, Priorities.of(H, "random", seed=0), Log()),
    "ipgc": lambda H: ipgc(H, Priorities.of(H, "natural"), Log()),
    "approximate_degeneracy": lambda H: removal_rounds(H),
}


@without
@pytest.mark.parametrize("need", NEED.values(), ids=NEED)
def test_what_needs_them_says_so(gpu: Emulated, lacks: str, need: Callable[..., Any]) -> None:
    with pytest.raises(lagcolor.DeviceError, match=r"wait for each other.*device='cpu'.*first_fit"):
        need(gpu.graph(G))


@TOO_FEW
def test_fewer_blocks(gpu: Emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    """With fewer blocks, kernels that sort and that run rounds distribute their work again."""
    monkeypatch.setattr(greedy_cuda, "RANGE", 32)
    H = gpu.graph(G)
    colors, log = colored(H)
    assert np.array_equal(colors, expected(G)) and not log.notes
    monkeypatch.setattr(jpl, "SOURCE", dev.Source(jpl.SOURCE.path, BLOCK=64))
    p, q = (Priorities.of(g, "random", seed=0) for g in (H, G))
    assert np.array_equal(jpl.jpl(H, p, Log()).get(), jpl.jpl(G, q, Log()))
    lagcolor.verify(G, ipgc(H, Priorities.of(H, "natural"), Log()).get())
    (level, rounds), (same, as_many) = removal_rounds(H), removal_rounds(G)
    assert rounds == as_many and np.array_equal(level.get(), same)
    assert set(gpu.gpu.refused) == {2}


@pytest.mark.emulated(processors=100, space=3)
def test_half_as_many_until_there_is_space(gpu: Emulated) -> None:
    """The arguments may depend on the number of blocks."""
    run = dev.Source(KERNELS / "grid.cu", block=32).of()

    def args(blocks: int) -> tuple[Any, ...]:
        arrived, turns, wrong = (gpu.cp.zeros(size, np.int32) for size in (1, blocks, 1))
        return np.int64(2), arrived, np.int64(0), turns, wrong

    assert run.cooperative("meetings", 10**6, args) == 3
    assert gpu.gpu.refused == [100, 50, 25, 12, 6]
    with pytest.raises(lagcolor.DeviceError, match="cannot run 50 blocks at a time"):
        run.cooperative("meetings", 10**6, args, least=50)


def test_a_search_goes_on_without_them() -> None:
    search = search_attempts.in_graph(G, Log())

    def fails(_: Log) -> Any:
        raise source.no_cooperative_launch("there is no space")

    with pytest.raises(lagcolor.DeviceError):  # nothing is better than a coloring that is not there
        search.attempt("ecl_gc", fails)
    search.attempt("greedy", lambda _: expected(G))
    search.attempt("ejection", fails)
    assert search.n_colors == expected(G).max() + 1
    assert "no space" in search.log.notes["tried"][-1]["why"]


# ---- ROCm ------------------------------------------------------------------------------------------------------------


@EMULATED
def test_rocm_is_refused_by_name(gpu: Emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    """CuPy built for ROCm; nothing may be compiled."""
    monkeypatch.setattr(gpu.cp.cuda.runtime, "is_hip", True)
    H = gpu.graph(G)
    for algorithm in ("jones_plassmann", "luby_is_fused"):
        with pytest.raises(lagcolor.DeviceError, match=r"ROCm.*32 threads.*device='cpu'"):
            lagcolor.ALGORITHMS[algorithm].run(H, Priorities.of(H, "natural"), Log())
    with pytest.raises(semirings.DeviceError, match=r"ROCm.*engine 'cupyx' or 'cpu'"):
        Gpu(gpu.cp)
    assert not gpu.gpu.texts
