"""The fields of an edge list that are the ends of edges: the first two, or two columns that are chosen by their names.

    id,source,target,weight
    1,5,7,0.5

Without names of columns, each line has two ends, and all lines may have a number or a dict of NetworkX after the ends.
A caller's names of columns are then an error. A first line names the columns if it has words such as source and
target, or from and to (the list is in inputs/tables.py), or words above numbers. Columns are then chosen as the columns
of a DataFrame are. The caller may state what the first line is (`FirstLine`). A line that may be either is an error.

The first line of edges decides: if both of its ends are numbers, all lines must have numbers; otherwise all ends are
names, even if they look like numbers. It also decides the separator: a tab, else a comma, else a semicolon, else
blanks. Fields in double quotes may contain the separator.
"""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..base.log import stage
from ..inputs.tables import ends_among, undecided
from . import parse
from .fields import QUOTED, separator, split
from .files import NO_HINT, FirstLine, bare_name, malformed, shown
from .other_forms import EDGES, OF, adjacency, matrix, table_of_names, wrong_fields

PART = 1 << 12  # lines between two reports of progress
LONGEST = 1 << 16  # bytes of a line of column names
NOT_A_NUMBER = ("nan", "NaN")  # as NumPy and pandas write it, whereas NAN is an airport
_NUMBER = re.compile(r"[-+.\d][-+.\dxXa-fA-F_]*$|nan$|[-+]?inf$", re.IGNORECASE)
# A number as parse.py reads it, and two whole numbers.
VALUE = re.compile(r"[-+]?(inf|infinity|nan|(\d+\.?\d*|\.\d+)([ed][-+]?\d+)?)$", re.IGNORECASE)
_PAIR = re.compile(r"[ \t]*(\d+)(?:[ \t]+|[ \t]*[,;][ \t]*)(\d+)(?=[ \t\r,;]|$)")
_BRACKET = re.compile(r"[()\[\]{}]|:(?=\s|$)")
_DICT = re.compile(r"(?:[ \t]*[,;])?[ \t]*\{.*\}[ \t]*$")  # attributes of an edge, as NetworkX writes them


class Layout(NamedTuple):
    """The format of each line of edges."""

    separator: str | None = None  # between fields; None for blanks
    ends: tuple[int, int] = (0, 1)  # fields that are the ends of an edge, from 0 on
    named: bool = False  # whether the ends are names, not numbers
    values: int = 0  # numbers after both ends; −1 if columns have names, so that only the ends are read
    data: bool = False  # whether a dict ends each line
    fields: int = 2  # fields of each line; at most, if columns have names
    words: tuple[str, str] | None = None  # of a first line that may be an edge or name the columns
    header: bool | None = None  # the caller's hint about the first line
    sure: bool = False  # whether this is an edge list for sure: the caller names the format, or a line the columns

    @property
    def where(self) -> str:
        """The fields of the ends in a message; "" for the first two."""
        return "" if self.ends == (0, 1) else " in columns {} and {}".format(*(k + 1 for k in self.ends))


def layout(path: Path, number: int, lines: tuple[str, str], hint: FirstLine = NO_HINT) -> tuple[Layout, bool]:
    """Return the layout of a text with these two first lines, and whether the first one names the columns."""
    line, second = (without_data(text)[0] for text in lines)
    mark = separator(line)
    names = split(line, mark)
    if hint.header or (hint.header is None and _is_header(path, number, line, second, hint)):
        return _below(path, number, line, second, hint)._replace(header=hint.header), True
    if hint.columns is not None:
        what = (
            f"{_no_column(names, hint.columns)}; if this is not a header, write one above it with a name for each "
            f"column, or leave out columns={hint.columns} if the first two columns have the ends"
        )
        raise malformed(path, what, number)
    _check_fields(path, number, lines)
    named = _are_named(path, number, line, names[:2])
    fields = _without_empty(names)
    words = named and hint.header is None and names[0] != names[1] and not any(map(_NUMBER.match, names[:2]))
    found = Layout(
        mark, named=named, values=max(len(fields) - 2, 0), data=without_data(lines[0])[1], fields=len(fields),
        words=(names[0], names[1]) if words else None, header=hint.header, sure=hint.form,
    )  # fmt: skip
    return found, False


