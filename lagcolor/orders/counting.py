"""Counting sort of vertices, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..device.compiled import njit

ZERO, ONE = np.uint64(0), np.uint64(1)


@njit(cache=True, nogil=True)
def counting_sort(key: Any, top: Any, ids: Any) -> Any:
    """Ids by falling key, stable; int32.

    Parameters
    ----------
    key : array of uint32, shape (n,)
        0 … `top`.
    top : int
    ids : array of uint32, shape (n,), or None
        The order in which equal keys stay; None: 0 … n − 1.
    """
    n = np.uint64(key.size)
    at = np.zeros(top + 1, np.uint64)
    for k in key:
        at[k] += ONE
    total = ZERO
    for k in range(top, -1, -1):
        count = at[k]
        at[k] = total
        total += count
    out = np.empty(n, np.int32)
    for i in range(n):
        v = np.uint32(i) if ids is None else ids[i]
        k = key[v]
        out[at[k]] = v
        at[k] += ONE
    return out
