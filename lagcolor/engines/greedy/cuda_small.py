"""First-fit in the order largest_first_spread on a GPU in one launch, for small graphs; the host reads nothing.

The graph has at most `MOST_EACH` vertices per resident thread and `GRID_ENTRIES` entries (first_fit_grid.cu).

Device memory in addition to graph and colors: 16 bytes for each vertex that may have a degree of 64 or over, at most
m/64 vertices.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from ...base import device as dev
from ...graph.graph import Graph

SOURCE, KERNEL = dev.Source(__file__, "first_fit_grid.cu", STATE_BITS=32, BLOCK=256), "color_in_grid"
BLOCK = SOURCE.block
GRID_ENTRIES, MOST_EACH = 2**23, 8
DENSE = 24  # entries per vertex from which GRID_ENTRIES is halved: more hubs than `RANKED` wait for long
BOUNDED = 8  # entries per vertex from which vertices publish bounds of their colors (first_fit_bound.cuh)
LISTS, RESIDENT = BLOCK // 32, 5  # as in first_fit_grid.cu
ENTRIES = 2048  # entries of a block, approximately, if as many blocks fit
HUB_WARPS = 1584  # warps that color vertices of degree 64 and over at a time, approximately
RANKED = 8192  # most vertices of degree 64 and over that are ranked: the work grows with the square of their number
HUB = 64  # as in first_fit_grid.cu
WORDS = 16  # bytes, as in first_fit_grid.cu: Words
STREAMS = 64  # most streams whose words are cached


class Small:
    """Kernels and sizes of launches on one device for one type of offsets."""

    empty: Any
    alloc: Any
    stream: Any
    zeros: Any
    programs: tuple[Any, ...]
    processors: int

    def __init__(self, device: int, bits: int) -> None:
        cp = dev.cupy()
        self.empty, self.alloc, self.stream = cp.empty, cp.cuda.alloc, cp.cuda.get_current_stream
        self.zeros = cp.zeros
        with cp.cuda.Device(device):
            self.programs = tuple(SOURCE.of(OFFSET_BITS=bits, BOUNDED=bounded) for bounded in (0, 1))
        self.processors = self.programs[0].processors
        self._words: dict[tuple[int, int], tuple[Any, int]] = {}

    def variant(self, n: int, m: int) -> int | None:
        """Return the kernel for a graph: 1 with bounds, 0 without, None if the graph is too large."""
        if m > (GRID_ENTRIES if m < DENSE * n else GRID_ENTRIES // 2):
            return None
        return int(m >= BOUNDED * n and n <= RESIDENT * self.processors * BLOCK)

    def by_grid(self, n: int, m: int) -> tuple[Any, int, int, int] | None:
        """Return kernel, blocks, lists per block, and vertices per lane of a list; None if the graph is too large."""
        if (bounded := self.variant(n, m)) is None:
            return None
        run = self.programs[bounded]
        blocks = run.together(KERNEL)
        if bounded and n > blocks * BLOCK:
            run = self.programs[0]
            blocks = run.together(KERNEL)
        each = -(-n // max(1, blocks * BLOCK))
        if not blocks or each > MOST_EACH:
            return None
        if each == 1:
            blocks = min(blocks, max(self.processors, -(-n // BLOCK), -(-m // ENTRIES)))
        lists = -(-n // (32 * each * blocks))
        return run.kernel(KERNEL), -(-n // (32 * each * lists)), lists, each

    def take_words(self) -> tuple[Any, int]:
        """Return memory with the words of two launches on this stream, and the offset of the words that are 0."""
        # By thread, because each may have a default stream. After a failed launch it is unknown which words are 0.
        key = self.stream().ptr, threading.get_ident()
        return self._words.pop(key, None) or (self.zeros(2 * WORDS, np.uint8), 0)

    def give_back(self, both: Any, at: int) -> None:
        """Store the words after a launch with them, which sets the other words to 0."""
        if len(self._words) >= STREAMS:
            self._words.clear()
        self._words[self.stream().ptr, threading.get_ident()] = both, WORDS - at


@functools.cache
def small_of(device: int, bits: int) -> Small:
    return Small(device, bits)


def first_fit_small(G: Graph, word: Any, small: Small, begin: Callable[[], object] = lambda: None) -> Any:
    """Return first-fit colors (int32, shape (n,)) in the order largest_first_spread; None if the graph is too large."""
    n, m = G.n, G.m
    if (grid := small.by_grid(n, m)) is None:
        return None
    kernel, blocks, lists, each = grid
    colors, hubs = small.empty(n, np.int32), min(n, m // HUB)
    listed = small.alloc(16 * hubs)
    sizes = n, m, lists, each, min(LISTS, -(-HUB_WARPS // blocks)), RANKED
    both, at = small.take_words()
    words = both.data.ptr + at, both.data.ptr + WORDS - at
    args = (*sizes, G.indptr, G.indices, word, *words, listed.ptr, listed.ptr + 8 * hubs, colors)
    launch = kernel.ready(blocks, BLOCK, args)
    begin()
    if not launch():
        return None
    small.give_back(both, at)
    return colors
