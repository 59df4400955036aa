"""Numbers that kernels write to memory of the host, so that reading them takes one wait and no copy.

Memory that a kernel may still write is neither reused nor freed. If an exception (no memory for the next array, Ctrl-C)
is raised between a launch and the wait, the memory is set aside until the device has completed the launch.
"""

from __future__ import annotations

from types import TracebackType

import numpy as np

from ..extras import cupy

# By device and size, because an allocation takes as long as a launch. Threads use single operations of lists and sets.
_SPARE: dict[tuple[int, int], list[Pinned]] = {}
_TAKEN: set[Pinned] = set()  # the only references to buffers in use after an exception
_SET_ASIDE: list[Pinned] = []


class Pinned:
    """A buffer of int32 numbers, initially 0, and the event after which they are written.

    It is a context manager: kernels that write to it are launched in its block.
    """

    ptr: int  # the address of the numbers, for a kernel
    numbers: np.ndarray

    def __init__(self, device: int, count: int) -> None:
        cp = cupy()
        self._key = device, count
        self._memory, self._event = cp.cuda.alloc_pinned_memory(4 * count), cp.cuda.Event(disable_timing=True)
        self._written = True  # no kernel may write to it
        self.ptr = self._memory.ptr
        self.numbers = np.frombuffer(self._memory, np.int32, count)

    @classmethod
    def take(cls, count: int) -> Pinned:
        """Return an unused buffer for the current device."""
        device = cupy().cuda.runtime.getDevice()
        if _SET_ASIDE:
            _take_back(device)
        try:
            pinned = _SPARE[device, count].pop()
        except (KeyError, IndexError):
            pinned = cls(device, count)
        pinned.numbers.fill(0)
        return pinned

    def __enter__(self) -> Pinned:
        _TAKEN.add(self)
        self._written = False
        return self

    def launched(self) -> None:
        """Record the event, right after the launch of the last kernel that writes."""
        self._event.record()

    def wait(self) -> np.ndarray:
        """Wait until the numbers are written, and return them."""
        self._event.synchronize()
        self._written = True
        return self.numbers.copy()

    def __exit__(self, kind: type[BaseException] | None, e: BaseException | None, at: TracebackType | None) -> None:
        if self._written:
            self._give_back()
            return
        try:
            self._event.record()  # again, because the last launch may not have been recorded
        except Exception:  # the device has failed: the buffer is never reused, and the caller's error is raised
            return
        _SET_ASIDE.append(self)

    def _give_back(self) -> None:
        _TAKEN.discard(self)  # first, because another thread adds it again as soon as it is spare
        _SPARE.setdefault(self._key, []).append(self)


def _take_back(device: int) -> None:
    """Make buffers of a device spare again whose events have completed."""
    for _ in range(len(_SET_ASIDE)):
        try:
            pinned = _SET_ASIDE.pop(0)
        except IndexError:  # another thread took it
            return
        try:
            if pinned._key[0] == device and pinned._event.done:
                pinned._give_back()
                continue
        except Exception:  # the device has failed: the next operation on it raises the error
            continue
        _SET_ASIDE.append(pinned)
