"""Where compiled loops on threads wait for each other: `barrier` and `look_again`, and nothing else.

Both end with `AbandonedError` if another thread of `run` has failed, which the last of the `slots` says.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .compiled import njit
from .intrinsics import fence, fetch_add, load_acquire, load_relaxed, yield_core
from .threads import SPINS, AbandonedError


@njit(cache=True, nogil=True, inline="always")
def look_again(looks: Any, shared: Any) -> Any:
    """After one more look in vain at what another thread does: from SPINS on, others may have the core.

    It raises where another thread has failed, as the last of `shared`, the loop's `slots`, says.
    """
    if looks >= SPINS:
        if load_relaxed(shared, np.uint64(shared.size - 1)) != 0:
            raise AbandonedError
        yield_core()
    return looks + 1


@njit(cache=True, nogil=True)
def barrier(shared: Any, slot: Any, threads: Any) -> None:
    """Wait until all threads are here; `slot` of `shared`, made by `slots`, is used once.

    Or again: for the k-th time `threads` is k times their number.
    """
    fence()  # what this thread has written is there before it is counted
    fetch_add(shared, np.uint64(slot), 1)
    looks = 0
    while load_acquire(shared, np.uint64(slot)) < threads:
        looks = look_again(looks, shared)
