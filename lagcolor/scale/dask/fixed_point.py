"""The partitions of a graph folder, and the rounds of a run: sweeps of partitions until no color changes.

First-fit in a fixed order is the only solution of c(v) = mex of the colors of v's earlier neighbors. In a round each
partition is updated for the colors of the other partitions after the last round. When no change concerns another
partition, every equation holds, and the colors equal the colors of one CPU. Progress: the first vertex in the order
that changes in a round is final after it, as are all vertices before it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...base.errors import FormatError, OptionError
from ...base.log import Log
from ...io.files import atomic
from ...io.folder import Folder
from ...orders import Priorities
from .cluster import Cluster, Worker
from .sweep import RowRange, RunFiles, Step, build, check_rows, sweep

PAGE = 8192  # most bytes of a folder that a short row maps
PER_VERTEX = 20  # bytes of a task per vertex of the graph: order, colors before and after, flags of changes
ROW, ENTRY = 20, 4  # bytes per row of a partition, and per entry
TIMES = 3  # copies of the rows of a partition in a task: mapped rows, filtered rows, and equally many of the core


def count(workers: list[Worker], folder: Folder, parts: int | None) -> int:
    """Return the number of partitions, so that each fits in the memory of each worker."""
    least = min(workers, key=lambda worker: worker.available)
    largest = max((int(np.diff(folder.indptr[a : b + 1]).max()) for a, b in folder.blocks()), default=0)
    fixed = PER_VERTEX * folder.n + TIMES * ENTRY * largest
    rest = least.available - fixed
    if rest <= 0:
        raise OptionError(
            f"a task takes {_mb(fixed)} for {folder.n:,} vertices, and a worker has {_mb(max(least.available, 0))} per "
            f"thread, of {_mb(least.limit)}: give workers more memory, or fewer threads"
        )
    most = max(folder.n, 1)
    wanted = -(-TIMES * (ENTRY * folder.entries + ROW * folder.n) // rest)
    if parts is None:
        return min(max(sum(worker.threads for worker in workers), int(wanted)), most)
    if parts < wanted:
        raise OptionError(
            f"rows in {parts} partition{'s' * (parts != 1)} are too large for the {_mb(rest)} that a worker has for "
            f"them per thread: pass parts={wanted} or more, or give workers more memory"
        )
    return min(parts, most)


def core_limit(workers: list[Worker]) -> int:
    """Return the bytes of the folder that a task may map for the core, whose rows may be anywhere in it."""
    return min(worker.available for worker in workers) // 2


def _mb(nbytes: float) -> str:
    """Return bytes as text, in the format of Dask."""
    return f"{int(-(-nbytes // 2**20))} MiB"


def bounds(folder: Folder, parts: int) -> np.ndarray:
    """Return bounds of ranges of rows with about equal sums of entries and vertices, by bisection in the file."""
    n, indptr = folder.n, folder.indptr
    aims = (folder.entries + n) * np.arange(1, parts) // parts
    low, high = np.zeros(parts - 1, np.int64), np.full(parts - 1, n, np.int64)
    while (low < high).any():  # bisection: each range halves
        middle = (low + high) // 2
        less = indptr[middle] + middle < aims
        low, high = np.where(less, middle + 1, low), np.where(less, high, middle)
    return np.concatenate([[0], low, [n]]).astype(np.int64)


def check(cluster: Cluster, folder: Folder, run: RunFiles, bounds: np.ndarray) -> list[RowRange]:
    """Check the rows of all partitions, and return the partitions."""
    key = int.from_bytes(os.urandom(8), "little")
    ranges = zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
    found = cluster.each("checking", check_rows, {k: (run.graph, *low_high, key) for k, low_high in enumerate(ranges)})
    if sum(total for _, total in found.values()) % 2**64:
        raise FormatError(f"{folder.path}: an entry has no mirror image: Folder.check() of the folder names it")
    parts = [found[k][0] for k in range(len(found))]
    if run.hops == 1:
        return parts
    reach = []
    for part in parts:
        near = [q for q in parts if q.low <= part.last and q.high > part.first] or [part]
        reach.append(part._replace(first=min(q.first for q in near), last=max(q.last for q in near)))
    return reach


@dataclass
class ClusterRounds:
    """The rounds of a run."""

    cluster: Cluster
    run: RunFiles
    parts: list[RowRange]
    colors: np.ndarray  # int32, shape (n,): the current colors
    log: Log
    checkpoint: Path | None

    def color(self, p: Priorities, most: int) -> np.ndarray:
        """Run rounds until no color changes; tasks may map `most` bytes of the folder for the core."""
        place, core = self._write_order(p, most)
        self.cluster.build(build, {k: (self.run, part) for k, part in enumerate(self.parts)})
        active, begin, number = list(range(len(self.parts))), 0, 0
        while active:
            self.run.save(f"colors-{number}", self.colors)
            step = Step(number, number == 0, begin)
            changed = self._round(step, active)
            # Vertices before the first change in the order cannot change any more.
            begin = max(core, int(place[changed].min(initial=len(place))))
            self.run.remove(f"colors-{number - 1}")
            active = [k for k, part in enumerate(self.parts) if concerns(part, changed)]
            number += 1
        return self.colors

    def _write_order(self, p: Priorities, most: int) -> tuple[np.ndarray, int]:
        """Write the order; return the place of each vertex, and the number of vertices in the core."""
        n, sequence = len(self.colors), p.sequence
        place = np.empty(n, np.int32)
        place[sequence] = np.arange(n, dtype=np.int32)
        owner = np.searchsorted([part.low for part in self.parts[1:]], sequence, side="right").astype(np.int32)
        core = 0
        if self.run.hops == 1 and len(self.parts) > 1:
            cost = np.cumsum(np.diff(p.G.indptr)[sequence], dtype=np.int64)
            core = int(np.searchsorted(cost, p.G.m // len(self.parts)))
            core = core if p.G.indices.nbytes <= most else min(core, most // PAGE)
        for name, array in (("place", place), ("sequence", sequence[np.argsort(owner, kind="stable")]),
                            ("core", sequence[:core])):  # fmt: skip
            self.run.save(name, array)
        self.log.notes["core"] = core
        return place, core

    def _round(self, step: Step, active: list[int]) -> np.ndarray:
        """Sweep partitions, and return the vertices that have changed, ascending."""
        number = (self.log.notes["resumed"] or 0) + self.log.rounds + 1
        jobs = {k: (self.run, self.parts[k], step) for k in active}
        found = [swept for _, swept in sorted(self.cluster.sweep(f"round {number}", sweep, jobs).items())]
        changed = np.concatenate([np.zeros(0, np.int32), *(swept.vertices for swept in found)])
        self.colors[changed] = np.concatenate([np.zeros(0, np.int32), *(swept.colors for swept in found)])
        visited, nbytes = sum(swept.visited for swept in found), 8 * len(changed)
        self.log.round(active=visited, colored=len(changed), bytes=nbytes, partitions=len(active))
        self.log.notes["visited"] += visited
        self.log.notes["bytes"] += nbytes
        if self.checkpoint is not None:
            with atomic(self.checkpoint) as out:
                np.savez(out, colors=self.colors, round=number)
        return changed


def concerns(part: RowRange, changed: np.ndarray) -> bool:
    """Whether vertices of other partitions have changed that may be neighbors of a partition."""
    around = np.searchsorted(changed, [part.first, part.last + 1])
    own = np.searchsorted(changed, [part.low, part.high])
    return bool(np.diff(around)[0] > np.diff(own)[0])
