"""Text of edges and rows: whole numbers are converted to bytes, in blocks that take about 6 MB per thread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..base.device import threads_for
from ..base.device.compiled import inner
from ..base.device.intrinsics import fetch_add
from ..base.device.parallel import launch, parallel, slots

BLOCK = 1 << 17  # stored entries per block
EACH = 2  # blocks per thread, on average
FIRST = np.uint64(0)  # place of the next block in `shared`
_DIGITS = 10  # of an int32
NEWLINE, BLANK = 10, 32


@inner()
def _put(out: Any, i: Any, x: Any) -> Any:
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


@inner()
def _copy(out: Any, i: Any, text: Any) -> Any:
    for c in text:
        out[i] = c
        i += 1
    return i


@inner()
def _edges(indptr: Any, indices: Any, begin: Any, stop: Any, form: Any, out: Any) -> Any:
    _, both, base, prefix, between, suffix = form
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


@inner()
def _rows(indptr: Any, indices: Any, begin: Any, stop: Any, base: Any, out: Any) -> Any:
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


@parallel
def _emit(t: Any, shared: Any, graph: Any, ends: Any, form: Any, sizes: Any, out: Any) -> Any:
    """Write blocks of lines, each from its first byte in `out` on."""
    (indptr, indices), (texts, begins) = graph, out
    block = fetch_add(shared, FIRST, 1)
    while block < len(sizes):
        begin, stop, text = ends[block], ends[block + 1], texts[begins[block] :]
        if form[0]:
            sizes[block] = _rows(indptr, indices, begin, stop, form[2], text)
        else:
            sizes[block] = _edges(indptr, indices, begin, stop, form, text)
        block = fetch_add(shared, FIRST, 1)


def _blocks(G: Any) -> Iterator[int]:
    """Yield the first row of each block of about BLOCK entries, or rows, and the end."""
    begin = 0
    while begin < G.n:
        yield begin
        target = G.indptr.dtype.type(min(int(G.indptr[begin]) + BLOCK, G.m))  # another type would copy indptr
        stop = int(np.searchsorted(G.indptr, target, side="right")) - 1
        begin = min(max(stop, begin + 1), begin + BLOCK, G.n)
    yield G.n


def _texts(G: Any, width: int, row: int, form: Any) -> Iterator[memoryview]:
    """Yield the texts of all blocks, written several at a time; an entry takes up to `width` bytes, a row `row`."""
    workers, firsts = threads_for(None, G.m), list(_blocks(G))
    for some in range(0, len(firsts) - 1, EACH * workers):
        ends = np.array(firsts[some : some + EACH * workers + 1])
        before = width * (G.indptr[ends].astype(np.int64) - int(G.indptr[ends[0]])) + row * (ends - ends[0])
        out, sizes = np.empty(int(before[-1]), np.uint8), np.zeros(len(ends) - 1, np.int64)
        launch(_emit, workers, slots(1), (G.indptr, G.indices), ends, form, sizes, (out, before))
        for begin, size in zip(before.tolist(), sizes.tolist(), strict=False):
            yield out[begin : begin + size].data


def edges(
    G: Any, *, both: bool = False, base: int = 0, prefix: bytes = b"", between: bytes = b" ", suffix: bytes = b""
) -> Iterator[memoryview]:
    """Yield a line per edge, in the order of rows and columns: once (the smaller number first), or both directions."""
    parts = [np.frombuffer(b, np.uint8) for b in (prefix, between, suffix)]
    width = 2 * _DIGITS + sum(map(len, parts)) + 1
    return _texts(G, width, 0, (False, both, base, *parts))


def rows(G: Any, *, base: int = 1) -> Iterator[memoryview]:
    """Yield a line per vertex with its neighbors, separated by blanks."""
    none = np.frombuffer(b"", np.uint8)
    return _texts(G, _DIGITS + 1, 1, (True, True, base, none, none, none))
