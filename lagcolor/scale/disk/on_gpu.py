"""First-fit of a folder on a GPU: rows stream in the order of coloring, block by block; colors stay on the device.

Threads gather the rows of a block in pinned memory, and one copy moves them to the device. There are two slots, each
with its own stream: rows are gathered for one slot while the rows of the other are copied and colored. Two kernels may
run at the same time, because a vertex waits for its earlier neighbors in any block (rows.cu explains why this ends).
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from ...base import device as dev
from ...base.device import threads_for
from ...base.device.compiled import njit
from ...base.log import Log, stage
from ...engines.greedy import cuda_natural
from ...io.folder import Folder
from .memory_map import malformed_row, watched

WARP, LOW = 32, 64  # LOW: degree from which on a warp colors a vertex
SOURCE = dev.Source(__file__, "rows.cu", OFFSET_BITS=64, STATE_BITS=32, BLOCK=128, LOW=LOW)
WARPS = SOURCE.block // WARP
OFFSET, ENTRY = 8, 4  # bytes of an offset, and of an entry
SLOTS, SLOT = 2, 1 << 26  # number of slots, and most bytes of a slot: larger slots are not faster
ALIGN = 16
EXTRA = 64  # bytes of a slot in addition to its rows, for the alignment of arrays
ROW = OFFSET + 2 * ENTRY  # bytes of a row in a slot in addition to its entries: offset, vertex, its place in a list
MOST_THREADS = 10  # more threads slow each other down
PIECE = 1 << 18  # entries from which on another thread saves time


class RowBlock(NamedTuple):
    """Rows that are on the device at a time."""

    first: int  # place of the first row in the order
    # int64: where each row begins in the block, counted from `base`, and the end of the last row
    offsets: np.ndarray
    base: int
    # Vertices of the rows (uint32), and where each row begins in the file (int64). Both are None if the rows are a
    # range of the file
    ids: np.ndarray | None = None
    begins: np.ndarray | None = None

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.offsets) - 1

    @property
    def entries(self) -> int:
        """The number of entries."""
        return int(self.offsets[-1]) - self.base

    @property
    def high(self) -> np.ndarray:
        """The rows of high degree: int32."""
        return np.flatnonzero(np.diff(self.offsets) >= LOW).astype(np.int32)

    def ranges(self, parts: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield pieces of about equally many entries: where ranges begin in the file, and their bounds in the block."""
        bounds = np.linspace(0, self.entries, parts + 1).astype(np.int64)
        cuts = bounds if self.begins is None else np.searchsorted(self.offsets, bounds)
        for a, b in itertools.pairwise(cuts.tolist()):
            if self.begins is None:
                yield np.array([self.base + a]), np.array([a, b])
            else:
                yield self.begins[a:b], self.offsets[a : b + 1]


def share(folder: Folder, largest: int, in_order: bool, memory: int) -> tuple[int, int]:
    """Return the least bytes of device memory for a coloring, and the bytes that it uses within a limit."""
    fixed, row = 4 * folder.n, ENTRY * largest + ROW + OFFSET + EXTRA
    least, whole = fixed + SLOTS * row, ENTRY * folder.entries + ROW * folder.n + OFFSET + EXTRA
    return least, min(memory, fixed + SLOTS * min(whole, SLOT + row))


