"""When is everybody finished, without rounds, over messages that may be delayed, doubled or lost?

Workers acknowledge what they accept, and send again what is not acknowledged. A worker is *quiet* if it has nothing to
do and all that it sent has been accepted. A coordinator asks one after the other, in waves; each answers whether it is
quiet, with its stamp (`Worker.stamp`), which changes with everything that it does. If in two waves, one after the
other, all were quiet with the same stamps, then each was quiet from its first answer to its second, so that between the
waves all were at one time. At that time nobody has work and every message has been accepted: those still under way are
copies of accepted ones, which change nothing. So nobody will ever have work again, and the colors are final. A worker
that is lost and started again has another stamp, and is not quiet before the others have answered it.

A worker that is lost after its second answer is no problem, for the answer has its colors.

After Mattern 1987, "Algorithms for distributed termination detection", whose four counters also compare two waves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .worker import Worker


class Report(NamedTuple):
    """An answer of a worker: whether it is quiet, its stamp, and if quiet its own colors."""

    rank: int
    quiet: bool
    stamp: tuple[int, int]
    colors: np.ndarray | None

    @classmethod
    def of(cls, worker: Worker) -> Report:
        """That of a worker now."""
        quiet = worker.quiet
        return cls(worker.rank, quiet, worker.stamp, worker.solver.own_colors.copy() if quiet else None)


class Waves:
    """What the coordinator knows.

    Parameters
    ----------
    parts : int

    Attributes
    ----------
    turn : int
        Who is asked next.
    waves : int
        Waves begun so far.
    """

    __slots__ = ("_before", "_now", "parts", "turn", "waves")

    def __init__(self, parts: int) -> None:
        self.parts, self.turn, self.waves = parts, 0, 1
        self._before: list[Report] = []
        self._now: list[Report] = []

    def hear(self, report: Report) -> list[np.ndarray] | None:
        """Take the answer of the one whose turn it was; if that shows the end, the colors of all partitions."""
        self._now.append(report)
        if not report.quiet:  # the wave fails
            self._restart([])
            return None
        if len(self._now) < self.parts:
            self.turn += 1
            return None
        if [r.stamp for r in self._now] == [r.stamp for r in self._before]:
            return [r.colors for r in self._now if r.colors is not None]
        self._restart(self._now)
        return None

    def _restart(self, before: list[Report]) -> None:
        self._before, self._now, self.turn = before, [], 0
        self.waves += 1
