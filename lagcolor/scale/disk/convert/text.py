"""Edges of text, read in blocks of whole lines: the formats of `lagcolor.io`, but no binary ones."""

from __future__ import annotations

import contextlib
import gzip
import io
import itertools
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ....core.errors import GraphError
from ....io import dimacs, edge_list, matrix_market, metis, names, parse
from ....io.files import AS_IT_SEEMS, GZIP, STDIN, FirstLine, malformed
from ....io.formats import read as read_whole
from ....progress import unheard
from .sources import Chunk, Room, Source

HEAD = 1 << 20  # bytes in which the head of a file is


class Block(NamedTuple):
    """Whole lines: their bytes, at which byte (of what is unpacked) they begin, and bytes of the file read so far."""

    buf: np.ndarray
    byte: int
    done: int


@contextlib.contextmanager
def stream(path: Path) -> Iterator[tuple[Any, Any]]:
    """A file unpacked, and as it lies (None of standard input)."""
    raw: Any
    if path == STDIN:
        raw = sys.stdin.buffer
        packed = raw.peek(len(GZIP))[: len(GZIP)] == GZIP
        with contextlib.ExitStack() as stack:
            yield (stack.enter_context(gzip.open(raw)) if packed else raw), None
    elif path.name.lower().endswith(".gz"):
        with open(path, "rb") as raw, gzip.open(raw) as unpacked:
            yield unpacked, raw
    else:
        with open(path, "rb", buffering=0) as raw:
            yield raw, raw


def blocks(path: Path, size: int, longest: int, begin: int = 0) -> Iterator[Block]:
    """Whole lines of a file in blocks of about `size` bytes, from a byte on at which a line begins."""
    try:
        with stream(path) as (unpacked, raw):
            _skip(unpacked, begin)
            rest, byte = b"", begin
            while data := unpacked.read(size):
                at = data.rfind(b"\n") + 1
                if at == 0:
                    rest += data
                    if len(rest) > longest:
                        raise malformed(
                            path, f"a line of over {longest} bytes, from byte {byte} on: pass more memory"
                        )  # fmt: skip
                    continue
                whole, rest = rest + data[:at], data[at:]
                yield Block(np.frombuffer(whole, np.uint8), byte, byte if raw is None else raw.tell())
                byte += len(whole)
            if rest:
                yield Block(np.frombuffer(rest, np.uint8), byte, byte if raw is None else raw.tell())
    except (EOFError, zlib.error, gzip.BadGzipFile) as e:
        raise malformed(path, f"damaged or truncated gzip file ({e})") from e


def _skip(unpacked: Any, begin: int) -> None:
    if isinstance(unpacked, io.FileIO):
        unpacked.seek(begin)
        return
    while begin and (data := unpacked.read(min(begin, HEAD))):
        begin -= len(data)


class Lines:
    """A format of lines: where they begin, and the edges of some of them.

    Attributes
    ----------
    at, line : int
        Where lines begin after the head.
    n, at_least, named, both
        As of `Source`.
    """

    at: int
    line: int
    n: int | None = None
    at_least = 0
    named = False
    both = False

    def edges(self, block: Block, at: int, line: int, row: int) -> tuple[Any, Any, int, int]:
        """Both ends of the edges from byte `at` of a block on, and the line and row after them."""
        raise NotImplementedError

    def end(self, edges: int, line: int, row: int, alone: bool) -> None:
        """Nothing, where as many edges were found as the head declares."""


class EdgeList(Lines):
    """See lagcolor/io/edge_list.py."""

    def __init__(self, path: Path, buf: np.ndarray, n: int | None, told: FirstLine | None) -> None:
        head, self._counts, self._layout = edge_list.begin(path, buf, told or AS_IT_SEEMS)
        self._lookout = names.Lookout(self._layout.doubt)
        self._path, self._most, self.at, self.line = path, n, head.at, head.line
        self.named = self._layout.named
        self.at_least = 0 if self._counts is None else self._counts.nodes

    def edges(self, block: Block, at: int, line: int, row: int) -> tuple[Any, Any, int, int]:
        """See `Lines`."""
        if self.named:
            u, v = names.pairs(self._path, block.buf, at, line, self._layout, block.byte)
            self._lookout.look(u, v, block.byte <= self.at)
            return u, v, line + int(np.count_nonzero(block.buf[at:] == parse.NEWLINE)), row
        high, numbers = 10**parse.MAX_DIGITS - 1, f"whole numbers of up to {parse.MAX_DIGITS} digits, from 0 on"
        if self._most is not None:
            high, numbers = self._most - 1, f"there are {self._most} vertices, numbered from 0 on"
        if self._layout.ends != (0, 1):
            a, b = edge_list.chosen(self._path, block.buf, at, line, self._layout, high, numbers)
            return a, b, line + int(np.count_nonzero(block.buf[at:] == parse.NEWLINE)), row
        a, b, stop = parse.pairs(block.buf, at, line, edge_list.ROLE, low=0, high=high, dtype=np.int64)
        if stop.status != parse.DONE:
            raise parse.error(self._path, block.buf, stop, edge_list.expected(stop.line == self.line), numbers)
        return a, b, stop.line, row

    def end(self, edges: int, line: int, row: int, alone: bool) -> None:
        """See `Lines`; of several files a comment may count the edges of all, and where n is given none is needed."""
        self._lookout.end()
        if alone and (edges or self._counts is not None or self._most is None):
            edge_list.check_count(self._path, self.line, edges, self._counts)


