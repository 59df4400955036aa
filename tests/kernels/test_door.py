"""What is compiled and launched goes through base/device/source.py, which refuses a launch on the wrong device."""

from __future__ import annotations

import ast
import ctypes
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from device_library import KERNELS
from emulated import Emulated

from lagcolor.base import device as dev
from lagcolor.base.device import source
from lagcolor.base.device.source import Module, WrongDeviceError

ROOT = Path(__file__).resolve().parents[2]
DOOR = Path(source.__file__)
SEMIRINGS = ROOT / "semirings" / "launch.py"  # a package of its own
# What CuPy compiles or launches with, and what of a kernel only the door may touch.
OTHER_DOORS = {
    "RawModule", "RawKernel", "ElementwiseKernel", "ReductionKernel", "fuse", "get_function", "compile_with_cache",
    "enable_cooperative_groups", "max_dynamic_shared_size_bytes", "occupancyMaxActiveBlocksPerMultiprocessor",
}  # fmt: skip


def other_doors(text: str) -> Iterator[str]:
    """Names of `OTHER_DOORS` that a source uses: as an attribute, a name, an import or a keyword."""
    for node in ast.walk(ast.parse(text)):
        names = {
            ast.Attribute: lambda n: [n.attr],
            ast.Name: lambda n: [n.id],
            ast.keyword: lambda n: [n.arg],
            ast.ImportFrom: lambda n: [a.name for a in n.names],
        }.get(type(node), lambda n: [])(node)
        yield from OTHER_DOORS.intersection(names)


def test_there_is_one_door() -> None:
    files = [p for folder in ("lagcolor", "semirings", "benchmarks", "tools") for p in (ROOT / folder).rglob("*.py")]
    assert len(files) > 200 and DOOR in files
    found = {str(p.relative_to(ROOT)): set(other_doors(p.read_text())) for p in files if p not in (DOOR, SEMIRINGS)}
    assert not {path: names for path, names in found.items() if names}
    assert {"RawModule", "get_function"} <= set(other_doors(DOOR.read_text()))


class Array:
    """As much of an array as a launch looks at."""

    def __init__(self, device: int) -> None:
        self.data = SimpleNamespace(device_id=device, ptr=5000)


@pytest.fixture
def gpu() -> Any:
    """Two devices that have no more than the door may use for a launch; `current` and what was launched."""
    state: Any = SimpleNamespace(current=0, launched=[], context=1)

    class RawModule:
        def __init__(self, code: str, options: tuple[str, ...], backend: str) -> None:
            assert backend == "nvrtc" and "-std=c++17" in options

        def get_function(self, name: str) -> Any:
            def launch(*args: Any) -> None:
                state.launched.append((name, *args))

            launch.ptr = 7
            return SimpleNamespace(name=name, kernel=launch, max_dynamic_shared_size_bytes=100)

    state.words = []

    def by_address(count: int) -> Any:
        def launch(*given: Any) -> None:
            *sizes, stream, address = given
            at = (ctypes.c_uint64 * count).from_address(address)
            state.words.append(([*sizes, stream], [ctypes.c_uint64.from_address(x).value for x in at]))

        return launch

    driver = SimpleNamespace(
        occupancyMaxActiveBlocksPerMultiprocessor=lambda ptr, block, shared: 2048 // block,
        ctxGetCurrent=lambda: state.context, launchCooperativeKernel=by_address(3),
    )  # fmt: skip
    runtime = SimpleNamespace(getDevice=lambda: state.current)
    stream = SimpleNamespace(ptr=9)
    cuda = SimpleNamespace(runtime=runtime, driver=driver, get_current_stream=lambda: stream)
    state.cp = SimpleNamespace(cuda=cuda, ndarray=Array, RawModule=RawModule)
    return state


def test_a_launch(gpu: Any) -> None:
    kernel = Module(gpu.cp, "").kernel("name")
    args = (3, Array(0), 2)
    kernel((5,), (32,), args)
    kernel((6,), (64,), (1, 2), shared_mem=8, cooperative=True)
    assert gpu.launched == [("name", (5,), (32,), args, 0, None, False), ("name", (6,), (64,), (1, 2), 8, None, True)]
    assert kernel.resident(256) == 8


