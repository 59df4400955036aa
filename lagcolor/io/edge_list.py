"""Edge lists, as SNAP and many others write them: two vertex numbers per line.

    # Nodes: 4 Edges: 3
    0	1
    1	2
    2	3

Fields are separated by blanks, tabs, commas or semicolons. All lines have the same number of fields: two ends, or two
ends and a number, which is not read. Lines that begin with # or % are comments. A first line may name any number of
columns, which identifies the two ends: columns.py. An edge may be listed in one direction or in both, and repeatedly. A
file without edges must have a comment of SNAP with 0 edges. Texts of other forms are errors: other_forms.py.

Vertices are the numbers 0 … max, or more if the comment of SNAP declares more nodes. A list that counts from 1 has an
isolated vertex 0, which gives a warning. If max is 1000 or more and less than a quarter of the numbers occur, the
occurring numbers are renumbered in ascending order and become labels.

Reference: J. Leskovec and A. Krevl, SNAP Datasets, https://snap.stanford.edu/data.
"""

from __future__ import annotations

import itertools
import re
from array import array
from collections import defaultdict
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from ..base.errors import FormatError
from ..inputs.canonical import Structure
from ..inputs.ends import Ends
from ..inputs.sizes import check_most
from . import emit, other_forms, parse
from .columns import LONGEST, Layout, Lookout, also, fields_of, layout, pairs
from .fields import separator, split
from .files import GZIP, NO_HINT, PACKED, FirstLine, bare_name, malformed
from .pieces import Lines, Place, Text, pairs_of, text_of

ROLE = parse.roles(skip=b"#%", separator=b",;")
EMPTY = parse.roles(skip=b"")
CR, BEGINNING = 13, 1 << 16  # carriage return; bytes in which the first line must end
RULES = {  # headers of files that are not edges
    ("vertex", "color"): "colors", ("u", "v", "color"): "colors", ("vertex", "weight"): "weights",
    ("color", "capacity"): "capacities",
}  # fmt: skip
_NEGATIVE = re.compile(r"[\s,;']-\d")
_COUNTS = re.compile(r"#\s*Nodes:\s*(\d+)\s+Edges:\s*(\d+)\s*$", re.IGNORECASE)


class Counts(NamedTuple):
    """The numbers that SNAP's comment declares, and its line."""

    nodes: int
    edges: int
    line: int


def read(path: Path, symmetrize: bool, hint: FirstLine = NO_HINT, matrix: bool = False) -> Structure | Ends:
    """Read a file; see `lagcolor.io.read`. With `matrix`, ends are rows and columns, except after SNAP's comment."""
    text = text_of(path)
    lines, counts, fields, header = lines_of(path, text.first, hint)
    first = lines.begin
    if not text.whole and parse.NEWLINE not in text.first[first.byte :]:
        raise malformed(path, f"no line of edges in the first {len(text.first)} bytes", first.line)
    matrix = matrix and counts is None
    if fields.named:
        return _names(path, text, lines, matrix)
    u, v, end = pairs_of(path, text, lines)
    lines.check(end, True)
    sure = hint.columns is not None or hint.form
    if header and fields.fields > 2 and not sure and len(u) > 2 and max(u.max(), v.max()) <= 1:
        raise other_forms.named_matrix(path, first.line - 1, fields.separator)
    if matrix:
        return Ends(u, v, ("the first column", "the second column"))
    n = 1 + int(max(u.max(), v.max())) if len(u) else 0
    if counts is not None and counts.nodes >= n:
        n = counts.nodes
        check_most(n)
        return Structure("edges", u, v, n)
    return Structure("edges", u, v, None, loose=True)


def _names(path: Path, text: Text, lines: Lines, matrix: bool) -> Structure:
    """Return the edges between names, which are numbered in the order of first occurrence."""
    first: defaultdict[str, int] = defaultdict(itertools.count().__next__)
    second = defaultdict(itertools.count().__next__) if matrix else first

    def numbered(piece: np.ndarray, at: int, place: Place) -> tuple[np.ndarray, np.ndarray, int]:
        u, v, rows = lines.ends(piece, at, place)
        if matrix:
            a, b = (np.fromiter(map(f.__getitem__, ends), np.int32, len(u)) for f, ends in ((first, u), (second, v)))
            return a, b, rows
        flat = itertools.chain.from_iterable(zip(u, v, strict=True))
        ends = np.fromiter(map(first.__getitem__, flat), np.int32, 2 * len(u))
        return ends[::2], ends[1::2], rows

    u, v, end = pairs_of(path, text, lines._replace(ends=numbered))
    lines.check(end, True)
    if matrix:
        return Structure("coo", u, v, len(first), list(first), columns=len(second), column_labels=list(second))
    return Structure("edges", u, v, len(first), list(first))


