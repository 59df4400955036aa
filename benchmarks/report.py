"""Records as JSON lines, and where tables are printed: for the scripts here; `lagcolor bench` has its own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console

Record = dict[str, Any]


class Sink:
    """Writes each record as it comes, so that an interrupted run keeps what it has."""

    def __init__(self, *files: TextIO) -> None:
        self.records: list[Record] = []
        self._files = files

    def add(self, kind: str, **fields: Any) -> None:
        """One line: ``{"kind": kind, ...}``."""
        record = {"kind": kind, **fields}
        self.records.append(record)
        for file in self._files:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
            file.flush()

    def of(self, kind: str) -> list[Record]:
        """The records of a kind."""
        return [r for r in self.records if r["kind"] == kind]


def read(path: Path) -> list[Record]:
    """The records of a result file."""
    return [json.loads(line) for line in path.read_text().splitlines() if line]


def markdown(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table; the first row is its head."""
    head, *body = (f"| {' | '.join(row)} |" for row in rows)
    return [head, "| --- " * len(rows[0]) + "|", *body]


def source(records: Sequence[Record]) -> str:
    """Where and when a result file was made, and of what."""
    about = records[0]
    machine = next((r["machine"] for r in records if "machine" in r), about)
    where = machine.get("gpu") or about["cpu"]
    return f"{where}, {about['date'][:10]}, commit {about['commit']}."


def console(stderr: bool = False) -> Console:
    """As wide as the terminal; wide enough for the tables where there is none."""
    probe = Console(stderr=stderr)
    return probe if probe.is_terminal else Console(stderr=stderr, width=170)
