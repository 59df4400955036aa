"""Edges of text, read in blocks of whole lines: the formats of `lagcolor.io`, but no binary ones."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ....core.errors import GraphError
from ....io import dimacs, edge_list, matrix_market, metis, names, other_forms, parse
from ....io.files import GZIP, STDIN, FirstLine, malformed, unpacked
from ....io.pieces import whole_lines
from ....progress import unheard
from .arrays import arrays
from .sources import Budget, Chunk, Place, Source

HEAD = 1 << 20  # the head of a file is within this number of bytes


class File(NamedTuple):
    """A file, by the path that messages name and the one where it lies."""

    path: Path
    place: Path
    budget: Budget

    @classmethod
    def of(cls, path: Path, budget: Budget, work: Path) -> File:
        """The reader of a path; standard input is written to a file in `work` first."""
        if path != STDIN:
            return cls(path, path, budget)
        stream: Any = sys.stdin.buffer
        packed = stream.peek(len(GZIP))[: len(GZIP)] == GZIP
        place = work / ("input.gz" if packed else "input")
        with open(place, "wb") as out:
            shutil.copyfileobj(stream, out)
        return cls(path, place, budget)

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return os.stat(self.place).st_size

    def blocks(self, begin: int = 0, size: int = 1 << 62) -> Generator[tuple[np.ndarray, int]]:
        """Whole lines, from a byte on at which one begins, in blocks; and how many bytes of the file are read."""
        size = min(size, self.budget.block)
        with open(self.place, "rb", buffering=0) as raw:
            if self.place.name.lower().endswith(".gz"):
                data = unpacked(self.path, raw, begin, size)
            else:
                raw.seek(begin)
                data = iter(lambda: raw.read(size), b"")
            for block in whole_lines(self.path, data, size, self.budget.line, ": pass more memory"):
                yield np.frombuffer(block, np.uint8), self.size if raw.closed else raw.tell()

    def whole(self, format: str, work: Path) -> Source:
        """All of it, where it has no more bytes, unpacked, than a line may have."""
        size, most = 0, self.budget.line
        for block, _ in self.blocks():
            if (size := size + len(block)) > most:
                what = f"a file of this format is read whole, and over {most} bytes are too many: pass more memory"
                raise malformed(self.path, what)
        return arrays(self.path, format, self.budget, work)


class Lines(NamedTuple):
    """What the head of a file says of the lines after it."""

    head: parse.LineReader
    ends: Callable[[np.ndarray, Place], tuple[Any, Any, int]]  # of a block that begins at a place; and its rows
    # raises where a file ends too early or late, and whether no other file is converted
    check: Callable[[Place, bool], None]
    n: int | None = None  # see `Source`
    at_least: int = 0
    named: bool = False
    both: bool = False
    most: float = np.inf  # how many edges there are, at most


def _edge_list(path: Path, first: np.ndarray, told: FirstLine, n: int | None) -> Lines:
    """See lagcolor/io/edge_list.py."""
    head, counts, layout, header = edge_list.begin(path, first, told)
    lookout = names.Lookout(path, head.line - header, layout, header)
    whole: list[Any] = []  # what may be all of the file

    def ends(buf: np.ndarray, place: Place) -> tuple[Any, Any, int]:
        begins, at = place.byte == head.at, (0, place.line, layout)
        if layout.named:
            named = names.pairs(path, buf, *at, place.byte)
            lookout.look(*named, begins)
            return *named, 0
        numbers = edge_list.numbers(path, buf, *at, begins, n)
        if begins and layout.ends == (0, 1):
            whole[:] = buf, *at, numbers
        return *numbers, 0

    def check(end: Place, alone: bool) -> None:
        """Of several files a comment may count the edges of all, and where n is known none is needed."""
        lookout.end()
        if alone and (end.edges or counts is not None or n is None):
            edge_list.check_count(path, head.line, end.edges, counts)
        if whole and end.edges == len(whole[-1][0]):
            other_forms.check(path, *whole)

    return Lines(head, ends, check, at_least=0 if counts is None else counts.nodes, named=layout.named)


def _dimacs(path: Path, first: np.ndarray, dialect: dimacs.Dialect) -> Lines:
    """See lagcolor/io/dimacs.py."""
    head, header = dimacs.begin(path, first, dialect)

    def ends(buf: np.ndarray, place: Place) -> tuple[Any, Any, int]:
        return *dimacs.edges(path, buf, 0, place.line, dialect, header.n), 0

    def check(end: Place, alone: bool) -> None:
        """Of a .col, which may count edges once or twice, only too few are noticed."""
        is_gr = dialect is dimacs.GR
        if end.edges != header.m if is_gr else 2 * end.edges < header.m:
            what = f"the p line declares {header.m} {'arcs' if is_gr else 'edges'}, but {end.edges} follow"
            raise malformed(path, what, header.line)

    return Lines(head, ends, check, header.n)


def _matrix_market(path: Path, first: np.ndarray) -> Lines | None:
    """See lagcolor/io/matrix_market.py; None if the matrix is dense."""
    head = parse.LineReader(first)
    header = matrix_market.begin(path, head)
    if header.entries is None:
        return None
    if header.rows != header.columns:
        raise GraphError(header.no_graph)

    def ends(buf: np.ndarray, place: Place) -> tuple[Any, Any, int]:
        return *matrix_market.entries(path, buf, 0, place.line, header), 0

    def check(end: Place, alone: bool) -> None:
        if end.edges != header.entries:
            what = f"this line declares {header.entries} entries, but {end.edges} follow"
            raise malformed(path, what, header.line)

    return Lines(head, ends, check, header.rows, both=header.symmetry == "general")


def _metis(path: Path, first: np.ndarray) -> Lines:
    """See lagcolor/io/metis.py."""
    n, m, leading, weighted, head = metis.begin(path, first)

    def ends(buf: np.ndarray, place: Place) -> tuple[Any, Any, int]:
        left = n - place.row
        count = min(int(np.count_nonzero(buf == parse.NEWLINE)) + 1, left)
        indptr, indices, stop, end = parse.rows(buf, place.line, parse.Rows(metis.ROLE, n, leading, weighted), count)
        if stop.status not in (parse.DONE, parse.MISSING):  # where lines are comments there are fewer rows
            raise metis.error(path, buf, stop, n, leading, weighted)
        rest = buf[end:].tobytes().splitlines() if stop.rows == left else []
        for line, text in enumerate(rest, stop.line):
            if text.strip() and not text.strip().startswith(b"%"):
                raise metis.error(path, buf, stop._replace(status=parse.EXTRA, line=line), n, 0, False)
        rows = np.arange(place.row, place.row + stop.rows, dtype=np.int32)
        return np.repeat(rows, np.diff(indptr[: stop.rows + 1])), indices, stop.rows

    def check(end: Place, alone: bool) -> None:
        """Self-loops, which may be counted in any way, count neither way here."""
        if end.row != n and end.row != n - 1:  # the last may be an empty line without its newline
            raise malformed(path, f"the header declares {n} vertices, but the file ends after {end.row}", end.line)
        if end.edges < m:
            what = f"the header declares {m} edges, but only {end.edges} neighbors are listed"
            raise malformed(path, what, head.line - 1)

    return Lines(head, ends, check, n, both=True, most=2 * m)


def source(path: Path, format: str, budget: Budget, n: int | None, told: FirstLine, work: Path) -> Source:
    """The source of a file of text, whose head is read."""
    file, lines = File.of(path, budget, work), None
    if format != "col.b":
        with contextlib.closing(file.blocks(size=HEAD)) as blocks, unheard():
            first, done = next(blocks, (np.zeros(0, np.uint8), 0))
        if format == "mtx":
            lines = _matrix_market(path, first)
        elif format == "metis":
            lines = _metis(path, first)
        elif format in ("col", "gr"):
            lines = _dimacs(path, first, dimacs.COL if format == "col" else dimacs.GR)
        else:
            lines = _edge_list(path, first, told, n)
    if lines is None and path == STDIN:
        raise malformed(path, "a dense matrix: pass it as a file")
    if lines is None:
        return file.whole(format, work)
    share, seen = file.size / max(done, 1), int(np.count_nonzero(first == parse.NEWLINE))
    # An adjacency file declares its entries. Each takes a digit and a separator.
    edges = share * max(seen, 1) if lines.most == np.inf else min(lines.most, share * len(first) / 2)
    known = lines.n, lines.at_least, lines.named, lines.both
    return Source(path, file.size, edges, lambda begin, alone: _chunks(file, lines, begin, alone), *known)


def _chunks(file: File, lines: Lines, place: Place, alone: bool) -> Iterator[Chunk]:
    """Edges of lines, block by block."""
    if place == Place():
        place = Place(0, lines.head.at, lines.head.line)
    blocks = file.blocks(place.byte)
    while True:
        with unheard():  # a part of the stage that reads all files
            buf, done = next(blocks, (None, 0))
            if buf is None:
                break
            u, v, rows = lines.ends(buf, place)
        line = place.line + int(np.count_nonzero(buf == parse.NEWLINE))
        place = Place(place.edges + len(u), place.byte + len(buf), line, place.row + rows)
        yield Chunk(u, v, place, done)
    lines.check(place, alone)
