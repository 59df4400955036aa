"""Several GPUs of one host that work on one thing: which they are, memory that all reach, kernels that run together.

A tuple of devices may name one twice, though no user's can: each of them has a stream of its own, and a share of the
device's blocks. So what several devices do is tested on one.
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
STOP, HEAD = 0, 3  # words of a table, as in include/peers.cuh


def is_several(device: Any) -> bool:
    """Whether a `device` argument names several: "cuda:*", "cuda:0,cuda:1", or a list or tuple of names."""
    return isinstance(device, (list, tuple)) or (isinstance(device, str) and ("*" in device or "," in device))


def numbers(devices: Any) -> tuple[int, ...]:
    """Numbers of the devices that "cuda:*", "cuda:0,cuda:1" or a list of names stands for."""
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
    """Let each of these GPUs reach the memory of each other; nothing where they do already."""
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
    """An array with a copy on each GPU that all can access; each writes a range of its own (include/peers.cuh)."""

    devices: tuple[Any, ...]
    bounds: list[int]  # first ids of the ranges, and the end of the last
    arrays: list[Any]  # one per device, shape (n,): fresh memory
    tables: list[Any]  # of uint64, one per device: what kernels read
    stops: list[Any]  # of int32, shape (1,), one per device: a number other than 0 ends kernels that wait
    broken: bool  # kernels have been ended so: make other copies

    def __init__(self, devices: tuple[int, ...], bounds: Sequence[int], dtype: Any) -> None:
        cp = dev.cupy()
        self.devices, self.bounds = devices, [int(b) for b in bounds]
        self.arrays, self.tables, self.stops, self.broken = [], [], [], False
        for device in devices:
            # Memory of its own and not of a pool, which other GPUs may not reach.
            with cp.cuda.Device(device), cp.cuda.using_allocator(None):
                self.arrays.append(cp.empty(self.bounds[-1], dtype))
                self.stops.append(cp.zeros(1, np.int32))
        ranges = [word for first, a in zip(self.bounds, self.arrays, strict=False) for word in (first, a.data.ptr)]
        for i, device in enumerate(devices):
            with cp.cuda.Device(device):
                words = [self.stops[i].data.ptr, len(devices), i, *ranges, self.bounds[-1]]
                self.tables.append(cp.asarray(np.array(words, np.uint64)))

    def send(self, wanted: Sequence[tuple[int, int]]) -> int:
        """Each device's range to the others, as far as they want it, on its current stream; bytes in all."""
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
        """What is launched on any device from now on finds what was launched on all before done."""
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
        """End kernels that wait for others: past what is queued, on streams of their own."""
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
    """Launch kernels, one after the other; nothing else comes between, so that none waits for long."""
    collects, devices = gc.isenabled(), tuple(launch.device for launch in launches)
    gc.disable()  # memory that is freed here would wait for kernels that wait for what is not launched yet
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

    Everything that they need has been allocated and loaded before: either may wait for kernels that run.
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
    """An event on each device's current stream, after what was launched there."""
    return each(devices, lambda i, device: dev.cupy().cuda.get_current_stream().record(dev.cupy().cuda.Event()))


def milliseconds(events: Sequence[Any]) -> list[float]:
    """Between each two that follow each other, all of one device and over."""
    between = dev.cupy().cuda.get_elapsed_time
    return [float(between(a, b)) for a, b in itertools.pairwise(events)]


def wait(devices: Sequence[int]) -> None:
    """Until all that was launched on these devices' current streams is done."""
    each(devices, lambda i, device: dev.cupy().cuda.get_current_stream().synchronize())


def each(devices: Sequence[int], do: Callable[[int, int], Any]) -> list[Any]:
    """``do(i, device)`` for each, with that device current."""
    out = []
    for i, device in enumerate(devices):
        with at(devices, i):
            out.append(do(i, device))
    return out


@contextmanager
def at(devices: Sequence[int], i: int) -> Iterator[None]:
    """The i-th device is current, with a stream for the i-th alone if it is there twice."""
    with dev.cupy().cuda.Device(devices[i]):
        if devices.count(devices[i]) == 1:
            yield
        else:
            with _stream(devices[i], i):
                yield


def share(devices: Sequence[int], i: int, blocks: int) -> int:
    """How many of the blocks that run on the i-th device at the same time belong to the i-th launch."""
    return blocks // devices.count(devices[i])


@functools.cache
def _stream(device: int, i: int) -> Any:
    return dev.cupy().cuda.Stream()
