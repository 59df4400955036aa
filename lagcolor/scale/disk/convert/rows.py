"""Rows of vertices that occur → offsets of all vertices, or rows of renumbered ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ....device.compiled import njit
from ....errors import OptionError
from ....inputs.sizes import FAR_APART, FEW, OCCUR
from ....io.folder import DATA, Output
from ....progress import stage

PIECE = 1 << 18


class Seen(NamedTuple):
    """Which vertices occur in edges.

    Attributes
    ----------
    number : int
        How many do, in self-loops too.
    after_first : int
        How many but vertex 0 have an edge to another.
    first, second : bool
        Whether 0 occurs, and whether 1 has an edge.
    """

    number: int
    after_first: int
    first: bool
    second: bool

    def far_apart(self, n: int) -> bool:
        """Whether they are few of n, so that their numbers are labels."""
        return n > FEW and n > FAR_APART * self.number

    def count_from_one(self, n: int) -> bool:
        """Whether the vertices seem to be 1 … n − 1."""
        return n > 1 and not self.first and self.second and self.after_first >= OCCUR * (n - 1)


def arrays(work: Path, *names: str) -> Iterator[list[np.ndarray]]:
    """Arrays of one length, written by `Output`, in pieces."""
    dtypes = {"rows": "<u4", "ends": "<i8"}
    files = [open(work / f"{name}.npy", "rb") for name in names]  # noqa: SIM115
    try:
        for file in files:
            file.seek(DATA)
        while len((pieces := [np.fromfile(f, dtypes[n], PIECE) for f, n in zip(files, names, strict=True)])[0]):
            yield pieces
    finally:
        for file in files:
            file.close()


def seen(work: Path) -> Seen:
    """What `rows` and `ends` say."""
    count = after = 0
    first = second = False
    last = 0
    for rows, ends in arrays(work, "rows", "ends"):
        has_edge = np.diff(ends, prepend=last) > 0
        count += len(rows)
        after += int(np.count_nonzero(has_edge & (rows > 0)))
        first |= int(rows[0]) == 0
        second |= bool(has_edge[:2][rows[:2] == 1].any())
        last = int(ends[-1])
    return Seen(count, after, first, second)


@njit(cache=True, nogil=True)
def _spread(rows, ends, k, vertex, last, out):
    filled = 0
    while k < len(rows) and filled < len(out):
        if vertex == rows[k]:
            last = ends[k]
            k += 1
        out[filled] = last
        filled += 1
        vertex += 1
    return k, vertex, last, filled


def offsets(work: Path, out: Path, n: int) -> dict[str, Any]:
    """`indptr` of n vertices, of which those in `rows` have entries; what `graph.json` says of it."""
    indptr, writing = Output(out, "indptr", "<i8"), stage("writing", n, "vertices")
    try:
        indptr.append(np.zeros(1, np.int64))
        vertex, last, piece = 0, 0, np.empty(PIECE, np.int64)
        for rows, ends in arrays(work, "rows", "ends"):
            k = 0
            while k < len(rows):  # each turn passes vertices
                k, vertex, last, filled = map(int, _spread(rows, ends, k, vertex, last, piece))
                indptr.append(piece[:filled])
                writing.at(vertex)
        piece[:] = last
        for begin in range(vertex, n, PIECE):
            indptr.append(piece[: min(PIECE, n - begin)])
        return indptr.finish()
    finally:
        indptr.close()


def renumbered(work: Path, out: Path, dtype: str, room: int) -> dict[str, Any]:
    """`indptr`, `indices` and `labels` of the vertices that occur, by their places among them.

    Raises
    ------
    OptionError
        Their numbers take more than `room` bytes.
    """
    with open(work / "rows.npy", "rb") as file:
        count = (file.seek(0, 2) - DATA) // 4
        if 4 * count > room:
            raise OptionError(
                f"numbers of vertices are far apart, and renumbering {count} of them takes {4 * count} bytes of "
                f"memory: pass memory of more than {8 * count}, or n for the number of vertices"
            )
        file.seek(DATA)
        labels = np.fromfile(file, "<u4")
    made = {name: Output(out, name, of) for name, of in (("indptr", "<i8"), ("indices", "<i4"), ("labels", "<i8"))}
    try:
        made["indptr"].append(np.zeros(1, np.int64))
        for rows, ends in arrays(work, "rows", "ends"):
            made["labels"].append(rows)
            made["indptr"].append(ends)
        with open(work / "indices.npy", "rb") as file:
            writing = stage("writing", file.seek(0, 2), "bytes")
            file.seek(DATA)
            while len(columns := np.fromfile(file, dtype, PIECE)):
                made["indices"].append(np.searchsorted(labels, columns.astype(np.uint32)))
                writing.at(file.tell())
        return {name: one.finish() for name, one in made.items()}
    finally:
        for one in made.values():
            one.close()
