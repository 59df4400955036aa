"""Which fields of the lines of an edge list are the ends of edges: the first two, or those that its column names say.

    id,source,target,weight
    1,5,7,0.5

A first line names the columns where it has words such as source and target, or from and to (the list is in
inputs/tables.py), or names over numbers. Columns are then chosen as those of a DataFrame are.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import NamedTuple

from ..inputs.tables import ends_among, undecided
from .files import malformed

LONGEST = 1 << 16  # bytes of a line of column names
_NUMBER = re.compile(r"[-+.\d][-+.\dxXa-fA-F_]*$|nan$|[-+]?inf$", re.IGNORECASE)


class Layout(NamedTuple):
    """How each line of edges is read.

    Attributes
    ----------
    separator : str or None
        Between fields; None for blanks.
    ends : pair of int
        Fields that are the ends of an edge, from 0 on.
    named : bool
        These are names, not numbers.
    """

    separator: str | None = None
    ends: tuple[int, int] = (0, 1)
    named: bool = False

    @property
    def where(self) -> str:
        """The fields in a message, where they are not the first."""
        return "" if self.ends == (0, 1) else " in columns {} and {}".format(*(k + 1 for k in self.ends))


def layout(path: Path, number: int, line: str, second: str) -> tuple[Layout, bool]:
    """How lines are read, and whether the first of them names the columns.

    Parameters
    ----------
    path : Path
    number : int
        Of the first line after the comments.
    line : str
    second : str
        The one that follows, or nothing.

    Raises
    ------
    FormatError
        It names more than two columns, and none of them as those of a table's ends; or fewer than the next line has.
    """
    names = split(line, separator(line))
    ends = ends_among(names)
    over_numbers = _are_numbers(split(second, separator(second))[:2])
    if ends is None and not (over_numbers and _are_names(names[:2])):
        return Layout(separator(line), named=_are_names(names[:2])), False
    if ends is None and len([name for name in names if name]) > 2:
        raise malformed(path, f"{undecided(names)} Name them source and target, or leave the others out", number)
    mark = separator(line) or separator(second)
    found = Layout(mark, ends if ends and len(names) > 2 else (0, 1))
    below = split(second, mark)
    while len(below) > len(names) and not below[-1]:
        below.pop()
    if len(below) > len(names):  # R and pandas would take the first for names of rows, which others leave out
        what = f"this line names {len(names)} columns, and the next one has {len(below)}: name each of them"
        raise malformed(path, what, number)
    return found._replace(named=len(below) > max(found.ends) and _are_names([below[k] for k in found.ends])), True


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
