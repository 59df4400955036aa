"""The steps of a coloring from disk on a GPU: rows stream through pinned memory, colors stay on the device.

There is memory for two blocks, each with a stream: while one is colored the next is copied (feeding.py). In the order
of ids two kernels may run at once, since a vertex waits for its earlier neighbors wherever these are colored (rows.cu
says why that ends). On the device are, beside two blocks, 4 bytes per vertex.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from ... import device as dev
from ...core.errors import FormatError
from ...engines.greedy import cuda_natural
from ...io.folder import Folder
from .blocks import ENTRY, OFFSET, Block
from .feeding import LOW, PIECE, Feeder, Piece, copy_to_device, copy_to_host, pieces
from .reading import Array
from .spill import Spill, Window

SOURCE = Path(__file__).with_name("rows.cu")
NATURAL = cuda_natural.SOURCE
SLOTS = 2
BLOCK = 128  # threads per block
ALIGN = 16
WARPS = BLOCK // 32
HIGH = ENTRY * LOW  # bytes of the entries of a row of high degree, at least
NOTHING = 2**64 - 1
READY = SOURCE.with_name("ready.cu")
THREADS = 256  # per block of its kernels
ROUNDS = 8  # between two looks at what is left; an even number
LEFT = 56  # bytes that a row of a block takes beside its offset: lists, keys and their sort, and what is left
FOREVER = 2**62


class Slot:
    """Memory of the device for one block, with a stream on which it is copied and colored.

    Attributes
    ----------
    stream : Stream
    listed : list of array
        Rows of high degree, as they are found in the pieces.
    """

    def __init__(self, cp: Any, nbytes: int) -> None:
        self._memory = cp.empty(nbytes + 2 * ALIGN, np.uint8)
        self.address = self._memory.data.ptr
        self._high = cp.empty(nbytes // HIGH + 1, np.int32)
        self.stream = cp.cuda.Stream(non_blocking=True)
        self.copied, self.done = (cp.cuda.Event(disable_timing=True) for _ in range(2))
        self.small = cp.zeros(4, np.uint64)
        self.listed: list[np.ndarray] = []

    def of(self, rows: int, entries: int) -> tuple[Any, Any, Any]:
        """Views for offsets, entries, and vertices of rows that are no neighbors."""
        at, end = layout(rows, entries)
        memory = self._memory
        offsets, indices = (
            memory[: OFFSET * (rows + 1)].view(np.int64),
            memory[at : at + ENTRY * entries].view(np.int32),
        )
        return (
            offsets,
            indices,
            memory[end : end + ENTRY * rows].view(np.int32) if end + ENTRY * rows <= len(memory) else None,
        )

    def list_high(self) -> tuple[Any, int]:
        """The rows of high degree on the device, and how many there are."""
        high = np.sort(np.concatenate(self.listed)) if self.listed else np.empty(0, np.int32)
        if len(high):
            copy_to_device(dev.cupy(), self._high.data.ptr, high, high.nbytes)
        return self._high, len(high)


def layout(rows: int, entries: int) -> tuple[int, int]:
    """Where entries and ids begin in the memory of a slot, in bytes."""
    at = -(-OFFSET * (rows + 1) // ALIGN) * ALIGN
    return at, at + ENTRY * entries


class OnGpu:
    """A painter, as `coloring.py` calls it; parameters as of `OnCpu`, of which the state is copied to the device."""

    def __init__(self, folder: Folder, state: np.ndarray, largest: int, pool: ThreadPoolExecutor) -> None:
        self._cp = cp = dev.cupy()
        dev.refuse_rocm(cp)
        self._device = cp.cuda.Device()
        self._folder, self._largest, self._pool = folder, largest, pool
        self._offsets, self._entries = Array(folder, "indptr", np.int64), Array(folder, "indices", np.int32)
        self._last: Any = None
        self.state = cp.asarray(state)
        self._bad = cp.full(1, NOTHING, np.uint64)
        self._stream = cp.cuda.Stream(non_blocking=True)  # of sweeps, so that what they allocate is used again

    @staticmethod
    def shares(in_order: bool) -> tuple[float, int]:
        """How many blocks are held, and what a row of a block costs: what is left takes up to two blocks more."""
        of_slots = SLOTS * (1 + 4 / HIGH)
        return (of_slots, OFFSET) if in_order else (of_slots + 2, OFFSET + LEFT)

    def slots(self, nbytes: int) -> list[Slot]:
        """Memory for the blocks that are there at a time."""
        slots = [Slot(self._cp, nbytes) for _ in range(SLOTS)]
        self._feeder = Feeder(slots, self._offsets, self._largest >= LOW)
        self.wait()  # their streams do not wait for that on which all of this was made
        return slots

    def wait(self) -> None:
        """Until all that was asked for is done: before that nothing may take the memory."""
        self._device.synchronize()

    def blocks(self, todo: list[Block], slots: list[Slot]) -> Any:
        """A context with an iterator of blocks and the slots in which they are."""
        return self._feeder.brought(todo, self._pieces, (self._offsets, self._entries))

    def _pieces(self, block: Block) -> Iterator[Piece]:
        """What is read of the files for a block."""
        at, _ = layout(block.rows, block.entries)
        yield from pieces(self._offsets, block.first, block.rows + 1, 0, shared=1)
        yield from pieces(self._entries, block.begin, block.entries, at)

    def natural(self, block: Block, slot: Slot) -> None:
        """Launch the coloring of a block in the order of ids."""
        with slot.stream:
            offsets, entries, _ = slot.of(block.rows, block.entries)
            if self._last is not None:  # so that what this block waits for can run
                slot.stream.wait_event(self._last)
            self._last = slot.copied
            self._check(block, entries)
            if self._largest < LOW:
                self._color_low(block, offsets, entries, slot)
            else:
                self._color(block, offsets, entries, slot)

    def _check(self, block: Block, entries: Any) -> None:
        kernel = dev.kernel(SOURCE, "check", **_MACROS)
        if block.entries:
            grid = min(-(-block.entries // BLOCK), 16 * dev.processors(self._device.id))
            args = (np.int64(block.entries), np.int64(block.begin), np.uint32(self._folder.n), entries, self._bad)
            kernel((grid,), (BLOCK,), args)

    def _color_low(self, block: Block, offsets: Any, entries: Any, slot: Slot) -> None:
        kernel = dev.kernel(NATURAL, "color_natural", OFFSET_BITS=64, STATE_BITS=32, BLOCK=cuda_natural.BLOCK)
        slot.small.fill(0)
        at, most = slot.small.data.ptr, cuda_natural.BLOCKS * dev.processors(self._device.id) // SLOTS
        grid = min(-(-block.rows // cuda_natural.BLOCK), max(most, 1))
        args = (block.rows, block.entries, FOREVER, offsets, entries, at + 8, at, at + 12, self.state, 0)
        kernel((grid,), (cuda_natural.BLOCK,), (*args, np.int64(block.first), np.int64(block.begin)))

    def _color(
        self, block: Block, offsets: Any, entries: Any, slot: Slot, ids: Any = 0, order: Any = 0, high: Any = None
    ) -> None:
        """Launch the coloring of rows in an order, around those of high degree."""
        kernel = dev.kernel(SOURCE, "color_rows", **_MACROS)
        slot.small.fill(0)
        listed, count = slot.list_high() if high is None else (high, len(high))
        warps = min(max(WARPS * LOW * count // max(block.entries, 1), 1), WARPS - 1)
        running = max(1, kernel.resident(BLOCK)) * dev.processors(self._device.id) // SLOTS
        grid = min(-(-block.rows // WARPS), max(running, 1))
        args = (
            np.int64(block.rows), np.int64(block.first), ids, order, offsets, np.int64(block.begin),
            np.int64(block.entries), entries, np.int32(count), listed, np.int32(warps), slot.small, self.state,
        )  # fmt: skip
        kernel((grid,), (BLOCK,), args)

    def sweep(self, block: Block, slot: Slot, spill: Spill) -> None:
        """Color what is ready of a block, and keep what is left."""
        with self._stream:
            self._stream.wait_event(slot.copied)
            offsets, entries, _ = slot.of(block.rows, block.entries)
            self._check(block, entries)
            rows = self._rounds(block, offsets, entries)
            if len(rows):
                self._keep(block, offsets, entries, rows, spill)

    def _rounds(self, block: Block, offsets: Any, entries: Any) -> Any:
        """Color as long as a round brings something: the rows that are left, int32, by falling priority."""
        cp, kernel = self._cp, self._of_ready("color_ready")
        lists = [cp.empty(block.rows, np.int32) for _ in range(2)]
        counts, listed, grid = cp.zeros(ROUNDS + 1, np.uint32), 0, self._grid(block.rows)
        while True:  # ends: a list is shorter than the one before, or the last
            for k in range(ROUNDS):
                at = counts.data.ptr + 4 * k
                rows = np.int64(block.first), offsets, np.int64(block.begin), entries
                args = (np.int64(block.rows), at, listed, *rows, at + 4, lists[k % 2], self.state)
                kernel((grid,), (THREADS,), args)
                listed = lists[k % 2]
            *_, before, left = counts.tolist()
            if left in (0, before):
                break
            counts[0], counts[1:] = left, 0
        rows = lists[(ROUNDS - 1) % 2][:left]
        return rows[cp.argsort(~self.state[block.first : block.first + block.rows][rows])]

    def _keep(self, block: Block, offsets: Any, entries: Any, rows: Any, spill: Spill) -> None:
        """Write rows that are left to the file."""
        cp, k = self._cp, len(rows)
        counts, grid = cp.empty(k, np.int64), self._grid(k)
        args = (np.int64(k), rows, np.int64(block.first), offsets, np.int64(block.begin), entries, self.state)
        self._of_ready("count_earlier")((grid,), (THREADS,), (*args, counts))
        ends = cp.cumsum(counts)
        out = cp.empty(int(ends[-1]), np.int32)
        self._of_ready("copy_earlier")((grid,), (THREADS,), (*args, ends, out))
        ids = rows.view(np.uint32) + np.uint32(block.first)
        run = spill.reserve(k, len(out))
        self._write(spill, [(run.places, ~self.state[ids]), (run.ids, ids), (run.ends, ends), (run.entries, out)])

    def _write(self, spill: Spill, parts: list[tuple[int, Any]]) -> None:
        """Write arrays of the device to their places in the file: copied by this thread, written by others."""
        staging = [staging for hand in self._feeder.hands for staging in hand.out]
        busy: list[Any] = [None] * len(staging)
        todo = ((at, part, begin) for at, part in parts for begin in range(0, part.nbytes, PIECE))
        for turn, (at, part, begin) in enumerate(todo):
            mine = turn % len(staging)
            if busy[mine] is not None:
                busy[mine].result()
            data = staging[mine].bytes[: min(PIECE, part.nbytes - begin)]
            copy_to_host(self._cp, data, part.data.ptr + begin)
            busy[mine] = self._pool.submit(spill.write, at + begin, data)
        for one in busy:
            if one is not None:
                one.result()

    def _of_ready(self, name: str) -> Any:
        return dev.kernel(READY, name, OFFSET_BITS=64, GROUP=8 if self._largest < LOW else 32)

    def _grid(self, rows: int) -> int:
        """Blocks for some rows, a warp each at most."""
        return min(-(-rows * 32 // THREADS), 16 * dev.processors(self._device.id))

    def finish(self, spill: Spill, room: int) -> None:
        """Color rows that were left, window by window."""
        cp = self._cp

        def pieces_of(window: Window) -> Iterator[Piece]:
            (at, end), row, entry = layout(window.rows, window.entries), 0, 0
            for run, rows, entries in window.parts:
                k, m = rows.stop - rows.start, entries.stop - entries.start
                yield from pieces(spill, run.ends + OFFSET * rows.start, OFFSET * k, OFFSET * (1 + row))
                yield from pieces(spill, run.entries + ENTRY * entries.start, ENTRY * m, at + ENTRY * entry)
                yield from pieces(spill, run.ids + ENTRY * rows.start, ENTRY * k, end + ENTRY * row)
                row, entry = row + k, entry + m

        with self._feeder.brought(spill.windows(room), pieces_of) as brought, self._stream:
            for window, slot in brought:
                self._stream.wait_event(slot.copied)
                offsets, indices, ids = slot.of(window.rows, window.entries)
                offsets[:1], row, entry = 0, 1, 0
                for _, rows, entries in window.parts:  # each run counts its own entries
                    k, m = rows.stop - rows.start, entries.stop - entries.start
                    offsets[row : row + k] += entry - entries.start
                    row, entry = row + k, entry + m
                order = cp.argsort(~self.state[ids]).astype(np.int32)
                high = None
                if self._largest >= LOW:
                    high = cp.flatnonzero(cp.diff(offsets)[order] >= LOW).astype(np.int32)
                block = Block(0, window.rows, 0, window.entries)
                self._color(block, offsets, indices, slot, ids, order, high)
                self._stream.record(slot.done)
                slot.stream.wait_event(slot.done)

    def colors(self) -> Any:
        """All colors, int32, once they are there."""
        self.wait()
        if (bad := int(self._bad[0])) != NOTHING:
            row = int(np.searchsorted(self._folder.indptr, bad, side="right")) - 1
            raise FormatError(
                f"{self._folder.path}: damaged folder of a graph: row {row} of indices.npy has an entry that is out of "
                "range; make it anew"
            )
        return self.state.view(np.int32)


_MACROS = {"OFFSET_BITS": 64, "STATE_BITS": 32, "BLOCK": BLOCK, "LOW": LOW}
