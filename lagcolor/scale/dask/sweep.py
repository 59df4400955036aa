"""The tasks of workers: partitions are built once, and a pass over the vertices of a partition runs in each round.

A partition is a range of ids. Dask keeps its rows on the worker that built it, on disk if memory is short, and rebuilds
it if the worker is lost. A sweep assigns to each vertex in order the least color that no earlier neighbor has.
Neighbors in other partitions have the colors of the last round. A vertex is skipped if none of its earlier neighbors
has changed since.

The files of a run are plain arrays of int32, written once by the client and mapped by workers:

=============  ====================================================================================
place          the place of each vertex in the order
sequence       the vertices of each partition in the order, partition after partition
core           the first vertices of the order
colors-k       colors before round k; only the files of the last two rounds exist
=============  ====================================================================================
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...base.device.bits import in_window
from ...base.device.compiled import inner, njit
from ...base.device.intrinsics import ctz64
from ...graph.pattern import unsigned
from ...io.folder import Folder
from ...problems.task import NONE
from ..disk import mapped

ZERO = np.uint64(0)


class RunFiles(NamedTuple):
    """The inputs of all tasks of a run: the graph folder, the folder of its files, and the distance, 1 or 2."""

    graph: str
    files: str
    hops: int

    def save(self, name: str, array: np.ndarray) -> None:
        """Write a file; `ndarray.tofile` would miss the error of a full disk when the file is closed."""
        with open(Path(self.files) / name, "wb") as file:
            file.write(np.ascontiguousarray(array, np.int32).data)

    def map(self, name: str) -> np.ndarray:
        """Map a file; files have no header, because CPython 3.11 cannot parse .npy headers on several threads."""
        path = Path(self.files) / name
        return np.memmap(path, np.int32, "r").view(np.ndarray) if path.stat().st_size else np.zeros(0, np.int32)

    def remove(self, name: str) -> None:
        """Remove a file, if it exists."""
        (Path(self.files) / name).unlink(missing_ok=True)


class RowRange(NamedTuple):
    """Vertices `low` … `high` − 1. Their neighbors are among `first` … `last`."""

    low: int
    high: int
    first: int
    last: int


class Step(NamedTuple):
    """A round: its number, whether all vertices are swept, and the place before which all colors are final."""

    number: int
    whole: bool
    begin: int


class Swept(NamedTuple):
    """The vertices of a partition that changed in a round, their colors, and the number of computed colors."""

    vertices: np.ndarray
    colors: np.ndarray
    visited: int


class EarlierRows(NamedTuple):
    """Vertices in the order, with the earlier neighbors of each; `neighbors` is None at distance 2."""

    vertices: np.ndarray
    offsets: np.ndarray
    neighbors: np.ndarray | None


def check_rows(graph: str, low: int, high: int, key: int) -> tuple[RowRange, int]:
    """Check the rows of a partition; return the partition, and the sum of hashes of `Folder.check_rows`."""
    folder = Folder.open(graph)
    total = folder.check_rows(low, high, key)
    indptr, indices = folder.rows(low, high)
    filled = np.flatnonzero(np.diff(indptr))
    first, last = indices[indptr[filled]], indices[indptr[filled + 1] - 1]  # rows are sorted
    return RowRange(low, high, int(first.min(initial=low)), int(last.max(initial=high - 1))), total


def build(run: RunFiles, part: RowRange) -> EarlierRows:
    """Return the rows of a partition."""
    return rows_of(run, run.map("sequence")[part.low : part.high].copy())


def rows_of(run: RunFiles, vertices: np.ndarray) -> EarlierRows:
    """Return the rows of some vertices."""
    if run.hops == 2:
        return EarlierRows(vertices, np.zeros(0, np.uint64), None)
    indptr, indices = unsigned(mapped(run.graph))
    most = int((indptr[vertices + 1] - indptr[vertices]).sum())
    offsets, neighbors = np.zeros(len(vertices) + 1, np.uint64), np.empty(most + 1, np.uint32)
    earlier(indptr, indices, vertices, run.map("place"), offsets, neighbors)
    return EarlierRows(vertices, offsets, neighbors[: int(offsets[-1])].copy())


def sweep(rows: EarlierRows, run: RunFiles, part: RowRange, step: Step) -> Swept:
    """Update the colors of a partition, with the colors of the other partitions before a round."""
    place, colors = run.map("place"), run.map(f"colors-{step.number}").copy()
    before = colors[part.low : part.high].copy()
    if run.hops == 2:
        visited = color_two_hops(*unsigned(mapped(run.graph)), rows.vertices, place, np.int64(step.begin), colors)
    else:
        changed = np.zeros(len(colors), bool) if step.whole else colors != run.map(f"colors-{step.number - 1}")
        if step.whole:  # every task colors the core, so that chains through hubs need no further rounds
            core = rows_of(run, run.map("core").copy())
            color_rows(core.offsets, core.neighbors, core.vertices, np.int64(0), colors, changed, True)
        begin = np.searchsorted(place[rows.vertices], step.begin)
        visited = color_rows(rows.offsets, rows.neighbors, rows.vertices, np.int64(begin), colors, changed, step.whole)
    now = colors[part.low : part.high]
    found = np.flatnonzero(now != before)
    return Swept((found + part.low).astype(np.int32), now[found], int(visited))


@njit(cache=True, nogil=True)
def earlier(indptr: Any, indices: Any, vertices: Any, place: Any, offsets: Any, neighbors: Any) -> None:
    """Write the earlier neighbors of some vertices, and where the neighbors of each begin."""
    count = np.uint64(0)
    for i in range(vertices.size):
        v = vertices[i]
        mine = place[v]
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            neighbors[count] = u
            count += np.uint64(place[u] < mine)
        offsets[i + 1] = count


@njit(cache=True, nogil=True)
def color_rows(offsets: Any, neighbors: Any, vertices: Any, begin: Any, colors: Any, changed: Any, whole: Any) -> Any:
    """Color vertices in place, from place `begin` on in the order of their rows; return the number of computed colors.

    Unless `whole`, a vertex is skipped if no earlier neighbor has `changed`.
    """
    visited = 0
    for i in range(begin, vertices.size):
        start, end = offsets[i], offsets[i + 1]
        compute = whole
        for e in range(start, end):
            if compute:
                break
            compute = changed[neighbors[e]]
        if not compute:
            continue
        visited += 1
        base, mask = np.int64(0), ~ZERO
        while mask == ~ZERO:
            mask = ZERO
            for e in range(start, end):
                mask |= in_window(colors[neighbors[e]], base)
            base += np.int64(64)
        color = np.int32(base - np.int64(64) + np.int64(ctz64(~mask)))
        if color != colors[vertices[i]]:
            colors[vertices[i]] = color
            changed[vertices[i]] = True
    return visited


@njit(cache=True, nogil=True)
def color_two_hops(indptr: Any, indices: Any, vertices: Any, place: Any, begin: Any, colors: Any) -> Any:
    """Color vertices at distance 2 in place, from place `begin` of the order on; return the number of them."""
    visited = 0
    for v in vertices:
        mine = place[v]
        if mine < begin:
            continue
        visited += 1
        base, mask = np.int64(0), ~ZERO
        while mask == ~ZERO:
            mask = taken(indptr, indices, place, colors, v, mine, base)
            for e in range(indptr[v], indptr[v + 1]):
                mask |= taken(indptr, indices, place, colors, indices[e], mine, base)
            base += np.int64(64)
        colors[v] = np.int32(base - np.int64(64) + np.int64(ctz64(~mask)))
    return visited


@inner()
def taken(indptr: Any, indices: Any, place: Any, colors: Any, v: Any, mine: Any, base: Any) -> Any:
    """Return as bits which of 64 colors from `base` on the neighbors of v before place `mine` have."""
    mask = ZERO
    for e in range(indptr[v], indptr[v + 1]):
        u = indices[e]
        if place[u] < mine:
            mask |= in_window(colors[u], base)
    return mask


def load_code() -> None:
    """Load the code of a round."""
    offsets, row, place = np.zeros(2, np.uint64), np.zeros(0, np.uint32), np.zeros(1, np.int32)
    colors, begin = np.full(1, NONE, np.int32), np.int64(0)
    earlier(offsets, row, place, place, offsets, row)
    color_rows(offsets, row, place, begin, colors, np.zeros(1, bool), True)
    color_two_hops(offsets, row, place, place, begin, colors)
