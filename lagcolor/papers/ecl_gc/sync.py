"""What threads of the CPU share: acquire and release on an array, a barrier, and memory on large pages."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils

from ...device.compiled import njit
from ...device.intrinsics import fence, fetch_add, intrinsic, yield_core

HUGE = 1 << 21
SPINS = 1000  # looks before the core is offered to others


def large_pages(count: int, dtype: Any) -> np.ndarray:
    """An array, not cleared, that starts where a large page can: page by page, first touches took half of the time."""
    size = count * np.dtype(dtype).itemsize
    if size < HUGE // 2:
        return np.empty(count, dtype)
    block = np.empty(size + 2 * HUGE, np.uint8)  # NumPy asks for large pages from 4 MB on
    begin = -block.ctypes.data % HUGE
    return block[begin : begin + size].view(dtype)


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> tuple[Any, int]:
    view = context.make_array(array_type)(context, builder, array)
    at = cgutils.get_item_pointer(context, builder, array_type, view, [index], wraparound=False)
    return at, array_type.dtype.bitwidth // 8


@intrinsic
def load_acquire(typingctx: Any, array: Any, index: Any) -> Any:
    """``array[index]``; what was written before it was released is seen by all reads after."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        at, size = _pointer(context, builder, signature.args[0], args[0], args[1])
        return builder.load_atomic(at, "acquire", size)

    return array.dtype(array, types.uintp), codegen


@intrinsic
def store_release(typingctx: Any, array: Any, index: Any, value: Any) -> Any:
    """``array[index] = value``; who acquires it sees all that was written before."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        at, size = _pointer(context, builder, signature.args[0], args[0], args[1])
        builder.store_atomic(args[2], at, "release", size)
        return context.get_dummy_value()

    return types.void(array, types.uintp, array.dtype), codegen


@njit(cache=True, nogil=True)
def barrier(shared: Any, slot: Any, threads: Any) -> None:
    """Wait until all threads are here; `slot` of `shared` (int64, 0 before) is used once."""
    fence()  # what this thread has written is there before it is counted
    fetch_add(shared, np.uint64(slot), 1)
    spins = 0
    while load_acquire(shared, np.uint64(slot)) < threads:
        spins += 1
        if spins > SPINS:
            yield_core()
