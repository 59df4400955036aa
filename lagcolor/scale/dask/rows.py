"""Rows of partitions, where they lie; and the order, which follows from their lengths."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ...io.folder import Folder
from ..keys import BY_DEGREE, GlobalOrder
from ..local import Shard
from .files import Reading, load, mapped
from .run import Run


@lru_cache(maxsize=4)
def rows_of(run: Run) -> Rows | FolderRows:
    """Those of a run, opened once per process."""
    plan = run.plan()
    return Rows(run, plan.bounds) if plan.graph is None else FolderRows(plan.graph, plan.bounds)


def order_of(run: Run) -> GlobalOrder:
    """The order of a run, as keys of ids."""
    plan = run.plan()
    values: Any = None
    if plan.order == "user":
        values = mapped(run.path / "order.npy")
    elif plan.order in BY_DEGREE:
        values = Degrees(rows_of(run))
    return GlobalOrder(plan.order, plan.seed, values)


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
        bounds = self.rows.bounds
        owner = np.searchsorted(bounds[1:-1], ids, side="right")
        found = np.empty(len(ids), np.int64)
        for part in np.unique(owner).tolist():
            mine = owner == part
            found[mine] = self.rows.degrees(part, ids[mine] - bounds[part])
        return found
