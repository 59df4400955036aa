"""Ejection with lists and capacities: rounds of `ejections_cpu.py` that keep the rules of `task.py`.

They go on from a partial coloring, until no vertex waits or as many entries are read as may be. The coloring kept is
the first with the fewest vertices without a color.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....base.log import before
from ..ejections_cpu import ENDLESS, FEWEST, HERE, HOPELESS, WORK, begin, public, save
from ..limits import PAUSED, SAVED, Limits
from ..task import EjectionTask, link_all
from . import Instance

SLICE = 1 << 19  # entries that a compiled call reads


class Ejection:
    """A search, in compiled calls of some milliseconds each, so that Ctrl-C is noticed between them.

    `colors` is a partial coloring that keeps the rules. With `tight` capacities count.
    """

    instance: Instance
    task: EjectionTask
    walk: Any
    seed: int
    status: int

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
        """The best colors, −1 for the fewest without one, after reading `reads` entries or a few more.

        Where the moment `until` is later, it goes on until then; the moment `latest` ends it.
        """
        k, endless = len(self.instance.room), Limits(ENDLESS, ENDLESS, ENDLESS, ENDLESS, 0)
        # Each turn has a round at least.
        while self.status == PAUSED and (before(until) or self.read < reads) and before(latest):
            end = self.read + SLICE
            pause = min(end, reads) if self.read < reads else end
            self.status = save(self.walk, k, self.seed, endless, pause)
        walk = self.walk.at
        return self.colors if walk[HERE] + walk[HOPELESS] < walk[FEWEST] else self.task.best
