"""Memory of the host that kernels write: neither reused nor freed while one may still write, whatever is raised."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from emulated import Emulated, emulated_gpu

import lagcolor
from lagcolor.base.device import extremes, pinned
from lagcolor.base.device.pinned import Pinned
from lagcolor.base.device.source import Module
from lagcolor.engines.greedy import cuda as greedy_cuda
from lagcolor.engines.improve import survey
from lagcolor.graph import two_colors
from lagcolor.inputs import canonical_gpu
from lagcolor.problems import PROBLEMS
from semirings import launch

LARGE = 2 * (1 + canonical_gpu.MOST)
GRID, CLIQUE = lagcolor.generate.from_spec("grid2d:20"), lagcolor.generate.from_spec("clique:30")


def in_order(G: lagcolor.Graph) -> Any:
    """First-fit that sorts, also of a graph that is small."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(greedy_cuda, "first_fit_small", lambda *_: None)
        return greedy_cuda.first_fit(G, 0)


CALLERS: dict[str, Callable[[Emulated], Any]] = {
    "in order": lambda gpu: in_order(gpu.graph(CLIQUE)),
    "canonical": lambda gpu: canonical_gpu.is_canonical(gpu.graph(GRID).indptr, gpu.graph(GRID).indices),
    "check": lambda gpu: PROBLEMS["distance1"].verify(gpu.graph(CLIQUE), gpu.cp.zeros(30, np.int32), errors="return"),
    "largest": lambda gpu: extremes.extremes(gpu.cp.zeros(9, np.int32)),
    "survey": lambda gpu: survey.survey(gpu.graph(GRID)),
    "two colors": lambda gpu: two_colors.on_gpu(gpu.cp, gpu.graph(GRID)),
}
callers = pytest.mark.parametrize("caller", CALLERS.values(), ids=CALLERS)


@pytest.fixture
def gpu() -> Iterator[Emulated]:
    """Kernels that do nothing, and are done only when something waits for them."""
    with emulated_gpu(idle=True) as e:
        yield e


def check(gpu: Emulated) -> None:
    """Memory that a kernel may write is alive and is not reused before the kernels are done."""
    gc.collect()
    assert not gpu.gpu.freed
    for count in {1, 2, 3, 10, survey.WORDS, LARGE, 2 * extremes.WORDS * extremes.MOST}:
        assert not gpu.gpu.busy(Pinned.take(count).ptr)
    late = [a for a in gpu.gpu.pinned if gpu.gpu.busy(a)]
    gpu.gpu.finish()
    sizes = {p.ptr: len(p.numbers) for p in pinned._SET_ASIDE}
    assert set(late) <= set(sizes) | {p.ptr for p in pinned._TAKEN}
    for ptr, count in sizes.items():
        assert ptr in {Pinned.take(count).ptr for _ in range(len(sizes) + 1)}
    assert not pinned._SET_ASIDE


@callers
def test_failure_at_each_allocation_and_launch(gpu: Emulated, caller: Any) -> None:
    """A failure at any point is reported; also, a call reuses the memory of the call before."""
    caller(gpu)  # builds the plans
    made = len(gpu.gpu.pinned)
    caller(gpu)
    assert len(gpu.gpu.pinned) == made and not pinned._TAKEN and not pinned._SET_ASIDE
    at = 0
    while True:
        left = [at]

        def count(what: str, _: Any, left: list[int] = left) -> None:
            if left[0] == 0:
                raise MemoryError(what)
            left[0] -= 1

        gpu.gpu.fail = count
        try:
            caller(gpu)
        except MemoryError:
            gpu.gpu.fail = None
            check(gpu)
        else:
            assert left[0] == 0 and at > 0
            return
        at += 1


@pytest.mark.parametrize("caller", [CALLERS["check"], CALLERS["survey"]], ids=["check", "survey"])
def test_interrupt_at_each_line(gpu: Emulated, caller: Any) -> None:
    folder = str(Path(lagcolor.__file__).parent)
    caller(gpu)
    for at in range(10**6):
        left = at

        def trace(frame: Any, event: str, arg: Any) -> Any:
            nonlocal left
            if event == "line" and frame.f_code.co_filename.startswith(folder):
                left -= 1
                if left == -1:
                    raise KeyboardInterrupt
            return trace if frame.f_code.co_filename.startswith(folder) else None

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            caller(gpu)
        except KeyboardInterrupt:
            sys.settrace(before)
            assert not gpu.gpu.freed
            assert not any(gpu.gpu.busy(p.ptr) for spare in pinned._SPARE.values() for p in spare)
            gpu.gpu.finish()  # what was set aside is taken back in the next turn; otherwise that has ever more lines
        else:
            assert at > 5
            return
        finally:
            sys.settrace(before)


def test_threads_never_share(gpu: Emulated) -> None:
    taken, clash = set(), []

    def work() -> None:
        for _ in range(300):
            with Pinned.take(1) as p:
                clash.append(p.ptr) if p.ptr in taken else taken.add(p.ptr)
                p.launched()
                p.wait()
                taken.discard(p.ptr)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not clash


@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt])
def test_number_of_a_reduction(gpu: Emulated, error: type[BaseException]) -> None:
    """After an exception between launch and wait the next number is written elsewhere."""
    number = launch.HostNumber(gpu.cp)
    kernel = Module(gpu.cp, 'extern "C" __global__ void write(long long* number) { *number = 1; }').kernel("write")

    def write(address: int) -> None:
        assert not gpu.gpu.busy(address)
        kernel((1,), (1,), (address,))

    def fails(address: int) -> None:
        write(address)
        raise error

    with pytest.raises(error):
        number.after(fails, np.dtype(np.int64))
    number.after(write, np.dtype(np.int64))
    gc.collect()
    assert not gpu.gpu.freed
    assert len(gpu.gpu.pinned) == 2  # one for the failure
