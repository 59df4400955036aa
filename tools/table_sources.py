"""Sources of a table's figures: ours from one commit of a clean tree, and descriptions of other people's."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

SOURCES = "sources.json"  # in the folder of the tables of other people's figures
ANOTHER, MISSING, IMPROPER = "*", "–", "improper"  # marks of cells
COMMIT = "COMMIT"  # in the folder of result files: the commit that they are of, and the files that are not yet
SHORT = 7  # digits of a commit to compare, because files have hashes of several lengths


class SourceError(ValueError):
    """Figures that cannot be in one table."""


def check_commits(measured: Iterable[tuple[Path, str]]) -> None:
    """Raise an error unless all figures are from one commit of a clean tree, and that is the commit of their folder.

    Parameters
    ----------
    measured : iterable of (Path, str)
        Result files and the commits that their lines name.

    Raises
    ------
    SourceError
    """
    pairs = sorted(set(measured))
    names = sorted({name for _, name in pairs})
    if any(name.endswith("+") for name in names):
        raise SourceError(f"measured on a tree with uncommitted changes ({', '.join(names)})")
    if not all(names):
        raise SourceError("a result file does not name its commit")
    if len({name[:SHORT] for name in names}) > 1:
        raise SourceError(f"measured at more than one commit ({', '.join(names)})")
    for path, name in pairs:
        if path.with_name(COMMIT).exists():
            _check_commit(path, name, *commit_of(path.parent))


def commit_of(folder: Path) -> tuple[str, dict[str, str]]:
    """Return the commit of a folder's result files, and the commit of each file that is not of it yet."""
    lines = [line.split(maxsplit=2) for line in (folder / COMMIT).read_text().splitlines() if line[:1] not in ("", "#")]
    if [len(line) for line in lines] != [1] + [3] * (len(lines) - 1):
        raise SourceError(f"{COMMIT} has a commit in its first line, and a file, its commit and a reason in the others")
    return lines[0][0], {file: commit for file, commit, _ in lines[1:]}


def _check_commit(path: Path, commit: str, named: str, others: Mapping[str, str]) -> None:
    expected = others.get(path.name, named)
    if commit[:SHORT] == named[:SHORT] and path.name in others:
        raise SourceError(f"{path.name} is of commit {commit}, which {COMMIT} names: remove its line there")
    if commit[:SHORT] != expected[:SHORT]:
        raise SourceError(
            f"{path.name} is of commit {commit}, and {COMMIT} names {expected}: measure it again at {named}, or "
            f"list it in {COMMIT} with its commit and the reason"
        )


def check_folder(folder: Path) -> Iterator[str]:
    """Yield what is wrong with the commits of a folder's result files: of any file, and of any entry of `COMMIT`."""
    from benchmarks.harness.results import of_kind, read_lines

    files = {path.name: path for path in sorted(folder.glob("*.jsonl"))}
    try:
        listed = commit_of(folder)[1]
    except (SourceError, FileNotFoundError) as e:
        yield str(e)
        return
    yield from (f"{COMMIT} lists {name}, and there is no such file: remove its line" for name in listed.keys() - files)
    for path in files.values():
        try:
            check_commits((path, line["commit"]) for line in of_kind(read_lines(path), "meta"))
        except SourceError as e:
            yield str(e)


