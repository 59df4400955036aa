"""Runs of 32 ids, which orders by degree keep together."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..base import device as dev

SOURCE = dev.Source(__file__)
RUN = 32  # ids that stay together
BITS = ((4, 2), (16, 4), (64, 5))  # under this degree, number of bits of the hash
MOST_BITS = 8
NTH = np.array([int(f"{i:05b}"[::-1], 2) for i in range(RUN)], np.int32)  # bits reversed; its own inverse


@functools.cache
def bits(degrees: int) -> np.ndarray:
    """How many bits of hash distinguish vertices of each degree under `degrees`, int64."""
    out = np.full(degrees, MOST_BITS)
    for under, b in reversed(BITS):
        out[:under] = b
    return out


def by_run(xp: Any, n: int, numbers: Any = None) -> Any:
    """All ids, int32: runs of these numbers, one after another, within each ids by their bits reversed."""
    runs = -(-n // RUN)
    if numbers is None:
        numbers = xp.arange(runs, dtype=np.int32)
    if xp is not np and not dev.is_rocm():
        return _by_run_there(xp, n, numbers)
    ids = (numbers[:, None] * np.int32(RUN) + xp.asarray(NTH)).ravel()
    return ids if n % RUN == 0 else ids[ids < n]


def _by_run_there(cp: Any, n: int, numbers: Any) -> Any:
    """The same on a GPU."""
    ids, place, runs = cp.empty(n, np.int32), cp.empty(1, np.int32), len(numbers)
    if n:
        run = SOURCE.of()
        run.launch("find_last", runs, numbers, np.int32(runs), place)
        run.launch("ids_of_runs", runs * RUN, numbers, np.int32(runs), np.int32(n), place, ids)
    return ids
