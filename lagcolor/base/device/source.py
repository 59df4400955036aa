"""Compile lagcolor's CUDA sources and launch its kernels; no other module does.

    SOURCE = dev.Source(__file__, block=256)         # the .cu file of this module's name, with 256 threads per block
    run = SOURCE.of(G.indptr, LANES=8)               # its kernels for this type of offsets, on the current device
    run.launch("clear", G.n, *args)                  # at least n threads
    run.launch("grow", (len(starts),), *args)        # a grid: blocks
    run.cooperative("fit", G.n, *args)               # blocks that wait for each other, as many as run together
    fault = run.read("check", G.m, *args, count=1)   # numbers that the kernel writes to the host, after a wait

Compiled kernels are stored by device and macros. In addition to CuPy's work, `of` and `launch` look up one dict each.

A kernel belongs to the device that was current when it was loaded. If another device is current, or the arrays are on
another device, a launch raises an error, before an illegal access can happen. CuPy allocates arrays on the current
device, so data, kernel and scratch memory of a kernel that runs are on one device. The check of a launch reads the
number of the current device and the device of the first array.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import struct
import zlib
from collections.abc import Callable, Sequence
from operator import index
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import semirings
from semirings import compiling as semirings_compiling

from .. import caches
from .. import compile_clock as compiling
from ..errors import DeviceError
from ..extras import cupy
from .pinned import Pinned

OPTIONS = ("-std=c++17", "-lineinfo")  # no fast math: floats are compared with the other engines
INCLUDE_DIR = Path(__file__).parents[2]  # the folder of this package
KERNELS = Path(semirings.__file__).parent / "kernels"
# Sources include headers by their path in this package, or by a path that begins with semirings/kernels.
INCLUDES = (f"-I{INCLUDE_DIR}", f"-I{KERNELS.parents[1]}")
UNLIMITED = 2**16  # blocks per multiprocessor: more than can be resident
TOO_LARGE = 720  # CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE
_WORD = 2**64 - 1


class WrongDeviceError(DeviceError):
    """A kernel, its arrays and the current device do not belong together."""


def refuse_rocm(cp: ModuleType) -> None:
    """Raise an error if CuPy is built for ROCm."""
    if getattr(cp.cuda.runtime, "is_hip", False):
        raise DeviceError(
            "this CuPy is built for ROCm (HIP), and the kernels here rely on warps of 32 threads and inline PTX, "
            "which only NVIDIA GPUs have: pass device='cpu', or for distance 1 algorithm='elementwise_min_color' with "
            "order='natural', 'random' or 'largest_first', which need none of them"
        )


@functools.cache
def _current() -> Callable[[], int]:
    """Return CuPy's function for the number of the current device."""
    function: Callable[[], int] = cupy().cuda.runtime.getDevice
    return function


@functools.cache
def processors(device: int) -> int:
    """Number of multiprocessors of a GPU."""
    return int(cupy().cuda.Device(device).attributes["MultiProcessorCount"])


@functools.cache
def has_cooperative_launch(device: int) -> bool:
    """Whether a GPU supports launches whose blocks all run at the same time."""
    return bool(cupy().cuda.Device(device).attributes["CooperativeLaunch"])


def no_cooperative_launch(why: str) -> DeviceError:
    """Return the error for a kernel that cannot have a cooperative launch; `why` is the reason."""
    return DeviceError(
        f"blocks of this kernel wait for each other, and {why}: pass device='cpu', "
        "or color with algorithm='first_fit' in its own order, which needs no such launch"
    )


