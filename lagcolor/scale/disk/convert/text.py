"""Edges of text, read in blocks of whole lines: the formats of `lagcolor.io`, but no binary ones."""

from __future__ import annotations

import contextlib
import gzip
import shutil
import sys
import zlib
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ....core.errors import GraphError
from ....io import dimacs, edge_list, matrix_market, metis, names, parse
from ....io.files import AS_IT_SEEMS, GZIP, STDIN, FirstLine, malformed
from ....io.formats import read as read_whole
from ....progress import unheard
from .sources import Budget, Chunk, Source

HEAD = 1 << 20  # bytes in which the head of a file is
Ends = tuple[Any, Any, int, int]  # both ends of some edges, and the line and row after them


class Block(NamedTuple):
    """Whole lines: their bytes, at which byte (of what is unpacked) they begin, and bytes of the file read so far."""

    buf: np.ndarray
    byte: int
    done: int


class File(NamedTuple):
    """A file, by the path that messages name and the one where it lies."""

    path: Path
    place: Path

    @classmethod
    def of(cls, path: Path, work: Path) -> File:
        """That of a path; standard input is written to a file in `work` first."""
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

    def fits(self, budget: Budget) -> bool:
        """Whether it has no more bytes, unpacked, than a line may have."""
        size = 0
        with self.opened() as (unpacked, _):
            while size <= budget.line and (data := unpacked.read(budget.block)):
                size += len(data)
        return size <= budget.line


class Text(Source):
    """Edges of lines, block by block. A format says where lines begin, and has the edges of some of them.

    Attributes
    ----------
    at, line : int
        Where lines begin after the head.
    """

    at: int
    line: int

    def __init__(self, file: File, budget: Budget, first: Block) -> None:
        super().__init__(file.path, file.place)
        self._file, self._budget = file, budget
        lines = max(int(np.count_nonzero(first.buf == parse.NEWLINE)), 1)
        self.edges = self.size / max(first.done, 1) * lines
        self._unpacked = self.size / max(first.done, 1) * len(first.buf)

    def _ends(self, block: Block, at: int, line: int, row: int) -> Ends:
        """The edges from byte `at` of a block on."""
        raise NotImplementedError

    def _check(self, edges: int, line: int, row: int, alone: bool) -> None:
        """Nothing, where as many edges were found as the head declares; `alone`: no other file is converted."""
        raise NotImplementedError

    def chunks(self, at: dict[str, int] | None, alone: bool) -> Iterator[Chunk]:
        """See `Source`."""
        place = at or {"byte": self.at, "line": self.line, "edges": 0, "row": 0}
        byte, line, edges, row = (place[key] for key in ("byte", "line", "edges", "row"))
        for block in self._file.blocks(self._budget.block, self._budget.line, byte):
            with unheard():
                u, v, line, row = self._ends(block, max(byte - block.byte, 0), line, row)
            edges += len(u)
            after = {"byte": block.byte + len(block.buf), "line": line, "edges": edges, "row": row}
            yield Chunk(u, v, after, block.done)
        self._check(edges, line, row, alone)


class EdgeList(Text):
    """See lagcolor/io/edge_list.py."""

    def __init__(self, file: File, budget: Budget, first: Block, n: int | None, told: FirstLine | None) -> None:
        super().__init__(file, budget, first)
        head, self._counts, self._layout = edge_list.begin(self.path, first.buf, told or AS_IT_SEEMS)
        self._most, self.at, self.line, self.named = n, head.at, head.line, self._layout.named
        self.at_least = 0 if self._counts is None else self._counts.nodes

    def chunks(self, at: dict[str, int] | None, alone: bool) -> Iterator[Chunk]:
        """See `Source`."""
        self._lookout = names.Lookout(self._layout.doubt)
        return super().chunks(at, alone)

    def _ends(self, block: Block, at: int, line: int, row: int) -> Ends:
        buf, path, layout = block.buf, self.path, self._layout
        if self.named:
            u, v = names.pairs(path, buf, at, line, layout, block.byte)
            self._lookout.look(u, v, block.byte <= self.at)
            return u, v, line + int(np.count_nonzero(buf[at:] == parse.NEWLINE)), row
        high, numbers = 10**parse.MAX_DIGITS - 1, f"whole numbers of up to {parse.MAX_DIGITS} digits, from 0 on"
        if self._most is not None:
            high, numbers = self._most - 1, f"there are {self._most} vertices, numbered from 0 on"
        if layout.ends != (0, 1):
            a, b = edge_list.chosen(path, buf, at, line, layout, high, numbers)
            return a, b, line + int(np.count_nonzero(buf[at:] == parse.NEWLINE)), row
        a, b, stop = parse.pairs(buf, at, line, edge_list.ROLE, low=0, high=high, dtype=np.int64)
        if stop.status != parse.DONE:
            raise parse.error(path, buf, stop, edge_list.expected(stop.line == self.line), numbers)
        return a, b, stop.line, row

    def _check(self, edges: int, line: int, row: int, alone: bool) -> None:
        """Of several files a comment may count the edges of all, and where n is known none is needed."""
        self._lookout.end()
        if alone and (edges or self._counts is not None or self._most is None):
            edge_list.check_count(self.path, self.line, edges, self._counts)


