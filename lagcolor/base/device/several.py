"""Several GPUs of one host that work together: their numbers, memory that all can access, kernels that run together.

A tuple of devices may contain a device twice, although a user cannot request this. Each copy then has its own stream
and a share of the device's blocks. So code for several devices can be tested on one.
"""

from __future__ import annotations

import functools
import gc
import itertools
import reprlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from .. import device as dev
from ..errors import DeviceError

ALL = "cuda:*"
STOP, HEAD = 0, 3  # places of words in a table, as in include/peers.cuh


def is_several(device: Any) -> bool:
    """Whether a `device` argument names several devices: "cuda:*", "cuda:0,cuda:1", or a list or tuple of names."""
    return isinstance(device, (list, tuple)) or (isinstance(device, str) and ("*" in device or "," in device))


def numbers(devices: Any) -> tuple[int, ...]:
    """Return the numbers of the devices in "cuda:*", "cuda:0,cuda:1" or a list of names."""
    if isinstance(devices, str) and devices.strip().lower() in (ALL, "gpu:*"):
        return tuple(range(int(dev.cupy().cuda.runtime.getDeviceCount())))
    found: list[int] = []
    for name in devices.split(",") if isinstance(devices, str) else devices:
        kind, index = dev.parse_device(name)
        if kind == "cpu":
            raise DeviceError(f"devices {reprlib.repr(devices)}: several devices must be GPUs, such as {ALL!r}")
        if index in found:
            raise DeviceError(f"devices {reprlib.repr(devices)} name GPU {index} twice: name each once")
        found.append(index)
    if not found:
        raise DeviceError(f"an empty list of devices: name GPUs, or pass {ALL!r}")
    return tuple(found)


@functools.cache
def link(devices: tuple[int, ...]) -> None:
    """Let each of these GPUs access the memory of the others; no effect on pairs that can already."""
    cp = dev.cupy()
    for a in devices:
        for b in devices:
            if a != b and not cp.cuda.runtime.deviceCanAccessPeer(a, b):
                raise DeviceError(
                    f"GPU {a} cannot reach the memory of GPU {b} (no NVLink or peer-to-peer access between them), so "
                    f"that they cannot color one graph: pass one device, such as 'cuda:{a}'"
                )
    for a in devices:
        with cp.cuda.Device(a):
            for b in devices:
                if a != b:
                    _enable(cp, b)


def _enable(cp: Any, peer: int) -> None:
    try:
        cp.cuda.runtime.deviceEnablePeerAccess(peer)
    except cp.cuda.runtime.CUDARuntimeError as e:
        if "AlreadyEnabled" not in str(e):
            raise


class Copies:
    """An array with a copy on each GPU that all can access; each GPU writes its own range (include/peers.cuh)."""

    devices: tuple[Any, ...]
    bounds: list[int]  # first ids of the ranges, and the end of the last
    arrays: list[Any]  # one per device, shape (n,), uninitialized
    tables: list[Any]  # of uint64, one per device: the addresses and bounds that kernels read
    stops: list[Any]  # of int32, shape (1,), one per device: a number other than 0 ends kernels that wait
    broken: bool  # whether `stops` have ended kernels: these copies cannot be used again

    def __init__(self, devices: tuple[int, ...], bounds: Sequence[int], dtype: Any) -> None:
        cp = dev.cupy()
        self.devices, self.bounds = devices, [int(b) for b in bounds]
        self.arrays, self.tables, self.stops, self.broken = [], [], [], False
        for device in devices:
            # No memory of a pool, because other GPUs may be unable to access it.
            with cp.cuda.Device(device), cp.cuda.using_allocator(None):
                self.arrays.append(cp.empty(self.bounds[-1], dtype))
                self.stops.append(cp.zeros(1, np.int32))
        ranges = [word for first, a in zip(self.bounds, self.arrays, strict=False) for word in (first, a.data.ptr)]
        for i, device in enumerate(devices):
            with cp.cuda.Device(device):
                words = [self.stops[i].data.ptr, len(devices), i, *ranges, self.bounds[-1]]
                self.tables.append(cp.asarray(np.array(words, np.uint64)))

    def send(self, wanted: Sequence[tuple[int, int]]) -> int:
        """Send the wanted parts of each device's range to the others on its current stream; return all bytes."""
        cp, size, sent = dev.cupy(), self.arrays[0].itemsize, 0
        for i, device in enumerate(self.devices):
            with at(self.devices, i):
                stream = cp.cuda.get_current_stream().ptr
                for j, other in enumerate(self.devices):
                    low, high = max(wanted[j][0], self.bounds[i]), min(wanted[j][1], self.bounds[i + 1])
                    if i == j or low >= high:
                        continue
                    begin, n_bytes = low * size, (high - low) * size
                    to, source = self.arrays[j].data.ptr + begin, self.arrays[i].data.ptr + begin
                    cp.cuda.runtime.memcpyPeerAsync(to, other, source, device, n_bytes, stream)
                    sent += n_bytes
        return sent

    def meet(self) -> None:
        """Let later launches on any device wait for all earlier launches on all devices."""
        cp, events = dev.cupy(), []
        for i in range(len(self.devices)):
            with at(self.devices, i):
                event = cp.cuda.Event(disable_timing=True)
                event.record()
                events.append(event)
        for i in range(len(self.devices)):
            with at(self.devices, i):
                stream = cp.cuda.get_current_stream()
                for j, event in enumerate(events):
                    if i != j:
                        stream.wait_event(event)

    def give_up(self) -> None:
        """End kernels that wait for others, by writes on other streams, which overtake queued work."""
        cp, self.broken = dev.cupy(), True
        for device, stop in zip(self.devices, self.stops, strict=True):
            with cp.cuda.Device(device):
                stream = cp.cuda.Stream(non_blocking=True)
                cp.cuda.runtime.memsetAsync(stop.data.ptr, 1, 4, stream.ptr)
                stream.synchronize()


