"""Edges of text, read in blocks of whole lines: the formats of `lagcolor.io`, but no binary ones."""

from __future__ import annotations

import contextlib
import gzip
import shutil
import sys
import zlib
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ....core.errors import GraphError
from ....io import dimacs, edge_list, matrix_market, metis, names, other_forms, parse
from ....io.files import GZIP, STDIN, FirstLine, malformed
from ....progress import unheard
from .arrays import Whole
from .sources import Budget, Chunk, Source

HEAD = 1 << 20  # the head of a file is within this number of bytes


class Block(NamedTuple):
    """Whole lines: their bytes, at which byte (of what is unpacked) they begin, and bytes of the file read so far."""

    buf: np.ndarray
    byte: int
    done: int


class Place(NamedTuple):
    """Where lines begin: a byte of a block, the number of that line, and how many rows are before it (of METIS)."""

    at: int
    line: int
    row: int


class Lines(NamedTuple):
    """What the head of a file says of the lines after it."""

    begin: Place
    # the edges of a block from a place on, and the line and row after them
    edges: Callable[[Block, Place], tuple[Any, Any, int, int]]
    # raises where a file ends too early or late: edges, the line and row at the end, and whether no other file is
    # converted
    check: Callable[[int, int, int, bool], None]
    n: int | None = None  # see `Source`
    at_least: int = 0
    named: bool = False
    both: bool = False
    most: float = np.inf  # how many edges there are, at most


class File(NamedTuple):
    """A file, by the path that messages name and the one where it lies."""

    path: Path
    place: Path

    @classmethod
    def of(cls, path: Path, work: Path) -> File:
        """The reader of a path; standard input is written to a file in `work` first."""
        if path != STDIN:
            return cls(path, path)
        stream: Any = sys.stdin.buffer
        packed = stream.peek(len(GZIP))[: len(GZIP)] == GZIP
        place = work / ("input.gz" if packed else "input")
        with open(place, "wb") as out:
            shutil.copyfileobj(stream, out)
        return cls(path, place)

    @contextlib.contextmanager
    def opened(self) -> Iterator[tuple[Any, Any]]:
        """The file unpacked, and as it lies."""
        try:
            with contextlib.ExitStack() as stack:
                raw = stack.enter_context(open(self.place, "rb", buffering=0))
                packed = self.place.name.lower().endswith(".gz")
                yield (stack.enter_context(gzip.open(raw)) if packed else raw), raw
        except (EOFError, zlib.error, gzip.BadGzipFile) as e:
            raise malformed(self.path, f"damaged or truncated gzip file ({e})") from e

    def blocks(self, size: int, longest: int, begin: int = 0) -> Generator[Block]:
        """Whole lines in blocks of about `size` bytes, from a byte on at which a line begins."""
        with self.opened() as (unpacked, raw):
            unpacked.seek(begin)
            rest, byte = b"", begin
            while data := unpacked.read(size):
                at = data.rfind(b"\n") + 1
                if at == 0:
                    rest += data
                    if len(rest) > longest:
                        what = f"a line of over {longest} bytes, from byte {byte} on: pass more memory"
                        raise malformed(self.path, what)
                    continue
                whole, rest = rest + data[:at], data[at:]
                yield Block(np.frombuffer(whole, np.uint8), byte, raw.tell())
                byte += len(whole)
            if rest:
                yield Block(np.frombuffer(rest, np.uint8), byte, raw.tell())

    def whole(self, format: str, budget: Budget) -> Whole:
        """All of it, where it has no more bytes, unpacked, than a line may have."""
        size = 0
        with self.opened() as (unpacked, _):
            while data := unpacked.read(budget.block):
                size += len(data)
                if size > budget.line:
                    what = f"a file of this format is read whole, and over {budget.line} bytes are too many"
                    raise malformed(self.path, f"{what}: pass more memory")
        return Whole(self.path, format, budget)


