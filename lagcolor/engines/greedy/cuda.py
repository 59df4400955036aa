"""First-fit in the order largest_first_spread on a GPU: blocks take vertices in order, so that few vertices wait.

Small graphs are colored in one launch without a sequence (cuda_small.py).

==========  =================================================================================
sequence    pairs (vertex, its first edge) in the order, int2; vertices of degree 64 and over first
starts      first position of each degree under 64; number of vertices of degree 64 and over
state       color, or priority of an uncolored vertex (first_fit.cuh): 1 byte per vertex, 4 if there are high degrees
tickets     number of positions taken so far, for high and for low degrees
==========  =================================================================================

Device memory in addition to the graph: 13 bytes per vertex and about 5 MB. With vertices of degree 64 and over: 4 bytes
more per vertex, and 36 more for each vertex of such a degree.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np

from ...base import device as dev
from ...base.device.pinned import Pinned
from ...base.device.source import no_cooperative_launch
from ...base.errors import DeviceError
from ...graph.graph import Graph
from ...orders.ties import seed_word
from ...problems import distance1
from .cuda_small import KERNEL, first_fit_small, small_of

SORT = dev.Source(__file__, "spread_sort.cu", COUNT_BITS=16)
WIDE_SORT = dev.Source(__file__, "spread_sort.cu", block=128, COUNT_BITS=32)
MOST_COUNTED = 2**16 - 256  # vertices of a block that counts in 16 bits, in whole rows
LOW = dev.Source(__file__, "first_fit_low.cu")
HIGH = dev.Source(__file__, "first_fit_high.cu", STATE_BITS=32, BLOCK=128)
KEYS, LOW_DEGREE = 1746, 64  # as in spread_sort.cu
SHORT = 4 + 66  # words of `arrived`, two tickets, an unused word, and `starts` with an unused word
RANGE = 4096  # fewest vertices that a block sorts
# Threads per block and vertices in flight per multiprocessor, up to a number of vertices. A block takes vertices with
# one atomic operation.
BLOCKS = ((2**24, 64, 1536), (2**31, 512, 2048))
DIRECT = 2**23  # most vertices whose colors are written one by one: they stay in L2 until their sector is full
HIGH_BLOCKS = 3  # blocks per multiprocessor if a warp colors a vertex
# Resident threads of a multiprocessor, and neighbors that each can wait for, by bits of a state: FEW for less than
# SPARSE entries per vertex, MANY for more.
SPARSE, FEW = 7, {8: {"RESIDENT": 1536, "LIST_SIZE": 12}}
MANY = {8: {"RESIDENT": 1280, "LIST_SIZE": 20}, 32: {"RESIDENT": 1280, "LIST_SIZE": 12}}
PART_BITS, WHOLE = 6, np.int32(31)  # bits of a part of the sequence (orders/spread.cuh: turn_in_byte); a single part
INDEX_BITS = 25  # as in spread_sort.cu
MOST_BOUND, LOW_STATES = 16, 2**15  # bits of a bound (first_fit_row.cuh), and states of vertices of degree under 64


def first_fit(G: Graph, seed: int, begin: Callable[[], object] = lambda: None) -> Any:
    """Return the colors (int32, shape (n,)) of sequential first-fit in the order largest_first_spread."""
    cp, n = dev.cupy(), G.n
    if n == 0:
        return cp.empty(0, np.int32)
    device, bits, word = G.indices.data.device_id, 8 * G.indptr.itemsize, np.uint32(seed_word(seed))
    prepare(G)
    if (colors := first_fit_small(G, word, small_of(device, bits), begin)) is not None:
        return colors
    with Pinned.take(1) as found:
        s = sort(G.indptr, n, word, found, begin=begin)
        found.launched()
        colors = cp.empty(n, np.int32)
        _color_low(G, word, s, 0, s.state, colors)  # on the guess that there are no high degrees
        high = int(found.wait()[0])
    if high:
        _color_low(G, word, s, high, _color_high(G, word, s, high), colors)
    return colors


def prepare(G: Graph, more: Callable[[int], tuple[Any, ...]] = lambda bits: ()) -> None:
    """Compile the kernels for this graph and its check together, with the kernels that `more` returns."""
    device, bits = G.indices.data.device_id, 8 * G.indptr.itemsize
    bounded = small_of(device, bits).variant(G.n, G.m)
    _prepare(device, bits, low_macros(G.n, G.m, 8) if bounded is None else bounded, more)


@functools.cache
def _prepare(device: int, bits: int, kind: Any, more: Callable[[int], tuple[Any, ...]]) -> None:
    """Compile kernels; `kind`: the variant that colors a small graph, or `low_macros` of a large one."""
    offsets: dict[str, Any] = {"OFFSET_BITS": bits}
    first: tuple[tuple[Any, str], ...]
    if isinstance(kind, tuple):
        first = (SORT.of(**offsets), "spread_sort"), (LOW.of(**dict(kind), **offsets), "color_low")
    else:
        first = ((small_of(device, bits).programs[kind], KERNEL),)
    dev.prepare((distance1.SOURCE.of(**offsets), "summary"), *first, *more(bits))


def low_macros(n: int, m: int, bits: int) -> tuple[tuple[str, int], ...]:
    """Return macros of the kernels for vertices of degree under 64, with states of `bits` bits."""
    sizes = (FEW if bits == 8 and m < SPARSE * n else MANY)[bits]
    return ("STATE_BITS", bits), ("BLOCK", block_and_window(n)[0]), *sizes.items()


def block_and_window(n: int) -> tuple[int, int]:
    """Return threads per block and vertices in flight per multiprocessor."""
    return next((block, window) for most, block, window in BLOCKS if n <= most)


def part_bits(n: int) -> Any:
    """Return the bits of a position within its part of the sequence (`turn_in_byte`), for at most 64 parts."""
    return np.int32(max(0, (n - 1).bit_length() - PART_BITS))


class Sorted(NamedTuple):
    """Addresses of the results of spread_sort.cu in one allocation; `totals`: number of vertices of each key."""

    space: Any
    tickets: int
    starts: int
    totals: int
    sequence: int
    state: int


def sort(
    indptr: Any, n: int, word: Any, found: Pinned, first: int = 0, state: int = 0,
    begin: Callable[[], object] = lambda: None,
) -> Sorted:  # fmt: skip
    """Launch the sort, with counts of 16 bits if enough blocks run at the same time."""
    cp, s = dev.cupy(), cast(Sorted, None)  # set by `args` before each attempt

    def args(blocks: int) -> tuple[Any, ...]:
        nonlocal s
        per_block = -(-n // (blocks * run.block)) * run.block
        space = cp.empty(4 * (SHORT + KEYS + blocks * KEYS) + 16 + (8 if state else 9) * n, np.uint8)
        short = space.data.ptr  # arrived, tickets, starts
        totals, counts = short + 4 * SHORT, short + 4 * (SHORT + KEYS)
        sequence = -(-(counts + 4 * blocks * KEYS) // 16) * 16
        s = Sorted(space, short + 4, short + 16, totals, sequence, state or sequence + 8 * n)
        where = (sequence, s.state, WHOLE if state else part_bits(n), np.int32(first))
        return n, per_block, indptr, word, short, counts, totals, s.starts, found.ptr, *where

    def before() -> None:
        begin()
        cp.cuda.runtime.memsetAsync(s.space.data.ptr, 0, 16, cp.cuda.get_current_stream().ptr)

    s = cast(Any, None)
    for source, most in ((SORT, MOST_COUNTED), (WIDE_SORT, n)):
        run, least = source.of(indptr), -(-n // most)
        if run.together("spread_sort") >= least:
            with contextlib.suppress(DeviceError):
                run.cooperative("spread_sort", -(-n // RANGE) * run.block, args, least=least, before=before)
                return s
    raise no_cooperative_launch(
        "this GPU has no cooperative launches, or no block of the sort fits on it (possible under MPS)"
    )


def _color_low(G: Graph, word: Any, s: Sorted, high: int, state: Any, colors: Any) -> None:
    """Color the vertices of degree under 64; do nothing if their number is not n − `high`."""
    n, (_, window) = G.n, block_and_window(G.n)
    run = LOW.of(G.indptr, **dict(low_macros(n, G.m, 32 if high else 8)))
    direct = n <= DIRECT and not high
    graph = (s.starts, s.sequence, G.indptr, G.indices, word, s.tickets + 4)
    more = (state, colors if direct else 0, part_bits(n), 0, 0)
    args = (n, G.m, np.int32(high), *graph, *more)
    run.launch("color_low", n, *args, most=window * run.processors // run.block)
    if not direct:
        run.launch("write_colors", -(-n // 4), n, state, colors, most=2**16, block=256)


def _color_high(G: Graph, word: Any, s: Sorted, high: int) -> Any:
    """Color the vertices of degree 64 and over; return the states of all vertices, 4 bytes each."""
    cp, n, run = dev.cupy(), G.n, HIGH.of(G.indptr)
    state, bound_bits = cp.empty(n, np.uint32), np.int32(bits_of_bound(high))
    run.launch("set_low", n, n, G.indptr, word, state, 0, most=2**16, block=256)
    ids = _sorted(cp, G, word, s.sequence, high)
    run.launch("set_turns", high, high, ids, 0, state, bound_bits, block=256)
    args = (np.int32(high), ids, 0, G.indptr, G.indices, s.tickets, state, bound_bits, 0, 0)
    run.launch("color_high", high * 32, *args, most=run.processors * HIGH_BLOCKS)
    return state


def bits_of_bound(high: int) -> int:
    """Return the number of bits, of 31 in a state, that store the bounds of `high` vertices (first_fit_row.cuh)."""
    return next(b for b in range(MOST_BOUND, -1, -1) if (high << b) + LOW_STATES <= 2**31)


def _sorted(cp: Any, G: Graph, word: Any, sequence: int, high: int) -> Any:
    """Return the vertices of degree 64 and over in the order; spread_sort.cu has listed them by id."""
    run, keys = SORT.of(G.indptr), cp.empty(high, np.uint64)
    run.launch("high_keys", high, np.int64(high), sequence, G.indptr, word, keys, 0, 0)
    ids = cp.empty(high, np.int32)
    if high <= 2**INDEX_BITS:
        keys.sort()
        index = keys
    else:
        index = cp.argsort(keys >> np.uint64(INDEX_BITS), kind="stable").view(np.uint64)
    mask = np.uint64(2**INDEX_BITS - 1 if high <= 2**INDEX_BITS else 2**64 - 1)
    run.launch("high_ids", high, np.int64(high), mask, index, sequence, ids)
    return ids
