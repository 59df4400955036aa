"""Result files: JSON lines as `lagcolor bench` writes them, those of the scripts before it, and CSV tables of others.

A file is read line by line: a meta line says where the runs after it were made. Kinds of line are told by the
`kind` field; what is no run, no graph and no meta line is counted and left out.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import FormatError, OptionError
from .lines import facts_of, meta_of, runs_of_result, runs_of_speed
from .model import GraphFacts, Meta, Results, Run

METAS = ("meta", "provenance")
CSV_NEEDS = ("graph", "code", "colors")


def read(paths: str | Path | Iterable[str | Path]) -> Results:
    """The runs of result files.

    Parameters
    ----------
    paths : path-like or several
        ``.jsonl`` files, folders (all ``.jsonl`` files in them), and ``.csv`` tables of other people's figures with the
        columns graph, code, colors and ms (or ms_with_order), which become runs of style "reference".

    Returns
    -------
    Results

    Raises
    ------
    FormatError
        A line that is no JSON object, or a table without these columns; a cut last line is left out and noted.
    OptionError
        No path, a folder without result files, or no run in any file.
    """
    reader = _Reader()
    files = _files([paths] if isinstance(paths, (str, Path)) else list(paths))
    for path in files:
        reader.csv(path) if path.suffix.lower() == ".csv" else reader.jsonl(path)
    if not reader.runs:
        raise OptionError(f"no runs in {', '.join(map(str, files))}: give files that 'lagcolor bench' wrote")
    return Results(list(reader.runs.values()), reader.graphs, reader.metas, reader.notes)


def _files(paths: list[str | Path]) -> list[Path]:
    found: list[Path] = []
    for path in map(Path, paths):
        inside = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
        if not inside:
            raise OptionError(f"no .jsonl file in the folder {path}")
        found += inside
    if not found:
        raise OptionError("no result file was given")
    return found


class _Reader:
    """Gathers runs; of two measurements of one thing the one with the later date stays, or the later line."""

    def __init__(self) -> None:
        self.runs: dict[tuple[Any, ...], Run] = {}
        self.graphs: dict[str, GraphFacts] = {}
        self.metas: list[Meta] = []
        self.notes: list[str] = []
        self._same: dict[tuple[Any, ...], str] = {}

    def jsonl(self, path: Path) -> None:
        meta: Mapping[str, Any] = {}
        names: dict[str, tuple[str, Mapping[str, Any]]] = {}  # of this file: name → name here, its graph line
        others: Counter[str] = Counter()
        before = self.runs.copy()
        for row in self._rows(path):
            kind = row.get("kind")
            if kind in METAS or (kind == "run" and "graph" not in row):
                meta = row
                self.metas.append(meta_of(row, path.name))
            elif kind == "graph":
                names[str(row.get("graph"))] = (self._graph(row), row)
            elif kind in ("run", "result", "speed"):
                name = str(row.get("graph") or "")
                here, line = names.get(name) or (self._graph(row), {})
                make = runs_of_speed if kind == "speed" else runs_of_result
                for run in make({**line, **row, "graph": here}, meta, path.name):
                    self._keep(run)
                if name not in names:
                    self._graph(row)
            elif kind == "absent":
                self.notes.append(f"{path.name}: {row.get('peer')} is absent: {row.get('why')}")
            elif kind != "peer":
                others[str(kind or "other")] += 1
            if kind == "graph" and isinstance(peer := row.get("best_peer"), Mapping):
                reference = {**row, **peer, "kind": "run", "graph": self._graph(row), "style": "reference"}
                for run in runs_of_result(reference, meta, path.name):
                    self._keep(run)
        if self.runs == before and not names:
            self.notes.append(f"{path.name}: no runs of colorings, left out")
        elif others:
            counts = ", ".join(f"{n} of kind {kind}" for kind, n in others.items())
            self.notes.append(f"{path.name}: lines that are no runs left out: {counts}")

    def csv(self, path: Path) -> None:
        with open(path, newline="") as f:
            table = csv.DictReader(f)
            columns = table.fieldnames or ()
            missing = [c for c in CSV_NEEDS if c not in columns]
            if missing or not {"ms", "ms_with_order"} & set(columns):
                raise FormatError(f"{path}: the table needs the columns graph, code, colors, and ms or ms_with_order")
            for line, row in enumerate(table, 2):
                try:
                    self._keep(_reference(row, path.name))
                except ValueError as e:
                    raise FormatError(f"{path}, line {line}: {e}") from e
                self.graphs.setdefault(row["graph"], GraphFacts(name=row["graph"]))

    def _rows(self, path: Path) -> Iterable[dict[str, Any]]:
        text = path.read_text(encoding="utf-8", errors="replace")
        lines = text.splitlines()
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError as e:
                if number == len(lines) and not text.endswith("\n"):
                    self.notes.append(f"{path.name}: the last line is cut off, left out")
                    return
                raise FormatError(f"{path}, line {number}: not JSON ({e})") from e
            if not isinstance(row, dict):
                raise FormatError(f"{path}, line {number}: not a JSON object")
            yield row

    def _graph(self, row: Mapping[str, Any]) -> str:
        """The name here of the graph of a line: graphs of one spec and size are one; of one name and two sizes, two."""
        facts = facts_of(row)
        if not facts.name:
            return ""
        size = (facts.n, facts.m)
        if facts.spec and (name := self._same.get((facts.spec, *size))):
            facts.name = name
        held = self.graphs.get(facts.name)
        if held and None not in (*size, held.n) and size != (held.n, held.m):
            facts.name = f"{facts.name} ({facts.m:,} entries)"
            held = self.graphs.get(facts.name)
        if held is None:
            self.graphs[facts.name] = facts
        else:
            for field in ("spec", "n", "m", "max_degree", "floor_ms", "degrees"):
                setattr(held, field, getattr(held, field) or getattr(facts, field))
        if facts.spec:
            self._same.setdefault((facts.spec, *size), facts.name)
        return facts.name

    def _keep(self, run: Run) -> None:
        if run.floor_ms is None and run.graph in self.graphs:
            run = replace(run, floor_ms=self.graphs[run.graph].floor_ms)
        before = self.runs.get(run.key)
        if before is None or run.date >= before.date:
            self.runs[run.key] = run


def _reference(row: Mapping[str, str], source: str) -> Run:
    order_ms = float(row.get("order_ms") or 0)
    ms = float(row["ms"]) if row.get("ms") else float(row.get("ms_with_order") or 0) - order_ms
    valid = (row.get("valid") or "yes").lower() in ("yes", "true", "1")
    return Run(
        graph=row["graph"], code=row["code"], style="reference", device=row.get("device") or "",
        threads=int(row["threads"]) if row.get("threads") else None, colors=round(float(row["colors"] or 0)),
        ms=ms, order_ms=order_ms, floor_ms=float(row["floor_ms"]) if row.get("floor_ms") else None,
        verified=valid, source=source,
    )  # fmt: skip
