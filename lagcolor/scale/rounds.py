"""The driver in rounds: all solve, all exchange, until a round in which nobody sent anything.

One function serves every transport that has rounds. `workers` are those of this process: all of them, a few that take
turns on one device, or one; `exchange` is the transport.

Termination. Let the crossing depth of a vertex be the most edges between partitions on a chain of ever earlier
neighbors that ends at it. By induction the vertices of a depth under r are final after round r. A vertex of the largest
depth d is no ghost of a later vertex of another partition, so that nothing is sent in round d + 1: there are at most
d + 1 rounds, whatever the colors to begin with, and after a round without messages each vertex has the least color that
no earlier neighbor has, which only the colors of sequential first-fit have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ..core.result import Log
from .messages import Message
from .worker import Worker


class Exchange(Protocol):
    """A transport with rounds, as the driver calls it; reliable, in whatever order messages come.

    All processes call it as often. Disk: in memory, as `in_place`. Several GPUs: sizes by an all-gather, then
    point-to-point copies of positions and colors. A scheduler: messages are what tasks of a round return, and
    what those of the next are given.
    """

    def __call__(self, outgoing: list[Message]) -> tuple[list[Message], int]:
        """Send messages; those for the workers of this process, and the number that all processes sent."""


def in_place(outgoing: list[Message]) -> tuple[list[Message], int]:
    """The exchange of a process that has all workers."""
    return outgoing, len(outgoing)


def rounds(workers: Mapping[int, Worker], exchange: Exchange, log: Log, in_turn: bool = False) -> None:
    """Let workers solve and exchange until nothing changes.

    Parameters
    ----------
    workers : mapping from rank to Worker
        Of this process, in the order of their turns.
    exchange : Exchange
    log : Log
        Gets the rounds, and in its notes ``messages`` and ``bytes`` that this process sent; as trace per round: active
        (colors computed), colored (colors sent), messages, bytes.
    in_turn : bool
        What one worker sends another of this process is there when that one has its turn, in the same round: where
        partitions are read one after the other. Fewer rounds; one, and one without work, where each partition comes
        after those that it depends on.
    """
    messages = sent = 0
    while True:
        outgoing: list[Message] = []
        visited = sum(w.visited for w in workers.values())
        round_messages = round_bytes = colors = 0
        for worker in workers.values():
            composed = worker.work()
            worker.forget(composed)
            round_messages += len(composed)
            round_bytes += sum(m.nbytes for m in composed)
            colors += sum(len(m.colors) for m in composed)
            here = [m for m in composed if in_turn and m.receiver in workers]
            for m in here:
                workers[m.receiver].accept(m)
            outgoing += composed if not here else [m for m in composed if m.receiver not in workers]
        incoming, everywhere = exchange(outgoing)
        for m in incoming:
            workers[m.receiver].accept(m)
        messages, sent = messages + round_messages, sent + round_bytes
        visited = sum(w.visited for w in workers.values()) - visited
        log.round(active=visited, colored=colors, messages=round_messages, bytes=round_bytes)
        if everywhere == 0 and not any(w.has_work for w in workers.values()):
            break
    log.notes["messages"], log.notes["bytes"] = messages, sent
