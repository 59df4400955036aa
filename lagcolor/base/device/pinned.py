"""Numbers that kernels write to memory of the host, so that asking for them takes one wait and no copy.

Memory that a kernel may still write is neither given to another caller nor freed. Where an exception (no memory for the
next array, Ctrl-C) comes between a launch and the wait, it is set aside until the device has done what was launched.
"""

from __future__ import annotations

from types import TracebackType

import numpy as np

from ..extras import cupy

# By device and size: making one takes as long as a launch. Threads share it by single operations of lists and sets.
_SPARE: dict[tuple[int, int], list[Pinned]] = {}
_TAKEN: set[Pinned] = set()  # keeps alive what nothing else does after an exception
_SET_ASIDE: list[Pinned] = []


class Pinned:
    """Some int32 numbers, zeros at first, and the moment from which they are true.

    A context: kernels that write to it are launched inside.
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
        """One that is unused, on the current device."""
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
        """Call it right after the launch of the last kernel that writes."""
        self._event.record()

    def wait(self) -> np.ndarray:
        """The numbers, once they are written."""
        self._event.synchronize()
        self._written = True
        return self.numbers.copy()

    def __exit__(self, kind: type[BaseException] | None, e: BaseException | None, at: TracebackType | None) -> None:
        if self._written:
            self._give_back()
            return
        try:
            self._event.record()  # anew: what was launched last may not have been recorded
        except Exception:  # the device answers no more: never reused, and the caller's error is the one to raise
            return
        _SET_ASIDE.append(self)

    def _give_back(self) -> None:
        _TAKEN.discard(self)  # before the next one who takes it adds it
        _SPARE.setdefault(self._key, []).append(self)


def _take_back(device: int) -> None:
    """A buffer can be used again after its event has completed."""
    for _ in range(len(_SET_ASIDE)):
        try:
            pinned = _SET_ASIDE.pop(0)
        except IndexError:  # another thread had it
            return
        try:
            if pinned._key[0] == device and pinned._event.done:
                pinned._give_back()
                continue
        except Exception:  # the device answers no more: what comes next will say so
            continue
        _SET_ASIDE.append(pinned)