def lines_of(
    path: Path, buf: np.ndarray, hint: FirstLine, n: int | None = None
) -> tuple[Lines, Counts | None, Layout, bool]:
    """Return the reader of the lines after the head, for n vertices (None: unknown), and the results of `begin`."""
    head, counts, fields, header = begin(path, buf, hint)
    lookout = Lookout(path, head.line - header, fields, header)
    forms = other_forms.Forms(path, head.line, fields)

    def ends(buf: np.ndarray, at: int, place: Place) -> tuple[Any, Any, int]:
        nonlocal forms
        first = place.byte == head.at
        if fields.named:
            a, b, values = pairs(path, buf, at, place.line, fields, place.byte - at)
            lookout.look(a, b, values, first)
            return a, b, len(a)
        if first:  # a conversion may read a text twice
            forms = other_forms.Forms(path, head.line, fields)
        u, v = numbers(path, buf, at, place.line, fields, first, n)
        if forms.count == place.edges:  # a continued conversion does not know earlier edges
            forms.add(buf, at, u, v)
        return u, v, len(u)

    def check(end: Place, alone: bool) -> None:
        """Check the number of edges, unless a comment may count the edges of several texts, or n is known."""
        lookout.end()
        if alone and (end.edges or counts is not None or n is None):
            check_count(path, head.line, end.edges, counts)
        if forms.count == end.edges:
            forms.end()

    at_least = 0 if counts is None else counts.nodes
    lines = Lines(Place(0, head.at, head.line), ends, check, at_least=at_least, named=fields.named)
    return lines, counts, fields, header


def check_count(path: Path, line: int, edges: int, counts: Counts | None) -> None:
    """Raise an error unless a file has once or twice the declared edges; `line` is the first after its head."""
    if counts is None and not edges:
        raise malformed(path, "no edge in it, and no comment '# Nodes: <n> Edges: 0'", line)
    if counts is not None and edges not in (counts.edges, 2 * counts.edges):
        what = f"this comment declares {counts.edges} edges, but {edges} follow: correct it or delete it"
        raise malformed(path, what, counts.line)


def begin(
    path: Path, buf: np.ndarray, hint: FirstLine = NO_HINT
) -> tuple[parse.LineReader, Counts | None, Layout, bool]:
    """Return a reader past the head, the numbers in SNAP's comment, the layout, and whether columns have names."""
    head, counts = parse.LineReader(buf), None
    start = buf[:BEGINNING]
    if start[: len(GZIP)].tobytes() == GZIP:
        raise malformed(path, PACKED)
    if CR in start and parse.NEWLINE not in start:
        raise malformed(path, "lines end with a carriage return alone: tr '\\r' '\\n' <old >new mends it", 1)
    other_forms.check_comments(path, start.tobytes())
    while (line := head.peek()) is not None and line[:1] in ("", "#", "%"):
        if line.startswith("%%MatrixMarket"):
            raise malformed(path, "a Matrix Market file, not an edge list: pass format='mtx'", head.line)
        if match := _COUNTS.match(line):
            counts = Counts(int(match[1]), int(match[2]), head.line)
        head.skip()
        head.pass_over(EMPTY)
    if line is None:
        return head, counts, Layout(), False
    what = RULES.get(tuple(split(line.lower(), separator(line))))
    if what is not None and hint.columns is None and not hint.form:
        raise malformed(path, f"a file of {what}, not of edges; {other_forms.EDGES}", head.line)
    below = parse.LineReader(buf, head.at, head.line)
    below.skip()
    below.pass_over(ROLE)
    first, second = (parse.text_line(buf, at, LONGEST) for at in (head.at, below.at))
    if counts is not None:
        hint = hint._replace(form=True)
    found, is_header = layout(path, head.line, (first, second), hint)
    if counts is not None and not is_header:  # the count shows that the first line is an edge
        found = found._replace(words=None)
    return below if is_header else head, counts, found, is_header