def _check_fields(path: Path, number: int, lines: tuple[str, str]) -> None:
    """Raise an error unless a first line that names no columns has two ends and at most one number."""
    (line, data), (second, _) = map(without_data, lines)
    mark = separator(line)
    found = split(line, mark)
    fields = _without_empty(found)
    check_brackets(path, number, line, found)
    if len(found) > 2 and not found[0]:
        raise table_of_names(path, number, mark)
    if len(fields) > (2 if data else 3) or (len(fields) == 3 and not is_value(fields[2])):
        words = _are_names(fields[:2]) and len(set(fields)) == len(fields) and not any(map(_NUMBER.match, fields))
        raise wrong_fields(path, number, line.strip(), (found, mark), tuple(fields[:2]) if words else ())
    mark = separator(second)
    below = split(second, mark)
    if len(fields) < 3 and str(len(_without_empty(below))) in fields and len(below) > 2:
        what = f"{shown(line.strip())} may count the rows and columns below: for a matrix, pass"
        raise malformed(path, f"{what} {matrix(path, mark, below, number)}", number)


def _without_empty(fields: list[str]) -> list[str]:
    """Remove empty fields at the end, from the fourth on; spreadsheets write them."""
    while len(fields) > 3 and not fields[-1]:
        fields = fields[:-1]
    return fields


def is_value(text: str) -> bool:
    """Whether a third field is a number, or empty."""
    return not text or VALUE.match(text) is not None


def check_brackets(path: Path, number: int, line: str, fields: list[str]) -> None:
    """Raise an error if a field without quotes has an unpaired bracket, a dict at its end, or a colon at its end."""
    if not _BRACKET.search(line):
        return
    if '"' in line:  # text in quotes may be anything
        fields = split(QUOTED.sub("x", line), separator(line))
    for field in fields:
        if (
            " {" in f" {field}"
            or any(field.count(a) != field.count(b) for a, b in ("()", "[]", "{}"))
            or f"{field} ".find(": ") >= 0
        ):
            what = (
                f"{shown(field)} is no name: the line {shown(line.strip())} may have names with a separator in them. "
                "Pass the graph itself, number its nodes, as networkx.convert_node_labels_to_integers does, or put "
                "names in double quotes"
            )
            raise malformed(path, what, number)


def without_data(line: str) -> tuple[str, bool]:
    """Return a line without NetworkX's dict of attributes at its end, and whether it has one."""
    line = line.rstrip("\r\n")
    found = _DICT.search(line) if line.rstrip().endswith("}") else None
    return (line, False) if found is None else (line[: found.start()], True)


def _below(path: Path, number: int, line: str, second: str, hint: FirstLine) -> Layout:
    """Return the layout of the lines below the names of columns; `second` is the first of them."""
    names = split(line, separator(line))
    ends, mark = _ends(path, number, line, names, hint), separator(line) or separator(second)
    below = split(second, mark)
    if mark != separator(line) and len(names) > 1 and not _PAIR.match(second):
        what = f"blanks divide {shown(line)}, and {mark!r} the next line: use one separator"
        raise malformed(path, what, number)
    while len(below) > len(names) and not below[-1]:
        below.pop()
    if len(below) > len(names):  # R and pandas would take the first field for the name of the row
        what = f"this line names {len(names)} columns, and the next one has {len(below)}: name each of them"
        raise malformed(path, what, number)
    fields = [below[k] for k in ends] if len(below) > max(ends) else []
    named = _are_named(path, number + 1, second, fields) if ends == (0, 1) else _are_names(fields)
    words = (names[ends[0]], names[ends[1]]) if named and hint.header is None and hint.columns is None else None
    values = 0 if len(names) == 2 else -1
    return Layout(mark, ends, named, values, fields=len(names), words=words, sure=True)


def _is_header(path: Path, number: int, line: str, second: str, hint: FirstLine) -> bool:
    """Whether the first of two lines names the columns: by the caller's words, usual words, or words above numbers."""
    names, below = (split(text, separator(text)) for text in (line, second))
    if hint.columns is not None and all(name in names for name in hint.columns):
        if all(map(str.isdecimal, hint.columns)):
            what = (
                f"{shown(line.strip())} may be an edge or name the columns, and columns={hint.columns} are names, not "
                f"positions: pass header=True, too, if it names them, or header=False alone if it is an edge{OF}"
            )
            raise malformed(path, what, number)
        return True
    if _PAIR.match(line):
        return False
    if _known_ends(names) is not None:
        return True
    if not _are_names(names[:2]) or not (_PAIR.match(second) or _are_numbers(below[:2])):
        return False
    if any(map(_NUMBER.match, names[:2])):  # not a usual name of a column
        what = f"{shown(line)} may be an edge or name the columns: pass header=False or header=True{OF}"
        raise malformed(path, what, number)
    return True