class Dimacs(Lines):
    """See lagcolor/io/dimacs.py."""

    def __init__(self, path: Path, buf: np.ndarray, dialect: dimacs.Dialect) -> None:
        head, self._header = dimacs.begin(path, buf, dialect)
        self._path, self._dialect = path, dialect
        self.at, self.line, self.n = head.at, head.line, self._header.n

    def edges(self, block: Block, at: int, line: int, row: int) -> tuple[Any, Any, int, int]:
        """See `Lines`."""
        u, v, stop = dimacs.edges(self._path, block.buf, at, line, self._dialect, self._header.n, np.int64)
        return u, v, stop.line, row

    def end(self, edges: int, line: int, row: int, alone: bool) -> None:
        """See `Lines`; of a .col, which may count edges once or twice, only too few are noticed."""
        m = self._header.m
        if edges != m if self._dialect is dimacs.GR else 2 * edges < m:
            what = "arcs" if self._dialect is dimacs.GR else "edges"
            raise malformed(
                self._path, f"the p line declares {m} {what}, but {edges} follow", self._header.line
            )  # fmt: skip


class MatrixMarket(Lines):
    """See lagcolor/io/matrix_market.py; coordinates."""

    def __init__(self, path: Path, head: parse.LineReader, header: matrix_market.Header) -> None:
        if header.rows != header.columns:
            raise GraphError(header.no_graph)
        self._path, self._header = path, header
        self.at, self.line, self.n, self.both = head.at, head.line, header.rows, header.symmetry == "general"

    def edges(self, block: Block, at: int, line: int, row: int) -> tuple[Any, Any, int, int]:
        """See `Lines`."""
        u, v, stop = matrix_market.entries(self._path, block.buf, at, line, self._header, np.int64)
        return u, v, stop.line, row

    def end(self, edges: int, line: int, row: int, alone: bool) -> None:
        """See `Lines`."""
        if edges != self._header.entries:
            what = f"this line declares {self._header.entries} entries, but {edges} follow"
            raise malformed(self._path, what, self._header.line)


class Metis(Lines):
    """See lagcolor/io/metis.py."""

    both = True

    def __init__(self, path: Path, buf: np.ndarray) -> None:
        self.n, self._m, self._leading, self._weighted, head = metis.begin(path, buf)
        self._path, self.at, self.line = path, head.at, head.line

    def edges(self, block: Block, at: int, line: int, row: int) -> tuple[Any, Any, int, int]:
        """See `Lines`."""
        assert self.n is not None
        buf, left = block.buf[at:], self.n - row
        count = min(_rows(buf), left)
        indptr, indices, stop, end = parse.rows(
            buf, line, metis.ROLE, count, self.n, self._leading, self._weighted
        )  # fmt: skip
        if stop.status != parse.DONE:
            raise metis.error(self._path, buf, stop, self.n, self._leading, self._weighted)
        line = stop.line
        if count == left:
            for text in buf[end:].tobytes().splitlines():
                if text.strip() and not text.strip().startswith(b"%"):
                    raise metis.error(
                        self._path, buf, stop._replace(status=parse.EXTRA, line=line), self.n, 0, False
                    )  # fmt: skip
                line += 1
        u = np.repeat(np.arange(row, row + count, dtype=np.int64), np.diff(indptr))
        return u, indices.astype(np.int64), line, row + count

    def end(self, edges: int, line: int, row: int, alone: bool) -> None:
        """See `Lines`; self-loops, which may be counted in any way, count neither way here."""
        if row != self.n and row != (self.n or 0) - 1:  # the last may be an empty line without its newline
            what = f"the header declares {self.n} vertices, but the file ends after {row}"
            raise malformed(self._path, what, line)
        if edges < self._m:
            what = f"the header declares {self._m} edges, but only {edges} neighbours are listed"
            raise malformed(self._path, what, self.line - 1)


