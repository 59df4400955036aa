"""Kernels whose blocks wait for each other, or each own a share of the work: all must run at the same time."""

from __future__ import annotations

import functools
from typing import Any

from .errors import DeviceError

UNLIMITED = 2**16  # blocks a multiprocessor: more than there is room for


@functools.cache
def can_meet(cp: Any, device: int) -> bool:
    """Whether a device has cooperative launches."""
    return bool(cp.cuda.Device(device).attributes["CooperativeLaunch"])


@functools.cache
def blocks_resident(cp: Any, device: int, function: Any, block: int, most: int = UNLIMITED) -> int:
    """Blocks of a kernel that run together where nothing else does, 0 where none fits; parameters as below."""
    fit = cp.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(function.kernel.ptr, block, 0)
    return int(cp.cuda.Device(device).attributes["MultiProcessorCount"] * min(fit, most))


def blocks_together(cp: Any, device: int, function: Any, block: int, most: int = UNLIMITED) -> int:
    """Blocks of a kernel that surely run at the same time in a cooperative launch.

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
    if not can_meet(cp, device):
        raise DeviceError(
            "blocks of this kernel wait for each other, which needs a GPU with cooperative launches: "
            "pass device='cpu', or take another algorithm, such as jones_plassmann_gb"
        )
    return max(1, blocks_resident(cp, device, function, block, most))


def launch_together(
    cp: Any, function: Any, block: int, blocks: int, args: tuple[Any, ...], most: int = UNLIMITED
) -> None:
    """Launch `blocks` blocks that wait for each other, or as many as surely run at the same time; see there."""
    fit = blocks_together(cp, cp.cuda.runtime.getDevice(), function, block, most)
    function.kernel((max(1, min(blocks, fit)),), (block,), args, enable_cooperative_groups=True)
