"""Texts of other forms that resemble an edge list: matrices, adjacency lists, lines of counts.

An edge list has two ends and at most one number on each line. For a text of another form, the error has the call that
reads it. A text that may be an edge list or another form is an error, too, unless the caller names the format.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..base.errors import FormatError
from ..inputs.lists import first_of_neighbors
from . import parse
from .fields import split
from .files import malformed, name_of, shown

OF = " (of lagcolor.io.read and lagcolor.convert; for rows and columns, of lagcolor.Pattern.of)"
EDGES = f"if it is an edge list, pass format='edges'{OF}"
METIS_FLAGS = ("10", "11", "010", "011", "100", "101", "110", "111")  # other flags do not change the number of fields
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


def check(path: Path, buf: np.ndarray, at: int, line: int, layout: Any, ends: tuple[Any, Any]) -> None:
    """Raise an error if the numbers of a whole edge list without names of columns may have another form."""
    if layout.sure or not len(ends[0]):
        return
    u, v = ends
    first_row = split(parse.text_line(buf, at), layout.separator)
    first = (int(u[0]), int(v[0]))
    if _is_count(first, first_row[2] if layout.values else "", u, v):
        what = (
            f"{' '.join(map(str, first))} may be an edge or the counts of vertices and edges: leave out a line of "
            f"counts; {EDGES}"
        )
        raise malformed(path, what, line)
    skip = _begin_of_matrix(_rows(buf, at, layout, u, v))
    binary = len(u) > 2 and max(int(u.max()), int(v.max())) <= 1 and (layout.values or bool((u == v).any()))
    if skip is not None or binary:
        call = matrix(path, layout.separator, first_row, line if skip else 0)
        raise malformed(path, f"the lines may be edges or rows of a matrix: for a matrix, pass {call}; {EDGES}", line)
    if len(u) > 1 and first == (0, 1) and layout.header is None:
        numbered = layout.separator is not None and first_row[2:3] == ["2"]  # pandas numbers columns without names
        if numbered or min(int(u[1:].min()), int(v[1:].min())) > 1:
            named = "header=True" + " with columns=('0', '1')" * (len(first_row) > 2)
            what = f"{' and '.join(first_row)} may be an edge or name the columns: pass header=False or {named}{OF}"
            raise malformed(path, what, line)
    if (base := _first_with_neighbors(buf, at, layout, u, v)) is not None:
        rows = f"numpy.loadtxt({name_of(path)!r}, int{delimiter(layout.separator)}).tolist()"
        what = (
            "each line may be an edge, or have the neighbors of one vertex: for neighbors, pass "
            f"dict(enumerate({rows}, {base})); {EDGES}"
        )
        raise malformed(path, what, line)
    if layout.values and _is_adjacency(buf, at, layout, u, v):
        what = (
            "the first numbers are all different, so that the lines may be edges with a number, numbered edges, or "
            "lists of neighbors: for numbered edges, name the columns, such as id, source and target; for an adjacency "
            f"list, pass {adjacency(path, layout.separator)}; {EDGES}"
        )
        raise malformed(path, what, line)


def _is_count(first: tuple[int, int], third: str, u: np.ndarray, v: np.ndarray) -> bool:
    """Whether the first line may have the numbers of vertices and edges.

    The number of edges is the number of the other lines, or half of it. The number of vertices bounds the vertices, or
    their count. METIS has flags after the counts, and hMETIS has the number of edges first.
    """
    others = len(u) - 1
    if not others:
        return first[1] == 0 < first[0]
    if others == first[0] and third in METIS_FLAGS:
        return True
    if str(others) == third:
        return max(int(u[1:].max()), int(v[1:].max())) <= max(first)
    for (n, m), lines in ((first, (first[1], 2 * first[1])), (first[::-1], first[:1])):
        if others in lines:
            ends = np.union1d(u[1:], v[1:])
            if (others == first[1] and ends[-1] <= n) or (
                len(ends) <= n and (ends[-1] <= n or not np.isin([m] if n == first[0] else [m, n], ends).any())
            ):
                return True
    return False


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


def _first_with_neighbors(buf: np.ndarray, at: int, layout: Any, u: np.ndarray, v: np.ndarray) -> int | None:
    """Return the number, 0 or 1, of the vertex whose neighbors the first line may be; None if lines are only edges."""
    if max(int(u.max()), int(v.max())) > len(u):
        return None
    columns = [u, v]
    if layout.values:
        values = list(_values(buf, at, layout))
        if any(value is None for value in values):
            return None
        columns.append(np.array(values))
    return first_of_neighbors(np.column_stack(columns))


def _is_adjacency(buf: np.ndarray, at: int, layout: Any, u: np.ndarray, v: np.ndarray) -> bool:
    """Whether the first fields are all different or number the lines, and the third may be vertices."""
    if len(np.unique(u)) < len(u):
        return False
    found = []
    for value, neighbor in zip(_values(buf, at, layout), v.tolist(), strict=False):
        if value is None or value < 0 or value == neighbor:
            return False
        found.append(value)
    counts = bool((u == np.arange(len(u)) + u[0]).all()) and u[0] < 2
    return counts or bool(np.isin(found, u).any() or np.isin(found, v).any())


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


def _rows(buf: np.ndarray, at: int, layout: Any, u: np.ndarray, v: np.ndarray) -> list[list[int]]:
    """Return the numbers of a text of up to four lines; [] for a longer text, or if a number is not whole."""
    if len(u) > 4:
        return []
    rows = [[int(a), int(b)] for a, b in zip(u, v, strict=True)]
    if layout.values:
        values = list(_values(buf, at, layout))
        if len(values) != len(rows):
            return []
        if any(value is not None for value in values):
            rows = [[*row, value] for row, value in zip(rows, values, strict=True)]
    return [] if any(x is None for row in rows for x in row) else rows


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
