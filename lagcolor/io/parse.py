"""The parser of bytes for all text formats: it reads whole numbers and counts lines, so that errors name their line."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..base.device.compiled import inner, njit
from ..base.device.intrinsics import fetch_add
from ..base.device.parallel import parallel
from ..base.errors import FormatError
from ..base.log import stage
from .files import malformed
from .files import shown as shown
from .pieces import DONE as DONE
from .pieces import FIRST, Parts, count_lines, end_of_line, end_of_part
from .pieces import NEWLINE as NEWLINE
from .pieces import Stop as Stop

# Role of a byte: BLANKs and at most one SEPARATOR are between columns; the other roles are of the first byte of a line.
BAD, BLANK, SEPARATOR, SKIP, DATA = range(5)
# Why a parser stopped; DONE is 0.
UNKNOWN_LINE, NO_NUMBER, RANGE, SHORT, MISSING, EXTRA = range(1, 7)

PERCENT = 37
MARK = b"\xef\xbb\xbf"  # the byte order mark, which spreadsheets write before a text in UTF-8
MAX_DIGITS = 18  # more digits could overflow int64


class Pairs(NamedTuple):
    """The format of lines with a pair of numbers."""

    role: np.ndarray
    low: int  # the least number, and the largest
    high: int
    tagged: bool = False  # whether a letter precedes the pair
    least: int = 0  # least and most values after a pair; `most` is −1 if the rest of the line is not read
    most: int = -1
    data: bool = False  # whether a dict of attributes, in braces, ends each line


class RowFormat(NamedTuple):
    """The format of rows of an adjacency of n vertices."""

    role: np.ndarray
    n: int
    leading: int  # numbers before the neighbors
    weighted: bool  # whether a weight follows each neighbor


def roles(skip: bytes, data: bytes = b"0123456789", separator: bytes = b"") -> np.ndarray:
    """Return the table of 256 roles, by byte."""
    table = np.full(256, BAD, np.uint8)
    for role, members in ((BLANK, b" \t\r"), (SEPARATOR, separator), (SKIP, skip), (DATA, data)):
        table[list(members)] = role
    return table


@inner()
def _number(buf: Any, i: Any, end: Any) -> Any:
    """Return the value of the digits from byte i on, and the byte after them; −1 for no digits, −2 for too many."""
    first = i
    x = np.int64(0)
    while i < end:
        digit = np.int64(buf[i]) - 48
        if digit < 0 or digit > 9:
            break
        x = x * 10 + digit
        i += 1
    if i == first:
        return np.int64(-1), i
    if i - first > MAX_DIGITS:
        return np.int64(-2), i
    return x, i


@inner()
def _blanks(buf: Any, i: Any, end: Any, role: Any) -> Any:
    while i < end and role[buf[i]] == BLANK:
        i += 1
    return i


@njit(cache=True, nogil=True)
def _past(buf: Any, i: Any, line: Any, role: Any) -> Any:
    end = len(buf)
    while i < end:
        first = _blanks(buf, i, end, role)
        if first < end and buf[first] != NEWLINE and role[buf[first]] != SKIP:
            break
        i = min(end_of_line(buf, first, end) + 1, end)
        line += 1
    return i, line


@inner()
def _ends_number(buf: Any, i: Any, end: Any, role: Any) -> Any:
    return i == end or buf[i] == NEWLINE or role[buf[i]] == BLANK or role[buf[i]] == SEPARATOR


@inner()
def _digits(buf: Any, i: Any, end: Any) -> Any:
    while i < end and 48 <= buf[i] <= 57:
        i += 1
    return i


@inner()
def _word(buf: Any, i: Any, end: Any, word: Any) -> Any:
    """Return the byte after a word, in upper or lower case, at byte i; i if another word is there."""
    if end - i < len(word):
        return i
    for k in range(len(word)):
        if buf[i + k] | 32 != word[k]:
            return i
    return i + len(word)


@inner()
def _real(buf: Any, i: Any, end: Any) -> Any:
    """Return the byte after a number such as -1, .5, 2.e3, 1d0, inf or NaN; −1 if there is no number."""
    if i < end and (buf[i] == 43 or buf[i] == 45):
        i += 1
    for word in (b"infinity", b"inf", b"nan"):
        after = _word(buf, i, end, word)
        if after > i:
            return after
    whole = _digits(buf, i, end)
    figures = whole - i
    i = whole
    if i < end and buf[i] == 46:
        fraction = _digits(buf, i + 1, end)
        figures += fraction - i - 1
        i = fraction
    if figures == 0:
        return -1
    if i < end and (buf[i] | 32 == 101 or buf[i] | 32 == 100):
        i += 1
        if i < end and (buf[i] == 43 or buf[i] == 45):
            i += 1
        exponent = _digits(buf, i, end)
        if exponent == i:
            return -1
        i = exponent
    return i


@inner()
def _braces(buf: Any, i: Any, end: Any, role: Any) -> Any:
    """Return the end of a line that is in braces from byte i on, or −1."""
    stop = end_of_line(buf, i, end)
    last = stop
    while last > i and role[buf[last - 1]] == BLANK:
        last -= 1
    return stop if last - i > 1 and buf[i] == 123 and buf[last - 1] == 125 else -1


@inner()
def _pairs(buf: Any, i: Any, line: Any, form: Any, u: Any, v: Any) -> Any:
    role, low, high, tagged, least, most, data = form
    end = len(buf)
    k = 0
    while i < end:
        start = i
        i = _blanks(buf, i, end, role)
        if i < end and buf[i] != NEWLINE:
            kind = role[buf[i]]
            if kind == DATA:
                if tagged:
                    i += 1
                    if not _ends_number(buf, i, end, role):
                        return k, UNKNOWN_LINE, line, start, 0
                for column in range(2):
                    i = _blanks(buf, i, end, role)
                    if column == 1 and i < end and role[buf[i]] == SEPARATOR:
                        i = _blanks(buf, i + 1, end, role)
                    if i == end or buf[i] == NEWLINE:
                        return k, SHORT, line, start, 0
                    x, i = _number(buf, i, end)
                    if x == -1 or not _ends_number(buf, i, end, role):
                        return k, NO_NUMBER, line, start, 0
                    if x < low or x > high:
                        return k, RANGE, line, start, x
                    if column == 0:
                        u[k] = x - low
                    else:
                        v[k] = x - low
                for value in range(most):
                    i = _blanks(buf, i, end, role)
                    apart = i < end and role[buf[i]] == SEPARATOR
                    if apart:
                        i = _blanks(buf, i + 1, end, role)
                    if i == end or buf[i] == NEWLINE:
                        if value < least and not apart:  # a separator without a value means a missing value
                            return k, SHORT, line, start, 0
                        break
                    i = _real(buf, i, end)
                    if i < 0 or not _ends_number(buf, i, end, role):
                        return k, NO_NUMBER, line, start, 0
                if most >= 0:
                    i = _blanks(buf, i, end, role)
                    while i < end and role[buf[i]] == SEPARATOR:
                        i = _blanks(buf, i + 1, end, role)
                    if data:
                        i = _braces(buf, i, end, role)
                        if i < 0:
                            return k, SHORT, line, start, 0
                    if i < end and buf[i] != NEWLINE:
                        return k, EXTRA, line, start, 0
                k += 1
            elif kind != SKIP:
                return k, UNKNOWN_LINE, line, start, 0
            i = end_of_line(buf, i, end)
        i += 1
        line += 1
    return k, DONE, line, i, 0


@njit(cache=True, nogil=True)
def _adjacency(buf: Any, i: Any, line: Any, form: Any, rows: Any, k: Any, out: Any) -> Any:
    (role, n, leading, weighted), (row, until), (indptr, indices) = form, rows, out
    end = len(buf)
    while row < until:
        start = i
        # The last row may be an empty line without a newline.
        if i > end or (i == end and row < n - 1):
            return row, MISSING, line, start, 0
        i = _blanks(buf, i, end, role)
        if i < end and role[buf[i]] == SKIP:
            i = end_of_line(buf, i, end) + 1
            line += 1
            continue
        column = 0
        while i < end and buf[i] != NEWLINE:
            x, i = _number(buf, i, end)
            if x == -1 or not _ends_number(buf, i, end, role):
                return row, NO_NUMBER, line, start, 0
            if column >= leading and not (weighted and (column - leading) % 2 == 1):
                if x < 1 or x > n:
                    return row, RANGE, line, start, x
                indices[k] = x - 1
                k += 1
            column += 1
            i = _blanks(buf, i, end, role)
        if column < leading or (weighted and (column - leading) % 2 == 1):
            return row, SHORT, line, start, 0
        row += 1
        indptr[row] = k
        i += 1
        line += 1
    while row == n and i < end:
        start = i
        i = _blanks(buf, i, end, role)
        if i < end and buf[i] != NEWLINE and role[buf[i]] != SKIP:
            return row, EXTRA, line, start, 0
        i = end_of_line(buf, i, end) + 1
        line += 1
    return row, DONE, line, i, 0


def pairs(buf: np.ndarray, at: int, line: int, form: Pairs, dtype: type) -> tuple[np.ndarray, np.ndarray, Stop]:
    """Read a pair of vertex numbers from each line, with or without values, from byte `at` (on line `line`) on."""
    reading = stage("reading", len(buf), "bytes")
    parts = Parts.of(buf, at, line, reading.has_listener)
    parts.count(count_lines, buf)
    places = parts.before(0) + np.arange(parts.number + 1) // parts.number  # + 1 for a last line without a newline
    u: np.ndarray = np.empty(int(places[-1]), dtype)
    v: np.ndarray = np.empty(int(places[-1]), dtype)
    for some in parts.groups(reading):
        parts.parse(_parse_pairs, some, buf, form, places[some], (u, v))
    stop = parts.stop()
    sizes = parts.found[: parts.done, 0]
    rows = int(sizes.sum())
    for ends in (u, v) if rows > sizes[0] else ():
        for to, place, size in zip(np.cumsum(sizes) - sizes, places, sizes, strict=False):
            if to < place:
                ends[to : to + size] = ends[place : place + size]
    return u[:rows], v[:rows], stop._replace(rows=rows)


@parallel
def _parse_pairs(t: Any, shared: Any, text: Any, form: Any, places: Any, out: Any, found: Any) -> Any:
    """Parse parts to their places; `found` receives what `_pairs` returns."""
    (buf, ends, lines), (u, v) = text, out
    part = fetch_add(shared, FIRST, 1)
    while part < len(found):
        place = places[part]
        stop = _pairs(buf[: ends[part + 1]], ends[part], lines[part], form, u[place:], v[place:])
        found[part, 0], found[part, 1], found[part, 2], found[part, 3], found[part, 4] = stop
        part = fetch_add(shared, FIRST, 1)


def adjacency(buf: np.ndarray, at: int, line: int, form: RowFormat) -> tuple[np.ndarray, np.ndarray, Stop]:
    """Read rows: row k lists the neighbors of vertex k, counted from 1."""
    n = form.n
    reading = stage("reading", len(buf), "bytes")
    parts = Parts.of(buf, at, line, reading.has_listener)
    if parts.number > 1:
        parts.count(_count_rows, buf, form)
    else:  # the most neighbors that fit: each takes two bytes
        parts.counts[0, 1:] = n, (len(buf) - at) // 2 + 1
    begins = parts.before(1)
    last = min(int(np.searchsorted(begins[1:], n)), parts.number - 1)  # the part with row n − 1 reads the rest, too
    parts.cut(last, len(buf))
    begins[last + 1] = n
    indptr, indices = np.zeros(n + 1, np.int64), np.empty(int(parts.before(2)[-1]), np.int32)
    for some in parts.groups(reading):
        rows, at_most = begins[some.start : some.stop + 1], parts.before(2)[some]
        parts.parse(_parse_rows, some, buf, form, (rows, at_most), (indptr, indices))
    stop = parts.stop()
    return indptr, indices[: indptr[stop.rows]], stop


@inner()
def _survey(buf: Any, begin: Any, stop: Any) -> Any:
    """Count ends of lines, beginnings of numbers, and marks of comments (%) of a part, without a branch."""
    lines, starts, marks, before = 0, 0, 0, np.uint8(0)
    for i in range(np.uint64(begin), np.uint64(stop)):
        lines += buf[i] == NEWLINE
        marks += buf[i] == PERCENT
        digit = np.uint8(np.uint8(buf[i] - 48) < 10)
        starts += digit & ~before  # type: ignore[assignment]  # numba keeps an integer
        before = digit
    return lines, starts, marks


@parallel
def _count_rows(t: Any, shared: Any, buf: Any, ends: Any, counts: Any, form: Any) -> Any:
    """Count lines as `count_lines`, and the rows of each part and the most neighbors that it may have."""
    role, _, leading, weighted = form
    parts, at, end = len(counts), ends[0], len(buf)
    part = fetch_add(shared, FIRST, 1)
    while part < parts:
        i, stop = end_of_part(buf, at, end, part, parts), end_of_part(buf, at, end, part + 1, parts)
        ends[part + 1] = stop
        lines, starts, marks = _survey(buf, i, stop)
        if not (leading or weighted or marks):
            counts[part, 0], counts[part, 1] = lines, lines + (stop > i and buf[stop - 1] != NEWLINE)
            counts[part, 2] = starts
            i = stop
        while i < stop:
            i = _blanks(buf, i, stop, role)
            if i < stop and role[buf[i]] == SKIP:
                i = end_of_line(buf, i, stop)
            else:
                numbers, before = -leading, False
                while i < stop and buf[i] != NEWLINE:
                    digit = 48 <= buf[i] <= 57
                    numbers += digit and not before
                    before = digit
                    i += 1
                counts[part, 1] += 1
                counts[part, 2] += max(0, (numbers + 1) // 2 if weighted else numbers)
            counts[part, 0] += i < stop
            i += 1
        part = fetch_add(shared, FIRST, 1)


@parallel
def _parse_rows(t: Any, shared: Any, text: Any, form: Any, first: Any, out: Any, found: Any) -> Any:
    """Parse parts; `first` has their first rows and neighbors; `found` receives what `_adjacency` returns."""
    (buf, ends, lines), (begins, places) = text, first
    part = fetch_add(shared, FIRST, 1)
    while part < len(found):
        rows = begins[part], begins[part + 1]
        stop = _adjacency(buf[: ends[part + 1]], ends[part], lines[part], form, rows, places[part], out)
        found[part, 0], found[part, 1], found[part, 2], found[part, 3], found[part, 4] = stop
        part = fetch_add(shared, FIRST, 1)


def rows(buf: np.ndarray, line: int, form: RowFormat, count: int) -> tuple[np.ndarray, np.ndarray, Stop, int]:
    """Read `count` rows from the beginning of `buf` on, as `adjacency`; return also the byte after them."""
    indptr = np.zeros(count + 1, np.int64)
    indices: np.ndarray = np.empty(len(buf) // 2 + 1, np.int32)
    found = _adjacency(buf, 0, line, form, (0, count), 0, (indptr, indices))
    parsed, status, line, at, value = map(int, found)
    return indptr, indices[: indptr[parsed]], Stop(parsed, status, line, at, value), at


def text_line(buf: np.ndarray, start: int, most: int = 200) -> str:
    """Return the line that starts at a byte, with its blanks, but at most `most` bytes."""
    head = buf[start : start + most].tobytes().split(b"\n", 1)[0]
    try:
        return head.decode("utf-8")
    except UnicodeDecodeError:
        return head.decode("latin-1")


class LineReader:
    """A reader of the head of a text: the next line has the number `line` and starts at byte `at`."""

    buf: np.ndarray
    at: int
    line: int

    def __init__(self, buf: np.ndarray, at: int = 0, line: int = 1) -> None:
        if at == 0 and buf[: len(MARK)].tobytes() == MARK:
            at = len(MARK)
        self.buf, self.at, self.line = buf, at, line

    def peek(self) -> str | None:
        """Return the next line, stripped and cut at 200 bytes; None at the end."""
        return text_line(self.buf, self.at).strip() if self.at < len(self.buf) else None

    def skip(self) -> None:
        """Skip the next line."""
        at, step = self.at, 1 << 12
        while at < len(self.buf):
            end = self.buf[at : at + step].tobytes().find(b"\n")
            if end >= 0:
                at += end + 1
                break
            at += step
        self.at, self.line = min(at, len(self.buf)), self.line + 1

    def pass_over(self, role: np.ndarray) -> None:
        """Skip all lines that are blank or begin with a SKIP byte. There may be millions of them."""
        self.at, self.line = map(int, _past(self.buf, self.at, self.line, role))


def line_of_row(buf: np.ndarray, at: int, line: int, row: int, blank: bool = False) -> int:
    """Return the line of a row, which is counted from 0, for errors."""
    for text in buf[at:].tobytes().split(b"\n"):
        text = text.strip()
        if not text.startswith(b"%") and (text or blank):
            if row == 0:
                break
            row -= 1
        line += 1
    return line


def error(path: Path, buf: np.ndarray, stop: Stop, expected: str, numbers: str) -> FormatError:
    """Return the error for a stop that is not DONE."""
    found = shown(text_line(buf, stop.start).strip())
    if stop.status == RANGE:
        value = "a number of over 18 digits" if stop.value < 0 else f"vertex {stop.value}"
        return malformed(path, f"{value} is out of range: {numbers}; the line is {found}", stop.line)
    return malformed(path, f"expected {expected}, found {found}", stop.line)
