"""Matrix Market .mtx.

    %%MatrixMarket matrix coordinate pattern symmetric
    % a comment
    <rows> <columns> <entries>
    <row> <column> [values]

Every stored entry is an edge, also a stored zero; in an array (dense) file, every nonzero is an edge. Symmetric,
skew-symmetric and Hermitian files list one triangle, general files both.

This module does not use scipy.io.mmread (1.17), which allocates what a header declares, accepts a truncated dense
symmetric file, and accepts numbers after the end of an entry. It takes twice the CPU time for a pattern, and as long
for values. scipy.io.mmwrite writes the files.

Reference: R. F. Boisvert, R. Pozo, K. A. Remington, "The Matrix Market exchange formats", NISTIR 5935, 1996.
"""

from __future__ import annotations

import itertools
import re
from array import array
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from ..inputs.canonical import Structure
from . import parse
from .files import check_vertices, malformed
from .pieces import Lines, Place, Text, pairs_of, text_of

# Field → values of an entry; double and unsigned-integer are extensions in wide use.
_VALUES = {"pattern": 0, "real": 1, "double": 1, "integer": 1, "unsigned-integer": 1, "complex": 2}
_SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")
_BANNER = "%%MatrixMarket matrix coordinate|array real|integer|complex|pattern " + "|".join(_SYMMETRIES)
_FORTRAN = re.compile("[dD]")  # of an exponent
_SIZE = re.compile(r"(\d+)\s+(\d+)(?:\s+(\d+))?$", re.ASCII)


class MatrixHeader(NamedTuple):
    """The declarations in the head of a file."""

    rows: int
    columns: int
    entries: int | None  # None in a dense file
    values: int  # numbers per entry
    symmetry: str
    line: int  # the number of the line with the sizes

    @property
    def range(self) -> str:
        """The allowed rows and columns of entries, for errors."""
        if self.rows == self.columns:
            return f"the matrix has rows and columns 1 … {self.rows}"
        return f"the matrix has rows 1 … {self.rows} and columns 1 … {self.columns}"

    @property
    def no_graph(self) -> str:
        """The error about a matrix that is not square."""
        return (
            f"rectangular: a {self.rows} × {self.columns} matrix is no graph, which has as many rows as columns; "
            "its columns or rows are colored with problem='columns' or problem='rows', both with 'star_bicoloring' or "
            "'acyclic_bicoloring'"
        )


def read(path: Path, symmetrize: bool) -> Structure:
    """Read a file; see `lagcolor.io.read`."""
    text = text_of(path)
    head = parse.LineReader(text.first)
    h = begin(path, head)
    at, line = head.at, head.line
    if h.entries is None:
        u, v = _dense(path, text, head, h)
    else:
        lines = lines_of(path, head, h)
        u, v, end = pairs_of(path, text, lines)
        lines.check(end, True)
    if h.rows != h.columns:
        return Structure("coo", u, v, h.rows, columns=h.columns, no_graph=h.no_graph)
    if h.symmetry != "general" or symmetrize:
        return Structure("edges", u, v, h.rows)

    def line_of(i: int, j: int) -> int:
        found = np.flatnonzero((u == i) & (v == j))
        return parse.line_of_row(text.first, at, line, int(found[0]) if h.entries is not None else i + j * h.rows)

    return Structure("coo", u, v, h.rows, base=1, line_of=line_of if text.whole else None)


