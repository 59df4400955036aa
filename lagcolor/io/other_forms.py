"""Texts of other forms that resemble an edge list: matrices, adjacency lists, lines of counts.

An edge list has two ends and at most one number on each line. For a text of another form, the error has the call that
reads it. A text that may be an edge list or another form is an error, too, unless the caller names the format.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from semirings.sparse import MOST_ROWS

from ..base.errors import FormatError
from . import parse
from .fields import split
from .files import malformed, name_of, shown

OF = " (of lagcolor.io.read and lagcolor.convert; for rows and columns, of lagcolor.Pattern.of)"
EDGES = f"if it is an edge list, pass format='edges'{OF}"
METIS_FLAGS = ("10", "11", "010", "011", "100", "101", "110", "111")  # other flags do not change the number of fields
PART = 1 << 12  # rows that are compared with each other at a time
WHOLE = re.compile(r"-?[0-9]+$")
TGF = re.compile(rb"^[^#%\s].*\n#[ \t\r]*$", re.MULTILINE)  # the line between nodes and edges in TGF
LGL = re.compile(rb"# \S+[ \t\r]*$", re.MULTILINE)  # the name of a vertex in LGL, a format of igraph


def delimiter(mark: str | None) -> str:
    """Return the argument of NumPy and NetworkX for a separator."""
    return "" if mark is None else f", delimiter={mark!r}"


def matrix(path: Path, mark: str | None, fields: Sequence[str] = (), skip: int = 0) -> str:
    """Return the call that reads a matrix of numbers whose first row has these fields."""
    full = len(fields) - 1 if fields and not fields[-1] else 0  # columns, if a separator ends each line
    more = f", usecols=range({full})" if full else ""
    return f"numpy.loadtxt({name_of(path)!r}{delimiter(mark)}{more}{f', skiprows={skip}' if skip else ''})"


def adjacency(path: Path, mark: str | None) -> str:
    """Return the call that reads an adjacency list."""
    return f"networkx.read_adjlist({name_of(path)!r}{delimiter(mark)})"


def wrong_fields(
    path: Path, line: int, text: str, fields: tuple[list[str], str | None], columns: tuple[str, ...]
) -> FormatError:
    """Return the error for a first line with more than two ends and a number; `columns`: names that it may have."""
    named = (
        f"pass columns={columns}{OF}" if columns else "name the columns in the first line, such as source and target"
    )
    return malformed(
        path,
        f"{shown(text)} is no line of an edge list, which has two ends and at most one number. For a table with more "
        f"columns, {named}; for an adjacency list, pass {adjacency(path, fields[1])}; for a matrix, pass "
        f"{matrix(path, fields[1], fields[0])}",
        line,
    )


def table_of_names(path: Path, line: int, mark: str | None) -> FormatError:
    """Return the error for a first line whose first field is empty, as in pandas' line of the names of columns."""
    sep = "" if mark == "," else f", sep={mark or ' '!r}"
    return malformed(
        path,
        f"the first field is empty. For a matrix with names, pass pandas.read_csv({name_of(path)!r}{sep}, "
        f"index_col=0); if this line names the columns of an edge list, pass header=True{OF}",
        line,
    )


def named_matrix(path: Path, line: int, mark: str | None) -> FormatError:
    """Return the error for a table of three columns or more in which all ends of edges are 0 or 1."""
    call = matrix(path, mark, skip=line)
    what = f"the columns with the ends of edges have 0 and 1 only: for a matrix below names, pass {call}; {EDGES}"
    return malformed(path, what, line)


