"""Edge lists between named vertices: two names per line.

    source,target
    Ann,"Smith, Bob"
    "Smith, Bob",Carl

The first line of edges decides: where both of its ends are numbers, all lines must have numbers; otherwise all are
names, also those that look like numbers. It decides on the separator, too: a tab, else a comma, else a semicolon, else
blanks. Fields in double quotes may contain it. Which fields are the ends: columns.py. Others are ignored.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..core.errors import AmbiguityWarning, level_of_caller
from ..progress import stage
from . import parse
from .columns import OF, Doubt, Layout, split
from .files import malformed

PART = 1 << 12  # lines between two reports of progress


class Row(NamedTuple):
    """Both ends of an edge, and the line that has them."""

    u: str
    v: str
    line: int
    text: str


class Lookout:
    """Watches the names of a file for the words of its first line, which may be an edge or name the columns.

    Names of columns are no vertices. Where the line is taken for an edge and no other edge has one of its words, or
    where it is taken for names of columns and an edge has one, there is a warning.
    """

    def __init__(self, doubt: Doubt | None) -> None:
        self._doubt, self._edges = doubt, 0

    def look(self, u: list[str], v: list[str], first: bool) -> None:
        """Some more edges; `first`: the first of the file is among them."""
        if self._doubt is None or not (first or self._edges or self._doubt.header):
            return  # of a conversion that goes on nothing is known of the edges before
        found = sum(ends.count(word) for ends in (u, v) for word in self._doubt.words)
        self._edges += len(u)
        if self._doubt.header and found:
            self._warn("is taken for names of columns, and edges below it have such a name, too")
        if found > (2 if first else 0):
            self._doubt = None

    def end(self) -> None:
        """There are no more."""
        if self._doubt is not None and not self._doubt.header and self._edges > 1:
            self._warn("is taken for an edge, and no other edge has one of its names")

    def _warn(self, what: str) -> None:
        assert self._doubt is not None
        warnings.warn(
            f"{self._doubt.where}: {self._doubt.text} {what}: pass header=True if it names the columns, header=False "
            f"if it is an edge{OF}",
            AmbiguityWarning,
            stacklevel=level_of_caller(),
        )


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
    for row in fields(path, decoded, line, layout, "two names of vertices"):
        u.append(row.u)
        v.append(row.v)
    return u, v


def fields(path: Path, text: str, line: int, layout: Layout, expected: str) -> Iterator[Row]:
    """Both ends of each edge of a text that begins on a line."""
    first, second = layout.ends
    reading, lines = stage("reading", len(text), "bytes"), io.StringIO(text, newline=None)  # any ending of lines
    for number, found in enumerate(lines, line):
        if reading.heard and number % PART == 0:
            reading.at(lines.tell())
        row, line_text = split(found, layout.separator), found.strip()
        if line_text[:1] in ("", "#", "%") or (not row and '"' not in line_text):
            continue
        if len(row) <= max(first, second) or not row[first] or not row[second]:
            raise malformed(path, f"expected {expected}{layout.where}, found {parse.shown(line_text)}", number)
        yield Row(row[first], row[second], number, line_text)
