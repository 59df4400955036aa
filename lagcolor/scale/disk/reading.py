"""Pieces of the files of a folder, read by several threads, as far ahead as there is room.

Files are read, not mapped: a file that is cut short meanwhile is an error of one line and no signal that ends the
process, and page faults are not waited for by what colors. With each block the files' size and time of change are
compared with those at the beginning.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any, TypeVar

import numpy as np

from ...core.errors import FormatError
from ...io.folder import DATA, Folder

PIECE = 1 << 24  # bytes that one thread reads at a time
MOST_THREADS = 10  # more get in each other's way
Slot = TypeVar("Slot")
Item = TypeVar("Item")


class Array:
    """The elements of an array of a folder, by their position."""

    def __init__(self, folder: Folder, name: str, dtype: Any) -> None:
        self.path, self.itemsize = folder.path / f"{name}.npy", np.dtype(dtype).itemsize
        self._file = os.open(self.path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        weakref.finalize(self, os.close, self._file)
        self._stamp = _stamp(self._file)

    def fill(self, begin: int, out: np.ndarray) -> None:
        """Read elements from `begin` on into an array; any thread may."""
        left, at = out.view(np.uint8).data, DATA + begin * self.itemsize
        while left:
            count = read_at(self._file, left, at)
            if not count:
                raise self.changed()
            left, at = left[count:], at + count

    def refuse_changed(self) -> None:
        """Nothing, where size and time of change of the file are those at the beginning."""
        if _stamp(self._file) != self._stamp:
            raise self.changed()

    def changed(self) -> FormatError:
        """The error for a file that is not what it was."""
        return FormatError(
            f"{self.path}: it was changed while it was read: color the folder again when nobody writes to it"
        )

    def pieces(self, begin: int, out: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
        """Cut what `fill` is to do into pieces."""
        step = PIECE // self.itemsize
        for at in range(0, len(out), step):
            yield begin + at, out[at : at + step]


def _stamp(file: int) -> tuple[int, int]:
    found = os.fstat(file)
    return found.st_size, found.st_mtime_ns


def read_at(file: int, out: memoryview, at: int) -> int:
    """How many bytes were read into memory."""
    if hasattr(os, "preadv"):
        return os.preadv(file, [out], at)
    with _one:  # the position is the file's
        os.lseek(file, at, os.SEEK_SET)
        data = os.read(file, len(out))
    out[: len(data)] = data
    return len(data)


_one = threading.Lock()


def threads() -> int:
    """How many threads read: one per core, up to `MOST_THREADS`."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, MOST_THREADS)


def fill_all(pool: ThreadPoolExecutor, parts: Sequence[tuple[Array, int, np.ndarray]]) -> None:
    """Read arrays by all threads of a pool, and wait for them."""
    todo = [pool.submit(array.fill, at, piece) for array, begin, out in parts for at, piece in array.pieces(begin, out)]
    for one in todo:
        one.result()
    for array, *_ in parts:
        array.refuse_changed()


@contextmanager
def ahead(
    items: Iterable[Item], slots: Iterable[Slot], load: Callable[[Slot, Item], None]
) -> Iterator[Iterator[tuple[Item, Slot]]]:
    """Load items into slots in a thread, ahead of the consumer; a slot is free again when the next is taken."""
    free: SimpleQueue[Slot] = SimpleQueue()
    full: SimpleQueue[tuple[Item, Slot] | BaseException | None] = SimpleQueue()
    stopped = threading.Event()
    for slot in slots:
        free.put(slot)

    def work() -> None:
        try:
            for item in items:
                slot = free.get()
                if stopped.is_set():
                    return
                load(slot, item)
                full.put((item, slot))
            full.put(None)
        except BaseException as e:
            full.put(e)

    def taken() -> Iterator[tuple[Item, Slot]]:
        while (got := full.get()) is not None:
            if isinstance(got, BaseException):
                raise got
            yield got
            free.put(got[1])

    thread = threading.Thread(target=work, name="lagcolor-reader", daemon=True)
    thread.start()
    try:
        yield taken()
    finally:
        stopped.set()
        free.put(None)  # type: ignore[arg-type]  # wakes it up
        thread.join()
