"""Edge lists between named vertices: two names per line.

    source,target
    Ann,"Smith, Bob"
    "Smith, Bob",Carl

The first line of edges decides: where both of its fields are numbers, all lines must have numbers; otherwise all are
names, also those that look like numbers. It decides on the separator, too: a tab, else a comma, else a semicolon, else
blanks. Fields in double quotes may contain it. A first line names the columns where it has names and the next numbers,
or words such as source and target, or from and to (the list is in inputs/tables.py). Further columns are ignored.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ..inputs.ends import Ends
from ..inputs.tables import are_ends
from . import parse
from .files import malformed

_NUMBER = re.compile(r"[-+.\d][-+.\dxXa-fA-F_]*$|nan$|[-+]?inf$", re.IGNORECASE)


def are_names(line: str) -> bool:
    """Whether a line has two fields, of which one at least is no number."""
    fields = _first_two(line)
    return len(fields) == 2 and all(f and f.isprintable() for f in fields) and not all(map(_NUMBER.match, fields))


def are_column_names(line: str, second: str | None) -> bool:
    """Whether a line of names is over one of numbers, or of names that are the ends of edges by its words.

    Parameters
    ----------
    line : str
        The first of a file after its comments.
    second : str or None
        The one that follows.
    """
    if second is not None and len(fields := _first_two(second)) == 2 and all(map(_NUMBER.match, fields)):
        return True
    return are_ends(*_first_two(line))


def _first_two(line: str) -> list[str]:
    return next(_rows([line], separator(line)), [])[:2]


def edges(path: Path, buf: np.ndarray, head: parse.LineReader) -> Ends:
    """Both ends of each edge.

    Parameters
    ----------
    path : Path
    buf : array of uint8
    head : LineReader
        At the first line after the comments.

    Raises
    ------
    FormatError
        A line without two names, or text that is not UTF-8.
    """
    return Ends(*pairs(path, buf, head.at, head.line, separator(head.peek() or "")))


def pairs(
    path: Path, buf: np.ndarray, at: int, line: int, separator: str | None, before: int = 0
) -> tuple[list[str], list[str]]:
    """Both names of each line from byte `at`, on line `line`, on, of a piece of a file with so many bytes before it.

    Errors are as of `edges`.
    """
    u: list[str] = []
    v: list[str] = []
    try:
        decoded = buf[at:].tobytes().decode("utf-8")
    except UnicodeDecodeError as e:
        where = line + buf[at : at + e.start].tobytes().count(b"\n")
        raise malformed(path, f"names are read as UTF-8, and byte {before + at + e.start} is none", where) from e
    lines = io.StringIO(decoded, newline=None)  # any ending of lines
    for number, text in enumerate(lines, line):
        fields = next(_rows([text], separator), [])
        if not fields or fields[0][:1] in ("#", "%"):
            continue
        if len(fields) < 2 or not fields[0] or not fields[1]:
            raise malformed(path, f"expected two names of vertices, found {parse.shown(text.strip())}", number)
        u.append(fields[0])
        v.append(fields[1])
    return u, v


def separator(line: str) -> str | None:
    """What stands between the fields of a line; None for blanks."""
    return next((mark for mark in "\t,;" if mark in line), None)


def _rows(lines: list[str], separator: str | None) -> Iterator[list[str]]:
    """The fields of each line that is not blank, without blanks around them."""
    if separator is None:
        reader = csv.reader((" ".join(line.split()) for line in lines), delimiter=" ", skipinitialspace=True)
    else:
        reader = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    for fields in reader:
        if any(fields):
            yield [field.strip() for field in fields]
