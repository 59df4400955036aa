"""Which rows of a folder are in memory at a time: blocks of consecutive rows that fit a number of bytes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, NamedTuple

ENTRY, OFFSET = 4, 8  # bytes


class Block(NamedTuple):
    """Consecutive rows and where their entries are.

    Attributes
    ----------
    first, rows : int
        Vertices `first` … `first` + `rows` − 1.
    begin, entries : int
        Their entries in `indices.npy`.
    """

    first: int
    rows: int
    begin: int
    entries: int


def cut(indptr: Any, room: int, per_row: int = OFFSET, per_entry: int = ENTRY) -> Iterator[Block]:
    """Blocks of as many rows as fit in `room` bytes, at least one each."""
    n, first, begin = len(indptr) - 1, 0, 0
    while first < n:
        base = per_entry * begin + per_row * first

        def taken(row: int, base: int = base) -> int:
            return per_entry * int(indptr[row]) + per_row * row - base

        end = bisect_right(range(n + 1), room, lo=first + 1, key=taken) - 1
        end = max(end, first + 1)
        stop = int(indptr[end])
        yield Block(first, end - first, begin, stop - begin)
        first, begin = end, stop