def _ends(path: Path, number: int, line: str, names: list[str], hint: FirstLine) -> tuple[int, int]:
    """Return the positions of the named columns with the ends."""
    if hint.columns is not None:
        if any(names.count(name) != 1 for name in hint.columns):
            raise malformed(path, _no_column(names, hint.columns), number)
        return names.index(hint.columns[0]), names.index(hint.columns[1])
    filled = [k for k, name in enumerate(names) if name]
    ends = (0, 1) if len(names) == 2 else _known_ends(names)
    if ends is None and len(filled) == 2:
        ends = (filled[0], filled[1])
    if ends is None and len(filled) < 2:
        raise malformed(path, f"header=True, but {shown(' '.join(names))} does not name two columns", number)
    if ends is None:
        example = tuple(names[k] for k in filled[:2])
        what = (
            f"{undecided(names)} Name them source and target, or leave the others out, or pass columns={example}{OF}; "
            f"for a matrix below names of columns, pass {matrix(path, separator(line), skip=number)}"
        )
        raise malformed(path, what, number)
    return ends


def _known_ends(names: list[str]) -> tuple[int, int] | None:
    """Return the columns with usual names of ends; None if all of many names have one letter, as in a matrix."""
    return None if len(names) > 3 and max(map(len, names)) == 1 else ends_among(names)


def _no_column(names: list[str], columns: tuple[str, str]) -> str:
    """Return the error about a line that does not contain each of two names once."""
    name = next(name for name in columns if names.count(name) != 1)
    what = f"column {name!r} is there twice" if name in names else f"there is no column {name!r}"
    return f"{what}; the line has {', '.join(map(repr, names))}"


def _are_named(path: Path, number: int, line: str, fields: list[str]) -> bool:
    """Whether the first two fields of a line are names; raise an error if that depends on the separator."""
    pair, mark = _PAIR.match(line), separator(line)
    if len(fields) == 2 and '"' not in line and mark is not None:
        other = list(pair.groups()) if pair else _by_another(path, line, mark)
        if other and not (pair and _are_numbers(fields)):
            two = " or ".join(", ".join(map(repr, found)) for found in (fields, other))
            what = f"{shown(line.strip())} has the fields {two}: use one separator, and put names in double quotes"
            raise malformed(path, what, number)
    return False if pair else _are_names(fields)


def _by_another(path: Path, line: str, mark: str) -> list[str]:
    """Return the fields of a line by another separator: blanks (not in a .csv), or semicolons; [] for one field."""
    if mark == "\t":
        return []
    fields = [line] if bare_name(path).endswith(".csv") else re.sub(rf"\s*{mark}\s*", mark, line.strip()).split()
    if len(fields) == 1 and mark == ",":
        fields = split(line, ";")
    return fields if len(fields) > 1 else []


def _are_numbers(fields: list[str]) -> bool:
    return len(fields) == 2 and all(map(_NUMBER.match, fields))


def _are_names(fields: list[str]) -> bool:
    """Whether both fields have text, and at least one is no number."""
    return len(fields) == 2 and all(f and f.isprintable() for f in fields) and not _are_numbers(fields)


def also(layout: Layout) -> str:
    """Return what follows the ends in a line, for messages."""
    return " and a number" if layout.values > 0 else " and a dict" if layout.data else ""


class Row(NamedTuple):
    """Both ends of an edge, and their line."""

    u: str
    v: str
    value: str  # the third field, if columns have no names
    line: int
    text: str


