"""What index arrays must be, on CPU threads: see checks.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from semirings.sparse import offset_type as offset_type

from ..base.device import read_only, threads_for
from ..base.device.parallel import launch, parallel, share, slots


def narrowed(wide: Any) -> tuple[Any, int]:
    """An array of uint64 as int32, and its largest number."""
    out, workers = np.empty(len(wide), np.int32), threads_for(None, len(wide))
    largest = np.zeros(workers, np.uint64)
    launch(_narrow, workers, slots(0), wide, out.view(np.uint32), largest)
    return out, int(largest.max())


def find_fall(x: np.ndarray, workers: int) -> int:
    """The first place whose number is larger than the next, or −1."""
    found = np.full(workers, len(x))
    launch(_find_fall, workers, slots(0), read_only(x), found)
    first = int(found.min())
    return first if first < len(x) else -1


@parallel
def _narrow(t: Any, shared: Any, wide: Any, narrow: Any, largest: Any) -> None:
    """Copy a share of uint64 as uint32, and note the largest."""
    most = np.uint64(0)
    for e in share(t, largest.size, wide.size):
        most = max(most, wide[e])
        narrow[e] = np.uint32(wide[e])
    largest[t] = most


@parallel
def _find_fall(t: Any, shared: Any, x: Any, found: Any) -> None:
    """The first place of a share whose number is larger than the next."""
    for i in share(t, found.size, x.size - 1):
        if x[i] > x[i + np.uint64(1)]:
            found[t] = i
            return
