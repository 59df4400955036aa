"""GPUs without a GPU: CuPy's part that the library uses, on memory of the host; kernels run as they are written.

The library takes it for CuPy, so that `lagcolor.color(x, device="cuda")` runs its own launchers, sizes and kernels.
What a real machine answers only with two GPUs, and then by an illegal access that poisons the process, is an error here
that names the place: an allocation, a launch, a stream or an event on another device than the current one, or a pointer
to memory of another device among a kernel's arguments.

It is in the tests and not in lagcolor/base/device/, since it stands in for the module `cupy` of a whole process and
needs a C++ compiler: users who color graphs do not want that installed.

============= ================================================================
array         `ndarray`: an array that knows its device and never turns into NumPy's
runtime       devices, streams, events, memory; `Gpu`: how they behave; the ledger of what each device did
compiler      `RawModule`: the text that NVRTC would get, compiled by g++; launches
device.h      CUDA C++ for g++
scheduler.cpp threads of a grid as fibers, in turn or by a seeded random schedule
module        the module `cupy` made of these, and putting it where imports find it
============= ================================================================
"""

import pytest

from .array import ndarray
from .compiler import EmulatorError, available
from .module import Emulated, emulated_gpu, forget, kernel, stands_in
from .runtime import GPU, LEDGER, Device, WrongDeviceError

# A test that is marked so has an emulated GPU (conftest.py), and `device="cuda"` means that.
EMULATED = pytest.mark.emulated
ENGINES = [
    "cpu",
    pytest.param("emulated", marks=EMULATED, id="cuda-emulated"),
    pytest.param("cuda", marks=pytest.mark.gpu),
]

__all__ = [
    "EMULATED", "ENGINES",
    "GPU", "LEDGER", "Device", "Emulated", "EmulatorError", "WrongDeviceError", "available", "emulated_gpu", "forget",
    "kernel", "ndarray", "stands_in",
]  # fmt: skip