class Launch(NamedTuple):
    """A kernel on one device, its blocks, threads per block, and arguments."""

    device: int
    kernel: Any
    blocks: int
    block: int
    args: tuple[Any, ...]


def launch_each(launches: Sequence[Launch]) -> None:
    """Launch kernels, one after the other, without other work in between, so that none waits for long."""
    collects, devices = gc.isenabled(), tuple(launch.device for launch in launches)
    gc.disable()  # freeing memory waits for running kernels, and these wait for kernels that are not launched yet
    try:
        for i, launch in enumerate(launches):
            with at(devices, i):
                launch.kernel((launch.blocks,), (launch.block,), launch.args)
    finally:
        if collects:
            gc.enable()


def together(
    phases: Sequence[Sequence[Launch]], copies: Copies, then: Callable[[int, int], Any] = lambda i, device: None
) -> list[tuple[Any, Any]]:
    """Launch kernels that may wait for one another, and wait until all are done.

    All memory has been allocated and all kernels loaded before, because both may wait for running kernels.
    """
    before = marks(copies.devices)
    try:
        for launches in phases:
            launch_each(launches)
        after = marks(copies.devices)
        each(copies.devices, then)
        wait(copies.devices)
    except BaseException:
        copies.give_up()
        raise
    return list(zip(before, after, strict=True))


def marks(devices: Sequence[int]) -> list[Any]:
    """Record an event on each device's current stream, after all earlier launches there."""
    return each(devices, lambda i, device: dev.cupy().cuda.get_current_stream().record(dev.cupy().cuda.Event()))


def milliseconds(events: Sequence[Any]) -> list[float]:
    """Return the times between consecutive events of one device, which have completed."""
    between = dev.cupy().cuda.get_elapsed_time
    return [float(between(a, b)) for a, b in itertools.pairwise(events)]


def wait(devices: Sequence[int]) -> None:
    """Wait until all launches on these devices' current streams are done."""
    each(devices, lambda i, device: dev.cupy().cuda.get_current_stream().synchronize())


def each(devices: Sequence[int], do: Callable[[int, int], Any]) -> list[Any]:
    """Return ``do(i, device)`` for each device, called with that device current."""
    out = []
    for i, device in enumerate(devices):
        with at(devices, i):
            out.append(do(i, device))
    return out


@contextmanager
def at(devices: Sequence[int], i: int) -> Iterator[None]:
    """Make the i-th device current in a block, with its own stream if `devices` contains the device twice."""
    with dev.cupy().cuda.Device(devices[i]):
        if devices.count(devices[i]) == 1:
            yield
        else:
            with _stream(devices[i], i):
                yield


def share(devices: Sequence[int], i: int, blocks: int) -> int:
    """Number of blocks of the i-th launch, if `blocks` can run on its device at the same time."""
    return blocks // devices.count(devices[i])


@functools.cache
def _stream(device: int, i: int) -> Any:
    return dev.cupy().cuda.Stream()
