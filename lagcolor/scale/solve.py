"""One partition made right for the colors of its ghosts, as far as these are known.

The state is one array of colors, own vertices and ghosts, from any colors on. Of the own vertices those are listed that
may be wrong; every other has the least color that no earlier vertex around it has. A ghost that goes from color a to b
lists those later vertices around it that have b, or a color over a, and no others: a color under a stays taken by the
vertices that took it, and is not b. `Solver.solve` colors what is listed, and what follows from it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import device as dev
from ..core.task import NONE, Task
from ..engines.changes.settle import BY_PLACE, Turns, settle
from ..engines.greedy.tasks import first_fit_task
from .expand import neighbors
from .local import Partition


class Solver:
    """Colors of one partition.

    Parameters
    ----------
    part : Partition
        On the device where it is colored.
    colors : array of int32, shape (own + ghosts,), optional
        To begin with, any at all; −1 for none. Default: none.
    core : pair of arrays, optional
        Global ids and final colors of vertices that come before all others in the order.

    Attributes
    ----------
    part : Partition
    colors : array of int32, shape (own + ghosts,)
    """

    __slots__ = ("_all", "_listed", "_sequence", "_turns", "colors", "part")

    def __init__(self, part: Partition, colors: Any = None, core: tuple[np.ndarray, np.ndarray] | None = None) -> None:
        xp = part.H.xp
        self.part = part
        self._turns = Turns(BY_PLACE, np.uint32(0), part.place)
        self._listed: list[Any] = []
        self._all = part.own > 0
        self._sequence = part.sequence
        with dev.using(part.H.indices):
            self.colors = xp.full(len(part.ids), NONE, np.int32)
            if colors is not None:
                self.colors[:] = xp.asarray(colors)
            if core is not None:
                self._fix(*core)

    def _fix(self, ids: np.ndarray, final: np.ndarray) -> None:
        """Take the colors of the core, whose vertices are never listed: what they depend on is final."""
        xp, here = self.part.H.xp, self.part.local(ids)
        self.colors[xp.asarray(here[here >= 0])] = xp.asarray(final[here >= 0])
        # The core is the beginning of the order, also among the vertices of a partition.
        self._sequence = self.part.sequence[int(np.count_nonzero((here >= 0) & (here < self.part.own))) :]
        self._all = len(self._sequence) > 0

    @property
    def settled(self) -> bool:
        """Whether every own vertex has the right color for the ghosts as they are known."""
        return not self._all and not self._listed

    @property
    def own_colors(self) -> np.ndarray:
        """Colors of the own vertices, by id: int32, on the CPU."""
        return dev.to_device(self.colors[: self.part.own], "cpu")

    def solve(self) -> int:
        """Make all own vertices right for the ghosts as they are known; how many colors were computed."""
        part, H = self.part, self.part.H
        with dev.using(H.indices):
            begin, self._listed = self._listed, []
            whole, self._all = self._all, False
            if whole and H.hops == 1:  # ghosts here are earlier than all around them, so they may be fixed
                first_fit_task(H, Task(self._sequence, self.colors), threads=None, in_place=True)
                return len(self._sequence)
            vertices = self._sequence if whole else H.xp.unique(H.xp.concatenate(begin)) if begin else None
            if vertices is None:
                return 0
            done = settle(H, self._turns, self.colors, vertices.astype(np.int32), free=part.own)
            assert done is not None
            return done[0]

    def accept(self, ghosts: Any, colors: Any) -> None:
        """Take new colors of some ghosts, each named once, and list the own vertices that they affect."""
        H, mine = self.part.H, self.colors
        with dev.using(H.indices):
            old = mine[ghosts]
            changed = old != colors
            ghosts, old, new = ghosts[changed], old[changed], colors[changed]
            if not len(ghosts):
                return
            mine[ghosts] = new
            if self._all:
                return
            index, other = neighbors(H, ghosts)
            its = mine[other]
            later = (other < self.part.own) & (self.part.place[other] > self.part.place[ghosts[index]])
            affected = later & ((its == new[index]) | ((its > old[index]) & (old[index] >= 0)) | (its < 0))
            if bool(affected.any()):
                self._listed.append(other[affected])
