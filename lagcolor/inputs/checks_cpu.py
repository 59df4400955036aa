"""What index arrays must be, on CPU threads: see checks.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.device import threads_for
from ..base.device.parallel import launch, parallel, share, slots


def narrowed(wide: Any) -> tuple[Any, int]:
    """An array of uint64 as int32, and its largest number."""
    out, workers = np.empty(len(wide), np.int32), threads_for(None, len(wide))
    largest = np.zeros(workers, np.uint64)
    launch(_narrow, workers, slots(0), wide, out.view(np.uint32), largest)
    return out, int(largest.max())


@parallel
def _narrow(t: Any, shared: Any, wide: Any, narrow: Any, largest: Any) -> None:
    """Copy a share of uint64 as uint32, and note the largest."""
    most = np.uint64(0)
    for e in share(t, largest.size, wide.size):
        most = max(most, wide[e])
        narrow[e] = np.uint32(wide[e])
    largest[t] = most
