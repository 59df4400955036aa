"""Kernels compiled at first use and launched on CuPy's current stream, by CuPy's `RawModule`.

A program is identified by its file, a function that returns macros, and the arguments of this function. Engines cache
programs, so that a launch costs little more than CuPy's own part.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from . import codegen, compiling
from .algebra import Monoid, Semiring
from .codegen import BLOCK
from .devices import DeviceError
from .storage import Tuning

NULL = 0  # null pointer as an argument of a kernel
OPTIONS = ("-std=c++17", "-lineinfo")  # no fast math, so that floats agree with the other engines


class Program:
    """Specialization of a file, compiled once per device at the first use of one of its kernels."""

    __slots__ = ("_cp", "_device", "_functions", "_modules", "_what")

    def __init__(self, cp: Any, file: str, make: Callable[..., dict[str, str]], args: tuple[Any, ...]) -> None:
        self._cp, self._what = cp, (file, make, args)
        self._device = cp.cuda.runtime.getDevice
        self._modules: dict[int, Any] = {}
        self._functions: dict[tuple[str, int], tuple[Any, Any]] = {}  # CuPy's RawKernel and its function

    def _function(self, name: str) -> tuple[Any, Any]:
        """Kernel `name` on the current device."""
        key = name, self._device()
        found = self._functions.get(key)
        return self._load(*key) if found is None else found

    def _load(self, name: str, device: int) -> tuple[Any, Any]:
        if device not in self._modules:
            file, make, args = self._what
            text = codegen.source(file, make(*args))
            self._modules[device] = self._cp.RawModule(code=text, options=OPTIONS, backend="nvrtc")
        raw = compiling.run(lambda: self._modules[device].get_function(name), name)
        self._functions[name, device] = raw, raw.kernel
        return self._functions[name, device]

    def __call__(self, name: str, blocks: int, *args: Any) -> None:
        """Launch the kernel `name`."""
        if blocks:
            self._function(name)[1]((blocks,), (BLOCK,), args)


class PlainKernel:
    """Kernel that CuPy builds from an expression, on every device on which it is called; also with ROCm."""

    __slots__ = ("_array", "_compiled", "_current", "_kernel", "_name")

    def __init__(self, cp: Any, text: dict[str, Any]) -> None:
        self._kernel = (cp.ReductionKernel if "reduce_expr" in text else cp.ElementwiseKernel)(**text)
        self._current, self._array, self._name = cp.cuda.runtime.getDevice, cp.ndarray, text["name"]
        self._compiled: set[tuple[Any, ...]] = set()  # devices and types of arguments

    def __call__(self, *args: Any, **how: Any) -> Any:
        """Launch the kernel on CuPy's current stream, and return its output."""
        here = self._current()
        key: tuple[Any, ...] = (here,)
        for x in args:
            key += (getattr(x, "dtype", None),)
            if type(x) is self._array and x.data.device_id != here:
                raise DeviceError(
                    f"kernel {self._name!r}: GPU {here} is current, but an array is on GPU {x.data.device_id}: "
                    "make the device of the data current"
                )
        if key in self._compiled:
            return self._kernel(*args, **how)
        self._compiled.add(key)
        return compiling.run(lambda: self._kernel(*args, **how), self._name)


def launcher(cp: Any) -> Callable[..., Program]:
    """Function that returns the program of a file with macros ``make(*args)``; a call takes 2 µs, so store programs."""
    return functools.cache(lambda file, make, *args: Program(cp, file, make, args))


# Memory that kernels write, by address. After an exception kernels may still run, so the memory is never used again.
_WRITTEN: dict[int, Any] = {}


class HostNumber:
    """Host memory for a number that kernels write, which saves a copy after the kernel."""

    def __init__(self, cp: Any) -> None:
        self._stream, self._alloc = cp.cuda.get_current_stream, cp.cuda.alloc_pinned_memory
        self._spare: list[np.ndarray] = []  # shared by threads, which use atomic operations of lists

    def after(self, launch: Callable[[int], None], dtype: np.dtype) -> Any:
        """Run ``launch(address)``, wait for the stream, and return the number that its kernels wrote."""
        try:
            memory = self._spare.pop()
        except IndexError:
            memory = np.frombuffer(self._alloc(8), np.uint8, 8)
        address = memory.ctypes.data
        _WRITTEN[address] = memory
        launch(address)
        self._stream().synchronize()
        number = memory[: dtype.itemsize].view(dtype).item()
        del _WRITTEN[address]
        self._spare.append(memory)
        return number


def blocks_of(threads: int) -> int:
    """Number of blocks for a number of threads."""
    return -(-threads // BLOCK)


def product_macros(s: Semiring, types: tuple[np.dtype, ...], iso: bool, swap: bool, tuning: Tuning) -> dict[str, str]:
    tuned = {"STREAM": str(tuning.stream or 1024), "INDEX_LOAD": f'"{tuning.index_load}"'}
    return codegen.product(s, types, iso, swap) | tuned


def work_macros(offset: np.dtype) -> dict[str, str]:
    return {"OFFSET_TYPE": codegen.c_type(offset)}


def place_macros(x: np.dtype, t: np.dtype) -> dict[str, str]:
    return {"U_TYPE": codegen.c_type(x), "T_TYPE": codegen.c_type(t)}


def scatter_macros(monoid: Monoid, z: np.dtype, u: np.dtype, x: np.dtype) -> dict[str, str]:
    return {**codegen.monoid(monoid, z), "U_TYPE": codegen.c_type(u), "X_TYPE": codegen.c_type(x)}


def reduce_macros(monoid: Monoid, z: np.dtype, u: np.dtype) -> dict[str, str]:
    return {**codegen.monoid(monoid, z), "U_TYPE": codegen.c_type(u)}