def test_a_launch_that_is_ready(gpu: Any) -> None:
    """The driver finds the numbers and addresses where it is told, also where another launch is made in between."""
    kernel = Module(gpu.cp, "").kernel("name")
    first = kernel.ready(5, 32, (3, Array(0), -1))
    second = kernel.ready(6, 64, (np.uint32(4), Array(0), 2**40))
    assert not gpu.words
    assert first() and kernel.ready(7, 32, (1, Array(0), 2))() and second()
    assert gpu.words == [
        ([7, 5, 1, 1, 32, 1, 1, 0, 9], [3, 5000, 2**64 - 1]),
        ([7, 7, 1, 1, 32, 1, 1, 0, 9], [1, 5000, 2]),
        ([7, 6, 1, 1, 64, 1, 1, 0, 9], [4, 5000, 2**40]),
    ]
    assert not gpu.launched


def test_a_thread_without_a_context(gpu: Any) -> None:
    """CuPy sees to it, and launches as ever."""
    kernel, args = Module(gpu.cp, "").kernel("name"), (3, Array(0), 2)
    gpu.context = 0
    assert kernel.ready(5, 32, args)()
    assert gpu.launched == [("name", (5,), (32,), args, 0, None, True)] and not gpu.words


@pytest.mark.parametrize("cooperative", [False, True])
def test_a_kernel_of_another_device(gpu: Any, cooperative: bool) -> None:
    kernel = Module(gpu.cp, "").kernel("name")
    gpu.current = 1
    with pytest.raises(WrongDeviceError, match="'name' is of GPU 0, and GPU 1 is current"):
        kernel((1,), (1,), (Array(1),), cooperative=cooperative)
    with pytest.raises(WrongDeviceError, match="'name' is of GPU 0, and GPU 1 is current"):
        kernel.ready(1, 1, (Array(1),))
    assert not gpu.launched


def test_a_module_of_another_device(gpu: Any) -> None:
    module = Module(gpu.cp, "")
    gpu.current = 1
    with pytest.raises(WrongDeviceError, match="belongs to a module of GPU 0"):
        module.kernel("name")


@pytest.mark.parametrize("cooperative", [False, True])
def test_data_of_another_device(gpu: Any, cooperative: bool) -> None:
    kernel = Module(gpu.cp, "").kernel("name")
    places = ((4, 0, Array(1)), (Array(1), 0, 0), (4, Array(1), Array(0)))
    for args in places:
        with pytest.raises(WrongDeviceError, match="its data live on GPU 1"):
            kernel((1,), (1,), args, cooperative=cooperative)
        with pytest.raises(WrongDeviceError, match="its data live on GPU 1"):
            kernel.ready(1, 1, args)
    assert not gpu.launched
    kernel((1,), (1,), (4, Array(0), 0), cooperative=cooperative)
    assert len(gpu.launched) == 1


@pytest.mark.emulated(devices=2)
def test_kernels_of_a_source() -> None:
    """They are compiled once for each device and set of macros, whatever the order of these."""
    cp, made = dev.cupy(), dev.Source(KERNELS / "sequence.cu", BLOCK=32)
    run = made.of(A=1, B=2)
    assert made.of(B=2, A=1) is run is made.of(A=1, B=2, BLOCK=32) is not made.of(A=1, B=2, BLOCK=64)
    assert made.of(np.empty(0, np.int64)) is made.of(OFFSET_BITS=64) is not made.of(np.dtype(np.int32))
    with cp.cuda.Device(1):
        assert made.of(A=1, B=2).device == 1
        with pytest.raises(WrongDeviceError, match="'set_places' is of GPU 0, and GPU 1 is current"):
            run.kernel("set_places")
    assert run.kernel("set_places") is run.kernel("set_places")


@pytest.mark.emulated(processors=3, occupancy=2)
def test_grids() -> None:
    """Blocks for a number of threads, up to a number of blocks; a tuple is the grid; nothing for 0."""
    gpu, run = Emulated(dev.cupy()).gpu, dev.Source(KERNELS / "sequence.cu", BLOCK=32).of()
    args = np.int64(0), 0, np.uint32(0), dev.cupy().zeros(1, np.uint32)
    for threads, most in ((65, 0), (65, 2), (65, 9), ((5,), 0), (0, 0), ((0,), 0)):
        run.launch("set_places", threads, *args, most=most)
    run.launch("set_places", 65, *args, block=64)
    assert [blocks for _, blocks in gpu.grids] == [3, 2, 3, 5, 2]
    assert run.resident("set_places") == 6 == run.together("set_places") and run.resident("set_places", 1) == 3
    assert [run.fitting("set_places", n) for n in (0, 33, 10**6)] == [1, 2, 6]
