"""First-fit in the order largest_first_spread on a GPU: vertices are drawn in their order, so that few ever wait.

Graphs up to some size do without a sequence, and take one launch (cuda_small.py).

==========  =================================================================================
sequence    pairs (vertex, its first edge) in the order, int2; vertices of degree 64 and over in front
starts      first place of each degree under 64, number of vertices of degree 64 and over
state       a color or when the vertex's turn is (first_fit.cuh): 1 byte per vertex, 4 where there are high degrees
tickets     places drawn so far, of high and of low degrees
==========  =================================================================================

Device memory in addition to the graph: 13 bytes per vertex and some 5 MB; where there are vertices of degree 64 and
over, 4 bytes per vertex and 36 for each of these more.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...base import device as dev
from ...base.device.cooperative import (
    UNLIMITED,
    blocks_resident,
    has_cooperative_launch,
    has_room,
    no_cooperative_launch,
)
from ...base.device.pinned import Pinned
from ...graph.graph import Graph
from ...orders.ties import seed_word
from ...problems.distance1 import CHECK
from .cuda_small import first_fit_small, program, small_of

HERE = Path(__file__).parent
SORT, LOW, HIGH = (HERE / f"{name}.cu" for name in ("spread_sort", "first_fit_low", "first_fit_high"))
KEYS, LOW_DEGREE = 1746, 64  # as in spread_sort.cu
SHORT = 4 + 66  # words of `arrived`, two tickets, one unused, and `starts` with one unused
RANGE = 4096  # vertices a block sorts, at least
# Threads per block and vertices in flight per multiprocessor, up to a number of vertices: a draw is one atomic per
# block.
BLOCKS = ((2**24, 64, 1536), (2**31, 512, 2048))
DIRECT = 2**23  # up to this, colors are written one by one: they stay in L2 until their sector is full
HIGH_BLOCK, HIGH_BLOCKS = 128, 3  # threads per block, blocks per multiprocessor where a warp colors a vertex
# Threads that a multiprocessor holds and neighbors that each can wait for, by bits of a state: with less than SPARSE
# entries per vertex, and with more.
SPARSE, FEW = 7, {8: {"RESIDENT": 1536, "ROOM": 12}}
MANY = {8: {"RESIDENT": 1280, "ROOM": 20}, 32: {"RESIDENT": 1280, "ROOM": 12}}
PART_BITS, WHOLE = 6, np.int32(31)  # bits of parts of a sequence (orders/spread.cuh: turn_in_byte); one part
INDEX_BITS = 25  # as in spread_sort.cu
MOST_BOUND, LOW_STATES = 16, 2**15  # bits of a bound (first_fit_row.cuh), and states of vertices of degree under 64


def first_fit(G: Graph, seed: int, begin: Callable[[], object] = lambda: None) -> Any:
    """Colors (int32, shape (n,)) of sequential first-fit in the order largest_first_spread."""
    cp, n = dev.cupy(), G.n
    if n == 0:
        return cp.empty(0, np.int32)
    device, bits, word = G.indices.data.device_id, 8 * G.indptr.itemsize, np.uint32(seed_word(seed))
    prepare(G)
    if (colors := first_fit_small(G, word, small_of(device, bits), begin)) is not None:
        return colors
    plan = plan_of(device, bits)
    with Pinned.take(plan.device, 1) as found:
        s = sort(G.indptr, n, word, plan, found, begin=begin)
        found.launched()
        colors = cp.empty(n, np.int32)
        low = (n, G.m, s.starts, s.sequence, G.indptr, G.indices, word, s.tickets + 4)
        plan.low(low, 0, 8, s.state, colors)  # on the guess that there are no others
        high = int(found.wait()[0])
    if high:
        plan.low(low, high, 32, _color_high(G, word, s, high, plan), colors)
    return colors


def prepare(G: Graph, more: Callable[[int], tuple[Any, ...]] = lambda bits: ()) -> None:
    """Compile at once, at their first use, the kernels for such a graph and its check, and `more` for its offsets."""
    device, bits = G.indices.data.device_id, 8 * G.indptr.itemsize
    bounded = small_of(device, bits).variant(G.n, G.m)
    _prepare(device, bits, low_macros(G.n, G.m, 8) if bounded is None else bounded, more)


@functools.cache
def _prepare(device: int, bits: int, kind: Any, more: Callable[[int], tuple[Any, ...]]) -> None:
    """`kind`: which kernel colors it alone, or macros."""
    large = isinstance(kind, tuple)
    first = ((SORT, "spread_sort", ("COUNT_BITS", 16)), (LOW, "color_low", *kind)) if large else (program(kind),)
    dev.prepare(*((*each, ("OFFSET_BITS", bits)) for each in (CHECK, *first)), *more(bits))


def low_macros(n: int, m: int, bits: int) -> tuple[tuple[str, int], ...]:
    """The kernels for vertices of degree under 64, with states of a number of bits."""
    room = (FEW if bits == 8 and m < SPARSE * n else MANY)[bits]
    return ("STATE_BITS", bits), ("BLOCK", next(block for most, block, _ in BLOCKS if n <= most)), *room.items()


def part_bits(n: int) -> Any:
    """Bits of a place within its part of the sequence (`turn_in_byte`): there are 64 parts at most."""
    return np.int32(max(0, (n - 1).bit_length() - PART_BITS))


class Sorted(NamedTuple):
    """Addresses of what spread_sort.cu makes, in one piece of memory; `totals`: vertices of each key."""

    space: Any
    tickets: int
    starts: int
    totals: int
    sequence: int
    state: int


def sort(
    indptr: Any, n: int, word: Any, plan: LaunchPlan, found: Pinned, first: int = 0, state: int = 0,
    begin: Callable[[], object] = lambda: None,
) -> Sorted:  # fmt: skip
    """Launch the sort, with as many blocks as the driver accepts."""
    cp, most = dev.cupy(), UNLIMITED
    while True:
        kernel, threads, blocks, per_block = plan.sort(n, most)
        space = cp.empty(4 * (SHORT + KEYS + blocks * KEYS) + 16 + (8 if state else 9) * n, np.uint8)
        short = space.data.ptr  # arrived, tickets, starts
        tickets, starts, totals, counts = short + 4, short + 16, short + 4 * SHORT, short + 4 * (SHORT + KEYS)
        sequence = -(-(counts + 4 * blocks * KEYS) // 16) * 16
        states = state or sequence + 8 * n
        where = (sequence, states, WHOLE if state else part_bits(n), np.int32(first))
        args = (n, per_block, indptr, word, short, counts, totals, starts, found.ptr, *where)
        launch, stream = kernel.ready(blocks, threads, args, cooperative=True), cp.cuda.get_current_stream().ptr
        begin()
        cp.cuda.runtime.memsetAsync(short, 0, 16, stream)
        if has_room(launch):
            return Sorted(space, tickets, starts, totals, sequence, states)
        most = blocks // 2
        del space


class LaunchPlan:
    """Kernels and sizes of launches on one device for one type of offsets."""

    device: int
    processors: int
    cooperative: int

    def __init__(self, device: int, bits: int) -> None:
        cp, self.device = dev.cupy(), device
        properties = cp.cuda.Device().attributes
        self.processors = int(properties["MultiProcessorCount"])
        self.bits = bits
        # Whether blocks may wait for each other.
        self.cooperative = int(has_cooperative_launch(cp, device))
        self._lows: dict[tuple[tuple[str, int], ...], list[Any]] = {}

    def sort(self, n: int, most: int = UNLIMITED) -> tuple[Any, int, int, int]:
        """The kernel, its threads per block, blocks (at most `most`), and vertices per block."""
        for count_bits, threads in ((16, 256), (32, 128)):
            kernel, fit = self.sorter(count_bits, threads)
            blocks = min(-(-n // RANGE), fit, most)
            if blocks == 0:
                continue
            per_block = -(-n // (blocks * threads)) * threads
            if per_block < 2**16 or threads == 128:
                return kernel, threads, -(-n // per_block), per_block
        raise no_cooperative_launch(
            "this GPU has no cooperative launches, or cannot run a block that sorts, as may be under MPS"
        )

    def sorter(self, count_bits: int, threads: int) -> tuple[Any, int]:
        """The kernel with counts of a number of bits, and how many blocks of it may wait for each other."""
        kernel = dev.kernel(SORT, "spread_sort", OFFSET_BITS=self.bits, COUNT_BITS=count_bits)
        return kernel, blocks_resident(dev.cupy(), self.device, kernel, threads) * self.cooperative

    def low(self, args: Any, high: int, bits: int, state: Any, colors: Any) -> None:
        """Vertices of degree under 64; nothing where their number is not n − `high`."""
        n, m, *rest = args
        block, window = next((block, window) for most, block, window in BLOCKS if n <= most)
        color, write = self.low_kernels(n, m, bits)
        direct = n <= DIRECT and not high
        blocks = min(-(-n // block), window * self.processors // block)
        more = (state, colors if direct else 0, part_bits(n), 0, 0)
        color((blocks,), (block,), (n, m, np.int32(high), *rest, *more))
        if not direct:
            write((min(-(-n // 1024), 2**16),), (256,), (n, state, colors))

    def low_kernels(self, n: int, m: int, bits: int) -> list[Any]:
        """Kernels for vertices of degree under 64 of such a graph: colors, and their copy."""
        macros = low_macros(n, m, bits)
        if macros not in self._lows:
            names = "color_low", "write_colors"
            self._lows[macros] = [dev.kernel(LOW, k, OFFSET_BITS=self.bits, **dict(macros)) for k in names]
        return self._lows[macros]

    @functools.cached_property
    def high(self) -> list[Any]:
        """Kernels for vertices of degree 64 and over: their keys, ids, the others' states, turns, and colors."""
        keys = [dev.kernel(SORT, name, OFFSET_BITS=self.bits, COUNT_BITS=16) for name in ("high_keys", "high_ids")]
        macros = {"OFFSET_BITS": self.bits, "STATE_BITS": 32, "BLOCK": HIGH_BLOCK}
        return keys + [dev.kernel(HIGH, name, **macros) for name in ("set_low", "set_turns", "color_high")]