class Source:
    """A .cu file in the folder of a Python module, which creates this object at module level.

    `file` is `__file__` of the module, and `name` the .cu file if it has another name. `block` is the number of threads
    per block in the source. All programs are compiled with `macros`; a macro BLOCK replaces `block`.
    """

    def __init__(self, file: str | Path, name: str = "", block: int = 256, **macros: Any) -> None:
        self.path = Path(file).with_name(name) if name else Path(file).with_suffix(".cu")
        self.macros, self.block = macros, macros.get("BLOCK", block)
        self._programs: dict[tuple[Any, ...], Kernels] = {}

    def of(self, offsets: Any = None, **macros: Any) -> Kernels:
        """Return the program for macros on the current device; `offsets`, an array or type, defines OFFSET_BITS."""
        if offsets is not None:
            macros["OFFSET_BITS"] = 8 * offsets.itemsize
        key: tuple[Any, ...] = (_current()(), *macros.items())
        return self._programs.get(key) or self._make(key, macros)

    def _make(self, key: tuple[Any, ...], macros: dict[str, Any]) -> Kernels:
        every = self.macros | macros
        program = Kernels(self.path, every, every.get("BLOCK", self.block), key[0])
        program = self._programs.setdefault((key[0], *sorted(every.items())), program)
        return self._programs.setdefault(key, program)

    def cache_clear(self) -> None:
        """Forget all compiled kernels."""
        self._programs.clear()


