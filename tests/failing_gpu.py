"""A GPU without one that fails on demand: no memory, Ctrl-C, no room for cooperative launches, kernels that are late.

With `executes` kernels run on the emulator, else they do nothing. Launches are numbered, and done when something waits.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import cuda_emulator
import numpy as np
import pytest

import lagcolor
from lagcolor import device as dev
from lagcolor.device import cooperative
from lagcolor.engines.greedy import cuda as greedy_cuda
from lagcolor.papers import jones_plassmann

WIDTH = 8  # blocks that occupancy says fit


class EmulatedGraph(lagcolor.Graph):
    """A graph of NumPy arrays that says it is on a GPU."""

    __slots__ = ()
    on_gpu = True
    xp = cuda_emulator.Cupy()


class TooLargeError(RuntimeError):
    """What CuPy raises where the driver has no room for a cooperative launch."""

    status = cooperative.TOO_LARGE


class Array(np.ndarray):
    """An array that tells its address as CuPy's do."""

    data = property(lambda self: SimpleNamespace(ptr=self.ctypes.data))  # type: ignore[assignment]
    device = property(lambda self: SimpleNamespace(id=0))  # type: ignore[assignment]


class Memory(cuda_emulator.Memory):
    """Pinned memory."""

    __hash__ = object.__hash__


class FakeGpu(cuda_emulator.Cupy):
    """What `cupy` is taken for.

    Attributes
    ----------
    check : callable
        Called with "allocate" or "launch" before each; may raise.
    room, occupancy : int
        Blocks of a cooperative launch that the driver has room for, and of a multiprocessor.
    attributes : dict
        Of the device.
    launched, done : int
        Launches, and how many of them are done.
    refused : list of int
        Blocks of launches that the driver refused.
    sizes : list of int
        Bytes of arrays, as they were allocated.
    freed : list of int
        Addresses of pinned memory that was freed while a launch that may write there was not done.
    """

    def __init__(self, executes: bool, width: int = WIDTH) -> None:
        self.executes, self.room = executes, 2**30
        self.check: Callable[[str], None] = lambda what: None
        self.launched = self.done = 0
        self.refused: list[int] = []
        self.sizes: list[int] = []
        self.freed: list[int] = []
        self.writes: dict[int, int] = {}  # pinned address → last launch that was told it
        self.attributes = {"CooperativeLaunch": 1, "MultiProcessorCount": width, "MaxThreadsPerMultiProcessor": 256}
        self.occupancy = 1
        runtime = SimpleNamespace(getDevice=lambda: 0, memsetAsync=lambda at, byte, n, _: ctypes.memset(at, byte, n))
        self.cuda = SimpleNamespace(
            Event=lambda disable_timing=False: Event(self),
            alloc=self._alloc,
            alloc_pinned_memory=self._pinned,
            get_current_stream=lambda: SimpleNamespace(ptr=0, synchronize=self.finish),
            runtime=runtime,
            driver=SimpleNamespace(occupancyMaxActiveBlocksPerMultiprocessor=lambda f, block, shared: self.occupancy),
            Device=lambda i=0: SimpleNamespace(attributes=self.attributes),
        )

    def busy(self, address: int) -> bool:
        """Whether a kernel may still write there."""
        return self.writes.get(address, 0) > self.done

    def finish(self) -> None:
        """All that was launched is done."""
        self.done = self.launched

    def empty(self, shape: Any, dtype: Any) -> np.ndarray:  # type: ignore[override]
        self.check("allocate")
        a = cuda_emulator.Cupy.empty(shape, dtype).view(Array)
        self.sizes.append(a.nbytes)
        return a

    def zeros(self, shape: Any, dtype: Any) -> np.ndarray:
        self.check("allocate")
        a = np.zeros(shape, dtype).view(Array)
        self.sizes.append(a.nbytes)
        return a

    def _alloc(self, size: int) -> Any:
        memory = self.empty(size, np.uint8)
        return SimpleNamespace(ptr=memory.ctypes.data, memory=memory)

    def _pinned(self, size: int) -> Memory:
        self.check("allocate")
        memory = Memory(size)
        address = memory.ptr
        self.writes[address] = 0
        weakref.finalize(memory, lambda: self.freed.append(address) if self.busy(address) else None)
        return memory

    def kernel(self, path: Any, name: str, **macros: object) -> Any:
        """What `lagcolor.device.kernel` gives."""
        run = cuda_emulator.kernel(path, name, **macros) if self.executes else lambda *_: None

        def launch(grid: Any, block: Any, args: Any, **how: Any) -> None:
            self.check("launch")
            if how.get("cooperative") and grid[0] > self.room:
                self.refused.append(grid[0])
                raise TooLargeError("CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE")
            self.launched += 1
            for a in args:
                if isinstance(a, int) and a in self.writes:
                    self.writes[a] = self.launched
            run(grid, block, args)

        launch.resident = lambda block: self.occupancy  # type: ignore[attr-defined]
        return launch

    def graph(self, G: lagcolor.Graph) -> lagcolor.Graph:
        """`G` on this device."""
        return EmulatedGraph(G.indptr.view(Array), G.indices.view(Array))

    def use(self, patch: pytest.MonkeyPatch) -> None:
        """Take this for the GPU."""
        patch.setattr(dev, "cupy", lambda: self)
        patch.setattr(dev, "kernel", self.kernel)
        for cached in (
            greedy_cuda._plan,
            jones_plassmann._kernels,
            cooperative.blocks_resident,
            cooperative.has_cooperative_launch,
        ):
            cached.cache_clear()


class Event:
    """A place in the row of launches."""

    def __init__(self, gpu: FakeGpu) -> None:
        self.gpu, self.at = gpu, 0

    def record(self) -> None:
        self.at = self.gpu.launched

    @property
    def done(self) -> bool:
        return self.at <= self.gpu.done

    def synchronize(self) -> None:
        self.gpu.done = max(self.gpu.done, self.at)
