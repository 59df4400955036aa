"""Where a table's figures are from: ours of one commit of a clean tree, and what is known of other people's."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

SOURCES = "sources.json"  # beside the tables of other people's figures
ANOTHER, MISSING, IMPROPER = "*", "–", "improper"  # marks of cells
SHORT = 7  # digits of a commit that are compared: files have hashes of several lengths


class SourceError(ValueError):
    """Figures that may not stand in one table."""


def check_commits(commits: Iterable[str]) -> None:
    """Refuse what is not of one commit of a clean tree.

    Raises
    ------
    SourceError
    """
    names = sorted(set(commits))
    if any(name.endswith("+") for name in names):
        raise SourceError(f"measured on a tree with uncommitted changes ({', '.join(names)})")
    if not all(names):
        raise SourceError("a result file does not say of which commit it is")
    if len({name[:SHORT] for name in names}) > 1:
        raise SourceError(f"measured at more than one commit ({', '.join(names)})")


class Figures:
    """The runs of result files and, beside them, of tables of other people's figures.

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
            check_commits(r.commit for r in self._ours)
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
        """What stands behind the figure of a run: `ANOTHER` where it is of another graph than ours."""
        return ANOTHER if run.style == "reference" and run.graph in self.others else ""

    def nothing(self, graph: str, code: str) -> str:
        """What stands for a code without a usable run on a graph; empty where it is no code of a table."""
        if (graph, code) in self._improper:
            return IMPROPER
        return MISSING if code in self._codes else ""

    def source(self, alone: bool = False) -> str:
        """Hardware, date and commit of ours, once; and of each table whose it is."""
        said = [f"Ordering {'left out' if alone else 'included'}."] if self._ours or alone else []
        if self._ours:
            said.append(self._of_ours())
        return " ".join([*said, *(cite(path, self.others) for path in self._tables)])

    def _of_ours(self) -> str:
        files = {(r.source, r.commit) for r in self._ours}
        metas = [m for m in self.results.metas if (m.source, m.commit) in files]
        places = dict.fromkeys(f"{self._machines(m)}, {m.date[:10]}, commit {m.commit} (`{m.source}`)" for m in metas)
        verified = all(r.verified for r in self._ours if r.usable)
        return f"{'Every coloring verified' if verified else 'Not every coloring verified'}: {'; '.join(places)}."

    def _machines(self, meta: Any) -> str:
        """What a file says of its machine, and its runs of theirs beyond that."""
        ours = [r.machine for r in self._ours if (r.source, r.commit) == (meta.source, meta.commit)]
        return ", ".join(dict.fromkeys([meta.hardware, *(m for m in ours if m and m not in meta.hardware)]))


def known(path: Path) -> dict[str, str]:
    """What is known of a table of other people's figures.

    Raises
    ------
    SourceError
        Nothing is.
    """
    about: dict[str, str] | None = json.loads((path.parent / SOURCES).read_text()).get(path.name)
    if about is None:
        raise SourceError(f"{path.name} is not in {SOURCES}, which says where such tables are from")
    return about


def cite(path: Path, others: Iterable[str] = ()) -> str:
    """Whose figures a table has, and its marks; `others`: graphs of which it had other instances."""
    about = known(path)
    said = [f"Other codes, not run by us (`{path.name}`): {about['machine']}", f"{MISSING}: {about['missing']}"]
    if list(others):
        said.append(f"{ANOTHER}: another instance of the graph")
    return "; ".join(said) + "."


def described(path: Path, others: Mapping[str, str]) -> list[str]:
    """Lines of a list: all that is known of a table, and what instances of the graphs it had."""
    about = known(path)
    lines = [
        f"- Machine: {about['machine']}.", f"- How: {about['how']}.", f"- Not known: {about['unknown']}.",
        f"- {MISSING} in a cell: {about['missing']}.",
        f"- Validity is as the table says; `{IMPROPER}` in a cell: it left conflicts or vertices without a color.",
    ]  # fmt: skip
    if others:
        graphs = "; ".join(f"{graph} {size}" for graph, size in others.items())
        lines.append(f"- `{ANOTHER}` behind a figure: another instance of the graph. These are {graphs}.")
    return lines


def other_instances(path: Path, sizes: Mapping[str, tuple[int, int]]) -> dict[str, str]:
    """Graphs, of those with these n and m, of which a table had another instance, and its sizes in words."""
    from benchmarks.harness.reference import of_another, read_reference

    rows = [row for row in read_reference(path) if row["graph"] in sizes]
    return {row["graph"]: why for row in rows if (why := of_another(row, *sizes[row["graph"]]))}
