"""The result file of `benchmarks.compare`: the rows that count, and the rows that need no further run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lagcolor.base.errors import OptionError

from .results import ResultFile, Row

FILE = "results.jsonl"
KEY = ("graph", "spec", "code", "device", "order", "seed", "threads")
SAME_MACHINE = ("cpu", "cores", "gpu")  # rows of one file are measured where these agree


def key_of(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the key of a measurement; a later row with the same key replaces an earlier one."""
    options = json.dumps(row.get("options") or {}, sort_keys=True)
    return (*(row.get(name) for name in KEY), options)


class Recorder(ResultFile):
    """The result file of a run of `benchmarks.compare`."""

    def __init__(self, folder: Path, fresh: bool = False) -> None:
        super().__init__(folder / FILE, fresh=fresh)

    def current(self) -> list[Row]:
        """Return the runs and references that count: the last one of each key."""
        last: dict[tuple[Any, ...], Row] = {}
        for row in self.rows:
            if row["kind"] == "run":
                last["run", *key_of(row)] = row
            elif row["kind"] == "reference":
                last["reference", *(row.get(name) for name in ("graph", "code", "from"))] = row
        return list(last.values())

    def complete(self, retry: bool = False) -> set[tuple[Any, ...]]:
        """Keys that need no further run: complete, failed or late before; with `retry` only complete ones.

        Failures outside of the code run again: an absent peer may be installed now, a graph that could not be loaded (a
        failure without n) may be repaired, and a row of an interrupted graph is partial.
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
