"""The floor: the time to read the graph once and write the colors once, at the speed of a copy."""

from __future__ import annotations

import itertools
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from lagcolor.base import device as dev

from .provenance import cores

CPU_BYTES, GPU_BYTES = 2**28, 2**30  # copied at a time; more than any cache
COPIES = 7


def floor_ms(n: int, m: int, bandwidth: float) -> float:
    """Milliseconds of 4(n + 1) + 4m + 4n bytes: offsets, columns and colors of 32 bits, each touched once."""
    return (4 * (n + 1) + 4 * m + 4 * n) / bandwidth * 1e3


def bandwidth(device: str, size: int | None = None) -> float:
    """Bytes per second that a copy moves, read and written ones counted: the best of a few."""
    if device == "cpu":
        return _cpu(size or CPU_BYTES)
    with dev.cupy().cuda.Device(dev.parse_device(device)[1]):
        return _gpu(size or GPU_BYTES)


def _cpu(size: int) -> float:
    source, target = np.ones(size // 8), np.zeros(size // 8)
    parts = [slice(*ends) for ends in _ends(len(source), cores())]

    def copy(part: slice) -> None:
        np.copyto(target[part], source[part])  # releases the GIL

    with ThreadPoolExecutor(len(parts)) as pool:
        best = float("inf")
        for _ in range(COPIES):
            start = time.perf_counter()
            list(pool.map(copy, parts))
            best = min(best, time.perf_counter() - start)
    return 2 * source.nbytes / best


def _ends(n: int, parts: int) -> list[tuple[int, int]]:
    cuts = np.linspace(0, n, parts + 1).astype(int).tolist()
    return list(itertools.pairwise(cuts))


def _gpu(size: int) -> float:
    cp = dev.cupy()
    source, target = cp.ones(size // 8), cp.zeros(size // 8)
    best = float("inf")
    for _ in range(COPIES):
        begin, end = cp.cuda.Event(), cp.cuda.Event()
        begin.record()
        target.data.copy_from_device_async(source.data, source.nbytes, cp.cuda.get_current_stream())
        end.record()
        end.synchronize()
        best = min(best, cp.cuda.get_elapsed_time(begin, end) / 1e3)
    return 2 * source.nbytes / best
