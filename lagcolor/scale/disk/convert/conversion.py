"""The stages of a conversion, each from where the files that are kept end.

1. Reading: edges of all sources as files of sorted keys. Names are numbered by a table. Where numbers of vertices are
   too large for keys, all inputs are read once before, for a table of the numbers.
2. Merging: rows, range by range of keys.
3. Writing: the arrays of the folder.
"""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ....core.errors import FormatError, GraphError, OptionError
from ....inputs.sizes import warn_of_first
from ....io.files import STDIN, FirstLine, said
from ....io.folder import TYPES, WIDE, Folder, Output, publish
from ....io.formats import check_told
from ....progress import stage
from .merge import Merge, fits, least
from .names import Names, ends_of, text_of
from .parts import Work
from .rows import entries, offsets, renumbered, seen
from .runs import KEY, MOST, Runs
from .sources import TABLES, Budget, Chunk, Source, checked, kind


class LargeNumberError(Exception):
    """A vertex has a number that is too large for a key."""


class Conversion:
    """A conversion of some files, whose bounds are a `Budget`; `n` and `told` are what the caller says of them."""

    def __init__(
        self, work: Work, budget: Budget, paths: list[Path], n: int | None, told: FirstLine | None, format: str | None
    ) -> None:
        self.work, self.budget, self.paths, self.n, self.told, self.format = work, budget, paths, n, told, format

    def run(self, target: Path, replace: bool) -> Folder:
        """All stages that are left."""
        work = self.work
        if not work.done("merged"):
            if not work.done("read"):
                self._read()
            runs = work.files["read"]
            Merge(work, runs, runs[-1].content["state"]).run(self.budget.keys)
            work.drop("read")
        return self._write(target, replace)

    def _read(self) -> None:
        """Read all inputs; begin again if the input is standard input."""
        if STDIN in self.paths:
            self.work.clear()
        sources, heads = self._heads()
        try:
            Reading(self.work, self.budget, sources, heads).run()
        except LargeNumberError:
            self.work.drop("read")
            self._keep_labels(sources)
            Reading(self.work, self.budget, sources, heads).run()

    def _heads(self) -> tuple[list[Source], dict[str, Any]]:
        """The sources, and what their heads say."""
        work = self.work.path
        sources = [source(p, self.format, self.told, self.budget, self.n, work) for p in self.paths]
        first = sources[0]
        for one in sources:
            if one.named != first.named:
                what, other = ("names", "numbers") if first.named else ("numbers", "names")
                raise GraphError(f"vertices are {what} in {said(first.path)}, and {other} in {said(one.path)}")
            if self.n is not None and one.n is not None and one.n != self.n:
                raise GraphError(f"n = {self.n}, but {said(one.path)} has {one.n} vertices: leave n out")
        if first.named and self.n is not None:
            raise OptionError("n is for vertices with numbers, and these have names: leave n out")
        stated = [one.n for one in sources if one.n is not None]
        n = self.n if self.n is not None else max(stated, default=None)
        at_least = max(one.at_least for one in sources)
        self._check_room(sum(one.edges for one in sources), max(n or 0, at_least))
        both = all(one.both for one in sources)
        return sources, {"n": n, "at_least": at_least, "both": both, "named": first.named}

    def _check_room(self, edges: float, n: int) -> None:
        """Nothing, where there is memory and disk for about so many edges."""
        keys = int(2 * edges)
        _check_memory(self.budget.keys, -(-keys // self.budget.keys), keys)
        needed = keys * KEY + int(4 * edges) + 8 * n
        there = sum(file.stat().st_size for file in self.work.path.rglob("*") if file.is_file())
        free = shutil.disk_usage(self.work.path).free + there
        if needed > free:
            what = (
                f"about {needed / 1e9:.1f} GB are needed here, {keys * KEY / 1e9:.1f} of them until the end only, and "
                f"{free / 1e9:.1f} are free"
            )
            raise OSError(errno.ENOSPC, what, str(self.work.path.parent))

    def _keep_labels(self, sources: list[Source]) -> None:
        """Keep all numbers that occur, rising."""
        numbering, before = stage("numbering", sum(one.size for one in sources), "bytes"), 0
        table, new, count = np.zeros(0, np.int64), list[np.ndarray](), 0
        for one in sources:
            for chunk in one.chunks(None, len(sources) == 1):
                new.append(np.unique(np.concatenate([chunk.u, chunk.v])))
                count += len(new[-1])
                if count * 8 > self.budget.table // 2 and count > len(table) // 2:
                    table, new, count = np.unique(np.concatenate([table, *new])), [], 0
                    self._check_table(len(table))
                numbering.at(before + chunk.done)
            before += one.size
        table = np.unique(np.concatenate([table, *new]))
        self._check_table(len(table))
        with self.work.new("labels") as out:
            out.write(table)
            out.keep({"count": len(table), "last": True})

    def _check_table(self, count: int) -> None:
        if 8 * count > self.budget.table:
            raise OptionError(
                f"vertices have numbers of 2³² and more, of which there are over {count} different ones: a "
                f"table of them takes more than memory leaves for it: pass memory of more than {64 * count}"
            )

    def _write(self, target: Path, replace: bool) -> Folder:
        """The arrays of the folder, and the folder."""
        out, merged = self.work.out, self.work.files["merged"]
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        state = merged[-1].content["state"]
        found, n, top, numbers = seen(merged), state["n"], state["top"] + 1, None
        if n is None and state["at_least"] >= top:
            n = state["at_least"]
        if n is None and found.far_apart(top):
            n = found.number
            made, numbers = renumbered(merged, out, n, self.budget.table)
        else:
            if n is None and found.count_from_one(top):
                warn_of_first(top, found.after_first)
            n = top if n is None else max(n, top)
            made = {"indptr": offsets(merged, out, n), **self._labels()}
        made["indices"] = entries(merged, out, "<i4" if n < WIDE else "<i8", numbers)
        edges, count = state["edges"], made["indices"]["elements"]
        notes = {"edges": edges, "loops": state["loops"], "repeated": edges - state["loops"] - count // 2}
        if state["both"] and notes["repeated"] < count // 2:  # each edge is there twice where all are mirrored
            notes["one_sided"] = count // 2 - notes["repeated"]
        return publish(out, target, n, made, notes, replace)

    def _labels(self) -> dict[str, Any]:
        """Arrays of names or of large numbers of the vertices, where they have any."""
        files = self.work.files
        arrays: dict[str, Iterator[np.ndarray]] = {}
        if files["labels"]:
            (file,) = files["labels"]
            arrays["labels"] = file.pieces("<i8", file.content["count"])
        if files["names"]:
            before = np.cumsum([0, *(file.size - 8 * file.content["count"] for file in files["names"])])
            arrays["names"] = (piece for file in files["names"] for piece in text_of(file))
            arrays["names_end"] = (
                begin + piece for begin, file in zip(before, files["names"], strict=False) for piece in ends_of(file)
            )
        return {name: _written(self.work.out, name, pieces) for name, pieces in arrays.items()}


def _written(folder: Path, name: str, pieces: Iterator[np.ndarray]) -> dict[str, Any]:
    """An array of the folder, of its pieces."""
    output = Output(folder, name, TYPES[name][0])
    try:
        for piece in pieces:
            output.append(piece)
        return output.finish()
    finally:
        output.close()


def _check_memory(room: int, runs: int, keys: int) -> None:
    """Nothing, where there is memory to merge so many runs with so many keys."""
    if not fits(room, runs, keys):
        enough = -(-least(room, keys) * 16 // 10**6)
        raise OptionError(f"memory is too little for about {keys // 2} edges: pass memory='{enough}MB' or more")


class Reading:
    """Reads sources from where the last file ends, and writes a file whenever the buffer is full.

    `heads` is what their heads say: n, at_least, both, named.
    """

    def __init__(self, work: Work, budget: Budget, sources: list[Source], heads: dict[str, Any]) -> None:
        self._work, self._budget, self._sources = work, budget, sources
        read = work.files["read"]
        self._state = {"edges": 0, "loops": 0, "top": -1, **heads} if not read else dict(read[-1].content["state"])
        self._at: dict[str, Any] = {"input": 0, "at": None} if not read else read[-1].content["to"]
        self._kept = self._at  # what is in files reaches up to here
        self._names = Names(work, budget.table) if sources[0].named else None
        self._labels: np.ndarray | None = None
        if work.files["labels"]:
            (file,) = work.files["labels"]
            self._labels = np.empty(file.content["count"], np.int64)
            file.read(0, self._labels)
            self._state["n"] = len(self._labels)
        self._edges = Runs(budget.keys, self._keep)

    def run(self) -> None:
        """Read all that is left."""
        sources, first = self._sources, self._at["input"]
        before = sum(source.size for source in sources[:first])
        reading = stage("reading", sum(source.size for source in sources), "bytes")
        for k in range(first, len(sources)):
            for chunk in sources[k].chunks(self._at["at"], len(sources) == 1):
                self._take(sources[k], chunk)
                self._at = {"input": k, "at": chunk.at}
                reading.at(before + chunk.done)
            self._at = {"input": k + 1, "at": None}
            before += sources[k].size
        self._keep(last=True)
        del self._edges  # its memory, as it refers to this object

    def _take(self, source: Source, chunk: Chunk) -> None:
        """Add the edges of a chunk to the buffer; write a file first if they do not fit."""
        state = self._state
        u, v = self._numbers(chunk)
        top = max(int(u.max()), int(v.max())) if len(u) else -1
        if self._names is None and state["n"] is not None and top >= state["n"]:
            checked(source.path, u, v, chunk.at["edges"] - len(u), state["n"])
        if top >= MOST:
            del self._edges
            raise LargeNumberError
        if self._edges.count and not self._edges.has_room(len(u)):
            self._keep()
            runs = [file.content["count"] for file in self._work.files["read"]]
            _check_memory(self._budget.keys, len(runs), sum(runs))
        self._edges.add(u, v)
        state["edges"] += len(u)
        state["loops"] += int(np.count_nonzero(u == v))
        state["top"] = max(state["top"], top)

    def _numbers(self, chunk: Chunk) -> tuple[np.ndarray, np.ndarray]:
        """Both ends of edges, by place in the table of names or of large numbers where there is one."""
        if self._names is not None:
            return self._names.numbers(chunk.u, chunk.v)
        if self._labels is None:
            return chunk.u, chunk.v
        return np.searchsorted(self._labels, chunk.u), np.searchsorted(self._labels, chunk.v)

    def _keep(self, last: bool = False) -> None:
        """What is held, and the range of the inputs that it covers, up to the last chunk that was taken as a whole."""
        state = self._state
        if self._names is not None:
            self._names.keep()
            state = {**state, "n": len(self._names) if last else None}
        with self._work.new("read") as out:
            keys = self._edges.sorted()
            out.write(keys)
            files = self._work.files
            out.keep({
                "count": len(keys), "from": self._kept, "to": self._at, "last": last, "state": dict(state),
                "needs": {"names": len(files["names"]), "labels": len(files["labels"])},
            })  # fmt: skip
        self._kept = self._at


def source(
    path: Path, format: str | None, told: FirstLine | None, budget: Budget, n: int | None, work: Path
) -> Source:  # fmt: skip
    """The source of a file, of which what is at its beginning is read; `work` is a folder for temporary files."""
    name = kind(path, format)
    check_told(path, name, told, ("edges", "parquet"))
    if path == STDIN and name in (*TABLES, "npz", "egr", "csr", "col.b"):
        raise OptionError(f"standard input is converted as text, and the format {name} is of files")
    try:
        if name == "parquet":
            from .parquet import Parquet

            return Parquet(path, told and told.columns, budget, n)
        if name in ("npy", "npz", "egr", "csr"):
            from . import arrays

            return arrays.source(path, name, budget, n, work)
        from . import text

        return text.source(path, name, budget, n, told, work)
    except FormatError:
        raise
    except GraphError as e:
        raise type(e)(f"{said(path)}: {e}") from e