class Dimacs(Text):
    """See lagcolor/io/dimacs.py."""

    def __init__(self, file: File, budget: Budget, first: Block, dialect: dimacs.Dialect) -> None:
        super().__init__(file, budget, first)
        head, self._header = dimacs.begin(self.path, first.buf, dialect)
        self._dialect, self.at, self.line, self.n = dialect, head.at, head.line, self._header.n

    def _ends(self, block: Block, at: int, line: int, row: int) -> Ends:
        u, v, stop = dimacs.edges(self.path, block.buf, at, line, self._dialect, self._header.n, np.int64)
        return u, v, stop.line, row

    def _check(self, edges: int, line: int, row: int, alone: bool) -> None:
        """Of a .col, which may count edges once or twice, only too few are noticed."""
        m, is_gr = self._header.m, self._dialect is dimacs.GR
        if edges != m if is_gr else 2 * edges < m:
            what = f"the p line declares {m} {'arcs' if is_gr else 'edges'}, but {edges} follow"
            raise malformed(self.path, what, self._header.line)


class MatrixMarket(Text):
    """See lagcolor/io/matrix_market.py; coordinates."""

    def __init__(
        self, file: File, budget: Budget, first: Block, head: parse.LineReader, header: matrix_market.Header
    ) -> None:
        super().__init__(file, budget, first)
        if header.rows != header.columns:
            raise GraphError(header.no_graph)
        self._header, self.at, self.line, self.n = header, head.at, head.line, header.rows
        self.both = header.symmetry == "general"

    def _ends(self, block: Block, at: int, line: int, row: int) -> Ends:
        u, v, stop = matrix_market.entries(self.path, block.buf, at, line, self._header, np.int64)
        return u, v, stop.line, row

    def _check(self, edges: int, line: int, row: int, alone: bool) -> None:
        if edges != self._header.entries:
            what = f"this line declares {self._header.entries} entries, but {edges} follow"
            raise malformed(self.path, what, self._header.line)


class Metis(Text):
    """See lagcolor/io/metis.py."""

    n: int
    both = True

    def __init__(self, file: File, budget: Budget, first: Block) -> None:
        super().__init__(file, budget, first)
        self.n, self._m, self._leading, self._weighted, head = metis.begin(self.path, first.buf)
        self.at, self.line = head.at, head.line
        self.edges = min(self._m * 2, self._unpacked / 2)  # each takes a digit and a separator

    def _ends(self, block: Block, at: int, line: int, row: int) -> Ends:
        buf, left = block.buf[at:], self.n - row
        count = min(_rows(buf), left)
        indptr, indices, stop, end = parse.rows(
            buf, line, metis.ROLE, count, self.n, self._leading, self._weighted
        )  # fmt: skip
        if stop.status != parse.DONE:
            raise metis.error(self.path, buf, stop, self.n, self._leading, self._weighted)
        line = stop.line
        if count == left:
            for text in buf[end:].tobytes().splitlines():
                if text.strip() and not text.strip().startswith(b"%"):
                    stop = stop._replace(status=parse.EXTRA, line=line)
                    raise metis.error(self.path, buf, stop, self.n, 0, False)
                line += 1
        u = np.repeat(np.arange(row, row + count, dtype=np.int64), np.diff(indptr))
        return u, indices.astype(np.int64), line, row + count

    def _check(self, edges: int, line: int, row: int, alone: bool) -> None:
        """Self-loops, which may be counted in any way, count neither way here."""
        if row != self.n and row != self.n - 1:  # the last may be an empty line without its newline
            what = f"the header declares {self.n} vertices, but the file ends after {row}"
            raise malformed(self.path, what, line)
        if edges < self._m:
            what = f"the header declares {self._m} edges, but only {edges} neighbours are listed"
            raise malformed(self.path, what, self.line - 1)


def _rows(buf: np.ndarray) -> int:
    """How many lines are no comments."""
    text = buf.tobytes()
    lines = text.count(b"\n") + (not text.endswith(b"\n"))
    if b"%" not in text:
        return lines
    return lines - sum(line.lstrip().startswith(b"%") for line in text.split(b"\n"))


class Whole(Source):
    """A file that is read as `lagcolor.io` reads it, in memory: DIMACS binary, dense Matrix Market."""

    def __init__(self, file: File, format: str, budget: Budget) -> None:
        super().__init__(file.path)
        if not file.fits(budget):
            what = f"a file of this format is read whole, and over {budget.line} bytes are too many: pass more memory"
            raise malformed(file.path, what)
        with unheard():
            self._found = read_whole(file.path, True, format)
        if self._found.columns is not None:
            raise GraphError(self._found.no_graph)
        self._step, self.n, self.edges = budget.edges, self._found.n, len(self._found.first)

    def chunks(self, at: dict[str, int] | None, alone: bool) -> Iterator[Chunk]:
        """See `Source`."""
        m = int(self.edges)
        for k in range(0 if at is None else at["edges"], m, self._step):
            end = min(k + self._step, m)
            u, v = (np.asarray(a[k:end], np.int64) for a in (self._found.first, self._found.second))
            yield Chunk(u, v, {"edges": end}, self.size * end // m)


def source(
    path: Path, format: str, budget: Budget, n: int | None, told: FirstLine | None, work: Path
) -> Source:  # fmt: skip
    """The source of a file of text, whose head is read."""
    file = File.of(path, work)
    if format == "col.b":
        return Whole(file, format, budget)
    with contextlib.closing(file.blocks(min(budget.block, HEAD), budget.line)) as blocks:
        first = next(blocks, Block(np.zeros(0, np.uint8), 0, 0))
    if format == "mtx":
        head = parse.LineReader(first.buf)
        header = matrix_market.begin(path, head)
        if header.entries is not None:
            return MatrixMarket(file, budget, first, head, header)
        if path == STDIN:
            raise malformed(path, "a dense matrix: pass it as a file")
        return Whole(file, format, budget)
    if format == "metis":
        return Metis(file, budget, first)
    if format in ("col", "gr"):
        return Dimacs(file, budget, first, dimacs.COL if format == "col" else dimacs.GR)
    return EdgeList(file, budget, first, n, told)
