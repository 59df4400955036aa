"""Blocks of rows on their way to a GPU: threads that read pieces of the files and copy each to the device.

Each thread has a stream and two pieces of pinned memory: while one is copied it reads into the other. Nothing is handed
from thread to thread. Pieces are small, so that what was read is still in the processor's cache when it is copied.

A block's memory is free for the next block but one as soon as its kernels were launched; on the device copies wait for
these.
"""

from __future__ import annotations

import itertools
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ... import device as dev
from ...device.compiled import njit
from .blocks import OFFSET
from .reading import Array, threads

PIECE = 1 << 22  # bytes
LOW = 64  # degree from which a warp colors a vertex
Item = TypeVar("Item")


class Piece(NamedTuple):
    """What is read at a time: elements of an array, and where they go in the slot's memory.

    Attributes
    ----------
    array : Array
    begin, size : int
        Elements.
    to : int
        Bytes from the beginning of the slot.
    first : int
        Of offsets, the number of the first row in its block.
    """

    array: Any
    begin: int
    size: int
    to: int
    first: int = 0


def pieces(array: Any, begin: int, size: int, to: int, shared: int = 0) -> Iterator[Piece]:
    """What `PIECE` bytes at a time of an array are; the last `shared` elements of each are the first of the next."""
    step = PIECE // array.itemsize
    for at in range(0, size - shared, step):
        yield Piece(array, begin + at, min(step + shared, size - at), to + at * array.itemsize, at)


class Staging:
    """Pinned memory for one piece."""

    def __init__(self, cp: Any) -> None:
        self._memory = cp.cuda.alloc_pinned_memory(PIECE + OFFSET)
        self.bytes = np.frombuffer(self._memory, np.uint8, PIECE + OFFSET)
        self.copied = cp.cuda.Event(block=True, disable_timing=True)


class _Hand:
    """What a thread works with; `copied`: when its last piece for a slot is there; `out`: for what comes back."""

    def __init__(self, cp: Any, slots: int) -> None:
        self.stream, self.staging = cp.cuda.Stream(non_blocking=True), [Staging(cp) for _ in range(2)]
        self.out = [Staging(cp)]
        self.copied = [cp.cuda.Event(disable_timing=True) for _ in range(slots)]


class Feeder:
    """Threads that bring items to the slots of the current device.

    Parameters
    ----------
    slots : sequence
        With `address`, `stream`, `listed`, and events `copied` and `done`.
    offsets : Array
        Of which rows of degree `LOW` and over are listed, with `lists_high`, and that must rise.
    lists_high : bool
    """

    def __init__(self, slots: Sequence[Any], offsets: Array, lists_high: bool) -> None:
        cp = dev.cupy()
        self.cp, self.device, self.slots, self.offsets = cp, cp.cuda.Device(), slots, offsets
        self.hands = [_Hand(cp, len(slots)) for _ in range(threads())]
        self._lists = lists_high
        _high(np.zeros(1, np.int64), 0, LOW, np.empty(0, np.int32))  # loaded by this thread, whose clock leaves it out

    def high_of(self, offsets: np.ndarray, first: int) -> np.ndarray:
        """The rows of high degree among some rows, of which the first has this number in its block."""
        high = np.empty(len(offsets) if self._lists else 0, np.int32)
        count = _high(offsets, first, LOW, high)
        if count < 0:
            raise self.offsets.changed()
        return high[:count].copy() if self._lists else high

    @contextmanager
    def brought(
        self, todo: Sequence[Item], pieces_of: Callable[[Item], Iterable[Piece]], arrays: Sequence[Array] = ()
    ) -> Iterator[Iterator[tuple[Item, Any]]]:
        """Items in turn, each with its slot, on whose stream it is there; the slot is free again at the next."""
        run = _Run(self, todo, pieces_of, arrays)
        team = [threading.Thread(target=run.work, args=(hand,), daemon=True) for hand in self.hands]
        try:
            for thread in team:
                thread.start()
            yield run.in_turn()
        finally:
            run.stop()
            for thread in team:
                if thread.ident is not None:
                    thread.join()


