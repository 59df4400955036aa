"""Devices, streams, events and memory; the ledger counts what each device was asked for."""

from __future__ import annotations

import contextlib
import ctypes
import threading
import time
import weakref
from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np

ATTRIBUTES = {
    "CooperativeLaunch": 1,
    "MultiProcessorCount": 1,
    "MaxThreadsPerMultiProcessor": 2048,
    "MaxSharedMemoryPerBlockOptin": 1 << 16,
    "ComputeCapabilityMajor": 9,
    "ComputeCapabilityMinor": 0,
}
CAPACITY = 1 << 40  # bytes of a device's memory


class WrongDeviceError(AssertionError):
    """Something was done on a device where its data are not."""


class CUDARuntimeError(RuntimeError):
    """CUDA's answer to a call that cannot be."""


class OutOfMemoryError(MemoryError):
    """No room on a device."""


class Ledger:
    """What each device did: allocations, launches, and whatever else leaves a trace.

    Attributes
    ----------
    counts : Counter
        (device, kind) → how many.
    refuse : callable or None
        Called with (device, bytes) before each allocation; raises what the allocation is to raise.
    """

    def __init__(self) -> None:
        self.counts: Counter[tuple[int, str]] = Counter()
        self.refuse: Any = None
        self._blocks: dict[int, tuple[int, int]] = {}  # address → end, device

    def clear(self) -> None:
        """Forget what was counted; live memory stays known."""
        self.counts.clear()

    def note(self, kind: str) -> None:
        """One more on the current device."""
        self.counts[current(), kind] += 1

    def of(self, device: int) -> int:
        """Everything that a device was asked for."""
        return sum(count for (d, _), count in self.counts.items() if d == device)

    def allocate(self, n_bytes: int) -> None:
        """An allocation on the current device, before it is made."""
        if self.refuse is not None:
            self.refuse(current(), n_bytes)
        self.note("allocation")

    def register(self, owner: Any, address: int, n_bytes: int) -> None:
        """Memory of the current device, known by its address until its owner goes."""
        if n_bytes:
            self._blocks[address] = (address + n_bytes, current())
            weakref.finalize(owner, self._blocks.pop, address, None)

    def device_at(self, address: int) -> int | None:
        """The device whose memory this address points into; None for anything else."""
        for start, (end, device) in self._blocks.copy().items():
            if start <= address < end:
                return device
        return None


LEDGER = Ledger()


class _Thread(threading.local):
    """The current device of a thread, and its current stream of each device."""

    def __init__(self) -> None:
        self.device = 0
        self.streams: dict[int, Stream] = {}


_thread = _Thread()
n_devices = 2


def current() -> int:
    """The current device's number."""
    return _thread.device


def demand(device: int, what: str) -> None:
    """Nothing, if `device` is current.

    Raises
    ------
    WrongDeviceError
        It is not.
    """
    if device != current():
        raise WrongDeviceError(f"{what} belongs to device {device}, and device {current()} is current")


class Device:
    """A device, and a context in which it is the current one."""

    def __init__(self, device: int | None = None) -> None:
        self.id = current() if device is None else int(device)
        if not 0 <= self.id < n_devices:
            raise CUDARuntimeError("cudaErrorInvalidDevice: invalid device ordinal")
        self._before: list[int] = []

    def __enter__(self) -> Device:
        self._before.append(current())
        _thread.device = self.id
        return self

    def __exit__(self, *_: object) -> None:
        _thread.device = self._before.pop()

    def use(self) -> None:
        _thread.device = self.id

    def synchronize(self) -> None:
        pass

    def __int__(self) -> int:
        return self.id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and other.id == self.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"<CUDA Device {self.id}>"

    attributes = ATTRIBUTES
    compute_capability = "90"


class Event:
    """A moment on a device's stream; all that was asked for is done by then."""

    def __init__(self, block: bool = False, disable_timing: bool = False, interprocess: bool = False) -> None:
        self.device = current()
        LEDGER.note("event")

    def record(self, stream: Any = None) -> None:
        stream = stream or get_current_stream()
        if stream.device_id != self.device:
            raise WrongDeviceError(f"an event of device {self.device} on a stream of device {stream.device_id}")
        self.at = time.perf_counter()

    def synchronize(self) -> None:
        pass

    @property
    def done(self) -> bool:
        return True


class Stream:
    """A stream of the device that was current when it was made."""

    def __init__(self, null: bool = False, non_blocking: bool = False, ptds: bool = False) -> None:
        self.device_id, self.ptr = current(), 0
        self._before: list[Stream | None] = []

    def record(self, event: Event | None = None) -> Event:
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        pass

    def synchronize(self) -> None:
        LEDGER.note("synchronization")

    def __enter__(self) -> Stream:
        demand(self.device_id, "a stream")
        self._before.append(_thread.streams.get(self.device_id))
        _thread.streams[self.device_id] = self
        return self

    def __exit__(self, *_: object) -> None:
        before = self._before.pop()
        if before is None:
            del _thread.streams[self.device_id]
        else:
            _thread.streams[self.device_id] = before


def get_current_stream(device_id: int | None = None) -> Stream:
    """The current stream of a device."""
    device = current() if device_id is None else device_id
    if device not in _thread.streams:
        with Device(device):
            _thread.streams[device] = Stream(null=True)
    return _thread.streams[device]


class Memory:
    """Bytes of the current device."""

    def __init__(self, n_bytes: int) -> None:
        LEDGER.allocate(n_bytes)
        self._bytes = np.full(max(n_bytes, 1), 0xA5, np.uint8)
        self.ptr, self.device_id = self._bytes.ctypes.data, current()
        LEDGER.register(self._bytes, self.ptr, len(self._bytes))


class PinnedMemory(bytearray):
    """Memory of the host that every device may write to."""

    @property
    def ptr(self) -> int:
        """Its address."""
        return ctypes.addressof((ctypes.c_char * len(self)).from_buffer(self))


class MemoryPool:
    """Says that there is room."""

    def malloc(self, n_bytes: int) -> Memory:
        return Memory(n_bytes)

    def free_all_blocks(self) -> None:
        pass

    def get_limit(self) -> int:
        return 0

    def total_bytes(self) -> int:
        return 0

    def used_bytes(self) -> int:
        return 0

    def free_bytes(self) -> int:
        return 0


def _memset(pointer: int, value: int, n_bytes: int, stream: int) -> None:
    device = LEDGER.device_at(pointer)
    assert device is not None or not n_bytes, "memset of memory that nobody owns"
    demand(current() if device is None else device, "memory")
    LEDGER.note("memset")
    ctypes.memset(pointer, value, n_bytes)


runtime = SimpleNamespace(
    getDevice=current,
    getDeviceCount=lambda: n_devices,
    setDevice=lambda device: Device(device).use(),
    memGetInfo=lambda: (CAPACITY, CAPACITY),
    memsetAsync=_memset,
    deviceSynchronize=lambda: None,
    CUDARuntimeError=CUDARuntimeError,
    is_hip=False,
)
cuda = SimpleNamespace(
    Device=Device,
    Event=Event,
    Stream=Stream,
    MemoryPool=MemoryPool,
    alloc=Memory,
    alloc_pinned_memory=PinnedMemory,
    get_current_stream=get_current_stream,
    get_elapsed_time=lambda begin, end: (end.at - begin.at) * 1e3,
    using_allocator=lambda allocator=None: contextlib.nullcontext(),
    runtime=runtime,
    memory=SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
    driver=SimpleNamespace(
        occupancyMaxActiveBlocksPerMultiprocessor=lambda function, block, shared: 1, CUDADriverError=CUDARuntimeError
    ),
)
