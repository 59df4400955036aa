"""Which colors a vertex may not have: those forbidden to it, and those of its neighbors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device.compiled import njit

ONE = np.uint64(1)


def barred_colors(indptr: Any, indices: Any, colors: Any, offsets: Any, forbidden: Any, k: int) -> np.ndarray:
    """Bits: uint64, shape (n, ⌈k / 64⌉); those of colors from k on are set, too."""
    barred = np.zeros((len(colors), (k + 63) >> 6), np.uint64)
    _bar(indptr, indices, colors, offsets, forbidden, k, barred)
    return barred


@njit(cache=True, nogil=True)
def _bar(indptr: Any, indices: Any, colors: Any, offsets: Any, forbidden: Any, k: Any, barred: Any) -> None:
    """Set the bits of `barred_colors`."""
    words = barred.shape[1]
    for v in range(colors.size):
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


def without_colors(indptr: Any, indices: Any, colors: Any, fixed: Any, offsets: Any, forbidden: Any, k: int) -> int:
    """The first vertex without a color whose list and fixed neighbors bar all of 0 … k − 1; −1 where there is none."""
    return int(_without(indptr, indices, colors, fixed, offsets, forbidden, k, np.full(k, -1, np.int64)))


@njit(cache=True, nogil=True)
def _without(
    indptr: Any, indices: Any, colors: Any, fixed: Any, offsets: Any, forbidden: Any, k: Any, marks: Any
) -> Any:  # fmt: skip
    """`marks` is −1 at first."""
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
