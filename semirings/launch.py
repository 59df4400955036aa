"""Kernels compiled at first use and launched on CuPy's current stream.

A module is known by its file, a maker of macros and the maker's arguments: hashing those is all that a launch costs
once the module is compiled.
"""

from __future__ import annotations

import functools
import threading
from typing import Any

import numpy as np

from . import codegen
from .algebra import Monoid, Semiring
from .codegen import BLOCK
from .contract import DeviceError
from .storage import Matrix, Tuning, Vector


def cupy() -> Any:
    """CuPy, if it imports and sees a GPU.

    Raises
    ------
    DeviceError
        Where either is missing.
    """
    try:
        import cupy as cp

        if cp.cuda.runtime.getDeviceCount() > 0:
            return cp
    except ImportError as e:
        raise DeviceError("engine 'cuda' needs CuPy: pip install cupy-cuda13x (or cupy-cuda12x)") from e
    except cp.cuda.runtime.CUDARuntimeError as e:
        raise DeviceError(f"engine 'cuda' needs an NVIDIA GPU, and CUDA finds none: {e}") from e
    raise DeviceError("engine 'cuda' needs an NVIDIA GPU, and CUDA finds none")


class Launcher:
    """Compiles each module once for each device, and runs its kernels.

    Parameters
    ----------
    cp : module
        CuPy, or what behaves like it.
    """

    def __init__(self, cp: Any) -> None:
        self.cp = cp
        self._module = functools.cache(self._compile)
        self._function = functools.cache(self._load)

    def _compile(self, key: tuple[Any, ...], device: int) -> Any:
        file, make, args = key
        return self.cp.RawModule(code=codegen.source(file, make(*args)), options=codegen.OPTIONS, backend="nvrtc")

    def _load(self, key: tuple[Any, ...], name: str, device: int) -> Any:
        return self._module(key, device).get_function(name)

    def function(self, key: tuple[Any, ...], name: str) -> Any:
        """Kernel `name` of the module that `key` (file, macro maker, its arguments) stands for."""
        return self._function(key, name, self.cp.cuda.runtime.getDevice())

    def __call__(self, key: tuple[Any, ...], name: str, blocks: int, *args: Any) -> None:
        """Runs it."""
        if blocks:
            self.function(key, name)((blocks,), (BLOCK,), args)


class HostNumber(threading.local):
    """A number that kernels write to host memory, one for each thread: it spares a copy after the kernel.

    Parameters
    ----------
    cp : module
        CuPy, or what behaves like it: without pinned memory its kernels write to any.
    """

    def __init__(self, cp: Any) -> None:
        self._stream = getattr(cp.cuda, "get_current_stream", None)
        pinned = getattr(cp.cuda, "alloc_pinned_memory", None)
        self._memory = bytearray(8) if pinned is None else pinned(8)
        self.address = np.frombuffer(self._memory, np.uint8).ctypes.data
        self._views: dict[np.dtype, np.ndarray] = {}

    def read(self, dtype: np.dtype) -> Any:
        """The number, of that type, when the kernels of the current stream have run."""
        if self._stream is not None:
            self._stream().synchronize()
        if dtype not in self._views:
            self._views[dtype] = np.frombuffer(self._memory, dtype, 1)
        return self._views[dtype].item()


def blocks_of(threads: int) -> int:
    """How many blocks that many threads fill."""
    return -(-threads // BLOCK)


def product_key(semiring: Semiring, u: Vector, A: Matrix, domain: np.dtype, swap: bool) -> tuple[Any, ...]:
    return (
        "product.cu",
        product_macros,
        (semiring, u.dtype, A.dtype, A.indptr.dtype, domain, A.iso, swap, A.tuning),
    )


def product_macros(
    s: Semiring, u: Any, a: Any, offset: Any, domain: Any, iso: bool, swap: bool, tuning: Tuning
) -> dict[str, str]:
    tuned = {
        "STREAM": str(tuning.stream or 1024),
        "INDEX_LOAD": f'"{tuning.index_load}"',
        "MASKED_ROWS": str(tuning.masked_rows),
    }
    return codegen.product(s, u, a, offset, domain=domain, iso=iso, swap=swap) | tuned


def elementwise_macros(
    kind: str, op: Any, accum: Any, u: Any, out: Any, t: Any, domain: Any, v: Any, scalar: Any
) -> dict[str, str]:
    return codegen.elementwise(kind, op, u=u, out=out, t=t, domain=domain, v=v, scalar=scalar, accum=accum)


def work_macros(offset: np.dtype) -> dict[str, str]:
    return {"OFFSET_TYPE": codegen.c_type(offset)}


def place_macros(x: np.dtype, t: np.dtype) -> dict[str, str]:
    return {"U_TYPE": codegen.c_type(x), "T_TYPE": codegen.c_type(t)}


def scatter_macros(monoid: Monoid, z: np.dtype, u: np.dtype, x: np.dtype) -> dict[str, str]:
    return {**codegen.monoid(monoid, z), "U_TYPE": codegen.c_type(u), "X_TYPE": codegen.c_type(x)}


def reduce_macros(monoid: Monoid, z: np.dtype, u: np.dtype) -> dict[str, str]:
    return {**codegen.monoid(monoid, z), "U_TYPE": codegen.c_type(u)}
