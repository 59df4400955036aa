"""What tasks take, and how many partitions there must be so that each fits a worker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.errors import OptionError
from .cluster import USABLE, Worker

# Bytes that tasks take at most, as measured (docs/scaling.md), and a fifth more.
PER_EDGE = 130  # reading and sorting, per edge
PER_SORTED = 40  # merging, per sorted entry
PER_ENTRY = 130  # building a partition, per entry; most where nearly all neighbors are in other partitions
PER_VERTEX = 120  # and per vertex
PER_MEMBER = 190  # at distance 2, per entry of its rows and of those of neighbors
BUILDING, KEPT = 0.5, 0.4  # of the room: for what a task makes, and for what a worker keeps
LEAST_ROOM = 1 << 24  # bytes
LEAST_PIECE, MOST_PIECE = 1 << 12, 1 << 24  # edges


@dataclass(frozen=True)
class Memory:
    """What there is for a task.

    Attributes
    ----------
    room : int
        Bytes per thread, of the worker that has the least.
    limit, used : int
        Memory of that worker, and what of it is in use before the run.
    threads : int
        Of all workers.
    kept : int
        Bytes of partitions that a worker keeps between rounds.
    """

    room: int
    limit: int
    used: int
    threads: int
    kept: int

    @classmethod
    def of(cls, workers: list[Worker]) -> Memory:
        """That of workers."""
        least = min(workers, key=lambda w: (USABLE * w.limit - w.used) / w.threads)
        room = int((USABLE * least.limit - least.used) / least.threads)
        if room < LEAST_ROOM:
            wanted = (least.used + LEAST_ROOM * least.threads) / USABLE
            raise OptionError(
                f"a worker has {_mb(least.limit)} of memory, of which {_mb(least.used)} are in use before the run: "
                f"give workers memory_limit={_mb(wanted)!r} or more"
            )
        kept = int(KEPT * room * least.threads)
        return cls(room, least.limit, least.used, sum(w.threads for w in workers), kept)

    @property
    def piece(self) -> int:
        """Edges that a task sorts at once."""
        return int(min(max(BUILDING * self.room / PER_EDGE, LEAST_PIECE), MOST_PIECE))

    def parts(self, asked: int | None, entries: int, n: int) -> int:
        """How many partitions there are to be."""
        wanted = self.wanted(PER_ENTRY * entries + PER_VERTEX * n)
        if asked is None:
            return max(min(max(self.threads, wanted), n), 1)
        if PER_SORTED * entries > asked * BUILDING * self.room:
            raise OptionError(self._too_few(asked, entries // asked, wanted))
        return asked

    def wanted(self, nbytes: int) -> int:
        """Partitions that take so many bytes in all to build; with some to spare, as they are not quite alike."""
        return -(-nbytes * 5 // int(4 * BUILDING * self.room))

    def check(self, entries: list[int], own: list[int], largest: int) -> None:
        """Nothing, where each partition fits."""
        need = [PER_ENTRY * e + PER_VERTEX * k for e, k in zip(entries, own, strict=True)]
        if max(need) <= BUILDING * self.room:
            return
        k = int(np.argmax(need))
        if PER_ENTRY * largest > BUILDING * self.room:
            raise OptionError(
                f"a vertex has {largest:,} neighbors, whose partition takes {_mb(PER_ENTRY * largest)} to build, and a "
                f"worker has {_mb(BUILDING * self.room)} for that per thread: give workers more memory"
            )
        raise OptionError(self._too_few(len(entries), entries[k], max(self.wanted(sum(need)), len(entries) + 1)))

    def check_nets(self, entries: list[int], own: list[int]) -> None:
        """The same at distance 2, of the entries of the rows of each partition's vertices and of their neighbors."""
        need = [PER_MEMBER * e + PER_VERTEX * k for e, k in zip(entries, own, strict=True)]
        if max(need) > BUILDING * self.room:
            raise OptionError(
                f"at distance 2 one of {len(own)} partition{'s' * (len(own) != 1)} is built of {max(entries):,} "
                f"entries, with the rows of all neighbors, which takes {_mb(max(need))}, and a worker has "
                f"{_mb(BUILDING * self.room)} for that per thread: pass more parts, or give workers more memory"
            )

    def _too_few(self, parts: int, entries: int, wanted: int) -> str:
        return (
            f"of {parts} partition{'s' * (parts != 1)} one has {entries:,} entries and takes "
            f"{_mb(PER_ENTRY * entries)} to build, and a worker has {_mb(BUILDING * self.room)} for that per thread: "
            f"pass parts={wanted} or more, or give workers more memory"
        )


def _mb(nbytes: float) -> str:
    """Bytes in a message, as Dask writes them."""
    return f"{int(-(-nbytes // 2**20))} MiB"
