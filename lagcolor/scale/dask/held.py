"""Partitions that a worker process keeps between rounds: what saves building them anew, and may be lost any time.

A partition is built from its rows alone, and its colors follow from what is on the board (board.py). So nothing here is
ever sent or saved: a worker that was lost, or that needs its memory, has it made again.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np

from ... import device as dev
from ..keys import GlobalOrder
from ..local import Partition, Shard, build
from ..partition import ranges
from ..worker import Worker
from .board import State, heard, said
from .files import load
from .rows import order_of, shard_of
from .run import Run


@dataclass
class Held:
    """A partition, and where it is at work its worker.

    Attributes
    ----------
    part : Partition
    worker : Worker or None
    round : int
        The last one whose messages it knows.
    sent : int
        The last one in which it sent something; −1: in none.
    """

    part: Partition
    worker: Worker | None = None
    round: int = -1
    sent: int = -1

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays, about."""
        part = self.part
        arrays = [part.ids, *part.keys, part.place, part.sequence, *part.sends.values()]
        arrays += [a for P in part.H.patterns for a in (P.indptr, P.indices)]
        return sum(a.nbytes for a in arrays) + 16 * len(part.ids)  # colors, twice, and numbers of messages


class Cache:
    """Partitions of a process, the least recently used left out where they are too many."""

    def __init__(self) -> None:
        self._held: OrderedDict[tuple[str, int], Held] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, run: Run, part: int) -> Held | None:
        """One, for the caller alone."""
        with self._lock:
            return self._held.pop((run.name, part), None)

    def put(self, run: Run, part: int, held: Held, room: int) -> None:
        """Keep one, and others while all take no more than `room` bytes; those of other runs are left out first."""
        with self._lock:
            self._held[run.name, part] = held
            self._held.move_to_end((run.name, part))
            for key in [key for key in self._held if key[0] != run.name]:
                self._held.move_to_end(key, last=False)
            taken = sum(each.nbytes for each in self._held.values())
            while self._held and taken > room:
                taken -= self._held.popitem(last=False)[1].nbytes

    def forget(self, run: Run) -> None:
        """All of a run."""
        with self._lock:
            for key in [key for key in self._held if key[0] == run.name]:
                del self._held[key]


CACHE = Cache()


def partition(run: Run, part: int, device: str) -> Partition:
    """One, built from its rows."""
    plan = run.plan()
    return build(part, plan.parts, shard_of(run, part), plan.owner_of, order_of(run)).on(device)


def core_of(run: Run) -> tuple[np.ndarray, np.ndarray] | None:
    """Ids and colors of the core; None where there is none."""
    path = run.core("colors")
    if not path.exists():
        return None
    both = load(path)
    return both[0], both[1].astype(np.int32)


def up_to_date(run: Run, part: int, state: State, device: str) -> tuple[Held, Worker, bool]:
    """A partition that knows all messages of a state, its worker, and whether it had to be built.

    A worker that is kept here goes on, unless its partition has been solved elsewhere since: what it believes to have
    sent is then not what others have got.
    """
    last = state.sent[part][-1] if state.sent[part] else -1
    held, built = CACHE.take(run, part), False
    if held is None:
        held, built = Held(partition(run, part, device)), True
    worker = held.worker
    if worker is None or held.sent != last:
        worker = _anew(run, held.part, state)
    else:
        for message in heard(run, state, part, list(held.part.ghosts), held.round):
            worker.accept(message)
    return Held(held.part, worker, state.round, last), worker, built


def _anew(run: Run, part: Partition, state: State) -> Worker:
    """A worker that begins with what all have sent so far."""
    if state.round < 0:
        return Worker(part, core_of(run))
    known = np.full(len(part.ids), -1, np.int32)
    sends = {q: dev.to_device(a, "cpu") for q, a in part.sends.items()}
    for message in said(run, state, part.rank, list(sends)):
        to = sends[message.receiver]
        known[to if message.positions is None else to[message.positions]] = message.colors
    for message in heard(run, state, part.rank, list(part.ghosts), -1):
        ghosts = known[part.ghosts[message.sender]]
        ghosts[slice(None) if message.positions is None else message.positions] = message.colors
    return Worker(part, core_of(run), known)


def warm_up() -> None:
    """Load the code of a round, by a path of three vertices in two partitions."""
    shards = (((0,), (0, 1), (1,)), ((1, 2), (0, 2, 3), (0, 2, 1)))
    owner_of, order = ranges(np.array([0, 1, 3])), GlobalOrder("natural")
    first, second = (
        Worker(build(k, 2, Shard(*(np.array(a, np.int64) for a in own)), owner_of, order))
        for k, own in enumerate(shards)
    )
    second.work()
    for message in first.work():
        second.accept(message)
    second.work()