def _rows(buf: np.ndarray) -> int:
    """How many lines are no comments."""
    text = buf.tobytes()
    lines = text.count(b"\n") + (not text.endswith(b"\n"))
    if b"%" not in text:
        return lines
    return lines - sum(line.lstrip().startswith(b"%") for line in text.split(b"\n"))


class Text(Source):
    """Edges of lines, block by block."""

    def __init__(self, path: Path, lines: Lines, room: Room, first: Block | None, rest: Iterator[Block]) -> None:
        super().__init__(path)
        self._lines, self._room, self._first, self._rest = lines, room, first, rest
        self.n, self.at_least, self.named, self.both = lines.n, lines.at_least, lines.named, lines.both
        if first is not None and path != STDIN:
            unpacked = self.size * len(first.buf) / max(first.done, 1)
            count = max(int(np.count_nonzero(first.buf == parse.NEWLINE)), 1)
            self.edges = unpacked / len(first.buf) * count
            if isinstance(lines, Metis):
                self.edges = min(lines._m * 2, unpacked / 2)  # each takes a digit and a separator
        if path != STDIN:
            self._first, self._rest = None, iter(())
            rest.close()  # type: ignore[attr-defined]  # a generator, whose file is closed so

    def chunks(self, at: dict[str, int] | None, alone: bool) -> Iterator[Chunk]:
        """See `Source`."""
        place = at or {"byte": self._lines.at, "line": self._lines.line, "edges": 0, "row": 0}
        byte, line, edges, row = (place[key] for key in ("byte", "line", "edges", "row"))
        found: Iterator[Block] = itertools.chain([self._first] if self._first is not None else [], self._rest)
        if self.path != STDIN:
            found = blocks(self.path, self._room.block, self._room.line, byte)
        for block in found:
            with unheard():
                u, v, line, row = self._lines.edges(block, max(byte - block.byte, 0), line, row)
            edges += len(u)
            after = {"byte": block.byte + len(block.buf), "line": line, "edges": edges, "row": row}
            yield Chunk(u, v, after, block.done)
        self._lines.end(edges, line, row, alone)


def fits_whole(path: Path, room: Room) -> bool:
    """Whether a file has no more bytes, unpacked, than a line may have."""
    size = 0
    try:
        with stream(path) as (unpacked, _):
            while size <= room.line and (data := unpacked.read(room.block)):
                size += len(data)
    except (EOFError, zlib.error, gzip.BadGzipFile) as e:
        raise malformed(path, f"damaged or truncated gzip file ({e})") from e
    return size <= room.line


class Whole(Source):
    """A file that is read as `lagcolor.io` reads it, in memory: DIMACS binary, dense Matrix Market."""

    def __init__(self, path: Path, format: str, room: Room) -> None:
        super().__init__(path)
        if not fits_whole(path, room):
            raise malformed(
                path, f"a file of this format is read whole, and over {room.line} bytes are too many: pass more memory"
            )
        with unheard():
            self._found = read_whole(path, True, format)
        if self._found.columns is not None:
            raise GraphError(self._found.no_graph)
        self._room, self.n, self.edges = room, self._found.n, len(self._found.first)

    def chunks(self, at: dict[str, int] | None, alone: bool) -> Iterator[Chunk]:
        """See `Source`."""
        for k in range(0 if at is None else at["edges"], int(self.edges), self._room.edges):
            end = min(k + self._room.edges, int(self.edges))
            u, v = (np.asarray(a[k:end], np.int64) for a in (self._found.first, self._found.second))
            yield Chunk(u, v, {"edges": end}, self.size * end // int(self.edges))


def source(path: Path, format: str, room: Room, n: int | None, told: FirstLine | None = None) -> Source:
    """The source of a file of text, whose head is read."""
    if format == "col.b":
        return Whole(path, format, room)
    rest = blocks(path, min(room.block, HEAD), room.line)
    first = next(rest, None)
    buf = np.zeros(0, np.uint8) if first is None else first.buf
    lines: Lines
    if format == "mtx":
        head = parse.LineReader(buf)
        header = matrix_market.begin(path, head)
        if header.entries is None:
            if path == STDIN:
                raise malformed(path, "a dense matrix: pass it as a file")
            return Whole(path, format, room)
        lines = MatrixMarket(path, head, header)
    elif format == "metis":
        lines = Metis(path, buf)
    elif format in ("col", "gr"):
        lines = Dimacs(path, buf, dimacs.COL if format == "col" else dimacs.GR)
    else:
        lines = EdgeList(path, buf, n, told)
    return Text(path, lines, room, first, rest)
