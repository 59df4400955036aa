"""Text of edges and rows: whole numbers to bytes, block by block, so that memory stays bounded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..device.compiled import njit

BLOCK = 1 << 20  # stored entries per block
_DIGITS = 10  # of an int32
NEWLINE, BLANK = 10, 32


@njit(cache=True, nogil=True)
def _put(out, i, x):
    first = i
    while True:
        out[i] = 48 + x % 10
        i += 1
        x //= 10
        if x == 0:
            break
    left, right = first, i - 1
    while left < right:
        out[left], out[right] = out[right], out[left]
        left += 1
        right -= 1
    return i


@njit(cache=True, nogil=True)
def _copy(out, i, text):
    for c in text:
        out[i] = c
        i += 1
    return i


@njit(cache=True, nogil=True)
def _edges(indptr, indices, begin, stop, both, base, prefix, between, suffix, out):
    i = 0
    for row in range(begin, stop):
        for k in range(indptr[row], indptr[row + 1]):
            column = np.int64(indices[k])
            if both or row < column:
                i = _copy(out, i, prefix)
                i = _put(out, i, row + base)
                i = _copy(out, i, between)
                i = _put(out, i, column + base)
                i = _copy(out, i, suffix)
                out[i] = NEWLINE
                i += 1
    return i


@njit(cache=True, nogil=True)
def _rows(indptr, indices, begin, stop, base, out):
    i = 0
    for row in range(begin, stop):
        for k in range(indptr[row], indptr[row + 1]):
            if k > indptr[row]:
                out[i] = BLANK
                i += 1
            i = _put(out, i, np.int64(indices[k]) + base)
        out[i] = NEWLINE
        i += 1
    return i


def _blocks(G: Any) -> Iterator[tuple[int, int, int]]:
    """(first row, row after the last, entries), about BLOCK entries and rows each."""
    begin = 0
    while begin < G.n:
        target = G.indptr.dtype.type(min(int(G.indptr[begin]) + BLOCK, G.m))  # another type would copy indptr
        stop = int(np.searchsorted(G.indptr, target, side="right")) - 1
        stop = min(max(stop, begin + 1), begin + BLOCK, G.n)
        yield begin, stop, int(G.indptr[stop] - G.indptr[begin])
        begin = stop


def edges(
    G: Any, *, both: bool = False, base: int = 0, prefix: bytes = b"", between: bytes = b" ", suffix: bytes = b""
) -> Iterator[memoryview]:
    """One line per edge, by row and column: each once (the smaller number first), or both directions."""
    parts = [np.frombuffer(b, np.uint8) for b in (prefix, between, suffix)]
    width = 2 * _DIGITS + sum(map(len, parts)) + 1
    for begin, stop, entries in _blocks(G):
        out = np.empty(entries * width, np.uint8)
        size = _edges(G.indptr, G.indices, begin, stop, both, base, parts[0], parts[1], parts[2], out)
        yield out[:size].data


def rows(G: Any, *, base: int = 1) -> Iterator[memoryview]:
    """One line per vertex: its neighbours, blanks between."""
    for begin, stop, entries in _blocks(G):
        out = np.empty(entries * (_DIGITS + 1) + stop - begin, np.uint8)
        yield out[: _rows(G.indptr, G.indices, begin, stop, base, out)].data
