"""CuPy without a GPU: devices that share the host's memory, kernels run by cuda_emulator, and every call accounted for.

What a real machine does only with two GPUs, and then by an illegal access that poisons the process, is an error here
that names the place: an allocation, a launch, a stream or an event on another device than the current one, or a
pointer to memory of another device among a kernel's arguments.

======== =====================================================================
array    `ndarray`: an array that knows its device and never turns into NumPy's
runtime  devices, streams, events, memory, and the ledger of what each device did
compiler `RawModule`: the text that NVRTC would get, compiled by g++
module   the module `cupy` made of these, and putting it where imports find it
======== =====================================================================
"""

from .array import ndarray
from .module import available, installed
from .runtime import LEDGER, Device, WrongDeviceError

__all__ = ["LEDGER", "Device", "WrongDeviceError", "available", "installed", "ndarray"]
