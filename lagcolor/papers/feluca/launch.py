"""What the launchers of both stages share: kernels, grids, and lists of vertices by degree class."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ... import device as dev
from ...graph import Graph

SOURCES = {path.name: str(path) for path in Path(__file__).parent.glob("*.cu")}
BLOCK = 256  # as in feluca.cuh
THREAD_MOST, WARP_MOST = 32, 2048  # as in feluca.cuh
BLOCKS_PER_MULTIPROCESSOR = 4  # of a cooperative launch
MOST_BLOCKS = 1 << 16


class Classes(NamedTuple):
    """How many vertices of a list are a thread's, a warp's and a block's work; they stand in this order."""

    threads: int
    warps: int
    hubs: int

    @property
    def begin_1(self) -> int:
        """Where the second part begins."""
        return self.threads

    @property
    def begin_2(self) -> int:
        """Where the third part begins."""
        return self.threads + self.warps


def kernel(file: str, name: str, offset: np.dtype, **macros: object) -> Any:
    """A kernel for offsets of this type."""
    return dev.kernel(SOURCES[file], name, OFFSET_BITS=8 * offset.itemsize, **macros)


def grid(threads: int) -> tuple[int]:
    """Blocks for so many threads; kernels loop over what is beyond."""
    return (max(1, min(-(-threads // BLOCK), MOST_BLOCKS)),)


@functools.cache
def multiprocessors(device: int) -> int:
    """Multiprocessors of a device."""
    return dev.cupy().cuda.Device(device).attributes["MultiProcessorCount"]


def classes(G: Graph) -> Classes:
    """The classes of all vertices, counted once, and with them the graph's largest degree; the host waits."""
    return G._cached("feluca classes", lambda: _survey(G))


def _survey(G: Graph) -> Classes:
    totals = dev.cupy().zeros(4, np.uint32)
    blocks = min(grid(G.n)[0], 8 * multiprocessors(dev.cupy().cuda.runtime.getDevice()))
    kernel("survey.cu", "survey", G.indptr.dtype)((blocks,), (BLOCK,), (G.indptr, G.n, totals))
    *sizes, top = totals.tolist()
    G._cached("max_degree", lambda: top)
    return Classes(*sizes)


def classes_of(degrees: Any) -> Classes:
    """The classes of vertices of these degrees; the host waits."""
    cp = dev.cupy()
    thread, warp = (int(cp.count_nonzero(degrees <= most)) for most in (THREAD_MOST, WARP_MOST))
    return Classes(thread, warp - thread, len(degrees) - warp)
