"""The least and the largest of shares of an array, on CPU threads."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import read_only
from .compiled import njit
from .pool import launch, on_all
from .threads import slots


def spans(x: np.ndarray, workers: int) -> np.ndarray:
    """The least and the largest of each share."""
    found = np.empty((workers, 2), x.dtype)
    launch(find_span_on_all, workers, slots(0), read_only(x), found)
    return found


@njit(cache=True, nogil=True)
def find_span(t: Any, shared: Any, x: Any, found: Any) -> None:
    """The least and the largest of the share of a thread, which has numbers."""
    begin, end = np.uint64(x.size * t // len(found)), np.uint64(x.size * (t + 1) // len(found))
    least = most = x[begin]
    for i in range(begin, end):
        least, most = min(least, x[i]), max(most, x[i])
    found[t, 0], found[t, 1] = least, most


@njit(cache=True, nogil=True)
def find_span_on_all(team: Any, *args: Any) -> Any:
    """`find_span` on a team of pool.py."""
    return on_all(find_span, team, args)