class Forms:
    """The checks of a list of numbers without names of columns that may have another form.

    Its pieces are added in order, and `end` raises the error. The state has a fixed size, except for a list of one
    piece. What it does not decide for several pieces is no error.
    """

    count: int  # number of edges

    def __init__(self, path: Path, line: int, layout: Any) -> None:
        self._path, self._line, self._layout, self.count = path, line, layout, 0
        self._fields, self._rows = list[str](), list[Any]()  # the fields of the first line; up to five rows
        self._whole: Any = None  # the first piece, until there is another
        self._top, self._low = -1, 1 << 63  # the largest and the smallest end below the first line
        self._loops, self._occur = False, set[int]()  # whether ends are equal; the numbers of the first line below it
        self._neighbors = [Neighbors(0), Neighbors(1)]
        # Whether first ends may be different, and number the lines; whether a value is an end; the largest first end
        self._different, self._numbered, self._meets, self._last = layout.values > 0, True, False, -1

    def add(self, buf: np.ndarray, at: int, u: np.ndarray, v: np.ndarray) -> None:
        """Add the ends of the edges in a piece from byte `at` on."""
        if self._layout.sure or not len(u):
            return
        if len(self._rows) < 5:
            thirds = _values(buf, at, self._layout) if self._layout.values else itertools.repeat(None)
            self._rows += zip(u[:5].tolist(), v[:5].tolist(), thirds, strict=False)
        if self._different:
            self._look_for_adjacency(buf, at, u, v)
        if not self.count:
            self._fields, self._whole = split(parse.text_line(buf, at), self._layout.separator), (0, buf, at, u, v)
        else:
            if self._whole is not None:
                self._look_for_neighbors(*self._whole)
            self._look_for_neighbors(self.count, buf, at, u, v)
            self._whole = None
        below = [ends[not self.count :] for ends in (u, v)]
        self.count += len(u)
        if len(below[0]):
            self._top = max(self._top, *(int(ends.max()) for ends in below))
            self._low = min(self._low, *(int(ends.min()) for ends in below))
        self._loops = self._loops or (self._top <= 1 and bool((u == v).any()))
        self._occur |= {x for x in self._rows[0][:2] if self._low <= x <= self._top and any(x in e for e in below)}

    def end(self) -> None:
        """Raise an error after the last edge if the list may have another form."""
        if self.count and (what := self._other()):
            raise malformed(self._path, what, self._line)

    def _other(self) -> str:
        """Return the error about another form, or ""."""
        path, separator, first = self._path, self._layout.separator, self._rows[0][:2]
        top = max(self._top, *first)
        if self._is_count(first, self._fields[2] if self._layout.values else ""):
            what = "may be an edge or the counts of vertices and edges: leave out a line of counts"
            return f"{' '.join(map(str, first))} {what}; {EDGES}"
        skip = _begin_of_matrix(self._short())
        if skip is not None or (self.count > 2 and top <= 1 and (self._layout.values or self._loops)):
            call = matrix(path, separator, self._fields, self._line if skip else 0)
            return f"the lines may be edges or rows of a matrix: for a matrix, pass {call}; {EDGES}"
        if self.count > 1 and first == (0, 1) and self._layout.header is None:
            numbered = separator is not None and self._fields[2:3] == ["2"]  # pandas numbers columns without names
            if numbered or self._low > 1:
                named = "header=True" + " with columns=('0', '1')" * (len(self._fields) > 2)
                what = f"{' and '.join(self._fields)} may be an edge or name the columns"
                return f"{what}: pass header=False or {named}{OF}"
        if self._whole is not None and top <= self.count:
            self._look_for_neighbors(*self._whole)
        for one in self._neighbors:
            if one.found(self.count, top):
                rows = f"numpy.loadtxt({name_of(path)!r}, int{delimiter(separator)}).tolist()"
                what = "each line may be an edge, or have the neighbors of one vertex"
                return f"{what}: for neighbors, pass dict(enumerate({rows}, {one.base})); {EDGES}"
        if self._different and ((self._numbered and first[0] < 2) or self._meets):
            return (
                "the first numbers are all different, so that the lines may be edges with a number, numbered edges, or "
                "lists of neighbors: for numbered edges, name the columns, such as id, source and target; for an "
                f"adjacency list, pass {adjacency(path, separator)}; {EDGES}"
            )
        return ""

    def _is_count(self, first: tuple[int, int], third: str) -> bool:
        """Whether the first line may have the numbers of vertices and edges.

        The number of edges is the number of the other lines, or half of it. The number of vertices bounds the vertices,
        or their count. METIS has flags after the counts, and hMETIS has the number of edges first.
        """
        others = self.count - 1
        if not others:
            return first[1] == 0 < first[0]
        if others == first[0] and third in METIS_FLAGS:
            return True
        if str(others) == third:
            return self._top <= max(first)
        for (n, m), lines in ((first, (first[1], 2 * first[1])), (first[::-1], first[:1])):
            if others in lines:
                if others == first[1] and self._top <= n:
                    return True
                apart = self._top <= n or not self._occur & ({m} if n == first[0] else {m, n})
                if apart and self._most_vertices() <= n:
                    return True
        return False

    def _most_vertices(self) -> int:
        """Return the number of vertices below the first line, or a bound if there are several pieces."""
        if self._whole is not None:
            return len(np.union1d(*(ends[1:] for ends in self._whole[3:])))
        return min(2 * (self.count - 1), self._top + (self._low == 0))

    def _short(self) -> list[list[int]]:
        """Return the numbers of a list of up to four lines; [] for a longer list, or if a number is not whole."""
        if self.count > 4:
            return []
        width = 3 if any(row[2] is not None for row in self._rows) else 2
        rows = [list(row[:width]) for row in self._rows]
        return [] if any(x is None for row in rows for x in row) else rows

    def _look_for_neighbors(self, before: int, buf: np.ndarray, at: int, u: np.ndarray, v: np.ndarray) -> None:
        """Add rows of two ends, or of two ends and a value, to the checks whether they have neighbors of a vertex."""
        values = _values(buf, at, self._layout) if self._layout.values else None
        for k in range(0, len(u), PART):
            if not any(one.open for one in self._neighbors):
                return
            columns = [u[k : k + PART], v[k : k + PART]]
            thirds = [] if values is None else list(itertools.islice(values, len(columns[0])))
            columns += [np.array(thirds)] if thirds and None not in thirds else []
            for one in self._neighbors:
                one.open = one.open and None not in thirds and one.add(before + k, np.column_stack(columns))

    def _look_for_adjacency(self, buf: np.ndarray, at: int, u: np.ndarray, v: np.ndarray) -> None:
        """Look whether first ends are different or number the lines, and whether third numbers may be vertices.

        First ends of several pieces are different for sure if each piece has larger ones than all before.
        """
        self._different = int(u.min()) > self._last and all(len(np.unique(x)) == len(x) for x in (u[:PART], u))
        found = []
        for value, neighbor in zip(_values(buf, at, self._layout), v.tolist() if self._different else (), strict=False):
            if value is None or value < 0 or value == neighbor:
                self._different = False
                return
            found.append(value)
        self._last = int(u.max())
        first = self._rows[0][0]
        self._numbered = self._numbered and bool((u == np.arange(len(u)) + first + self.count).all())
        self._meets = self._meets or bool(np.isin(found, u).any() or np.isin(found, v).any())