@functools.cache
def plan_of(device: int, bits: int) -> LaunchPlan:
    with dev.cupy().cuda.Device(device):  # kernels of another device would be kept for this one
        return LaunchPlan(device, bits)


def _color_high(G: Graph, word: Any, s: Sorted, high: int, plan: LaunchPlan) -> Any:
    """Color the vertices of degree 64 and over; the state of all vertices in 4 bytes."""
    cp, n, grid = dev.cupy(), G.n, (-(-high // 256),)
    _, _, set_low, set_turns, color = plan.high
    state, bound_bits = cp.empty(n, np.uint32), np.int32(bits_of_bound(high))
    set_low((min(-(-n // 256), 2**16),), (256,), (n, G.indptr, word, state, 0))
    ids = _sorted(cp, G, word, s.sequence, high, plan)
    set_turns(grid, (256,), (high, ids, 0, state, bound_bits))
    blocks = min(-(-high * 32 // HIGH_BLOCK), plan.processors * HIGH_BLOCKS)
    args = (np.int32(high), ids, 0, G.indptr, G.indices, s.tickets, state, bound_bits, 0, 0)
    color((blocks,), (HIGH_BLOCK,), args)
    return state


def bits_of_bound(high: int) -> int:
    """How many bits of a state of 31 have the bound of `high` vertices (first_fit_row.cuh), in addition to their
    turns."""
    return next(b for b in range(MOST_BOUND, -1, -1) if (high << b) + LOW_STATES <= 2**31)


def _sorted(cp: Any, G: Graph, word: Any, sequence: int, high: int, plan: LaunchPlan) -> Any:
    """Vertices of degree 64 and over, in the order: from the places where spread_sort.cu left them, by id."""
    grid = (-(-high // 256),)
    keys, (make_keys, take_ids, *_) = cp.empty(high, np.uint64), plan.high
    make_keys(grid, (256,), (np.int64(high), sequence, G.indptr, word, keys, 0, 0))
    ids = cp.empty(high, np.int32)
    if high <= 2**INDEX_BITS:
        keys.sort()
        index = keys
    else:
        index = cp.argsort(keys >> np.uint64(INDEX_BITS), kind="stable").view(np.uint64)
    mask = np.uint64(2**INDEX_BITS - 1 if high <= 2**INDEX_BITS else 2**64 - 1)
    take_ids(grid, (256,), (np.int64(high), mask, index, sequence, ids))
    return ids