def begin(path: Path, head: parse.LineReader) -> MatrixHeader:
    """Return the declarations in the head of a file, and move `head` past it."""
    banner = head.peek() or ""
    words = banner.split()
    kind, layout, field, symmetry = (w.lower() for w in words[1:5]) if len(words) == 5 else [""] * 4
    good = words[:1] == ["%%MatrixMarket"] and kind == "matrix" and field in _VALUES and symmetry in _SYMMETRIES
    if not good or layout not in ("coordinate", "array") or (layout == "array" and field == "pattern"):
        raise malformed(path, f"expected the header '{_BANNER}', found {parse.shown(banner)}", 1)
    while (text := head.peek()) is not None and (not text or text.startswith("%")):
        head.skip()
    match = _SIZE.match(text or "")
    if match is None or (match[3] is None) != (layout == "array"):
        size = "<rows> <columns>" if layout == "array" else "<rows> <columns> <entries>"
        raise malformed(path, f"expected the size line '{size}', found {parse.shown(text or '')}", head.line)
    rows, columns = int(match[1]), int(match[2])
    if rows != columns and symmetry != "general":
        raise malformed(path, f"rectangular: a {rows} × {columns} matrix is not {symmetry}", head.line)
    check_vertices(path, max(rows, columns), head.line)
    head.skip()
    return MatrixHeader(
        rows, columns, None if match[3] is None else int(match[3]), _VALUES[field], symmetry, head.line - 1
    )


def lines_of(path: Path, head: parse.LineReader, h: MatrixHeader) -> Lines:
    """Return the reader of the lines after the head of a sparse matrix."""
    form = parse.Pairs(parse.roles(skip=b"%"), 1, max(h.rows, h.columns), False, h.values, h.values)
    expected = " ".join(["'<row> <column>'", *["and", f"{h.values} number(s)"] * bool(h.values)])

    def ends(buf: np.ndarray, at: int, place: Place) -> tuple[np.ndarray, np.ndarray, int]:
        u, v, stop = parse.pairs(buf, at, place.line, form, np.int32)
        if stop.status != parse.DONE:
            raise parse.error(path, buf, stop, expected, h.range)
        if h.rows != h.columns and len(u) and (u.max() >= h.rows or v.max() >= h.columns):
            k = int(np.flatnonzero((u >= h.rows) | (v >= h.columns))[0])
            line = parse.line_of_row(buf, at, place.line, k)
            raise malformed(path, f"entry ({u[k] + 1}, {v[k] + 1}) is out of range: {h.range}", line)
        return u, v, len(u)

    def check(end: Place, alone: bool) -> None:
        if end.edges != h.entries:
            raise malformed(path, f"this line declares {h.entries} entries, but {end.edges} follow", h.line)

    return Lines(Place(0, head.at, head.line), ends, check, h.rows, both=h.symmetry == "general")


def _dense(path: Path, text: Text, head: parse.LineReader, h: MatrixHeader) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and columns of the nonzeros; of a symmetric matrix, in the triangle of the file."""
    nonzero = array("b")
    pieces = itertools.chain([text.first[head.at :]], text.rest)  # of whole lines
    texts = (piece.tobytes().decode("latin-1").removesuffix("\n").split("\n") for piece in pieces)
    for line, text_line in enumerate(itertools.chain.from_iterable(texts), head.line):
        words = text_line.split()
        if not words:
            continue
        try:
            numbers = [float(_FORTRAN.sub("e", word)) for word in words if "_" not in word]
        except ValueError:
            numbers = []
        if len(numbers) != h.values:
            raise malformed(path, f"expected {h.values} number(s), found {parse.shown(text_line.strip())}", line)
        nonzero.append(any(x != 0 for x in numbers))
    skew = h.symmetry == "skew-symmetric"
    n = h.rows
    expected = n * h.columns if h.symmetry == "general" else n * (n - 1) // 2 if skew else n * (n + 1) // 2
    if len(nonzero) != expected:
        raise malformed(path, f"expected {expected} entries after this line, found {len(nonzero)}", h.line)
    keep = np.flatnonzero(nonzero)  # entries are in the order of columns
    if h.symmetry == "general":
        column, row = np.divmod(keep, max(n, 1))
        return row, column
    column, row = np.triu_indices(n, int(skew))
    return row[keep], column[keep]


def write(out: IO[bytes], G: Any, path: Path) -> None:
    """Write a symmetric pattern; see `lagcolor.io.write`."""
    from scipy.io import mmwrite

    mmwrite(out, G.to_scipy(), field="pattern", symmetry="symmetric")
