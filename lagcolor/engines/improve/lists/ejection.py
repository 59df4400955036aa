"""Ejection with lists and capacities, rounds of `ejections_cpu.py` that keep the rules of `task.py`, and lower colors.

Rounds go on from a partial coloring, until no vertex waits or as many entries are read as may be. The result is the
first coloring with the fewest vertices without a color. `lower` then closes gaps between its colors.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....base.device.compiled import njit
from ....base.log import before
from ..ejections_cpu import ENDLESS, FEWEST, HERE, HOPELESS, WORK, begin, public, save
from ..limits import PAUSED, SAVED, Limits
from ..task import EjectionTask, link_all
from . import Instance

ONE32 = np.uint32(1)
SLICE = 1 << 19  # entries that a compiled call reads


class Ejection:
    """A search from a partial coloring that keeps the rules, in slices for Ctrl-C; with `tight` capacities count."""

    def __init__(self, instance: Instance, colors: np.ndarray, tight: bool, seed: int) -> None:
        n, k = len(colors), len(instance.room)
        waiting = np.flatnonzero(colors < 0)
        classes = (np.full(size if tight else 0, -1, np.int32) for size in (n, n, k, k))
        self.task = EjectionTask(instance, tight, bool(instance.fixed.any()), colors.copy(), np.empty(k + 2), *classes)
        link_all(self.task, colors)
        self.instance, self.seed = instance, seed & 0xFFFFFFFF
        self.walk = begin(instance[:2], np.minimum(colors, k), k, 1, self.task)  # fixed colors may be k or more
        self.walk.lists[0, : len(waiting)] = waiting
        self.walk.at[HERE] = self.walk.at[FEWEST] = len(waiting)
        self.status = PAUSED if k and len(waiting) else SAVED

    @property
    def read(self) -> int:
        """Entries read so far, and other work."""
        return int(self.walk.at[WORK])

    @property
    def colors(self) -> np.ndarray:
        """The present colors."""
        return np.where(self.instance.fixed, self.task.best, public(self.walk.state, self.walk.half))

    def run(self, reads: int, until: float = -math.inf, latest: float = math.inf) -> np.ndarray:
        """The colors with the fewest −1 after reading `reads` entries, at `until` if that is later, or at `latest`."""
        k, endless = len(self.instance.room), Limits(ENDLESS, ENDLESS, ENDLESS, ENDLESS, 0)
        # Each turn has a round at least.
        while self.status == PAUSED and (before(until) or self.read < reads) and before(latest):
            end = self.read + SLICE
            pause = min(end, reads) if self.read < reads else end
            self.status = save(self.walk, k, self.seed, endless, pause)
        walk = self.walk.at
        return self.colors if walk[HERE] + walk[HOPELESS] < walk[FEWEST] else self.task.best


def lower(instance: Instance, colors: np.ndarray) -> None:
    """Move vertices to the least color allowed until none can: no gap is left that rules do not cause."""
    _lower(instance, colors, np.full(len(instance.room), -1, np.int64))


@njit(cache=True, nogil=True)
def _lower(instance: Any, colors: Any, marks: Any) -> None:
    """Each move lowers the sum of the colors. `marks`, −1 at first, has the number of the vertex that bars a color."""
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