class Text(Source):
    """Edges of lines, block by block."""

    n: Any
    at_least: Any
    named: Any
    both: Any
    edges: Any

    def __init__(self, file: File, budget: Budget, first: Block, lines: Lines) -> None:
        super().__init__(file.path, file.place)
        self._file, self._budget, self._lines = file, budget, lines
        self.n, self.at_least, self.named, self.both = lines.n, lines.at_least, lines.named, lines.both
        seen = max(int(np.count_nonzero(first.buf == parse.NEWLINE)), 1)
        share = self.size / max(first.done, 1)
        # An adjacency file declares its entries. Each takes a digit and a separator.
        self.edges = share * seen if lines.most == np.inf else min(lines.most, share * len(first.buf) / 2)

    def chunks(self, at: dict[str, int] | None, alone: bool) -> Iterator[Chunk]:
        """See `Source`."""
        begin = self._lines.begin
        place = at or {"byte": begin.at, "line": begin.line, "edges": 0, "row": 0}
        byte, line, edges, row = (place[key] for key in ("byte", "line", "edges", "row"))
        for block in self._file.blocks(self._budget.block, self._budget.line, byte):
            with unheard():
                u, v, line, row = self._lines.edges(block, Place(max(byte - block.byte, 0), line, row))
            edges += len(u)
            after = {"byte": block.byte + len(block.buf), "line": line, "edges": edges, "row": row}
            yield Chunk(u, v, after, block.done)
        self._lines.check(edges, line, row, alone)


def _edge_list(path: Path, first: Block, told: FirstLine, n: int | None) -> Lines:
    """See lagcolor/io/edge_list.py."""
    head, counts, layout, header = edge_list.begin(path, first.buf, told)
    lookout = names.Lookout(path, head.line - header, layout, header)
    whole: list[Any] = []  # what may be all of the file
    high, numbers = 10**parse.MAX_DIGITS - 1, f"whole numbers of up to {parse.MAX_DIGITS} digits, from 0 on"
    if n is not None:
        high, numbers = n - 1, f"there are {n} vertices, numbered from 0 on"

    def edges(block: Block, place: Place) -> tuple[Any, Any, int, int]:
        buf, (at, line, row) = block.buf, place
        if not layout.named and layout.ends == (0, 1):
            u, v, stop = parse.pairs(buf, at, line, edge_list.form(layout, high), np.int64)
            if stop.status != parse.DONE:
                raise edge_list.error(path, buf, stop, layout, stop.line == head.line, numbers)
            if line == head.line:
                whole[:] = buf, at, line, layout, (u, v)
            return u, v, stop.line, row
        after = line + int(np.count_nonzero(buf[at:] == parse.NEWLINE))
        if not layout.named:
            return *edge_list.chosen(path, buf, at, line, layout, high, numbers), after, row
        first_names, second_names = names.pairs(path, buf, at, line, layout, block.byte)
        lookout.look(first_names, second_names, block.byte <= head.at)
        return first_names, second_names, after, row

    def check(edges: int, line: int, row: int, alone: bool) -> None:
        """Of several files a comment may count the edges of all, and where n is known none is needed."""
        lookout.end()
        if alone and (edges or counts is not None or n is None):
            edge_list.check_count(path, head.line, edges, counts)
        if whole and edges == len(whole[-1][0]):
            other_forms.check(path, *whole)

    at_least = 0 if counts is None else counts.nodes
    return Lines(Place(head.at, head.line, 0), edges, check, at_least=at_least, named=layout.named)


def _dimacs(path: Path, first: Block, dialect: dimacs.Dialect) -> Lines:
    """See lagcolor/io/dimacs.py."""
    head, header = dimacs.begin(path, first.buf, dialect)

    def edges(block: Block, place: Place) -> tuple[Any, Any, int, int]:
        u, v, stop = dimacs.edges(path, block.buf, place.at, place.line, dialect, header.n, np.int64)
        return u, v, stop.line, place.row

    def check(edges: int, line: int, row: int, alone: bool) -> None:
        """Of a .col, which may count edges once or twice, only too few are noticed."""
        is_gr = dialect is dimacs.GR
        if edges != header.m if is_gr else 2 * edges < header.m:
            what = f"the p line declares {header.m} {'arcs' if is_gr else 'edges'}, but {edges} follow"
            raise malformed(path, what, header.line)

    return Lines(Place(head.at, head.line, 0), edges, check, header.n)


