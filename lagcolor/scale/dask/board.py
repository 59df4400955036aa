"""Colors of boundaries on shared storage: what partitions sent in each round, and which of it counts.

A partition that was solved writes one file with a slice per receiver. Who was solved and what was sent is the *state*
after a round, which the client writes once the files are there. A partition that is to be solved in the next round
reads the state, and of each sender the slices that it has not read yet; one that knows nothing, as its worker was lost,
reads all of them. So that this stays a few, a partition whose messages are many sends all of its boundary again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from ... import device as dev
from ..messages import Message
from .files import Reading, load_record, save, save_record
from .run import Run

MANY = 16  # messages of a partition, after which it sends all of its boundary


@dataclass
class State:
    """What is known after a round.

    Attributes
    ----------
    round : int
        −1: before the first.
    active : list of int
        Partitions to be solved in the next round.
    sent : list of lists of int
        Of each partition the rounds whose messages count, rising.
    totals : dict
        Sums over rounds, and the rows of the trace.
    """

    round: int
    active: list[int]
    sent: list[list[int]]
    totals: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def first(cls, parts: int) -> State:
        """Before the first round."""
        return cls(-1, list(range(parts)), [[] for _ in range(parts)])

    def write(self, run: Run) -> None:
        """Once the messages are there."""
        save_record(run.state(self.round), asdict(self))

    def renews(self, part: int) -> bool:
        """Whether a partition sends all of its boundary the next time."""
        return len(self.sent[part]) >= MANY


@lru_cache(maxsize=4)
def state_after(run: Run, round: int) -> State:
    """As the client wrote it."""
    return State(**load_record(run.state(round)))


def write(run: Run, round: int, sender: int, messages: Sequence[Message], parts: int) -> int:
    """Write what a partition sends in a round; bytes."""
    sizes, whole, payload = np.zeros(parts, np.int64), np.zeros(parts, np.int64), [np.zeros(0, np.int32)]
    for m in sorted(messages, key=lambda m: m.receiver):
        arrays = [a for a in (m.positions, m.colors) if a is not None]
        payload += [dev.to_device(a, "cpu").astype(np.int32, copy=False) for a in arrays]
        sizes[m.receiver] = sum(len(a) for a in arrays)
        whole[m.receiver] = m.positions is None
    head = np.concatenate([np.concatenate([[0], np.cumsum(sizes)]), whole]).astype(np.int64)
    array = np.concatenate([head.view(np.int32), *payload])
    save(run.messages(round, sender), array)
    return array.nbytes


class Sent:
    """The messages that a partition sent in a round."""

    __slots__ = ("_ends", "_reading", "_whole", "round", "sender")

    def __init__(self, run: Run, round: int, sender: int, parts: int) -> None:
        self.round, self.sender = round, sender
        self._reading = Reading(run.messages(round, sender))
        head = self._reading.flat(0, 2 * (2 * parts + 1)).view(np.int64)
        self._ends, self._whole = head[: parts + 1], head[parts + 1 :]

    def to(self, receiver: int) -> Message | None:
        """That to another partition, if there is one."""
        begin = 2 * (len(self._ends) + len(self._whole))
        a, b = int(self._ends[receiver]), int(self._ends[receiver + 1])
        if a == b:
            return None
        data = self._reading.flat(begin + a, begin + b)
        half = 0 if self._whole[receiver] else len(data) // 2
        return Message(self.sender, receiver, self.round, data[:half] if half else None, data[half:])


def heard(run: Run, state: State, receiver: int, senders: Sequence[int], after: int) -> Iterator[Message]:
    """What others sent to a partition after a round, of each in the order of rounds."""
    parts = len(state.sent)
    for sender in senders:
        for round in state.sent[sender]:
            if round > after and (message := Sent(run, round, sender, parts).to(receiver)) is not None:
                yield message


def said(run: Run, state: State, sender: int, receivers: Sequence[int]) -> Iterator[Message]:
    """What a partition sent to others so far, in the order of rounds."""
    for round in state.sent[sender]:
        sent = Sent(run, round, sender, len(state.sent))
        for receiver in receivers:
            if (message := sent.to(receiver)) is not None:
                yield message
