"""Edge lists between named vertices: two names per line.

    source,target
    Ann,"Smith, Bob"
    "Smith, Bob",Carl

The first line of edges decides: where both of its ends are numbers, all lines must have numbers; otherwise all are
names, also those that look like numbers. It decides on the separator, too: a tab, else a comma, else a semicolon, else
blanks. Fields in double quotes may contain it. Which fields are the ends: columns.py.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..base.log import stage
from . import parse
from .columns import VALUE, Layout, also, check_brackets, is_value, without_data
from .fields import split
from .files import malformed
from .other_forms import EDGES, OF, adjacency

PART = 1 << 12  # lines between two reports of progress


class Row(NamedTuple):
    """Both ends of an edge, and the line that has them."""

    u: str
    v: str
    value: str  # the third field, if it is not named
    line: int
    text: str


class Lookout:
    """Watches the names of a file for the words of its first line, which may be an edge or name the columns.

    Names of columns are no vertices. Where the line is taken for an edge and no other edge has one of its words, or
    where it is taken for names of columns and an edge has one, the line may be either, and `end` raises.
    """

    def __init__(self, path: Path, line: int, layout: Layout, is_header: bool) -> None:
        self._path, self._line, self._words, self._header = path, line, layout.words, is_header
        self._edges = self._found = 0

    def look(self, u: list[str], v: list[str], first: bool) -> None:
        """Some more edges; `first`: the first of the file is among them."""
        if self._words is None or not (first or self._edges or self._header):
            return  # of a conversion that goes on nothing is known of the edges before
        self._found += sum(ends.count(word) for ends in (u, v) for word in self._words)
        self._edges += len(u)

    def end(self) -> None:
        """There are no more."""
        if self._words is None or (not self._found if self._header else self._found > 2 or not self._edges):
            return
        one, two = self._words
        why = "edges below it have such a name" if self._header else "no other edge has one of its names"
        what = (
            f"{one!r} and {two!r} may name the columns or be an edge ({why}): pass header=True if they name the "
            f"columns, header=False if they are an edge{OF}"
        )
        raise malformed(self._path, what, self._line)


def pairs(
    path: Path, buf: np.ndarray, at: int, line: int, layout: Layout, before: int = 0
) -> tuple[list[str], list[str]]:
    """Both names of each line from byte `at`, on line `line`, on, of a piece of a file that starts at byte `before`."""
    u: list[str] = []
    v: list[str] = []
    try:
        decoded = buf[at:].tobytes().decode("utf-8")
    except UnicodeDecodeError as e:
        where = line + buf[at : at + e.start].tobytes().count(b"\n")
        raise malformed(path, f"names are read as UTF-8, and byte {before + at + e.start} is none", where) from e
    values: dict[str, int] = {}  # whole numbers, and the first line that has one
    for row in fields(path, decoded, line, layout, "two names of vertices"):
        u.append(row.u)
        v.append(row.v)
        if row.value.isdigit():
            values.setdefault(row.value, row.line)
    if not layout.sure and v and all(map(VALUE.match, v)) and len(set(u)) == len(u):
        what = f"each line may have a name and its value, or be an edge: a table of values is no graph; {EDGES}"
        raise malformed(path, what, line)
    if not layout.sure and layout.values > 0:
        for word, others in ((u, v), (v, u)):  # a letter before each edge, as in DIMACS, or a relation, as in SIF
            if len(set(word)) == 1 and all(map(VALUE.match, others)):
                what = (
                    f"all lines have {word[0]!r}, with two numbers: for edges between the numbers, leave {word[0]!r} "
                    f"out; {EDGES}"
                )
                raise malformed(path, what, line)
        for value in values.keys() & {*u, *v}:
            what = (
                f"{value!r} may be a number after an edge or one more vertex, since it is a name elsewhere: for an "
                f"adjacency list, pass {adjacency(path, layout.separator)}; {EDGES}"
            )
            raise malformed(path, what, values[value])
    return u, v


def fields(path: Path, text: str, line: int, layout: Layout, expected: str) -> Iterator[Row]:
    """Both ends of each edge of a text that begins on a line."""
    first, second = layout.ends
    reading, lines = stage("reading", len(text), "bytes"), io.StringIO(text, newline=None)  # any ending of lines
    for number, found in enumerate(lines, line):
        if reading.heard and number % PART == 0:
            reading.at(lines.tell())
        line_text = found.strip()
        if line_text[:1] in ("", "#", "%"):
            continue
        rest, data = without_data(found) if layout.data else (found, False)
        row = split(rest, layout.separator)
        if not row and '"' not in line_text:
            continue
        while len(row) > layout.fields and not row[-1]:
            row.pop()
        fits = max(first, second) < len(row) <= layout.fields and row[first] and row[second] and data == layout.data
        if fits and layout.values >= 0:
            fits = len(row) == layout.fields and is_value(row[2] if layout.values else "")
        if not fits:
            what = f"expected {expected}{layout.where}{also(layout)}, found {parse.shown(line_text)}"
            raise malformed(path, f"{what}; for an adjacency list, pass {adjacency(path, layout.separator)}", number)
        if layout.named:
            check_brackets(path, number, rest, [row[first], row[second]])
        yield Row(row[first], row[second], row[2] if layout.values > 0 else "", number, line_text)
