"""The stages of a conversion, each from where the files that are kept end."""

from __future__ import annotations

import errno
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ....core.errors import GraphError, OptionError
from ....inputs.sizes import warn_of_first
from ....io.files import STDIN, FirstLine, said
from ....io.folder import TYPES, WIDE, Folder, Output, publish
from ....progress import stage
from .budget import Budget, too_little
from .labels import Numbering
from .merge import Merge, fits
from .names import ends_of, text_of
from .opening import opened
from .parts import Work
from .reading import Reading
from .rows import entries, offsets, renumbered, seen
from .runs import KEY
from .sources import Source


@dataclass
class Conversion:
    """A conversion, from where the files that are kept end.

    Attributes
    ----------
    sources : list of Source
        Opened where they are still to be read.
    """

    work: Work
    budget: Budget
    paths: list[Path]
    n: int | None
    told: FirstLine | None
    format: str | None
    sources: list[Source] = field(default_factory=list)

    def run(self, target: Path, replace: bool) -> Folder:
        """All stages that are left."""
        work = self.work
        if not work.done("merged"):
            if not (work.done("read") or work.done("numbered")):
                self._read()
            if work.has_pairs and not work.done("numbered"):
                self._number()
            kind = "numbered" if work.done("numbered") else "read"
            Merge(work, work.files[kind], work.files[kind][-1].content["state"]).run(self.budget.keys)
            work.drop("numbered", "read")
        return self._write(target, replace)

    def _read(self) -> None:
        """Read all inputs; begin again if the input is standard input."""
        if STDIN in self.paths:
            self.work.clear()
        heads = self._heads()
        Reading(self.work, self.budget, self.sources, heads).run()

    def _heads(self) -> dict[str, Any]:
        """What the heads of all files say, which are opened."""
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
        at_least = max(source.at_least for source in self.sources)
        self._check_room(sum(source.edges for source in self.sources), max(n or 0, at_least))
        both = all(source.both for source in self.sources)
        return {"n": n, "at_least": at_least, "both": both, "named": self.sources[0].named}

    def _check_room(self, edges: float, n: int) -> None:
        """Nothing, where there is memory and disk for about so many edges."""
        keys = int(2 * edges)
        if not fits(self.budget.keys, -(-keys // self.budget.keys), keys):
            raise OptionError(too_little(self.budget.keys, keys))
        needed = keys * KEY + int(4 * edges) + 8 * n
        there = sum(file.stat().st_size for file in self.work.path.rglob("*") if file.is_file())
        free = shutil.disk_usage(self.work.path).free + there
        if needed > free:
            what = (
                f"about {needed / 1e9:.1f} GB are needed here, {keys * KEY / 1e9:.1f} of them until the end only, and "
                f"{free / 1e9:.1f} are free"
            )
            raise OSError(errno.ENOSPC, what, str(self.work.path.parent))

    def _number(self) -> None:
        """Runs by places in a table of all numbers, where these are large."""
        state = self.work.files["read"][-1].content["state"]
        numbering = stage("numbering", 2 * state["edges"], "edges")
        numbers = Numbering(self.work, self.budget.keys, state)
        numbers.run(self.budget.table, lambda done: numbering.at(state["edges"] + done))
        self.work.drop("read")

    def _write(self, target: Path, replace: bool) -> Folder:
        """The arrays of the folder, and the folder."""
        out, merged = self.work.out, self.work.files["merged"]
        state = merged[-1].content["state"]
        out.mkdir(exist_ok=True)
        n, found, numbers = state["n"], seen(merged), None
        top = state["top"] + 1
        if n is None and state["at_least"] >= top:
            n = state["at_least"]
        if n is None and found.far_apart(top):
            n = found.number
            made, numbers = renumbered(merged, out, n, self.budget.table)
        else:
            if n is None and found.count_from_one(top):
                warn_of_first(top, found.after_first)
            n = top if n is None else max(n, top)
            made = {"indptr": offsets(merged, out, n), **self._labels(state["named"])}
        made["indices"] = entries(merged, out, "<i4" if n < WIDE else "<i8", numbers)
        edges, count = state["edges"], made["indices"]["elements"]
        notes = {"edges": edges, "loops": state["loops"], "repeated": edges - state["loops"] - count // 2}
        if state["both"] and notes["repeated"] < count // 2:  # each edge is there twice where all are mirrored
            notes["one_sided"] = count // 2 - notes["repeated"]
        return publish(out, target, n, made, notes, replace)

    def _labels(self, named: bool) -> dict[str, Any]:
        """Arrays of names or of large numbers of the vertices, where they have any."""
        files, before = self.work.files, 0
        wanted = ("names", "names_end") if named else ("labels",) if files["labels"] else ()
        outputs = {name: Output(self.work.out, name, TYPES[name][0]) for name in wanted}
        try:
            for file in files["names"]:
                for ends in ends_of(file):
                    outputs["names_end"].append(before + ends)
                for text in text_of(file):
                    outputs["names"].append(text)
                before = outputs["names"].count
            for file in files["labels"]:
                for labels in file.pieces("<i8", file.content["count"]):
                    outputs["labels"].append(labels)
            return {name: output.finish() for name, output in outputs.items()}
        finally:
            for output in outputs.values():
                output.close()
