"""The steps of a coloring from disk on a CPU: blocks are read by threads and colored by one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from ...core.errors import FormatError
from ...io.folder import Folder
from . import cpu
from .blocks import ENTRY, OFFSET, Block
from .reading import Array, ahead, fill_all
from .spill import Spill

SLOTS = 2
SORTED = 28  # bytes that a row of a block takes beside its offset, where rows are sorted and some are kept


class Slot:
    """Memory for the offsets and entries of one block."""

    def __init__(self, nbytes: int) -> None:
        self._memory = np.empty(nbytes, np.uint8)

    def of(self, block: Block) -> tuple[np.ndarray, np.ndarray]:
        """Views for offsets and entries."""
        end = OFFSET * (block.rows + 1)
        offsets = self._memory[:end].view(np.int64)
        return offsets, self._memory[end : end + ENTRY * block.entries].view(np.int32)


class Loader:
    """Reads blocks of a folder into slots, by the threads of a pool."""

    def __init__(self, folder: Folder, pool: ThreadPoolExecutor) -> None:
        self._folder, self._pool = folder, pool
        self._offsets, self._entries = Array(folder, "indptr", np.int64), Array(folder, "indices", np.int32)

    def __call__(self, slot: Slot, block: Block) -> None:
        """Read a block."""
        offsets, entries = slot.of(block)
        fill_all(self._pool, [(self._offsets, block.first, offsets), (self._entries, block.begin, entries)])
        ends = int(offsets[0]) == block.begin and int(offsets[-1]) == block.begin + block.entries
        if not ends or (offsets[1:] < offsets[:-1]).any():
            raise self._offsets.changed()

    def refuse(self, row: int) -> FormatError:
        """The error for a row that is none of a canonical graph."""
        return FormatError(
            f"{self._folder.path}: damaged folder of a graph: row {row} of indices.npy does not rise, or has an entry "
            "that is out of range; make it anew"
        )


class OnCpu:
    """A painter, as `coloring.py` calls it.

    Parameters
    ----------
    folder : Folder
    state : array of uint32, shape (n,)
        As of `cpu`.
    largest : int
        Degree.
    pool : ThreadPoolExecutor
        Reads.
    """

    def __init__(self, folder: Folder, state: np.ndarray, largest: int, pool: ThreadPoolExecutor) -> None:
        self.state, self.load = state, Loader(folder, pool)
        self._marks = np.zeros(largest + 2, np.uint32)

    @staticmethod
    def shares(in_order: bool) -> tuple[float, int]:
        """How many blocks are held, and what a row of a block costs: rows that are left take up to two more."""
        return (SLOTS, OFFSET) if in_order else (SLOTS + 2, OFFSET + SORTED)

    @staticmethod
    def slots(nbytes: int) -> list[Slot]:
        """Memory for the blocks that are there at a time."""
        return [Slot(nbytes) for _ in range(SLOTS)]

    def wait(self) -> None:
        """Nothing: what was asked for is done."""

    def blocks(self, todo: list[Block], slots: list[Slot]) -> Any:
        """A context with an iterator of blocks and the slots in which they are."""
        return ahead(todo, slots, self.load)

    def natural(self, block: Block, slot: Slot) -> None:
        """Color a block in the order of ids."""
        offsets, entries = slot.of(block)
        self._refuse(block.first, cpu.natural(offsets, entries, block.first, self.state, self._marks))

    def sweep(self, block: Block, slot: Slot, spill: Spill) -> None:
        """Color what is ready of a block, and keep what is left."""
        offsets, entries = slot.of(block)
        ids = np.arange(block.first, block.first + block.rows, dtype=np.uint32)
        order = np.argsort(~self.state[block.first : block.first + block.rows]).astype(np.uint32)
        _, bad = cpu.ready(offsets, entries, ids, order, self.state, self._marks)
        self._refuse(block.first, bad)
        rows, bad = cpu.left_over(offsets, entries, ids, order, self.state)
        self._refuse(block.first, bad)
        spill.add(rows)

    def finish(self, spill: Spill, room: int) -> None:
        """Color rows that were left, window by window."""
        for window in spill.windows(room):
            ids, offsets, indices, order = spill.merged(window)
            cpu.ready(offsets, indices, ids, order, self.state, self._marks)

    def colors(self) -> Any:
        """All colors, int32; `state` is theirs from now on."""
        return self.state.view(np.int32)

    def _refuse(self, first: int, bad: int) -> None:
        if bad != cpu.SOUND:
            raise self.load.refuse(first + bad)
