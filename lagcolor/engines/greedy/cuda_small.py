"""First-fit in the order largest_first_spread on a GPU for graphs that one launch colors; the host reads nothing.

==========  =================================================================================
by a block  up to `BLOCK_VERTICES`, `BLOCK_ENTRIES`: states in shared memory (first_fit_block.cu)
by a grid   up to `RANGE` vertices per resident block and `GRID_ENTRIES` (first_fit_grid.cu)
==========  =================================================================================

Device memory beside graph and colors: none by a block; by a grid 16 bytes for each vertex that may have a degree of 64
or over, one of 64 entries at most.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ... import device as dev
from ...device.cooperative import has_cooperative_launch, launches
from ...graph import Graph

HERE = Path(__file__).parent
BLOCK_VERTICES, BLOCK_ENTRIES = 8192, 2**18
BLOCKS = ((512, 256), (BLOCK_VERTICES, 1024))  # vertices up to which a block of so many threads colors them
SCRATCH = 117, 8  # bytes of shared memory per thread, and per block, of first_fit_block.cu
GRID_ENTRIES = 2**23
BLOCK, RANGE = 256, 2048  # as in first_fit_grid.cu: threads of a block, vertices at most
ROWS, ENTRIES = 256, 2048  # vertices and entries of a block, about, where there is room for as many blocks
SORTED_FROM = 6  # entries per vertex from which blocks sort their vertices
HUB_WARPS = 1584  # that color vertices of degree 64 and over at a time, about
RANKED = 8192  # of these vertices are begun in the order of all: the work grows with their square
HUB = 64  # as in first_fit_spread.cuh
STREAMS = 64  # of which the counters are kept


class Small:
    """Kernels and sizes of launches on one device for one type of offsets."""

    def __init__(self, device: int, bits: int) -> None:
        cp = dev.cupy()
        self.empty, self.alloc, self.stream = cp.empty, cp.cuda.alloc, cp.cuda.get_current_stream
        self.zeros = cp.zeros
        properties = cp.cuda.Device(device).attributes
        self.processors = int(properties["MultiProcessorCount"])
        self.room = int(properties.get("MaxSharedMemoryPerBlockOptin", 48 << 10)) - 1024  # the kernel has some itself
        self.bits, self.device = bits, device
        self._in_block: dict[int, Any] = {}
        self._in_grid: tuple[Any, int] | None = None
        self._counters: dict[tuple[int, int], Any] = {}

    def in_block(self, n: int, m: int) -> tuple[Any, int, int, int] | None:
        """Kernel, threads, places to sort, bytes of shared memory; None where the graph is too large."""
        if n > BLOCK_VERTICES or m > BLOCK_ENTRIES:
            return None
        threads = next(threads for most, threads in BLOCKS if n <= most)
        places = max(32, 1 << (n - 1).bit_length())
        shared = SCRATCH[0] * threads + SCRATCH[1] + 8 * places + 4 * n
        if shared > self.room:
            return None
        if threads not in self._in_block:
            macros = {"OFFSET_BITS": self.bits, "STATE_BITS": 32, "SHARED_STATE": 1, "BLOCK": threads}
            kernel = dev.kernel(HERE / "first_fit_block.cu", "color_in_block", **macros)
            kernel.allow_shared(self.room)
            self._in_block[threads] = kernel
        return self._in_block[threads], threads, places, shared

    def in_grid(self, n: int, m: int) -> tuple[Any, int, int] | None:
        """Kernel, blocks, vertices of each; None where the graph is too large."""
        if m > GRID_ENTRIES:
            return None
        if self._in_grid is None:
            macros = {"OFFSET_BITS": self.bits, "STATE_BITS": 32, "BLOCK": BLOCK}
            kernel = dev.kernel(HERE / "first_fit_grid.cu", "color_in_grid", **macros)
            cooperative = has_cooperative_launch(dev.cupy(), self.device)
            self._in_grid = kernel, kernel.resident(BLOCK) * self.processors * cooperative
        kernel, fit = self._in_grid
        blocks = min(fit, max(self.processors, -(-n // ROWS), -(-m // ENTRIES)))
        if blocks == 0 or n > blocks * RANGE:
            return None
        each = -(-n // (32 * blocks)) * 32
        return kernel, -(-n // each), each

    def counters(self) -> Any:
        """Words that kernels find 0 and leave 0, of this stream; of this thread, for each may have a default stream."""
        key = self.stream().ptr, threading.get_ident()
        if key not in self._counters:
            if len(self._counters) >= STREAMS:
                self._counters.clear()
            self._counters[key] = self.zeros(4, np.int32)
        return self._counters[key]


@functools.cache
def small_of(device: int, bits: int) -> Small:
    return Small(device, bits)


def first_fit_small(G: Graph, word: Any, small: Small, begin: Callable[[], object] = lambda: None) -> Any:
    """Colors (int32, shape (n,)) of sequential first-fit in the order largest_first_spread.

    Parameters
    ----------
    G : Graph
        On a GPU, the current device, with a vertex.
    word : uint32
        Of the seed.
    small : Small
    begin : callable
        Called right before the launch.

    Returns
    -------
    array or None
        None where the graph is too large, or the driver has no room for all blocks.

    Raises
    ------
    MemoryError
        The device has none left.
    """
    n, m = G.n, G.m
    if (found := small.in_block(n, m)) is not None:
        kernel, threads, places, shared = found
        colors = small.empty(n, np.int32)
        begin()
        kernel((1,), (threads,), (n, m, places, G.indptr, G.indices, word, colors), shared)
        return colors
    if (grid := small.in_grid(n, m)) is None:
        return None
    kernel, blocks, each = grid
    colors, hubs = small.empty(n, np.int32), min(n, m // HUB)
    listed = small.alloc(16 * hubs)
    is_sorted = int(each > BLOCK or m >= SORTED_FROM * n)
    warps = min(BLOCK // 32, -(-HUB_WARPS // blocks))
    sizes = n, m, each, 1 << (each - 1).bit_length(), is_sorted, warps, RANKED
    args = (*sizes, G.indptr, G.indices, word, small.counters(), listed.ptr, listed.ptr + 8 * hubs, colors)
    begin()
    return colors if launches(kernel, blocks, BLOCK, args) else None
