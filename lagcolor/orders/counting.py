"""Counting sort of vertices, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.device.compiled import njit

ZERO, ONE = np.uint64(0), np.uint64(1)


def counting_sort(key: np.ndarray, top: int, ids: np.ndarray | None) -> np.ndarray:
    """Ids by decreasing key, stable; int32."""
    out = np.empty(len(key), np.int32)
    sort_into(key, ids, np.zeros(top + 1, np.uint64), out)
    return out


@njit(cache=True, nogil=True)
def sort_into(key: Any, ids: Any, at: Any, out: Any) -> None:
    """Write ids by decreasing key to `out`; `at` is a table of top + 1 zeros."""
    n = np.uint64(key.size)
    for k in key:
        at[k] += ONE
    total = ZERO
    for k in range(at.size - 1, -1, -1):
        count = at[k]
        at[k] = total
        total += count
    for i in range(n):
        v = np.uint32(i) if ids is None else ids[i]
        k = key[v]
        out[at[k]] = v
        at[k] += ONE