class Kernels:
    """The kernels of a source for one set of macros, on a device with `processors` multiprocessors."""

    __slots__ = ("_fits", "_kernels", "_module", "_source", "block", "device", "processors")

    def __init__(self, path: Path, macros: dict[str, Any], block: int, device: int) -> None:
        self._source = path, macros
        self._module: Module | None = None
        self._kernels: dict[str, Kernel] = {}
        self._fits: dict[tuple[Any, ...], int] = {}
        self.block, self.device, self.processors = block, device, processors(device)

    def kernel(self, name: str) -> Kernel:
        """Return the kernel `name`, compiled at first use."""
        return self._kernels.get(name) or self._load(name)

    def _load(self, name: str) -> Kernel:
        if _current()() != self.device:
            raise WrongDeviceError(f"kernel {name!r} belongs to GPU {self.device}, but GPU {_current()()} is current")
        if self._module is None:
            path, macros = self._source
            defines = (f"-D{k}={int(v) if isinstance(v, bool) else v}" for k, v in sorted(macros.items()))
            self._module = module(path.read_text(encoding="utf-8"), (*INCLUDES, f"-DHEADERS={_headers()}u", *defines))
        return self._kernels.setdefault(name, self._module.kernel(name))

    def launch(
        self, name: str, threads: int | tuple[int, ...], *args: Any, most: int = 0, block: int = 0, shared: int = 0
    ) -> None:
        """Launch a kernel on the current stream, unless `threads` is 0.

        `threads` is a number, which is rounded up to blocks, at most `most` blocks. A tuple is the grid, in blocks.
        `block` replaces the threads per block of the source. `shared` is dynamic shared memory in bytes.
        """
        size = block or self.block
        grid = threads if isinstance(threads, tuple) else (-(-threads // size),)
        if not grid[0]:
            return
        kernel = self._kernels.get(name) or self._load(name)
        if shared:
            kernel.allow_shared(shared)
        kernel((min(grid[0], most),) if most else grid, (size,), args, shared)

    def read(self, name: str, threads: int | tuple[int, ...], *args: Any, count: int, most: int = 0) -> np.ndarray:
        """Launch a kernel, wait, and return numbers that it writes: int32, shape (count,), initially 0.

        The kernel's last parameter is their address, in memory of the host.
        """
        with Pinned.take(count) as found:
            self.launch(name, threads, *args, found.ptr, most=most)
            found.launched()
            return found.wait()

    def cooperative(
        self, name: str, threads: int, *args: Any, most: int = UNLIMITED, least: int = 1,
        before: Callable[[], object] | None = None,
    ) -> int:  # fmt: skip
        """Launch blocks that wait for each other, or each own a share of the work; return their number.

        There are enough blocks for `threads`, but at most `most` per multiprocessor and no more than run at the same
        time. If other processes use a part of the device (MPS, green contexts), the driver may refuse a launch. Then
        half as many blocks are launched, or a DeviceError is raised after an attempt with `least`. `args` may be one
        function, which returns the arguments for a number of blocks. `before` is called right before each attempt,
        when only the driver's own work is left.
        """
        kernel, blocks = self.kernel(name), self.fitting(name, threads, most)
        while True:
            arguments = args[0](blocks) if callable(args[0]) else args  # referenced until the launch
            launch = kernel.ready(blocks, self.block, arguments)
            if before is not None:
                before()
            if launch():
                return blocks
            if blocks <= least:
                raise no_cooperative_launch(f"the driver cannot run {blocks} blocks at a time, for example under MPS")
            blocks = max(least, blocks // 2)

    def fitting(self, name: str, threads: int, most: int = UNLIMITED) -> int:
        """Number of blocks for a number of threads, but no more than run at the same time; at least 1."""
        fit = self.together(name, most)
        if not fit:
            if has_cooperative_launch(self.device):
                raise no_cooperative_launch(f"this GPU cannot run a block of {self.block} threads")
            raise no_cooperative_launch("this GPU has no cooperative launches")
        return max(1, min(fit, -(-threads // self.block)))

    def together(self, name: str, most: int = UNLIMITED, block: int = 0) -> int:
        """Number of blocks that run at the same time in a cooperative launch, if nothing else runs; may be 0."""
        found = self._fits.get((name, most, block))
        if found is None:
            found = self._fit(name, most, block) * has_cooperative_launch(self.device)
            self._fits[name, most, block] = found
        return found

    def resident(self, name: str, most: int = UNLIMITED, block: int = 0, shared: int = 0) -> int:
        """Number of blocks that run at the same time in an ordinary launch, from 1 to `most` per multiprocessor."""
        key = name, most, block, shared
        found = self._fits.get(key)
        if found is None:
            found = self._fits[key] = max(self._fit(*key), self.processors)
        return found

    def _fit(self, name: str, most: int, block: int, shared: int = 0) -> int:
        kernel = self.kernel(name)
        kernel.allow_shared(shared)
        return min(kernel.resident(block or self.block, shared), most) * self.processors


def prepare(*kernels: tuple[Kernels, str]) -> None:
    """Compile or load kernels, each a program and a name, on threads at the same time."""
    at_once(cupy(), [functools.partial(program.kernel, name) for program, name in kernels])


def compiled(make: Callable[[], Any], name: str) -> Any:
    """Return the kernel that `make` compiles or loads; if CuPy cannot store it on disk, try again without the disk."""
    with compiling.clocked():
        compiling.line.begin(name)
        in_memory = caches.is_in_memory()  # read first, because another thread may find the disk full
        try:
            return make()
        except OSError as e:
            if in_memory:
                raise
            caches.in_memory(e)
            return make()


semirings_compiling.use(compiled)  # the clock counts what semirings compiles


def at_once(cp: Any, loads: Sequence[Callable[[], object]]) -> None:
    """Call functions that compile or load kernels of the current device, each on its own thread, and wait for all.

    NVRTC releases the lock of the interpreter. The first error is raised. The caller's clock counts the wait.
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
            with contextlib.suppress(RuntimeError):  # no thread can be started: first uses compile the other kernels
                begun.extend(pool.submit(load, make) for make in loads)
            for done in begun:
                done.result()


@functools.cache
def _headers() -> int:
    """Checksum of the shared headers, for an option, because CuPy's cache on disk ignores the text of headers."""
    return zlib.crc32(b"".join(p.read_bytes() for d in (INCLUDE_DIR, KERNELS) for p in sorted(d.rglob("*.cuh"))))


def module(text: str, options: tuple[str, ...] = ()) -> Module:
    """Return a module of CUDA source for the current device; raise a DeviceError with CuPy for ROCm."""
    cp = cupy()
    refuse_rocm(cp)
    return Module(cp, text, (*OPTIONS, *options))


class Module:
    """CUDA source for the device that is current at its creation, compiled at the first use of a kernel."""

    def __init__(self, cp: Any, text: str, options: tuple[str, ...] = OPTIONS) -> None:
        self._cp, self._device = cp, cp.cuda.runtime.getDevice()
        self._module = cp.RawModule(code=text, options=options, backend="nvrtc")

    def kernel(self, name: str) -> Kernel:
        """Return the kernel of this name."""
        if self._cp.cuda.runtime.getDevice() != self._device:
            raise WrongDeviceError(
                f"kernel {name!r} belongs to a module of GPU {self._device}, and another GPU is current"
            )
        return Kernel(self._cp, compiled(lambda: self._module.get_function(name), name), self._device)


class Kernel:
    """A kernel on one device; a call launches it on CuPy's current stream."""

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
        """Launch the kernel."""
        self._check(args)
        self._function(grid, block, args, shared_mem, None, cooperative)  # None: the current stream

    def ready(self, blocks: int, block: int, args: tuple[Any, ...]) -> Callable[[], bool]:
        """Prepare a cooperative launch, and return a function that launches it once and does only the driver's work.

        The function returns False, and launches nothing, if not all blocks can be resident. It is for kernels of some
        microseconds between two timed events: preparing the arguments takes 9 us, before the first event.
        """
        self._check(args)
        driver, words = self._driver, None
        if hasattr(driver, "launchCooperativeKernel") and driver.ctxGetCurrent():
            try:
                words = self._spare.pop()
            except IndexError:
                words = _Words(len(args))
            words.fill(args, self._array)
            numbers = (self._function.ptr, blocks, 1, 1, block, 1, 1, 0, self._stream().ptr, words.address)
            launch = functools.partial(driver.launchCooperativeKernel, *numbers)
        else:  # another version of CuPy, or the thread's first use of the device, which CuPy initializes
            launch = functools.partial(self._function, (blocks,), (block,), args, 0, None, True)

        def go() -> bool:
            try:
                launch()
            except RuntimeError as e:  # the base class of CUDADriverError
                if getattr(e, "status", None) != TOO_LARGE:
                    raise
                return False
            if words is not None:
                self._spare.append(words)
            return True

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
        """Number of blocks of `block` threads that fit on a multiprocessor at a time."""
        return int(self._driver.occupancyMaxActiveBlocksPerMultiprocessor(self._function.ptr, block, shared_mem))

    def allow_shared(self, n_bytes: int) -> None:
        """Allow launches with up to `n_bytes` of dynamic shared memory."""
        if self._raw.max_dynamic_shared_size_bytes < n_bytes:
            self._raw.max_dynamic_shared_size_bytes = n_bytes

    def _first_array(self, args: tuple[Any, ...]) -> Any:
        """Return the first array of the arguments or None, and store its place for the next launch."""
        for self._place, x in enumerate(args):
            if type(x) is self._array:
                return x
        self._place = 0
        return None

    def _wrong(self, why: str) -> WrongDeviceError:
        return WrongDeviceError(
            f"kernel {self._raw.name!r} belongs to GPU {self.device}, but {why}: make the device of the data current"
        )


class _Words:
    """Arguments of a launch in memory, 8 bytes each; a kernel reads only the bytes of its parameter's type."""

    __slots__ = ("_pack", "_pointers", "_words", "address")

    def __init__(self, count: int) -> None:
        self._words = (ctypes.c_uint64 * count)()
        first = ctypes.addressof(self._words)
        self._pointers = (ctypes.c_uint64 * count)(*range(first, first + 8 * count, 8))
        self.address = ctypes.addressof(self._pointers)
        self._pack = functools.partial(struct.Struct(f"={count}Q").pack_into, self._words, 0)

    def fill(self, args: tuple[Any, ...], array: Any) -> None:
        """Write the arguments; for an array, its address."""
        self._pack(*[x.data.ptr if type(x) is array else index(x) & _WORD for x in args])
