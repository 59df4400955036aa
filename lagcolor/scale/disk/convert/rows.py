"""Rows of vertices that occur → offsets of all vertices, or rows of renumbered ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ....core.errors import OptionError
from ....device.compiled import njit
from ....inputs.sizes import FAR_APART, FEW, OCCUR
from ....io.folder import Output
from ....progress import stage
from .merge import pieces
from .parts import File

PIECE = 1 << 18


class Seen(NamedTuple):
    """Which vertices occur in edges."""

    number: int  # how many, in self-loops too
    after_first: int  # how many but vertex 0 have an edge to another
    first: bool  # whether 0 occurs
    second: bool  # whether 1 has an edge

    def far_apart(self, n: int) -> bool:
        """Whether they are few of n, so that their numbers are labels."""
        return n > FEW and n > FAR_APART * self.number

    def count_from_one(self, n: int) -> bool:
        """Whether the vertices seem to be 1 … n − 1."""
        return n > 1 and not self.first and self.second and self.after_first >= OCCUR * (n - 1)


def seen(merged: list[File]) -> Seen:
    """What the rows of merged files say."""
    count = after = 0
    first = second = False
    last = 0
    for rows, ends, _ in pieces(merged, columns=False):
        if not len(rows):
            continue
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


def offsets(merged: list[File], out: Path, n: int) -> dict[str, Any]:
    """`indptr` of n vertices, of which those that occur have entries; what `graph.json` says of it."""
    indptr, writing = Output(out, "indptr", "<i8"), stage("writing", n, "vertices")
    try:
        indptr.append(np.zeros(1, np.int64))
        vertex, last, piece = 0, 0, np.empty(PIECE, np.int64)
        for rows, ends, _ in pieces(merged, columns=False):
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


def renumbered(merged: list[File], out: Path, occur: int, room: int) -> tuple[dict[str, Any], np.ndarray]:
    """`indptr` and `labels` of the vertices that occur, by their places among them; and their numbers."""
    if 4 * occur > room:
        raise OptionError(
            f"numbers of vertices are far apart, and renumbering {occur} of them takes {4 * occur} bytes of "
            f"memory: pass memory of more than {8 * occur}, or n for the number of vertices"
        )
    numbers, filled = np.empty(occur, np.uint32), 0
    made = {name: Output(out, name, "<i8") for name in ("indptr", "labels")}
    try:
        made["indptr"].append(np.zeros(1, np.int64))
        for rows, ends, _ in pieces(merged, columns=False):
            numbers[filled : filled + len(rows)] = rows
            filled += len(rows)
            made["labels"].append(rows)
            made["indptr"].append(ends)
        return {name: one.finish() for name, one in made.items()}, numbers
    finally:
        for one in made.values():
            one.close()


def entries(merged: list[File], out: Path, dtype: str, numbers: np.ndarray | None) -> dict[str, Any]:
    """`indices`: the columns, or their places among numbers; what `graph.json` says of it."""
    indices, writing = Output(out, "indices", dtype), stage("writing", merged[-1].content["entries"], "entries")
    try:
        for piece in pieces(merged):
            indices.append(piece.columns if numbers is None else np.searchsorted(numbers, piece.columns))
            writing.at(indices.count)
        return indices.finish()
    finally:
        indices.close()
