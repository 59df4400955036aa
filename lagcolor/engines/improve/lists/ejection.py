"""Ejection with lists and capacities: rounds of `ejections_cpu.py` that obey the rules of `task.py`.

Rounds continue from a partial coloring until no vertex is listed or a limit of entries read is reached. The result is
the first coloring with the fewest uncolored vertices. `lower` then closes gaps between its colors.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....base.device.compiled import njit
from ....base.log import before
from ..ejections_cpu import ENDLESS, FEWEST, HERE, HOPELESS, WORK, begin, colors_of, save
from ..limits import PAUSED, SAVED, Limits
from ..task import EjectionTask, link_all
from . import Instance

ONE32 = np.uint32(1)
SLICE = 1 << 19  # entries that a compiled call reads


class Ejection:
    """A search from a partial coloring that obeys the rules, in slices for Ctrl-C. `tight`: check capacities."""

    def __init__(self, instance: Instance, colors: np.ndarray, tight: bool, seed: int) -> None:
        n, k = len(colors), len(instance.spare)
        waiting = np.flatnonzero(colors < 0)
        classes = (np.full(size if tight else 0, -1, np.int32) for size in (n, n, k, k))
        self.task = EjectionTask(instance, tight, bool(instance.fixed.any()), colors.copy(), np.empty(k + 2), *classes)
        link_all(self.task, colors)
        self.instance, self.seed = instance, seed & 0xFFFFFFFF
        self.arrays = begin(instance[:2], np.minimum(colors, k), k, 1, self.task)  # fixed colors may be k or more
        self.arrays.lists[0, : len(waiting)] = waiting
        self.arrays.at[HERE] = self.arrays.at[FEWEST] = len(waiting)
        self.status = PAUSED if k and len(waiting) else SAVED

    @property
    def read(self) -> int:
        """Number of entries read so far, plus other work."""
        return int(self.arrays.at[WORK])

    @property
    def colors(self) -> np.ndarray:
        """The present colors."""
        return np.where(self.instance.fixed, self.task.best, colors_of(self.arrays.state, self.arrays.half))

    def run(self, reads: int, until: float = -math.inf, latest: float = math.inf) -> np.ndarray:
        """Return the colors with the fewest −1 after `reads` entries or at `until`, the later one, but by `latest`."""
        k, endless = len(self.instance.spare), Limits(ENDLESS, ENDLESS, ENDLESS, ENDLESS, 0)
        # Each turn does at least one round.
        while self.status == PAUSED and (before(until) or self.read < reads) and before(latest):
            end = self.read + SLICE
            pause = min(end, reads) if self.read < reads else end
            self.status = save(self.arrays, k, self.seed, endless, pause)
        at = self.arrays.at
        return self.colors if at[HERE] + at[HOPELESS] < at[FEWEST] else self.task.best


def lower(instance: Instance, colors: np.ndarray) -> None:
    """Move vertices to lower colors until none can move, so that only rules cause gaps between the colors."""
    _lower(instance, colors, np.full(len(instance.spare), -1, np.int64))


@njit(cache=True, nogil=True)
def _lower(instance: Any, colors: Any, marks: Any) -> None:
    """Do `lower`. Progress: each move lowers the sum of the colors. `marks`: last visit that bars a color, or −1."""
    indptr, indices, fixed, offsets, forbidden, weights, spare = instance
    k, mark = spare.size, 0
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
                if marks[c] != mark and spare[c] >= weights[v]:
                    spare[colors[v]] += weights[v]
                    spare[c] -= weights[v]
                    colors[v] = c
                    moved = True
                    break
