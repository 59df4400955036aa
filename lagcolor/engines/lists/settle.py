"""Vertices move to the least color allowed to them until none can: no gap is left that rules do not cause.

Progress: each move lowers the sum of the colors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device.compiled import njit

ONE32 = np.uint32(1)


def settle(
    indptr: np.ndarray, indices: np.ndarray, colors: np.ndarray, fixed: np.ndarray, offsets: np.ndarray,
    forbidden: np.ndarray, weights: np.ndarray, room: np.ndarray,
) -> None:  # fmt: skip
    """The same colors, lower where that is allowed; `fixed` is a mask."""
    _settle(indptr, indices, colors, fixed, offsets, forbidden, weights, room, np.full(len(room), -1, np.int64))


@njit(cache=True, nogil=True)
def _settle(
    indptr: Any, indices: Any, colors: Any, fixed: Any, offsets: Any, forbidden: Any, weights: Any, room: Any,
    marks: Any,
) -> None:  # fmt: skip
    """`marks`, −1 at first, has the number of the vertex that bars a color."""
    k, mark = room.size, 0
    moved = True
    while moved:
        moved = False
        for v in range(np.uint32(colors.size)):
            if fixed[v] or colors[v] <= 0:
                continue
            mark += 1
            for e in range(indptr[v], indptr[v + ONE32]):
                c = colors[indices[e]]
                if 0 <= c < k:
                    marks[c] = mark
            for j in range(offsets[v], offsets[v + ONE32]):
                if forbidden[j] < k:
                    marks[forbidden[j]] = mark
            for c in range(colors[v]):
                if marks[c] != mark and room[c] >= weights[v]:
                    room[colors[v]] += weights[v]
                    room[c] -= weights[v]
                    colors[v] = c
                    moved = True
                    break