def numbers(
    path: Path, buf: np.ndarray, at: int, line: int, fields: Layout, first: bool = True, n: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return both ends of each edge from byte `at` on, int32, or int64 if necessary; `first`: with the first edge."""
    most, allowed = 10**parse.MAX_DIGITS - 1, f"whole numbers of up to {parse.MAX_DIGITS} digits, from 0 on"
    if n is not None:
        most, allowed = n - 1, f"there are {n} vertices, numbered from 0 on"
    if fields.ends != (0, 1):
        u, v = chosen(path, buf, at, line, fields, most, allowed)
        if max(u.max(initial=0), v.max(initial=0)) <= 2**31 - 2:
            u, v = u.astype(np.int32), v.astype(np.int32)
        return u, v
    # Numbers over int32 are rare and take twice the memory: only then is the text parsed again.
    for dtype, high in ((np.int32, min(2**31 - 2, most)), (np.int64, most)):
        form = parse.Pairs(ROLE, 0, high, least=fields.values, most=fields.values, data=fields.data)
        u, v, stop = parse.pairs(buf, at, line, form, dtype)
        if stop.status != parse.RANGE:
            break
    if stop.status != parse.DONE:
        raise error(path, buf, stop, fields, first and stop.rows == 0, allowed)
    return u, v


def error(path: Path, buf: np.ndarray, stop: parse.Stop, fields: Layout, first: bool, allowed: str) -> FormatError:
    """Return the error for a line of numbers; the first line could also have had names."""
    what = "two vertices, numbers or names," if first else f"two vertex numbers{also(fields)},"
    found = parse.error(path, buf, stop, f"{what} or a comment that begins with # or %", allowed)
    if stop.status in (parse.EXTRA, parse.SHORT):
        return FormatError(f"{found}; for an adjacency list, pass {other_forms.adjacency(path, fields.separator)}")
    return found if stop.status == parse.RANGE else FormatError(f"{found}{_names_or_negative(str(found), first)}")


def _names_or_negative(error: str, first: bool = False) -> str:
    """Return the remedy for an error about a line with a name or a negative number, or about the first edge."""
    if _NEGATIVE.search(error.rpartition("found ")[2]):
        return "; a negative number is no vertex: leave the line out if it stands for none"
    names = "; the first edge has numbers, so all must: for names, move an edge with a name in front of all others"
    return "" if first else f"{names}, and pass header=False if no line names the columns"


def chosen(
    path: Path, buf: np.ndarray, at: int, line: int, fields: Layout, high: int, allowed: str
) -> tuple[np.ndarray, np.ndarray]:
    """Read numbers from 0 to `high` in two columns, int64, from byte `at` on; `allowed` states the range in errors."""
    ends = array("q"), array("q")
    # The other columns are not read, so that any encoding with one byte per character is suitable.
    for row in fields_of(path, buf[at:].tobytes().decode("latin-1"), line, fields, "vertex numbers"):
        for text, out in zip(row[:2], ends, strict=True):
            if not (text.isascii() and text.isdigit()):
                what = f"expected vertex numbers{fields.where}, found {parse.shown(row.text)}"
                raise malformed(path, what + _names_or_negative(what), row.line)
            if len(text) > parse.MAX_DIGITS or int(text) > high:
                what = (
                    f"vertex {parse.shown(text)[1:-1]} is out of range: {allowed}; the line is {parse.shown(row.text)}"
                )
                raise malformed(path, what, row.line)
            out.append(int(text))
    return np.frombuffer(ends[0], np.int64), np.frombuffer(ends[1], np.int64)


def write(out: IO[bytes], G: Any, path: Path) -> None:
    """Write edges with commas in a .csv, with tabs in other files; see `lagcolor.io.write`."""
    out.write(f"# Nodes: {G.n} Edges: {G.n_edges}\n".encode())
    for block in emit.edges(G, between=b"," if bare_name(path).endswith(".csv") else b"\t"):
        out.write(block)
