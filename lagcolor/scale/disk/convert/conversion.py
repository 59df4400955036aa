"""The stages of a conversion, each from where its journal says."""

from __future__ import annotations

import errno
import os
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ....errors import GraphError, OptionError
from ....inputs.sizes import warn_of_first
from ....io.files import STDIN, said
from ....io.folder import WIDE, Folder, Output, publish
from ....io.formats import FirstLine
from ....progress import stage
from .budget import Budget, too_little
from .journal import Journal
from .labels import Spool, numbered, pieces, table
from .merge import Merge, fits
from .opening import opened
from .reading import Reading
from .rows import offsets, renumbered, seen
from .runs import KEY, Run, Runs, Stored, check
from .sources import Source

SAVE = 5.0  # seconds between two notes of how far merging is


@dataclass
class Conversion:
    """A conversion, from where its journal says.

    Attributes
    ----------
    sources : list of Source
        Opened where they are still to be read.
    resumed : bool
        An earlier conversion has done a part.
    """

    journal: Journal
    budget: Budget
    paths: list[Path]
    n: int | None
    told: FirstLine | None
    format: str | None
    sources: list[Source] = field(default_factory=list)
    resumed: bool = False

    def run(self, target: Path, replace: bool) -> Folder:
        """All stages that are left."""
        state = self.journal.state
        self.resumed = bool(state)
        if not state or (state["stage"] == "reading" and STDIN in self.paths) or self._is_published(state):
            state = {
                "stage": "reading", "input": 0, "at": None, "runs": [], "spool": None, "names": None,
                "edges": 0, "loops": 0, "top": -1, "n": self.n, "at_least": 0,
            }  # fmt: skip
        if state["stage"] == "reading":
            state = self._opened(state)
            state = Reading(self.journal, self.budget, self.sources, state).run()
        if state["stage"] == "numbering":
            state = self._number(state)
        if state["stage"] == "merging":
            state = self._merge(state)
        return self._write(state, target, replace)

    def _is_published(self, state: dict[str, Any]) -> bool:
        """Whether nothing is left of an earlier conversion but what was to be taken away."""
        where = (self.journal.work, self.journal.out)
        return state["stage"] == "writing" and not any((folder / "indices.npy").exists() for folder in where)

    def _opened(self, state: dict[str, Any]) -> dict[str, Any]:
        """The state with what the heads of all files say.

        Raises
        ------
        OptionError, GraphError
            They contradict each other, or the caller.
        OSError
            The disk is too small.
        """
        self.sources = [opened(p, self.format, self.told, self.budget.room, self.n) for p in self.paths]
        for source in self.sources:
            first = self.sources[0]
            if source.named != first.named:
                one, other = ("names", "numbers") if first.named else ("numbers", "names")
                raise GraphError(f"vertices are {one} in {said(first.path)}, and {other} in {said(source.path)}")
            if self.n is not None and source.n is not None and source.n != self.n:
                raise GraphError(f"n = {self.n}, but {said(source.path)} has {source.n} vertices: leave n out")
        if self.sources[0].named and self.n is not None:
            raise OptionError("n is for vertices with numbers, and these have names: leave n out")
        stated = [source.n for source in self.sources if source.n is not None]
        n = self.n if self.n is not None else max(stated, default=None)
        self._check_room(sum(source.edges for source in self.sources), n or 0)
        both = all(source.both for source in self.sources)
        return {**state, "n": n, "at_least": max(source.at_least for source in self.sources), "both": both}

    def _check_room(self, edges: float, n: int) -> None:
        """Nothing, where there is memory and disk for about so many edges."""
        keys = int(2 * edges)
        if not fits(self.budget.keys, -(-keys // self.budget.keys), keys):
            raise OptionError(too_little(self.budget.keys, keys))
        needed = keys * KEY + int(4 * edges) + 8 * n
        there = sum(file.stat().st_size for file in self.journal.work.rglob("*") if file.is_file())
        free = shutil.disk_usage(self.journal.work).free + there
        if needed > free:
            what = (
                f"about {needed / 1e9:.1f} GB are needed here, {keys * KEY / 1e9:.1f} of them until the end only, and "
                f"{free / 1e9:.1f} are free"
            )
            raise OSError(errno.ENOSPC, what, str(self.journal.work.parent))

    def _number(self, state: dict[str, Any]) -> dict[str, Any]:
        """Runs by places in a table of all numbers, where these are large."""
        work, old = self.journal.work, [Run(*run) for run in state["runs"]]
        spool, stored = Spool(work / "spool", state["spool"]), Stored(work / "runs")
        numbering = stage("numbering", 2 * state["edges"], "edges")
        done = 0

        def passed(edges: int) -> None:
            nonlocal done
            done += edges
            numbering.at(done)

        labels = table(pieces(stored, old, spool), self.budget.table)
        passed(state["edges"])
        runs = Runs(work / "numbered", self.budget.keys, [])
        out = Output(work, "labels", "<i8")
        try:
            numbered(pieces(stored, old, spool), labels, runs, passed)
            out.append(labels)
            kept = {"labels": {"labels": out.finish()}, "n": len(labels), "top": len(labels) - 1}
            self.journal.save({**state, "stage": "merging", "runs": runs.runs, "file": "numbered", **kept})
        finally:
            for file in (runs, spool, stored, out):
                file.close()
        for name in ("spool", "runs"):
            (work / name).unlink()
        return self.journal.state

    def _merge(self, state: dict[str, Any]) -> dict[str, Any]:
        """Rows of the vertices that occur."""
        work, runs = self.journal.work, [Run(*run) for run in state["runs"]]
        n = max(state["n"] or 0, state["at_least"], state["top"] + 1)
        dtype, file = "<i4" if n < WIDE else "<i8", work / state.get("file", "runs")
        for run in runs if self.resumed else []:
            check(file, run)
        stored, merge = Stored(file), Merge(work, dtype, state.get("merge"))
        last = time.monotonic()

        def after_range() -> None:
            nonlocal last
            if time.monotonic() - last >= SAVE:
                self.journal.save({**state, "merge": merge.state()})
                last = time.monotonic()

        try:
            merge.run(stored, runs, self.budget.keys, after_range)
            self.journal.save({**state, "stage": "writing", "merge": None, "arrays": merge.finish()})
        finally:
            stored.close()
            merge.close()
        file.unlink()
        return self.journal.state

    def _write(self, state: dict[str, Any], target: Path, replace: bool) -> Folder:
        """The arrays of the folder, and the folder."""
        work, out, arrays = self.journal.work, self.journal.out, dict(state["arrays"])
        out.mkdir(exist_ok=True)
        labels, n, found = state.get("labels") or {}, state["n"], seen(work)
        top = state["top"] + 1
        if n is None and state["at_least"] >= top:
            n = state["at_least"]
        if n is None and found.far_apart(top):
            made = renumbered(work, out, arrays["indices"]["dtype"], self.budget.table)
            n = found.number
        else:
            if n is None and found.count_from_one(top):
                warn_of_first(top, found.after_first)
            n = top if n is None else max(n, top)
            made = {"indptr": offsets(work, out, n), "indices": arrays["indices"], **labels}
            for name in ("indices", *labels):
                if (work / f"{name}.npy").exists():
                    os.replace(work / f"{name}.npy", out / f"{name}.npy")
        entries = made["indices"]["elements"]
        notes = {name: state[name] for name in ("edges", "loops")}
        notes["repeated"] = state["edges"] - state["loops"] - entries // 2
        if state.get("both") and notes["repeated"] < entries // 2:  # each edge is there twice where all are mirrored
            notes["one_sided"] = entries // 2 - notes["repeated"]
        return publish(out, target, n, made, notes, replace)
