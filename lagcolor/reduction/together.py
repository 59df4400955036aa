"""Cooperative launches: a kernel whose blocks wait for each other (`meet` in together.cuh)."""

from __future__ import annotations

from typing import Any

from ..errors import DeviceError

MOST = 4  # blocks a multiprocessor: more of them make each meeting slower


def blocks_of(cp: Any, function: Any, block: int) -> int:
    """Blocks that surely run at the same time.

    Raises
    ------
    DeviceError
        The device has no cooperative launches.
    """
    attributes = cp.cuda.Device().attributes
    if not attributes["CooperativeLaunch"]:
        raise DeviceError("this reduction needs a GPU with cooperative launches: pass device='cpu'")
    fit = cp.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(function.kernel.ptr, block, 0)
    return attributes["MultiProcessorCount"] * max(min(fit, MOST), 1)


def launch(function: Any, blocks: int, block: int, args: tuple[Any, ...]) -> None:
    """Start it."""
    function.kernel((blocks,), (block,), args, enable_cooperative_groups=True)
