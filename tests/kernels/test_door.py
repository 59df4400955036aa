"""What is compiled and launched goes through base/device/source.py, which refuses a launch on the wrong device."""

from __future__ import annotations

import numpy as np
import pytest
from device_library import KERNELS
from emulated import GPU, Emulated

from lagcolor.base import device as dev
from lagcolor.base.device import source
from lagcolor.base.device.source import WrongDeviceError


@pytest.mark.emulated(devices=2)
@pytest.mark.parametrize("cooperative", [False, True])
def test_a_launch_on_another_device(cooperative: bool) -> None:
    """A kernel, a module or data of a GPU that is not the current one is refused before the launch."""
    cp, run = dev.cupy(), dev.Source(KERNELS / "sequence.cu", BLOCK=32).of()
    kernel, place = run.kernel("set_places"), cp.zeros(8, np.uint32)
    module = source.Module(cp, 'extern "C" __global__ void nothing(int* x) {}')
    args = np.int64(8), cp.arange(8, dtype=np.int32), np.uint32(0), place
    with cp.cuda.Device(1):
        elsewhere = cp.zeros(8, np.int32)
        with pytest.raises(WrongDeviceError, match="belongs to a module of GPU 0"):
            module.kernel("nothing")
        for launch in (lambda: kernel((1,), (32,), args, cooperative=cooperative), lambda: kernel.ready(1, 32, args)):
            with pytest.raises(WrongDeviceError, match="'set_places' belongs to GPU 0, but GPU 1 is current"):
                launch()
    wrong = args[0], elsewhere, *args[2:]
    for launch in (lambda: kernel((1,), (32,), wrong, cooperative=cooperative), lambda: kernel.ready(1, 32, wrong)):
        with pytest.raises(WrongDeviceError, match="its data live on GPU 1"):
            launch()
    assert not GPU.launched
    kernel((1,), (32,), args, cooperative=cooperative)
    assert GPU.launched == 1 and place.tolist() == list(range(8))


@pytest.mark.emulated
@pytest.mark.parametrize("context", [1, 0])
def test_launches_that_are_ready(context: int) -> None:
    """Each keeps its own arguments, also in a thread to which the driver has given no context yet."""
    GPU.context = context
    cp, kernel = dev.cupy(), dev.Source(KERNELS / "sequence.cu", BLOCK=32).of().kernel("set_places")
    sequence, places = cp.arange(8, dtype=np.int32), [cp.zeros(8, np.uint32) for _ in range(2)]
    ready = [kernel.ready(1, 32, (8, sequence, np.uint32(k), place)) for k, place in enumerate(places)]
    assert not GPU.launched and ready[1]() and ready[0]()
    assert [place.tolist() for place in places] == [[v ^ k for v in range(8)] for k in (0, 1)]


@pytest.mark.emulated(devices=2)
def test_kernels_of_a_source() -> None:
    """Kernels are compiled once for each device and set of macros, whatever the order of the macros."""
    cp, made = dev.cupy(), dev.Source(KERNELS / "sequence.cu", BLOCK=32)
    run = made.of(A=1, B=2)
    assert made.of(B=2, A=1) is run is made.of(A=1, B=2, BLOCK=32) is not made.of(A=1, B=2, BLOCK=64)
    assert made.of(np.empty(0, np.int64)) is made.of(OFFSET_BITS=64) is not made.of(np.dtype(np.int32))
    with cp.cuda.Device(1):
        assert made.of(A=1, B=2).device == 1
        with pytest.raises(WrongDeviceError, match="'set_places' belongs to GPU 0, but GPU 1 is current"):
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
