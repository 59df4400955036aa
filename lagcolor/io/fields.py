"""Functions that readers and writers of texts share: numbers, lines and their fields, tables and names of vertices."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..base.errors import FormatError
from .files import GZIP, PACKED, load, malformed, shown
from .npy import array_of

TOP = 2**31 - 1  # the largest color
WHOLE = re.compile(r"\s*[+-]?[0-9]+\s*$")
QUOTED = re.compile(r'"[^"]*"')
LONGEST = 1000  # most characters of a number; int() raises an error for some thousand


class OtherGraphError(FormatError):
    """A well-formed file colors a vertex that the graph does not have."""


def one_dimension(path: Path, kinds: str, what: str) -> np.ndarray:
    """Read the array of a .npy file; `kinds` are its allowed types, and `what` names them in the error."""
    try:
        array = array_of(load(path))
    except ValueError as e:
        raise malformed(path, f"no readable .npy file ({e})") from e
    if array.ndim != 1 or array.dtype.kind not in kinds:
        raise malformed(path, f"expected one dimension of {what}, found shape {array.shape}, {array.dtype}")
    return array


def lines_of(path: Path) -> Iterable[tuple[int, str]]:
    """Return the lines of a file with their numbers, without an empty last line."""
    text = text_of(path)
    return enumerate(text.removesuffix("\n").split("\n") if text else [], 1)


def text_of(path: Path) -> str:
    """Read a file as UTF-8 text."""
    try:
        return load(path).tobytes().decode("utf-8")
    except UnicodeDecodeError as e:
        raise malformed(path, PACKED if e.object[:2] == GZIP else f"byte {e.start} is no UTF-8 text") from e


def number_of(path: Path, text: str, line: int) -> int:
    """Return a color from a text file as an int."""
    if not WHOLE.match(text):
        raise malformed(path, f"a color must be a whole number, not {shown(text)}", line)
    if len(text) > LONGEST or not -(2**63) <= int(text) < 2**63:
        raise malformed(path, f"color {shown(text)[1:-1]} is out of range", line)
    return int(text)


def table(path: Path, header: tuple[str, ...]) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and fields of each line after the header of a .csv file."""
    rows = csv.reader(io.StringIO(text_of(path), newline=""), strict=True)
    expected = ",".join(header)
    try:
        first = next(rows, [])
        if tuple(h.strip().lower() for h in first) != header:
            raise malformed(path, f"expected the header {expected!r}, found {shown(','.join(first))}", 1)
        for row in rows:
            if len(row) != len(header):
                raise malformed(path, f"expected {expected!r}, found {shown(','.join(row))}", rows.line_num)
            yield rows.line_num, row
    except csv.Error as e:
        raise malformed(path, f"no line of a .csv file ({e})", rows.line_num) from e


def names_of(labels: Sequence[Any] | None, n: int) -> dict[str, int]:
    """Return the vertices by their names in files."""
    return {name: v for v, name in enumerate(map(str, range(n)) if labels is None else distinct_names(labels))}


def distinct_names(labels: Iterable[Any]) -> list[str]:
    """Return labels as text; if two are equal, as 1 and "1", all by their repr."""
    labels = list(labels)
    names = [str(label) for label in labels]
    return names if len(set(names)) == len(names) else [repr(label) for label in labels]


def separator(line: str) -> str | None:
    """Return the separator of the fields of a line, ignoring text in quotes; None for blanks."""
    line = QUOTED.sub("", line) if '"' in line else line
    return next((mark for mark in "\t,;" if mark in line.strip()), None)


def split(line: str, separator: str | None) -> list[str]:
    """Return the fields of a line, without blanks around them; [] for a blank line, or if a quote is unpaired."""
    if separator is None:
        line = " ".join(line.split())
    if '"' in line:
        try:
            found = next(csv.reader([line], delimiter=separator or " ", skipinitialspace=True, strict=True), [])
        except csv.Error:  # an unpaired quote, text after a quote, or a field that is too long
            return []
    else:
        found = line.split(separator)
    fields = [field.strip() for field in found]
    return fields if any(fields) else []
