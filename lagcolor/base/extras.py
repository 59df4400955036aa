"""Optional packages, imported at first use. The error for a missing package names the extra that installs it."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import sys
from types import ModuleType
from typing import Any

from . import caches
from . import compile_clock as compiling
from .errors import DeviceError, MissingPackageError


def need(module: str, what: str, extra: str) -> Any:
    """Import a module of an optional package; `what` needs it, and `extra` of this package installs it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as e:
        if e.name != module.partition(".")[0]:  # the package is installed, but a package that it needs is missing
            raise
        raise MissingPackageError(f"{what} needs {module.partition('.')[0]}: {advice(extra)}") from e


def advice(extra: str) -> str:
    """Return the commands that install an extra, from an index and from a checkout."""
    return f"pip install 'lagcolor[{extra}]', or pip install '.[{extra}]' in a checkout"


INSTALL_HINT = f"{advice('cuda13')} ([cuda12] for a CUDA 12 driver; for AMD's GPUs a CuPy for ROCm)"


@functools.cache
def cupy() -> ModuleType:
    """Return CuPy, or raise a DeviceError if it cannot be imported or finds no GPU."""
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
