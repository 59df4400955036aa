"""Numbers that kernels write to memory of the host, so that asking for them takes one wait and no copy."""

from __future__ import annotations

import numpy as np

from .. import device as dev

_SPARE: dict[tuple[int, int], list[Pinned]] = {}  # by device and size: making one takes as long as a launch


class Pinned:
    """Some int32 numbers, zeros at first, and the moment from which they are true.

    Attributes
    ----------
    ptr : int
        Address of the numbers, for a kernel.
    numbers : array of int32
    """

    def __init__(self, device: int, count: int) -> None:
        cp = dev.cupy()
        self._key = device, count
        self._memory, self._written = cp.cuda.alloc_pinned_memory(4 * count), cp.cuda.Event(disable_timing=True)
        self.ptr: int = self._memory.ptr
        self.numbers = np.frombuffer(self._memory, np.int32, count)

    @classmethod
    def take(cls, device: int, count: int) -> Pinned:
        """One that nobody uses, on the current device."""
        spare = _SPARE.get((device, count))
        pinned = spare.pop() if spare else cls(device, count)
        pinned.numbers.fill(0)
        return pinned

    def launched(self) -> None:
        """Call it right after the launch of the last kernel that writes."""
        self._written.record()

    def wait(self) -> np.ndarray:
        """The numbers, once they are written; from now on others may take this."""
        self._written.synchronize()
        numbers = self.numbers.copy()
        _SPARE.setdefault(self._key, []).append(self)
        return numbers
