"""A partition with its messages: the same for each transport, with or without faults.

In rounds over a reliable transport `work` and `accept` are all that is used. Where messages may be lost, those that are
not acknowledged are sent again. A worker that was lost is started anew from its shard, with the colors of a checkpoint
or with none, and a higher `start`: its first messages carry all of its boundary and ask for all of its ghosts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .. import device as dev
from ..core.task import NONE
from .local import Partition
from .messages import STARTS, Acknowledgement, Message
from .solve import Solver


class Worker:
    """One partition at work.

    Parameters
    ----------
    part : Partition
    core : pair of arrays, optional
        Ids and colors of the core; they count as sent.
    known : array of int32, shape (own + ghosts,), optional
        Colors to begin with that all partitions know of each other (of the vertices of a coloring before, say).
    checkpoint : array of int32, shape (own,), optional
        Own colors to begin with after a restart.
    start : int
        How often the partition was started before.

    Attributes
    ----------
    solver : Solver
    start : int
    visited : int
        Colors computed so far.
    steps : int
        How often it solved.
    unacknowledged : dict from (receiver, number) to Message
        Empty where nobody acknowledges: see `forget`.
    """

    __slots__ = ("_activity", "_asked", "_fresh", "_number", "_numbers", "_published", "solver", "start", "steps",
                 "unacknowledged", "visited")  # fmt: skip

    def __init__(
        self, part: Partition, core: Any = None, known: Any = None, checkpoint: Any = None, start: int = 0
    ) -> None:
        colors = known
        if checkpoint is not None:
            colors = np.full(len(part.ids), NONE, np.int32)
            colors[: part.own] = checkpoint
        self.solver = Solver(part, colors, core)
        self.start, self.steps, self.visited = start, 0, 0
        self.unacknowledged: dict[tuple[int, int], Message] = {}
        self._number, self._activity = start * STARTS, 0
        self._numbers = np.full(part.boundary, -1, np.int64)  # with which a ghost's color came
        self._asked: dict[int, int] = {}
        self._fresh: dict[int, bool] = dict.fromkeys(part.sends.keys() | part.ghosts.keys(), True) if start else {}
        self._published = self.solver.colors[: part.own].copy()

    @property
    def rank(self) -> int:
        """The partition's number."""
        return self.solver.part.rank

    @property
    def has_work(self) -> bool:
        """Whether a color may be wrong, or all of a boundary is to be sent."""
        return not self.solver.settled or bool(self._fresh)

    @property
    def quiet(self) -> bool:
        """Whether there is nothing to do here, and all that was sent has been accepted."""
        return not self.has_work and not self.unacknowledged

    @property
    def stamp(self) -> tuple[int, int]:
        """Another one after each thing that it did: starts, and steps and accepted messages since the last."""
        return self.start, self._activity

    def work(self) -> list[Message]:
        """Solve, and compose what others need to know of it: a message per partition of which a ghost changed."""
        if not self.has_work:
            return []
        part = self.solver.part
        self._activity += 1
        self.steps += 1
        self.visited += self.solver.solve()
        composed = []
        with dev.using(part.H.indices):
            fresh, self._fresh = self._fresh, {}
            changed = self.solver.colors[: part.own] != self._published
            for q in sorted(part.sends.keys() | fresh.keys()):
                composed += self._to(q, changed, q in fresh, fresh.get(q, False))
            self._published[changed] = self.solver.colors[: part.own][changed]
        self.unacknowledged.update({(m.receiver, m.number): m for m in composed})
        return composed

    def _to(self, q: int, changed: Any, everything: bool, asks: bool) -> list[Message]:
        """What is sent to q: what changed, or where that is most of its list, or `everything`, all of the list."""
        part = self.solver.part
        listed = part.sends.get(q, part.sequence[:0])
        positions = None if everything else part.H.xp.flatnonzero(changed[listed]).astype(np.int32)
        if positions is not None and not len(positions):
            return []
        if positions is not None and 2 * len(positions) >= len(listed):
            positions = None
        chosen = listed if positions is None else listed[positions]
        self._number += 1
        return [Message(self.rank, q, self._number, positions, self.solver.colors[chosen], asks)]

    def boundary(self) -> list[Message]:
        """All that others need to know of it, whether they know it or not: a message per partition."""
        return [m for q in sorted(self.solver.part.sends) for m in self._to(q, None, True, False)]

    def accept(self, message: Message) -> Acknowledgement:
        """Take the colors of a message, those that are newer than what is known."""
        part = self.solver.part
        with dev.using(part.H.indices):
            ghosts = part.ghosts.get(message.sender, slice(part.own, part.own))
            at = np.arange(ghosts.start, ghosts.stop, dtype=np.int32)
            if message.positions is not None:
                at = at[dev.to_device(message.positions, "cpu")]
            newer = self._numbers[at - part.own] < message.number
            if newer.any():
                self._activity += 1
                self._numbers[at[newer] - part.own] = message.number
                xp = part.H.xp
                self.solver.accept(xp.asarray(at[newer]), xp.asarray(message.colors)[xp.asarray(newer)])
        if message.asks and self._asked.get(message.sender, -1) < message.number:
            self._asked[message.sender] = message.number
            self._activity += 1
            self._answer(message.sender)
        return Acknowledgement(self.rank, message.sender, message.number)

    def _answer(self, q: int) -> None:
        """Send all of its boundary to a partition that was restarted, in place of what it may not have accepted."""
        asks = self._fresh.get(q, False)
        for key in [key for key in self.unacknowledged if key[0] == q]:
            asks |= self.unacknowledged.pop(key).asks
        self._fresh[q] = asks

    def acknowledged(self, answer: Acknowledgement) -> None:
        """Forget a message that has been accepted."""
        self.unacknowledged.pop((answer.sender, answer.number), None)

    def forget(self, messages: Iterable[Message]) -> None:
        """Messages that a reliable transport has taken, and that nobody will acknowledge."""
        for message in messages:
            self.unacknowledged.pop((message.receiver, message.number), None)
