"""Kernels whose blocks wait for each other, or each own a share of the work: all must run at the same time.

How many do is computed from the size of the device. The driver may have less for this process (MPS, green contexts):
then it refuses the launch, and nothing has run. All cooperative launches go through `launches`, which reports it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..errors import DeviceError

UNLIMITED = 2**16  # blocks per multiprocessor: more than can be resident
TOO_LARGE = 720  # CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE


def no_cooperative_launch(why: str) -> DeviceError:
    """The error for a kernel that cannot be launched so, for this reason."""
    return DeviceError(
        f"blocks of this kernel wait for each other, and {why}: pass device='cpu', "
        "or color with algorithm='first_fit' in its own order, which needs no such launch"
    )


@functools.cache
def has_cooperative_launch(cp: Any, device: int) -> bool:
    """Whether a device has cooperative launches."""
    return bool(cp.cuda.Device(device).attributes["CooperativeLaunch"])


@functools.cache
def blocks_resident(cp: Any, device: int, function: Any, block: int, most: int = UNLIMITED) -> int:
    """Blocks of a kernel that run together where nothing else does, 0 where none fits; parameters as below."""
    return int(cp.cuda.Device(device).attributes["MultiProcessorCount"] * min(function.resident(block), most))


def cooperative_blocks(cp: Any, device: int, function: Any, block: int, most: int = UNLIMITED) -> int:
    """Blocks of a kernel that run at the same time in a cooperative launch, at least one."""
    if not has_cooperative_launch(cp, device):
        raise no_cooperative_launch("this GPU has no cooperative launches")
    fit = blocks_resident(cp, device, function, block, most)
    if fit == 0:
        raise no_cooperative_launch(f"this GPU cannot run a block of {block} threads")
    return fit


def launches(function: Any, blocks: int, block: int, args: tuple[Any, ...]) -> bool:
    """Launch blocks that wait for each other; False if not all can be resident, and nothing is launched."""
    return has_room(functools.partial(function, (blocks,), (block,), args, cooperative=True))


def has_room(launch: Callable[[], object]) -> bool:
    """The same for a launch that is ready to be made (`Kernel.ready`)."""
    try:
        launch()
    except RuntimeError as e:  # CUDADriverError is one
        if getattr(e, "status", None) != TOO_LARGE:
            raise
        return False
    return True


def with_fewer(blocks: int, launch: Callable[[int], bool], least: int = 1) -> int:
    """Call ``launch(blocks)`` with half as many blocks while it returns False; return the number that fits."""
    while not launch(blocks):
        if blocks <= least:
            raise no_cooperative_launch(f"the driver cannot run {blocks} blocks at a time, for example under MPS")
        blocks = max(least, blocks // 2)
    return blocks


def launch_cooperative(
    cp: Any, function: Any, block: int, blocks: int, args: tuple[Any, ...], most: int = UNLIMITED
) -> None:
    """Launch `blocks` blocks that wait for each other, or as many as run at the same time."""
    fit = cooperative_blocks(cp, cp.cuda.runtime.getDevice(), function, block, most)
    with_fewer(max(1, min(blocks, fit)), lambda blocks: launches(function, blocks, block, args))
