"""Result files as lines: the reader and the writer that everything uses."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from lagcolor.base.errors import FormatError
from lagcolor.io.json_text import parsed

from .schema import Row, check


def read_lines(path: str | Path, notes: list[str] | None = None) -> list[Row]:
    """The lines of a result file."""
    path = Path(path)
    rows: list[Row] = []
    text = path.read_text(encoding="utf-8", errors="replace")
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = parsed(line)
            check(row)
        except ValueError as e:  # FormatError is one
            if number == len(lines) and not isinstance(e, FormatError):  # the writer was stopped in it
                if notes is not None:
                    notes.append(f"{path.name}: the last line is cut off, left out")
                continue
            what = e if isinstance(e, FormatError) else f"not JSON ({e})"
            raise FormatError(f"{path}, line {number}: {what}") from e
        rows.append(row)
    return rows


class ResultFile:
    """A result file that is being written: each line is complete on the disk before `add` returns.

    Parameters
    ----------
    path : Path or None
        None: the lines are only in memory.
    fresh : bool
        Start over instead of going on.

    Attributes
    ----------
    path : Path or None
    rows : list of dict
        What stands in the file.
    """

    def __init__(self, path: Path | None, *, fresh: bool = False) -> None:
        self.path = path
        self.rows: list[Row] = []
        if path is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        if fresh:
            path.unlink(missing_ok=True)
        if path.exists():
            self.rows = read_lines(path)
            data = path.read_bytes()
            if not data.endswith(b"\n"):  # a last line that was cut off must not spoil the first new one
                path.write_bytes(data[: data.rfind(b"\n") + 1])

    def add(self, row: Row) -> None:
        """Append a line."""
        check(row)
        self.rows.append(row)
        if self.path is not None:
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")

    def of(self, kind: str) -> list[Row]:
        """The lines of a kind."""
        return of_kind(self.rows, kind)


def of_kind(rows: Sequence[Row], kind: str) -> list[Row]:
    """The lines of a kind."""
    return [row for row in rows if row["kind"] == kind]


def by_graph(rows: Sequence[Row]) -> list[Row]:
    """Group the run lines of a result file by graph.

    Parameters
    ----------
    rows : sequence of dict
        Lines of a result file.

    Returns
    -------
    list of dict
        For each graph the facts of its lines, and under the name of each variant (or code) its line.

    Examples
    --------
    >>> from benchmarks.harness.results import by_graph
    >>> rows = [{"kind": "run", "graph": "road", "code": code, "ms": ms} for code, ms in (("A", 3.0), ("B", 2.0))]
    >>> by_graph(rows)[0]["B"]["ms"]
    2.0
    """
    out: dict[str, Row] = {}
    for row in of_kind(rows, "run"):
        facts = {key: row.get(key) for key in ("graph", "spec", "n", "m", "max_degree")}
        out.setdefault(row["graph"], facts)[row.get("variant") or row["code"]] = row
    return list(out.values())
