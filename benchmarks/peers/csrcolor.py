"""cuSPARSE's csrcolor through its C interface: deprecated, still in the library, and wrapped by no Python package."""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import functools
import importlib.util
import os
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.harness.codes import Code
from benchmarks.harness.peers import Library, LibrarySession, Runs
from lagcolor.base import device as dev
from lagcolor.graph.graph import Graph

FUNCTION = "cusparseScsrcolor"
ALL = 1.0  # fractionToColor; less leaves the rest of the vertices in colors of their own, or in one


class Csrcolor(Library):
    """``cusparseScsrcolor`` with fractionToColor = 1, on the GPU."""

    name = "csrcolor"
    module = package = "cusparse"
    device = "cuda"
    methods = (("cusparse", "random"),)

    def absent(self) -> str | None:
        """No GPU, no library, or one without the function."""
        if importlib.util.find_spec("cupy") is None:
            return f"needs CuPy: {dev.INSTALL_HINT}"
        try:
            library()
        except OSError as e:
            return str(e)
        return None

    def version(self) -> str:
        """As the library says; needs no GPU."""
        parts = []
        for part in range(3):  # MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL
            value = ctypes.c_int()
            check(library().cusparseGetProperty(part, ctypes.byref(value)))
            parts.append(str(value.value))
        return ".".join(parts)

    def load(self, G: Graph) -> LibrarySession:
        """Values for the pattern, a handle, a descriptor."""
        return DeviceSession(self._runs(G))

    def _runs(self, G: Graph) -> Runs:
        cp = dev.cupy()
        values = cp.ones(G.m, cp.float32)
        return {code: partial(color, G, values) for code in self.codes()}


class DeviceSession(LibrarySession):
    """Timed by device events; an unused color is closed up outside of the time."""

    @property
    def colors(self) -> Any:
        """Of the last run, int32, 0 … k − 1, on the GPU."""
        cp = dev.cupy()
        return cp.unique(self._colors, return_inverse=True)[1].astype(cp.int32)

    def run(self, code: Code) -> dict[str, Any]:
        """One call."""
        cp = dev.cupy()
        begin, end = cp.cuda.Event(), cp.cuda.Event()
        begin.record()
        self._colors = self._runs[code]()
        end.record()
        end.synchronize()
        ms = cp.cuda.get_elapsed_time(begin, end)
        return {"order_ms": 0.0, "color_ms": ms, "colors": len(cp.unique(self._colors))}


def color(G: Graph, values: Any) -> Any:
    """Colors of the vertices, int32, on the GPU."""
    cp = dev.cupy()
    out = cp.empty(G.n, cp.int32)
    n_colors, fraction = ctypes.c_int(), ctypes.c_float(ALL)
    with color_info() as info:
        status = getattr(library(), FUNCTION)(
            handle(), G.n, G.m, descriptor(), *map(pointer, (values, G.indptr, G.indices)),
            ctypes.byref(fraction), ctypes.byref(n_colors), pointer(out), None, info,
        )  # fmt: skip
        check(status)
    return out


def pointer(array: Any) -> ctypes.c_void_p:
    """Where an array begins on the GPU."""
    return ctypes.c_void_p(array.data.ptr)


@contextlib.contextmanager
def color_info() -> Iterator[ctypes.c_void_p]:
    """The call's parameters, as the library makes them, for the time of a block."""
    info = ctypes.c_void_p()
    check(library().cusparseCreateColorInfo(ctypes.byref(info)))
    try:
        yield info
    finally:
        check(library().cusparseDestroyColorInfo(info))


@functools.cache
def handle() -> ctypes.c_void_p:
    """The library's context, one per process."""
    out = ctypes.c_void_p()
    check(library().cusparseCreate(ctypes.byref(out)))
    return out


@functools.cache
def descriptor() -> ctypes.c_void_p:
    """Of a general matrix that counts from 0, which is what a new one says."""
    out = ctypes.c_void_p()
    check(library().cusparseCreateMatDescr(ctypes.byref(out)))
    return out


def check(status: int) -> None:
    """A status other than 0 is an error."""
    if status:
        text = library().cusparseGetErrorString
        text.restype = ctypes.c_char_p
        raise RuntimeError(f"cuSPARSE: {text(status).decode()}")


@functools.cache
def library() -> ctypes.CDLL:
    """cuSPARSE of a wheel, of a toolkit, or of the system.

    Raises
    ------
    OSError
        There is none, or csrcolor is no longer in it.
    """
    folders = [Path(d) for d in sys.path if d]
    wheels = [lib for d in folders for lib in sorted(d.glob("nvidia/*/lib/libcusparse.so.*"), reverse=True)]
    toolkits = [Path(os.environ.get("CUDA_PATH", "/usr/local/cuda")) / "lib64" / "libcusparse.so"]
    named = ctypes.util.find_library("cusparse")
    for path in [*map(str, (*wheels, *toolkits)), *([named] if named else [])]:
        try:
            lib = ctypes.CDLL(path)
        except OSError:
            continue
        if not hasattr(lib, FUNCTION):
            raise OSError(f"{path} has no {FUNCTION}: this version of cuSPARSE has dropped it")
        _declare(lib)
        return lib
    raise OSError("no libcusparse: pip install nvidia-cusparse, or 'lagcolor[cuda13]', which brings it")


def _declare(lib: ctypes.CDLL) -> None:
    """Argument types, where ctypes would pass a pointer as an int."""
    address = ctypes.c_void_p
    getattr(lib, FUNCTION).argtypes = [
        address, ctypes.c_int, ctypes.c_int, address, address, address, address,
        ctypes.POINTER(ctypes.c_float), ctypes.POINTER(ctypes.c_int), address, address, address,
    ]  # fmt: skip
    lib.cusparseDestroyColorInfo.argtypes = [address]
