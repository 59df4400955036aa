"""First-fit in the order largest_first_spread on a GPU for graphs that one launch colors; the host reads nothing.

The graph has up to `MOST_EACH` vertices per resident thread and `GRID_ENTRIES` (first_fit_grid.cu).

Device memory in addition to graph and colors: 16 bytes for each vertex that may have a degree of 64 or over, one of 64
entries at most.
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
DENSE = 24  # entries per vertex from which half as many entries are the most: hubs beyond `RANKED` wait for long
BOUNDED = 8  # entries per vertex from which vertices say bounds of their colors (first_fit_bound.cuh)
LISTS, RESIDENT = BLOCK // 32, 5  # as in first_fit_grid.cu
ENTRIES = 2048  # of a block, about, if as many blocks fit
HUB_WARPS = 1584  # that color vertices of degree 64 and over at a time, about
RANKED = 8192  # of these vertices are begun in the order of all: the work grows with their square
HUB = 64  # as in first_fit_grid.cu
WORDS = 16  # bytes, as in first_fit_grid.cu: Words
STREAMS = 64  # whose words are kept


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
        """Which kernel a graph takes: 1 with bounds, 0 without, None where it is too large."""
        if m > (GRID_ENTRIES if m < DENSE * n else GRID_ENTRIES // 2):
            return None
        return int(m >= BOUNDED * n and n <= RESIDENT * self.processors * BLOCK)

    def by_grid(self, n: int, m: int) -> tuple[Any, int, int, int] | None:
        """Kernel, blocks, lists of each, and vertices per lane of a list; None where the graph is too large."""
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
        """Memory with the words of two launches on this stream, and the place of those that are 0."""
        # Of this thread, too: each may have a default stream. After a refusal or an error it is unknown which are 0.
        key = self.stream().ptr, threading.get_ident()
        return self._words.pop(key, None) or (self.zeros(2 * WORDS, np.uint8), 0)

    def give_back(self, both: Any, at: int) -> None:
        """The launch with these words has been made: it leaves the others 0."""
        if len(self._words) >= STREAMS:
            self._words.clear()
        self._words[self.stream().ptr, threading.get_ident()] = both, WORDS - at


@functools.cache
def small_of(device: int, bits: int) -> Small:
    return Small(device, bits)


def first_fit_small(G: Graph, word: Any, small: Small, begin: Callable[[], object] = lambda: None) -> Any:
    """Colors (int32, shape (n,)) of sequential first-fit in the order largest_first_spread."""
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
