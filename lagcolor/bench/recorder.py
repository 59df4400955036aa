"""The result file: JSON lines, appended row by row, so that a stopped run keeps what it has and goes on from there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import FormatError, OptionError

Row = dict[str, Any]
FILE = "results.jsonl"
SCHEMA = 1
KEY = ("graph", "spec", "code", "device", "order", "seed", "threads")
SAME_MACHINE = ("cpu", "cores", "gpu")  # rows of one file are measured where these agree


def key_of(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """What tells one measurement from another; a later row of the same key replaces an earlier one."""
    options = json.dumps(row.get("options") or {}, sort_keys=True)
    return (*(row.get(name) for name in KEY), options)


def _lines(path: Path) -> list[Row]:
    """Rows of a file; a last line that was cut off is left out."""
    rows: list[Row] = []
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as e:
            if number == len(lines):  # without its line end: the writer was stopped in it
                continue
            raise FormatError(f"{path}, line {number}: no JSON: {e}") from None
        if not isinstance(row, dict) or "kind" not in row:
            raise FormatError(f'{path}, line {number}: no object with a "kind": is it a file of lagcolor bench?')
        rows.append(row)
    return rows


class Recorder:
    """A result file that is being written.

    Parameters
    ----------
    folder : Path
        Made where it is not there.
    fresh : bool
        Start over instead of going on.

    Attributes
    ----------
    path : Path
    rows : list of dict
        What stands in the file.
    """

    def __init__(self, folder: Path, fresh: bool = False) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / FILE
        if fresh:
            self.path.unlink(missing_ok=True)
        self.rows: list[Row] = _lines(self.path) if self.path.exists() else []
        self._mend()

    def _mend(self) -> None:
        """A last line that was cut off must not spoil the first new one."""
        if self.path.exists() and (data := self.path.read_bytes()) and not data.endswith(b"\n"):
            self.path.write_bytes(data[: data.rfind(b"\n") + 1])

    def add(self, row: Row) -> None:
        """Append a row, on the disk before this returns to the caller."""
        self.rows.append(row)
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")

    def current(self) -> list[Row]:
        """The runs and references that count: of several of one thing the last."""
        last: dict[tuple[Any, ...], Row] = {}
        for row in self.rows:
            if row["kind"] == "run":
                last["run", *key_of(row)] = row
            elif row["kind"] == "reference":
                last["reference", *(row.get(name) for name in ("graph", "code", "from"))] = row
        return list(last.values())

    def settled(self, retry: bool = False) -> set[tuple[Any, ...]]:
        """Keys that need no further run: complete, failed or late before; with `retry` only complete ones.

        What was wrong outside of the code runs again: a peer that was absent may be there now, a graph that could not
        be loaded (a failure without n) may have been mended, and a row of an interrupted graph is partial.
        """
        last = {key_of(row): row for row in self.rows if row["kind"] == "run"}
        done = ("ok",) if retry else ("ok", "failed", "timeout")
        return {
            key
            for key, row in last.items()
            if row["status"] in done and not row.get("partial") and (row["status"] == "ok" or row.get("n") is not None)
        }

    def check_machine(self, hardware: Mapping[str, Any]) -> None:
        """Refuse to mix machines in one file."""
        before = next((row["hardware"] for row in reversed(self.rows) if row["kind"] == "meta"), None)
        if before is None:
            return
        for name in SAME_MACHINE:
            if before.get(name) != hardware.get(name):
                raise OptionError(
                    f"{self.path} was measured on another machine ({name}: {before.get(name)}, here "
                    f"{hardware.get(name)}): give another --out, or --fresh to start over"
                )
