"""The partitions of a graph folder: how many, which ranges of ids, whether their rows are sound."""

from __future__ import annotations

import os

import numpy as np

from ...base.errors import FormatError, OptionError
from ...io.folder import Folder
from .cluster import Cluster, Worker
from .sweep import RowRange, RunFiles, check_rows

PER_VERTEX = 20  # bytes that a task takes per vertex of the graph: order, colors before and after, what has changed
ROW, ENTRY = 20, 4  # bytes per row of a partition, and per entry
TIMES = 3  # that a task has the rows of a partition: as they are mapped and filtered, and as many of the core


def count(workers: list[Worker], folder: Folder, parts: int | None) -> int:
    """The number of partitions that the memory of each worker is enough for."""
    least = min(workers, key=lambda worker: worker.room)
    largest = max((int(np.diff(folder.indptr[a : b + 1]).max()) for a, b in folder.blocks()), default=0)
    fixed = PER_VERTEX * folder.n + TIMES * ENTRY * largest
    room = least.room - fixed
    if room <= 0:
        raise OptionError(
            f"a task takes {_mb(fixed)} for {folder.n:,} vertices, and a worker has {_mb(max(least.room, 0))} per "
            f"thread, of {_mb(least.limit)}: give workers more memory, or fewer threads"
        )
    most = max(folder.n, 1)
    wanted = -(-TIMES * (ENTRY * folder.entries + ROW * folder.n) // room)
    if parts is None:
        return min(max(sum(worker.threads for worker in workers), int(wanted)), most)
    if parts < wanted:
        raise OptionError(
            f"rows in {parts} partition{'s' * (parts != 1)} are too large for the {_mb(room)} that a worker has for "
            f"them per thread: pass parts={wanted} or more, or give workers more memory"
        )
    return min(parts, most)


def core_limit(workers: list[Worker]) -> int:
    """Bytes of the folder that tasks may map for the core, of rows that lie anywhere in it."""
    return min(worker.room for worker in workers) // 2


def _mb(nbytes: float) -> str:
    """Bytes in a message, as Dask writes them."""
    return f"{int(-(-nbytes // 2**20))} MiB"


def bounds(folder: Folder, parts: int) -> np.ndarray:
    """Of ranges of rows with about equally many entries and vertices together, by bisection in the file."""
    n, indptr = folder.n, folder.indptr
    aims = (folder.entries + n) * np.arange(1, parts) // parts
    low, high = np.zeros(parts - 1, np.int64), np.full(parts - 1, n, np.int64)
    while (low < high).any():  # each range halves
        middle = (low + high) // 2
        less = indptr[middle] + middle < aims
        low, high = np.where(less, middle + 1, low), np.where(less, high, middle)
    return np.concatenate([[0], low, [n]]).astype(np.int64)


def check(cluster: Cluster, folder: Folder, run: RunFiles, bounds: np.ndarray) -> list[RowRange]:
    """The partitions, with rows that are sound."""
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


def concerns(part: RowRange, changed: np.ndarray) -> bool:
    """Whether vertices have changed that neighbors of a partition may be, but for its own."""
    around = np.searchsorted(changed, [part.first, part.last + 1])
    own = np.searchsorted(changed, [part.low, part.high])
    return bool(np.diff(around)[0] > np.diff(own)[0])
