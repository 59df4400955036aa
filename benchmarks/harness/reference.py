"""Numbers that were measured elsewhere, for comparison: a CSV with columns graph, code, colors and ms."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lagcolor.base.errors import FormatError
from lagcolor.io.files import shown

# The names that tables of measurements give the same column; the first that is there counts.
NAMES: dict[str, tuple[str, ...]] = {"code": ("code", "system"), "ms": ("ms", "ms_with_order"), "colors": ("colors",)}
INVALID = ("no", "false", "0")
SIZES = {"n_there": ("n", "vertices"), "m_there": ("directed_edges", "m")}  # name in a row: names in a table
WRONG = "incorrectly_colored"  # vertices, in tables of papers


def read_reference(path: str | Path, valid: bool = True) -> list[dict[str, Any]]:
    """Rows of kind "reference"."""
    with open(path, newline="", encoding="utf-8") as f:
        table = csv.DictReader(f)
        try:
            columns = _columns(path, table.fieldnames or ())
            found = [_row(path, f"{path}, line {table.line_num}", line, columns, valid) for line in table]
        except (csv.Error, UnicodeDecodeError) as e:
            raise FormatError(f"{path}, after line {table.line_num}: no text of a .csv file ({e})") from e
    return [row for row in found if row is not None]


def _row(
    path: str | Path, where: str, line: Mapping[str, str], columns: Mapping[str, str], valid: bool
) -> dict[str, Any] | None:
    """A line of the table as a row; None if it is left out."""
    wrong = (line.get("valid") or "").lower() in INVALID or bool(_number(where, line.get(WRONG)))
    if wrong == valid:
        return None
    threads, code = line.get("threads") or "1", line[columns["code"]]
    if not line["graph"] or not code:
        raise FormatError(f"{where}: the row has no graph or no code")
    return {
        "kind": "reference",
        "graph": line["graph"],
        "code": code + (f" ×{threads}" if threads != "1" else ""),
        "colors": None if (c := _number(where, line[columns["colors"]])) is None else round(c),
        "ms": _number(where, line[columns["ms"]]),
        "from": Path(path).name,
        **_sizes(where, line),
    }


def of_another(row: Mapping[str, Any], n: int | None, m: int | None) -> str:
    """Return the size of a reference row's graph if it differs from the graph here; else empty."""
    sizes = ((row.get("n_there"), n, "vertices"), (row.get("m_there"), m, "stored entries"))
    if all(there is None or here is None or there == here for there, here, _ in sizes):
        return ""
    return "of " + ", ".join(f"{there:,} {what}" for there, _, what in sizes if there is not None)


def _sizes(where: str, line: Mapping[str, str]) -> dict[str, int]:
    out: dict[str, int] = {}
    for name, columns in SIZES.items():
        number = next((x for c in columns if (x := _number(where, line.get(c))) is not None), None)
        out |= {} if number is None else {name: round(number)}
    return out


def _columns(path: str | Path, there: Any) -> dict[str, str]:
    out = {}
    for want, names in NAMES.items():
        found = [name for name in names if name in there]
        if not found or "graph" not in there:
            raise FormatError(
                f"{path}: must have the columns graph, code, colors and ms, not {shown(', '.join(there))}"
            )
        out[want] = found[0]
    return out


def _number(where: str, text: str | None) -> float | None:
    if not text or not text.strip():
        return None
    try:
        number = float(text)
    except ValueError:
        raise FormatError(f"{where}: {shown(text)} is no number") from None
    if abs(number) >= 2**63 and math.isfinite(number):
        raise FormatError(f"{where}: {shown(text)} is out of range")
    return number if math.isfinite(number) else None
