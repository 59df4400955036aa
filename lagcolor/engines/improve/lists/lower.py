"""Vertices move to the least color allowed to them until none can: no gap is left that rules do not cause.

Progress: each move lowers the sum of the colors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....base.device.compiled import njit
from . import Instance

ONE32 = np.uint32(1)


def lower(instance: Instance, colors: np.ndarray) -> None:
    """The same colors, lower where that is allowed."""
    _lower(instance, colors, np.full(len(instance.room), -1, np.int64))


@njit(cache=True, nogil=True)
def _lower(instance: Any, colors: Any, marks: Any) -> None:
    """`marks`, −1 at first, has the number of the vertex that bars a color."""
    indptr, indices, fixed, offsets, forbidden, weights, room = instance
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
