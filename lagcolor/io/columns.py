"""Which fields of the lines of an edge list are the ends of edges: the first two, or those that its column names say.

    id,source,target,weight
    1,5,7,0.5

A first line names the columns where it has words such as source and target, or from and to (the list is in
inputs/tables.py), or names over numbers, in its first two fields or in any other. Columns are then chosen as the
columns of a DataFrame are. The caller may say what it is (`FirstLine`). A line that may be either is an error or gives
a warning.
"""

from __future__ import annotations

import csv
import re
import warnings
from pathlib import Path
from typing import NamedTuple

from ..core.errors import AmbiguityWarning, level_of_caller
from ..inputs.tables import ends_among, undecided
from .files import AS_IT_SEEMS, FirstLine, malformed, said, shown

LONGEST = 1 << 16  # bytes of a line of column names
_NUMBER = re.compile(r"[-+.\d][-+.\dxXa-fA-F_]*$|nan$|[-+]?inf$", re.IGNORECASE)


# Two whole numbers, as parse.py reads them.
_PAIR = re.compile(r"[ \t]*(\d+)(?:[ \t]+|[ \t]*[,;][ \t]*)(\d+)(?=[ \t\r,;]|$)")
OF = " (of lagcolor.io.read and lagcolor.convert)"


class Layout(NamedTuple):
    """How each line of edges is read."""

    separator: str | None = None  # between fields; None for blanks
    ends: tuple[int, int] = (0, 1)  # fields that are the ends of an edge, from 0 on
    named: bool = False  # these are names, not numbers
    doubt: Doubt | None = None  # where the first line may be an edge or names of columns

    @property
    def where(self) -> str:
        """The fields in a message, where they are not the first."""
        return "" if self.ends == (0, 1) else " in columns {} and {}".format(*(k + 1 for k in self.ends))


class Doubt(NamedTuple):
    """A first line of names that may be an edge or name the columns; names.py looks whether others have its words."""

    header: bool  # what it is taken for
    words: tuple[str, str]  # both ends
    where: str  # file and line
    text: str  # the line, as a message shows it


def layout(path: Path, number: int, line: str, second: str, told: FirstLine = AS_IT_SEEMS) -> tuple[Layout, bool]:
    """How lines are read, and whether the first of them names the columns."""
    names = split(line, separator(line))
    header = _is_header(path, number, (line, second), told) if told.header is None else told.header
    if not header:
        if told.columns is not None and not _PAIR.match(line):
            raise malformed(path, f"{_no_column(names, told.columns)}; if this is an edge, leave columns out", number)
        found = Layout(separator(line), named=_are_named(path, number, line, names[:2]))
    else:
        ends, mark = _ends(path, number, names, told), separator(line) or separator(second)
        below = split(second, mark)
        while len(below) > len(names) and not below[-1]:
            below.pop()
        if len(below) > len(names):  # R and pandas would take the first for names of rows, which others leave out
            what = f"this line names {len(names)} columns, and the next one has {len(below)}: name each of them"
            raise malformed(path, what, number)
        fields = [below[k] for k in ends] if len(below) > max(ends) else []
        named = _are_named(path, number + 1, second, fields) if ends == (0, 1) else _are_names(fields)
        found = Layout(mark, ends, named)
    words = [names[k] for k in found.ends] if len(names) > max(found.ends) else []
    if told.header is None and found.named and len(set(words)) == 2 and not any(map(_NUMBER.match, words)):
        where = f"{said(path)}, line {number}"
        found = found._replace(doubt=Doubt(header, (words[0], words[1]), where, shown(line)))
    return found, header


def _is_header(path: Path, number: int, lines: tuple[str, str], told: FirstLine) -> bool:
    """Whether the first of two lines names the columns.

    Words such as source and target do, and those that the caller has for columns. Words above numbers do, too.
    """
    line, second = lines
    names, below = (split(text, separator(text)) for text in lines)
    if told.columns is not None and all(name in names for name in told.columns):
        return True
    if _PAIR.match(line):
        return False
    if ends_among(names) is not None:
        return True
    if not _are_names(names[:2]):
        return False
    if _PAIR.match(second) or _are_numbers(below[:2]):
        if any(map(_NUMBER.match, names[:2])):  # no usual name of a column
            what = f"{shown(line)} may be an edge or name the columns: pass header=False or header=True{OF}"
            raise malformed(path, what, number)
        return True
    others = zip(names[2:], below[2:], strict=False)
    return any(name and not _NUMBER.match(name) and _NUMBER.match(value) for name, value in others)


def _ends(path: Path, number: int, names: list[str], told: FirstLine) -> tuple[int, int]:
    """Which of the named columns hold the ends."""
    if told.columns is not None:
        if any(names.count(name) != 1 for name in told.columns):
            raise malformed(path, _no_column(names, told.columns), number)
        return names.index(told.columns[0]), names.index(told.columns[1])
    filled = [k for k, name in enumerate(names) if name]
    ends = (0, 1) if len(names) == 2 else ends_among(names)
    if ends is None and len(filled) == 2:
        ends = (filled[0], filled[1])
    if ends is None and len(filled) < 2:
        raise malformed(path, f"header=True, but {shown(' '.join(names))} does not name two columns", number)
    if ends is None:
        example = tuple(names[k] for k in filled[:2])
        what = (
            f"{undecided(names)} Name them source and target, or leave the others out, or pass columns={example}; "
            f"if this line is an edge, pass header=False{OF}"
        )
        raise malformed(path, what, number)
    return ends


def _no_column(names: list[str], columns: tuple[str, str]) -> str:
    """What is wrong with a line that has not both names once."""
    name = next(name for name in columns if names.count(name) != 1)
    what = f"column {name!r} is there twice" if name in names else f"there is no column {name!r}"
    return f"{what}; the line has {', '.join(map(repr, names))}"


def _are_named(path: Path, number: int, line: str, fields: list[str]) -> bool:
    """Whether the first two fields of a line are names; a warning where they are that or numbers."""
    if not _PAIR.match(line) or len(fields) < 2:
        return _are_names(fields)
    if not _are_numbers(fields):
        one, two = _PAIR.match(line).groups()  # type: ignore[union-attr]
        warnings.warn(
            f"{said(path)}, line {number}: {shown(line.strip())} is read as an edge between the numbers {one} and "
            f"{two}, since blanks, tabs, commas and semicolons all separate numbers. If it is one between the names "
            f"{fields[0]!r} and {fields[1]!r}, put names in double quotes",
            AmbiguityWarning,
            stacklevel=level_of_caller(),
        )
    return False


def _are_numbers(fields: list[str]) -> bool:
    return len(fields) == 2 and all(map(_NUMBER.match, fields))


def _are_names(fields: list[str]) -> bool:
    """Whether both fields have text, and one at least is no number."""
    return len(fields) == 2 and all(f and f.isprintable() for f in fields) and not _are_numbers(fields)


def separator(line: str) -> str | None:
    """What stands between the fields of a line; None for blanks."""
    return next((mark for mark in "\t,;" if mark in line.strip()), None)


def split(line: str, separator: str | None) -> list[str]:
    """The fields of a line, without blanks around them; none of a blank one, nor where quotes are not in pairs."""
    if separator is None:
        line = " ".join(line.split())
    if '"' in line:
        try:
            found = next(csv.reader([line], delimiter=separator or " ", skipinitialspace=True, strict=True), [])
        except csv.Error:  # a quote without its other one, text after it, or a field that is too long
            return []
    else:
        found = line.split(separator)
    fields = [field.strip() for field in found]
    return fields if any(fields) else []
