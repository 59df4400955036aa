"""Cooperative launches: kernels whose blocks wait for each other, so that all must run at the same time."""

from __future__ import annotations

import functools
from typing import Any

from ..errors import DeviceError


@functools.cache
def blocks_together(cp: Any, device: int, function: Any, block: int, most: int = 2**16) -> int:
    """Blocks of a kernel that surely run at the same time.

    Parameters
    ----------
    cp : module
        CuPy.
    device : int
    function : kernel
        What `lagcolor.device.kernel` gives.
    block : int
        Threads a block.
    most : int
        Blocks a multiprocessor, at most: more of them make each meeting slower.

    Raises
    ------
    DeviceError
        The device has no cooperative launches.
    """
    attributes = cp.cuda.Device(device).attributes
    if not attributes["CooperativeLaunch"]:
        raise DeviceError(
            "this algorithm needs a GPU with cooperative launches: use jones_plassmann there, or device='cpu'"
        )
    fit = cp.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(function.kernel.ptr, block, 0)
    return int(attributes["MultiProcessorCount"] * max(1, min(fit, most)))
