"""One pass over the vertices of a partition, in their order: the task that workers run in each round.

A partition is a range of ids. A sweep gives each of its vertices the least color that no earlier neighbor has. Neighbors
of other partitions have the colors that they had after the round before. A vertex is skipped if none of its earlier
neighbors has changed since.

The files of a run are plain arrays of int32, written once by the client and mapped by workers:

=============  ====================================================================================
place          the place of each vertex in the order
sequence       the vertices of each partition in the order, partition after partition
core           the first vertices of the order
colors-k       colors before round k; only those of the last two rounds are kept
=============  ====================================================================================
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...core.task import NONE
from ...device.compiled import njit
from ...device.intrinsics import ctz64
from ...engines.greedy.sequential import unsigned
from ...io.folder import Folder
from ..disk import mapped

ONE, WORD = np.uint64(1), np.uint64(64)


class Run(NamedTuple):
    """What all tasks of a run know: the graph folder, the folder of its files, and 1 or 2 edges of distance."""

    graph: str
    files: str
    hops: int

    def save(self, name: str, array: np.ndarray) -> None:
        """Write a file."""
        array.astype(np.int32, copy=False).tofile(Path(self.files) / name)

    def map(self, name: str) -> np.ndarray:
        """Map a file; files have no header, since CPython 3.11 cannot parse those of .npy in several threads."""
        path = Path(self.files) / name
        return np.memmap(path, np.int32, "r").view(np.ndarray) if path.stat().st_size else np.zeros(0, np.int32)

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        (Path(self.files) / name).unlink(missing_ok=True)


class Part(NamedTuple):
    """Vertices `low` … `high` − 1, the neighbors of which are among `first` … `last`."""

    low: int
    high: int
    first: int
    last: int


class Step(NamedTuple):
    """A round: its number, whether it sweeps everything, and the place before which all colors are final."""

    number: int
    whole: bool
    begin: int


class Swept(NamedTuple):
    """The vertices of a partition that changed in a round, their colors, and how many were computed."""

    vertices: np.ndarray
    colors: np.ndarray
    visited: int


def check(home: None, graph: str, low: int, high: int, key: int) -> tuple[Part, int]:
    """Check the rows of a partition; the partition, and the sum of hashes of `Folder.check_rows`."""
    folder = Folder.open(graph)
    total = folder.check_rows(low, high, key)
    indptr, indices = folder.rows(low, high)
    filled = np.flatnonzero(np.diff(indptr))
    first, last = indices[indptr[filled]], indices[indptr[filled + 1] - 1]  # rows rise
    return Part(low, high, int(first.min(initial=low)), int(last.max(initial=high - 1))), total


def sweep(home: None, run: Run, part: Part, step: Step) -> Swept:
    """Make the colors of a partition right for those of the others before a round."""
    graph, place = unsigned(mapped(run.graph)), run.map("place")
    colors = run.map(f"colors-{step.number}").copy()
    if step.whole:
        changed = np.zeros(len(colors), bool)
        # Every task colors the core, whose colors are final: chains that run through hubs take no rounds.
        color_in_order(*graph, run.map("core"), place, colors, changed, np.int64(run.hops), True, np.int64(0))
        before = run.map(f"colors-{step.number}")[part.low : part.high]
    else:
        changed = colors != run.map(f"colors-{step.number - 1}")
        before = colors[part.low : part.high].copy()
    own = run.map("sequence")[part.low : part.high]
    whole = step.whole or run.hops == 2
    args = place, colors, changed, np.int64(run.hops), whole, np.int64(step.begin)
    visited = color_in_order(*graph, own, *args)
    now = colors[part.low : part.high]
    found = np.flatnonzero(now != before)
    return Swept((found + part.low).astype(np.int32), now[found], int(visited))


@njit(cache=True, nogil=True)
def color_in_order(
    indptr: Any, indices: Any, vertices: Any, place: Any, colors: Any, changed: Any, hops: Any, whole: Any, begin: Any
) -> Any:
    """Give each of some vertices in turn its color, in place; how many were computed.

    `whole`: skip none from place `begin` on. Otherwise skip those without an earlier neighbor that `changed`.
    """
    visited = 0
    for v in vertices:
        mine = place[v]
        if mine < begin or not (whole or affected(indptr, indices, place, changed, v)):
            continue
        visited += 1
        base, mask = np.int64(0), taken(indptr, indices, place, colors, v, mine, np.int64(0))
        if hops == 2:
            mask |= taken_around(indptr, indices, place, colors, v, mine, base)
        while ~mask == np.uint64(0):
            base += np.int64(64)
            mask = taken(indptr, indices, place, colors, v, mine, base)
            if hops == 2:
                mask |= taken_around(indptr, indices, place, colors, v, mine, base)
        color = np.int32(base + np.int64(ctz64(~mask)))
        if color != colors[v]:
            colors[v] = color
            changed[v] = True
    return visited


@njit(cache=True, nogil=True, inline="always")
def affected(indptr: Any, indices: Any, place: Any, changed: Any, v: Any) -> Any:
    """Whether an earlier neighbor has changed."""
    for e in range(indptr[v], indptr[v + 1]):
        u = indices[e]
        if changed[u] and place[u] < place[v]:
            return True
    return False


@njit(cache=True, nogil=True)
def taken(indptr: Any, indices: Any, place: Any, colors: Any, v: Any, mine: Any, base: Any) -> Any:
    """Which of 64 colors from `base` on the neighbors of v have that are before place `mine`: bits."""
    mask = np.uint64(0)
    for e in range(indptr[v], indptr[v + 1]):
        u = indices[e]
        k = np.uint64(np.int64(colors[u]) - base)
        if k < WORD and place[u] < mine:
            mask |= ONE << k
    return mask


@njit(cache=True, nogil=True)
def taken_around(indptr: Any, indices: Any, place: Any, colors: Any, v: Any, mine: Any, base: Any) -> Any:
    """The same of the neighbors of neighbors."""
    mask = np.uint64(0)
    for e in range(indptr[v], indptr[v + 1]):
        mask |= taken(indptr, indices, place, colors, indices[e], mine, base)
    return mask


def load_code() -> None:
    """Load the code of a sweep."""
    offsets, row = np.zeros(2, np.uint64), np.zeros(0, np.uint32)
    one, colors = np.zeros(1, np.int32), np.full(1, NONE, np.int32)
    color_in_order(offsets, row, one, one, colors, np.zeros(1, bool), np.int64(1), True, np.int64(0))
