"""Result files, and CSV tables of other people's figures, as `Results`.

A meta line describes the machine of the lines after it. Runs, references and graphs become objects; measurements, which
only the script that wrote them can show, are counted and left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lagcolor.base.errors import FormatError, OptionError

from ..reference import of_another, read_reference
from .lines import read_lines
from .model import GraphFacts, Meta, Results, Run, facts_of, meta_of, run_of
from .schema import Row


def read(paths: str | Path | Iterable[str | Path]) -> Results:
    """Read the runs of result files.

    Parameters
    ----------
    paths : path-like or iterable of path-like
        ``.jsonl`` files, folders (all ``.jsonl`` files in them), and ``.csv`` tables of other people's figures as
        `benchmarks.compare --reference` takes them, which become runs of style "reference".

    Returns
    -------
    Results
        Of two measurements of one thing the newest counts.

    Raises
    ------
    FormatError
        A line is no JSON object, or a table is malformed. A last line that is cut off is left out and noted.
    OptionError
        There is no path, a folder has no result file, or no file has a run.

    Examples
    --------
    >>> from benchmarks.harness.results import read
    >>> with open("times.csv", "w") as f:
    ...     _ = f.write("graph,code,colors,ms\\nroad,A,4,3.0\\nroad,B,5,2.0\\n")
    >>> [(run.code, run.ms) for run in read("times.csv").on("road")]
    [('A', 3.0), ('B', 2.0)]
    """
    reader = _Reader()
    files = _files([paths] if isinstance(paths, (str, Path)) else list(paths))
    for path in files:
        reader.csv(path) if path.suffix.lower() == ".csv" else reader.jsonl(path)
    if not reader.runs:
        raise OptionError(f"no runs in {', '.join(map(str, files))}: give files that 'benchmarks.compare' wrote")
    return reader.results()


def of_lines(rows: Sequence[Row]) -> Results:
    """The runs of lines that are no file yet."""
    reader = _Reader()
    reader.lines(rows, "")
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
    meta: Meta | None = None
    measurements: int = 0
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
        rows = read_lines(path, self.notes)
        if rows and rows[0]["kind"] != "meta":
            raise FormatError(f"{path}, line 1: no meta line, which describes the machine of the lines after it")
        self.lines(rows, path.name)

    def lines(self, rows: Sequence[Row], name: str) -> None:
        """The lines of a file of that name."""
        here = _File(name)
        for row in rows:
            if row["kind"] == "meta":
                here.meta = meta_of(row, name)
                self.metas.append(here.meta)
            elif row["kind"] == "graph":
                self._graph(row)
            elif row["kind"] == "measurement":
                here.measurements += 1
            else:
                self._add(row, here)
        if not here.runs:
            self.notes.append(f"{name}: no runs of colorings, left out")
        elif here.measurements:
            self.notes.append(f"{name}: {here.measurements} lines of kind measurement left out")

    def _add(self, row: Row, here: _File) -> None:
        graph = self._graph(row)
        if "n_there" in row or "m_there" in row:
            self._sized[row["from"], graph] = row
        run = replace(run_of(row, here.meta, here.name), graph=graph)
        here.runs += 1
        if run.floor_ms is None and run.style != "reference":  # which may be of another machine
            run = replace(run, floor_ms=self.graphs[graph].floor_ms)
        before = self.runs.get(run.key)
        if before is None or run.date >= before.date:
            self.runs[run.key] = run

    def csv(self, path: Path) -> None:
        here = _File(path.name)
        for row in read_reference(path):
            self._add(row, here)

    def results(self) -> Results:
        """What was read, references under the names that graphs have here."""
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
                self.notes.append(f"{source}: figures for {facts.name} belong to another graph, {sizes} (here {here})")
        return Results(
            runs, {k: g for k, g in self.graphs.items() if not measured or k in measured}, self.metas, self.notes
        )

    def _graph(self, row: Row) -> str:
        """The name here of the graph of a line: graphs of one spec and size are one; of one name and two sizes, two."""
        facts = facts_of(row)
        size = (facts.n, facts.m)
        if facts.spec and (name := self._same.get((facts.spec, *size))):
            self._called.setdefault(facts.name, name)
            facts.name = name
        earlier = self.graphs.get(facts.name)
        if earlier and None not in (*size, earlier.n) and size != (earlier.n, earlier.m):
            facts.name = f"{facts.name} ({facts.m:,} entries)"
            earlier = self.graphs.get(facts.name)
        if earlier is None:
            self.graphs[facts.name] = facts
        else:
            for name in ("spec", "n", "m", "max_degree", "floor_ms", "degrees"):
                setattr(earlier, name, getattr(earlier, name) or getattr(facts, name))
        if facts.spec:
            self._same.setdefault((facts.spec, *size), facts.name)
        return facts.name
