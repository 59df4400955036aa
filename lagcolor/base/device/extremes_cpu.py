"""The least and the largest number of each thread's share of an array, on CPU threads."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import read_only
from .parallel import launch, parallel, share, slots


def spans(x: np.ndarray, workers: int) -> np.ndarray:
    """Return the least and the largest number of each share, shape (workers, 2)."""
    found = np.empty((workers, 2), x.dtype)
    launch(find_span, workers, slots(0), read_only(x), found)
    return found


@parallel
def find_span(t: Any, shared: Any, x: Any, found: Any) -> None:
    """Find the least and the largest number of a thread's share, which is not empty."""
    own = share(t, len(found), x.size)
    least = most = x[own.start]
    for i in own:
        least, most = min(least, x[i]), max(most, x[i])
    found[t, 0], found[t, 1] = least, most
