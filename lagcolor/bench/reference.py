"""Numbers that were measured elsewhere, to lay beside ours: a CSV with columns graph, code, colors and ms."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from ..errors import FormatError

# The names that tables of measurements give the same column; the first that is there counts.
NAMES = {"code": ("code", "system"), "ms": ("ms", "ms_with_order"), "colors": ("colors",)}
INVALID = ("no", "false", "0")
WRONG = "incorrectly_colored"  # vertices, in tables of papers


def read_reference(path: str | Path) -> list[dict[str, Any]]:
    """Rows of kind "reference".

    Parameters
    ----------
    path : path-like
        Columns ``graph``, ``code`` (or ``system``), ``ms`` (or ``ms_with_order``) and ``colors``; empty cells are
        unknown. Rows with "no" in a column ``valid``, or a number over 0 in ``incorrectly_colored``, are left out;
        ``threads`` joins the code's name.

    Raises
    ------
    FormatError
        A column is missing, or a cell is no number; the message names file and line.
    OSError
        The file cannot be read.
    """
    rows: list[dict[str, Any]] = []
    with open(path, newline="", encoding="utf-8") as f:
        table = csv.DictReader(f)
        columns = _columns(path, table.fieldnames or ())
        for line in table:
            where = f"{path}, line {table.line_num}"
            if (line.get("valid") or "").lower() in INVALID or _number(where, line.get(WRONG)):
                continue
            threads = line.get("threads") or "1"
            rows.append(
                {
                    "kind": "reference",
                    "graph": line["graph"],
                    "code": line[columns["code"]] + (f" ×{threads}" if threads != "1" else ""),
                    "colors": None if (c := _number(where, line[columns["colors"]])) is None else round(c),
                    "ms": _number(where, line[columns["ms"]]),
                    "from": Path(path).name,
                }
            )
    return rows


def _columns(path: str | Path, there: Any) -> dict[str, str]:
    out = {}
    for want, names in NAMES.items():
        found = [name for name in names if name in there]
        if not found or "graph" not in there:
            raise FormatError(f"{path}: must have the columns graph, code, colors and ms, not {', '.join(there)}")
        out[want] = found[0]
    return out


def _number(where: str, text: str | None) -> float | None:
    if not text or not text.strip():
        return None
    try:
        return float(text)
    except ValueError:
        raise FormatError(f"{where}: {text!r} is no number") from None