class Neighbors:
    """The check whether row i has the neighbors of vertex i, as `first_of_neighbors`, for rows that are added in parts.

    Entries (i, j) are symmetric if the sums of a 64-bit hash over all (i, j) and over all (j, i) are equal.
    """

    def __init__(self, base: int) -> None:
        self.base, self.open = base, True  # the first vertex; whether rows may be neighbors
        self._there = self._mirrored = self._edges = 0  # sums over entries, their mirror images, and edges

    def add(self, before: int, rows: np.ndarray) -> bool:
        """Add rows below others; return whether they may be neighbors."""
        begin = before + self.base
        i = np.arange(begin, begin + len(rows))
        if int(rows.min()) < self.base or int(rows.max()) > MOST_ROWS:
            return False
        for k, j in enumerate(rows.T):
            inside = (j >= begin) & (j < begin + len(rows))
            if (j == i).any() or (j == rows.T[k - 1]).any():
                return False
            if not (rows[j[inside] - begin] == i[inside, None]).any(axis=1).all():
                return False
            self._there += _hashed(i, j)
            self._mirrored += _hashed(j, i)
        self._edges += _hashed(rows[:, 0], rows[:, 1]) + _hashed(rows[:, 1], rows[:, 0])
        return True

    def found(self, count: int, top: int) -> bool:
        """Whether these rows are neighbors, and another graph than the edges."""
        there, mirrored, edges = (x % 2**64 for x in (self._there, self._mirrored, self._edges))
        return self.open and top < count + self.base and there == mirrored != edges


def _hashed(i: np.ndarray, j: np.ndarray) -> int:
    """Return the sum of hashes of pairs (splitmix64)."""
    x = (i.astype(np.uint64) << np.uint64(32)) + j.astype(np.uint64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        x = (x ^ x >> np.uint64(shift)) * np.uint64(factor)
    return int(x.sum())


def _begin_of_matrix(rows: list[list[int]]) -> int | None:
    """Return the first row of two or three that may be a matrix: 0, or 1 below names; None if they are only edges."""
    names = rows[0] if rows and len(rows) == len(rows[0]) + 1 and len(set(rows[0])) == len(rows[0]) else []
    skip = int(len(names) == 3 or (len(names) == 2 and max(names) > 1))
    rows = rows[skip:]
    if not rows or {len(row) for row in rows} != {len(rows)}:
        return None
    A = np.array(rows)
    binary, same = bool((A <= 1).all()), bool((A == A.T).all())
    if len(rows) == 2:  # both directions of an edge are the same graph as the matrix
        found = bool(same and (binary or not A.diagonal().any()) and (skip or rows != [[0, 1], [1, 0]]))
    else:
        found = binary or same
    return skip if found else None


def _values(buf: np.ndarray, at: int, layout: Any) -> Any:
    """Yield the third field of each line of edges; None if it is no whole number."""
    size, step = len(buf), 1 << 16
    while at < size:
        end = min(at + step, size)
        end += buf[end : end + step].tobytes().find(b"\n") + 1 if end < size else 0
        for line in buf[at:end].tobytes().decode("latin-1").split("\n"):
            if line.strip()[:1] not in ("", "#", "%"):
                fields = split(line, layout.separator)
                text = fields[2] if len(fields) > 2 else ""
                yield int(text) if WHOLE.match(text) and len(text) < 19 else None
        at = end


def check_comments(path: Path, beginning: bytes) -> None:
    """Raise an error if comments of one word may be the vertices of an LGL file, or the divider of a TGF file."""
    first = LGL.match(beginning)
    if first is not None and (len(set(LGL.findall(beginning))) > 1 or first[0][2:].strip().isdigit()):
        what = (
            "lines such as '# name' are comments of an edge list, and name the vertices of an LGL file: for an LGL "
            f"file, pass igraph.Graph.Read_Lgl({name_of(path)!r}, directed=False); for comments, leave them out"
        )
        raise malformed(path, what, 1)
    if found := TGF.search(beginning):
        what = (
            "a line '#' below others ends the nodes in a TGF file: to read its edges, delete this line and all above; "
            "for a comment, leave it out"
        )
        raise malformed(path, what, beginning.count(b"\n", 0, found.end()) + 1)
