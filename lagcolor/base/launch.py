"""CUDA sources of lagcolor are compiled and its kernels launched here alone.

A kernel belongs to the device that was current when it was loaded. A launch while another is current, or of arrays that
live on another, is an error before anything runs, not an illegal access afterwards. CuPy makes arrays on the current
device, so data, kernel and scratch memory are on one device wherever a kernel runs at all.

Per launch that costs the number of the current device, one comparison and the device of the first array: no object is
made, and CuPy's own search for the kernel of the current device is skipped.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib.util
import struct
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from semirings import compiling as semirings_compiling

from . import caches
from . import compile_clock as compiling
from .errors import DeviceError
from .extras import advice

INSTALL_HINT = f"{advice('cuda13')} ([cuda12] for a CUDA 12 driver; for AMD's GPUs a CuPy for ROCm)"
OPTIONS = ("-std=c++17", "-lineinfo")  # no fast math: floats are compared with the other engines


_WORD = 2**64 - 1


class WrongDeviceError(DeviceError):
    """A kernel, its arrays and the current device are not of one device."""


@functools.cache
def cupy() -> ModuleType:
    """CuPy, if it imports and sees a GPU."""
    if "cupy" in sys.modules or importlib.util.find_spec("cupy") is not None:
        caches.for_cupy()
    try:
        with compiling.importing() if "cupy" not in sys.modules else contextlib.nullcontext():
            import cupy as cp
    except ImportError as e:
        raise DeviceError(f"a GPU was requested, but CuPy is not installed: {INSTALL_HINT}") from e
    try:
        count = cp.cuda.runtime.getDeviceCount()
    except cp.cuda.runtime.CUDARuntimeError as e:
        raise DeviceError(f"a GPU was requested, but CUDA finds none: {e}") from e
    if count == 0:
        raise DeviceError("a GPU was requested, but CUDA finds none")
    return cp


def compiled(make: Callable[[], Any], name: str) -> Any:
    """What `make` returns, which compiles or loads a kernel; where CuPy cannot keep that on disk, it is not kept."""
    with compiling.clocked():
        compiling.line.begin(name)
        kept = caches.is_in_memory()  # before another thread finds the disk full
        try:
            return make()
        except OSError as e:
            if kept:
                raise
            caches.in_memory(e)
            return make()


semirings_compiling.use(compiled)  # the clock counts what semirings compiles


def at_once(cp: Any, loads: Sequence[Callable[[], object]]) -> None:
    """Call functions that compile or load kernels of the current device, in a thread each, and wait for all.

    NVRTC compiles without the lock of the interpreter. The first error is raised. The caller's clock counts the wait.
    """
    from concurrent.futures import ThreadPoolExecutor

    device = cp.cuda.runtime.getDevice()

    def load(make: Callable[[], object]) -> None:
        with cp.cuda.Device(device):
            make()

    with compiling.clocked():
        compiling.line.begin(f"{len(loads)} kernels")
        with ThreadPoolExecutor(len(loads)) as pool:
            begun: list[Any] = []
            with contextlib.suppress(RuntimeError):  # no thread can be started: the first use compiles what is left
                begun.extend(pool.submit(load, make) for make in loads)
            for done in begun:
                done.result()


class Module:
    """CUDA source for the device that is current now, compiled at the first use of one of its kernels."""

    def __init__(self, cp: Any, text: str, options: tuple[str, ...] = OPTIONS) -> None:
        self._cp, self._device = cp, cp.cuda.runtime.getDevice()
        self._module = cp.RawModule(code=text, options=options, backend="nvrtc")

    def kernel(self, name: str) -> Kernel:
        """Its function of that name."""
        if self._cp.cuda.runtime.getDevice() != self._device:
            raise WrongDeviceError(
                f"kernel {name!r} belongs to a module of GPU {self._device}, and another GPU is current"
            )
        return Kernel(self._cp, compiled(lambda: self._module.get_function(name), name), self._device)


class Kernel:
    """A kernel on one device; called, it is launched on CuPy's current stream."""

    __slots__ = ("_array", "_current", "_driver", "_function", "_place", "_raw", "_spare", "_stream", "device")
    device: int

    def __init__(self, cp: Any, function: Any, device: int) -> None:
        self._raw, self._function = function, function.kernel
        self._stream, self._spare = cp.cuda.get_current_stream, list[_Words]()
        self._current, self._driver, self._array = cp.cuda.runtime.getDevice, cp.cuda.driver, cp.ndarray
        self.device, self._place = device, 0

    def __call__(
        self,
        grid: tuple[int, ...],
        block: tuple[int, ...],
        args: tuple[Any, ...],
        shared_mem: int = 0,
        cooperative: bool = False,
    ) -> None:
        """Launch it."""
        self._check(args)
        self._function(grid, block, args, shared_mem, None, cooperative)  # None: the current stream

    def ready(self, blocks: int, block: int, args: tuple[Any, ...], cooperative: bool = False) -> Callable[[], None]:
        """A launch of `blocks` times `block` threads, to be made once: all but the driver's own work is done before.

        For kernels of some microseconds, between events whose times are read: 9 us of looking at arguments come before
        the first event then.
        """
        self._check(args)
        driver = self._driver
        if not (hasattr(driver, "launchCooperativeKernel") and driver.ctxGetCurrent()):
            # Another CuPy, or a thread that has not used the device yet, which CuPy sees to.
            return lambda: self._function((blocks,), (block,), args, 0, None, cooperative)
        try:
            words = self._spare.pop()
        except IndexError:
            words = _Words(len(args))
        words.fill(args, self._array)
        launch = driver.launchCooperativeKernel if cooperative else driver.launchKernel
        given = [self._function.ptr, blocks, 1, 1, block, 1, 1, 0, self._stream().ptr, words.address]
        if not cooperative:
            given.append(0)

        def go() -> None:
            launch(*given)
            self._spare.append(words)

        return go

    def _check(self, args: tuple[Any, ...]) -> None:
        if self._current() != self.device:
            raise self._wrong(f"GPU {self._current()} is current")
        x = args[self._place]
        if type(x) is not self._array:
            x = self._first_array(args)
        if x is not None and x.data.device_id != self.device:
            raise self._wrong(f"its data live on GPU {x.data.device_id}")

    def resident(self, block: int, shared_mem: int = 0) -> int:
        """How many blocks of this number of threads a multiprocessor holds at a time."""
        return int(self._driver.occupancyMaxActiveBlocksPerMultiprocessor(self._function.ptr, block, shared_mem))

    def allow_shared(self, n_bytes: int) -> None:
        """Let launches ask for that much dynamic shared memory, at least."""
        if self._raw.max_dynamic_shared_size_bytes < n_bytes:
            self._raw.max_dynamic_shared_size_bytes = n_bytes

    def _first_array(self, args: tuple[Any, ...]) -> Any:
        """The first array of the arguments, whose place is where the next launch looks first; None without any."""
        for self._place, x in enumerate(args):
            if type(x) is self._array:
                return x
        self._place = 0
        return None

    def _wrong(self, why: str) -> WrongDeviceError:
        return WrongDeviceError(
            f"kernel {self._raw.name!r} is of GPU {self.device}, and {why}: make the device of the data current"
        )


class _Words:
    """Arguments of a launch in memory, 8 bytes each; a kernel reads as many of them as its parameter has."""

    __slots__ = ("_pack", "_pointers", "_words", "address")

    def __init__(self, count: int) -> None:
        self._words = (ctypes.c_uint64 * count)()
        first = ctypes.addressof(self._words)
        self._pointers = (ctypes.c_uint64 * count)(*range(first, first + 8 * count, 8))
        self.address = ctypes.addressof(self._pointers)
        self._pack = functools.partial(struct.Struct(f"={count}Q").pack_into, self._words, 0)

    def fill(self, args: tuple[Any, ...], array: Any) -> None:
        """Arrays stand for their addresses."""
        self._pack(*[x.data.ptr if type(x) is array else int(x) & _WORD for x in args])
