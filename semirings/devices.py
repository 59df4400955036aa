"""CuPy, and whether it sees a GPU; the errors of a device that cannot be used."""

from __future__ import annotations

import functools
from types import ModuleType


class DeviceError(RuntimeError):
    """CuPy or the GPU is missing, or operands are on several GPUs."""

    __module__ = "semirings"


@functools.cache
def cupy() -> ModuleType:
    """CuPy, if it imports and sees a GPU."""
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
    """Raise an error for a CuPy of ROCm."""
    if getattr(cp.cuda.runtime, "is_hip", False):
        raise DeviceError(
            "this CuPy is built for ROCm (HIP), and the kernels rely on warps of 32 threads and inline PTX, which "
            "only NVIDIA GPUs have: take engine 'cupyx' or 'cpu'"
        )