class Figures:
    """The runs of result files and of tables of other people's figures.

    Parameters
    ----------
    paths : sequence of Path

    Raises
    ------
    SourceError
        Runs of several commits, or of a tree with uncommitted changes.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        from benchmarks.harness import results as measurements
        from benchmarks.harness.reference import read_reference

        self.results = measurements.read(paths)
        self._ours = [r for r in self.results.runs if r.style != "reference"]
        if self._ours:
            at = {path.name: path for path in paths}
            check_commits((at[r.source], r.commit) for r in self._ours)
        self._tables = [path for path in paths if path.suffix == ".csv"]
        rows = [row for path in self._tables for row in read_reference(path)]
        wrong = [row for path in self._tables for row in read_reference(path, valid=False)]
        self._improper = {(r["graph"], r["code"]) for r in wrong}
        self._codes = {r["code"] for r in (*rows, *wrong)}
        measured = {r.graph for r in self._ours}
        sizes = {name: (g.n or 0, g.m or 0) for name, g in self.results.graphs.items() if name in measured}
        self.others: dict[str, str] = {}
        for path in self._tables:
            self.others |= other_instances(path, sizes)

    def mark(self, run: Any) -> str:
        """Return the mark of a run's figure: `ANOTHER` if its graph differs from ours."""
        return ANOTHER if run.style == "reference" and run.graph in self.others else ""

    def nothing(self, graph: str, code: str) -> str:
        """Return the cell of a code without a usable run on a graph; empty if no table has the code."""
        if (graph, code) in self._improper:
            return IMPROPER
        return MISSING if code in self._codes else ""

    def source(self, alone: bool = False) -> str:
        """Return hardware, date and commit of our runs, and the source of each table."""
        texts = [f"Ordering {'left out' if alone else 'included'}."] if self._ours or alone else []
        if self._ours:
            texts.append(self._of_ours())
        return " ".join([*texts, *(cite(path, self.others) for path in self._tables)])

    def _of_ours(self) -> str:
        files = {(r.source, r.commit) for r in self._ours}
        metas = [m for m in self.results.metas if (m.source, m.commit) in files]
        places = dict.fromkeys(
            ", ".join(filter(None, (self._machines(m), m.load, m.date[:10], f"commit {m.commit} (`{m.source}`)")))
            for m in metas
        )
        verified = all(r.verified for r in self._ours if r.usable)
        return f"{'Every coloring verified' if verified else 'Not every coloring verified'}: {'; '.join(places)}."

    def _machines(self, meta: Any) -> str:
        """Return the machines that a file and its runs name."""
        ours = [r.machine for r in self._ours if (r.source, r.commit) == (meta.source, meta.commit)]
        return ", ".join(dict.fromkeys([meta.hardware, *(m for m in ours if m and m not in meta.hardware)]))


def known(path: Path) -> dict[str, str]:
    """Return the description of a table of other people's figures.

    Raises
    ------
    SourceError
        The table has no description.
    """
    about: dict[str, str] | None = json.loads((path.parent / SOURCES).read_text()).get(path.name)
    if about is None:
        raise SourceError(f"{path.name} is not in {SOURCES}, which describes such tables")
    return about


def cite(path: Path, others: Iterable[str] = ()) -> str:
    """Cite the source of a table, and its marks; `others`: graphs whose instance differs there."""
    about = known(path)
    texts = [f"Other codes, not run by us (`{path.name}`): {about['machine']}", f"{MISSING}: {about['missing']}"]
    if list(others):
        texts.append(f"{ANOTHER}: another instance of the graph")
    return "; ".join(texts) + "."


def described(path: Path, others: Mapping[str, str]) -> list[str]:
    """Return lines of a list: the description of a table, and its instances of the graphs."""
    about = known(path)
    lines = [
        f"- Machine: {about['machine']}.", f"- How: {about['how']}.", f"- Not known: {about['unknown']}.",
        f"- {MISSING} in a cell: {about['missing']}.",
        f"- `{IMPROPER}` in a cell: the code left conflicts or uncolored vertices.",
    ]  # fmt: skip
    if others:
        graphs = "; ".join(f"{graph} {size}" for graph, size in others.items())
        lines.append(f"- `{ANOTHER}` behind a figure: another instance of the graph. These are {graphs}.")
    return lines


def other_instances(path: Path, sizes: Mapping[str, tuple[int, int]]) -> dict[str, str]:
    """Return the graphs whose n or m differ in a table, with its sizes in words."""
    from benchmarks.harness.reference import of_another, read_reference

    rows = [row for row in read_reference(path) if row["graph"] in sizes]
    return {row["graph"]: why for row in rows if (why := of_another(row, *sizes[row["graph"]]))}