class Lookout:
    """The checks of a list of names that may have another form. Its pieces come in order, and `end` raises the error.

    The first line may be an edge or name the columns, which are no vertices. It may be either if it is read as an edge
    and no other edge has one of its words, or if it is read as names of columns and an edge has one of these words.
    """

    def __init__(self, path: Path, line: int, layout: Layout, is_header: bool) -> None:
        self._path, self._line, self._layout, self._header = path, line, layout, is_header
        self._edges = self._found = 0
        self._has_values = not layout.sure and layout.values > 0
        self._table = not layout.sure  # whether each line may have a name, which no other line has, and its value
        self._hashes: list[np.ndarray] = []  # of these names
        self._word: list[str | None] = [None, None]  # the first and the second word of all lines
        self._numbers = set[str]()  # names that are numbers
        self._neighbor: tuple[str, int] | None = None  # one that follows an edge, and the line

    def look(self, u: list[str], v: list[str], values: dict[str, int], first: bool) -> None:
        """Add more edges, and what `pairs` returns with them; `first`: the first edge of the file is among them."""
        if not u or not (first or self._edges or self._header):
            return  # a continued conversion does not know earlier edges
        words, numbers = self._layout.words or (), [all(map(VALUE.match, ends)) for ends in (u, v)]
        self._found += sum(ends.count(word) for ends in (u, v) for word in words)
        self._table = self._table and numbers[1] and len(set(u)) == len(u)
        self._hashes = [*self._hashes, np.fromiter(map(hash, u), np.int64, len(u))] if self._table else []
        for k, ends in enumerate((u, v)):
            word = self._word[k] if self._edges else ends[0]
            self._word[k] = word if numbers[1 - k] and ends.count(word or "") == len(ends) else None
        self._edges += len(u)
        if self._has_values and not self._neighbor:
            self._numbers.update(name for name in itertools.chain(u, v) if name.isdigit())
            if shared := values.keys() & self._numbers:
                self._neighbor = min(((name, values[name]) for name in shared), key=lambda found: found[1])

    def end(self) -> None:
        """Raise an error after the last edge."""
        line, (value, where) = self._line, self._neighbor or ("", 0)
        word = (self._word[0] or self._word[1]) if self._has_values else None
        if self._hashes and len(np.unique(np.concatenate(self._hashes))) == self._edges:
            what = f"each line may have a name and its value, or be an edge: a table of values is no graph; {EDGES}"
        elif word:  # as in DIMACS, or as a relation in SIF
            what = f"all lines have {word!r}, with two numbers: for edges between the numbers, leave {word!r} out"
            what = f"{what}; {EDGES}"
        elif value:
            what, line = f"{value!r} may be a number after an edge or one more vertex, since it is a name", where
            call = adjacency(self._path, self._layout.separator)
            what = f"{what} elsewhere: for an adjacency list, pass {call}; {EDGES}"
        elif self._layout.words and (self._found if self._header else self._found <= 2 and self._edges):
            why = "edges below it have such a name" if self._header else "no other edge has one of its names"
            what = "{!r} and {!r} may name the columns or be an edge".format(*self._layout.words)
            what += f" ({why}): pass header=True if they name the columns, header=False if they are an edge{OF}"
        else:
            return
        raise malformed(self._path, what, line)


def pairs(
    path: Path, buf: np.ndarray, at: int, line: int, layout: Layout, before: int = 0
) -> tuple[list[str], list[str], dict[str, int]]:
    """Return both names of each line from byte `at` (on line `line`) on; `buf` starts at byte `before` of a file.

    The third result has the whole numbers in third fields, and the first line of each.
    """
    u, v, values = list[str](), list[str](), dict[str, int]()
    try:
        decoded = buf[at:].tobytes().decode("utf-8")
    except UnicodeDecodeError as e:
        where = line + buf[at : at + e.start].tobytes().count(b"\n")
        raise malformed(path, f"names are read as UTF-8, but byte {before + at + e.start} is invalid", where) from e
    for row in fields_of(path, decoded, line, layout, "two names of vertices"):
        u.append(row.u)
        v.append(row.v)
        if row.value.isdigit():
            values.setdefault(row.value, row.line)
    return u, v, values


def fields_of(path: Path, text: str, line: int, layout: Layout, expected: str) -> Iterator[Row]:
    """Yield both ends of each edge of a text whose first line has the number `line`."""
    first, second = layout.ends
    reading, lines = stage("reading", len(text), "bytes"), io.StringIO(text, newline=None)  # lines end in any way
    for number, found in enumerate(lines, line):
        if reading.has_listener and number % PART == 0:
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
            if row[first] in NOT_A_NUMBER or row[second] in NOT_A_NUMBER:
                bare = split(QUOTED.sub("x", rest), layout.separator)
                if bare[first] in NOT_A_NUMBER or bare[second] in NOT_A_NUMBER:
                    what = "an end nan, which may stand for none: leave the line out, or put the name in double quotes"
                    raise malformed(path, f"{shown(line_text)} has {what}", number)
        yield Row(row[first], row[second], row[2] if layout.values > 0 else "", number, line_text)
