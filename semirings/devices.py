"""Import of CuPy, and errors for devices that cannot be used."""

from __future__ import annotations

import functools
from types import ModuleType


class DeviceError(RuntimeError):
    """Error for a missing CuPy or GPU, or for operands on several GPUs."""


DeviceError.__module__ = "semirings"  # set after the class, so that no tool looks for its source there


@functools.cache
def cupy() -> ModuleType:
    """Return CuPy; DeviceError if it cannot be imported or finds no GPU."""
    try:
        import cupy as cp
    except ImportError as e:
        raise DeviceError("this engine needs CuPy: pip install 'lagcolor[cuda13]' or 'lagcolor[cuda12]'") from e
    try:
        count = cp.cuda.runtime.getDeviceCount()
    except cp.cuda.runtime.CUDARuntimeError as e:
        raise DeviceError(f"CUDA finds no GPU: {e}") from e
    if count == 0:
        raise DeviceError("CUDA finds no GPU")
    return cp


def refuse_rocm(cp: ModuleType) -> None:
    """Raise DeviceError if CuPy is built for ROCm."""
    if getattr(cp.cuda.runtime, "is_hip", False):
        raise DeviceError(
            "this CuPy is built for ROCm (HIP), and the kernels rely on warps of 32 threads and inline PTX, which "
            "only NVIDIA GPUs have: use engine 'cupyx' or 'cpu'"
        )
