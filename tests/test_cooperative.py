"""Where memory is short, or blocks that wait for each other find no room: other ways, or an error that helps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from cuda_emulator import EMULATED
from failing_gpu import FakeGpu

import lagcolor
import semirings
from lagcolor import device as dev
from lagcolor import search as search_room
from lagcolor.device import cooperative
from lagcolor.engines.greedy import cuda as greedy_cuda
from lagcolor.orders import Priorities
from lagcolor.orders.approximate_degeneracy import removal_rounds
from lagcolor.papers import jones_plassmann
from lagcolor.papers.che import rounds_gpu
from lagcolor.papers.che.baseline import che_baseline
from lagcolor.papers.che.work_stealing import che_work_stealing
from lagcolor.papers.ecl_gc import ecl_gc
from lagcolor.papers.ipgc import ipgc
from lagcolor.result import Log
from semirings.gpu import Gpu

G = lagcolor.generate.from_spec("grid2d:20")
DENSE = lagcolor.generate.from_spec("clique:80")  # degrees over 64
SPREAD = "largest_first_spread"


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeGpu]:
    """One multiprocessor, for the emulator has room for one block of a cooperative launch."""
    yield from fake(monkeypatch, 1)


@pytest.fixture
def too_few(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeGpu]:
    """Two multiprocessors, and a driver that has room for one block."""
    for made in fake(monkeypatch, 2):
        made.room = 1
        yield made


def fake(monkeypatch: pytest.MonkeyPatch, width: int) -> Iterator[FakeGpu]:
    made = FakeGpu(executes=True, width=width)
    made.use(monkeypatch)
    yield made
    FakeGpu(executes=False).use(monkeypatch)  # forget what was found out about this one


def colored(gpu: FakeGpu, G: lagcolor.Graph, seed: int = 0) -> tuple[Any, Log]:
    log, H = Log(), gpu.graph(G)
    p = Priorities.of(H, SPREAD, seed)
    return lagcolor.ALGORITHMS["first_fit"].run(H, p, log), log


def expected(G: lagcolor.Graph, seed: int = 0) -> Any:
    return lagcolor.color(G, "greedy", order=SPREAD, seed=seed).colors


# ---- memory ----------------------------------------------------------------------------------------------------------


@EMULATED
@pytest.mark.parametrize("graph", [G, DENSE], ids=["at once", "in order"])
def test_default_order_without_memory(gpu: FakeGpu, graph: lagcolor.Graph) -> None:
    """The first n allocations succeed and the next does not: the frugal way takes 8 bytes a vertex, 4 of them here."""
    plain, log = colored(gpu, graph)
    assert np.array_equal(plain, expected(graph)) and "memory" not in log.notes
    needed, count = len(gpu.sizes), 0
    for at in range(needed):
        count = 0

        def check(what: str, at: int = at) -> None:
            nonlocal count
            if what != "allocate":
                return
            count += 1
            if count == at + 1:
                gpu.sizes.clear()
                raise MemoryError("the last byte is taken")

        gpu.check = check
        colors, log = colored(gpu, graph, seed=at)
        if count <= at:
            break  # memory of the host was there already
        assert np.array_equal(colors, expected(graph, at)) and colors.dtype == np.int32
        assert log.notes == {"memory": "frugal"}
        assert sum(gpu.sizes) <= 4 * graph.n + graph.m // 16 + graph.n // 128 + 32
    assert needed >= 2 and at == needed - 1


@EMULATED
def test_not_even_the_frugal_way_fits(gpu: FakeGpu) -> None:
    def check(what: str) -> None:
        if what == "allocate":
            raise MemoryError("the last byte is taken")

    gpu.check = check
    with pytest.raises(MemoryError, match="last byte"):
        colored(gpu, G)


# ---- cooperative launches --------------------------------------------------------------------------------------------


def forbid(gpu: FakeGpu, how: str) -> None:
    if how == "refused":
        gpu.room = 0
    elif how == "no room":
        gpu.occupancy = 0
    else:
        gpu.attributes["CooperativeLaunch"] = 0


HOW = pytest.mark.parametrize("how", ["refused", "no room", "not there"])


@EMULATED
@HOW
@pytest.mark.parametrize("graph", [G, DENSE], ids=["at once", "in order"])
def test_default_order_without_cooperative_launches(gpu: FakeGpu, graph: lagcolor.Graph, how: str) -> None:
    forbid(gpu, how)
    colors, log = colored(gpu, graph)
    assert np.array_equal(colors, expected(graph))
    assert log.notes == {"launch": "not cooperative"}


@EMULATED
@HOW
def test_jones_plassmann_goes_the_other_way(gpu: FakeGpu, how: str) -> None:
    """As the error says that it does: with the same colors."""
    forbid(gpu, how)
    H = gpu.graph(G)
    colors = jones_plassmann._gpu(H, Priorities.of(H, "random", 3), Log())
    assert np.array_equal(colors, lagcolor.color(G, "greedy", order="random", seed=3).colors)


NEED = {
    "ecl_gc": lambda gpu, H: ecl_gc(H, Priorities.of(H, "natural"), Log()),
    "che_baseline": lambda gpu, H: che_baseline(H, Priorities.of(H, "random", 0), Log()),
    "che_work_stealing": lambda gpu, H: che_work_stealing(H, Priorities.of(H, "random", 0), Log()),
    "ipgc": lambda gpu, H: ipgc(H, Priorities.of(H, "natural"), Log()),
    "approximate_degeneracy": lambda gpu, H: removal_rounds(H),
}


@EMULATED
@HOW
@pytest.mark.parametrize("need", NEED.values(), ids=NEED)
def test_what_needs_them_says_so(gpu: FakeGpu, how: str, need: Callable[..., Any]) -> None:
    forbid(gpu, how)
    with pytest.raises(lagcolor.DeviceError, match=r"wait for each other.*device='cpu'.*jones_plassmann"):
        need(gpu, gpu.graph(G))


@EMULATED
def test_fewer_blocks_sort(too_few: FakeGpu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(greedy_cuda, "RANGE", 32)
    colors, log = colored(too_few, G)
    assert too_few.refused == [2, 2]  # also all vertices at once
    assert np.array_equal(colors, expected(G)) and not log.notes


@EMULATED
def test_fewer_blocks_do_the_rounds(too_few: FakeGpu, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is shared out to blocks is shared out anew."""
    monkeypatch.setattr(rounds_gpu, "BLOCK", 64)
    H = too_few.graph(G)
    p, q = (Priorities.of(g, "random", 0) for g in (H, G))
    assert np.array_equal(che_baseline(H, p, Log()), che_baseline(G, q, Log()))
    assert np.array_equal(che_work_stealing(H, p, Log(), chunk=64), che_baseline(G, q, Log()))
    lagcolor.verify(G, ipgc(H, Priorities.of(H, "natural"), Log()))
    (level, rounds), (same, as_many) = removal_rounds(H), removal_rounds(G)
    assert rounds == as_many and np.array_equal(level, same)
    assert too_few.refused == [2] * 4


