"""Rows of partitions, where they lie; those of other partitions, at distance 2; and the order, by their lengths."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from ...io.folder import Folder
from ...orders import BY_DEGREE
from ..keys import GlobalOrder
from ..local import Shard, through_nets
from .files import Reading, load, mapped
from .run import Run


@lru_cache(maxsize=4)
def rows_of(run: Run) -> Rows | FolderRows:
    """Those of a run, opened once per process."""
    plan = run.plan()
    return Rows(run, plan.bounds) if plan.graph is None else FolderRows(plan.graph, plan.bounds)


def shard_of(run: Run, part: int) -> Shard:
    """What a partition is built of: its rows, and at distance 2 those of all neighbors of its vertices."""
    rows = rows_of(run)
    own = rows.shard(part)
    if run.plan().hops == 1:
        return own
    return through_nets(own.ids, own.indptr, own.indices, lambda ids: _rows(rows, ids), closed=True)


def around(run: Run, part: int) -> int:
    """Entries of the rows of a partition's vertices and neighbors: what it is built of at distance 2."""
    rows = rows_of(run)
    own = rows.shard(part)
    return int(Degrees(rows)[np.union1d(own.indices, own.ids)].sum())


def order_of(run: Run) -> GlobalOrder:
    """The order of a run, as keys of ids."""
    plan = run.plan()
    values: Any = None
    if plan.order == "user":
        values = mapped(run.path / "order.npy")
    elif plan.order in BY_DEGREE:
        values = Degrees(rows_of(run))
    return GlobalOrder(plan.order, plan.seed, values)


def _rows(rows: Rows | FolderRows, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of any vertices, rising: offsets and columns, int64."""
    found = [rows.some(part, ids[mine] - rows.bounds[part]) for part, mine in _owned(rows, ids)]
    lengths = np.concatenate([np.zeros(1, np.int64), *(lengths for lengths, _ in found)])
    return np.cumsum(lengths), np.concatenate([np.zeros(0, np.int64), *(columns for _, columns in found)])


def _owned(rows: Rows | FolderRows, ids: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Partitions that own some of these vertices, rising, and which of them."""
    owner = np.searchsorted(rows.bounds[1:-1], ids, side="right")
    for part in np.unique(owner).tolist():
        yield part, owner == part


def _entries(begin: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How many places there are from each beginning to its end, and all of them: int64."""
    lengths = (end - begin).astype(np.int64)
    return lengths, np.arange(int(lengths.sum())) + np.repeat(begin - (np.cumsum(lengths) - lengths), lengths)


class Rows:
    """The rows of partitions, as `merge` wrote them.

    Parameters
    ----------
    run : Run
    bounds : array of int64, shape (parts + 1,)
    """

    __slots__ = ("bounds", "run")

    def __init__(self, run: Run, bounds: np.ndarray) -> None:
        self.run, self.bounds = run, bounds

    def shard(self, part: int) -> Shard:
        """The rows of one."""
        ids = np.arange(self.bounds[part], self.bounds[part + 1])
        return Shard(ids, load(self.run.indptr(part)), load(self.run.indices(part)).astype(np.int64))

    def degrees(self, part: int, at: np.ndarray) -> np.ndarray:
        """Of vertices of a partition, counted from its first."""
        indptr = Reading(self.run.indptr(part)).map
        return np.asarray(indptr[at + 1] - indptr[at])

    def some(self, part: int, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lengths and columns of the rows of vertices of a partition, counted from its first."""
        indptr = Reading(self.run.indptr(part))
        lengths, places = _entries(indptr.at(at), indptr.at(at + 1))
        return lengths, Reading(self.run.indices(part)).at(places).astype(np.int64)


class FolderRows:
    """The rows of partitions in a graph folder.

    Parameters
    ----------
    path : str
    bounds : array of int64, shape (parts + 1,)

    Raises
    ------
    FormatError
        The folder is damaged.
    """

    __slots__ = ("bounds", "folder")

    def __init__(self, path: str, bounds: np.ndarray) -> None:
        self.folder, self.bounds = Folder.open(path), bounds

    def shard(self, part: int) -> Shard:
        """The rows of one."""
        low, high = int(self.bounds[part]), int(self.bounds[part + 1])
        indptr, indices = self.folder.rows(low, high)
        return Shard(np.arange(low, high), indptr, indices.astype(np.int64))

    def degrees(self, part: int, at: np.ndarray) -> np.ndarray:
        """Of vertices of a partition, counted from its first."""
        ids = at + int(self.bounds[part])
        return np.asarray(self.folder.indptr[ids + 1] - self.folder.indptr[ids])

    def some(self, part: int, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lengths and columns of the rows of vertices of a partition, counted from its first."""
        ids = at + int(self.bounds[part])
        lengths, places = _entries(np.asarray(self.folder.indptr[ids]), np.asarray(self.folder.indptr[ids + 1]))
        return lengths, self.folder.indices[places].astype(np.int64)


class Degrees:
    """Degrees of any vertices, read where they are: `values` of a `GlobalOrder`.

    Parameters
    ----------
    rows : Rows or FolderRows
    """

    __slots__ = ("rows",)

    def __init__(self, rows: Rows | FolderRows) -> None:
        self.rows = rows

    def __getitem__(self, ids: np.ndarray) -> np.ndarray:
        found = np.empty(len(ids), np.int64)
        for part, mine in _owned(self.rows, ids):
            found[mine] = self.rows.degrees(part, ids[mine] - self.rows.bounds[part])
        return found
