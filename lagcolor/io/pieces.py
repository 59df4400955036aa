"""Texts that may unpack to far more than memory holds: they are read in pieces of whole lines.

A plain file is one piece, which is mapped. Of a packed one, pieces of PIECE bytes are in memory, and the edges found so
far, each of them once as soon as there are suspiciously many.

Each piece has parts of whole lines, which threads take in turn. The lines of each part are counted before it is parsed:
so a part knows its first line, and its place in the output, and an error names its line for any number of threads.
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
EACH = 4  # parts of a text for a thread
FIRST = np.uint64(0)  # of `shared`: the next part
PIECE = 1 << 24  # bytes of a piece, which are more than the head of a file
START = 1 << 22  # edges that are kept in any case
RATIO = 16  # bytes of edges for a byte of a packed file from which on repeated edges are dropped


class Place(NamedTuple):
    """Where a text goes on: how many edges are before, at which byte of what is unpacked, and on which line."""

    edges: int = 0
    byte: int = 0
    line: int = 1
    row: int = 0  # how many rows are before; in an adjacency list these are not edges

    def after(self, buf: np.ndarray, at: int, edges: int, rows: int) -> Place:
        """The end of a piece whose byte `at` is at this place."""
        lines = int(np.count_nonzero(buf[at:] == NEWLINE))
        return Place(self.edges + edges, self.byte + len(buf) - at, self.line + lines, self.row + rows)


class Lines(NamedTuple):
    """What the head of a text says of the lines after it."""

    begin: Place
    # of a piece, and the place that its byte `at` is: both ends of the edges from there on, and how many rows have them
    ends: Callable[[np.ndarray, int, Place], tuple[Any, Any, int]]
    # raises where a text ends too early or too late; also, whether it is all that is read
    check: Callable[[Place, bool], None]
    n: int | None = None  # number of vertices
    at_least: int = 0  # number of vertices that a comment declares
    named: bool = False  # ends are lists of str, not arrays
    both: bool = False  # each edge has both directions
    most: float = np.inf  # how many edges there are, at most


class Text(NamedTuple):
    """A text in pieces, which are arrays of uint8."""

    first: np.ndarray  # all of a plain file
    rest: Iterator[np.ndarray]
    whole: bool  # there is no rest


def text_of(path: Path) -> Text:
    """A file in pieces; the rest is unpacked while it is read."""
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
    """Blocks from a byte on as pieces of about `size` bytes of lines; `more`: advice for lines over `longest` bytes."""
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
    """Both ends of the edges of all pieces, and the end of the text."""
    if text.whole:
        u, v, rows = lines.ends(text.first, lines.begin.byte, lines.begin)
        return u, v, Place(len(u), len(text.first), row=rows)
    with without_listener():  # unpacking is the stage that counts
        return _in_pieces(path, text, lines)


def _in_pieces(path: Path, text: Text, lines: Lines) -> tuple[np.ndarray, np.ndarray, Place]:
    """As `pairs_of`, of a text that has a rest."""
    parts, kept, most = list[Parsed](), 0, START + RATIO * _size(path) // 8
    place, at = lines.begin, lines.begin.byte
    for piece in itertools.chain([text.first], text.rest):
        u, v, rows = lines.ends(piece, at, place)
        parts.append((u, v))
        place, at, kept = place.after(piece, at, len(u), rows), 0, kept + len(u)
        if kept > most and len(parts) > 1:
            parts = [_distinct(*_joined(parts))]
            kept = len(parts[0][0])
            most = max(most, 2 * kept)
    return *_joined(parts), place


def _joined(parts: list[Parsed]) -> Parsed:
    u, v = (np.concatenate(ends) for ends in zip(*parts, strict=True))
    return u, v


def _distinct(u: np.ndarray, v: np.ndarray) -> Parsed:
    """Each pair once."""
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


def _size(path: Path) -> int:
    return 0 if path == STDIN else os.stat(path).st_size


class Stop(NamedTuple):
    """Where and why a parser stopped."""

    rows: int  # parsed
    status: int
    line: int  # 1-based
    start: int  # byte at which that line starts
    value: int  # the offending number, where status is RANGE


class Parts:
    """Parts of a text, each of whole lines, which threads take in turn."""

    number: int
    workers: int
    done: int
    ends: np.ndarray  # array, shape (number + 1,): first bytes of parts, and the end of the text
    # array, shape (number, 3): what the loop given to `count` has found in each; lines are the first
    counts: np.ndarray
    # array, shape (number, 5): where and why the parser has stopped in each of the parts that are `done`
    found: np.ndarray
    line: int

    def __init__(self, size: int, at: int, line: int, number: int, workers: int) -> None:
        self.number, self.workers, self.done = number, workers, 0
        self.ends, self.counts = np.array([at] + number * [size]), np.zeros((number, 3), np.int64)
        self.found, self.line = np.zeros((number, 5), np.int64), line

    @classmethod
    def of(cls, buf: np.ndarray, at: int, line: int, heard: bool) -> Parts:
        """A few for each thread; parts of up to `REPORT` bytes where the progress is reported (`heard`)."""
        size = len(buf) - at
        workers = threads_for(None, size)
        number = max(EACH * workers if workers > 1 else 1, -(-size // REPORT) if heard else 1)
        return cls(len(buf), at, line, number, workers)

    def count(self, loop: Callable[..., int], buf: np.ndarray, *args: Any) -> None:
        """Find where parts end, leave out empty ones at the end, and count in each."""
        launch(loop, self.workers, slots(1), buf, self.ends, self.counts, *args)
        self.cut(int(np.searchsorted(self.ends[1:], len(buf))), len(buf))

    def cut(self, last: int, size: int) -> None:
        """Make all from a part on one part, up to the end."""
        self.number, self.ends = last + 1, np.append(self.ends[: last + 1], size)
        self.counts, self.found = self.counts[: last + 1], self.found[: last + 1]

    def before(self, k: int) -> np.ndarray:
        """What was counted in earlier parts, and in all."""
        return np.concatenate(([0], np.cumsum(self.counts[:, k])))

    def groups(self, reading: Stage) -> Iterator[slice]:
        """Some parts after others, until one has a fault."""
        step = self.workers if reading.has_listener else self.number
        while self.done < self.number and not self.found[: self.done, 1].any():
            yield slice(self.done, min(self.done + step, self.number))
            self.done = min(self.done + step, self.number)
            reading.at(int(self.ends[self.done]))

    def parse(self, loop: Callable[..., int], some: slice, buf: np.ndarray, *args: Any) -> None:
        """Parse these parts."""
        ends, lines = self.ends[some.start : some.stop + 1], (self.line + self.before(0))[some]
        launch(loop, self.workers, slots(1), (buf, ends, lines), *args, self.found[some])

    def stop(self) -> Stop:
        """Where and why the first part has stopped that has a fault, else the last; parts after it are not `done`."""
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
    """The first byte of a part of the text from byte `at` to `end`: the first of a line."""
    if part == 0 or part == parts:
        return end if part else at
    return min(end_of_line(buf, at + (end - at) // parts * part, end) + 1, end)


@parallel
def count_lines(t: Any, shared: Any, buf: Any, ends: Any, counts: Any) -> Any:
    """Lines of each part that have an end; and where the part ends."""
    parts, at, end = len(counts), ends[0], len(buf)
    part = fetch_add(shared, FIRST, 1)
    while part < parts:
        stop = end_of_part(buf, at, end, part + 1, parts)
        lines = 0
        for i in range(np.uint64(end_of_part(buf, at, end, part, parts)), np.uint64(stop)):
            lines += buf[i] == NEWLINE
        ends[part + 1], counts[part, 0] = stop, lines
        part = fetch_add(shared, FIRST, 1)
