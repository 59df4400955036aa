"""Texts are read in pieces of whole lines, because a packed text may be far larger than memory.

A plain file is one piece, which is mapped. Of a packed file, one piece of PIECE bytes and the edges found so far are in
memory. If there are suspiciously many edges, repeated ones are dropped.

Each piece has parts of whole lines, and each thread takes the next part. The lines of each part are counted before it
is parsed. So the first line of each part and its place in the output are known, and an error names its line for any
number of threads.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..base.device import threads_for
from ..base.device.compiled import inner
from ..base.device.intrinsics import fetch_add
from ..base.device.parallel import launch, parallel, slots
from ..base.log import Stage, without_listener
from .files import STDIN, load, malformed, packed, unpacked

DONE = 0  # the status of a parser that stopped at the end
NEWLINE = 10
REPORT = 1 << 23  # bytes between two reports of progress
EACH = 4  # parts of a text per thread
FIRST = np.uint64(0)  # place of the next part in `shared`
PIECE = 1 << 24  # bytes of a piece, more than the head of a file
START = 1 << 22  # number of edges up to which none is dropped
RATIO = 16  # bytes of edges per byte of a packed file over which repeated edges are dropped


class Place(NamedTuple):
    """A place in a text: the number of edges before it, its byte in the unpacked text, and its line."""

    edges: int = 0
    byte: int = 0
    line: int = 1
    row: int = 0  # number of rows before; an adjacency list has rows of several edges

    def after(self, buf: np.ndarray, at: int, edges: int, rows: int) -> Place:
        """Return the place after a piece whose byte `at` is at this place."""
        lines = int(np.count_nonzero(buf[at:] == NEWLINE))
        return Place(self.edges + edges, self.byte + len(buf) - at, self.line + lines, self.row + rows)


class Lines(NamedTuple):
    """The reader of the lines after the head of a text."""

    begin: Place
    # ``ends(buf, at, place)``: both ends of the edges from byte `at` of a piece on, and their number of rows
    ends: Callable[[np.ndarray, int, Place], tuple[Any, Any, int]]
    # ``check(end, alone)`` raises an error if the text has a wrong number of lines; `alone`: it is the only text
    check: Callable[[Place, bool], None]
    n: int | None = None  # number of vertices
    at_least: int = 0  # number of vertices that a comment declares
    named: bool = False  # whether ends are lists of str, not arrays
    both: bool = False  # whether each edge is there in both directions
    most: float = np.inf  # most edges that the text may have
    # ``declared(entries, loops, edges)`` raises an error if the head declares other edges; ``edges()`` counts them
    declared: Callable[[int, int, Callable[[], int]], None] | None = None


class Text(NamedTuple):
    """A text in pieces, which are arrays of uint8."""

    first: np.ndarray  # a plain file has only this piece
    rest: Iterator[np.ndarray]
    whole: bool  # whether `rest` is empty


def text_of(path: Path) -> Text:
    """Open a file in pieces; the rest is unpacked while it is read."""
    source = packed(path)
    if source is None:
        return Text(load(path), iter(()), True)
    found = (np.frombuffer(piece, np.uint8) for piece in whole_lines(path, unpacked(path, source), PIECE, PIECE))
    first = next(found, np.zeros(0, np.uint8))
    second = next(found, None)
    rest = found if second is None else itertools.chain([second], found)
    return Text(first, rest, second is None)


def whole_lines(
    path: Path, blocks: Iterable[bytes], size: int, longest: int, byte: int = 0, more: str = ""
) -> Iterator[bytearray]:
    """Yield blocks as pieces of about `size` bytes of whole lines; `more`: advice for lines over `longest` bytes."""
    piece = bytearray()
    for block in blocks:
        piece += block
        if len(piece) < size:
            continue
        end = piece.rfind(b"\n") + 1
        if end == 0 and len(piece) > longest:
            raise malformed(path, f"a line of over {longest} bytes, from byte {byte} on{more}")
        if end:
            whole, piece = piece[:end], piece[end:]
            yield whole
            byte += end
    if piece:
        yield piece


Parsed = tuple[np.ndarray, np.ndarray]


def pairs_of(path: Path, text: Text, lines: Lines) -> tuple[np.ndarray, np.ndarray, Place]:
    """Return both ends of the edges of all pieces, and the end of the text."""
    if text.whole:
        u, v, rows = lines.ends(text.first, lines.begin.byte, lines.begin)
        return u, v, Place(len(u), len(text.first), row=rows)
    with without_listener():  # unpacking reports the progress
        return _in_pieces(path, text, lines)


def _in_pieces(path: Path, text: Text, lines: Lines) -> tuple[np.ndarray, np.ndarray, Place]:
    """Return the results of `pairs_of` for a text of several pieces."""
    size = 0 if path == STDIN else os.stat(path).st_size
    parts, count, most = list[Parsed](), 0, START + RATIO * size // 8
    place, at = lines.begin, lines.begin.byte
    for piece in itertools.chain([text.first], text.rest):
        u, v, rows = lines.ends(piece, at, place)
        parts.append((u, v))
        place, at, count = place.after(piece, at, len(u), rows), 0, count + len(u)
        if count > most and len(parts) > 1:
            parts = [_distinct(*_joined(parts))]
            count = len(parts[0][0])
            most = max(most, 2 * count)
    return *_joined(parts), place


def _joined(parts: list[Parsed]) -> Parsed:
    u, v = (np.concatenate(ends) for ends in zip(*parts, strict=True))
    return u, v


def _distinct(u: np.ndarray, v: np.ndarray) -> Parsed:
    """Return each pair once."""
    if u.dtype == v.dtype == np.int32:
        keys = u.astype(np.int64) << 32
        keys |= v  # numbers of vertices are not negative
        keys.sort()
        keep = np.ones(len(keys), bool)
        np.not_equal(keys[1:], keys[:-1], out=keep[1:])
        keys = keys[keep]
        return (keys >> 32).astype(np.int32), keys.astype(np.uint32).view(np.int32)
    order = np.lexsort((v, u))
    u, v = u[order], v[order]
    keep = np.ones(len(u), bool)
    keep[1:] = (u[1:] != u[:-1]) | (v[1:] != v[:-1])
    return u[keep], v[keep]


class Stop(NamedTuple):
    """Where and why a parser stopped."""

    rows: int  # number of parsed rows
    status: int
    line: int  # counted from 1
    start: int  # byte at which the line starts
    value: int  # the offending number, if status is RANGE


class Parts:
    """Parts of a text, each of whole lines, for threads."""

    number: int
    workers: int
    done: int  # number of parsed parts
    ends: np.ndarray  # shape (number + 1,): first bytes of parts, and the end of the text
    # shape (number, 3): the counts that the loop passed to `count` has found in each part; the first counts lines
    counts: np.ndarray
    # shape (number, 5): where and why the parser has stopped in each of the `done` parts, as `Stop`
    found: np.ndarray
    line: int

    def __init__(self, size: int, at: int, line: int, number: int, workers: int) -> None:
        self.number, self.workers, self.done = number, workers, 0
        self.ends, self.counts = np.array([at] + number * [size]), np.zeros((number, 3), np.int64)
        self.found, self.line = np.zeros((number, 5), np.int64), line

    @classmethod
    def of(cls, buf: np.ndarray, at: int, line: int, has_listener: bool) -> Parts:
        """Return a few parts for each thread, of up to `REPORT` bytes if a listener receives the progress."""
        size = len(buf) - at
        workers = threads_for(None, size)
        number = max(EACH * workers if workers > 1 else 1, -(-size // REPORT) if has_listener else 1)
        return cls(len(buf), at, line, number, workers)

    def count(self, loop: Callable[..., int], buf: np.ndarray, *args: Any) -> None:
        """Find the ends of parts by a loop that also counts in each part, and drop empty parts at the end."""
        launch(loop, self.workers, slots(1), buf, self.ends, self.counts, *args)
        self.cut(int(np.searchsorted(self.ends[1:], len(buf))), len(buf))

    def cut(self, last: int, size: int) -> None:
        """Extend part `last` up to `size` bytes, and drop all later parts."""
        self.number, self.ends = last + 1, np.append(self.ends[: last + 1], size)
        self.counts, self.found = self.counts[: last + 1], self.found[: last + 1]

    def before(self, k: int) -> np.ndarray:
        """Return the sum of count k over the parts before each part, and over all."""
        return np.concatenate(([0], np.cumsum(self.counts[:, k])))

    def groups(self, reading: Stage) -> Iterator[slice]:
        """Yield groups of parts in order, until a part has a fault."""
        step = self.workers if reading.has_listener else self.number
        while self.done < self.number and not self.found[: self.done, 1].any():
            yield slice(self.done, min(self.done + step, self.number))
            self.done = min(self.done + step, self.number)
            reading.at(int(self.ends[self.done]))

    def parse(self, loop: Callable[..., int], some: slice, buf: np.ndarray, *args: Any) -> None:
        """Parse a group of parts."""
        ends, lines = self.ends[some.start : some.stop + 1], (self.line + self.before(0))[some]
        launch(loop, self.workers, slots(1), (buf, ends, lines), *args, self.found[some])

    def stop(self) -> Stop:
        """Return the stop of the first part with a fault, or of the last part; later parts do not count as `done`."""
        faults = np.flatnonzero(self.found[: self.done, 1])
        self.done = int(faults[0]) + 1 if len(faults) else self.number
        return Stop(*self.found[self.done - 1].tolist())


@inner()
def end_of_line(buf: Any, i: Any, end: Any) -> Any:
    while i < end and buf[i] != NEWLINE:
        i += 1
    return i


@inner()
def end_of_part(buf: Any, at: Any, end: Any, part: Any, parts: Any) -> Any:
    """Return the first byte of a part of the text from byte `at` to `end`, at the beginning of a line."""
    if part == 0 or part == parts:
        return end if part else at
    return min(end_of_line(buf, at + (end - at) // parts * part, end) + 1, end)


@parallel
def count_lines(t: Any, shared: Any, buf: Any, ends: Any, counts: Any) -> Any:
    """Count the newlines of each part, and find where the part ends."""
    parts, at, end = len(counts), ends[0], len(buf)
    part = fetch_add(shared, FIRST, 1)
    while part < parts:
        stop = end_of_part(buf, at, end, part + 1, parts)
        lines = 0
        for i in range(np.uint64(end_of_part(buf, at, end, part, parts)), np.uint64(stop)):
            lines += buf[i] == NEWLINE
        ends[part + 1], counts[part, 0] = stop, lines
        part = fetch_add(shared, FIRST, 1)