def color(folder: Folder, sequence: np.ndarray | None, largest: int, memory: int, log: Log) -> Any:
    """Return colors, int32, of first-fit in the order of `sequence` (None: vertex id), on the current device."""
    stream = BlockStream(folder, sequence, largest, (memory - 4 * folder.n) // SLOTS)
    blocks = watched(folder, stream.blocks())
    coloring, done = stage("coloring", folder.n, "vertices"), 0
    with ThreadPoolExecutor(threads_for(None, folder.entries, PIECE)) as pool:
        try:
            for number, block in enumerate(blocks):
                stream.color(block, number, pool)
                log.round(active=block.rows, colored=block.rows)
                done += block.rows
                coloring.at(done)
        finally:
            stream.wait()
    return stream.state.view(np.int32)


class Slot:
    """Pinned memory and device memory for a block, and the stream on which it is copied and colored."""

    host: np.ndarray
    device: Any
    stream: Any
    copied: Any
    tickets: Any

    def __init__(self, cp: Any, nbytes: int) -> None:
        self._cp, self._pinned = cp, cp.cuda.alloc_pinned_memory(nbytes)
        self.host = np.frombuffer(self._pinned, np.uint8, nbytes)
        self.device = cp.empty(nbytes, np.uint8)
        self.stream = cp.cuda.Stream(non_blocking=True)
        self.copied = cp.cuda.Event(block=True, disable_timing=True)
        self.tickets = cp.zeros(4, np.uint64)

    def places(self, block: RowBlock, high: int) -> tuple[int, int, int, int]:
        """Return the bytes at which entries, ids and rows of high degree begin, and the end; offsets begin at 0."""
        entries = -(-OFFSET * (block.rows + 1) // ALIGN) * ALIGN
        ids = entries + ENTRY * block.entries
        listed = ids + ENTRY * (0 if block.ids is None else block.rows)
        return entries, ids, listed, listed + ENTRY * high

    def copy(self, nbytes: int) -> None:
        """Copy the first bytes to the device, on the slot's stream."""
        host_to_device, runtime = 1, self._cp.cuda.runtime
        runtime.memcpyAsync(self.device.data.ptr, self.host.ctypes.data, nbytes, host_to_device, self.stream.ptr)
        self.copied.record(self.stream)


class BlockStream:
    """The transfer and coloring of the blocks of a folder on the current device."""

    state: Any  # uint32, shape (n,): states of rows.cu; at the end the colors

    def __init__(self, folder: Folder, sequence: np.ndarray | None, largest: int, nbytes: int) -> None:
        self._cp = cp = dev.cupy()
        dev.refuse_rocm(cp)
        self._device, self._folder, self._largest, self._capacity = cp.cuda.Device(), folder, largest, nbytes - EXTRA
        self._sequence = None if sequence is None else sequence.view(np.uint32)
        self.state = cp.asarray(_state(folder.n, self._sequence))
        self._slots = [Slot(cp, nbytes) for _ in range(SLOTS)] if folder.n else []
        self._last: Any = None
        self.wait()  # the slots' streams do not wait for the current stream, which initializes the arrays

    def wait(self) -> None:
        """Wait until all launches are done; the memory cannot be reused before."""
        self._device.synchronize()

    def blocks(self) -> Iterator[RowBlock]:
        """Yield all rows in their order, in blocks that fit in a slot."""
        n, first, capacity = self._folder.n, 0, self._capacity - OFFSET
        most = max(math.ceil(capacity / (ROW + ENTRY * self._folder.entries / max(n, 1))), 1)
        while first < n:  # each turn yields at least one row
            found = self._block(first, min(first + most, n))

            def taken(row: int, found: RowBlock = found) -> int:
                return ENTRY * (int(found.offsets[row]) - found.base) + ROW * row

            rows = max(bisect_right(range(found.rows + 1), capacity, key=taken) - 1, 1)
            ids, begins = (None if a is None else a[:rows] for a in (found.ids, found.begins))
            yield RowBlock(first, found.offsets[: rows + 1], found.base, ids, begins)
            first += rows

    def _block(self, first: int, end: int) -> RowBlock:
        """Return the rows at places first … end − 1 of the order."""
        indptr = self._folder.indptr
        if self._sequence is None:
            return RowBlock(first, indptr[first : end + 1], int(indptr[first]))
        ids = self._sequence[first:end]
        begins, offsets = indptr[ids], np.zeros(end - first + 1, np.int64)
        np.cumsum(indptr[ids + np.uint32(1)] - begins, out=offsets[1:])
        return RowBlock(first, offsets, 0, ids, begins)

    def color(self, block: RowBlock, number: int, pool: ThreadPoolExecutor) -> None:
        """Gather a block, and launch its copy and its coloring."""
        slot = self._slots[number % SLOTS]
        slot.copied.synchronize()
        high = block.high if self._largest >= LOW else np.empty(0, np.int32)
        entries, ids, listed, end = slot.places(block, len(high))
        np.subtract(block.offsets, block.base, out=slot.host[: OFFSET * (block.rows + 1)].view(np.int64))
        self._gather(block, slot.host[entries:ids].view(np.uint32), pool)
        if block.ids is not None:
            slot.host[ids:listed].view(np.uint32)[:] = block.ids
        slot.host[listed:end].view(np.int32)[:] = high
        with slot.stream:
            slot.copy(end)
            if self._last is not None:  # after the last block's copy, whose kernel this block may wait for
                slot.stream.wait_event(self._last)
            self._last = slot.copied
            at = slot.device.data.ptr
            if block.ids is None and self._largest < LOW:
                self._color_natural(block, slot, at + entries)
            else:
                self._color_rows(block, slot, (at, at + entries, at + ids, at + listed), len(high))

    def _gather(self, block: RowBlock, out: np.ndarray, pool: ThreadPoolExecutor) -> None:
        """Gather the entries of a block on several threads; raise an error if one is out of range."""
        indices, n, parts = self._folder.indices.view(np.uint32), np.uint32(self._folder.n), -(-len(out) // PIECE)
        todo = [
            pool.submit(_copy, indices, begins, to, n, out) for begins, to in block.ranges(min(MOST_THREADS, parts))
        ]
        for bad in [one.result() for one in todo]:
            if bad >= 0:
                row = int(np.searchsorted(self._folder.indptr, bad, side="right")) - 1
                raise malformed_row(self._folder, row)

    def _color_natural(self, block: RowBlock, slot: Slot, entries: int) -> None:
        """Launch the coloring of a block in the order of ids; all its rows are short."""
        run = cuda_natural.SOURCE.of(OFFSET_BITS=64, STATE_BITS=32)
        slot.tickets.fill(0)
        at, most = slot.tickets.data.ptr, cuda_natural.BLOCKS * run.processors // SLOTS
        args = (
            block.rows, block.entries, cuda_natural.FOREVER, slot.device, entries, at + 8, at, at + 12, self.state, 0,
            np.int64(block.first), np.int64(0),
        )  # fmt: skip
        run.launch("color_natural", block.rows, *args, most=max(most, 1))

    def _color_rows(self, block: RowBlock, slot: Slot, at: tuple[int, int, int, int], high: int) -> None:
        """Launch the coloring of a block; `high` of its rows have a high degree."""
        run = SOURCE.of()
        slot.tickets.fill(0)
        offsets, entries, ids, listed = at
        warps = min(max(WARPS * LOW * high // max(block.entries, 1), 1), WARPS - 1)
        args = (
            np.int64(block.rows), np.int64(block.first), 0 if block.ids is None else ids, offsets,
            np.int64(block.entries), entries, np.int32(high), listed, np.int32(warps), slot.tickets, self.state,
        )  # fmt: skip
        most = max(run.resident("color_rows") // SLOTS, 1)
        run.launch("color_rows", block.rows * WARP, *args, most=most)


def _state(n: int, sequence: np.ndarray | None) -> np.ndarray:
    """Return 2³² − 1 less the place of each vertex: uint32."""
    places = np.arange(n, dtype=np.uint32)
    if sequence is None:
        return np.invert(places, out=places)
    state = np.empty(n, np.uint32)
    state[sequence] = np.invert(places, out=places)
    return state


@njit(cache=True, nogil=True)
def _copy(indices: Any, begins: Any, to: Any, n: Any, out: Any) -> Any:
    """Copy ranges of entries from `begins` to `to`; return the place of an entry out of range, or −1."""
    top = np.uint32(0)
    for k in range(begins.size):
        begin, at = begins[k], to[k]
        for e in range(to[k + 1] - at):
            x = indices[begin + e]
            out[at + e] = x
            top = max(top, x)
    if top < n:
        return np.int64(-1)
    for k in range(begins.size):
        for e in range(begins[k], begins[k] + to[k + 1] - to[k]):
            if indices[e] >= n:
                return np.int64(e)
    return np.int64(-1)
