"""Which colors a vertex may not have: those forbidden to it, and those of its neighbors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device.compiled import njit

ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def barred_colors(indptr: Any, indices: Any, colors: Any, offsets: Any, forbidden: Any, k: Any) -> Any:
    """Bits: uint64, shape (n, ⌈k / 64⌉); those of colors from k on are set, too."""
    n, words = colors.size, (k + 63) >> 6
    barred = np.zeros((n, words), np.uint64)
    for v in range(n):
        for over in range(k, words << 6):
            barred[v, over >> 6] |= ONE << np.uint64(over & 63)
        for e in range(indptr[v], indptr[v + 1]):
            c = np.int64(colors[indices[e]])
            if 0 <= c < k:
                barred[v, c >> 6] |= ONE << np.uint64(c & 63)
        for j in range(offsets[v], offsets[v + 1]):
            c = np.int64(forbidden[j])
            if c < k:
                barred[v, c >> 6] |= ONE << np.uint64(c & 63)
    return barred


@njit(cache=True, nogil=True)
def without_colors(indptr: Any, indices: Any, colors: Any, fixed: Any, offsets: Any, forbidden: Any, k: Any) -> Any:
    """The first vertex without a color whose list and fixed neighbors bar all of 0 … k − 1; −1 where there is none."""
    marks = np.full(k, -1, np.int64)
    for v in range(colors.size):
        if colors[v] >= 0:
            continue
        count = 0
        for e in range(indptr[v], indptr[v + 1]):
            c = fixed[indices[e]]
            if 0 <= c < k and marks[c] != v:
                marks[c] = v
                count += 1
        for j in range(offsets[v], offsets[v + 1]):
            c = forbidden[j]
            if c < k and marks[c] != v:
                marks[c] = v
                count += 1
        if count == k:
            return v
    return -1
