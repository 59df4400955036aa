"""Devices, streams, events and memory; the ledger counts the requests to each device, `GPU` is how it behaves.

A kernel runs when it is launched, but counts as done only when something waits for it, as on a GPU.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np


class WrongDeviceError(AssertionError):
    """Something was done on a device where its data are not."""


class CUDARuntimeError(RuntimeError):
    """CUDA's answer to a call that cannot be."""


class CUDADriverError(RuntimeError):
    """CUDA's answer to a launch that cannot be."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class OutOfMemoryError(MemoryError):
    """No space on a device."""


FUNCTIONS: dict[int, Any] = {}  # kernels by what the driver knows them by
TOO_LARGE = 720  # CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE


@dataclass
class Gpu:
    """How the devices behave, and what was launched on them."""

    devices: int = 1
    memory: int = 1 << 40  # bytes of each
    # `processors` and `occupancy`: multiprocessors, and blocks that fit on one. A cooperative launch runs their product
    # of blocks together
    processors: int = 1
    shared_memory: int = 1 << 16  # bytes that a block may ask for
    occupancy: int = 1
    cooperative: bool = True  # whether there are cooperative launches
    context: int = 1  # 0: the driver has none for the thread that calls, as before CUDA's runtime was used there
    space: int = 1 << 30  # blocks of a cooperative launch that the driver has space for
    seed: int | None = None  # of the schedule of threads; None: in turn from barrier to barrier
    poison: int = 0xA5  # byte that fills fresh allocations, and shared memory before each block
    # constants of the sources that have another value here, so that small graphs reach all code
    macros: dict[str, int] = field(default_factory=dict)
    # texts of the sources, and what is compiled in their place: faults that tests must find
    faults: tuple[tuple[str, str], ...] = ()
    idle: bool = False  # kernels do nothing
    # called with "allocate", "pin" or "launch" and the bytes, or the kernel's name, before each; may raise
    fail: Callable[[str, Any], None] | None = None
    texts: list[str] = field(default_factory=list)  # what was compiled
    # `launched` and `done`: launches, and how many of them are done
    launched: int = 0
    done: int = 0
    refused: list[int] = field(default_factory=list)  # blocks of cooperative launches without space
    grids: list[tuple[str, int]] = field(default_factory=list)  # name and blocks of each launch
    # names and types of what CuPy does itself, and compiles a kernel for
    operations: set[tuple[str, ...]] = field(default_factory=set)
    # addresses of pinned memory that was freed while a launch that may write there was not done
    freed: list[int] = field(default_factory=list)
    together: list[Any] | None = None  # launches that are to run at the same time (compiler.together)
    peers: bool = True  # whether devices can reach each other's memory
    # pairs of devices; the first may reach the second's memory
    linked: set[tuple[int, int]] = field(default_factory=set)
    pinned: dict[int, int] = field(default_factory=dict)  # address → last launch that received it

    def check(self, what: str, how: Any) -> None:
        """Let the test's own function refuse it."""
        if self.fail is not None:
            self.fail(what, how)

    def launching(self, name: str, blocks: int, cooperative: bool, args: tuple[Any, ...]) -> None:
        """Count a launch, or refuse it."""
        self.check("launch", name)
        if cooperative:
            assert self.cooperative, f"{name}: this device has no cooperative launches"
            if blocks > min(self.space, self.processors * self.occupancy):
                self.refused.append(blocks)
                raise CUDADriverError(TOO_LARGE, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE")
        LEDGER.note("launch")
        self.launched += 1
        self.grids.append((name, blocks))
        for x in args:
            if isinstance(x, int) and x in self.pinned:
                self.pinned[x] = self.launched

    def operates(self, name: str, *arrays: Any) -> None:
        """Note an operation of CuPy's by what tells its kernel: name and types."""
        types = (getattr(x, "dtype", None) for x in arrays)
        self.operations.add((name, *(str(x) for x in types if isinstance(x, np.dtype))))

    def busy(self, address: int) -> bool:
        """Whether a kernel may still write to pinned memory."""
        return self.pinned.get(address, 0) > self.done

    def finish(self) -> None:
        """All that was launched is done."""
        self.done = self.launched

    def schedule(self) -> int:
        """The seed of a launch's schedule; 0: in turn."""
        return 0 if self.seed is None else (self.seed << 20 | self.launched) + 1

    @property
    def attributes(self) -> dict[str, int]:
        """Return the attributes of a device."""
        return {
            "CooperativeLaunch": int(self.cooperative),
            "MultiProcessorCount": self.processors,
            "MaxSharedMemoryPerBlockOptin": self.shared_memory,
            "L2CacheSize": 50 << 20,
            "ComputeCapabilityMajor": 9,
            "ComputeCapabilityMinor": 0,
        }


GPU = Gpu()


class Ledger:
    """Counts of each device: allocations, launches and other events.

    Attributes
    ----------
    counts : Counter
        (device, kind) → how many.
    live : Counter
        Device → bytes that are allocated now.
    sizes : list of int
        Bytes of each allocation.
    """

    def __init__(self) -> None:
        self.counts: Counter[tuple[int, str]] = Counter()
        self.live: Counter[int] = Counter()
        self.sizes: list[int] = []
        self._blocks: dict[int, tuple[int, int]] = {}  # address → end, device

    def clear(self) -> None:
        """Forget what was counted; live memory stays known."""
        self.counts.clear()
        self.sizes.clear()

    def note(self, kind: str) -> None:
        """One more on the current device."""
        self.counts[current(), kind] += 1

    def of(self, device: int) -> int:
        """All requests to a device."""
        return sum(count for (d, _), count in self.counts.items() if d == device)

    def allocate(self, n_bytes: int) -> None:
        """Before an allocation on the current device."""
        GPU.check("allocate", n_bytes)
        if self.live[current()] + n_bytes > GPU.memory:
            raise OutOfMemoryError(f"no space for {n_bytes} bytes in addition to {self.live[current()]}")
        self.note("allocation")
        self.sizes.append(n_bytes)

    def register(self, owner: Any, address: int, n_bytes: int) -> None:
        """Memory of the current device, known by its address until its owner goes."""
        if n_bytes:
            self._blocks[address] = (address + n_bytes, current())
            self.live[current()] += n_bytes
            weakref.finalize(owner, self._free, address, n_bytes, current()).atexit = False

    def _free(self, address: int, n_bytes: int, device: int) -> None:
        self._blocks.pop(address, None)
        self.live[device] -= n_bytes

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
        if not 0 <= self.id < GPU.devices:
            raise CUDARuntimeError("cudaErrorInvalidDevice: invalid device ordinal")
        self._before: list[int] = []

    def __enter__(self) -> Device:
        self._before.append(current())
        _thread.device = self.id
        return self

    def __exit__(self, *_: object) -> None:
        _thread.device = self._before.pop()

    def synchronize(self) -> None:
        GPU.finish()

    def __int__(self) -> int:
        return self.id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and other.id == self.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"<CUDA Device {self.id}>"

    attributes = property(lambda self: GPU.attributes)


class Event:
    """A moment on a device's stream; all earlier requests are done by then."""

    def __init__(self, block: bool = False, disable_timing: bool = False, interprocess: bool = False) -> None:
        self.device, self.launched = current(), 0
        LEDGER.note("event")

    def record(self, stream: Any = None) -> None:
        stream = stream or get_current_stream()
        if stream.device_id != self.device:
            raise WrongDeviceError(f"an event of device {self.device} on a stream of device {stream.device_id}")
        self.time, self.launched = time.perf_counter(), GPU.launched

    def synchronize(self) -> None:
        GPU.done = max(GPU.done, self.launched)

    @property
    def done(self) -> bool:
        return self.launched <= GPU.done


class Stream:
    """A stream of the device that was current at its construction."""

    def __init__(self, null: bool = False, non_blocking: bool = False, ptds: bool = False) -> None:
        self.device_id, self.ptr = current(), 0 if null else id(self)
        self.captured: list[Callable[[], None]] | None = None
        self._before: list[Stream | None] = []

    def record(self, event: Event | None = None) -> Event:
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        pass

    def synchronize(self) -> None:
        LEDGER.note("synchronization")
        GPU.finish()

    def begin_capture(self, mode: int | None = None) -> None:
        """Launches are stored from here on, and not done."""
        if not self.ptr:
            raise CUDARuntimeError(
                "cudaErrorStreamCaptureUnsupported: operation not permitted when stream is capturing"
            )
        self.captured = []

    def end_capture(self) -> Graph:
        assert self.captured is not None, "nothing is captured"
        graph, self.captured = Graph(self.captured, self.device_id), None
        return graph

    def is_capturing(self) -> bool:
        return self.captured is not None

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


class Graph:
    """Launches that were captured, with the arguments that they had then."""

    def __init__(self, launches: list[Callable[[], None]], device: int) -> None:
        self._launches, self._device = launches, device

    def launch(self, stream: Stream | None = None) -> None:
        demand(self._device, "a graph")
        LEDGER.note("graph")
        for launch in self._launches:
            launch()


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
        self._bytes = np.full(max(n_bytes, 1), GPU.poison, np.uint8)
        self.ptr, self.device_id = self._bytes.ctypes.data, current()
        LEDGER.register(self._bytes, self.ptr, len(self._bytes))


class PinnedMemory(bytearray):
    """Memory of the host that every device may write to."""

    __hash__ = object.__hash__

    def __init__(self, n_bytes: int) -> None:
        GPU.check("pin", n_bytes)
        super().__init__(n_bytes)
        gpu, address = GPU, self.ptr
        gpu.pinned[address] = 0

        def free() -> None:
            if gpu.busy(address):
                gpu.freed.append(address)
            gpu.pinned.pop(address, None)  # other memory may have this address from now on

        weakref.finalize(self, free).atexit = False

    @property
    def ptr(self) -> int:
        """Its address."""
        return ctypes.addressof((ctypes.c_char * len(self)).from_buffer(self))


class MemoryPool:
    """Says that there is space."""

    def malloc(self, n_bytes: int) -> Memory:
        return Memory(n_bytes)

    def free_all_blocks(self) -> None:
        pass

    def get_limit(self) -> int:
        return 0

    def set_limit(self, size: int) -> None:
        pass

    def total_bytes(self) -> int:
        return 0

    def used_bytes(self) -> int:
        return 0

    def free_bytes(self) -> int:
        return 0


def _memset(pointer: int, value: int, n_bytes: int, stream: int) -> None:
    device = LEDGER.device_at(pointer)
    assert device is not None or not n_bytes, "memset of memory without an owner"
    demand(current() if device is None else device, "memory")
    LEDGER.note("memset")
    ctypes.memset(pointer, value, n_bytes)


def _copy_to_peer(to: int, to_device: int, source: int, device: int, n_bytes: int, stream: int) -> None:
    """Memory of one device to another's; each address must be of the device that the call names."""
    if not n_bytes:
        return
    for address, of in ((to, to_device), (source, device)):
        if LEDGER.device_at(address) != of or LEDGER.device_at(address + n_bytes - 1) != of:
            raise WrongDeviceError(f"a copy from device {device} to {to_device}: no memory of device {of}")
    LEDGER.note("peer copy")
    ctypes.memmove(to, source, n_bytes)


def _enable_peer(peer: int) -> None:
    if not GPU.peers or peer == current():
        raise CUDARuntimeError("cudaErrorPeerAccessUnsupported: peer access is not supported between these two devices")
    if (current(), peer) in GPU.linked:
        raise CUDARuntimeError("cudaErrorPeerAccessAlreadyEnabled: peer access is already enabled")
    GPU.linked.add((current(), peer))


def _memcpy(to: int, source: int, n_bytes: int, kind: int, stream: int) -> None:
    assert kind in (1, 2), "from the host to a device, or back"
    device = LEDGER.device_at(to if kind == 1 else source)
    assert device is not None or not n_bytes, "a copy to memory without an owner"
    demand(current() if device is None else device, "memory")
    LEDGER.note("copy")
    ctypes.memmove(to, source, n_bytes)


runtime = SimpleNamespace(
    memcpyPeerAsync=_copy_to_peer,
    deviceCanAccessPeer=lambda device, peer: int(GPU.peers and device != peer),
    deviceEnablePeerAccess=_enable_peer,
    getDevice=current,
    getDeviceCount=lambda: GPU.devices,
    memGetInfo=lambda: (GPU.memory - LEDGER.live[current()], GPU.memory),
    memsetAsync=_memset,
    memcpyAsync=_memcpy,
    deviceSynchronize=lambda: GPU.finish(),
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
    get_elapsed_time=lambda begin, end: (end.time - begin.time) * 1e3,
    using_allocator=lambda allocator=None: contextlib.nullcontext(),
    runtime=runtime,
    driver=SimpleNamespace(
        occupancyMaxActiveBlocksPerMultiprocessor=lambda function, block, shared: GPU.occupancy,
        CUDADriverError=CUDADriverError,
        ctxGetCurrent=lambda: GPU.context,
        launchCooperativeKernel=lambda *args: FUNCTIONS[args[0]].by_address(*args[1:], cooperative=True),
    ),
)