def _matrix_market(path: Path, head: parse.LineReader, header: matrix_market.Header) -> Lines:
    """See lagcolor/io/matrix_market.py; coordinates."""
    if header.rows != header.columns:
        raise GraphError(header.no_graph)

    def edges(block: Block, place: Place) -> tuple[Any, Any, int, int]:
        u, v, stop = matrix_market.entries(path, block.buf, place.at, place.line, header, np.int64)
        return u, v, stop.line, place.row

    def check(edges: int, line: int, row: int, alone: bool) -> None:
        if edges != header.entries:
            what = f"this line declares {header.entries} entries, but {edges} follow"
            raise malformed(path, what, header.line)

    return Lines(Place(head.at, head.line, 0), edges, check, header.rows, both=header.symmetry == "general")


def _metis(path: Path, first: Block) -> Lines:
    """See lagcolor/io/metis.py."""
    n, m, leading, weighted, head = metis.begin(path, first.buf)

    def edges(block: Block, place: Place) -> tuple[Any, Any, int, int]:
        buf, left = block.buf[place.at :], n - place.row
        count = min(int(np.count_nonzero(buf == parse.NEWLINE)) + 1, left)
        indptr, indices, stop, end = parse.rows(buf, place.line, parse.Rows(metis.ROLE, n, leading, weighted), count)
        if stop.status not in (parse.DONE, parse.MISSING):  # where lines are comments there are fewer rows
            raise metis.error(path, buf, stop, n, leading, weighted)
        if stop.rows == left:
            for line, text in enumerate(buf[end:].tobytes().splitlines(), stop.line):
                if text.strip() and not text.strip().startswith(b"%"):
                    raise metis.error(path, buf, stop._replace(status=parse.EXTRA, line=line), n, 0, False)
        u = np.repeat(np.arange(place.row, place.row + stop.rows, dtype=np.int64), np.diff(indptr[: stop.rows + 1]))
        return u, indices.astype(np.int64), stop.line, place.row + stop.rows

    def check(edges: int, line: int, row: int, alone: bool) -> None:
        """Self-loops, which may be counted in any way, count neither way here."""
        if row != n and row != n - 1:  # the last may be an empty line without its newline
            raise malformed(path, f"the header declares {n} vertices, but the file ends after {row}", line)
        if edges < m:
            what = f"the header declares {m} edges, but only {edges} neighbors are listed"
            raise malformed(path, what, head.line - 1)

    return Lines(Place(head.at, head.line, 0), edges, check, n, both=True, most=2 * m)


def source(
    path: Path, format: str, budget: Budget, n: int | None, told: FirstLine, work: Path
) -> Source:  # fmt: skip
    """The source of a file of text, whose head is read."""
    file = File.of(path, work)
    if format == "col.b":
        return file.whole(format, budget)
    with contextlib.closing(file.blocks(min(budget.block, HEAD), budget.line)) as blocks:
        first = next(blocks, Block(np.zeros(0, np.uint8), 0, 0))
    if format == "mtx":
        head = parse.LineReader(first.buf)
        header = matrix_market.begin(path, head)
        if header.entries is None:
            if path == STDIN:
                raise malformed(path, "a dense matrix: pass it as a file")
            return file.whole(format, budget)
        lines = _matrix_market(path, head, header)
    elif format == "metis":
        lines = _metis(path, first)
    elif format in ("col", "gr"):
        lines = _dimacs(path, first, dimacs.COL if format == "col" else dimacs.GR)
    else:
        lines = _edge_list(path, first, told, n)
    return Text(file, budget, first, lines)