class _Run:
    """One time through some items.

    Threads take pieces by a counter and report them to a deque, both of which need no lock; a call that lets go of the
    interpreter's lock takes ten times as long as the call itself where sixteen threads ask for it.
    """

    def __init__(
        self, feeder: Feeder, todo: Sequence[Any], pieces_of: Callable[[Any], Iterable[Piece]], arrays: Sequence[Array]
    ) -> None:
        self._feeder, self._todo, self._arrays = feeder, todo, arrays
        self._pieces: list[tuple[int, Piece]] = []
        self._sizes, self._done = list[int](), [deque[None]() for _ in todo]
        for number, item in enumerate(todo):
            before = len(self._pieces)
            self._pieces.extend((number, piece) for piece in pieces_of(item))
            self._sizes.append(len(self._pieces) - before)
        self._next, self._stopped, self._faults = itertools.count(), False, list[BaseException]()
        self._opened = [threading.Event() for _ in todo]
        self._ready = [threading.Event() for _ in todo]
        for opened in self._opened[: len(feeder.slots)]:
            opened.set()

    def work(self, hand: _Hand) -> None:
        """What a thread does: pieces, until there are none."""
        try:
            with self._feeder.device, hand.stream:
                turn, of = 0, -1
                while not self._stopped and (at := next(self._next)) < len(self._pieces):
                    number, piece = self._pieces[at]
                    self._bring(number, piece, hand, hand.staging[turn], number != of)
                    turn, of = 1 - turn, number
        except BaseException as e:
            self._faults.append(e)
            self.stop()

    def _bring(self, number: int, piece: Piece, hand: _Hand, staging: Staging, is_first: bool) -> None:
        """Read a piece once the staging memory is free, and copy it once the slot is."""
        feeder = self._feeder
        staging.copied.synchronize()
        data = staging.bytes[: piece.array.itemsize * piece.size]
        piece.array.fill(piece.begin, data)
        high = feeder.high_of(data.view(np.int64), piece.first) if piece.array is feeder.offsets else None
        if not self._opened[number].is_set():
            self._opened[number].wait()
        if self._stopped:
            return
        slot = feeder.slots[number % len(feeder.slots)]
        if is_first:
            hand.stream.wait_event(slot.done)
        copy_to_device(feeder.cp, slot.address + piece.to, data, len(data))
        staging.copied.record(hand.stream)
        hand.copied[number % len(feeder.slots)].record(hand.stream)
        if high is not None and len(high):
            slot.listed.append(high)
        self._done[number].append(None)
        if len(self._done[number]) == self._sizes[number]:  # perhaps twice
            self._ready[number].set()

    def in_turn(self) -> Iterator[tuple[Any, Any]]:
        """Items as they come, in their order."""
        slots = self._feeder.slots
        for number, item in enumerate(self._todo):
            self._ready[number].wait()
            if self._faults:
                raise self._faults[0]
            slot = slots[number % len(slots)]
            for hand in self._feeder.hands:
                slot.stream.wait_event(hand.copied[number % len(slots)])
            slot.copied.record(slot.stream)
            yield item, slot
            slot.done.record(slot.stream)
            slot.listed = []
            for array in self._arrays:
                array.refuse_changed()
            if number + len(slots) < len(self._todo):
                self._opened[number + len(slots)].set()

    def stop(self) -> None:
        """Threads end after the piece that they have; nobody waits any more."""
        self._stopped = True
        for event in (*self._opened, *self._ready):
            event.set()


def copy_to_device(cp: Any, to: int, source: np.ndarray, nbytes: int) -> None:
    """From the host to the device, on the current stream."""
    host_to_device = 1
    stream = cp.cuda.get_current_stream().ptr
    cp.cuda.runtime.memcpyAsync(to, source.ctypes.data, nbytes, host_to_device, stream)


def copy_to_host(cp: Any, to: np.ndarray, source: int) -> None:
    """From the device to the host, once what was asked for on the current stream is done; waits for it."""
    device_to_host, stream = 2, cp.cuda.get_current_stream()
    cp.cuda.runtime.memcpyAsync(to.ctypes.data, source, to.nbytes, device_to_host, stream.ptr)
    stream.synchronize()


@njit(cache=True, nogil=True)
def _high(offsets: Any, first: Any, low: Any, high: Any) -> Any:
    """How many rows have `low` entries or more, and which, as far as there is room; −1: offsets fall."""
    count = 0
    for i in range(offsets.size - 1):
        degree = offsets[i + 1] - offsets[i]
        if degree < 0:
            return -1
        if degree >= low and high.size:
            high[count] = first + i
            count += 1
    return count