def test_half_as_many_until_there_is_room() -> None:
    tried: list[int] = []

    def launch(blocks: int) -> bool:
        tried.append(blocks)
        return blocks <= 3

    assert cooperative.with_fewer(100, launch) == 3
    assert tried == [100, 50, 25, 12, 6, 3]
    with pytest.raises(lagcolor.DeviceError, match="no room here for 50 at a time"):
        cooperative.with_fewer(100, launch, least=50)
    with pytest.raises(lagcolor.DeviceError, match="no room here for 1 at a time"):
        cooperative.with_fewer(5, lambda blocks: False)


def test_other_errors_of_the_driver_stay_what_they_are() -> None:
    def launch(*_: Any, **how: Any) -> None:
        raise RuntimeError("CUDA_ERROR_ILLEGAL_ADDRESS")

    with pytest.raises(RuntimeError, match="ILLEGAL"):
        cooperative.launches(launch, 1, 32, ())


def test_a_search_goes_on_without_them() -> None:
    log = Log()
    search = search_room.Search(G, log)

    def fails(_: Log) -> Any:
        raise cooperative.no_cooperative_launch("there is no room")

    with pytest.raises(lagcolor.DeviceError):  # nothing is better than a coloring that is not there
        search.attempt("ecl_gc", fails)
    search.attempt("greedy", lambda _: expected(G))
    search.attempt("ejection", fails)
    assert search.n_colors == expected(G).max() + 1
    assert "no room" in log.notes["tried"][-1]["why"]


# ---- ROCm ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def rocm(monkeypatch: pytest.MonkeyPatch) -> FakeGpu:
    """CuPy built for ROCm; nothing may be compiled."""
    made = FakeGpu(executes=False)
    made.cuda.runtime.is_hip = True
    monkeypatch.setattr(dev, "cupy", lambda: made)
    monkeypatch.setattr(FakeGpu, "RawModule", None)
    return made


def test_rocm_is_refused_by_name(rocm: FakeGpu) -> None:
    from lagcolor.algebra import adapter
    from lagcolor.frontier.operators import cuda

    H = rocm.graph(G)
    for compiles in (
        lambda: dev.kernel(greedy_cuda.HIGH, "color_high", OFFSET_BITS=32, STATE_BITS=32, BLOCK=128),
        lambda: jones_plassmann._gpu(H, Priorities.of(H, "natural"), Log()),
        lambda: adapter.engine(H),
        lambda: lagcolor.ALGORITHMS["luby_is_fused"].run(H, Priorities.of(H, "random", 0), Log()),
        lambda: cuda.CudaOperators(H, rocm),
    ):
        with pytest.raises(lagcolor.DeviceError, match=r"ROCm.*32 threads.*device='cpu'"):
            compiles()


def test_rocm_is_refused_by_the_engine(rocm: FakeGpu) -> None:
    E = Gpu(rocm)
    with pytest.raises(semirings.DeviceError, match=r"ROCm.*engine 'cpu'"):
        E.reduce(semirings.plus, E.full(10, 1, np.int32))
