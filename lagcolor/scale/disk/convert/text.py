"""Edges of text, read in blocks of whole lines: the text formats of `lagcolor.io`."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ....base.errors import GraphError
from ....base.log import without_listener
from ....io import dimacs, edge_list, matrix_market, metis, parse
from ....io.files import GZIP, STDIN, FirstLine, malformed, unpacked
from ....io.pieces import Lines, Place, whole_lines
from .arrays import arrays
from .sources import Chunk, EdgeSource, MemoryShares

HEAD = 1 << 20  # bytes that contain the head of a file


class File(NamedTuple):
    """A file: `path` is for messages, `place` is where it is."""

    path: Path
    place: Path
    budget: MemoryShares

    @classmethod
    def of(cls, path: Path, budget: MemoryShares, work: Path) -> File:
        """Return the file of a path; standard input is written to a file in `work` first."""
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
        """Yield blocks of whole lines, from byte `begin` on, and the number of bytes of the file read so far."""
        size = min(size, self.budget.block)
        with open(self.place, "rb", buffering=0) as raw:
            if self.place.name.lower().endswith(".gz"):
                data = unpacked(self.path, raw, begin, size)
            else:
                raw.seek(begin)
                data = iter(lambda: raw.read(size), b"")
            for block in whole_lines(self.path, data, size, self.budget.line, begin, ": pass more memory"):
                yield np.frombuffer(block, np.uint8), self.size if raw.closed else raw.tell()

    def whole(self, format: str, work: Path) -> EdgeSource:
        """Return the source of a file that is read as a whole, if it is unpacked no longer than a line may be."""
        size, most = 0, self.budget.line
        for block, _ in self.blocks():
            if (size := size + len(block)) > most:
                what = f"a file of this format is read whole, and over {most} bytes are too many: pass more memory"
                raise malformed(self.path, what)
        return arrays(self.path, format, self.budget, work)


def source(path: Path, format: str, budget: MemoryShares, n: int | None, hint: FirstLine, work: Path) -> EdgeSource:
    """Read the head of a file of text, and return its source."""
    file, lines = File.of(path, budget, work), None
    if format != "col.b":
        with contextlib.closing(file.blocks(size=HEAD)) as blocks, without_listener():
            first, done = next(blocks, (np.zeros(0, np.uint8), 0))
        if format == "mtx":
            head = parse.LineReader(first)
            header = matrix_market.begin(path, head)
            if header.rows != header.columns:
                raise GraphError(header.no_graph)
            lines = None if header.entries is None else matrix_market.lines_of(path, head, header)
        elif format == "metis":
            lines = metis.lines_of(path, first)
        elif format in ("col", "gr"):
            lines, _ = dimacs.lines_of(path, first, dimacs.COL if format == "col" else dimacs.GR)
        else:
            lines, *_ = edge_list.lines_of(path, first, hint, n)
    if lines is None and path == STDIN:
        raise malformed(path, "a dense matrix: pass it as a file")
    if lines is None:
        return file.whole(format, work)
    share, seen = file.size / max(done, 1), int(np.count_nonzero(first == parse.NEWLINE))
    # An adjacency file declares its entries. Each takes a digit and a separator.
    edges = share * max(seen, 1) if lines.most == np.inf else min(lines.most, share * len(first) / 2)
    known = lines.n, lines.at_least, lines.named, lines.both, lines.declared
    return EdgeSource(path, file.size, edges, lambda begin, alone: _chunks(file, lines, begin, alone), *known)


def _chunks(file: File, lines: Lines, place: Place, alone: bool) -> Iterator[Chunk]:
    """Yield the edges of lines, block by block."""
    place = lines.begin if place == Place() else place
    blocks = file.blocks(place.byte)
    while True:
        with without_listener():  # this is a part of the stage that reads all files
            buf, done = next(blocks, (None, 0))
            if buf is None:
                break
            u, v, rows = lines.ends(buf, 0, place)
        place = place.after(buf, 0, len(u), rows)
        yield Chunk(u, v, place, done)
    lines.check(place, alone)
