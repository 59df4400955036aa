"""DIMACS formats: .col and .col.b of the coloring challenge, and .gr of the shortest-path challenge.

    c a comment                     c a comment
    p edge 4 3                      p sp 4 6
    e 1 2                           a 1 2 17
    e 2 3                           a 2 1 17
    ...                             ...

Vertices count from 1. Edges are undirected, in one direction or both. The count of a .col may be the number of its
lines or of its edges, or twice either, because the challenge's own files vary; the count of a .gr is the number of its
arcs. A .col may begin with "p col", or with "p band" if it has distances. A number after an edge of a .col, node
weights and other parameters (n, d, v, x lines) are ignored.

A .col.b has a text, then the lower triangle of the adjacency matrix, a bit per entry, in n²/16 bytes:

    <length of the text in bytes>\\n
    c comments\\n
    p col <vertices> <edges>\\n
    row 0, row 1, …                     row i: columns 0 … i, first column in the highest bit, (i + 8) // 8 bytes

References: "Clique and coloring problems graph format", DIMACS 1993; T. Badics and M. Peinado, "README.binformat",
DIMACS 1994, with bin2asc.c and asc2bin.c; 9th DIMACS Implementation Challenge:
Shortest Paths, 2006, http://www.diag.uniroma1.it/challenge9/format.shtml.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from ..inputs.canonical import Structure
from . import emit, parse
from .files import check_vertices, load, malformed
from .pieces import Lines, Place, pairs_of, text_of


@dataclass(frozen=True)
class Dialect:
    """The differences between the two text formats."""

    problems: tuple[str, ...]  # allowed second words of the p line; the first of them is written
    header: str  # the p line, for errors
    row: str  # the line of an edge, for errors
    tag: bytes  # first letter of a row
    ignored: bytes  # first letters of lines to skip
    values: tuple[int, int]  # least and most numbers after the pair of a row


class ProblemLine(NamedTuple):
    """The vertices and edges or arcs that a p line declares, and its line."""

    n: int
    m: int
    line: int


COL = Dialect(
    ("edge", "edges", "col", "band"), "p edge <vertices> <edges>", "e <vertex> <vertex>", b"e", b"cndvx", (0, 1)
)
GR = Dialect(("sp",), "p sp <vertices> <arcs>", "a <vertex> <vertex> <weight>", b"a", b"c", (1, 1))


def read_col(path: Path, symmetrize: bool) -> Structure:
    """Read a .col file; see `lagcolor.io.read`."""
    text = text_of(path)
    lines, header = lines_of(path, text.first, COL)
    u, v, end = pairs_of(path, text, lines)
    found = Structure("edges", u, v, header.n, check=lambda edges: check_edges(path, header, end.edges, lambda: edges))
    if header.n > len(u):  # a wrong count is detected before arrays of this size are allocated
        check_edges(path, header, end.edges, found.distinct_edges)
    return found


def read_gr(path: Path, symmetrize: bool) -> Structure:
    """Read a .gr file; see `lagcolor.io.read`."""
    text = text_of(path)
    lines, header = lines_of(path, text.first, GR)
    u, v, end = pairs_of(path, text, lines)
    lines.check(end, True)
    return Structure("edges", u, v, header.n)


def check_edges(path: Path, header: ProblemLine, entries: int, edges: Callable[[], int]) -> None:
    """Raise an error unless a .col declares the number of its lines or of its edges, or twice either."""
    if header.m not in (entries, 2 * entries) and header.m not in ((found := edges()), 2 * found):
        what = f"the p line declares {header.m} edges, but there are {found} (in {entries} entries)"
        raise malformed(path, what, header.line)


def lines_of(path: Path, buf: np.ndarray, d: Dialect) -> tuple[Lines, ProblemLine]:
    """Return the reader of the lines after the header, and the header."""
    head = parse.LineReader(buf)
    while (line := head.peek()) is not None and (not line or line[0] == "c"):
        head.skip()
    if line is None:
        raise malformed(path, f"the header '{d.header}' is missing", head.line)
    header = problem(path, line, head.line, d)
    head.skip()
    form = parse.Pairs(parse.roles(skip=d.ignored, data=d.tag), 1, header.n, True, *d.values)

    def ends(buf: np.ndarray, at: int, place: Place) -> tuple[np.ndarray, np.ndarray, int]:
        u, v, stop = parse.pairs(buf, at, place.line, form, np.int32)
        if stop.status != parse.DONE:
            raise parse.error(path, buf, stop, f"'{d.row}'", f"the p line declares vertices 1 … {header.n}")
        return u, v, len(u)

    def check(end: Place, alone: bool) -> None:
        if d is GR and end.edges != header.m:
            raise malformed(path, f"the p line declares {header.m} arcs, but {end.edges} follow", header.line)

    def declared(entries: int, loops: int, edges: Callable[[], int]) -> None:
        check_edges(path, header, entries, edges)

    return Lines(Place(0, head.at, head.line), ends, check, header.n, declared=declared if d is COL else None), header


def problem(path: Path, text: str, line: int, d: Dialect) -> ProblemLine:
    """Return the numbers that a p line declares."""
    words = text.split()
    counts = words[2:]
    good = words[:1] == ["p"] and len(words) == 4 and words[1] in d.problems
    if not good or not all(w.isascii() and w.isdigit() for w in counts):
        raise malformed(path, f"expected the header '{d.header}', found {parse.shown(text)}", line)
    n, m = map(int, counts)
    check_vertices(path, n, line)
    return ProblemLine(n, m, line)


def write_col(out: IO[bytes], G: Any, path: Path) -> None:
    """Write each edge once; see `lagcolor.io.write`."""
    out.write(f"p edge {G.n} {G.n_edges}\n".encode())
    for block in emit.edges(G, base=1, prefix=b"e "):
        out.write(block)


def write_gr(out: IO[bytes], G: Any, path: Path) -> None:
    """Write an arc of weight 1 in each direction; see `lagcolor.io.write`."""
    out.write(f"p sp {G.n} {G.m}\n".encode())
    for block in emit.edges(G, both=True, base=1, prefix=b"a ", suffix=b" 1"):
        out.write(block)


def read_binary(path: Path, symmetrize: bool) -> Structure:
    """Read a .col.b file; see `lagcolor.io.read`."""
    buf = load(path)
    header, body = _preamble(path, buf)
    n = header.n
    need, there = _matrix_bytes(n), len(buf) - body
    if need != there:
        raise malformed(path, f"{n} vertices need {need} bytes of matrix after byte {body}, and there are {there}")
    u, v = _entries(path, buf[body:], n)
    return Structure("edges", u, v, n, check=lambda edges: check_edges(path, header, len(u), lambda: edges))


def _preamble(path: Path, buf: np.ndarray) -> tuple[ProblemLine, int]:
    """Return the p line, and the byte at which the matrix starts."""
    head = parse.LineReader(buf)
    length = head.peek() or ""
    if not (length.isascii() and length.isdigit()):
        raise malformed(path, f"expected the length of the preamble, found {parse.shown(length)}", 1)
    head.skip()
    body = head.at + int(length)
    if body > len(buf):
        raise malformed(path, f"the preamble of {length} bytes ends after the file", 1)
    head.buf = buf[:body]
    while (line := head.peek()) is not None:
        if line.startswith("p"):
            return problem(path, line, head.line, COL), body
        head.skip()
    raise malformed(path, "the preamble has no line 'p col <vertices> <edges>'")


def _matrix_bytes(rows: Any) -> Any:
    """Return the bytes of the first rows: eight rows have one byte each, the next eight two bytes, …"""
    eights = rows // 8
    return (eights + 1) * (4 * eights + rows % 8)


def _entries(path: Path, body: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    offsets = _matrix_bytes(np.arange(n + 1, dtype=np.int64))
    at = np.flatnonzero(body)
    which, bit = np.nonzero(np.unpackbits(body[at].reshape(-1, 1), axis=1))
    at = at[which]
    u = np.searchsorted(offsets, at, side="right") - 1
    v = 8 * (at - offsets[u]) + bit
    if (v > u).any():
        k = int(np.argmax(v > u))
        raise malformed(path, f"row {u[k] + 1} of the matrix has a bit in column {v[k] + 1}, past its end")
    return u, v


def write_binary(out: IO[bytes], G: Any, path: Path) -> None:
    """Write a .col.b file; see `lagcolor.io.write`."""
    preamble = f"p col {G.n} {G.n_edges}\n"
    out.write(f"{len(preamble)}\n{preamble}".encode())
    for i in range(G.n):
        row = G.indices[G.indptr[i] : G.indptr[i + 1]]
        bits = np.zeros(8 * ((i + 8) // 8), np.uint8)
        bits[row[row < i]] = 1
        out.write(np.packbits(bits).data)
