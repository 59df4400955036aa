"""Result files: JSON lines as `lagcolor bench` writes them, those of the scripts before it, and CSV tables of others.

A file is read line by line: a meta line says where the runs after it were made. Kinds of line are told by the
`kind` field; what is no run, no graph and no meta line is counted and left out.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...errors import FormatError, OptionError
from ..reference import of_another, read_reference
from .lines import facts_of, meta_of, runs_of_result, runs_of_speed
from .model import GraphFacts, Meta, Results, Run

METAS = ("meta", "provenance")
RUNS = ("run", "result", "reference", "speed")
NAMES = ("code", "algorithm", "method", "peer")  # a line with none of them is of another table


def read(paths: str | Path | Iterable[str | Path]) -> Results:
    """The runs of result files.

    Parameters
    ----------
    paths : path-like or several
        ``.jsonl`` files, folders (all ``.jsonl`` files in them), and ``.csv`` tables of other people's figures as
        `lagcolor bench --reference` takes them, which become runs of style "reference" beside what was measured.

    Returns
    -------
    Results

    Raises
    ------
    FormatError
        A line that is no JSON object, or a malformed table; a cut last line is left out and noted.
    OptionError
        No path, a folder without result files, or no run in any file.
    """
    reader = _Reader()
    files = _files([paths] if isinstance(paths, (str, Path)) else list(paths))
    for path in files:
        reader.csv(path) if path.suffix.lower() == ".csv" else reader.jsonl(path)
    if not reader.runs:
        raise OptionError(f"no runs in {', '.join(map(str, files))}: give files that 'lagcolor bench' wrote")
    return reader.results()


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


@dataclass
class _File:
    """What is known so far while a file is read."""

    name: str
    meta: Mapping[str, Any] = field(default_factory=dict)
    graphs: dict[str, Mapping[str, Any]] = field(default_factory=dict)  # lines of kind graph, by name
    others: Counter[str] = field(default_factory=Counter)  # kinds of lines that are no runs
    runs: int = 0


class _Reader:
    """Gathers runs; of two measurements of one thing the one with the later date stays, or the later line."""

    def __init__(self) -> None:
        self.runs: dict[tuple[Any, ...], Run] = {}
        self.graphs: dict[str, GraphFacts] = {}
        self.metas: list[Meta] = []
        self.notes: list[str] = []
        # References that say of what size, by file and graph.
        self._sized: dict[tuple[str, str], Mapping[str, Any]] = {}
        self._same: dict[tuple[Any, ...], str] = {}
        self._called: dict[str, str] = {}  # another file's name of a graph → the one here

    def jsonl(self, path: Path) -> None:
        here = _File(path.name)
        for number, row in self._rows(path):
            try:
                self._line(row, here)
            except (TypeError, ValueError, KeyError, AttributeError) as e:
                raise FormatError(f"{path}, line {number}: not as lagcolor bench writes it ({e})") from e
        if not here.runs:
            self.notes.append(f"{path.name}: no runs of colorings, left out")
        elif here.others:
            counts = ", ".join(f"{n} of kind {kind}" for kind, n in here.others.items())
            self.notes.append(f"{path.name}: lines that are no runs left out: {counts}")

    def _line(self, row: Mapping[str, Any], here: _File) -> None:
        kind = str(row.get("kind") or "other")
        if kind in METAS or (kind == "run" and "graph" not in row):
            here.meta = row
            self.metas.append(meta_of(row, here.name))
        elif kind == "graph":
            here.graphs[str(row.get("graph"))] = row
            if isinstance(peer := row.get("best_peer"), Mapping):
                self._add({**row, **peer, "kind": "reference"}, here)
            else:
                self._graph(row)
        elif kind in RUNS and any(row.get(name) for name in (("peer_here",) if kind == "speed" else NAMES)):
            self._add({**here.graphs.get(str(row.get("graph")), {}), **row}, here)
        elif kind == "absent":
            self.notes.append(f"{here.name}: {row.get('peer')} is absent: {row.get('why')}")
        elif kind != "peer":  # the version of a peer, which its rows name as well
            here.others[kind] += 1

    def _add(self, row: Mapping[str, Any], here: _File) -> None:
        make = runs_of_speed if row["kind"] == "speed" else runs_of_result
        style = {"style": "reference"} if row["kind"] == "reference" else {}
        graph = self._graph(row)
        if "n_there" in row or "m_there" in row:
            self._sized[str(row.get("from") or here.name), graph] = row
        for run in make({**row, **style, "graph": graph}, here.meta, here.name):
            here.runs += 1
            # Not of references, which may be of another machine.
            if run.floor_ms is None and run.style != "reference" and run.graph in self.graphs:
                run = replace(run, floor_ms=self.graphs[run.graph].floor_ms)
            self._keep(run)

    def csv(self, path: Path) -> None:
        here = _File(path.name)
        for row in read_reference(path):
            self._add(row, here)

    def results(self) -> Results:
        runs = list(self.runs.values())
        measured = {r.graph for r in runs if r.style != "reference"}
        runs = [r if r.graph in measured else replace(r, graph=self._called.get(r.graph, r.graph)) for r in runs]
        runs = list({r.key: r for r in runs}.values())  # figures for two names of one graph
        if others := [r for r in runs if measured and r.graph not in measured]:
            runs = [r for r in runs if r.graph in measured]
            graphs = len({r.graph for r in others})
            self.notes.append(f"{len(others)} reference rows left out, of {graphs} graphs that nothing was measured on")
        for (source, name), row in self._sized.items():
            facts = self.graphs.get(self._called.get(name, name))
            if facts and (sizes := of_another(row, facts.n, facts.m)):
                here = ", ".join(f"{x:,}" for x in (facts.n, facts.m) if x is not None)
                self.notes.append(f"{source}: figures beside {facts.name} are of another graph, {sizes} (here {here})")
        return Results(
            runs, {k: g for k, g in self.graphs.items() if not measured or k in measured}, self.metas, self.notes
        )

    def _rows(self, path: Path) -> Iterable[tuple[int, dict[str, Any]]]:
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
            yield number, row

    def _graph(self, row: Mapping[str, Any]) -> str:
        """The name here of the graph of a line: graphs of one spec and size are one; of one name and two sizes, two."""
        facts = facts_of(row)
        if not facts.name:
            return ""
        size = (facts.n, facts.m)
        if facts.spec and (name := self._same.get((facts.spec, *size))):
            self._called.setdefault(facts.name, name)
            facts.name = name
        held = self.graphs.get(facts.name)
        if held and None not in (*size, held.n) and size != (held.n, held.m):
            facts.name = f"{facts.name} ({facts.m:,} entries)"
            held = self.graphs.get(facts.name)
        if held is None:
            self.graphs[facts.name] = facts
        else:
            for name in ("spec", "n", "m", "max_degree", "floor_ms", "degrees"):
                setattr(held, name, getattr(held, name) or getattr(facts, name))
        if facts.spec:
            self._same.setdefault((facts.spec, *size), facts.name)
        return facts.name

    def _keep(self, run: Run) -> None:
        before = self.runs.get(run.key)
        if before is None or run.date >= before.date:
            self.runs[run.key] = run
