"""Compiled loops over the rows of a folder that check them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device.compiled import njit


@njit(cache=True, nogil=True)
def checked(offsets: Any, indices: Any, first: Any, n: Any, key: Any) -> Any:
    """A row and its entry that is not as it must be, or −1; and the sum of hashes of all entries.

    The sum over entries above the diagonal less that below, of hashes of (smaller, larger): 0 if and only if each has
    its mirror image, but for a chance of 2⁻⁶⁴, as no entry is there twice.
    """
    sums = np.uint64(0)
    for k in range(len(offsets) - 1):
        v, last = np.int64(first + k), np.int64(-1)
        for e in range(offsets[k], offsets[k + 1]):
            u = np.int64(indices[e])
            if u <= last or u >= n or u == v:
                return k, e - offsets[k], sums
            last = u
            h = np.uint64(min(u, v)) * np.uint64(0x9E3779B97F4A7C15) + key
            h = (h ^ (h >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
            h = (h ^ (h >> np.uint64(32))) + np.uint64(max(u, v))
            h = (h ^ (h >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
            h = (h ^ (h >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
            h ^= h >> np.uint64(32)
            sums = sums + h if u > v else sums - h
    return -1, 0, sums


@njit(cache=True, nogil=True)
def unmirrored(indptr: Any, indices: Any) -> Any:
    """An entry (row, column) without its mirror image, or −1, −1."""
    for v in range(len(indptr) - 1):
        for e in range(indptr[v], indptr[v + 1]):
            u = np.int64(indices[e])
            low, end = indptr[u], indptr[u + 1]
            while low < end:  # ends as the range halves
                middle = (low + end) // 2
                if indices[middle] < v:
                    low = middle + 1
                else:
                    end = middle
            if low == indptr[u + 1] or indices[low] != v:
                return v, u
    return np.int64(-1), np.int64(-1)
